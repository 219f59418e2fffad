"""One fit: what a method is given to learn from, and the folder that keeps it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor

from partwhole.config import AUTO, Options
from partwhole.errors import PartwholeError
from partwhole.estimators.seeds import drawn_seed, is_seed
from partwhole.graphs.schema import Schema
from partwhole.graphs.store import GraphStore
from partwhole.parallel import ranks
from partwhole.parts.vocabulary import Vocabulary
from partwhole.runs.folder import RunFolder

C_co = TypeVar("C_co", bound=Options, covariant=True)
MAY_CHANGE = ("epochs", "device", "threads", "verbose")  # when a run goes on


def never() -> bool:
    """Nobody asks to stop."""
    return False


class FitFolder:
    """The run folder of a fit: looked at before, and its own from `begin` on."""

    def __init__(
        self, path: str | Path, *, resume: bool = False, overwrite: bool = False, keep: Iterable[str] = ()
    ):
        self.run, self.overwrite, self.keep = RunFolder(path), overwrite, tuple(keep)
        if self.run.exists() and not (resume or overwrite):
            raise PartwholeError(f"{self.run.path} already holds a run; choose to resume or to overwrite it.")
        self.kept = self.run.read_config() if self.run.exists() and resume else {}
        self._begun = False

    def require_same_run(self, facts: Mapping[str, Any], config: type[Options]) -> None:
        """Raise where the run that goes on is another: only its epochs may be more."""
        if self.kept:
            _require_same_run(self.kept, facts, config)

    def begin(self, facts: Mapping[str, Any]) -> RunFolder:
        """From now on the folder is this fit's. A fit that fails before leaves it as it was."""
        if not self._begun:
            self._begun = True
            ranks.wait_for_all()  # all have looked at the folder before one writes
            if ranks.is_first():
                if self.overwrite:
                    self.run.clear(self.keep)
                self.run.write_config(facts)
            ranks.wait_for_all()
        return self.run


@dataclass
class Fit(Generic[C_co]):
    """A fit that begins. Options are plain values; the seed is drawn."""

    store: GraphStore
    config: C_co
    facts: dict[str, Any]  # how the model comes about, as `config.toml` tells it
    folder: FitFolder | None = None
    stop_requested: Callable[[], bool] = never
    history: list[dict[str, Any]] = field(default_factory=list)  # figures of each epoch

    def begin_run(self) -> RunFolder | None:
        """The folder to keep the fit in, once all that can be wrong has been checked."""
        return None if self.folder is None else self.folder.begin(self.facts)

    def vocabulary(self, seed: int) -> Vocabulary | None:
        """Types of parts, learned from the graphs; None where they have no nodes."""
        return Vocabulary.of(self.store, random_state=seed) if self.store.num_nodes.any() else None


def settled(config: type[Options], given: Mapping[str, Any], kept: Mapping[str, Any]) -> Options:
    """The options of a fit as plain values, with its seed; a fit that goes on keeps its own seed, and its own
    values of what is left to the recipe, where none are given."""
    options = config(**given)
    options.validate()
    plain = options.plain_options()
    if kept:
        kept = config.completed(kept)  # it may be older than some options
    left = [name for name, value in plain.items() if value == AUTO and name not in MAY_CHANGE]
    plain |= {name: kept[name] for name in left if name in kept}
    if "random_state" in plain:
        asked = plain["random_state"]
        plain["random_state"] = drawn_seed(
            asked if is_seed(asked) or "random_state" not in kept else kept["random_state"]
        )
    return config.from_options(plain).settled()


def require_vocabulary(vocabulary: Vocabulary | None) -> Vocabulary:
    """Raise where a run has none."""
    if vocabulary is None:
        raise PartwholeError(
            "This run has no vocabulary of parts: it is older than these, or its graphs had no nodes; "
            "fit again."
        )
    return vocabulary


def facts_of(method: str, store: GraphStore, config: Options) -> dict[str, Any]:
    """All that is needed to tell how a model came about."""
    return {
        "version": version("partwhole"),
        "method": method,
        "options": config.plain_options(),
        "data": {
            "name": store.name,
            "path": store.origin,
            "graphs": len(store),
            "digest": store.digest(),
        },
        "schema": store.schema.to_dict(),
        "machine": {
            "torch": torch.__version__,
            "threads": torch.get_num_threads(),
            "cores": os.cpu_count() or 1,
        },
    }


@dataclass(frozen=True)
class Kept(Generic[C_co]):
    """A fit as a run folder tells it."""

    config: C_co
    schema: Schema
    facts: dict[str, Any]
    tensors: dict[str, Tensor]
    path: Path


def _require_same_run(kept: Mapping[str, Any], wanted: Mapping[str, Any], config: type[Options]) -> None:
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
    options = config.completed(kept["options"])
    for name, value in wanted["options"].items():
        before = options[name]
        if name not in MAY_CHANGE and before != value:
            raise PartwholeError(
                f"The run was started with {name} = {before!r}, not {value!r}; resume it with the same "
                "options, or choose another output folder."
            )
