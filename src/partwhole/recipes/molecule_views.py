"""What can be said of a molecule exactly, in the columns of its vector: RDKit's descriptors, and patterns.

descriptors   standardised by what is usual and cut off far from it
patterns      logarithms of the counts of those Morgan patterns that vary most
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from partwhole.graphs.store import GraphStore
from partwhole.numerics.hashing import signs
from partwhole.sources.descriptors import descriptor_names, pair_counts, pattern_counts

USUAL = 0.005, 0.995  # quantiles between which a descriptor is usual
FAREST = 6.0  # standard deviations; some descriptors grow exponentially with the molecule

# Slow to compute: these eight take as long as all others together, and tell little beside them.
SLOW = (
    "qed",
    "BertzCT",
    "Ipc",
    "AvgIpc",
    "BalabanJ",
    "FpDensityMorgan1",
    "FpDensityMorgan2",
    "FpDensityMorgan3",
)
NOISE = 1e-4  # share of the largest variance; a direction of less is taken to have so much
WEIGHTS = {"learned": 0.5, "descriptors": 2.0, "patterns": 0.5}  # shares of the variance of a vector
RADIUS = 2  # bonds around an atom that a pattern reaches
PLACES = 4096  # that patterns are told apart by


@dataclass(frozen=True)
class Ranges:
    """What descriptors usually are: standardised by that, and cut off far from it."""

    mean: np.ndarray  # [descriptors] float64
    scale: np.ndarray  # [descriptors] one over the standard deviation; 0 where all molecules agree

    @classmethod
    def of(cls, x: np.ndarray) -> Ranges:
        """From descriptors [molecules, descriptors]; NaN where there are none."""
        some = np.where(np.isnan(x).all(axis=0), 0.0, x)  # a column of nothing but gaps agrees
        usual = np.clip(some, *np.nanquantile(some, USUAL, axis=0))
        deviation = np.nanstd(usual, axis=0)
        # What fewer molecules have than a quantile holds is rare, not absent.
        deviation = np.where(deviation > 0, deviation, np.nanstd(some, axis=0))
        varies = deviation > 1e-12 * np.nanmax(np.abs(usual), axis=0)  # less is rounding
        return cls(np.nanmean(usual, axis=0), np.where(varies, 1 / np.where(varies, deviation, 1), 0.0))

    def standardised(self, x: np.ndarray) -> np.ndarray:
        """[n, descriptors]; where there is no number, the mean."""
        return np.nan_to_num(np.clip((x - self.mean) * self.scale, -FAREST, FAREST), nan=0.0)


@dataclass(frozen=True)
class Turned:
    """Learned vectors in their main directions, cut off beyond `FAREST` deviations.

    Directions keep their own variance: made equal, or half way there, they predicted worse from few labels.
    """

    mean: np.ndarray  # [d] float64
    map: np.ndarray  # [d, d] to directions of variance 1
    spread: np.ndarray  # [d] their own deviations, up to a factor; their variances add up to 1

    @classmethod
    def of(cls, z: np.ndarray) -> Turned:
        """From vectors [n, d]."""
        values, directions = np.linalg.eigh(np.cov(z.T.astype(np.float64)))
        deviation = np.sqrt(np.maximum(values[::-1], NOISE * max(values.max(), 1e-30)))
        map_ = directions[:, ::-1] / deviation
        return cls(z.mean(axis=0, dtype=np.float64), map_, deviation / np.linalg.norm(deviation))

    def __call__(self, z: np.ndarray) -> np.ndarray:
        """[n, d]"""
        turned = (z.astype(np.float64) - self.mean) @ self.map
        return np.asarray(np.clip(turned, -FAREST, FAREST) * self.spread)


def quick_descriptors() -> tuple[str, ...]:
    """The descriptors that a vector has: those that take little time."""
    return tuple(name for name in descriptor_names() if name not in SLOW)


def patterns(store: GraphStore, places: np.ndarray | None = None) -> np.ndarray:
    """[graphs, patterns] float32 of all places, or of these."""
    return pattern_counts(store, RADIUS, PLACES, places)


def varied(counted: np.ndarray, number: int) -> np.ndarray:
    """[number] the columns of the highest variance, in their order."""
    return np.sort(np.argsort(-counted.var(axis=0), kind="stable")[:number])


def hashed_patterns(store: GraphStore, columns: int) -> np.ndarray:
    """[graphs, 2 columns] float32: Morgan patterns, and pairs of atoms, in few columns for a network to tell.

    A pattern has a sign of its own in each column, so that products of rows are those of the logarithms of
    the counts, up to chance (Johnson and Lindenstrauss).
    """
    counted = pattern_counts(store, RADIUS, PLACES), pair_counts(store, PLACES)
    return np.hstack([counts @ _signs(columns) for counts in counted])


@functools.cache
def _signs(columns: int) -> np.ndarray:
    """[PLACES, columns] +-1 / sqrt(columns)"""
    return signs(PLACES, columns) / np.float32(columns**0.5)
