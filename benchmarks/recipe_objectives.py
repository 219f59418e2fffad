"""What other objectives would teach the network: `python benchmarks/recipe_objectives.py MUTAG PTC_MR`

Label-free accuracy, before and after training, of the layers alone and of all that `best` sums up, where the
network is trained otherwise than the paper says. Networks and folds have seeds from 100 on, which no reported
run has. Each line is one trial.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize

from partwhole import GraphStore, SubgraphInfoMax, load_graphs
from partwhole.config import FitConfig
from partwhole.estimators.self_supervised.augmentation import move_edges
from partwhole.evaluation.classifiers import fold_accuracies
from partwhole.graphs.graph import Batch, GraphBatch, Movable
from partwhole.graphs.refinement import hash_rows, refine
from partwhole.model import PartWhole
from partwhole.nn.layers import linear
from partwhole.recipes.graph_vectors import GraphVectors, Said, described, signed_log
from partwhole.recipes.histogram import hashed_histogram
from partwhole.recipes.weights import BEST, LAYERS
from partwhole.registry import STRUCTURE
from partwhole.training.feeds import EpochFeed
from partwhole.training.objectives import HeadTailObjective, head_tail_loss
from partwhole.training.plan import Objective, TrainingPlan

FIRST_SEED = 100
TEMPERATURE = 0.2


class Projection(nn.Module):
    """Thrown away after training: sums on a logarithmic scale to a direction."""

    def __init__(self, hidden: int):
        super().__init__()
        self.norm = nn.BatchNorm1d(hidden)
        self.first, self.second = linear(hidden, hidden), linear(hidden, hidden // 2)

    def forward(self, sums: Tensor) -> Tensor:
        logs = sums.sign() * sums.abs().log1p()
        return normalize(self.second(self.first(self.norm(logs)).relu()), dim=-1)


def info_nce(a: Tensor, b: Tensor) -> Tensor:
    """Both ways: which b belongs to each a, and which a to each b."""
    scores, own = a @ b.T / TEMPERATURE, torch.arange(len(a))
    return cross_entropy(scores, own) + cross_entropy(scores.T, own)


class Projected(Objective):
    """InfoNCE between h and h~ after a projection head."""

    def __call__(self, model: Any, batch: Batch) -> tuple[Tensor, dict[str, Tensor]]:
        views = model(batch)
        loss = info_nce(model.projection(views.graph), model.projection(views.reconstructed[:, 0]))
        return loss, {"loss": loss.detach()}


def parts_of(model: PartWhole, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
    """h [B, d], its parts [B, S, d], and the share of the nodes that each of them holds [B, S]."""
    nodes = model.nodes(batch).first(batch.num_graphs)
    membership = model.subgraph_aggregation.generator(nodes)  # [S, rows]
    sizes = nodes.rows.total(torch.cat([torch.ones_like(membership[:1]), membership]).T)  # [B, 1 + S]
    return model.readout(nodes), model.readout(nodes, membership), sizes[:, 1:] / sizes[:, :1].clamp_min(1)


class PartAgainstRest(Objective):
    """Each part is to tell the rest of its graph from the rests of others; `balance` draws the parts towards
    equal sizes."""

    def __init__(self, balance: float):
        self.balance = balance

    def __call__(self, model: Any, batch: Batch) -> tuple[Tensor, dict[str, Tensor]]:
        whole, parts, share = parts_of(model, batch)
        loss = self.balance * (share - 1 / share.shape[1]).square().sum(1).mean()
        for s in range(parts.shape[1]):
            both = (share[:, s] > 0) & (share[:, s] < 1)  # neither the part nor the rest is empty
            if both.sum() > 1:
                part, rest = parts[both, s], (whole - parts[:, s])[both]
                contrast = info_nce(model.projection(part), model.projection_of_rest(rest))
                loss = loss + contrast * both.float().mean() / parts.shape[1]
        return loss, {"loss": loss.detach()}


class PartsExchanged(Objective):
    """The paper's, where G^ has one part, each in turn, of another graph in place of its own."""

    def __init__(self, config: FitConfig):
        self.config, self.turn = config, 0

    def __call__(self, model: Any, batch: Batch) -> tuple[Tensor, dict[str, Tensor]]:
        views, (_, parts, _) = model(batch), parts_of(model, batch)
        own = parts[:, self.turn % parts.shape[1]]
        self.turn += 1
        exchanged = views.graph - own + own.roll(1, 0)
        loss, logged = head_tail_loss(replace(views, corrupted=exchanged), self.config)
        return loss, {"loss": loss.detach(), **logged}


@dataclass(frozen=True, eq=False)
class WithMoved(Movable):
    batch: GraphBatch
    moved: GraphBatch

    @property
    def num_graphs(self) -> int:
        return self.batch.num_graphs


