"""The statistics of a row: over runs, trimmed as in the paper, and against the untrained encoder."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student
from scipy.stats import ttest_rel


@dataclass(frozen=True)
class Summary:
    """A figure of a table: what several runs reach."""

    mean: float
    std: float  # of the runs; nan for one run
    runs: int


def summarise(values: list[float]) -> Summary:
    """Take mean and standard deviation over runs."""
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else math.nan
    return Summary(float(np.mean(values)), spread, len(values))


def trimmed(values: list[float]) -> Summary | None:
    """Summarise as the paper does: the best and the worst run are dropped. None for fewer than three runs."""
    return summarise(sorted(values)[1:-1]) if len(values) > 2 else None


@dataclass(frozen=True)
class Comparison:
    """How much better one method is than another, and how sure that is."""

    gain: float  # mean difference, in percentage points
    p: float  # two-sided; nan where all differences are equal


def corrected_paired_test(after: np.ndarray, before: np.ndarray) -> Comparison:
    """Compare two methods by repeated cross-validation on the same folds, [runs, folds] scores each.

    The training sets of the folds overlap, so the differences are not independent and the plain
    t-test finds too much. Nadeau and Bengio (2003) enlarge the variance by test over training size,
    which for k folds is 1 / (k - 1).
    """
    differences = (after - before).ravel()
    number, folds = len(differences), after.shape[1]
    gain, variance = float(differences.mean()), float(differences.var(ddof=1))
    if variance == 0:
        return Comparison(gain, math.nan)
    statistic = gain / math.sqrt((1 / number + 1 / (folds - 1)) * variance)
    return Comparison(gain, float(2 * student.sf(abs(statistic), number - 1)))


def paired_over_runs(mine: list[float], others: list[float]) -> Comparison:
    """Compare two methods by a score for each run; runs draw their own test graphs, the same for both."""
    differences = np.subtract(mine, others)
    p = float(ttest_rel(mine, others).pvalue) if len(set(differences.tolist())) > 1 else math.nan
    return Comparison(float(differences.mean()), p)
