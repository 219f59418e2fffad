"""Parts of packages that are installed beside partwhole, found by their entry points."""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import commands
from partwhole.files.toml import read_toml
from partwhole.registry import METHODS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def installed(package: Path, folder: Path) -> Path:
    """Where pip has installed the package; built from a copy, since building leaves files."""
    copy, site = shutil.copytree(package, folder / "copy"), folder / "site"
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, "--target", site, copy], check=True)
    return site


def import_from(folder: Path) -> None:
    """As the variable PYTHONPATH does for a process that has not begun yet."""
    sys.path.insert(0, str(folder))


def printed(script: str, *folders: Path) -> list[str]:
    """The lines that a script prints."""
    done = commands.python(script, *folders)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


# ---------------------------------------------------------------- the example

FIT = """
import sys
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from partwhole import METHODS, SubgraphInfoMax, load_graphs
from partwhole.registry import GENERATORS, SOURCES

print("even-cut" in GENERATORS, "size-only" in METHODS, "adjacency-matrices" in SOURCES)
print("partwhole_example" in sys.modules)
graphs = load_graphs("graphs.npy")
print(graphs.num_nodes[0], *graphs.num_edges[:2])
model = SubgraphInfoMax(generator="even-cut", hidden=8, layers=2, epochs=1)
model.fit_run(graphs, "run")
METHODS.get("size-only")().fit_run(graphs, "sizes")
grid = {"subgraphinfomax__generator": ["even-cut", "tree-split"]}
search = GridSearchCV(make_pipeline(model, SVC()), grid, cv=2, n_jobs=2, error_score="raise")
print(*search.fit(graphs, graphs.num_edges).cv_results_["param_subgraphinfomax__generator"])
"""
LOAD = """
from partwhole import load_run

print(*load_run("run").transform("graphs.npy").shape)
print(*load_run("sizes").transform("graphs.npy")[:2].ravel())
"""


@pytest.fixture(scope="module")
def example(tmp_path_factory) -> Path:
    return installed(ROOT / "examples" / "plugin", tmp_path_factory.mktemp("example"))


@pytest.fixture
def graphs(tmp_path, monkeypatch) -> Path:
    """A file that only the source of the example reads, in the folder that we are in."""
    matrices = np.zeros((30, 5, 5), int)
    matrices[:, [0, 1, 2], [1, 2, 3]] = 1
    matrices[::2, 3, 0] = 1  # a ring, and otherwise a path
    monkeypatch.chdir(tmp_path)
    np.save("graphs.npy", matrices)
    return tmp_path / "graphs.npy"


def test_parts_of_an_installed_package_are_known_by_their_names(example, graphs):
    known, imported, sizes, searched = printed(FIT, example)
    assert known == "True True True"
    assert imported == "False"  # names need no import
    assert sizes == "5 4 3"
    assert searched == "even-cut tree-split"
    assert printed(LOAD, example) == ["30 8", "5.0 4.0 5.0 3.0"]  # a run folder keeps the name
    without = commands.python(LOAD)
    assert without.returncode == 1
    assert "Unknown generator 'even-cut'" in without.stderr


def test_the_command_line_names_and_takes_them(example, graphs):
    def run(*arguments: object) -> str:
        prepare = functools.partial(import_from, example)
        done = commands.partwhole(*arguments, cwd=graphs.parent, prepare=prepare)
        assert done.returncode == 0, done.stderr
        return " ".join(done.stdout.split())

    listed = json.loads(run("methods", "--json"))["methods"]
    assert [m["name"] for m in listed] == sorted([*METHODS.shipped, "size-only"])
    assert "How subgraphs are made. One of: autoregressive, even-cut, multi-head, tree-" in run(
        "fit", "--help"
    )
    small = ["--hidden", 8, "--layers", 2, "--epochs", 1]
    run("fit", "graphs.npy", "--out", "run", "--generator", "even-cut", *small)
    assert read_toml(graphs.with_name("run") / "config.toml")["options"]["generator"] == "even-cut"
    run("embed", "run", "graphs.npy", "--out", "vectors.npy")
    assert np.load("vectors.npy").shape == (30, 8)
    told = run("fit", "graphs.npy", "--out", "sizes", "--method", "size-only")
    assert "Fitted size-only to 30 graphs" in told


