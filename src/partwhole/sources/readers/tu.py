"""TU graph-classification sets, from a zip or a folder of text files (Morris et al. 2020)."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

from partwhole.errors import PartwholeError
from partwhole.files.whole import require_inside
from partwhole.graphs.schema import Column, Schema
from partwhole.graphs.store import GraphStore
from partwhole.registry import SOURCES
from partwhole.sources.base import Source
from partwhole.sources.reading import Reading
from partwhole.sources.target_columns import target_column

Number = type[int] | type[float]
MOST_BYTES = 8 * 2**30  # of one unpacked file: more than any TU set, less than a zip bomb

# What the codes mean, by the README of each set. Bond types are coded differently per set.
ATOMS = {
    "MUTAG": "C N O F I Cl Br",
    "PTC_MR": "In P O N Na C Cl S Br F K Cu Zn I Ba Sn Pb Ca",
}
BONDS = {"MUTAG": "aromatic single double triple", "PTC_MR": "triple double single aromatic"}


def read_tu(path: Path) -> GraphStore:
    """Read a TU set. Edges are listed once here, however often the file repeats them."""
    files = _TUFiles(path)
    name = files.name
    indicator = files.table("graph_indicator", int)[:, 0]
    labels = files.optional_table("graph_labels", int)
    numbers = files.optional_table("graph_attributes", float)
    graphs = _count_graphs(name, indicator, [len(t) for t in (labels, numbers) if t is not None])
    nodes = len(indicator)
    order = np.argsort(indicator, kind="stable")  # nodes of a graph need not stand together
    place = np.empty(nodes, dtype=np.int64)
    place[order] = np.arange(nodes)
    edges = _edges(files, nodes)
    node_codes, node_columns = _codes(files, "node_labels", nodes, ATOMS, "atom")
    edge_codes, edge_columns = _codes(files, "edge_labels", len(edges), BONDS, "bond")
    node_values = files.optional_table("node_attributes", float, rows=nodes)
    edge_values = files.optional_table("edge_attributes", float, rows=len(edges))
    if node_values is not None:
        node_columns += (Column.numeric("attributes", node_values.shape[1]).standardised(node_values),)
        node_values = node_values[order]
    if edge_values is not None:
        edge_columns += (Column.numeric("attributes", edge_values.shape[1]).standardised(edge_values),)

    targets, target_columns = [], []
    for table, title in ((labels, "label"), (numbers, "value")):
        for values in table.T if table is not None else ():
            column, coded = target_column(title, values)
            target_columns.append(column)
            targets.append(coded)
    return GraphStore.from_arrays(
        np.bincount(indicator - 1, minlength=graphs),
        place[edges],
        schema=Schema(node_columns, edge_columns, tuple(target_columns), chemistry=name in ATOMS),
        node_codes=None if node_codes is None else node_codes[order],
        node_values=node_values,
        edge_codes=edge_codes,
        edge_values=edge_values,
        targets=np.hstack(targets) if targets else None,
        name=name,
    )


def _count_graphs(name: str, indicator: np.ndarray, labelled: list[int]) -> int:
    """How many graphs there are; `labelled` has the lengths of the tables of labels, which tell it too."""
    if len(indicator) and indicator.min() < 1:
        raise PartwholeError(
            f"{name}_graph_indicator.txt holds graph number {indicator.min()}; they start at 1."
        )
    graphs, found = max(labelled, default=0), int(indicator.max()) if len(indicator) else 0
    if found > graphs and labelled:
        raise PartwholeError(
            f"{name}: the nodes belong to {found} graphs but there are labels for {graphs}; "
            "a file is cut short, get the data set again."
        )
    if max(graphs, found) == 0:
        raise PartwholeError(f"The data set {name!r} holds no graphs; give at least one.")
    return max(graphs, found)


def _edges(files: _TUFiles, nodes: int) -> np.ndarray:
    """[edges, 2] nodes from 0, as the file lists them."""
    edges = files.table("A", int, columns=2) - 1
    outside = ((edges < 0) | (edges >= nodes)).any(axis=1)
    if outside.any():
        row = int(np.flatnonzero(outside)[0])
        raise PartwholeError(
            f"{files.name}_A.txt line {row + 1} joins nodes {edges[row, 0] + 1} and {edges[row, 1] + 1}, but "
            f"nodes are numbered 1 to {nodes}; correct the file or get it again."
        )
    return edges


def _codes(
    files: _TUFiles, suffix: str, rows: int, names: dict[str, str], title: str
) -> tuple[np.ndarray | None, tuple[Column, ...]]:
    """Integer labels to codes 0, 1, …; named where the set's README names them."""
    table = files.optional_table(suffix, int, rows=rows)
    if table is None:
        return None, ()
    known = names.get(files.name, "").split()
    columns, codes = [], []
    for k, labels in enumerate(table.T):
        values, code = np.unique(labels, return_inverse=True)
        plain: list[Any] = values.tolist()
        if known and set(plain) <= set(range(len(known))):
            plain, code = known, labels
        elif len(values) > np.iinfo(np.int16).max:
            raise PartwholeError(
                f"{files.name}_{suffix}.txt has {len(values)} different labels, too many to be "
                "categories; give them as attributes."
            )
        label = title if known else suffix.removesuffix("s")
        columns.append(Column.categorical(label if k == 0 else f"{label} {k + 1}", plain))
        codes.append(code)
    return np.stack(codes, axis=1), tuple(columns)


