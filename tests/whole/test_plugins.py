"""Parts that users write themselves, in a notebook, a script or a module."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from partwhole import PartwholeError, SubgraphInfoMax
from partwhole.files.toml import read_toml
from partwhole.generators.base import BasicOperator, Generator, select
from partwhole.generators.tree_split import TreeSplit
from partwhole.losses.bounds.jsd import jensen_shannon
from partwhole.nn.backbones.gin import GIN
from partwhole.nn.readout.sum import SumReadout
from partwhole.registry import BACKBONES, BOUNDS, GENERATORS, READOUTS, STRUCTURE

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
    for registry in (GENERATORS, BACKBONES, READOUTS, BOUNDS, STRUCTURE):
        for name, entry in list(registry._entries.items()):
            if not entry.__module__.startswith("partwhole."):
                del registry._entries[name]


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
    assert SubgraphInfoMax(generator=TreeSplit).plain_options()["generator"] == "tree-split"
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


def test_two_plug_ins_in_one_script_and_its_own_processes(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(CUT.format(name="RandomCut") + CUT.format(name="HalfCut") + SCRIPT)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=250)
    assert (done.returncode, done.stdout) == (0, "random-cut half-cut 2\n"), done.stderr
