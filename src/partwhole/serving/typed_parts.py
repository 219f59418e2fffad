"""The parts of an asked graph, their types, and which of them drive its prediction."""

from __future__ import annotations

import numpy as np

from partwhole.estimators.labelled import AnyLabelled
from partwhole.graphs.graph import Graph
from partwhole.graphs.store import GraphStore
from partwhole.parts.describing import forms_of
from partwhole.serving.answers import ExplainedPart, Part, PartType, PartTypes, PredictionParts
from partwhole.views.halos import color_of
from partwhole.views.shown_types import MOST_NODES, ShownTypes, part_name


def answered_types(types: ShownTypes | None) -> PartTypes:
    """The legend of the page."""
    if types is None:
        return PartTypes(own=False, types=[])
    found = [
        PartType(
            type=t.type,
            color=color_of(t.type),
            name=types.names[t.type],
            parts=t.parts,
            graphs=t.graphs,
            mean_size=t.mean_size,
            forms=t.forms,
            drawings=types.drawings(t.type),
        )
        for t in types.by_frequency
    ]
    return PartTypes(own=types.own, types=found)


def parts_of(types: ShownTypes | None, graph: Graph) -> list[Part]:
    """In the order of their first nodes."""
    if types is None or not graph.num_nodes:
        return []
    store = GraphStore.from_graphs([graph])
    parts = types.vocabulary.parts_of(store)
    kinds, forms, nodes = parts.type.tolist(), forms_of(store, parts), parts.nodes(store)
    return [
        Part(type=kind, color=color_of(kind), form=form, name=part_name(form, len(own)), nodes=own.tolist())
        for kind, form, own in zip(kinds, forms, nodes)
    ]


def explanation_of(
    estimator: AnyLabelled, types: ShownTypes | None, graph: Graph, target: str
) -> PredictionParts | None:
    """None for a graph that is too large, or one part."""
    if types is None or not 0 < graph.num_nodes <= MOST_NODES:
        return None
    found = estimator.explain(GraphStore.from_graphs([graph]), target, types.vocabulary)
    if not found.effects or not np.isfinite([one.without for one in found.effects]).all():
        return None
    parts = [
        ExplainedPart(
            type=one.type,
            color=color_of(one.type),
            form=one.form,
            name=part_name(one.form, len(one.nodes)),
            nodes=one.nodes,
            effect=one.effect,
        )
        for one in found.effects
    ]
    return PredictionParts(target=target, label=found.label, prediction=found.value, parts=parts)
