"""What `partwhole fit` says when it is done."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from partwhole.cli.output import print_table
from partwhole.cli.reading import MOST_TOLD
from partwhole.config import FOLDS

if TYPE_CHECKING:
    from partwhole.estimators.base import AnyEstimator
    from partwhole.estimators.labelled import AnyLabelled
    from partwhole.graphs.store import GraphStore


@dataclass(frozen=True)
class FittedRun:
    """A fit that has just ended."""

    estimator: AnyEstimator
    store: GraphStore
    data: str  # as the user named it
    out: Path
    left_out: int  # graphs that could not be read
    seed: int | None
    seconds: float

    @property
    def labelled(self) -> AnyLabelled | None:
        """The estimator, if it learned from labels."""
        from partwhole.estimators.labelled import LabelledEstimator

        return self.estimator if isinstance(self.estimator, LabelledEstimator) else None


def as_json(fitted: FittedRun) -> dict[str, object]:
    """The fit for machines."""
    history = fitted.estimator.history_
    return {
        "run": str(fitted.out),
        "method": fitted.estimator.method,
        "data": fitted.store.name,
        "graphs": len(fitted.store),
        "left_out": fitted.left_out,
        "epochs": len(history),
        "seed": fitted.seed,
        "seconds": round(fitted.seconds, 3),
        "last": history[-1] if history else {},
        **(_labels_as_json(fitted.labelled) if fitted.labelled else {}),
    }


def print_summary(fitted: FittedRun) -> None:
    """The fit for people: what was learned from, how good it is where that is known, and what to do next."""
    store, labelled = fitted.store, fitted.labelled
    learned_from = f"{len(store)} graphs of {store.name}"
    if labelled:
        learned_from = f"{_number_labelled(labelled)} labelled of {learned_from}"
    print(f"Fitted {fitted.estimator.method} to {learned_from}; the run is in {fitted.out}.")
    if labelled:
        _print_choices(labelled)
        _print_tried(labelled)
        _print_held_out(labelled)
    print(f"Next: partwhole {_next_step(fitted)}")


def _number_labelled(estimator: AnyLabelled) -> int:
    number: int = estimator.about_["task"]["labelled"]
    return number


def _labels_as_json(estimator: AnyLabelled) -> dict[str, object]:
    held = estimator.held_out_
    return {
        "targets": estimator.target_names_,
        "labelled": _number_labelled(estimator),
        "choice": estimator.choice_,
        **({"tried": estimator.errors_} if hasattr(estimator, "errors_") else {}),
        "held_out": held and {"how": held.how, "measures": {g.target: g.measures for g in held.guesses}},
    }


def _print_choices(estimator: AnyLabelled) -> None:
    """What was chosen by the labels."""
    for choice in estimator.choice_[:MOST_TOLD]:
        print(f"Chosen, {choice}.")
    if len(estimator.choice_) > MOST_TOLD:
        print(f"… and {len(estimator.choice_) - MOST_TOLD} more.")


def _print_tried(estimator: AnyLabelled) -> None:
    """How well all that was tried predicts in folds of the labelled graphs, the best first; of many targets,
    the first ones."""
    from partwhole.estimators.property.estimator import PropertyEstimator

    if not isinstance(estimator, PropertyEstimator):
        return
    errors = {name: of for name, of in estimator.errors_.items() if of}
    names = list(errors)[:MOST_TOLD]
    if not names:
        return
    tried = sorted(errors[names[0]], key=lambda called: errors[names[0]][called])
    rows = [[called, *(f"{errors[name][called]:.3f}" for name in names)] for called in tried]
    measure = "log-loss" if estimator.learns_classes else "RMSE in standard deviations of the labels"
    print_table(
        "Tried in folds of the labelled graphs", ["model", *names], rows, numbers=names, note=f"{measure}."
    )


def _print_held_out(estimator: AnyLabelled) -> None:
    """How good predictions are for graphs that were held out."""
    from partwhole.estimators.semi_supervised.measures import ALL_MEASURES

    held = estimator.held_out_
    if held is None:
        print("No labelled graph was held out, so that nothing is known of how good the predictions are.")
        return
    names = [name for name in ALL_MEASURES if any(name in g.measures for g in held.guesses)]
    rows = [
        [g.target, str(len(g.rows)), *(f"{g.measures[n]:.4g}" if n in g.measures else "–" for n in names)]
        for g in held.guesses
    ]
    header = ["target", "graphs", *(ALL_MEASURES[name] for name in names)]
    print_table(
        "On labelled graphs that were held out", header, rows, numbers=header[1:], note=f"{held.how}."
    )


def _next_step(fitted: FittedRun) -> str:
    store, data, out = fitted.store, fitted.data, fitted.out
    if fitted.labelled:
        return f"predict {out} {data} --out predictions.csv"
    if store.has_labels and store.schema.targets[0].is_categorical:
        smallest = min(Counter(store.labels.tolist()).values())
        if smallest >= 3:
            return f"evaluate {out} {data}" + ("" if smallest >= FOLDS else f" --folds {smallest}")
    return f"embed {out} {data} --out vectors.parquet"
