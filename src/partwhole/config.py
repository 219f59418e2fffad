"""Every option of a fit, once: the scikit-learn parameters, the command line and the TOML file
are all made from the fields below."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import numpy as np

from partwhole.errors import FEW, PartwholeError, near_miss
from partwhole.recipes.weights import PAPER, RECIPES
from partwhole.registry import (
    BACKBONES,
    BOUNDS,
    GENERATORS,
    READOUTS,
    STRUCTURE,
    UNLABELLED,
    Plugin,
    Registry,
)

# A whole number. An estimator takes None and what NumPy draws from as well, and draws one when a fit begins.
Seed = Any

SELECTIONS = ("straight-through", "soft", "hard")
BALANCED = "balanced"  # straight-through, divided in the middle of the nodes
SCORES = ("dot", "cosine", "scaled")
BOUND, DESCRIBED = "bound", "described"  # what training makes small
AUTO = "auto"  # what the recipe says
DEVICES = ("auto", "cpu", "cuda")
FOLDS = 10  # of the outer cross-validation, unless a user says otherwise


def option(
    default: Any,
    help: str,
    *,
    flag: str | None = None,
    choices: Iterable[str] | None = None,
    least: float | None = None,
    above: float | None = None,
    below: float | None = None,
    draws: bool = False,
) -> Any:
    """A field with its help text, its name on the command line and what it accepts; `draws`: also what a
    number can be drawn from."""
    about = {"help": help, "flag": flag, "choices": choices, "least": least, "above": above, "below": below}
    return field(default=default, metadata={**about, "draws": draws})


def seed_option(help: str = "Seed of everything random.") -> Any:
    """The option `random_state`, which a fit may draw from."""
    return option(0, help, flag="--seed", least=0, below=2**32, draws=True)


def same(config: type, name: str) -> Any:
    """The option of this name as another configuration declares it: two that share options need no common
    base."""
    declared = config.__dataclass_fields__[name]  # type: ignore[attr-defined]
    return field(default=declared.default, metadata=declared.metadata)


@dataclass(eq=False)
class Options:
    """The options of a method: declared once, checked, and kept as plain values."""

    verbose: bool = option(False, "Show progress on standard error.", flag="")

    def validate(self) -> None:
        """Raise a `PartwholeError` on the first value that cannot be used."""
        for f in dataclasses.fields(self):
            _check_value(f, _plain(f, getattr(self, f.name)))

    def settled(self) -> Self:
        """The options of a fit that begins: what depends on other options is said."""
        return self

    def options(self) -> dict[str, Any]:
        """The fields as they were given, in the order of declaration."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}

    def plain_options(self) -> dict[str, Any]:
        """The same as TOML and JSON give them back: plain values, and a class by its name."""
        plain = {f.name: _plain(f, getattr(self, f.name)) for f in dataclasses.fields(self)}
        return {k: list(v) if isinstance(v, tuple) else v for k, v in plain.items()}

    @classmethod
    def completed(cls, kept: Mapping[str, Any]) -> dict[str, Any]:
        """The options of a run or a record that may be older than some of them: those had the value that is
        usual now."""
        return {**cls().plain_options(), **kept}

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        """Build from a mapping such as the `[options]` of a TOML file; a misspelt name is an error."""
        known = {f.name: f for f in dataclasses.fields(cls)}
        for name in options:
            if name not in known:
                raise PartwholeError(f"There is no option {name!r}.{near_miss(name, known)}")
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in options.items()}
        config = cls(**values)
        config.validate()
        return config


@dataclass(eq=False)
class TrainConfig(Options):
    """Options of every method that trains a network; the defaults are the paper's."""

    structure: tuple[Plugin, ...] = option(
        (),
        "Structure attributes, each a kind of its own; degree where nodes have no attributes.",
        choices=STRUCTURE,
    )
    hidden: int = option(128, "Width of every hidden layer.", least=1)
    layers: int = option(4, "Number L of graph network layers.", least=1)
    epochs: int = option(100, "Passes over the graphs; with labels, over the labelled ones.", least=0)
    batch_size: int = option(128, "Graphs in a step; with labels, as many others besides.", least=2)
    lr: float = option(1e-3, "Learning rate of Adam.", above=0)
    random_state: Seed = seed_option()
    device: str = option("auto", "Where to compute; auto takes a GPU if there is one.", choices=DEVICES)
    threads: int = option(
        0,
        "Threads of a fit and of embedding; 0: one for small graphs, one for each core where that pays.",
        least=0,
    )
    snapshot_every: int = option(
        5, "Keep the weights every so many epochs, for the protocols that look at them; 0: never.", least=0
    )


