"""The table of few labels as text."""

from __future__ import annotations

from collections.abc import Mapping

from partwhole.reproduce.cells import Place, Plan, set_of, variant_of
from partwhole.reproduce.journal import Record
from partwhole.reproduce.paper import SUPERVISED
from partwhole.reproduce.sheet import NOTHING, Sheet, extent, figure, minutes, with_p
from partwhole.reproduce.statistics import paired_over_runs, summarise
from partwhole.reproduce.tables import Table


def share_sheet(table: Table, plan: Plan, found: Mapping[Place, list[Record]]) -> Sheet:
    """Show one line for each share of labels and method."""
    rows = []
    for dataset in table.datasets:
        base = {r["seed"]: r["accuracy"] for r in found.get((dataset, SUPERVISED), [])}
        for row in table.rows:
            records = found.get((dataset, row.name), [])
            mine = {r["seed"]: r["accuracy"] for r in records}
            both = [seed for seed in mine if seed in base and row.name != SUPERVISED]
            pairs = [mine[s] for s in both], [base[s] for s in both]
            rows.append(
                [
                    set_of(dataset),
                    f"{variant_of(dataset)}, {records[0]['split']['labelled']}" if records else NOTHING,
                    row.label,
                    figure(summarise(list(mine.values()))) if mine else NOTHING,
                    with_p(paired_over_runs(*pairs)) if both else NOTHING,
                    extent(plan[dataset, row.name], len(records)),
                    minutes(records),
                ]
            )
    header = ["data set", "labels", "method", "accuracy", "difference (p)", "runs × epochs", "minutes"]
    notes = [
        "Accuracy in percent on a fifth of the graphs, which training never sees: mean ± standard deviation "
        "over runs. Run k has seed k and draws its own labels and test graphs, the same for all methods.",
        "A fifth of the labelled graphs chooses the epoch. An epoch has at least 20 steps.",
        "difference: to the same network with the same labels and no unlabelled graphs, with the p-value of "
        "the paired t-test over runs.",
        "minutes: training and test of all runs, one thread each.",
    ]
    return Sheet(table.title, header, rows, notes, words=3)
