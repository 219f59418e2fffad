"""What every row of the results tables can do: learn from graphs, give vectors, be kept in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from partwhole.config import Options
from partwhole.errors import PartwholeError
from partwhole.estimators.seeds import drawn_seed, is_seed
from partwhole.graphs.schema import Schema
from partwhole.graphs.store import GraphStore
from partwhole.parallel import ranks
from partwhole.registry import METHODS
from partwhole.runs.folder import RunFolder
from partwhole.runs.pretrained import pretrained_folder, run_folder
from partwhole.sources.loading import load_graphs
from partwhole.sources.one_hot import with_kinds

EMBED_GRAPHS = 512  # graphs embedded at a time; the more, the more classes they share


class GraphMethod(TransformerMixin, BaseEstimator, Options):  # type: ignore[misc]
    """Base of all methods, with the face of scikit-learn; the parameters are the fields of its options.

    A method defines `_learn`, `_embed`, `width`, and what it keeps in a run folder: `_tensors` and
    `_restore`. Graphs may be a `GraphStore`, a data set name or path, or a list of PyTorch Geometric
    `Data`, networkx graphs, SMILES strings or RDKit molecules.
    """

    method: str  # its name in the registry and in the tables
    about: str  # one line in `partwhole methods`
    paper: str
    learns_from = "graphs"  # "graphs": without labels; "labels"; "nothing"
    config_class: type[Options]
    keeps_state = False  # whether a fit keeps what it can go on from
    embeds_new_graphs = True  # otherwise those of the fit only, as a whole

    def fit(self, graphs: Any, y: Any = None) -> Self:
        """Learn from graphs; `y` is ignored, it is there for scikit-learn."""
        self._begin_fit(load_graphs(graphs))
        self._fit_started()
        return self

    def fit_run(
        self,
        graphs: Any,
        out: str | Path,
        *,
        resume: bool = False,
        overwrite: bool = False,
        keep: Iterable[str] = (),
        stop_requested: Callable[[], bool] = lambda: False,
        **labels: Any,
    ) -> Self:
        """`fit`, kept in folder `out`: configuration, metrics, and what was learned.

        `overwrite` removes all files of a run that is there, but for those that `keep` names. `labels` are
        those of the `fit` of a method that learns from them.
        """
        run, store = RunFolder(out), load_graphs(graphs)
        if run.exists() and not (resume or overwrite):
            raise PartwholeError(f"{run.path} already holds a run; choose to resume or to overwrite it.")
        kept = run.read_config() if run.exists() and resume else {}
        self._begin_fit(store, kept.get("options", {}), **labels)
        if kept:
            _require_same_run(kept, self.about_, self.config_class)
        if not self.keeps_state:  # a fit that fails leaves the folder as it was
            self._fit_started()
        ranks.wait_for_all()  # all have looked at the folder before one writes
        if ranks.is_first():
            if overwrite:
                run.clear(keep)
            run.write_config(self.about_)
        ranks.wait_for_all()
        if self.keeps_state:
            self._fit_started(run, stop_requested)
        if ranks.is_first():
            run.write_weights(self._tensors())
        return self

    def transform(self, graphs: Any) -> np.ndarray:
        """[graphs, width] float32: one vector a graph. It depends on its own graph only."""
        return np.concatenate(list(self.transform_batches(graphs)))

    def transform_batches(self, graphs: Any) -> Iterator[np.ndarray]:
        """`transform` in pieces of `EMBED_GRAPHS`, for sets larger than memory."""
        store, done = self._prepared(graphs), 0
        for vectors in self._in_pieces(store):
            _require_finite(vectors, store.ids[done:])
            done += len(vectors)
            yield vectors

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "about_")

    @property
    def width(self) -> int:
        """Of the vectors."""
        raise TypeError("a method defines its width")

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """What the columns of `transform` are called: `subgraphinfomax0`, …, as scikit-learn names them."""
        check_is_fitted(self, "about_")
        return np.array([f"{type(self).__name__.lower()}{k}" for k in range(self.width)], dtype=object)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write configuration and what was learned to a run folder, as `partwhole fit` does.

        A folder that holds a run is refused; `overwrite` removes that run first.
        """
        check_is_fitted(self, "about_")
        run = RunFolder(path)
        if run.exists() and not overwrite:
            raise PartwholeError(
                f"{run.path} already holds a run; replace it with `overwrite=True`, or choose another folder."
            )
        run.clear()
        run.write_config(self.about_)
        run.write_weights(self._tensors())
        for row in self.history_:
            run.append_metrics(row)

    @classmethod
    def load(cls, path: str | Path, epoch: int | None = None) -> Self:
        """Read a run folder: what was learned in the end, or what was kept after `epoch` epochs."""
        run = RunFolder(path)
        estimator = cls._of(run.read_config(), run.read_weights(epoch), run.path)
        estimator.history_ = run.read_metrics()
        return estimator

    @classmethod
    def _of(cls, content: dict[str, Any], tensors: dict[str, Tensor], path: Path) -> Self:
        """A fitted estimator from what a run folder keeps: `about_` and `_tensors`."""
        if content.get("method") != cls.method:
            raise PartwholeError(
                f"The run in {path} is of the method {content.get('method')!r}, not {cls.method!r}; load it "
                "with that class, or with `partwhole.estimators.base.load_run`."
            )
        try:
            config = cls.config_class.from_options(cls.config_class.completed(content["options"]))
            schema = Schema.from_dict(content["schema"])
        except (KeyError, TypeError) as error:
            raise PartwholeError(
                f"{path} lacks {error} in its configuration; restore it or fit again."
            ) from None
        estimator = cls(**config.options())
        estimator._settle()
        estimator.schema_, estimator.about_, estimator.history_ = schema, content, []
        estimator._restore(tensors, path)
        return estimator

    # ---------------------------------------------------------------- what a method defines

    def _learn(self, store: GraphStore) -> None:
        raise TypeError("a method defines _learn")

    def _embed(self, store: GraphStore) -> np.ndarray:
        """A vector for each graph of a store with the schema of the fit."""
        raise TypeError("a method defines _embed")

    def _tensors(self) -> dict[str, Tensor]:
        raise TypeError("a method defines _tensors")

    def _restore(self, tensors: dict[str, Tensor], path: Path) -> None:
        """Take back what `_tensors` gave."""
        raise TypeError("a method defines _restore")

    # ---------------------------------------------------------------- inside

    def _in_pieces(self, store: GraphStore) -> Iterator[np.ndarray]:
        """The vectors of a prepared store."""
        for start in range(0, len(store), EMBED_GRAPHS):
            yield self._embed(store[start : start + EMBED_GRAPHS])
            store.release_pages()

    def _begin_fit(self, store: GraphStore, kept: Mapping[str, Any] = {}, **labels: Any) -> None:
        self._settle(kept)
        try:
            self._start(store, **labels)
        except BaseException:
            self.__dict__.pop("about_", None)  # what failed is not fitted
            raise

    def _settle(self, kept: Mapping[str, Any] = {}) -> None:
        """Check the options and draw the seed; a fit that goes on keeps its own where none is given."""
        self.validate()
        given = self.options()
        if "random_state" in given:
            drawn = is_seed(given["random_state"]) or "random_state" not in kept
            self.seed_ = drawn_seed(given["random_state"] if drawn else kept["random_state"])

    def _settings(self) -> Any:
        """The options of this fit as plain values, with its seed."""
        seed = {"random_state": self.seed_} if hasattr(self, "seed_") else {}
        return self.config_class.from_options({**self.plain_options(), **seed})

    def _start(self, store: GraphStore) -> None:
        if ranks.count() > 1 and not self.keeps_state:  # not trained step by step, so none can be shared
            raise PartwholeError(f"{self.method} learns in one process; leave out --devices.")
        self.store_ = with_kinds(store)
        self.schema_ = self.store_.schema
        self.history_: list[dict[str, Any]] = []
        self.about_ = self._about(self.store_)

    def _fit_started(
        self, run: RunFolder | None = None, stop_requested: Callable[[], bool] = lambda: False
    ) -> None:
        """Learn from the graphs of `_start`, which are not part of what was learned."""
        try:
            self._learn_in(run, stop_requested, self.__dict__.pop("store_"))
        except BaseException:
            del self.about_  # what failed is not fitted
            raise

    def _learn_in(self, run: RunFolder | None, stop_requested: Callable[[], bool], store: GraphStore) -> None:
        """A method with `keeps_state` keeps its state in the run folder and stops when asked to."""
        self._learn(store)

    def _prepared(self, graphs: Any) -> GraphStore:
        check_is_fitted(self, "about_")
        return load_graphs(graphs, schema=self.schema_)

    def _about(self, store: GraphStore) -> dict[str, Any]:
        """All that is needed to tell how this model came about."""
        return {
            "version": version("partwhole"),
            "method": self.method,
            "options": self._settings().plain_options(),
            "data": {
                "name": store.name,
                "path": store.origin,
                "graphs": len(store),
                "digest": store.digest(),
            },
            "schema": store.schema.to_dict(),
            "machine": {
                "torch": torch.__version__,
                "threads": torch.get_num_threads(),
                "cores": os.cpu_count() or 1,
            },
        }


