"""Encoders that come with the package: a run folder each, beside this file.

They are used by name wherever a run is asked for; a folder of that name goes first.
"""

from __future__ import annotations

from pathlib import Path

from partwhole.errors import PartwholeError, near_miss

HOME = Path(__file__).parent


def names() -> list[str]:
    """The encoders that come with the package."""
    return sorted(config.parent.name for config in HOME.glob("*/config.toml"))


def pretrained_folder(name: str) -> Path:
    """The run folder of an encoder that comes with the package."""
    if name not in names():
        raise PartwholeError(f"There is no pretrained encoder {name!r}.{near_miss(name, names())}")
    return HOME / name


def run_folder(run: str | Path) -> Path:
    """A folder as it is, or that of the pretrained encoder of this name."""
    path = Path(run)
    return HOME / str(run) if not path.exists() and str(run) in names() else path
