"""Which cells a table has: rows (a method and its options), data sets, runs, epochs, protocols.

A new row is one more `Row`; a row that stands in two tables is run once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from partwhole.errors import PartwholeError, near_miss
from partwhole.recipes import PAPER
from partwhole.reproduce.cells import Cell, part_of, store_of
from partwhole.reproduce.fold_cells import FoldCell
from partwhole.reproduce.paper import SIX, SUPERVISED, TABLE2, TABLE4, TABLE5, Figures
from partwhole.reproduce.property_cells import EVERY, PropertyCell
from partwhole.reproduce.share_cells import ShareCell
from partwhole.reproduce.target_cells import TargetCell
from partwhole.sources.catalogue import canonical
from partwhole.sources.moleculenet import SETS
from partwhole.sources.qm9_files import TARGETS


@dataclass(frozen=True)
class Row:
    """A line of a table."""

    name: str  # on the command line and in the results file
    label: str  # in the rendered table
    options: Mapping[str, Any] = field(default_factory=dict)  # where they differ from the method's own
    method: str = "subgraph-infomax"
    cell: type[Cell] | None = None  # where the row is measured in another way than the table
    protocols: tuple[str, ...] | None = None  # where not all of the table's can be
    runs: int | None = None
    epochs: int | None = None
    budget: Mapping[str, tuple[int, int]] = field(default_factory=lambda: BUDGET)
    usual: bool = True  # False: shown with `--methods all` or by its name
    left_out: Mapping[str, str] = field(default_factory=dict)  # data set -> why; asked for by name, it is run


@dataclass(frozen=True)
class Table:
    name: str
    title: str
    rows: tuple[Row, ...]
    datasets: tuple[str, ...]
    protocols: tuple[str, ...]
    published: Figures
    runs: int = 7
    epochs: int = 100
    cell: type[Cell] = Cell
    transposed: bool = False  # one line for each data set, where tables of choices have one for each choice

    @property
    def targets(self) -> tuple[str, ...]:
        """What stands after the colon: `mu` of `QM9:mu`, `1%` of `NCI1:1%`."""
        return tuple(part_of(name) for name in self.datasets if ":" in name)


# Of the large sets, so that our rows of Tables 2, 4 and 5 take two hours, and the others one: data set ->
# (runs, epochs).
BUDGET: dict[str, tuple[int, int]] = {"REDDIT-BINARY": (3, 20), "REDDIT-MULTI-5K": (2, 10)}
BUDGET_OF_OTHERS = {"REDDIT-BINARY": (1, 20), "REDDIT-MULTI-5K": (1, 10)}

QM9_EPOCHS = 12  # five of the rows and four of the targets take three and a half hours of one core so

ALL = "all"  # in place of names of rows

TS, MH = {"generator": "tree-split"}, {"generator": "multi-head"}
LETTER = {"recipe": PAPER}
BASE = {"head_negatives": False, "subgraph_conv": False}
BASE_NEG = {"subgraph_conv": False}
OURS_TS = Row("tree-split", "OURS (TS)", LETTER | TS)
OURS_MH = Row("multi-head", "OURS (MH)", LETTER | MH)


SCORED = ("label-free",)  # no epochs to choose from
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
    row = Row(name, f"{label}, supervised", method=name, cell=FoldCell, protocols=LABELLED)
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


def _components(name: str, title: str, generator: dict[str, str], ours: Row, published: Figures) -> Table:
    """BASE, BASE+NEG and OURS with one generator."""
    short = ours.label.removeprefix("OURS ")
    return Table(
        name,
        f"Table {name[-1]}: the components, with {title} subgraphs",
        (
            Row(f"base-{ours.name}", f"BASE {short}", LETTER | generator | BASE),
            Row(f"base-neg-{ours.name}", f"BASE+NEG {short}", LETTER | generator | BASE_NEG),
            ours,
        ),
        SIX[:5],
        ("untrained", "label-free", "paper"),
        published,
    )


EIGHT = (*SIX[:4], "PROTEINS", "NCI1", *SIX[4:])
BUDGET_OF_RECIPES = {"REDDIT-BINARY": (5, 10), "REDDIT-MULTI-5K": (5, 5)}
BUDGET_OF_PAPER = BUDGET | {"PROTEINS": (5, 20), "NCI1": (5, 20)}


def _recipe(name: str, label: str) -> Row:
    options = {"recipe": name, "snapshot_every": 0}  # the first and the last weights
    return Row(name, label, options, epochs=20, budget=BUDGET_OF_RECIPES)


BEST = _recipe("best", "best")
STRUCTURE_ONLY = replace(_recipe("structure-only", "structure buckets"), epochs=0, protocols=SCORED)
WL = replace(next(row for row in RIVALS if row.name == "wl"), left_out={}, budget={})


def _probe(name: str, label: str, vectors: str) -> Row:
    return Row(name, label, {"vectors": vectors}, "linear", epochs=0)


SMALL_STEPS = {"batch_size": 32, "snapshot_every": 0}
FINE_TUNED = MH | SMALL_STEPS | {"start_from": "molecules"}
FROM_LABELS = SMALL_STEPS | {"unsupervised_weight": 0.0}
BUDGET_OF_MOLECULES = {
    f"Lipophilicity:{EVERY}": (5, 20),
    f"Tox21:{EVERY}": (5, 10),
}  # in an hour of two cores


TABLES = {
    table.name: table
    for table in (
        Table(
            "table2",
            "Table 2: unsupervised graph classification",
            (OURS_MH, OURS_TS, *RIVALS),
            SIX,
            ("untrained", "label-free", "paper", "authors"),
            TABLE2,
        ),
        Table(
            "table3",
            "Table 3: semi-supervised regression on QM9",
            (
                Row(SUPERVISED, "supervised, error", {"unsupervised_weight": 0.0}, "regressor"),
                Row(
                    "mean-teacher",
                    "Mean-Teacher",
                    {"unlabelled": "mean-teacher", "unsupervised_weight": 1.0},
                    "regressor",
                ),
                Row("tree-split", "OURS (TS)", TS, "regressor"),
                Row("multi-head", "OURS (MH)", MH, "regressor"),
                Row("infograph", "InfoGraph", {"unlabelled": "infograph"}, "regressor"),
                Row("infograph-star", "InfoGraph*", {"unlabelled": "infograph-star"}, "regressor"),
            ),
            tuple(f"QM9:{target}" for target in TARGETS),
            (),
            {},
            runs=1,
            epochs=QM9_EPOCHS,
            cell=TargetCell,
        ),
        _components("table4", "Multi-head", MH, OURS_MH, TABLE4),
        _components("table5", "Tree-split", TS, OURS_TS, TABLE5),
        Table(
            "few-labels",
            "Few labels: classes from a share of the labels",
            (
                Row(SUPERVISED, "supervised", {"unsupervised_weight": 0.0}, "classifier"),
                Row("tree-split", "OURS (TS)", TS, "classifier"),
            ),
            ("NCI1:1%", "NCI1:10%"),
            (),
            {},
            runs=5,
            epochs=40,
            cell=ShareCell,
        ),
        Table(
            "molecules",
            "Properties of molecules from few labels",
            (
                _probe("morgan", "Morgan fingerprints, linear", "morgan"),
                _probe("untrained", "untrained encoder, linear", "untrained"),
                _probe("pretrained", "pretrained encoder, linear", "molecules"),
                Row(
                    "fine-tuned",
                    "pretrained encoder, fine-tuned",
                    FINE_TUNED,
                    "network",
                    budget=BUDGET_OF_MOLECULES,
                ),
                Row(
                    SUPERVISED,
                    "the network, from labels alone",
                    FROM_LABELS,
                    "network",
                    budget=BUDGET_OF_MOLECULES,
                ),
            ),
            tuple(f"{name}:{labels}" for labels in ("300", EVERY) for name in SETS),
            (),
            {},
            runs=5,
            epochs=30,
            cell=PropertyCell,
        ),
        Table(
            "recipe",
            "The recipe: vectors that know more than h(G)",
            (BEST, replace(OURS_TS, label="paper", budget=BUDGET_OF_PAPER), WL, STRUCTURE_ONLY),
            EIGHT,
            ("untrained", "label-free"),
            {},
            runs=5,
            transposed=True,
        ),
        Table(
            "ablation",
            "The recipe with one part left out",
            (
                BEST,
                _recipe("without-colors", "without colours"),
                _recipe("without-structure", "without structure and sizes"),
                replace(_recipe("without-network", "without the network"), epochs=0, protocols=SCORED),
            ),
            EIGHT,
            ("untrained", "label-free"),
            {},
            runs=5,
        ),
        Table(
            "choices",
            "What the paper leaves open: one choice changed at a time",
            (
                Row("tree-split", "the default: Tree-split, S = 4, straight-through, JSD, dot", LETTER | TS),
                Row("multi-head", "Multi-head", LETTER | MH),
                Row("autoregressive", "autoregressive", LETTER | {"generator": "autoregressive"}),
                Row("soft", "soft selection", LETTER | TS | {"selection": "soft"}),
                Row("hard", "hard selection", LETTER | TS | {"selection": "hard"}),
                Row("cosine", "cosine score", LETTER | TS | {"pair_score": "cosine"}),
                Row("dv", "DV estimator", LETTER | TS | {"estimator": "dv"}),
                Row("two-subgraphs", "S = 2", LETTER | TS | {"num_subgraphs": 2}),
                Row("eight-subgraphs", "S = 8", LETTER | TS | {"num_subgraphs": 8}),
            ),
            SIX[:4],
            ("untrained", "label-free"),
            {},
            runs=5,
        ),
    )
}


def table_named(name: str) -> Table:
    if name not in TABLES:
        raise PartwholeError(f"There is no table {name!r}.{near_miss(name, ['table1', *TABLES])}")
    return TABLES[name]


def selected(
    table: Table,
    datasets: Sequence[str] | None,
    rows: Sequence[str] | None,
    targets: Sequence[str] | None = None,
) -> Table:
    """The part of a table that the user asked for."""
    for name in targets or []:
        if name not in table.targets:
            hint = near_miss(name, table.targets) if table.targets else " It has none; leave --targets out."
            raise PartwholeError(f"{table.name} has no target {name!r}.{hint}")
    if targets:
        table = replace(table, datasets=tuple(n for n in table.datasets if part_of(n) in targets))
    known = {row.name: row for row in table.rows}
    if rows in (None, [], [ALL]):
        chosen = [row for row in table.rows if rows == [ALL] or row.usual]
    else:
        for name in rows or []:
            if name not in known:
                raise PartwholeError(f"{table.name} has no method {name!r}.{near_miss(name, known)}")
        beside = [SUPERVISED] if table.targets else []  # what the other rows are compared with
        named = [*rows, *beside]
        chosen = [replace(row, left_out={}) for row in table.rows if row.name in named]
    stores = list(dict.fromkeys(store_of(name) for name in table.datasets))
    for name in datasets or []:
        if canonical(name) not in stores:
            raise PartwholeError(f"{table.name} has no data set {name!r}.{near_miss(name, stores)}")
    wanted = {canonical(name) for name in datasets or stores}
    return replace(
        table,
        rows=tuple(chosen),
        datasets=tuple(name for name in table.datasets if store_of(name) in wanted),
    )


def plan(
    table: Table, runs: int | None = None, epochs: int | None = None
) -> dict[tuple[str, str], list[Cell]]:
    """The cells of each (data set, row) that is not left out; `runs` and `epochs` replace what the table
    has."""
    if runs is not None and runs < 1:
        raise PartwholeError("A table needs at least 1 run; give --runs 1 or more.")
    if epochs is not None and epochs < 1:
        raise PartwholeError("A table needs at least 1 epoch; give --epochs 1 or more.")
    cells = {}
    for dataset in table.datasets:
        for row in table.rows:
            if dataset in row.left_out:
                continue
            most_runs, most_epochs = row.budget.get(dataset, (table.runs, table.epochs))
            usual_runs = most_runs if row.runs is None else row.runs
            usual_epochs = most_epochs if row.epochs is None else min(row.epochs, most_epochs)
            kind = row.cell or table.cell
            cells[dataset, row.name] = [
                kind(
                    dataset,
                    row.name,
                    row.method,
                    dict(row.options),
                    usual_epochs if epochs is None or usual_epochs == 0 else epochs,
                    run,
                    row.protocols or table.protocols,
                )
                for run in range(runs or usual_runs)
            ]
    return cells


def in_order(cells: Mapping[tuple[str, str], list[Cell]]) -> list[Cell]:
    """First runs first, so that a table that is not finished shows something everywhere."""
    everything = [cell for group in cells.values() for cell in group]
    return sorted(everything, key=lambda cell: cell.run)
