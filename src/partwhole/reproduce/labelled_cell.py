"""What cells of a fit with labels share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from partwhole.config import PredictorConfig
from partwhole.reproduce.cells import Cell, Record, part_of


class LabelledCell(Cell):
    """Its data set is `STORE:PART`; `base` are the options of the table."""

    base: ClassVar[Mapping[str, Any]] = {}

    @property
    def part(self) -> str:
        return part_of(self.dataset)

    def settings(self) -> PredictorConfig:
        own = {"epochs": self.epochs, "random_state": self.run}
        return PredictorConfig.from_options({**self.base, **self.options, **own})

    def answered_by(self, record: Record) -> bool:
        return self.is_that_of(record)
