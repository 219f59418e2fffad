"""Which types of parts go with which class or value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import false_discovery_control, kruskal, spearmanr

from partwhole.errors import PartwholeError


@dataclass(frozen=True)
class GoesWith:
    """How the number of parts of one type in a graph depends on a target."""

    type: int
    effect: float  # classes: eta squared of the ranks, 0 to 1; numbers: Spearman's rho, -1 to 1
    p_value: float  # that it is chance
    corrected: float  # the same, corrected for the number of types (Benjamini-Hochberg)
    means: dict[str, float]  # of each class: parts of this type in a graph


def goes_with(counts: np.ndarray, values: np.ndarray, *, is_number: bool) -> list[GoesWith]:
    """Test each type; the most certain come first.

    Parameters
    ----------
    counts : ndarray [graphs, types]
        Parts of each type in each graph.
    values : ndarray [graphs]
        The target of each graph, without gaps.
    is_number : bool
        Whether the target is a number; else a class.
    """
    classes = [] if is_number else np.unique(values).tolist()
    if (len(np.unique(values)) if is_number else len(classes)) < 2:
        raise PartwholeError("All graphs have the same value of the target; choose one that differs.")
    rows = [_rank(column, values) if is_number else _classes(column, values) for column in counts.T]
    corrected = false_discovery_control([p for _, p in rows])
    told = [
        GoesWith(
            kind,
            effect,
            p,
            float(corrected[kind]),
            {str(c): float(counts[values == c, kind].mean()) for c in classes},
        )
        for kind, (effect, p) in enumerate(rows)
    ]
    return sorted(told, key=lambda row: (row.corrected, row.p_value, -abs(row.effect)))


def _rank(column: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    if len(np.unique(column)) < 2 or len(column) < 3:  # nothing to compare
        return 0.0, 1.0
    found = spearmanr(column, values.astype(float))
    return float(found.statistic), float(found.pvalue)


def _classes(column: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    groups = [column[values == c] for c in np.unique(values)]
    if len(np.unique(column)) < 2:
        return 0.0, 1.0
    found = kruskal(*groups)
    spare = len(column) - len(groups)
    effect = (found.statistic - len(groups) + 1) / spare if spare > 0 else 0.0
    return float(np.clip(effect, 0, 1)), float(found.pvalue)
