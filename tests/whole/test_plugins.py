"""Parts that users write themselves, in a notebook, a script or a module."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import commands
from partwhole import Graph, GraphStore, PartwholeError, SubgraphInfoMax, load_graphs, registry
from partwhole.config import RecipeConfig
from partwhole.files.toml import read_toml
from partwhole.generators.base import BasicOperator, Generator, select
from partwhole.generators.tree_split import TreeSplit
from partwhole.losses.bounds.jsd import jensen_shannon
from partwhole.nn.backbones.gin import GIN
from partwhole.nn.readout.sum import SumReadout
from partwhole.registry import GENERATORS, SOURCES, Registry
from partwhole.sources.base import Source, is_file_of

ROOT = Path(__file__).parents[2]
REGISTRIES = [entry for entry in vars(registry).values() if isinstance(entry, Registry)]
SMALL = {"hidden": 8, "layers": 2, "epochs": 1, "batch_size": 64}
CUT = """
from partwhole.generators.base import BasicOperator, Generator, select
from partwhole.registry import GENERATORS


@GENERATORS.register
class {name}(Generator):
    def __init__(self, hidden: int, num_subgraphs: int, selection: str):
        super().__init__(num_subgraphs, selection)
        self.operator = BasicOperator(hidden, num_subgraphs)

    def forward(self, nodes):
        return select(self.operator(nodes), self.selection)
