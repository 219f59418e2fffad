"""The scikit-learn face of the method."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from partwhole.config import FitConfig
from partwhole.errors import PartwholeError
from partwhole.lifting.lifter import choose_batches
from partwhole.losses.head_tail import IDEA, PAPER
from partwhole.model import PartWhole
from partwhole.schema import Schema
from partwhole.sources.loading import load_graphs
from partwhole.store import GraphStore
from partwhole.structure.base import structure_kinds, with_structure
from partwhole.training.checkpoint import RunFolder, load_weights
from partwhole.training.feeds import Feed, GraphFeed
from partwhole.training.objectives import HeadTailObjective
from partwhole.training.prefetch import ahead
from partwhole.training.progress import ProgressBar
from partwhole.training.trainer import Trainer, choose_device

EMBED_GRAPHS = 512  # graphs embedded at a time; the more, the more classes they share


class SubgraphInfoMax(TransformerMixin, BaseEstimator, FitConfig):  # type: ignore[misc]
    """Vectors for whole graphs by aggregating learned subgraphs (Wang & Liu).

    `fit` takes graphs and no labels; `transform` gives an array [graphs, hidden]. Graphs may be a
    `GraphStore`, a data set name or path, or a list of PyTorch Geometric `Data`, networkx graphs,
    SMILES strings or RDKit molecules. The parameters are the fields of `FitConfig`.
    """

    method = "subgraph-infomax"  # its name in the registry and in the tables
    about, paper = IDEA, PAPER
    learns_from = "graphs"  # "graphs": without labels; "labels"; "nothing"
    config_class: type[FitConfig] = FitConfig

    def fit(self, graphs: Any, y: Any = None) -> Self:
        """Learn from graphs; `y` is ignored, it is there for scikit-learn."""
        self._start(load_graphs(graphs))
        self._train(self._trainer())
        return self

    def fit_run(
        self,
        graphs: Any,
        out: str | Path,
        *,
        resume: bool = False,
        stop_requested: Callable[[], bool] = lambda: False,
        **labels: Any,
    ) -> Self:
        """`fit`, with configuration, metrics, snapshots and resume state kept in folder `out`.

        `labels` are those of the `fit` of a method that learns from them.
        """
        run, store = RunFolder(out), load_graphs(graphs)
        if run.exists() and not resume:
            raise PartwholeError(f"{run.path} already holds a run; choose to resume or to overwrite it.")
        self._start(store, **labels)
        if run.exists():
            _require_same_run(run.read_config(), self.about_)
        trainer = self._trainer(run=run, stop_requested=stop_requested)
        run.write_config(self.about_)
        self._train(trainer)
        return self

    def transform(self, graphs: Any) -> np.ndarray:
        """h(G), Eq. 6: [graphs, width] float32. A vector depends on its own graph only."""
        return np.concatenate(list(self.transform_batches(graphs)))

    def transform_batches(self, graphs: Any) -> Iterator[np.ndarray]:
        """`transform` in pieces of `EMBED_GRAPHS`, for sets larger than memory."""
        for vectors in self._outputs(self._prepared(graphs), self._encoder().embed):
            yield vectors.cpu().numpy()

    def subgraphs(self, graph: Any) -> np.ndarray:
        """Membership [S, nodes] of one graph: how much of each node each subgraph holds."""
        if not self.learns_subgraphs():
            raise PartwholeError(
                "This model learned no subgraphs; fit with subgraph-infomax, and with a weight above 0 where "
                "there are labels."
            )
        store = self._prepared(graph if isinstance(graph, GraphStore | list) else [graph])
        with torch.inference_mode():
            return self._encoder().subgraphs(store.batch(np.arange(1)).to(self.device_)).cpu().numpy()

    def learns_subgraphs(self) -> bool:
        """Whether the subgraph generator has a part in training."""
        return True

    def save(self, path: str | Path) -> None:
        """Write configuration and weights to a run folder, as `partwhole fit` does."""
        check_is_fitted(self, "model_")
        run = RunFolder(path)
        run.clear()
        run.write_config(self.about_)
        run.write_weights(self._network().state_dict())
        for row in self.history_:
            run.append_metrics(row)

    @classmethod
    def load(cls, path: str | Path, epoch: int | None = None) -> Self:
        """Read a run folder: the final weights, or those kept after `epoch` epochs."""
        run = RunFolder(path)
        content = run.read_config()
        if content.get("method") != cls.method:
            raise PartwholeError(
                f"The run in {run.path} is of the method {content.get('method')!r}, not {cls.method!r}; load "
                "it with that class, or with `partwhole.methods.base.load_run`."
            )
        try:
            config = cls.config_class.from_options(content["options"])
            schema = Schema.from_dict(content["schema"])
        except (KeyError, TypeError) as error:
            raise PartwholeError(f"{run.config_file} lacks {error}; restore it or fit again.") from None
        estimator = cls(**config.options())
        estimator.schema_, estimator.about_ = schema, content
        estimator._build()
        network = estimator._network()
        load_weights(network, run.read_weights(epoch), run.path)
        network.to(estimator.device_).eval()
        estimator.history_ = run.read_metrics()
        return estimator

    # ---------------------------------------------------------------- inside

    def _start(self, store: GraphStore) -> None:
        self.validate()
        self.schema_ = store.schema
        self.store_ = with_structure(store, structure_kinds(store.schema, self.structure))
        self.about_ = self._about(store)
        self._build()
        if len(store) < 2 and self.model_.config.epochs > 0:
            raise PartwholeError(
                "One graph alone cannot be contrasted with others; give at least two graphs."
            )

    def _build(self) -> None:
        """The model with its first weights, which depend on the seed alone."""
        kinds = structure_kinds(self.schema_, self.structure)
        widths = {"node": self.schema_.node_width} if self.schema_.node else {}
        widths |= dict.fromkeys(kinds, 1)
        self.device_ = choose_device(self.device)
        config = self.config_class(**self.options())
        with torch.random.fork_rng():
            torch.manual_seed(self.random_state)
            self.model_ = PartWhole(config, widths, self.schema_.edge_width)

    def _network(self) -> torch.nn.Module:
        """What is trained and kept."""
        return self.model_

    def _encoder(self) -> PartWhole:
        """What gives the vectors."""
        check_is_fitted(self, "model_")
        return self.model_

    def _trainer(self, **given: Any) -> Trainer:
        return Trainer(self.model_, HeadTailObjective(), listener=self._listener(), **given)

    def _feed(self, store: GraphStore) -> Feed:
        return GraphFeed(store, self.model_)

    def _outputs(self, store: GraphStore, function: Callable[[Any], Tensor]) -> Iterator[Tensor]:
        """`function(batch)` for the graphs of a prepared store, `EMBED_GRAPHS` at a time."""
        model = self.model_
        backbone = model.layer_aggregation.backbone
        source = choose_batches(store, backbone, model.readout, self.layers, corrupt=False, lift=self.lift)
        pieces = [np.arange(i, min(i + EMBED_GRAPHS, len(store))) for i in range(0, len(store), EMBED_GRAPHS)]
        for batch in ahead(lambda piece: source.batch(piece).to(self.device_), pieces):
            with torch.inference_mode():
                yield function(batch)
            store.release_pages()

    def _train(self, trainer: Trainer) -> None:
        store = self.__dict__.pop("store_")  # the graphs are not part of the fitted model
        trainer.fit(self._feed(store))
        self.history_ = trainer.history

    def _prepared(self, graphs: Any) -> GraphStore:
        check_is_fitted(self, "model_")
        store = load_graphs(graphs, schema=self.schema_)
        return with_structure(store, structure_kinds(self.schema_, self.structure))

    def _listener(self) -> ProgressBar | None:
        return ProgressBar() if self.verbose else None

    def _about(self, store: GraphStore) -> dict[str, Any]:
        """All that is needed to tell how this model came about."""
        return {
            "version": version("partwhole"),
            "method": self.method,
            "options": {k: list(v) if isinstance(v, tuple) else v for k, v in self.options().items()},
            "data": {"name": store.name, "graphs": len(store), "digest": store.digest()},
            "schema": store.schema.to_dict(),
            "machine": {
                "torch": torch.__version__,
                "threads": torch.get_num_threads(),
                "device": str(choose_device(self.device)),
                "cores": os.cpu_count() or 1,
            },
        }


def _require_same_run(kept: dict[str, Any], wanted: dict[str, Any]) -> None:
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
    for name, value in wanted["options"].items():
        if name not in ("epochs", "device", "verbose") and kept["options"].get(name) != value:
            raise PartwholeError(
                f"The run was started with {name} = {kept['options'].get(name)!r}, not {value!r}; resume it "
                "with the same options, or choose another output folder."
            )
