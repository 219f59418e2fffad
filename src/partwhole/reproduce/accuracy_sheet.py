"""Tables of accuracies as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from partwhole.evaluation.protocols import PROTOCOLS, Choice, choose
from partwhole.reproduce.cells import Record, scores_of
from partwhole.reproduce.sheet import NOTHING, Place, Plan, Sheet, extent, figure, finished, minutes, with_p
from partwhole.reproduce.statistics import Comparison, corrected_paired_test, summarise, trimmed
from partwhole.reproduce.tables import BUDGET, Table


@dataclass(frozen=True)
class Line:
    """All finished runs of one row on one data set."""

    records: list[Record]  # one for each finished run, in order
    choices: dict[str, list[Choice]]  # protocol -> what it chose in each

    def accuracies(self, protocol: str) -> list[float]:
        return [choice.accuracy for choice in self.choices[protocol]]

    def folds(self, protocol: str) -> np.ndarray:
        """[runs, folds]"""
        return np.concatenate([choice.scores for choice in self.choices[protocol]])

    def gain(self) -> Comparison:
        return corrected_paired_test(self.folds("label-free"), self.folds("untrained"))


def lines(plan: Plan, records: Sequence[Record]) -> dict[Place, Line]:
    """What is known of each (data set, row); those without a finished run are left out."""
    known = {}
    for place, found in finished(plan, records).items():
        protocols = plan[place][0].protocols
        chosen = {p: [c for r in found if (c := choose(p, scores_of(r)))] for p in protocols}
        known[place] = Line(found, chosen)
    return known


def accuracy_sheet(table: Table, plan: Plan, records: Sequence[Record]) -> Sheet:
    known = lines(plan, records)
    return _accuracies(table, plan, known) if table.published else _comparison(table, plan, known)


def _accuracies(table: Table, plan: Plan, known: Mapping[Place, Line]) -> Sheet:
    """One line for each data set and method; each protocol has its column."""
    beyond = [p for p in table.protocols if p not in ("untrained", "label-free", "paper")]
    header = ["data set", "method", "untrained", "label-free", "gain (p)", "paper", "paper, trimmed"]
    header += [*beyond, "published", "difference", "runs × epochs", "minutes"]
    rows = []
    everything = [value for of in table.published.values() for pair in of.values() for value in pair]
    digits = 1 if all(round(value, 1) == value for value in everything) else 2  # as printed
    for dataset in table.datasets:
        for row in table.rows:
            published = table.published[row.name][dataset]
            printed = f"{published[0]:.{digits}f} ± {published[1]:.{digits}f}"
            cells, line = plan[dataset, row.name], known.get((dataset, row.name))
            if line is None:
                blank = [NOTHING] * (len(header) - 6)
                rows.append([dataset, row.label, *blank, printed, NOTHING, extent(cells, 0), NOTHING])
                continue
            kept = trimmed(line.accuracies("paper"))
            rows.append(
                [
                    dataset,
                    row.label,
                    *(figure(summarise(line.accuracies(p))) for p in ("untrained", "label-free")),
                    with_p(line.gain()),
                    figure(summarise(line.accuracies("paper"))),
                    figure(kept) if kept else NOTHING,
                    *(figure(summarise(line.accuracies(p))) for p in beyond),
                    printed,
                    f"{kept.mean - published[0]:+.1f}" if kept else NOTHING,
                    extent(cells, len(line.records)),
                    minutes(line.records),
                ]
            )
    notes = [
        "Accuracy in percent: mean ± standard deviation over runs, of the mean over 10 test folds. Run k has "
        "seed k and its own folds; C is chosen inside the training folds.",
        *(f"{name}: {PROTOCOLS[name].about}." for name in table.protocols),
        "gain: label-free minus untrained on the same folds, with the p-value of the paired t-test corrected "
        "for overlapping training sets (Nadeau and Bengio 2003).",
        "paper, trimmed: the best and the worst run dropped, as the paper does; difference: this minus the "
        "published figure.",
        "minutes: training and scoring of all runs, one thread each.",
        "Options are those of the paper, with S = 4 subgraphs, fixed.",
    ]
    if scarce := [name for name in table.datasets if name in BUDGET]:
        notes.append(f"{' and '.join(scarce)}: fewer runs and epochs, meant for two hours of two cores.")
    return Sheet(table.title, header, rows, notes, words=2)


def _comparison(table: Table, plan: Plan, known: Mapping[Place, Line]) -> Sheet:
    """One line for each choice, one column for each data set, all label-free."""
    default = table.rows[0]
    first = ["untrained"]
    for dataset in table.datasets:
        start = known.get((dataset, default.name))
        first.append(figure(summarise(start.accuracies("untrained"))) if start else NOTHING)
    rows = [first]
    for row in table.rows:
        body = []
        for dataset in table.datasets:
            line, start = known.get((dataset, row.name)), known.get((dataset, default.name))
            text = figure(summarise(line.accuracies("label-free"))) if line else NOTHING
            if line and start and row is not default:
                runs = min(len(line.records), len(start.records))
                changed = line.folds("label-free")[:runs], start.folds("label-free")[:runs]
                text += f" ({with_p(corrected_paired_test(*changed))})"
            body.append(text)
        rows.append([row.label, *body])
    extents = {extent(cells, len(known[p].records) if p in known else 0) for p, cells in plan.items()}
    notes = [
        f"Accuracy in percent, label-free ({PROTOCOLS['label-free'].about}): mean ± standard deviation over "
        f"runs; runs × epochs: {', '.join(sorted(extents))}.",
        "In brackets: the difference to the default on the same seeds and folds, with the p-value of the "
        "corrected paired t-test (Nadeau and Bengio 2003).",
    ]
    return Sheet(table.title, ["choice", *table.datasets], rows, notes, words=1)