def test_the_documentation_shows_the_example_as_it_is():
    text = (ROOT / "docs" / "extending.md").read_text()
    assert (ROOT / "examples" / "plugin" / "pyproject.toml").read_text() in text


# ---------------------------------------------------------------- one part of each kind, and broken ones

MODULE = """
import numpy as np

from partwhole import SubgraphInfoMax
from partwhole.estimators.semi_supervised.unlabelled.infograph import InfoGraph
from partwhole.generators.multi_head import MultiHead
from partwhole.losses.bounds.jsd import jensen_shannon
from partwhole.nn.backbones.gin import GIN
from partwhole.nn.readout.sum import SumReadout
from partwhole.sources.base import Source
from partwhole.sources.readers.networks import NetworkxSource

class OwnCut(MultiHead): ...
class RandomCut(MultiHead): ...
class OwnGIN(GIN): ...
class OwnSum(SumReadout): ...
class OwnTeacher(InfoGraph): ...
class YourNetworks(NetworkxSource):
    reads = "networks, as we like them"
class Silent(Source): ...
class OwnMethod(SubgraphInfoMax):
    method = "own-method"
def own_bound(positive, *negatives):
    return jensen_shannon(positive, *negatives)
def own_degree(store):
    return np.diff(store.edge_ptr)
def own_sizes(store):
    return [store.num_nodes[:, None]]
"""
FAILS = """
from partwhole.registry import SOURCES
from partwhole.sources.base import Source

@SOURCES.register
class Unfinished(Source):
    reads = "what nobody reads"

raise OSError("no licence\\nfound")
"""
PROJECT = """
[build-system]
requires = ["setuptools>=75"]
build-backend = "setuptools.build_meta"
[project]
name = "mixed-parts"
version = "1"
[tool.setuptools]
py-modules = ["mixed_parts", "mixed_fails"]

[project.entry-points."partwhole.generators"]
own-cut = "mixed_parts:OwnCut"
tree-split = "mixed_parts:OwnCut"
cut = "mixed_parts:RandomCut"
gone = "mixed_gone:Cut"
bound = "mixed_parts:own_bound"
[project.entry-points."partwhole.backbones"]
own-gin = "mixed_parts:OwnGIN"
[project.entry-points."partwhole.readouts"]
own-sum = "mixed_parts:OwnSum"
module = "mixed_parts"
[project.entry-points."partwhole.bounds"]
own-bound = "mixed_parts:own_bound"
[project.entry-points."partwhole.structure"]
own-degree = "mixed_parts:own_degree"
[project.entry-points."partwhole.descriptions"]
own-sizes = "mixed_parts:own_sizes"
[project.entry-points."partwhole.sources"]
silent = "mixed_parts:Silent"
unfinished = "mixed_fails:Unfinished"
your-networks = "mixed_parts:YourNetworks"
[project.entry-points."partwhole.methods"]
own-method = "mixed_parts:OwnMethod"
gone-method = "mixed_gone:Method"
[project.entry-points."partwhole.unlabelled"]
own-teacher = "mixed_parts:OwnTeacher"
"""
BROKEN = {  # by group and name, why
    ("generators", "cut"): "it calls itself 'random-cut', and so must its entry point",
    ("generators", "gone"): "ModuleNotFoundError: No module named 'mixed_gone'",
    ("generators", "bound"): "own_bound is no generator; derive it from "
    "`partwhole.generators.base.Generator`",
    ("readouts", "module"): "mixed_parts is no readout; give a class or a function",
    ("sources", "unfinished"): "OSError: no licence found",
    ("sources", "silent"): "The source Silent has no `reads`; set it in the class",
    ("methods", "gone-method"): "ModuleNotFoundError: No module named 'mixed_gone'",
}
USE = """
import json, sys, warnings
import networkx as nx
from partwhole import PartwholeError, SubgraphInfoMax, SubgraphInfoMaxRegressor, load_graphs, registry

kinds = [kind for kind in vars(registry).values() if isinstance(kind, registry.Registry)]
with warnings.catch_warnings(record=True) as listing:
    warnings.simplefilter("always")
    names = {kind.group: kind.names() for kind in kinds}
imported = "mixed_parts" in sys.modules
with warnings.catch_warnings(record=True) as asking:
    warnings.simplefilter("always")
    graphs = load_graphs([nx.path_graph(4), nx.cycle_graph(5), nx.star_graph(3), nx.path_graph(2)])
small = {"hidden": 8, "layers": 2, "epochs": 1, "backbone": "own-gin", "readout": "own-sum"}
small |= {"generator": "own-cut", "estimator": "own-bound", "structure": ["own-degree"]}
model = SubgraphInfoMax(**small).fit(graphs)
SubgraphInfoMaxRegressor(unlabelled="own-teacher", validation=0, **small).fit(graphs, [1.0, 2.0, 3.0, 4.0])
registry.METHODS.get("own-method")(**small).fit_run(graphs, "run")
sizes = registry.DESCRIPTIONS.get("own-sizes")(graphs)[0].ravel().tolist()
broken = []
for kind in kinds:
    for name in names[kind.group]:
        for attempt in range(2):
            try:
                kind.get(name)
            except PartwholeError as error:
                broken.append([kind.group, name, str(error)])
texts = [[str(w.message) for w in told] for told in (listing, asking)]
print(json.dumps([names, imported, *texts, sizes, broken]))
"""


