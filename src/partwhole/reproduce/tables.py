"""Which cells a table has: rows, data sets, runs, epochs, protocols.

A new row is one more `Row`; a row that stands in two tables is run once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from partwhole.errors import PartwholeError, near_miss
from partwhole.reproduce.cells import Cell, Place, Plan, set_of, variant_of
from partwhole.reproduce.paper import SIX, SUPERVISED, TABLE2, TABLE4, TABLE5, Figures
from partwhole.reproduce.property_cells import EVERY, PropertyCell
from partwhole.reproduce.rows import (
    BASE,
    BASE_NEG,
    BEST,
    BUDGET_OF_PAPER,
    COMPARED,
    LETTER,
    MH,
    OURS_MH,
    OURS_TS,
    RIVALS,
    SCORED,
    STRUCTURE_ONLY,
    TS,
    WL,
    Row,
    recipe_row,
)
from partwhole.reproduce.share_cells import ShareCell
from partwhole.reproduce.target_cells import TargetCell
from partwhole.sources.datasets.catalogue import canonical
from partwhole.sources.datasets.moleculenet import SETS
from partwhole.sources.datasets.qm9_files import TARGETS

EIGHT = (*SIX[:4], "PROTEINS", "NCI1", *SIX[4:])
QM9_EPOCHS = 12  # five of the rows and four of the targets take three and a half hours of one core so
ALL = "all"  # in place of names of rows


@dataclass(frozen=True)
class Table:
    """A table of the paper, or one of ours: which rows and data sets it has, and how often each is run."""

    name: str
    title: str
    rows: tuple[Row, ...]
    datasets: tuple[str, ...]
    protocols: tuple[str, ...]
    published: Figures
    runs: int = 7
    epochs: int = 100
    cell_class: type[Cell] = Cell  # how a cell is measured, unless its row says otherwise
    transposed: bool = False  # one line for each data set, where tables of choices have one for each choice

    @property
    def variants(self) -> tuple[str, ...]:
        """What stands after the colon: `mu` of `QM9:mu`, `1%` of `NCI1:1%`."""
        return tuple(variant_of(name) for name in self.datasets if ":" in name)


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


def _probe(name: str, label: str, vectors: str) -> Row:
    return Row(name, label, {"vectors": vectors}, "linear", epochs=0)


def _of_rdkit(name: str, label: str, model: str = "", view: str = "") -> Row:
    """RDKit's own vectors under a model, or under the best of all; of one of their views, or of both."""
    named = {"models": (model,) if model else (), "views": (view,) if view else ()}
    return Row(name, label, {"vectors": "descriptors"} | named, "auto", epochs=0)