class _TUFiles:
    """The text files of one set, in a folder or in a zip, which is read and never unpacked."""

    def __init__(self, path: Path):
        self.path = path
        if path.is_dir():
            names = [p.name for p in path.iterdir()]
            self.open = lambda name: require_inside(path / name, path).read_bytes()
        else:
            try:
                archive = zipfile.ZipFile(path)
            except (zipfile.BadZipFile, OSError) as error:
                raise PartwholeError(
                    f"{path} is not a whole zip file ({error}); get the data set again."
                ) from None
            names = archive.namelist()
            self.open = lambda name: _read_member(archive, name)
        adjacency = [n for n in names if n.endswith("_A.txt")]
        if len(adjacency) != 1:
            raise PartwholeError(
                f"{path} holds {len(adjacency)} files *_A.txt where a TU data set has one; check the path."
            )
        self.prefix = adjacency[0].removesuffix("_A.txt")  # with the folder inside the zip
        self.name = self.prefix.rsplit("/", 1)[-1]
        self.names = set(names)

    def has(self, suffix: str) -> bool:
        """Whether there is a file NAME_suffix.txt."""
        return f"{self.prefix}_{suffix}.txt" in self.names

    def optional_table(self, suffix: str, dtype: Number, *, rows: int | None = None) -> np.ndarray | None:
        """The same as `table`; None where there is no such file."""
        return self.table(suffix, dtype, rows=rows) if self.has(suffix) else None

    def table(
        self,
        suffix: str,
        dtype: Number,
        *,
        rows: int | None = None,
        columns: int | None = None,
    ) -> np.ndarray:
        """NAME_suffix.txt as an array [rows, columns]."""
        short = f"{self.name}_{suffix}.txt"
        if not self.has(suffix):
            raise PartwholeError(f"{self.path} has no file {short}; get the data set again.")
        table = _parse(self.open(f"{self.prefix}_{suffix}.txt"), short, dtype)
        bad = np.flatnonzero(~np.isfinite(table).all(axis=1))[:1].tolist()
        if bad and suffix not in ("graph_labels", "graph_attributes"):  # a target may be missing
            raise PartwholeError(f"{short} has NaN or infinity in line {bad[0] + 1}; put a number there.")
        if rows is not None and len(table) != rows:
            raise PartwholeError(
                f"{short} has {len(table)} lines where {rows} belong; it is cut short or from another "
                "set, get the data set again."
            )
        if columns is not None and len(table) and table.shape[1] != columns:
            raise PartwholeError(f"{short} has {table.shape[1]} columns where {columns} belong.")
        return table.reshape(len(table), columns or table.shape[1])


def _parse(content: bytes, short: str, dtype: Number) -> np.ndarray:
    if not content.strip():
        return np.zeros((0, 2 if short.endswith("_A.txt") else 1), dtype=dtype)
    try:
        table = csv.read_csv(
            io.BytesIO(content),
            read_options=csv.ReadOptions(autogenerate_column_names=True),
            parse_options=csv.ParseOptions(ignore_empty_lines=True),
        )
        arrays = [c.cast(pa.int64() if dtype is int else pa.float64()).to_numpy() for c in table.columns]
    except pa.ArrowException as error:
        reason = str(error).splitlines()[0]
        raise PartwholeError(
            f"{short} is not a table of numbers ({reason}); it is damaged or cut short, get the data "
            "set again."
        ) from None
    return np.stack(arrays, axis=1)


def _read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > MOST_BYTES:
        raise PartwholeError(f"{name} unpacks to more than {MOST_BYTES >> 30} GiB; it is not read.")
    try:
        return archive.read(name)
    except (zipfile.BadZipFile, OSError, EOFError) as error:
        raise PartwholeError(f"{name} in the zip is damaged ({error}); get the data set again.") from None


@SOURCES.register
class TUSource(Source[Path]):
    """A TU set that is given by its path."""

    reads = "a TU data set (a zip or a folder with NAME_A.txt)"

    @staticmethod
    def accepts(data: object) -> bool:
        """Whether it is a zip file, or a folder with a file NAME_A.txt."""
        if not isinstance(data, Path):
            return False
        return any(data.glob("*_A.txt")) if data.is_dir() else data.suffix == ".zip"

    @staticmethod
    def read(data: Path, reading: Reading) -> GraphStore:
        """Read the set as it is; only sets given by name are compared with a checksum."""
        return read_tu(data)
