"""Vectors of an encoder that stays as it is, and for each target the heads that were chosen."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from partwhole.estimators.base import GraphEstimator
from partwhole.estimators.encoder import Predictor
from partwhole.estimators.property.choosing import HEADS, LEAST_SHARE, Candidate, Chosen
from partwhole.estimators.property.heads import Said, Views
from partwhole.graphs.store import GraphStore

ENCODER = "encoder."  # before the names of its tensors


@dataclass(frozen=True)
class PropertyPredictor(Predictor):
    """An encoder and the heads of each target."""

    encoder: GraphEstimator[Any]
    chosen: list[Chosen]  # of each target
    classes: bool

    @property
    def width(self) -> int:
        """Columns of the vectors that the heads look at."""
        return self.encoder.width

    @property
    def views(self) -> Views:
        """Those of the encoder."""
        return self.encoder.learned_.views

    def encode(self, store: GraphStore) -> Iterator[np.ndarray]:
        """The vectors that the heads look at."""
        return self.encoder.transform_batches(store)

    def say(self, store: GraphStore) -> list[Said]:
        """What the heads of each target say."""
        pieces = [[c.say(x, self.views) for c in self.chosen] for x in self.encode(store)]
        return [_joined([piece[k] for piece in pieces]) for k in range(len(self.chosen))]

    def outputs(self, store: GraphStore) -> Tensor:
        """[graphs, outputs]: standardised numbers, or logarithms of shares."""
        return self.outputs_of(self.say(store))

    def outputs_of(self, said: list[Said]) -> Tensor:
        """The same from what the heads say."""
        means = [np.log(np.maximum(one.mean, LEAST_SHARE)) if self.classes else one.mean for one in said]
        return torch.from_numpy(np.hstack(means))

    def tensors(self) -> dict[str, Tensor]:
        """The heads, and the encoder too: the run it came from may go."""
        kept = {f"{ENCODER}{name}": t for name, t in self.encoder.learned_.tensors().items()}
        for target, chosen in enumerate(self.chosen):
            for place, (_, head) in enumerate(chosen.heads):
                for name, array in head.arrays().items():
                    kept[f"target.{target}.{place}.{name}"] = torch.from_numpy(np.ascontiguousarray(array))
        return kept

    def facts(self) -> list[dict[str, Any]]:
        """Which heads each target has, in plain values."""
        return [
            {
                "heads": [{"head": c.head, "views": list(c.views)} for c, _ in chosen.heads],
                "width": float(np.nan_to_num(chosen.width)),
                "errors": json.dumps(chosen.errors),
                "weights": chosen.weights.tolist(),
            }
            for chosen in self.chosen
        ]


def restored(
    encoder: GraphEstimator[Any],
    facts: list[Mapping[str, Any]],
    tensors: Mapping[str, Tensor],
    classes: bool,
) -> PropertyPredictor:
    """What `tensors` and `facts` gave, again."""
    chosen, views = [], encoder.learned_.views
    for target, kept in enumerate(facts):
        heads = []
        for place, named in enumerate(kept["heads"]):
            start = f"target.{target}.{place}."
            own = {
                name.removeprefix(start): t.numpy() for name, t in tensors.items() if name.startswith(start)
            }
            # Runs of before say `gaussian process`.
            candidate = Candidate(named["head"].replace(" ", "-"), tuple(named["views"]))
            heads.append((candidate, HEADS[candidate.head].restored(own, candidate.columns(views)[1])))
        weights = np.array(kept.get("weights", [1 / len(heads)] * len(heads)))  # runs of before: all the same
        chosen.append(Chosen(heads, weights, None, kept["width"], json.loads(kept["errors"])))
    return PropertyPredictor(encoder, chosen, classes)


def _joined(said: list[Said]) -> Said:
    sure = [one.deviation for one in said if one.deviation is not None]
    return Said(
        np.concatenate([one.mean for one in said]), np.concatenate(sure) if len(sure) == len(said) else None
    )
