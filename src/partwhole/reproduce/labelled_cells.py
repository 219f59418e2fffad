"""What cells of a fit with labels share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from partwhole.config import Options, PredictorConfig
from partwhole.reproduce.cells import Cell, variant_of
from partwhole.reproduce.journal import Record


@dataclass(frozen=True)
class Split:
    """What each graph of a data set is for; rows of the store, in order."""

    labelled: np.ndarray  # learned from with their label
    rest: np.ndarray  # seen without labels
    test: np.ndarray
    held_out: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=int))  # choose the epoch

    @property
    def seen(self) -> np.ndarray:
        """The rows that the fit sees, with or without a label."""
        return np.sort(np.concatenate([self.labelled, self.held_out, self.rest]))


class LabelledCell(Cell):
    """A cell of a fit with labels. Its data set is `SET:VARIANT`; `base` are the options of the table."""

    base: ClassVar[Mapping[str, Any]] = {}

    @property
    def variant(self) -> str:
        """What stands after the colon: a target, a share of the labels or a number of them."""
        return variant_of(self.dataset)

    def settings(self) -> Options:
        """The options of the table, of the row, and of the cell."""
        own = {"epochs": self.epochs, "random_state": self.run}
        return PredictorConfig.from_options({**self.base, **self.options, **own})

    def answered_by(self, record: Record) -> bool:
        """The record is of this very configuration; there are no protocols to serve."""
        return self.is_that_of(record)
