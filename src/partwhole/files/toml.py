"""TOML files, read with a sentence where they are damaged."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from partwhole.errors import PartwholeError


def read_toml(path: Path) -> dict[str, Any]:
    """The whole file as nested dictionaries."""
    try:
        return tomllib.loads(path.read_text())
    except OSError as error:
        raise PartwholeError(f"Cannot read {path} ({error.strerror}); check the path.") from None
    except (ValueError, RecursionError) as error:
        raise PartwholeError(f"{path} is not valid TOML ({error}); correct it there.") from None