def load_run(path: str | Path, epoch: int | None = None) -> GraphMethod:
    """The fitted estimator of a run folder, or of a pretrained encoder, by whichever method it was made."""
    run = RunFolder(run_folder(path))
    content = run.read_config()
    method: type[GraphMethod] = METHODS.get(content.get("method", ""))
    estimator = method._of(content, run.read_weights(epoch), run.path)
    estimator.history_ = run.read_metrics()
    return estimator


def load_pretrained(name: str = "molecules") -> GraphMethod:
    """An encoder that comes with the package, ready for `transform`."""
    return load_run(pretrained_folder(name))


def _require_finite(vectors: np.ndarray, ids: np.ndarray) -> None:
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise PartwholeError(
            f"The vector of graph {ids[bad[0]]} is not finite: its attributes are too large; scale them "
            "down, or leave the graph out."
        )


def _require_same_run(kept: dict[str, Any], wanted: dict[str, Any], config: type[Options]) -> None:
    """A run may be resumed with more epochs, and with nothing else changed."""
    if kept.get("method") != wanted["method"]:
        raise PartwholeError(
            f"The run was started with the method {kept.get('method')!r}; resume it with that, or choose "
            "another output folder."
        )
    if kept.get("task", {}).get("digest") != wanted.get("task", {}).get("digest"):
        raise PartwholeError(
            "The run was started with other targets, or with other graphs held out; resume it with those, or "
            "choose another output folder."
        )
    if kept["data"]["digest"] != wanted["data"]["digest"]:
        raise PartwholeError(
            f"The run was started on other graphs ({kept['data']['name']}, {kept['data']['graphs']} graphs); "
            "resume it with those, or choose another output folder."
        )
    options = config.completed(kept["options"])
    for name, value in wanted["options"].items():
        before = options[name]
        if name not in ("epochs", "device", "threads", "verbose") and before != value:
            raise PartwholeError(
                f"The run was started with {name} = {before!r}, not {value!r}; resume it with the same "
                "options, or choose another output folder."
            )
