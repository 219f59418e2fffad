"""Where things are, for tests of any folder."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parent
ROOT = TESTS.parent
EXAMPLES = ROOT / "examples"
LIQUIDS = EXAMPLES / "molecules.csv"