NUMBERS_OF_LABELS = ("30", "100", "300", EVERY)
SMALL_STEPS = {"batch_size": 32, "snapshot_every": 0}
FINE_TUNED = MH | SMALL_STEPS | {"start_from": "molecules-small"}
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
            cell_class=TargetCell,
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
            cell_class=ShareCell,
        ),
        Table(
            "molecules",
            "Properties of molecules from few labels",
            (
                _probe("morgan", "Morgan fingerprints, linear", "morgan"),
                _of_rdkit("counts", "Morgan counts, linear", "linear", "patterns"),
                _of_rdkit("counts-forest", "Morgan counts, forest", "forest", "patterns"),
                _of_rdkit("descriptors-alone", "descriptors, linear", "linear", "descriptors"),
                _of_rdkit("descriptors-forest", "descriptors, forest", "forest", "descriptors"),
                _probe("descriptors", "descriptors and Morgan counts, linear", "descriptors"),
                _of_rdkit("both-forest", "descriptors and Morgan counts, forest", "forest"),
                _of_rdkit("both-auto", "descriptors and Morgan counts, several models together"),
                _probe("untrained", "untrained encoder, linear", "untrained"),
                _probe("pretrained", "encoder molecules-small, linear", "molecules-small"),
                _probe("learned", "what molecules learned, linear", "molecules-learned"),
                _probe("molecules", "vectors of molecules, linear", "molecules"),
                Row(
                    "auto", "the default: vectors of molecules, several models together", {}, "auto", epochs=0
                ),
                Row(
                    "tuned",
                    "encoder molecules, fine-tuned",
                    {"snapshot_every": 0},
                    "fine-tuned",
                    budget=BUDGET_OF_MOLECULES,
                ),
                Row(
                    "fine-tuned",
                    "encoder molecules-small, fine-tuned",
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
            tuple(f"{name}:{labels}" for labels in NUMBERS_OF_LABELS for name in SETS),
            (),
            {},
            runs=5,
            epochs=30,
            cell_class=PropertyCell,
        ),
        Table(
            "recipe",
            "The recipe: vectors that know more than h(G)",
            (
                BEST,
                replace(OURS_TS, label="paper", protocols=COMPARED, budget=BUDGET_OF_PAPER),
                WL,
                STRUCTURE_ONLY,
            ),
            EIGHT,
            COMPARED,
            {},
            runs=5,
            transposed=True,
        ),
        Table(
            "ablation",
            "The recipe with one part left out",
            (
                BEST,
                recipe_row("without-colors", "without colours", SCORED),
                recipe_row("without-structure", "without structure, sizes, walks and depth", SCORED),
                replace(recipe_row("without-network", "without the network", SCORED), epochs=0),
                replace(
                    recipe_row("random-directions", "nothing learned: random network and directions", SCORED),
                    epochs=0,
                ),
            ),
            EIGHT,
            COMPARED,
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
            COMPARED,
            {},
            runs=5,
        ),
    )
}


def table_named(name: str) -> Table:
    """Look a table up; a misspelt name is told with its near miss."""
    if name not in TABLES:
        raise PartwholeError(f"There is no table {name!r}.{near_miss(name, ['table1', *TABLES])}")
    return TABLES[name]


def selected(
    table: Table,
    datasets: Sequence[str] | None,
    rows: Sequence[str] | None,
    targets: Sequence[str] | None = None,
) -> Table:
    """Narrow a table to what the user asked for; `targets` are variants of data sets."""
    for name in targets or []:
        if name not in table.variants:
            hint = near_miss(name, table.variants) if table.variants else " It has none; leave --targets out."
            raise PartwholeError(f"{table.name} has no target {name!r}.{hint}")
    if targets:
        table = replace(table, datasets=tuple(n for n in table.datasets if variant_of(n) in targets))
    known = {row.name: row for row in table.rows}
    if rows in (None, [], [ALL]):
        chosen = [row for row in table.rows if rows == [ALL] or row.usual]
    else:
        for name in rows or []:
            if name not in known:
                raise PartwholeError(f"{table.name} has no method {name!r}.{near_miss(name, known)}")
        beside = [SUPERVISED] if table.variants else []  # what the other rows are compared with
        named = [*rows, *beside]
        chosen = [replace(row, left_out={}) for row in table.rows if row.name in named]
    sets = list(dict.fromkeys(set_of(name) for name in table.datasets))
    for name in datasets or []:
        if canonical(name) not in sets:
            raise PartwholeError(f"{table.name} has no data set {name!r}.{near_miss(name, sets)}")
    wanted = {canonical(name) for name in datasets or sets}
    return replace(
        table,
        rows=tuple(chosen),
        datasets=tuple(name for name in table.datasets if set_of(name) in wanted),
    )


def plan(table: Table, runs: int | None = None, epochs: int | None = None) -> dict[Place, list[Cell]]:
    """List the cells of each (data set, row) that is not left out; `runs` and `epochs` replace what the table
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
            cell_class = row.cell_class or table.cell_class
            cells[dataset, row.name] = [
                cell_class(
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


def in_order(cells: Plan) -> list[Cell]:
    """Put first runs first, so that a table that is not finished shows something everywhere."""
    everything = [cell for group in cells.values() for cell in group]
    return sorted(everything, key=lambda cell: cell.run)
