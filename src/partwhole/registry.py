"""Name -> class, for every plug-in folder.

A file dropped into one of the folders registers its class under a name; the command line,
the documentation and the contract tests find it there. Nothing else has to be edited.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from partwhole.errors import PartwholeError, near_miss

T = TypeVar("T")


class Registry(Generic[T]):
    """The classes (or functions) of one plug-in package, by name.

    `build("pyg:GCN", …)` passes what follows the colon as `variant`, so that one entry can
    stand for a family.
    """

    def __init__(self, kind: str, package: str):
        self.kind = kind
        self.package = package
        self._entries: dict[str, T] = {}
        self._loaded = False

    def register(self, name: str) -> Callable[[T], T]:
        def add(entry: T) -> T:
            if name in self._entries:
                raise ValueError(f"{self.kind} {name!r} is registered twice.")
            self._entries[name] = entry
            return entry

        return add

    def _load(self) -> None:
        """Import every module of the package once, so that each can register itself."""
        if self._loaded:
            return
        self._loaded = True
        package = importlib.import_module(self.package)
        for module in pkgutil.iter_modules(getattr(package, "__path__", [])):
            importlib.import_module(f"{self.package}.{module.name}")

    def names(self) -> list[str]:
        self._load()
        return sorted(self._entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def get(self, spec: str) -> T:
        name = spec.partition(":")[0]
        if name not in self.names():
            raise PartwholeError(f"Unknown {self.kind} {spec!r}.{near_miss(name, self.names())}")
        return self._entries[name]

    def build(self, spec: str, **options: Any) -> Any:
        """Call the entry with `options`; one that it does not take is an error."""
        entry: Any = self.get(spec)
        _, colon, variant = spec.partition(":")
        if colon:
            options["variant"] = variant
        accepted = inspect.signature(entry).parameters
        for option in options:
            if option not in accepted:
                raise PartwholeError(
                    f"The {self.kind} {spec!r} has no option {option!r}.{near_miss(option, accepted)}"
                )
        return entry(**options)


BACKBONES: Registry[Any] = Registry("backbone", "partwhole.nn.backbones")
READOUTS: Registry[Any] = Registry("readout", "partwhole.nn.readout")
GENERATORS: Registry[Any] = Registry("generator", "partwhole.generators")
ESTIMATORS: Registry[Any] = Registry("estimator", "partwhole.losses")
STRUCTURE: Registry[Any] = Registry("structure attribute", "partwhole.structure")
SOURCES: Registry[Any] = Registry("source", "partwhole.sources")
METHODS: Registry[Any] = Registry("method", "partwhole.methods")
