"""Writing files so that a reader sees the old content or the new, never a part."""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from partwhole.errors import PartwholeError


def open_unpacked(path: Path) -> IO[bytes]:
    """To read; what ends in .gz is unpacked on the way."""
    return gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb")  # type: ignore[return-value]


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path`; move it there when the block ends well."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            yield temporary
            with temporary.open("rb") as written:
                os.fsync(written.fileno())
            temporary.chmod(0o644)  # safetensors writes files that only their owner can read
            temporary.replace(path)
        except OSError as error:
            raise PartwholeError(
                f"Cannot write {path} ({error.strerror or error}); free some space or choose another place."
            ) from error
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Give a temporary folder beside `path`; move it there when the block ends well."""
    if path.exists() and not (path.is_dir() and (path / "schema.json").exists()):
        raise PartwholeError(f"{path} exists and is not a graph store; choose another folder.")
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    temporary.chmod(0o755)
    try:
        yield temporary
        if path.exists():
            shutil.rmtree(path)
        temporary.replace(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
