"""Predictions for labelled graphs that a fit held out, as the run folder keeps them; their measures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv
from sklearn.metrics import balanced_accuracy_score, r2_score

from partwhole.errors import PartwholeError

FILE = "held_out.csv"
COLUMNS = ("graph", "id", "target", "known", "predicted")
MOST_CLASSES = 12  # of a table that can be read


@dataclass(frozen=True)
class HeldOut:
    """One target of the graphs that were held out."""

    target: str
    ids: np.ndarray  # [graphs]
    known: np.ndarray  # [graphs] numbers, or classes as text
    predicted: np.ndarray  # [graphs]

    @property
    def is_number(self) -> bool:
        return self.known.dtype.kind == "f"

    def measures(self) -> dict[str, float | None]:
        """None where there are too few graphs for one."""
        if self.is_number:
            error = self.predicted - self.known
            varied = len(np.unique(self.known)) > 1
            return {
                "RMSE": float(np.sqrt(np.mean(error**2))),
                "MAE": float(np.mean(np.abs(error))),
                "R²": float(r2_score(self.known, self.predicted)) if varied else None,
            }
        counts = np.unique(self.known, return_counts=True)[1]
        return {
            "accuracy": float(np.mean(self.known == self.predicted)),
            "balanced accuracy": float(balanced_accuracy_score(self.known, self.predicted)),
            "majority share": float(counts.max() / counts.sum()),
        }

    def confusion(self) -> dict[str, Any] | None:
        """Graphs by their known (rows) and predicted class (columns); None for numbers, or too many."""
        classes = sorted({*self.known.tolist(), *self.predicted.tolist()})
        if self.is_number or len(classes) > MOST_CLASSES:
            return None
        pairs = list(zip(self.known.tolist(), self.predicted.tolist()))
        return {"classes": classes, "rows": [[pairs.count((k, p)) for p in classes] for k in classes]}


def read_held_out(folder: Path, numbers: bool) -> list[HeldOut]:
    """Target by target; none where the run was made before such a file was kept."""
    path = folder / FILE
    if not path.exists():
        return []
    texts = csv.ConvertOptions(column_types=dict.fromkeys(COLUMNS, pa.string()), strings_can_be_null=False)
    try:
        table = csv.read_csv(path, convert_options=texts).select(COLUMNS).to_pydict()
        rows = {name: np.array(cells, dtype=object) for name, cells in table.items()}
        found = []
        for target in dict.fromkeys(table["target"]):
            own = rows["target"] == target
            kind = float if numbers else str
            known, predicted = rows["known"][own].astype(kind), rows["predicted"][own].astype(kind)
            found.append(HeldOut(target, rows["id"][own], known, predicted))
    except (pa.ArrowException, KeyError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise PartwholeError(f"{path} is damaged ({reason}); restore it, or fit again.") from None
    return found
