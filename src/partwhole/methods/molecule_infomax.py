"""Vectors of molecules: what a network learned of parts and whole, and what can be said exactly."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.progress import track
from torch import Tensor, nn

from partwhole.config import BALANCED, FitConfig, TrainConfig, option, same
from partwhole.errors import PartwholeError
from partwhole.estimators.base import GraphEstimator
from partwhole.estimators.encoder import Encoder, pieces
from partwhole.estimators.fits import Fit, Kept
from partwhole.estimators.molecule_network import MoleculeNetwork, ToldObjective
from partwhole.estimators.networks import NetworkEncoder, NetworkInputs, carry_out, with_first_weights
from partwhole.files.whole import atomic_file
from partwhole.graphs.schema import Schema
from partwhole.graphs.store import GraphStore
from partwhole.losses.head_tail import PAPER
from partwhole.recipes.graph_vectors import Said, spread
from partwhole.recipes.molecule_views import (
    WEIGHTS,
    Ranges,
    Turned,
    hashed_patterns,
    patterns,
    quick_descriptors,
    varied,
)
from partwhole.registry import GENERATORS, METHODS, Plugin
from partwhole.sources.descriptors import descriptor_names, descriptors
from partwhole.sources.rebuilt import require_molecules
from partwhole.training.feeds import DescribedFeed, GraphFeed
from partwhole.training.plan import TrainingPlan
from partwhole.training.threads import using_threads

SAMPLE = 16_384  # molecules that directions are learned from, spread evenly over all
AT_A_TIME = 4096  # molecules whose descriptors are computed before they are kept
TOLD_PATTERNS = 256  # columns of patterns that the network learns to tell, and as many of pairs of atoms

# What counts in the loss, all descriptors together 1.
WEIGHT_OF_PATTERNS, WEIGHT_OF_TARGETS = 0.3, 0.2


@dataclass(eq=False)
class MoleculeConfig(TrainConfig):
    """Options of `molecule-infomax`."""

    hidden: int = option(192, "Width of every layer of the graph network.", least=1)
    epochs: int = option(20, "Passes over the molecules.", least=0)
    lr: float = option(2e-3, "Learning rate of Adam at its highest.", above=0)
    generator: Plugin = option("multi-head", "How subgraphs are made.", choices=GENERATORS)
    num_subgraphs: int = same(FitConfig, "num_subgraphs")
    estimator: Plugin = same(FitConfig, "estimator")
    head_negatives: bool = option(False, "Contrast with the permuted molecule, too, in twice the time.")
    bound_weight: float = option(0.1, "Weight of the bound on mutual information.", least=0)
    targets: tuple[str, ...] = option((), "Numbers of the data set that the network learns to tell, too.")
    learned_columns: int = option(256, "Columns that are learned.", least=1)
    learned: bool = option(True, "What the network learned, in a vector.")
    descriptors: bool = option(True, "RDKit's descriptors, in a vector.")
    patterns: bool = option(True, "How often Morgan patterns occur, in a vector.")
    pattern_columns: int = option(512, "Columns of patterns.", least=1)

    def validate(self) -> None:
        """Something must be left to make a vector of."""
        super().validate()
        if not (self.learned or self.descriptors or self.patterns):
            raise PartwholeError("All views are switched off; leave learned, descriptors or patterns on.")

    def model(self) -> FitConfig:
        """The options of the paper's model and of its bound."""
        return FitConfig(
            hidden=self.hidden,
            layers=self.layers,
            backbone="gine",
            generator=self.generator,
            num_subgraphs=self.num_subgraphs,
            selection=BALANCED,
            estimator=self.estimator,
            pair_score="scaled",
        )


@dataclass(frozen=True)
class ExactViews:
    """Descriptors and patterns as they stand in a vector."""

    config: MoleculeConfig
    ranges: Ranges
    places: np.ndarray  # [patterns] int64
    scale: np.ndarray  # [2] of descriptors, of patterns: makes their variances add up to 1

    @classmethod
    def of(cls, sample: GraphStore, config: MoleculeConfig) -> ExactViews:
        """By what is usual in a sample."""
        ranges, counted = Ranges.of(descriptors(sample, quick_descriptors())), patterns(sample)
        places = varied(counted, config.pattern_columns)
        variances = (ranges.scale > 0).sum(), counted[:, places].var(axis=0).sum()
        return cls(config, ranges, places, np.array([max(float(v), 1e-12) ** -0.5 for v in variances]))

    def __call__(self, store: GraphStore) -> list[np.ndarray]:
        """[n, columns] of each view that is on, with its weight."""
        views = []
        if self.config.descriptors:
            described = self.ranges.standardised(descriptors(store, quick_descriptors()))
            views.append(described * self.scale[0] * WEIGHTS["descriptors"] ** 0.5)
        if self.config.patterns:
            views.append(patterns(store, self.places) * self.scale[1] * WEIGHTS["patterns"] ** 0.5)
        return views


