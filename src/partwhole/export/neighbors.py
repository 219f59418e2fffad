"""The graphs whose vectors lie closest to a vector, by faiss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.files.whole import atomic_file

METRICS = ("cosine", "euclidean")
PROBED = 16  # lists of an index that a search looks into


class Neighbors:
    """Exact search among vectors [n, d]; with an index, a search looks at those lists of it that are closest.

    `cosine` gives similarities, 1 is the same direction; `euclidean` gives distances.
    """

    def __init__(self, vectors: np.ndarray, metric: str = "cosine", index: Path | None = None):
        if metric not in METRICS:
            raise PartwholeError(f"There is no metric {metric!r}; choose one of {', '.join(METRICS)}.")
        self.metric = metric
        self.count, self.width = vectors.shape
        faiss = _faiss()
        if index is not None and index.exists():
            self.searched = _read_index(faiss, index, self.width, self.count)
        else:
            self.searched = self._build(faiss, self._scaled(vectors), index)

    def search(self, vectors: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """[q, k] similarity or distance, and [q, k] the place of each, the closest first."""
        if vectors.shape[1] != self.width:
            raise PartwholeError(
                f"The query has vectors of width {vectors.shape[1]} and the file has {self.width}; embed "
                "both by the same run."
            )
        if k < 1:
            raise PartwholeError("Ask for at least one neighbour.")
        found, places = self.searched.search(self._scaled(vectors), min(k, self.count))
        return (found if self.metric == "cosine" else np.sqrt(np.maximum(found, 0))), places

    def _scaled(self, vectors: np.ndarray) -> np.ndarray:
        x = np.ascontiguousarray(vectors, dtype=np.float32)
        if self.metric == "euclidean":
            return x
        return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-30)

    def _build(self, faiss: Any, vectors: np.ndarray, index: Path | None) -> Any:
        measure = faiss.METRIC_INNER_PRODUCT if self.metric == "cosine" else faiss.METRIC_L2
        if index is None:
            searched = faiss.IndexFlat(self.width, measure)
            searched.add(vectors)
            return searched
        lists = max(1, min(round(4 * np.sqrt(self.count)), self.count // 39))  # faiss wants 39 for each
        searched = faiss.IndexIVFFlat(faiss.IndexFlat(self.width, measure), self.width, lists, measure)
        searched.train(vectors)
        searched.add(vectors)
        searched.nprobe = PROBED
        with atomic_file(index) as temporary:
            faiss.write_index(searched, str(temporary))
        return searched


def _read_index(faiss: Any, path: Path, width: int, count: int) -> Any:
    try:
        searched = faiss.read_index(str(path))
    except RuntimeError:
        raise PartwholeError(f"{path} is not a whole index; remove it to have it built again.") from None
    if (searched.d, searched.ntotal) != (width, count):
        raise PartwholeError(f"{path} is the index of other vectors; remove it to have it built again.")
    return searched


def _faiss() -> Any:
    try:
        import faiss
    except ImportError:
        raise PartwholeError(
            "Searching for neighbours needs faiss; install it with `pip install 'partwhole[neighbors]'`."
        ) from None
    return faiss
