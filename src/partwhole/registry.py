"""Name -> class, for every plug-in folder.

A plug-in is one file: `generators/tree_split.py` is the generator `tree-split`, and registers its
class. The command line, the documentation and the contract tests find it by the file; nothing
else has to be edited. A plug-in is imported when it is first asked for.

One that lives elsewhere, in a notebook or a module of a user, is named after its class and has to be
imported by the user: a name alone, as a run folder gives it, never makes anything run.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, overload

from partwhole.errors import FEW, PartwholeError, near_miss

T = TypeVar("T")
Plugin = str | Callable[..., Any]  # the name of an entry, or the class or function itself

START_OF_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class Registry:
    """The plug-ins of one package. `helpers` are files of the package that are none.

    `build("pyg:GCN", …)` passes what follows the colon as `variant`, so that one entry can
    stand for a family. `named_by`: the attribute that holds the name, where entries have one.
    """

    def __init__(self, kind: str, package: str, helpers: tuple[str, ...] = ("base",), named_by: str = ""):
        self.kind = kind
        self.package = package
        self.helpers = helpers
        self.named_by = named_by
        self._entries: dict[str, Any] = {}

    @overload
    def register(self, entry: T) -> T: ...
    @overload
    def register(self, *, name: str) -> Callable[[T], T]: ...
    def register(self, entry: Any = None, *, name: str = "") -> Any:
        """Decorator. In the folder of the registry a class or function is named after its file, elsewhere
        after itself, `RandomCut` as `random-cut`, or as `register(name=…)` says."""
        if entry is None:
            return lambda given: self.register(given, name=name)  # type: ignore[call-overload]
        self.add(name or self._own_name(entry), entry)
        return entry

    def add(self, name: str, entry: Any) -> None:
        """A class that is defined again, as in a notebook, takes the place of the one before."""
        cure = 'give yours another name with `register(name="…")`.'
        if name in self._files() and entry.__module__.partition(".")[0] != __package__:
            raise PartwholeError(f"The {self.kind} {name!r} comes with partwhole; {cure}")
        known = self._entries.get(name, entry)
        if known is not entry and _source(known) != _source(entry) and entry.__module__ != "__main__":
            raise PartwholeError(f"{'.'.join(_source(known))} is the {self.kind} {name!r} already; {cure}")
        self._entries[name] = entry

    def name_of(self, entry: Callable[..., Any]) -> str:
        """The name of a class or function, which is registered if it is not yet."""
        for same in (lambda known: known is entry, lambda known: _source(known) == _source(entry)):
            for name, known in self._entries.items():
                if same(known):
                    self._entries[name] = entry
                    return name
        name = self._own_name(entry)
        self.add(name, entry)
        return name

    def _own_name(self, entry: Any) -> str:
        if self.named_by:
            return str(getattr(entry, self.named_by))
        if not entry.__name__.isidentifier():  # <lambda>
            raise PartwholeError(f"A {self.kind} is kept by its name, and this function has none; use `def`.")
        package, _, file = entry.__module__.rpartition(".")
        name = file if package == self.package else START_OF_WORD.sub("-", entry.__name__).lower()
        return name.replace("_", "-")

    def _files(self) -> set[str]:
        """The names of the entries that come with the package."""
        spec = importlib.util.find_spec(self.package)
        folders = (spec and spec.submodule_search_locations) or []
        files = {module.name for module in pkgutil.iter_modules(folders)} - set(self.helpers)
        return {name.replace("_", "-") for name in files}

    def names(self) -> list[str]:
        return sorted(self._files() | self._entries.keys())

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def get(self, spec: Plugin) -> Any:
        if not isinstance(spec, str):
            return self._entries[self.name_of(spec)]
        name = spec.partition(":")[0]
        if name not in self._entries:
            if name not in self.names():
                hint = near_miss(name, self.names(), whole=FEW)
                raise PartwholeError(
                    f"Unknown {self.kind} {spec!r}.{hint} One of your own has to be imported first, in every "
                    "process, or given as the class itself."
                )
            importlib.import_module(f"{self.package}.{name.replace('-', '_')}")
        return self._entries[name]

    def takes(self, spec: Plugin, option: str) -> bool:
        """Whether the entry can be built with this option."""
        return option in inspect.signature(self.get(spec)).parameters

    def build(self, spec: Plugin, **options: Any) -> Any:
        """Call the entry with `options`; one that it does not take is an error."""
        entry = self.get(spec)
        _, colon, variant = spec.partition(":") if isinstance(spec, str) else ("", "", "")
        if colon:
            options["variant"] = variant
        accepted = inspect.signature(entry).parameters
        for option in options:
            if option not in accepted:
                raise PartwholeError(
                    f"The {self.kind} {spec!r} has no option {option!r}.{near_miss(option, accepted)}"
                )
        return entry(**options)


def _source(entry: Any) -> tuple[str, str]:
    """Where a class or function is defined."""
    return entry.__module__, entry.__qualname__


BACKBONES = Registry("backbone", "partwhole.nn.backbones")
READOUTS = Registry("readout", "partwhole.nn.readout")
GENERATORS = Registry("generator", "partwhole.generators")
BOUNDS = Registry("estimator", "partwhole.losses.bounds")
STRUCTURE = Registry("structure attribute", "partwhole.structure")
DESCRIPTIONS = Registry("description", "partwhole.recipes.descriptions", helpers=())
SOURCES = Registry("source", "partwhole.sources.readers", helpers=())
METHODS = Registry("method", "partwhole.methods", named_by="method")
UNLABELLED = Registry(
    "way to learn from unlabelled graphs", "partwhole.estimators.semi_supervised.unlabelled"
)
