"""Which column of a table holds SMILES: one that was named, one with a usual name, or one that parses."""

from __future__ import annotations

from itertools import islice

from partwhole.errors import PartwholeError, near_miss
from partwhole.sources.frames import frame_columns, is_frame
from partwhole.sources.readers.molecules import require_rdkit
from partwhole.sources.reading import Reading
from partwhole.sources.tables import TableLike, named, table_pieces, values

SMILES = ("smiles", "canonical_smiles", "isomeric_smiles", "smi")  # usual names, in this order
LOOKED_AT = 100  # values of a column
ENOUGH = 0.5  # share of them that must be SMILES: some may be damaged, words are none
SHOWN = 5  # names of columns in an error


def smiles_column(data: TableLike, names: list[str], reading: Reading) -> str:
    """The column of a table that holds SMILES; a note tells where it was found by its content."""
    asked = reading.smiles_column
    if asked is not None:
        if asked not in names:
            raise PartwholeError(f"{_called(data)} has no column {asked!r}.{near_miss(asked, names)}")
        return asked
    learned = reading.schema.smiles_column if reading.schema is not None else ""
    if learned and learned in names:
        return learned
    usual = named(names, SMILES)
    if usual is not None:
        return usual
    found = _by_content(data)
    if found is None:
        shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
        raise PartwholeError(
            f"{_called(data)} has no column of SMILES among {shown}; name it with --smiles-column (in Python "
            "smiles_column=…), or name graph, source and target if it is a list of edges."
        )
    reading.note(
        f"The column {found!r} was read as SMILES, since its values are; --smiles-column names another."
    )
    return found


def _called(data: TableLike) -> str:
    return "The DataFrame" if is_frame(data) else str(data)


def _by_content(data: TableLike) -> str | None:
    """The column with the longest texts among those that are SMILES."""
    require_rdkit()
    if is_frame(data):
        columns = frame_columns(data.head(LOOKED_AT))
    else:
        head = next(islice(table_pieces(data, LOOKED_AT), 1), None)
        columns = {} if head is None else {name: values(head.column(name)) for name in head.column_names}
    lengths = {}
    for name, cells in columns.items():
        texts = [cell for cell in cells if cell is not None]
        if texts and all(isinstance(text, str) for text in texts) and _share(texts) >= ENOUGH:
            lengths[name] = sum(map(len, texts)) / len(texts)
    return max(lengths, key=lambda name: lengths[name], default=None)


def _share(texts: list[str]) -> float:
    """Which share of these texts is SMILES, 0 to 1."""
    from rdkit import Chem, rdBase

    with rdBase.BlockLogs():
        parsed = [Chem.MolFromSmiles(text.strip(), sanitize=False) is not None for text in texts]
    return sum(parsed) / len(parsed)
