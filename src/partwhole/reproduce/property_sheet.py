"""The table of properties of molecules as text."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.stats import rankdata

from partwhole.reproduce.cells import Place, Plan, set_of, variant_of
from partwhole.reproduce.journal import Record
from partwhole.reproduce.property_cells import EVERY
from partwhole.reproduce.sheet import NOTHING, Sheet, extent, figure, minutes, with_p
from partwhole.reproduce.statistics import paired_over_runs, summarise
from partwhole.reproduce.tables import Table
from partwhole.sources.datasets.moleculenet import SETS

RIVAL = "descriptors"  # that the others are compared with: what three lines of RDKit give


def property_sheet(table: Table, plan: Plan, found: Mapping[Place, list[Record]]) -> Sheet:
    """Show one line for each data set, number of labels and method."""
    rows = []
    for dataset in table.datasets:
        unit = SETS[set_of(dataset)].unit
        base = _scores(found.get((dataset, RIVAL), []))
        run = [row for row in table.rows if found.get((dataset, row.name))]
        means = {row.name: _mean(_whole(found.get((dataset, row.name), []), table)) for row in table.rows}
        best = (min if unit else max)((value for value in means.values() if value is not None), default=None)
        for row in run or table.rows:  # a set with nothing at all keeps its lines, to be seen
            records = found.get((dataset, row.name), [])
            mine, digits = _scores(records), 3 if unit else 1
            both = [seed for seed in mine if seed in base and row.name != RIVAL]
            gain = paired_over_runs([mine[s] for s in both], [base[s] for s in both]) if both else None
            shown = figure(summarise(list(mine.values())), digits) if mine else NOTHING
            labels = records[0]["split"]["labelled"] if records else variant_of(dataset)
            rows.append(
                [
                    set_of(dataset),
                    f"RMSE, {unit}" if unit else "ROC AUC, %",
                    f"{EVERY}, {labels}" if variant_of(dataset) == EVERY else str(labels),
                    row.label,
                    f"**{shown}**" if means[row.name] is not None and means[row.name] == best else shown,
                    with_p(gain, digits) if gain else NOTHING,
                    extent(plan[dataset, row.name], len(records)),
                    minutes(records),
                ]
            )
    header = [
        "data set",
        "measure",
        "labels",
        "method",
        "score",
        "against descriptors + counts (p)",
        "runs × epochs",
        "minutes",
    ]
    notes = [
        "On a fifth of the molecules, whose scaffolds are in no training molecule: mean ± standard "
        "deviation over runs; the best of those with all runs is bold. Run k has seed k, which draws the "
        "scaffolds to test and the labels, the same for all methods.",
        "RMSE: root of the mean squared error, the smaller the better. ROC AUC: the mean over targets, "
        "the larger the better. Of few labels some targets have one class only; these are left out, for all "
        "methods alike.",
        "labels: molecules whose properties are learned from, or all of the training part. The fine-tuned "
        "network sees the rest of the training part without labels.",
        "against descriptors + counts: difference to a linear model on descriptors and Morgan counts, with "
        "the p-value of the paired t-test over runs.",
        "Morgan fingerprints: bits of radius 2, 2,048 of them. Morgan counts: logarithms of how often "
        "the same patterns occur.",
        "descriptors and Morgan counts: 214 of RDKit's 217 descriptors, standardised and cut off at six "
        "standard deviations, beside logarithms of counts of the same patterns.",
        "minutes: training and test of all runs, one thread each. A method without a line was not run there.",
    ]
    return Sheet(table.title, header, rows, notes + _told_ranks(table, found), words=4)


def _told_ranks(table: Table, found: Mapping[Place, list[Record]]) -> list[str]:
    """A sentence for each number of labels: the mean rank of each row over the sets where all have all of
    their runs, of the rows that have these on most sets."""
    sentences = []
    for labels in dict.fromkeys(variant_of(dataset) for dataset in table.datasets):
        sets = [dataset for dataset in table.datasets if variant_of(dataset) == labels]
        means = {
            r.label: [_mean(_whole(found.get((d, r.name), []), table)) for d in sets] for r in table.rows
        }
        compared = {name: of for name, of in means.items() if len(of) - of.count(None) > len(sets) / 2}
        shared = [k for k in range(len(sets)) if all(of[k] is not None for of in compared.values())]
        if len(compared) < 2 or not shared:
            continue
        signs = np.array([1 if SETS[set_of(sets[k])].unit else -1 for k in shared])
        ranks = rankdata(signs * np.array([[of[k] for k in shared] for of in compared.values()]), axis=0)
        order = sorted(zip(ranks.mean(axis=1), compared))
        told = "; ".join(f"{name} {rank:.1f}" for rank, name in order)
        names = ", ".join(set_of(sets[k]) for k in shared)
        sentences.append(f"Mean rank with {labels} labels, over {names} (1 is best): {told}.")
    return sentences


def _whole(records: list[Record], table: Table) -> list[Record]:
    """Nothing where runs are missing: means over other runs cannot be compared."""
    return records if len(_scores(records)) >= table.runs else []


def _scores(records: list[Record]) -> dict[int, float]:
    return {record["seed"]: record["score"]["value"] for record in records}


def _mean(records: list[Record]) -> float | None:
    return summarise(list(_scores(records).values())).mean if records else None
