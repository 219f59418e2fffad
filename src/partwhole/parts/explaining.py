"""Which parts of a graph drive its prediction: each is left out in turn, and the graph is predicted again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from partwhole.errors import PartwholeError
from partwhole.graphs.store import GraphStore
from partwhole.parts.describing import forms_of
from partwhole.parts.induced import induced
from partwhole.parts.vocabulary import Parts, Vocabulary

MOST_NODES = 10_000_000  # of all graphs that lack one part each

Predict = Callable[[GraphStore], np.ndarray]  # [graphs, outputs] probabilities of classes, or one number


@dataclass(frozen=True)
class PartEffect:
    """What one part does to the prediction."""

    type: int
    form: str  # SMILES of the fragment, or the shape of the piece of a network
    nodes: list[int]  # counted within the graph
    without: float  # the prediction for the graph without these nodes
    effect: float  # the prediction for the whole graph minus that


@dataclass(frozen=True)
class Explanation:
    """What each part of one graph does to one prediction.

    Parameters
    ----------
    id : str or int
        Of the graph.
    target : str
        What is predicted.
    label : str or None
        The class that is predicted; None where the target is a number.
    value : float
        The probability of that class, or the number.
    effects : list of PartEffect
        The strongest first; empty where the graph is one part, without which nothing is left.
    """

    id: str | int
    target: str
    label: str | None
    value: float
    effects: list[PartEffect]


def part_effects(
    graph: GraphStore, vocabulary: Vocabulary, predict: Predict
) -> tuple[int, float, list[PartEffect]]:
    """The largest output for a graph, its value, and what each part does to it, the strongest first.

    The whole graph and those that lack a part are predicted together, by the model itself: nothing is
    approximated. What was not in the fit, as a benzene ring with a bond that ends nowhere, is asked of the
    model all the same.

    Parameters
    ----------
    graph : GraphStore
        With one graph.
    vocabulary : Vocabulary
        Which tells its parts.
    predict : callable
        Gives probabilities of classes, or a number, for each graph of a store.
    """
    parts = vocabulary.parts_of(graph)
    asked = with_each_part_left_out(graph, parts) if len(parts) > 1 else graph
    values = predict(asked)
    output = int(values[0].argmax())
    whole, *without = values[:, output].astype(float).tolist()
    found = [
        PartEffect(kind, form, nodes.tolist(), value, whole - value)
        for kind, form, nodes, value in zip(
            parts.type.tolist(), forms_of(graph, parts), parts.nodes(graph), without
        )
    ]
    return output, whole, sorted(found, key=lambda one: -abs(one.effect))


def with_each_part_left_out(graph: GraphStore, parts: Parts) -> GraphStore:
    """The graph itself, and after it one graph for each part that lacks its nodes and their edges."""
    nodes, copies = len(parts.part_of_node), len(parts) + 1
    if nodes * copies > MOST_NODES:
        raise PartwholeError(
            f"Graph {graph.ids[0]} has {nodes} nodes in {len(parts)} parts, too many to leave out each; "
            "merge types until there are fewer."
        )
    copy = np.repeat(np.arange(copies), nodes)
    left_out = np.tile(parts.part_of_node, copies) == copy - 1
    many = graph.take(np.zeros(copies, np.int64))
    return induced(many, np.where(left_out, -1, copy), copies, f"parts left out of {graph.name}")