class MovedFeed(EpochFeed):
    """Each graph, and the same with a fifth of its edges moved; nodes keep the degrees that they had."""

    def make(self, graphs: np.ndarray, epoch: int, step: int) -> WithMoved:
        part, all_of_it = self.store.take(graphs), np.arange(len(graphs))
        moved = move_edges(part, np.random.default_rng([FIRST_SEED, epoch, step]))
        return WithMoved(part.batch(all_of_it), moved.batch(all_of_it))


class EdgesMoved(Objective):
    """The paper's, where G^ has other edges in place of other places of its nodes."""

    def __init__(self, config: FitConfig):
        self.config = config

    def __call__(self, model: PartWhole, batch: WithMoved) -> tuple[Tensor, dict[str, Tensor]]:
        views = replace(model(batch.batch), corrupted=model.embed(batch.moved))
        loss, logged = head_tail_loss(views, self.config)
        return loss, {"loss": loss.detach(), **logged}


def hashed_colors(store: GraphStore) -> np.ndarray:
    """64 signs for the colour of each node after each of two rounds."""
    _, _, edge_ptr, neighbor = store.batch_structure(np.arange(len(store)))
    color, signs, nodes = hash_rows(store.node_codes.astype(np.uint64)), [], np.arange(len(edge_ptr) - 1)
    for _ in range(2):
        color = refine(color, edge_ptr, neighbor)
        signs.append(8 * hashed_histogram(nodes, color, len(nodes), 64))
    return np.hstack(signs)


STRUCTURE.add("hashed-colors", hashed_colors)


class Trial(SubgraphInfoMax):
    """The network of `best`, trained by another objective."""

    make_objective: Callable[[FitConfig], Objective] = HeadTailObjective

    def plan(
        self, model: PartWhole, store: GraphStore, config: FitConfig, said: Said | None = None
    ) -> TrainingPlan:
        with torch.random.fork_rng():
            torch.manual_seed(config.random_state)
            model.projection, model.projection_of_rest = Projection(config.hidden), Projection(config.hidden)
        objective = self.make_objective(config)
        plan = super().plan(model, store, config)
        feed = MovedFeed(store, config) if isinstance(objective, EdgesMoved) else plan.feed
        return replace(plan, objective=objective, feed=feed)


LETTER = {
    "pair_score": "dot",
    "selection": "straight-through",
    "objective": "bound",
}  # where a trial says nothing else
COLORS = {"structure": ("hashed-colors",)}
TRIALS: dict[str, tuple[Callable[[FitConfig], Objective], dict[str, Any]]] = {
    "the paper's": (HeadTailObjective, {}),
    "cosine score": (HeadTailObjective, {"pair_score": "cosine"}),
    "InfoNCE after projection heads": (lambda config: Projected(), {}),
    "each part against the rest": (lambda config: PartAgainstRest(0.0), {}),
    "each part against the rest, balanced": (lambda config: PartAgainstRest(1.0), {}),
    "negatives with moved edges": (EdgesMoved, {}),
    "negatives with exchanged parts": (PartsExchanged, {}),
    "the paper's, from hashed colours": (HeadTailObjective, COLORS),
    "InfoNCE, from hashed colours": (lambda config: Projected(), COLORS),
}


def accuracies(store: GraphStore, trial: str, epochs: int, seed: int, folds: int) -> list[float]:
    """Of the layers alone, and of all that `best` sums up."""
    objective, options = TRIALS[trial]
    model = Trial(epochs=epochs, random_state=seed, snapshot_every=0, **LETTER | options)
    model.make_objective = objective
    learned = model.fit(store).learned_
    layers = [signed_log(learned.network.layer_sums(learned.network.inputs.prepared(store)))]
    found = []
    for recipe in {LAYERS: 1.0}, BEST:
        blocks = [*described(store, recipe), *layers]
        summary = GraphVectors(recipe, layers[0].shape[1], 128).directions
        summary.learn(summary.measured(blocks))
        seeds = range(FIRST_SEED, FIRST_SEED + folds)
        found.append(np.mean([fold_accuracies(summary(blocks), store.labels, seed=s) for s in seeds]))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--networks", type=int, default=2)
    parser.add_argument("--folds", type=int, default=3, help="seeds of folds")
    parser.add_argument("--epochs", type=int, default=20)
    given = parser.parse_args()
    print(f"data set, objective: layers alone untrained, after {given.epochs} epochs; best untrained, after")
    for name in given.datasets:
        store = load_graphs(name)
        for trial in TRIALS:
            before, after = (
                np.mean(
                    [accuracies(store, trial, e, FIRST_SEED + n, given.folds) for n in range(given.networks)],
                    axis=0,
                )
                for e in (0, given.epochs)
            )
            shown = f"{before[0]:.1f}, {after[0]:.1f}; {before[1]:.1f}, {after[1]:.1f}"
            print(f"{name}, {trial}: {shown}", flush=True)


if __name__ == "__main__":
    main()
