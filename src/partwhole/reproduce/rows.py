"""The rows of tables of accuracies: a method and its options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from partwhole.recipes.weights import PAPER
from partwhole.reproduce.cells import Cell
from partwhole.reproduce.fold_cells import FoldCell


@dataclass(frozen=True)
class Row:
    """A line of a table."""

    name: str  # on the command line and in the results file
    label: str  # in the rendered table
    options: Mapping[str, Any] = field(default_factory=dict)  # where they differ from the method's own
    method: str = "subgraph-infomax"
    cell_class: type[Cell] | None = None  # where the row is measured in another way than the table
    protocols: tuple[str, ...] | None = None  # where not all of the table's can be
    runs: int | None = None
    epochs: int | None = None
    budget: Mapping[str, tuple[int, int]] = field(default_factory=lambda: BUDGET)
    usual: bool = True  # False: shown with `--methods all` or by its name
    left_out: Mapping[str, str] = field(default_factory=dict)  # data set -> why; asked for by name, it is run


# Of the large sets, so that our rows of Tables 2, 4 and 5 take two hours, and the others one: data set ->
# (runs, epochs).
BUDGET: dict[str, tuple[int, int]] = {"REDDIT-BINARY": (3, 20), "REDDIT-MULTI-5K": (2, 10)}
BUDGET_OF_OTHERS = {"REDDIT-BINARY": (1, 20), "REDDIT-MULTI-5K": (1, 10)}

TS, MH = {"generator": "tree-split"}, {"generator": "multi-head"}
LETTER = {"recipe": PAPER}
BASE = {"head_negatives": False, "subgraph_conv": False}
BASE_NEG = {"subgraph_conv": False}
OURS_TS = Row("tree-split", "OURS (TS)", LETTER | TS)
OURS_MH = Row("multi-head", "OURS (MH)", LETTER | MH)


SCORED = ("label-free",)  # no epochs to choose from
COMPARED = ("untrained", "label-free")
TRAINED = ("untrained", "label-free", "paper")
LABELLED = ("label-free", "paper")


# Rows that are not begun on the largest sets; asked for by name, they are run.
NO_TIME = "left out: the methods that have figures took the hour of compute for both REDDIT sets"
BEGUN = f"{NO_TIME}; begun, and stopped when it was used up."
SLOWER = dict.fromkeys(("sub2vec", "graph2vec", "infograph", "graphcl", "graphmae"), f"{NO_TIME}.")
SLOWER |= {"wl": BEGUN, "dgk": BEGUN}
LABELS_LEFT_OUT = {
    "REDDIT-BINARY": f"{NO_TIME}, and ten networks of 20 epochs take 10 (GIN-0) to 25 minutes (GCN) more.",
    "REDDIT-MULTI-5K": f"{NO_TIME}, and ten networks of 10 epochs would take 15 to 40 minutes more.",
}


def _left_out(name: str) -> dict[str, str]:
    return {"REDDIT-MULTI-5K": SLOWER[name]} if name in SLOWER else {}


def _counted(name: str, label: str) -> Row:
    row = Row(name, label, method=name, protocols=SCORED, epochs=0, left_out=_left_out(name))
    return replace(row, budget=BUDGET_OF_OTHERS, usual=False)


def _trained(name: str, label: str, epochs: int = 20) -> Row:
    options = {"snapshot_every": 10}  # what the protocols look at
    row = Row(name, label, options, name, protocols=TRAINED, epochs=epochs, left_out=_left_out(name))
    return replace(row, budget=BUDGET_OF_OTHERS, usual=False)


def _supervised(name: str, label: str) -> Row:
    row = Row(name, f"{label}, supervised", method=name, cell_class=FoldCell, protocols=LABELLED)
    return replace(row, runs=1, epochs=50, budget=BUDGET_OF_OTHERS, usual=False, left_out=LABELS_LEFT_OUT)


RIVALS = (
    _counted("sp", "SP kernel"),
    _counted("gk", "GK kernel"),
    _counted("wl", "WL kernel"),
    _counted("rw", "RW kernel"),
    _counted("dgk", "DGK kernel"),
    _counted("mlg", "MLG kernel"),
    _supervised("graphsage", "GraphSAGE"),
    _supervised("gcn", "GCN"),
    _supervised("gin-0", "GIN-0"),
    _supervised("gin-eps", "GIN-eps"),
    _supervised("gat", "GAT"),
    _counted("node2vec", "Node2Vec"),
    _counted("sub2vec", "Sub2Vec"),
    _counted("graph2vec", "Graph2Vec"),
    _trained("infograph", "InfoGraph"),
    _trained("mvgrl", "MVGRL"),
    _trained("graphcl", "GraphCL"),
    _trained("graphmae", "GraphMAE"),
    _counted("counts", "counts"),
)


BUDGET_OF_RECIPES = {"REDDIT-MULTI-5K": (5, 5)}
BUDGET_OF_PAPER = BUDGET | {"PROTEINS": (5, 20), "NCI1": (5, 20)}


def recipe_row(name: str, label: str, protocols: tuple[str, ...] | None = None) -> Row:
    """Make the row of a recipe, with the epochs and the budget that all recipes share."""
    # As the kept cells were trained, before objective, score and selection were what they are now; a recipe
    # is told apart by what its vector is made from. snapshot_every = 0: the first and the last weights.
    options = {"recipe": name, "snapshot_every": 0, "objective": "bound"}
    options |= {"pair_score": "dot", "selection": "straight-through"}
    return Row(name, label, options, protocols=protocols, epochs=20, budget=BUDGET_OF_RECIPES)


BEST = recipe_row("best", "best")
STRUCTURE_ONLY = replace(recipe_row("structure-only", "structure buckets", SCORED), epochs=0)
WL = replace(next(row for row in RIVALS if row.name == "wl"), left_out={}, budget={}, usual=True)
