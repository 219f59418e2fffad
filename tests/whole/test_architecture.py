"""The house stays in order: imports point one way, files stay small, nothing unsafe creeps in."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from places import ROOT

PACKAGE = ROOT / "src" / "partwhole"
FILES = sorted(PACKAGE.rglob("*.py"))

# The rooms in the order in which they are built on each other: one may import from itself and from those
# before it.
ROOMS = [
    "errors",
    "registry",
    "files",
    "parallel",
    "numerics",
    "graphs",
    "sources",
    "structure",
    "nn",
    "generators",
    "losses",
    "lifting",
    "recipes",
    "config",
    "model",
    "runs",
    "training",
    "estimators",
    "methods",
    "export",
    "evaluation",
    "views",
    "reproduce",
    "serving",
    "cli",
    "__main__",
]


def home(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "partwhole":
            yield from [node.module.split(".")[1]] if "." in node.module else [a.name for a in node.names]


@pytest.mark.parametrize(
    "path", [f for f in FILES if home(f) != "__init__"], ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_imports_point_one_way(path):
    for imported in imports(path):
        assert ROOMS.index(imported) <= ROOMS.index(home(path)), f"{path.name} imports {imported}"


def test_files_are_small():
    long = {str(f.relative_to(ROOT)): n for f in FILES if (n := len(f.read_text().splitlines())) > 350}
    assert long == {}


def test_nothing_is_ever_unpickled_or_evaluated():
    modules = r"(import|from) (pickle|cloudpickle|dill|marshal|shelve)|read_g?pickle|joblib\.load"
    calls = r"torch\.load\(|\beval\(|\bexec\(|allow_pickle=True|extractall\(|shell=True"
    unsafe = re.compile(f"{modules}|{calls}")
    found = [
        f"{f.name}: {m.group()}"
        for f in FILES
        if (m := unsafe.search(re.sub(r"\.eval\(\)", "", f.read_text())))
    ]
    assert found == []


def test_the_map_names_every_module():
    text = (ROOT / "docs" / "architecture.md").read_text()
    missing = [home(f) for f in FILES if home(f) not in ("__init__", "__main__") and home(f) not in text]
    assert missing == []


def test_help_waits_neither_for_pytorch_nor_for_what_is_installed():
    code = (
        "import partwhole.cli.main, sys; sys.exit(bool({'torch', 'importlib.metadata'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_package_alone_imports_nothing_that_takes_long():
    new = "import sys; before = set(sys.modules); import partwhole; new = set(sys.modules) - before"
    code = f"{new}; sys.exit(bool({{'numpy', 'torch', 'sklearn', 'rich', 'importlib.metadata'}} & new))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_public_names_are_there():
    import partwhole

    for name in set(partwhole.__all__) - {"METHODS"}:
        assert getattr(partwhole, name).__name__ == name
    assert partwhole.METHODS.get("subgraph-infomax") is partwhole.SubgraphInfoMax
    with pytest.raises(AttributeError):
        _ = partwhole.nothing


def test_the_dependencies_have_reasons():
    text = (ROOT / "docs" / "dependencies.md").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    names = {re.split(r"[\[>=]", d)[0] for group in groups for d in group} - {"partwhole"}
    assert {n for n in names if f"`{n}`" not in text} == set()


def test_the_tests_have_the_rooms_of_the_package():
    beside = {"whole", "old_runs"}  # what crosses rooms, and runs that an earlier version wrote
    rooms = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and path.name[0] not in "._"}
    assert rooms - beside <= set(ROOMS)
    assert {path.name for path in (ROOT / "tests").glob("test_*.py")} == set()