class MoleculeEncoder(Encoder):
    """The views of a molecule side by side."""

    def __init__(self, network: MoleculeNetwork, inputs: NetworkInputs, config: MoleculeConfig):
        self.network, self.config = network, config
        self.learned = NetworkEncoder(network, network, inputs, config, lift=False)
        self.parts = NetworkEncoder(network, network.model, inputs, config, lift=False, subgraphs=True)
        self.turned: Turned | None = None  # of what was learned
        self.exact: ExactViews | None = None

    @property
    def views(self) -> dict[str, slice]:
        """Which columns of a vector say what."""
        described, counted = len(quick_descriptors()), self.config.pattern_columns
        widths = {"learned": self.config.learned_columns, "descriptors": described, "patterns": counted}
        found, end = {}, 0
        for view, width in widths.items():
            if getattr(self.config, view):
                found[view] = slice(end, end := end + width)
        return found

    @property
    def width(self) -> int:
        """Columns of all views."""
        return max((columns.stop for columns in self.views.values()), default=0)

    @property
    def model(self) -> nn.Module:
        """The network."""
        return self.network

    @property
    def learns_subgraphs(self) -> bool:
        """A generator has a part in training."""
        return True

    def memberships(self, store: GraphStore) -> Iterator[np.ndarray]:
        """[S, atoms] of each molecule."""
        return self.parts.memberships(store)

    def encode(self, store: GraphStore) -> Iterator[np.ndarray]:
        """[n, width] float32: learned, descriptors, patterns."""
        assert self.turned is not None
        assert self.exact is not None
        prepared = self.learned.inputs.prepared(store)
        outputs = (
            self.learned.outputs_in_pieces(prepared, self.network.embed) if self.config.learned else None
        )
        for piece in pieces(store):
            views = []
            if outputs is not None:
                z = next(outputs).cpu().numpy()
                views.append(self.turned(z) * WEIGHTS["learned"] ** 0.5)
            yield np.hstack([*views, *self.exact(piece)]).astype(np.float32)

    def settle(self, store: GraphStore) -> Mapping[str, Tensor]:
        """Learn directions and ranges with the weights of the moment, from a sample of a prepared store."""
        self.parts.divide_parts(store)
        sample = store.take(spread(store, SAMPLE))
        z = torch.cat(list(self.learned.outputs_in_pieces(sample, self.network.embed)))
        self.turned = Turned.of(z.cpu().numpy())
        if self.exact is None:  # the same for all weights
            self.exact = ExactViews.of(sample, self.config)
        return self.beside()

    def beside(self) -> dict[str, Tensor]:
        """What is kept besides the weights."""
        assert self.turned is not None
        assert self.exact is not None
        kept = {"vector.mean": self.turned.mean, "vector.map": self.turned.map}
        kept |= {"vector.spread": self.turned.spread, "exact.scale": self.exact.scale}
        kept |= {"exact.mean": self.exact.ranges.mean, "exact.range": self.exact.ranges.scale}
        kept |= {"exact.places": self.exact.places}
        return {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in kept.items()}

    def tensors(self) -> dict[str, Tensor]:
        """Weights, directions and ranges."""
        return {**self.network.state_dict(), **self.beside()}

    def restore(self, tensors: Mapping[str, Tensor], path: Path) -> None:
        """Take back what `tensors` gave."""
        known = {name: tensors[name].numpy() for name in BESIDE if name in tensors}
        if len(known) < len(BESIDE) or len(known["exact.mean"]) != len(quick_descriptors()):
            raise PartwholeError(
                f"{path} was fitted with other descriptors than those of this RDKit; fit again, or install "
                "the version of RDKit that it was fitted with."
            )
        self.learned.restore({n: t for n, t in tensors.items() if n not in BESIDE}, path)
        self.turned = Turned(known["vector.mean"], known["vector.map"], known["vector.spread"])
        ranges = Ranges(known["exact.mean"], known["exact.range"])
        self.exact = ExactViews(self.config, ranges, known["exact.places"], known["exact.scale"])


BESIDE = (
    *("vector.mean", "vector.map", "vector.spread"),
    *("exact.scale", "exact.mean", "exact.range", "exact.places"),
)


