"""What most commands import on their way, for the server that they are forked from. Nothing here may start
threads, as the network of the package does when it is imported."""

from __future__ import annotations

import contextlib
import importlib

import numba

OTHERS = (
    "torch",
    "sklearn.svm",
    "pyarrow.parquet",
    "networkx",
    "rdkit.Chem",
    "safetensors.torch",
    "pydantic",
)

for name in (*OTHERS, "partwhole.cli.main", "partwhole.sources.loading"):
    with contextlib.suppress(ImportError):  # some come with some kinds of installation only
        importlib.import_module(name)

numba.njit(lambda number: number + 1)(1)  # what numba needs for all functions it gets ready for the first
