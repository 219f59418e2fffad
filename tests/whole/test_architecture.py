"""The house stays in order: imports point one way, files stay small, nothing unsafe creeps in."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
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
    "parts",
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
    """In the lines of its room; the files of a folder inside a room are named as the folder."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    map_of_rooms = re.search(r"```text\nsrc/partwhole/\n(.*?)```", text, re.DOTALL).group(1)
    lines, room = {}, ""
    for line in map_of_rooms.splitlines():
        named = re.match(r"  (\S+?)(/|\.py)\s", line)
        room = named.group(1) if named else room
        lines[room] = lines.get(room, "") + line
    missing = []
    for file in FILES:
        inner = file.relative_to(PACKAGE).parts
        name = inner[0] if len(inner) == 1 else inner[1]
        whole = name.removesuffix(".py") if len(inner) <= 2 else f"{name}/"
        named_by_room = home(file) in ("methods", "structure", "cli") or name == "__init__.py"
        if not named_by_room and not re.search(rf"(?<!\w){re.escape(whole)}(?!\w)", lines[home(file)]):
            missing.append("/".join(inner))
    assert missing == []
    assert [room for room in lines if not room.startswith("__")] == [r for r in ROOMS if r != "__main__"]


def test_few_modules_stand_at_the_root():
    assert len(list(PACKAGE.glob("*.py"))) <= 8


def test_functions_fit_on_a_screen():
    long = [
        f"{file.name}: {node.name}"
        for file in FILES
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno >= 60
    ]
    assert long == []


def test_inheritance_is_shallow():
    """At most four classes of ours in any method resolution order."""
    deep = {}
    for file in FILES:
        if file.name == "__main__.py":
            continue
        name = ".".join(("partwhole", *file.relative_to(PACKAGE).with_suffix("").parts))
        module = importlib.import_module(name)
        for called, kind in inspect.getmembers(module, inspect.isclass):
            ours = [k.__name__ for k in kind.__mro__ if k.__module__.startswith("partwhole")]
            if len(ours) > 4:
                deep[called] = ours
    assert deep == {}


@pytest.mark.parametrize("name", ["SubgraphInfoMax", "SubgraphInfoMaxRegressor", "SubgraphInfoMaxClassifier"])
def test_docstrings_tell_the_options_as_they_are_declared(name):
    """Names, defaults and texts, in their order."""
    estimator = getattr(importlib.import_module("partwhole"), name)
    text = inspect.getdoc(estimator)
    section = text.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    told = re.findall(r"^(\w+) : .*?, default (.+)\n((?:    .*\n?)+)", section, re.MULTILINE)
    declared = dataclasses.fields(estimator.config_class)
    assert [(n, d) for n, d, _ in told] == [(f.name, repr(f.default)) for f in declared]
    assert [" ".join(t.split()) for _, _, t in told] == [f.metadata["help"] for f in declared]


def test_what_is_exported_says_its_parameters():
    import partwhole

    for name in partwhole.__all__:
        entry = getattr(partwhole, name)
        if callable(entry) and name != "PartwholeError":
            text = inspect.getdoc(entry) or ""
            assert "Parameters\n----------" in text or "Attributes\n----------" in text, name


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
