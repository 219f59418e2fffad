"""The house stays in order: imports point one way, files stay small, nothing unsafe creeps in."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "partwhole"
FILES = sorted(PACKAGE.rglob("*.py"))

# Data types -> operators -> model -> training -> methods -> command line. A module may import from
# its own layer and from those before it.
LAYERS = [
    [
        "errors",
        "values",
        "ranks",
        "registry",
        "recipes",
        "config",
        "pretrained",
        "schema",
        "files",
        "packing",
        "hashing",
        "nodes",
        "graph",
        "integrity",
        "captions",
        "store",
        "streaming",
        "segment",
    ],
    [
        "structure",
        "sources",
        "nn",
        "workers",
        "generators",
        "losses",
        "lifting",
        "directions",
        "descriptions",
    ],
    ["model", "summary"],
    ["training"],
    ["semisupervised"],
    [
        "seeds",
        "landmarks",
        "method",
        "encoder",
        "kernels",
        "words",
        "selfsupervised",
        "labelled",
        "labelled_network",
        "linear",
        "supervised",
        "subgraph_method",
        "estimator",
        "predictors",
    ],
    [
        "methods",
        "groups",
        "vectors",
        "vector_files",
        "parts",
        "joining",
        "neighbors",
        "predictions",
        "embedding",
    ],
    ["evaluation"],
    ["views", "reproduce"],
    ["serving"],
    ["cli", "__main__"],
]
LAYER = {name: k for k, names in enumerate(LAYERS) for name in names}


def home(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("partwhole."):
            yield node.module.split(".")[1]


@pytest.mark.parametrize(
    "path", [f for f in FILES if home(f) != "__init__"], ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_imports_point_one_way(path):
    for imported in imports(path):
        assert LAYER[imported] <= LAYER[home(path)], f"{path.name} imports {imported}"


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


def test_help_does_not_wait_for_pytorch():
    code = "import partwhole.cli.main, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_package_alone_imports_nothing_that_takes_long():
    new = "import sys; before = set(sys.modules); import partwhole; new = set(sys.modules) - before"
    code = f"{new}; sys.exit(bool({{'numpy', 'torch', 'sklearn', 'rich', 'importlib.metadata'}} & new))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_public_names_are_there():
    import partwhole

    for name in partwhole.__all__:
        assert getattr(partwhole, name).__name__ == name
    with pytest.raises(AttributeError):
        _ = partwhole.nothing


def test_the_dependencies_have_reasons():
    text = (ROOT / "docs" / "dependencies.md").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    names = {re.split(r"[\[>=]", d)[0] for group in groups for d in group} - {"partwhole"}
    assert {n for n in names if f"`{n}`" not in text} == set()