@dataclass(eq=False)
class BackboneConfig(TrainConfig):
    """Options of the compared methods in which the graph network can be chosen."""

    backbone: Plugin = option("gin", "Graph network; `pyg:NAME` takes a basic PyG model.", choices=BACKBONES)
    readout: Plugin = option("sum", "Node vectors to graph vector.", choices=READOUTS)
    lift: bool = option(True, "Run on classes of equal nodes where that is exact and pays.")


@dataclass(eq=False)
class FitConfig(TrainConfig):
    """Options of the paper's training, with labels or without; the defaults are the paper's."""

    backbone: Plugin = same(BackboneConfig, "backbone")
    readout: Plugin = same(BackboneConfig, "readout")
    lift: bool = same(BackboneConfig, "lift")
    generator: Plugin = option("tree-split", "How subgraphs are made.", choices=GENERATORS)
    num_subgraphs: int = option(4, "Number S of subgraphs.", flag="--subgraphs", least=2)
    selection: str = option("straight-through", "How a node is put into a subgraph.", choices=SELECTIONS)
    estimator: Plugin = option("jsd", "Mutual information estimator.", choices=BOUNDS)
    pair_score: str = option("dot", "Score of a pair of vectors.", flag="--score", choices=SCORES)
    temperature: float = option(0.2, "Divisor of the cosine score.", above=0)
    start_from: str = option(
        "",
        "Begin with the weights of this run, or of a pretrained encoder (molecules-small), not with random "
        "ones.",
    )
    head_negatives: bool = option(True, "Contrast with the permuted graph (off: BASE).")
    subgraph_conv: bool = option(True, "Mix the subgraphs before contrasting (off: BASE and BASE+NEG).")

    def validate(self) -> None:
        """Check the generator against the number of subgraphs, too."""
        super().validate()
        GENERATORS.get(self.generator).check(self.num_subgraphs)


@dataclass(eq=False)
class UntrainedConfig(Options):
    """Options of an encoder that stays as it begins."""

    structure: tuple[Plugin, ...] = same(FitConfig, "structure")
    hidden: int = same(FitConfig, "hidden")
    layers: int = same(FitConfig, "layers")
    random_state: Seed = same(FitConfig, "random_state")
    device: str = same(FitConfig, "device")
    threads: int = same(FitConfig, "threads")
    backbone: Plugin = same(FitConfig, "backbone")
    readout: Plugin = same(FitConfig, "readout")
    lift: bool = same(FitConfig, "lift")
    generator: Plugin = same(FitConfig, "generator")
    num_subgraphs: int = same(FitConfig, "num_subgraphs")
    selection: str = same(FitConfig, "selection")
    subgraph_conv: bool = same(FitConfig, "subgraph_conv")

    @classmethod
    def completed(cls, kept: Mapping[str, Any]) -> dict[str, Any]:
        """Complete old options: those of training, which older runs had too, did nothing."""
        known = {f.name for f in dataclasses.fields(cls)}
        return super().completed({name: value for name, value in kept.items() if name in known})


class EncoderOptions(Protocol):
    """What any network is built and run by."""

    structure: tuple[Plugin, ...]
    hidden: int
    layers: int
    random_state: Seed
    device: str
    threads: int


class ModelOptions(EncoderOptions, Protocol):
    """What the paper's model is built by."""

    backbone: Plugin
    readout: Plugin
    lift: bool
    generator: Plugin
    num_subgraphs: int
    selection: str
    subgraph_conv: bool


