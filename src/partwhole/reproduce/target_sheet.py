"""Table 3 as text: the error of the supervised network, and the others over it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from partwhole.reproduce.cells import Place, Plan, variant_of
from partwhole.reproduce.journal import Record
from partwhole.reproduce.paper import SUPERVISED, TABLE3
from partwhole.reproduce.sheet import NOTHING, Sheet, extent, minutes
from partwhole.reproduce.tables import Table
from partwhole.reproduce.target_cells import HELD_OUT, LABELLED, TEST
from partwhole.sources.readers.qm9 import UNITS


def target_sheet(table: Table, plan: Plan, found: Mapping[Place, list[Record]]) -> Sheet:
    """Show one column for each target: ours, and after the stroke the paper's."""
    finished = [dataset for dataset in table.datasets if any((dataset, r.name) in found for r in table.rows)]
    shown = finished or list(table.datasets)
    targets = {dataset: variant_of(dataset) for dataset in shown}
    rows = []
    for row in table.rows:
        body = [_entry(row.name, target, dataset, found) for dataset, target in targets.items()]
        done = min(len(found.get((dataset, row.name), [])) for dataset in shown)
        of_row = [record for dataset in shown for record in found.get((dataset, row.name), [])]
        rows.append([row.label, *body, extent(plan[shown[0], row.name], done), minutes(of_row)])
    header = ["method", *(f"{target} ({UNITS[target]})" for target in targets.values())]
    notes = [
        "ours / paper. First row: mean absolute error on the test molecules. The others: their error over "
        "that of the first row, with the same seeds and molecules; below 1 is better. With several runs, the "
        "mean.",
        f"{LABELLED:,} labelled molecules, {HELD_OUT:,} that choose the epoch, {TEST:,} to test, all others "
        "unlabelled; drawn by the seed, which is the number of the run. Targets are standardised by the "
        "labelled part alone. Energies are in electron volts.",
        "All rows share the network, its first weights and the order of the labelled molecules; they differ "
        "in the loss on unlabelled ones. The paper trains for 500 epochs, and has a supervised row of its "
        "own for the two InfoGraph rows.",
        "minutes: training and test of all cells of the row, one thread each.",
    ]
    if left_out := [variant_of(d) for d in table.datasets if d not in shown]:
        notes.append(f"Not measured yet: {', '.join(left_out)}.")
    return Sheet(table.title, [*header, "runs × epochs", "minutes"], rows, notes, words=1)


def _entry(row: str, target: str, dataset: str, found: Mapping[Place, list[Record]]) -> str:
    published = f"{TABLE3[row][target]:.4f}" if row == SUPERVISED else f"{TABLE3[row][target]:.2f}"
    mine = {r["seed"]: r["error"]["test"] for r in found.get((dataset, row), [])}
    base = {r["seed"]: r["error"]["test"] for r in found.get((dataset, SUPERVISED), [])}
    if row == SUPERVISED:
        return f"{np.mean(list(base.values())):.4f} / {published}" if base else f"{NOTHING} / {published}"
    ratios = [mine[seed] / base[seed] for seed in mine if seed in base]
    return f"{np.mean(ratios):.2f} / {published}" if ratios else f"{NOTHING} / {published}"
