"""SDF files: molecules with their coordinates; the data of their records are targets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.files.whole import open_unpacked
from partwhole.graphs.store import GraphStore
from partwhole.graphs.values import as_ids, plain
from partwhole.registry import SOURCES
from partwhole.sources.base import Source, is_file_of
from partwhole.sources.conformers import needs_coordinates
from partwhole.sources.readers.molecules import read_any_molecules, require_possible, require_rdkit
from partwhole.sources.reading import Reading
from partwhole.sources.tables import stem
from partwhole.sources.target_columns import with_targets

if TYPE_CHECKING:
    from rdkit.Chem import Mol

SUFFIXES = (".sdf", ".sd", ".sdf.gz", ".sd.gz", ".mol")


@SOURCES.register
class SDFFile(Source[Path]):
    """Molecules of an SDF file."""

    reads = "an SDF file"

    @staticmethod
    def accepts(data: object) -> bool:
        """Whether it is a file whose name ends as that of an SDF or MOL file."""
        return is_file_of(data, SUFFIXES)

    @staticmethod
    def read(data: Path, reading: Reading) -> GraphStore:
        """Read all records; coordinates are used where the model learned from distances."""
        require_rdkit()
        hydrogens = needs_coordinates(reading.schema)
        rows, molecules, names, properties = [], [], [], []
        for row, molecule in enumerate(_records(data)):
            reading.require_few(row + 1)
            if molecule is not None:
                reading.require_small(_record(row), molecule.GetNumAtoms(), molecule.GetNumBonds())
            try:
                molecule = _sound(molecule, hydrogens)
                name = molecule.GetProp("_Name") if molecule.HasProp("_Name") else ""
                data_of_record = {k: plain(v) for k, v in molecule.GetPropsAsDict().items()}
            except PartwholeError as reason:
                reading.leave_out(_record(row), str(reason))
                continue
            except UnicodeDecodeError:
                reading.leave_out(_record(row), "it has data that are not UTF-8 text; save them as UTF-8.")
                continue
            rows.append(row)
            molecules.append(molecule)
            names.append(name)
            properties.append(data_of_record)
        if not rows and not reading.left_out:
            raise PartwholeError(f"{data} holds no molecules; give at least one.")
        reading.require_any(len(rows))
        store = read_any_molecules(molecules, reading, lambda place: _record(rows[place]))
        kept = store.rows
        ids = as_ids([names[k] or f"{stem(data)} {rows[k] + 1}" for k in kept])
        names_in_order = dict.fromkeys(name for of_one in properties for name in of_one)
        columns = {name: [properties[k].get(name) for k in kept] for name in names_in_order}
        store = replace(store, ids=ids, name=stem(data), rows=np.array(rows)[kept])
        return with_targets(store, columns, reading)


def _record(row: int) -> str:
    """What a person calls a record, counted from 1."""
    return f"record {row + 1}"


def _records(path: Path) -> Iterator[Mol | None]:
    """RDKit molecules, not checked yet; None where a record is not even a molecule."""
    from rdkit import Chem, rdBase

    try:
        with rdBase.BlockLogs(), open_unpacked(path) as file:
            yield from Chem.ForwardSDMolSupplier(file, sanitize=False, removeHs=False)
    except (OSError, EOFError, SystemError) as error:  # the last: RDKit, of an error in reading the file
        raise PartwholeError(f"{path} cannot be read ({error.__cause__ or error}); correct it.") from None


def _sound(molecule: Mol | None, hydrogens: bool) -> Mol:
    """The molecule as it can be encoded: possible, with hydrogens as atoms only where they are wanted."""
    from rdkit import Chem, rdBase

    if molecule is None or molecule.GetNumAtoms() == 0:
        raise PartwholeError("it is not a readable record of an SDF file; correct or drop it.")
    with rdBase.BlockLogs():
        require_possible(molecule, "it")
        if molecule.GetNumConformers() and molecule.GetConformer().Is3D():
            Chem.AssignStereochemistryFrom3D(molecule)
        else:
            Chem.AssignStereochemistry(molecule, cleanIt=True)
        return molecule if hydrogens else Chem.RemoveHs(molecule)