@dataclass(eq=False)
class RecipeConfig(FitConfig):
    """Options of `SubgraphInfoMax`; `auto`: the letter for the recipe `paper`, what learns for others."""

    selection: str = option(
        AUTO,
        "How a node is put into a subgraph; auto: straight-through for the recipe paper, else balanced.",
        choices=(AUTO, *SELECTIONS, BALANCED),
    )
    pair_score: str = option(
        AUTO,
        "Score of a pair of vectors; auto: dot for the recipe paper, else scaled.",
        flag="--score",
        choices=(AUTO, *SCORES),
    )
    objective: str = option(
        AUTO,
        "What is trained by; bound: the estimator alone; described: also agreement with what can be said of "
        "a graph without learning; auto: bound for the recipe paper, else described.",
        choices=(AUTO, BOUND, DESCRIBED),
    )
    recipe: str = option(
        "best",
        "What the vector of a graph is; paper: h(G) to the letter.",
        choices=tuple(RECIPES),
    )

    @classmethod
    def completed(cls, kept: Mapping[str, Any]) -> dict[str, Any]:
        """Complete old options: a run that names no recipe or objective is older than the first of ours."""
        return super().completed({"recipe": PAPER, "objective": BOUND, **kept})

    def settled(self) -> Self:
        """The same with what the recipe says in place of `auto`."""
        usual = {"selection": "straight-through", "pair_score": "dot", "objective": BOUND}
        learns = {"selection": BALANCED, "pair_score": "scaled", "objective": DESCRIBED}
        chosen = usual if self.recipe == PAPER else learns
        said: dict[str, Any] = {k: v for k, v in chosen.items() if getattr(self, k) == AUTO}
        return dataclasses.replace(self, **said)


@dataclass(eq=False)
class PredictorConfig(FitConfig):
    """Options of a fit with labels (Eq. 18); the others are those without."""

    validation: float = option(
        0.1, "Share of the labelled graphs that choose the epoch; 0: the last epoch.", least=0, below=1
    )
    lr_decay: float = option(0.7, "Factor on the learning rate when validation no longer improves.", above=0)
    patience: int = option(5, "Epochs without improvement that are let pass before that.", least=0)
    unlabelled: Plugin = option("subgraph-infomax", "What unlabelled graphs teach.", choices=UNLABELLED)
    unsupervised_weight: float = option(
        1e-3, "Weight lambda of what they teach; 0: learn from the labels alone.", least=0
    )
    atom_references: bool = option(
        False, "Predict what is left of a target after a sum of terms, one for each element (molecules)."
    )


def _plain(f: dataclasses.Field[Any], value: Any) -> Any:
    """Scalars of NumPy as those of Python, a class or function by the name it is registered under."""
    if isinstance(value, tuple | list) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return tuple(_plain(f, v) for v in value)
    if isinstance(f.metadata["choices"], Registry) and (inspect.isclass(value) or inspect.isfunction(value)):
        return f.metadata["choices"].name_of(value)
    return value.item() if isinstance(value, np.generic) else value


def _check_value(f: dataclasses.Field[Any], value: Any) -> None:
    kind, about = field_type(f), f.metadata
    name = f.name
    if about["draws"] and (value is None or isinstance(value, np.random.RandomState | np.random.Generator)):
        return
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if kind is tuple:
        if not isinstance(value, tuple | list) or not all(isinstance(v, str) for v in value):
            raise PartwholeError(f"{name} must be a list of names, not {value!r}.")
        for v in value if about["choices"] is not None else ():
            _require_choice(name, v, about["choices"])
        return
    right = isinstance(value, kind) and not (kind is int and isinstance(value, bool))
    choices = about["choices"]
    if not right:
        wanted = "a name or a class" if isinstance(choices, Registry) else f"of type {kind.__name__}"
        raise PartwholeError(f"{name} must be {wanted}, not {value!r}.")
    if choices is not None:
        _require_choice(name, value, choices)
    if kind is float and not math.isfinite(value):
        raise PartwholeError(f"{name} must be a finite number, not {value}.")
    if about["least"] is not None and value < about["least"]:
        raise PartwholeError(f"{name} must be at least {about['least']}, not {value}.")
    if about["above"] is not None and not value > about["above"]:
        raise PartwholeError(f"{name} must be above {about['above']}, not {value}.")
    if about["below"] is not None and not value < about["below"]:
        raise PartwholeError(f"{name} must be below {about['below']}, not {value}.")


def _require_choice(name: str, value: Any, choices: tuple[str, ...] | Registry) -> None:
    if isinstance(choices, Registry):
        choices.get(value)
    elif value not in choices:
        raise PartwholeError(f"{name} cannot be {value!r}.{near_miss(value, choices, whole=FEW)}")


def field_type(f: dataclasses.Field[Any]) -> type:
    """The plain type of a field: str, int, float, bool or tuple."""
    return type(f.default)