@pytest.fixture(scope="module")
def mixed(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("mixed")
    package = folder / "package"
    package.mkdir()
    files = {"pyproject.toml": PROJECT, "mixed_parts.py": MODULE, "mixed_fails.py": FAILS}
    for name, text in files.items():
        (package / name).write_text(text)
    return installed(package, folder)


def test_every_kind_can_be_installed_and_a_broken_one_breaks_nothing_else(mixed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (line,) = printed(USE, mixed)
    names, imported, listing, asking, sizes, broken = json.loads(line)
    own = ["own-gin", "own-sum", "own-cut", "own-bound", "own-degree", "own-sizes", "your-networks"]
    own += ["own-method", "own-teacher"]
    assert [name for name, of_kind in zip(own, names.values(), strict=True) if name in of_kind] == own
    assert not imported
    assert listing == [
        "The generator 'tree-split' of the installed package mixed-parts is not used: partwhole has one of "
        "that name; rename it there."
    ]
    assert sizes == [4, 5, 4, 2]
    kinds = {"generators": "generator", "readouts": "readout", "sources": "source", "methods": "method"}
    sentences = {
        (group, name): f"The {kinds[group]} {name!r} of the installed package mixed-parts cannot be used "
        f"({cause}); mend or uninstall that package."
        for (group, name), cause in BROKEN.items()
    }
    assert asking == [sentences["sources", "silent"], sentences["sources", "unfinished"]]
    told = [((group, name), sentence) for group, name, sentence in broken]
    assert dict(told) == sentences
    assert len(told) == 2 * len(sentences)  # the same when it is asked for again


def test_the_command_line_tells_of_broken_ones_in_a_sentence_each(mixed):
    prepare = functools.partial(import_from, mixed)
    done = commands.partwhole("methods", "--json", prepare=prepare)
    assert done.returncode == 0
    assert "own-method" in [m["name"] for m in json.loads(done.stdout)["methods"]]
    (line,) = done.stderr.splitlines()
    assert line.startswith(
        "note: The method 'gone-method' of the installed package mixed-parts cannot be used"
    )
    done = commands.partwhole("fit", "--help", prepare=prepare)
    assert done.returncode == 0
    (taken,) = done.stderr.splitlines()
    assert taken.startswith(
        "note: The generator 'tree-split' of the installed package mixed-parts is not used"
    )
    done = commands.partwhole("fit", "MUTAG", "--out", "run", "--generator", "gone", prepare=prepare)
    assert done.returncode == 2
    note, line = done.stderr.splitlines()
    assert note == taken
    assert line.startswith(
        "partwhole: The generator 'gone' of the installed package mixed-parts cannot be used"
    )