"""


class PlainCut(Generator):
    """As a user writes it, without a decorator."""

    def __init__(self, hidden: int, num_subgraphs: int, selection: str):
        super().__init__(num_subgraphs, selection)
        self.operator = BasicOperator(hidden, num_subgraphs)

    def forward(self, nodes):
        return select(self.operator(nodes), self.selection)


class OwnGIN(GIN):
    pass


class OwnSum(SumReadout):
    pass


def own_bound(positive, *negatives):
    return jensen_shannon(positive, *negatives)


def own_degree(store):
    return np.diff(store.edge_ptr)


@pytest.fixture(autouse=True)
def _forget():
    """What a test registers is gone after it."""
    yield
    for kind in REGISTRIES:
        for name, entry in list(kind._entries.items()):
            if not entry.__module__.startswith("partwhole."):
                del kind._entries[name]


def cell(name: str, module: str = "__main__") -> type:
    """Run a cell of a notebook that defines a plug-in."""
    names = {"__name__": module}
    exec(CUT.format(name=name), names)
    return names[name]


def test_plug_ins_of_a_notebook_are_named_after_their_class_and_may_be_run_again(mutag):
    first, second = cell("RandomCut"), cell("HTTPCut2Way")
    assert GENERATORS.name_of(first) == "random-cut"
    assert GENERATORS.name_of(second) == "http-cut2-way"
    again = cell("RandomCut")
    assert GENERATORS.get("random-cut") is again
    model = SubgraphInfoMax(generator="random-cut", **SMALL).fit(mutag[:9])
    assert type(model.model_.subgraph_aggregation.generator) is again


def test_a_name_can_be_given_and_is_not_taken_from_others():
    GENERATORS.register(name="mine")(PlainCut)
    assert GENERATORS.name_of(PlainCut) == "mine"
    with pytest.raises(PartwholeError, match=r"'tree-split' comes with partwhole; .* `register\(name="):
        cell("TreeSplit")
    assert GENERATORS.get("tree-split") is TreeSplit
    cell("RandomCut", "one_module")
    with pytest.raises(
        PartwholeError, match=r"one_module.RandomCut is the generator 'random-cut' already; give"
    ):
        cell("RandomCut", "another_module")
    assert GENERATORS.get("random-cut") is not cell("RandomCut")  # a notebook may take it


def test_classes_and_functions_are_taken_as_options_and_kept_by_name(mutag, tmp_path):
    given = {
        "generator": PlainCut,
        "backbone": OwnGIN,
        "readout": OwnSum,
        "estimator": own_bound,
        "structure": ["triangles", own_degree],
    }
    model = clone(SubgraphInfoMax(**given, **SMALL))
    assert {name: model.get_params()[name] for name in given} == given
    model.fit(mutag)
    assert model.generator is PlainCut
    model.save(tmp_path / "run")
    kept = read_toml(tmp_path / "run" / "config.toml")["options"]
    names = ["plain-cut", "own-gin", "own-sum", "own-bound", ["triangles", "own-degree"]]
    assert [kept[name] for name in given] == names
    loaded = SubgraphInfoMax.load(tmp_path / "run")
    np.testing.assert_array_equal(loaded.transform(mutag), model.transform(mutag))
    assert RecipeConfig(generator=TreeSplit).plain_options()["generator"] == "tree-split"
    more = SubgraphInfoMax(start_from=str(tmp_path / "run"), **given, **SMALL).fit(mutag)
    assert more.about_["options"]["generator"] == "plain-cut"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"generator": PlainCut(4, 2, "soft")}, "generator must be a name or a class, not PlainCut"),
        (
            {"generator": OwnSum},
            "OwnSum is no generator; derive it from `partwhole.generators.base.Generator`",
        ),
        ({"structure": [lambda store: own_degree(store)]}, "is kept by its name, and this function has none"),
        ({"recipe": OwnSum}, "recipe must be of type str"),
    ],
)
def test_what_is_no_plug_in_is_told(mutag, given, message):
    with pytest.raises(PartwholeError, match=message):
        SubgraphInfoMax(**given, **SMALL).fit(mutag)


def test_a_run_whose_plug_in_is_not_imported_says_so_and_imports_nothing(mutag, tmp_path, monkeypatch):
    own_module(tmp_path, monkeypatch, "module_of_a_run")
    from module_of_a_run import RandomCut

    SubgraphInfoMax(generator=RandomCut, **SMALL).fit(mutag).save(tmp_path / "run")
    monkeypatch.delitem(sys.modules, "module_of_a_run")
    del GENERATORS._entries["random-cut"]
    expected = (
        "Unknown generator 'random-cut'.* One of your own has to be imported first, .* or given as the class"
    )
    with pytest.raises(PartwholeError, match=expected):
        SubgraphInfoMax.load(tmp_path / "run")
    assert "module_of_a_run" not in sys.modules
    import module_of_a_run  # noqa: F401

    assert SubgraphInfoMax.load(tmp_path / "run").generator == "random-cut"


def own_module(folder: Path, monkeypatch, name: str) -> None:
    (folder / f"{name}.py").write_text(CUT.format(name="RandomCut"))
    monkeypatch.syspath_prepend(folder)


@pytest.mark.slow
def test_grid_search_in_processes_takes_a_class_and_explains_why_not_its_name(mutag, tmp_path, monkeypatch):
    own_module(tmp_path, monkeypatch, "module_of_a_search")
    from module_of_a_search import RandomCut

    graphs = mutag[:40]
    pipeline = make_pipeline(SubgraphInfoMax(**SMALL), SVC())

    def search(generators: list) -> GridSearchCV:
        grid = {"subgraphinfomax__generator": generators}
        found = GridSearchCV(pipeline, grid, cv=2, n_jobs=2, error_score="raise")
        return found.fit(graphs, graphs.labels)

    best = search([RandomCut]).best_estimator_[0]
    assert type(best.model_.subgraph_aggregation.generator) is RandomCut
    with pytest.raises(PartwholeError, match=r"Unknown generator 'never-imported'"):
        search(["never-imported"])
    cell("NotebookCut", "a_notebook")  # known here, and nowhere else
    with pytest.raises(
        PartwholeError, match=r"'notebook-cut'.* imported first, in every process, or given as"
    ):
        search(["notebook-cut"])


SCRIPT = """
import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from partwhole import SubgraphInfoMax, make_motif_graphs

