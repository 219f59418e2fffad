"""Under which circumstances a number came about: source, packages, memory."""

from __future__ import annotations

import contextlib
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("torch", "numpy", "scipy", "scikit-learn", "numba")


def versions() -> dict[str, str]:
    """Give the versions of Python, of this package and of those that numbers depend on."""
    packages = {name: version(name) for name in ("partwhole", *PACKAGES)}
    return {"python": platform.python_version(), **packages}


def source_revision() -> str:
    """Name the commit of the source, with a mark if the package differs from it; else the release."""
    here = Path(__file__).parents[1]

    def git(*arguments: str) -> str:
        asked = ["git", "--no-optional-locks", "-C", str(here), *arguments]  # it only looks
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--", str(here))
        return git("rev-parse", "--short=12", "HEAD") + (" with changes" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return f"release {version('partwhole')}"


def forget_peak() -> None:
    """Let the kernel count the peak anew, so that a cell does not show that of the one before it."""
    with contextlib.suppress(OSError):  # not Linux: the peak is that of the process so far
        Path("/proc/self/clear_refs").write_text("5")


def peak_mib() -> int:
    """Give the most memory that this process has taken so far, in MiB."""
    try:
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) // 1024
    except OSError:
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak // (2**20 if platform.system() == "Darwin" else 2**10)
