"""Recipes: what the vector of a graph is made from.

A recipe weighs views of a graph: its descriptions, and `layers`, what the trained network says layer by
layer. The weight of a view is its share of the squared distances between vectors. All recipes
but `paper` train the same network by the same options; those beside `best` leave a part out, to show what
that is worth.
"""

from __future__ import annotations

from collections.abc import Mapping

LAYERS = "layers"
PAPER = "paper"  # h(G), nothing else
RANDOM = "random-directions"  # all of `best`, but its main directions

COLUMNWISE = ("sizes", "walks", LAYERS)  # views whose columns have scales of their own

BEST: Mapping[str, float] = {
    "colors": 2.0,
    "numbers": 1.5,
    "structure": 0.4,
    "sizes": 0.1,
    "walks": 0.3,
    "depth": 0.2,
    LAYERS: 0.3,
}


def _without(*views: str) -> Mapping[str, float]:
    return {view: weight for view, weight in BEST.items() if view not in views}


RECIPES: Mapping[str, Mapping[str, float]] = {
    "best": BEST,
    PAPER: {},
    "without-colors": _without("colors"),
    "without-numbers": _without("numbers"),
    "without-structure": _without("structure", "sizes", "walks", "depth"),
    "without-network": _without(LAYERS),
    "structure-only": _without("colors", "numbers", LAYERS),
    RANDOM: BEST,
}
