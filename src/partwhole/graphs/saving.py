"""A store in a folder: one `.npy` a column and `schema.json`; mapped again, and hashed."""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.files.whole import atomic_folder, read_json, require_inside
from partwhole.graphs.schema import Schema

if TYPE_CHECKING:
    from partwhole.graphs.store import GraphStore

FORMAT = 1
COLUMNS = (  # in the order in which they are hashed
    *("node_ptr", "edge_ptr", "neighbor"),
    *("node_codes", "node_values", "edge_codes", "edge_values"),
    *("targets", "ids", "marks"),
)
NOT_HASHED = ("ids", "marks")  # the same graphs may be called otherwise
DIGEST_ROWS = 1_000_000  # hashed at a time


def save(store: GraphStore, folder: Path) -> None:
    """Write all columns of a store; the folder appears whole or not at all."""
    with atomic_folder(folder) as temporary:
        for column in COLUMNS:
            content = getattr(store, column)
            content = content.astype(str) if content.dtype == object else content  # long ids
            np.save(temporary / f"{column}.npy", content, allow_pickle=False)
        write_manifest(temporary, store.name, store.schema)


def write_manifest(folder: Path, name: str, schema: Schema) -> None:
    """Write `schema.json`, which makes a folder of columns a store."""
    manifest = {"format": FORMAT, "name": name, "schema": schema.to_dict()}
    (folder / "schema.json").write_text(json.dumps(manifest, indent=1))


@contextmanager
def told_when_damaged(folder: Path) -> Iterator[None]:
    """Tell what is wrong with the files of a store in one sentence."""
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PartwholeError(f"{folder} is not a whole graph store ({error}); save it again.") from None


def mapped_columns(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """What `schema.json` says, and each column, of which nothing is copied until it is used."""
    with told_when_damaged(folder):
        manifest = read_json(require_inside(folder / "schema.json", folder).read_bytes())
        written = manifest["format"]
    if written != FORMAT:
        raise PartwholeError(
            f"{folder} was written in format {written}, this version reads {FORMAT}; load the original "
            "data and save it again."
        )
    with told_when_damaged(folder):
        return manifest, {name: _mapped(require_inside(folder / f"{name}.npy", folder)) for name in COLUMNS}


def _mapped(file: Path) -> np.ndarray:
    try:
        return np.load(file, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # the parser of its header raises whatever Python's own does
        raise ValueError(f"{file.name}: {error}") from None


def release_pages(store: GraphStore) -> None:
    """Give the memory of mapped columns back; the files stay in the system's cache.

    A pass over a mapped store would otherwise count all of it as this process's memory.
    """
    if not store.is_mapped or not hasattr(mmap, "MADV_DONTNEED"):  # not on every system
        return
    for column in COLUMNS:
        mapped = getattr(getattr(store, column), "_mmap", None)
        if mapped is not None:
            mapped.madvise(mmap.MADV_DONTNEED)


def digest(store: GraphStore) -> str:
    """SHA-256 of the columns, a million rows at a time, so that a mapped store need not fit into memory."""
    found = hashlib.sha256()
    for column in (name for name in COLUMNS if name not in NOT_HASHED):
        array = getattr(store, column)
        found.update(f"{column} {array.dtype.str} {array.shape}".encode())
        for start in range(0, len(array) if array.size else 0, DIGEST_ROWS):
            found.update(np.ascontiguousarray(array[start : start + DIGEST_ROWS]).data)
            store.release_pages()
    return found.hexdigest()
