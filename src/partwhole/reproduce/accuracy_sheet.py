"""Tables of accuracies as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from partwhole.evaluation.protocols import PROTOCOLS, Choice, choose
from partwhole.reproduce.cells import Cell, Place, Plan, scores_of
from partwhole.reproduce.fold_cells import FoldCell
from partwhole.reproduce.journal import Record
from partwhole.reproduce.rows import BUDGET, SCORED, Row
from partwhole.reproduce.sheet import NOTHING, Sheet, extent, figure, finished, with_p
from partwhole.reproduce.statistics import Comparison, Summary, corrected_paired_test, summarise, trimmed
from partwhole.reproduce.tables import Table


@dataclass(frozen=True)
class Line:
    """All finished runs of one row on one data set."""

    records: list[Record]  # one for each finished run, in order
    choices: dict[str, list[Choice]]  # protocol -> what it chose in each

    def accuracies(self, protocol: str) -> list[float]:
        """The accuracy of each run, in percent."""
        return [choice.accuracy for choice in self.choices[protocol]]

    def summary(self, protocol: str) -> Summary | None:
        """Mean and standard deviation over runs; None where the row has no such protocol."""
        return summarise(self.accuracies(protocol)) if protocol in self.choices else None

    def trimmed(self, protocol: str) -> Summary | None:
        """The same without the best and the worst run, as in the paper; None for fewer than three runs."""
        return trimmed(self.accuracies(protocol)) if protocol in self.choices else None

    def text(self, protocol: str) -> str:
        """The summary as it stands in the table."""
        known = self.summary(protocol)
        return figure(known) if known else NOTHING

    def seconds(self) -> str:
        """Seconds of training + scoring, each of the run that other work on the machine disturbed least."""
        least = [min(r["seconds"][phase] for r in self.records) for phase in ("training", "scoring")]
        return " + ".join(f"{taken:.0f}" if taken >= 10 else f"{taken:.1f}" for taken in least)

    def folds(self, protocol: str) -> np.ndarray:
        """The accuracies that the protocol chose, [runs, folds]."""
        return np.concatenate([choice.scores for choice in self.choices[protocol]])

    def gain(self) -> Comparison:
        """What training brings: label-free against untrained on the same folds."""
        return corrected_paired_test(self.folds("label-free"), self.folds("untrained"))


def lines(plan: Plan, records: Sequence[Record]) -> dict[Place, Line]:
    """Gather what is known of each (data set, row); those without a finished run are left out."""
    known = {}
    for place, found in finished(plan, records).items():
        protocols = plan[place][0].protocols
        chosen = {p: [c for r in found if (c := choose(p, scores_of(r)))] for p in protocols}
        known[place] = Line(found, chosen)
    return known


def accuracy_sheet(table: Table, plan: Plan, records: Sequence[Record]) -> Sheet:
    """Show accuracies beside published ones or, where none are, rows beside the first of them."""
    known = lines(plan, records)
    return _accuracies(table, plan, known, records) if table.published else _comparison(table, plan, known)


def _accuracies(table: Table, plan: Plan, known: Mapping[Place, Line], records: Sequence[Record]) -> Sheet:
    """One line for each data set and method; each protocol has its column."""
    beyond = [p for p in table.protocols if p not in ("untrained", "label-free", "paper")]
    header = ["data set", "method", "untrained", "label-free", "gain (p)", "paper", "paper, trimmed"]
    header += [*beyond, "published", "difference", "runs × epochs", "seconds a run", "MiB"]
    everything = [value for of in table.published.values() for pair in of.values() for value in pair]
    digits = 1 if all(round(value, 1) == value for value in everything) else 2  # as printed
    rows = []
    for dataset in table.datasets:
        for row in table.rows:
            published = table.published.get(row.name, {}).get(dataset)
            printed = f"{published[0]:.{digits}f} ± {published[1]:.{digits}f}" if published else NOTHING
            cells, line = plan.get((dataset, row.name), []), known.get((dataset, row.name))
            if line is None:
                blank = [NOTHING] * (len(header) - 7)
                size = _why_empty(cells, records)
                rows.append([dataset, row.label, *blank, printed, NOTHING, size, NOTHING, NOTHING])
            else:
                figures = _figures(line, beyond)
                difference = _difference(line, published)
                rows.append([dataset, row.label, *figures, printed, difference, *_effort(line, cells)])
    notes = [*_notes(table, known), *_left_out(table), *_refusals(plan, records)]
    return Sheet(table.title, header, rows, notes, words=2)


def _why_empty(cells: Sequence[Cell], records: Sequence[Record]) -> str:
    """What stands for the runs of a place without figures."""
    if any(_refused(cells, records)):
        return "refused"
    return extent(cells, 0) if cells else "left out"


def _figures(line: Line, beyond: Sequence[str]) -> list[str]:
    """The accuracies of a line, and those of the protocols that are `beyond` the three of every table."""
    best = line.trimmed("paper")
    return [
        line.text("untrained"),
        line.text("label-free"),
        with_p(line.gain()) if "untrained" in line.choices else NOTHING,
        line.text("paper"),
        figure(best) if best else NOTHING,
        *(line.text(protocol) for protocol in beyond),
    ]


def _difference(line: Line, published: tuple[float, float] | None) -> str:
    """Ours minus the published figure, by the protocol that comes closest to the paper's."""
    compared = line.trimmed("paper") or line.summary("paper") or line.summary("label-free")
    return f"{compared.mean - published[0]:+.1f}" if published and compared else NOTHING


def _effort(line: Line, cells: Sequence[Cell]) -> list[str]:
    most = max(record["peak_mib"] for record in line.records)
    return [extent(cells, len(line.records)), line.seconds(), str(most)]


