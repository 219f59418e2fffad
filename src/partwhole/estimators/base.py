"""The face that every method has: scikit-learn's, and run folders."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar, final

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from partwhole.config import Options
from partwhole.errors import PartwholeError
from partwhole.estimators.encoder import Encoder, require_finite
from partwhole.estimators.fits import Fit, FitFolder, Kept, facts_of, never, require_vocabulary, settled
from partwhole.estimators.signature import initializer
from partwhole.graphs.schema import Schema
from partwhole.graphs.store import GraphStore
from partwhole.parallel import ranks
from partwhole.parts.vocabulary import Vocabulary
from partwhole.runs.folder import RunFolder
from partwhole.sources.loading import load_graphs
from partwhole.sources.one_hot import with_kinds

C = TypeVar("C", bound=Options)


class GraphEstimator(TransformerMixin, BaseEstimator, ABC, Generic[C]):  # type: ignore[misc]
    """Base of all methods. Its parameters are the fields of `config_class`.

    A method says how to `learn` an `Encoder` from a fit, and how to `restore` it from what a run folder
    keeps. All else is here.

    Attributes
    ----------
    learned_ : Encoder
        What the fit learned.
    schema_ : Schema
        The attributes of the graphs of the fit; new graphs are read in the same columns.
    history_ : list of dict
        Figures of each epoch, where the method has epochs.
    about_ : dict
        How the model came about: options, data, versions; the `config.toml` of a run.
    vocabulary_ : Vocabulary or None
        Types of parts that mean the same in every graph; None in runs older than it.
    """

    method: ClassVar[str]  # its name in the registry and in the tables
    idea: ClassVar[str]  # one line in `partwhole methods`
    paper: ClassVar[str]
    learns_from: ClassVar[str] = "graphs"  # "graphs": without labels; "labels"; "nothing"
    config_class: ClassVar[type[Options]]
    resumable: ClassVar[bool] = False  # whether a fit keeps what it can go on from
    embeds_new_graphs: ClassVar[bool] = True  # otherwise those of the fit only, as a whole

    learned_: Encoder
    about_: dict[str, Any]
    seed_: int | None  # that the fit drew from `random_state`
    schema_: Schema
    history_: list[dict[str, Any]]
    vocabulary_: Vocabulary | None

    def __init__(self, **options: Any):
        """Take the options of `config_class`, which each class shows in its signature."""

    def __init_subclass__(cls, **given: Any):
        super().__init_subclass__(**given)
        if "config_class" in vars(cls):
            cls.__init__ = initializer(cls.config_class)  # type: ignore[method-assign]

    # ---------------------------------------------------------------- what a method defines

    @abstractmethod
    def learn(self, fit: Fit[C]) -> Encoder:
        """Learn from the graphs of a fit. What can be wrong is told before `fit.begin_run()`, if it is
        called at all: a fit that fails before leaves the run folder as it was."""

    @abstractmethod
    def restore(self, kept: Kept[C]) -> Encoder:
        """The encoder that `learn` gave once, from its tensors."""

    def begin(self, store: GraphStore, config: C) -> Fit[C]:
        """A fit that begins; methods that learn from labels take them here."""
        return Fit(store, config, facts_of(self.method, store, config))

    def write_beside(self, run: RunFolder) -> None:
        """Write what belongs to a run besides its configuration, metrics and tensors: the vocabulary."""
        if self.vocabulary_ is not None:
            self.vocabulary_.write(run)

    # ---------------------------------------------------------------- what everybody uses

    def fit(self, graphs: Any, y: Any = None) -> Self:
        """Learn from graphs.

        Parameters
        ----------
        graphs : GraphStore, str, path, list or DataFrame
            Whatever `load_graphs` reads: a data set name, a path, or a list of PyTorch Geometric `Data`,
            networkx graphs, SMILES strings or RDKit molecules.
        y : ignored
            It is there for scikit-learn.

        Returns
        -------
        self
        """
        return self._carry_out(load_graphs(graphs))

    @final
    def fit_run(
        self,
        graphs: Any,
        out: str | Path,
        *,
        resume: bool = False,
        overwrite: bool = False,
        keep: Iterable[str] = (),
        stop_requested: Callable[[], bool] = never,
        **labels: Any,
    ) -> Self:
        """`fit`, kept in a folder: configuration, metrics, and what was learned.

        Parameters
        ----------
        graphs : GraphStore, str, path, list or DataFrame
            As for `fit`.
        out : path
            The run folder.
        resume : bool
            Go on with the run that is there.
        overwrite : bool
            Remove all files of a run that is there, but for those that `keep` names.
        keep : iterable of str
            Names of files that `overwrite` leaves.
        stop_requested : callable
            Asked after each step; True stops the fit with a state that `resume` goes on from.
        **labels
            `y`, `held_out` and `names`, as the `fit` of a method that learns from labels takes them.

        Returns
        -------
        self
        """
        folder = FitFolder(out, resume=resume, overwrite=overwrite, keep=keep)
        return self._carry_out(load_graphs(graphs), folder, stop_requested, **labels)

    @final
    def transform(self, graphs: Any) -> np.ndarray:
        """Vectors of graphs.

        Parameters
        ----------
        graphs : GraphStore, str, path, list or DataFrame
            As for `fit`; the attributes are those of the fit.

        Returns
        -------
        ndarray of shape (graphs, width), float32
            A vector depends on its own graph only.
        """
        return np.concatenate(list(self.transform_batches(graphs)))

    @final
    def transform_batches(self, graphs: Any) -> Iterator[np.ndarray]:
        """`transform` a few hundred graphs at a time, for sets larger than memory."""
        store, done = self.read(graphs), 0
        for vectors in self.learned_.encode(store):
            require_finite(vectors, store.ids[done:])
            done += len(vectors)
            yield vectors

    @final
    def read(self, graphs: Any) -> GraphStore:
        """New graphs in the columns of the fit."""
        check_is_fitted(self, "about_")
        return load_graphs(graphs, schema=self.schema_)

    @final
    def subgraphs(self, graph: Any) -> np.ndarray:
        """The learned subgraphs of one graph.

        Parameters
        ----------
        graph : GraphStore or any single graph that `load_graphs` reads
            The first one, if it holds several.

        Returns
        -------
        ndarray of shape (num_subgraphs, nodes)
            How much of each node each subgraph holds.
        """
        store = self.read(graph if isinstance(graph, GraphStore | list) else [graph])
        return next(iter(self.learned_.memberships(store[:1])))

    @final
    def all_subgraphs(self, graphs: Any) -> list[np.ndarray]:
        """`subgraphs` of each of many graphs."""
        return list(self.learned_.memberships(self.read(graphs)))

    def part_types(self, graphs: Any) -> list[np.ndarray]:
        """[nodes] of each graph: the types of its nodes in the vocabulary of the fit. Connected nodes of the
        same type are a part; `vocabulary_.parts_of` lists parts."""
        store = self.read(graphs)
        return np.split(require_vocabulary(self.vocabulary_).types_of(store), store.node_ptr[1:-1])

    @final
    def learns_subgraphs(self) -> bool:
        """Whether a subgraph generator had a part in training."""
        check_is_fitted(self, "about_")
        return self.learned_.learns_subgraphs

    @property
    def width(self) -> int:
        """Columns of `transform`."""
        check_is_fitted(self, "about_")
        return self.learned_.width

    @property
    def model_(self) -> nn.Module:
        """The network that gives the vectors, where the method has one."""
        if "learned_" not in vars(self) or self.learned_.model is None:
            raise AttributeError(f"{type(self).__name__} has no network (yet)")
        return self.learned_.model

    @final
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """What the columns of `transform` are called: `subgraphinfomax0`, …, as scikit-learn names them."""
        return np.array([f"{type(self).__name__.lower()}{k}" for k in range(self.width)], dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "about_")

    # ---------------------------------------------------------------- run folders

    @final
    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write configuration and what was learned to a run folder, as `partwhole fit` does.

        Parameters
        ----------
        path : path
            The folder. One that holds a run is refused.
        overwrite : bool
            Remove a run that is there first.
        """
        check_is_fitted(self, "about_")
        run = RunFolder(path)
        if run.exists() and not overwrite:
            raise PartwholeError(
                f"{run.path} already holds a run; replace it with `overwrite=True`, or choose another folder."
            )
        run.clear()
        run.write_config(self.about_)
        run.write_weights(self.learned_.tensors())
        for row in self.history_:
            run.append_metrics(row)
        self.write_beside(run)

    @final
    @classmethod
    def load(cls, path: str | Path, epoch: int | None = None) -> Self:
        """Read a run folder.

        Parameters
        ----------
        path : path
            The folder.
        epoch : int, optional
            What was kept after so many epochs, in place of what was learned in the end.

        Returns
        -------
        A fitted estimator.
        """
        run = RunFolder(path)
        kept = run.read_config(), run.read_weights(epoch), run.path, run.read_metrics()
        return cls.restored(*kept, vocabulary=Vocabulary.read(run))

    @final
    @classmethod
    def restored(
        cls,
        facts: dict[str, Any],
        tensors: dict[str, Tensor],
        path: Path,
        history: Iterable[dict[str, Any]] = (),
        vocabulary: Vocabulary | None = None,
    ) -> Self:
        """A fitted estimator from what a run folder keeps."""
        if facts.get("method") != cls.method:
            raise PartwholeError(
                f"The run in {path} is of the method {facts.get('method')!r}, not {cls.method!r}; load it "
                "with that class, or with `partwhole.load_run`."
            )
        try:
            config = cls.config_class.from_options(cls.config_class.completed(facts["options"]))
            schema = Schema.from_dict(facts["schema"])
        except (KeyError, TypeError) as error:
            raise PartwholeError(
                f"{path} lacks {error} in its configuration; restore it or fit again."
            ) from None
        estimator = cls(**config.options())
        estimator.learned_ = estimator.restore(Kept(config, schema, facts, tensors, path))  # type: ignore[arg-type]
        estimator.about_, estimator.schema_, estimator.history_ = facts, schema, list(history)
        estimator.seed_, estimator.vocabulary_ = getattr(config, "random_state", None), vocabulary
        return estimator

    # ---------------------------------------------------------------- inside

    @final
    def _carry_out(
        self,
        store: GraphStore,
        folder: FitFolder | None = None,
        stop_requested: Callable[[], bool] = never,
        **labels: Any,
    ) -> Self:
        for name in [name for name in vars(self) if name.endswith("_")]:  # what fails is not fitted
            delattr(self, name)
        kept = {} if folder is None else folder.kept.get("options", {})
        config: C = settled(self.config_class, self.get_params(deep=False), kept)  # type: ignore[assignment]
        if ranks.count() > 1 and not self.resumable:  # not trained step by step, so none can be shared
            raise PartwholeError(f"{self.method} learns in one process; leave out --devices.")
        fit = self.begin(with_kinds(store), config, **labels)
        fit = dataclasses.replace(fit, folder=folder, stop_requested=stop_requested)
        if folder is not None:
            folder.require_same_run(fit.facts, self.config_class)
        learned, seed = self.learn(fit), getattr(config, "random_state", None)
        vocabulary = fit.vocabulary(seed or 0)
        run = fit.begin_run()
        self.learned_, self.schema_ = learned, fit.store.schema
        self.history_, self.about_ = fit.history, fit.facts
        self.seed_, self.vocabulary_ = seed, vocabulary
        if run is not None and ranks.is_first():
            run.write_weights(learned.tensors())
            self.write_beside(run)
        return self


AnyEstimator = GraphEstimator[Any]
