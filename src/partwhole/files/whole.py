"""Writing files so that a reader sees the old content or the new one; reading what may be hostile."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from partwhole.errors import PartwholeError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

UNPACKED = 256 << 20  # bytes that any packed file may unpack to
RATIO = 100  # and times its own size, for larger ones; text has 3 to 20


def open_unpacked(path: Path) -> IO[bytes]:
    """Open a file to read; what ends in .gz is unpacked on the way, within bounds."""
    if not is_packed(path):
        return path.open("rb")
    return io.BufferedReader(_Unpacked(path), 1 << 20)


def is_packed(path: Path) -> bool:
    """Whether the name ends in .gz, in whatever case."""
    return path.name.lower().endswith(".gz")


class _Unpacked(io.RawIOBase):
    """A packed file that ends in an error where it unpacks to more than its bound, as a bomb does."""

    def __init__(self, path: Path):
        self.file = gzip.GzipFile(path)
        self.left = max(UNPACKED, RATIO * path.stat().st_size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        try:
            read: int = self.file.readinto(buffer)
        except (zlib.error, EOFError) as error:
            raise OSError(f"it is damaged: {error}") from None
        self.left -= read
        if self.left < 0:
            raise OSError(
                f"it unpacks to more than {RATIO} times its size; unpack it yourself if that is right"
            )
        return read

    def close(self) -> None:
        self.file.close()
        super().close()


def read_json(content: str | bytes) -> Any:
    """Parse JSON of a file; ValueError where it is none, however deep it is nested."""
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def require_inside(path: Path, folder: Path) -> Path:
    """The path itself; raise where it is a link that leads out of the folder."""
    if not path.resolve().is_relative_to(folder.resolve()):
        raise PartwholeError(f"{path} is a link that leads out of {folder}; copy what it leads to.")
    return path


@contextmanager
def told_when_unwritable(path: Path, kept: str = "") -> Iterator[None]:
    """Tell of a full disk or a folder that may only be read in a sentence; `kept` is said after it."""
    try:
        yield
    except OSError as error:
        raise PartwholeError(
            f"Cannot write {path} ({error.strerror or error}); free some space or choose another place.{kept}"
        ) from error


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path`; move it there when the block ends well."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    with told_when_unwritable(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield temporary
            with temporary.open("rb") as written:
                os.fsync(written.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Give a temporary folder beside `path`; move it there when the block ends well."""
    if path.exists() and not (path.is_dir() and (path / "schema.json").exists()):
        raise PartwholeError(f"{path} exists and is not a graph store; choose another folder.")
    with told_when_unwritable(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        try:
            temporary.chmod(0o755)
            yield temporary
            if path.exists():
                shutil.rmtree(path)
            temporary.replace(path)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