@METHODS.register
class MoleculeInfoMax(GraphEstimator[MoleculeConfig]):
    """Vectors of molecules.

    A graph network learns by the paper's bound, and by telling what RDKit computes of a molecule: descriptors
    and Morgan patterns. No measured label is needed. The vector has what was learned, and beside it the quick
    ones of the descriptors and the patterns themselves.
    """

    method = "molecule-infomax"
    idea = "molecules: parts and whole, and what RDKit computes, learned; descriptors and patterns beside it"
    paper = PAPER
    config_class = MoleculeConfig
    resumable = True

    def learn(self, fit: Fit[MoleculeConfig]) -> Encoder:
        """Train the network, then learn the directions of its vectors."""
        require_molecules(fit.store, "these vectors")
        numbers = numbers_of(fit.store, fit.config.targets)
        encoder = self._first(fit.config, fit.store.schema)
        store = encoder.learned.inputs.prepared(fit.store)
        run = fit.begin_run()
        cache = None if run is None else run.path / "computed"
        with using_threads(encoder.learned.threads(store, fit.config.batch_size)):
            known, weight = what_is_known(store, numbers, cache, shown=fit.config.verbose)
            network, options = encoder.network, fit.config.model()
            feed = GraphFeed(store, network, fit.config, corrupt=fit.config.head_negatives, lift=False)
            said = Said.about(np.arange(len(store)), known, len(store))
            objective = ToldObjective(weight, options, fit.config.bound_weight)
            plan = TrainingPlan(
                network,
                objective,
                DescribedFeed(feed, said, fit.config),
                finish=lambda: encoder.settle(store),
            )
            carry_out(plan, fit, spans_ranks=True, anneal=True)
        if cache is not None:
            shutil.rmtree(cache, ignore_errors=True)
        return encoder

    def restore(self, kept: Kept[MoleculeConfig]) -> Encoder:
        """The network, and the directions and ranges that were learned."""
        encoder = self._first(kept.config, kept.schema)
        encoder.restore(kept.tensors, kept.path)
        return encoder

    def _first(self, config: MoleculeConfig, schema: Schema) -> MoleculeEncoder:
        inputs = NetworkInputs.of(schema, config)
        told = len(descriptor_names()) + 2 * TOLD_PATTERNS + len(config.targets)
        network = with_first_weights(
            config.random_state,
            lambda: MoleculeNetwork.from_config(config.model(), inputs, config.learned_columns, told),
        )
        return MoleculeEncoder(network, inputs, config)


def numbers_of(store: GraphStore, targets: tuple[str, ...]) -> np.ndarray:
    """[molecules, targets] of the data set, standardised; NaN where one is not known."""
    columns = [np.asarray(store.target(name)) for name in targets]
    for name, column in zip(targets, columns):
        if column.dtype.kind != "f":
            raise PartwholeError(f"{name} has classes; the network learns to tell numbers, give others.")
    numbers = np.stack(columns, axis=1) if columns else np.zeros((len(store), 0))
    return (numbers - np.nanmean(numbers, axis=0)) / np.maximum(np.nanstd(numbers, axis=0), 1e-12)


def what_is_known(
    store: GraphStore, numbers: np.ndarray, cache: Path | None, *, shown: bool
) -> tuple[np.ndarray, Tensor]:
    """[molecules, told] float32, standardised, and the weight of each column [told]. What is computed is kept
    in `cache`, piece by piece, so that a fit that was stopped need not compute it again."""
    starts = range(0, len(store), AT_A_TIME)
    screen = Console(stderr=True)
    steps = track(
        starts, "descriptors", console=screen, transient=True, disable=not (shown and screen.is_terminal)
    )
    known = [_computed(store[i : i + AT_A_TIME], cache and cache / f"{i:09d}.npy") for i in steps]
    x = np.concatenate(known)
    described, counted = np.split(x, [len(descriptor_names())], axis=1)
    described = Ranges.of(described.astype(np.float64)).standardised(described)
    counted = (counted - counted.mean(axis=0)) / np.maximum(counted.std(axis=0), 1e-6)
    blocks = [(described, 1.0), (counted, WEIGHT_OF_PATTERNS), (numbers, WEIGHT_OF_TARGETS)]
    weight = np.concatenate([np.full(b.shape[1], w / max(b.shape[1], 1)) for b, w in blocks])
    rows = np.hstack([block.astype(np.float32) for block, _ in blocks])
    return rows, torch.from_numpy(weight.astype(np.float32))


def _computed(store: GraphStore, file: Path | None) -> np.ndarray:
    """[n, descriptors and patterns] float32"""
    if file is not None and file.exists():
        return np.load(file)
    found = np.hstack([descriptors(store), hashed_patterns(store, TOLD_PATTERNS)]).astype(np.float32)
    if file is not None:
        with atomic_file(file) as temporary, temporary.open("wb") as opened:
            np.save(opened, found)
    return found