if __name__ == "__main__":
    graphs = make_motif_graphs(20)
    pipeline = make_pipeline(SubgraphInfoMax(hidden=8, layers=2, epochs=1), SVC())
    grid = {"subgraphinfomax__generator": [RandomCut, HalfCut]}
    search = GridSearchCV(pipeline, grid, cv=2, n_jobs=2, error_score="raise").fit(graphs, graphs.labels)
    print(GENERATORS.name_of(RandomCut), GENERATORS.name_of(HalfCut), len(search.cv_results_["params"]))
"""


@pytest.mark.slow
def test_two_plug_ins_in_one_script_and_its_own_processes(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(CUT.format(name="RandomCut") + CUT.format(name="HalfCut") + SCRIPT)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=250)
    assert (done.returncode, done.stdout) == (0, "random-cut half-cut 2\n"), done.stderr


# ---------------------------------------------------------------- files of the package

EVERYTHING = """
import json
import networkx as nx
from partwhole import SubgraphInfoMax, load_graphs, registry

graphs = load_graphs([nx.path_graph(4), nx.cycle_graph(5), nx.star_graph(3)])
vectors = SubgraphInfoMax(hidden=8, layers=2, epochs=1).fit(graphs).transform(graphs)
kinds = [kind for kind in vars(registry).values() if isinstance(kind, registry.Registry)]
names = {kind.group: [name for name, _ in kind.entries()] for kind in kinds}
print(json.dumps([registry.__file__, vectors.shape, names]))
"""


def test_a_file_that_registers_nothing_is_no_entry_and_breaks_nothing(tmp_path):
    (source,) = find_spec("partwhole").submodule_search_locations
    shutil.copytree(source, tmp_path / "partwhole")
    for kind in REGISTRIES:
        folder = tmp_path.joinpath(*kind.package.split("."))
        (folder / "bond_orders.py").touch()
        (folder / "halves.py").write_text(f"HALF = 0.5  # for what `@{kind.group.upper()}.register` marks\n")
    done = commands.python(EVERYTHING, tmp_path)
    assert done.returncode == 0, done.stderr
    file, shape, names = json.loads(done.stdout)
    assert Path(file) == tmp_path / "partwhole" / "registry.py"
    assert shape == [3, 8]
    assert names == {kind.group: sorted(kind.shipped) for kind in REGISTRIES}
    assert {"tree-split", "multi-head"} <= set(names["generators"])


@pytest.mark.parametrize("kind", REGISTRIES, ids=lambda kind: kind.group)
def test_a_folder_and_its_registry_know_each_other(kind):
    """The group is the name of the registry, and a file registers an entry of its own name."""
    assert getattr(registry, kind.group.upper()) is kind
    assert kind.shipped
    for name in kind.shipped:
        assert kind.name_of(kind.get(name)) == name


# ---------------------------------------------------------------- which reader is asked


def test_no_file_of_the_examples_is_for_two_readers():
    for path in (ROOT / "examples").rglob("*"):
        readers = [name for name in SOURCES.shipped if SOURCES.get(name).accepts(path)]
        assert len(readers) <= 1, (path, readers)


def test_readers_of_users_are_asked_first_and_one_that_fails_is_passed_over():
    molecules = ROOT / "examples" / "molecules.csv"
    ours = load_graphs(molecules)

    @SOURCES.register
    class ZealousTable(Source):
        reads = "any table"

        @staticmethod
        def accepts(data):
            return is_file_of(data, (".csv",))

        @staticmethod
        def read(data, reading):
            return GraphStore.from_graphs([Graph(1, np.zeros((0, 2), int))], name="one node")

    assert load_graphs(molecules).name == "one node"

    @SOURCES.register
    class AngryTable(Source):
        reads = "no table"

        @staticmethod
        def accepts(data):
            return data.suffix == ".angry"

    assert load_graphs(molecules).name == "one node"
    with pytest.warns(UserWarning, match="The source 'angry-table' cannot tell .* 'list' .* 'suffix'"):
        assert len(load_graphs(["CCO"])) == 1
    del SOURCES._entries["zealous-table"], SOURCES._entries["angry-table"]
    assert load_graphs(molecules).digest() == ours.digest()