def _notes(table: Table, known: Mapping[Place, Line]) -> list[str]:
    """What the columns are, and how the rows come about."""
    return [
        "Accuracy in percent: mean ± standard deviation over runs, of the mean over 10 test folds. Run k has "
        "seed k and its own folds; C is chosen inside the training folds.",
        *(f"{name}: {PROTOCOLS[name].description}." for name in table.protocols),
        "gain: label-free minus untrained on the same folds, with the p-value of the paired t-test corrected "
        "for overlapping training sets (Nadeau and Bengio 2003).",
        "paper, trimmed: the best and the worst run dropped, as the paper does; difference: this minus the "
        "published figure (the plain mean of fewer than three runs; label-free where there are no epochs).",
        f"seconds a run: training + scoring, {_threads(known)}, the fastest of the runs (other work on the "
        "machine slows some of them); MiB: the most memory that a run took.",
        *_row_notes(table.rows),
        *_time_notes(table, known),
    ]


def _row_notes(rows: Sequence[Row]) -> list[str]:
    notes = []
    if any(row.usual for row in rows):
        notes.append(
            "Options and vectors of OURS are those of the paper (recipe paper), with S = 4 subgraphs, fixed."
        )
    if any(row.protocols == SCORED for row in rows):
        notes.append(
            "Kernels are scored by an SVM on their similarities; where they have several, such as the rounds "
            "of WL, one is chosen with C inside the training folds. They, word vectors and counts have no "
            "epochs."
        )
    if any(row.cell_class is FoldCell for row in rows):
        notes.append(
            "Supervised rows train a network for each fold: label-free is the epoch chosen by a tenth of the "
            "training part, paper the best kept epoch on the test folds, as is usual for these."
        )
    return notes


def _time_notes(table: Table, known: Mapping[Place, Line]) -> list[str]:
    """Which data sets had less time than others, and how much they took."""
    scarce = [name for name in table.datasets if name in BUDGET]
    if not scarce:
        return []
    records = [record for (dataset, _), line in known.items() if dataset in scarce for record in line.records]
    hours = sum(sum(record["seconds"].values()) for record in records) / 3600
    return [
        f"{' and '.join(scarce)}: fewer runs and epochs, for want of time; these lines took "
        f"{hours:.1f} hours of one core."
    ]


def _left_out(table: Table) -> list[str]:
    """Why a row was not begun on a data set; the reason that several rows share, once."""
    named: dict[tuple[str, str], list[str]] = {}
    for dataset in table.datasets:
        for row in table.rows:
            if dataset in row.left_out:
                named.setdefault((dataset, row.left_out[dataset]), []).append(row.label)
    return [f"{dataset}, {'; '.join(labels)}: {why}" for (dataset, why), labels in named.items()]


def _threads(known: Mapping[Place, Line]) -> str:
    """How many threads the runs had, as they recorded it."""
    counts = [record["threads"] for line in known.values() for record in line.records]
    more = sum(count > 1 for count in counts)
    return f"one thread ({max(counts)} in {more} of {len(counts)} runs)" if more else "one thread"


def _refused(cells: Sequence[Cell], records: Sequence[Record]) -> Iterator[tuple[Cell, str]]:
    """Those of the cells that the method would not do, and why."""
    refused = [record for record in records if "refused" in record]
    yield from ((cell, record["refused"]) for cell in cells for record in refused if cell.answered_by(record))


def _refusals(plan: Plan, records: Sequence[Record]) -> list[str]:
    """Why a place has no figure."""
    cells = [cell for of_place in plan.values() for cell in of_place]
    return sorted({f"{cell.dataset}, {cell.row}: {why}" for cell, why in _refused(cells, records)})


def _comparison(table: Table, plan: Plan, known: Mapping[Place, Line]) -> Sheet:
    """Each choice and, before them, the default untrained, on each data set, all label-free."""
    default = table.rows[0]
    trained = "untrained" in (default.protocols or table.protocols)
    compared = [("untrained", default.name, "untrained")] if trained else []
    for row in table.rows:
        compared.append((row.label, row.name, "label-free"))
        if "untrained" in (row.protocols or ()):  # of its own, beside that of the default
            compared.append((f"{row.label}, untrained", row.name, "untrained"))

    def text(dataset: str, row: str, protocol: str) -> str:
        line, start = known.get((dataset, row)), known.get((dataset, default.name))
        if line is None:
            return NOTHING
        shown = figure(summarise(line.accuracies(protocol)))
        if start is None or (row, protocol) == (default.name, "label-free"):
            return shown
        runs = min(len(line.records), len(start.records))
        changed = line.folds(protocol)[:runs], start.folds("label-free")[:runs]
        return f"{shown} ({with_p(corrected_paired_test(*changed))})"

    rows = [[label, *(text(d, row, protocol) for d in table.datasets)] for label, row, protocol in compared]
    header = ["choice", *table.datasets]
    if table.transposed:
        header, *rows = (
            [str(entry) for entry in column] for column in zip(["data set", *table.datasets], *rows)
        )
    extents = {extent(cells, len(known[p].records) if p in known else 0) for p, cells in plan.items()}
    notes = [
        f"Accuracy in percent, label-free ({PROTOCOLS['label-free'].description}): mean ± standard deviation "
        f"over runs; runs × epochs: {', '.join(sorted(extents))}.",
        "In brackets: the difference to the default on the same seeds and folds, with the p-value of the "
        "corrected paired t-test (Nadeau and Bengio 2003).",
    ]
    return Sheet(table.title, header, rows, notes, words=1)
