"""The graphs whose vectors lie closest to a vector, by faiss."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, Protocol

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.export.vector_files import read_vectors
from partwhole.export.vector_tables import ID
from partwhole.files.whole import atomic_file

METRICS = ("cosine", "euclidean")
PROBED = 16  # lists of an index that a search looks into


class NearestGraphs(NamedTuple):
    """The nearest graphs of each of q queries, the closest first."""

    ids: np.ndarray  # [q, k] as in the file of vectors; of an array, its rows; None where `rows` is -1
    rows: np.ndarray  # [q, k] places among the vectors; -1 where an index found fewer than k
    scores: np.ndarray  # [q, k] cosine: similarities, 1 is the same direction; euclidean: distances


def nearest_graphs(
    vectors: np.ndarray | str | Path,
    queries: np.ndarray | Sequence[int] | None = None,
    k: int = 10,
    *,
    metric: str = "cosine",
    index: str | Path | None = None,
) -> NearestGraphs:
    """Find the graphs whose vectors lie closest to those of other graphs.

    Parameters
    ----------
    vectors : ndarray of shape (n, d), or path
        The vectors to search among: an array, or a file that `partwhole embed` wrote.
    queries : ndarray of shape (q, d), or sequence of q whole numbers, optional
        Vectors made by the same run, or the rows of `vectors` that are asked for. A row is not its own
        neighbour; a vector may find itself. By default every row is asked for.
    k : int, default 10
        How many neighbours of each query; where there are fewer graphs, all of them.
    metric : {"cosine", "euclidean"}, default "cosine"
        Cosine compares directions, and euclidean distances, which large graphs dominate.
    index : path, optional
        File of a faiss index, for millions of vectors: it is made where there is none, and searched
        instead of all vectors, so that a neighbour may be missed. By default the search is exact.

    Returns
    -------
    NearestGraphs
        `ids`, `rows` and `scores` of the neighbours, each of shape (q, k), the closest first.

    Raises
    ------
    PartwholeError
        If faiss is not installed, or the queries are not as wide as the vectors.

    Examples
    --------
    >>> import numpy as np
    >>> from partwhole import nearest_graphs
    >>> vectors = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])
    >>> nearest_graphs(vectors, k=1).rows.tolist()
    [[1], [0], [1]]
    >>> found = nearest_graphs(vectors, np.array([[3.0, 0.0]]), k=2)
    >>> found.rows
    array([[0, 1]])
    >>> found.scores.round(1)
    array([[1. , 0.8]], dtype=float32)
    """
    vectors, ids = _vectors_and_ids(vectors)
    searched = Neighbors(vectors, metric, None if index is None else Path(index))
    asked = np.arange(len(vectors)) if queries is None else np.asarray(queries)
    if asked.ndim == 2:
        scores, rows = searched.search(asked, k)
    else:
        _require_rows(asked, len(vectors))
        scores, rows = searched.search(vectors[asked], k, own=asked)
    names = ids[rows]
    names[rows < 0] = None
    return NearestGraphs(names, rows, scores)


def _vectors_and_ids(vectors: np.ndarray | str | Path) -> tuple[np.ndarray, np.ndarray]:
    """An array has its rows for ids."""
    if isinstance(vectors, str | Path):
        beside, vectors = read_vectors(Path(vectors))
        return vectors, np.array(beside.column(ID).to_pylist(), dtype=object)
    return np.asarray(vectors), np.arange(len(vectors), dtype=object)


def _require_rows(asked: np.ndarray, count: int) -> None:
    if asked.ndim != 1 or asked.dtype.kind not in "iu":
        raise PartwholeError("Queries are vectors [q, d] or whole numbers; put a single one into a list.")
    if len(asked) and not 0 <= asked.min() <= asked.max() < count:
        raise PartwholeError(f"There are {count} vectors; ask for rows from 0 to {count - 1}.")


def _without_own(scores: np.ndarray, rows: np.ndarray, own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Drop each query from its own neighbours [q, k + 1]; where equal vectors hide it, drop the last."""
    others = rows != own[:, None]
    others[others.all(axis=1), -1] = False
    shape = (len(rows), rows.shape[1] - 1)
    return scores[others].reshape(shape), rows[others].reshape(shape)


class FaissIndex(Protocol):
    """What we use of an index of faiss, which has no types of its own."""

    d: int  # width of its vectors
    ntotal: int  # how many there are

    def search(self, x: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Scores [q, k] and places [q, k]."""
        ...


class Neighbors:
    """A search among vectors [n, d], made ready once for many queries.

    It is exact; with an index, a search looks at those lists of it that are closest. `cosine` gives
    similarities, 1 is the same direction; `euclidean` gives distances.
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

    def search(
        self, vectors: np.ndarray, k: int, own: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Give [q, k] similarities or distances, and [q, k] the row of each, the closest first.

        `own` [q] are the rows of the queries themselves, which are left out.
        """
        if vectors.shape[1] != self.width:
            raise PartwholeError(
                f"The query has vectors of width {vectors.shape[1]} and the file has {self.width}; embed "
                "both by the same run."
            )
        if k < 1:
            raise PartwholeError("Ask for at least one neighbour.")
        most = k if own is None else k + 1
        found, rows = self.searched.search(self._scaled(vectors), min(most, self.count))
        scores = found if self.metric == "cosine" else np.sqrt(np.maximum(found, 0))
        return (scores, rows) if own is None else _without_own(scores, rows, own)

    def _scaled(self, vectors: np.ndarray) -> np.ndarray:
        x = np.ascontiguousarray(vectors, dtype=np.float32)
        if self.metric == "euclidean":
            return x
        return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-30)

    def _build(self, faiss: ModuleType, vectors: np.ndarray, index: Path | None) -> FaissIndex:
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


def _read_index(faiss: ModuleType, path: Path, width: int, count: int) -> FaissIndex:
    try:
        searched = faiss.read_index(str(path))
    except RuntimeError:
        raise PartwholeError(f"{path} is not a whole index; remove it to have it built again.") from None
    if (searched.d, searched.ntotal) != (width, count):
        raise PartwholeError(f"{path} is the index of other vectors; remove it to have it built again.")
    return searched


def _faiss() -> ModuleType:
    try:
        import faiss
    except ImportError:
        raise PartwholeError(
            "Searching for neighbours needs faiss; install it with `pip install 'partwhole[neighbors]'`."
        ) from None
    return faiss
