"""Options of the methods that weigh several models."""

from __future__ import annotations

from dataclasses import dataclass

from partwhole.config import AUTO, Options, Seed, option, seed_option
from partwhole.estimators.property.heads import MODELS

TOLD, AVERAGED, REFUSED = RULES = "told", "averaged", "refused"  # of labels that contradict each other

AUTO_FAMILY = "auto-"  # before regressor and classifier


@dataclass(eq=False)
class PropertyConfig(Options):
    """Options of `auto-regressor` and `auto-classifier`."""

    vectors: str = option(
        AUTO,
        "Whose vectors: a pretrained encoder, the folder of a run, or a method that is fitted to all graphs "
        "first, without labels; auto: molecules for molecules, subgraph-infomax for other graphs.",
    )
    models: tuple[str, ...] = option((), "Models that are tried; all if none is named.", choices=MODELS)
    views: tuple[str, ...] = option(
        (), "Views of the vectors that models look at, such as learned or descriptors; all if none is named."
    )
    minutes: float = option(
        60.0, "Minutes that the trials may take; models left by then are not tried, which is told.", above=0
    )
    duplicates: str = option(
        TOLD, "What becomes of graphs that occur several times with different labels.", choices=RULES
    )
    random_state: Seed = seed_option("Seed of folds and forests, and of a method that is fitted for it.")
