"""Name -> class, for every kind of plug-in.

A plug-in comes from one of three places:

- a file of the package: `generators/tree_split.py` is the generator `tree-split`. A file of the folder counts
  if its text registers something; any other is a helper.
- an installed package, by an entry point of the group `partwhole.generators`.
- a notebook or a module of a user, which registers its class or gives the class itself.

Names are listed without importing anything, so that help is quick; a plug-in is imported when it is first
asked for. A name alone, as a run folder gives it, makes nothing run but what the user has installed.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from partwhole.errors import FEW, PartwholeError, near_miss

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")
Plugin = str | Callable[..., Any]  # the name of an entry, or the class or function itself

START_OF_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class Registry:
    """The plug-ins of one kind, such as all generators.

    `build("pyg:GCN", …)` passes what follows the colon as `variant`, so that one entry can stand for a
    family.

    Parameters
    ----------
    group
        The entry points of other packages are those of `partwhole.<group>`. In capitals it is the name of
        the registry, by which files are known to register something.
    kind
        One of them in words, for sentences.
    package
        The folder of those that come with partwhole.
    base
        The class that entries derive from; empty: any class or function will do.
    says
        Attributes that every entry has.
    named_by
        The one of them that holds the name; empty: an entry is named after its file or itself.
    """

    def __init__(
        self,
        group: str,
        kind: str,
        package: str,
        *,
        base: str = "",
        says: tuple[str, ...] = (),
        named_by: str = "",
    ):
        self.group = group
        self.kind = kind
        self.package = package
        self.base = base
        self.says = says
        self.named_by = named_by
        self._entries: dict[str, Any] = {}
        self._broken: dict[str, str] = {}  # installed ones that were asked for in vain, and why

    # ---------------------------------------------------------------- putting in

    @overload
    def register(self, entry: T) -> T: ...
    @overload
    def register(self, *, name: str) -> Callable[[T], T]: ...
    def register(self, entry: Any = None, *, name: str = "") -> Any:
        """Decorator. In the folder of the registry a class or function is named after its file, elsewhere
        after itself, `RandomCut` as `random-cut`, or as `register(name=…)` says."""
        if entry is None:
            return lambda given: self.register(given, name=name)  # type: ignore[call-overload]
        self._require_right(entry)
        self.add(name or self._own_name(entry), entry)
        return entry

    def add(self, name: str, entry: Any) -> None:
        """A class that is defined again, as in a notebook, takes the place of the one before."""
        cure = 'give yours another name with `register(name="…")`.'
        if entry.__module__.partition(".")[0] != __package__ and name in self.shipped:
            raise PartwholeError(f"The {self.kind} {name!r} comes with partwhole; {cure}")
        known = self._entries.get(name, entry)
        if known is not entry and _source(known) != _source(entry) and entry.__module__ != "__main__":
            raise PartwholeError(f"{'.'.join(_source(known))} is the {self.kind} {name!r} already; {cure}")
        self._entries[name] = entry

    def name_of(self, entry: Callable[..., Any]) -> str:
        """The name of a class or function, which is registered if it is not yet."""
        self._require_right(entry)
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

    def _require_right(self, entry: Any) -> None:
        """Raise unless this can be an entry."""
        named = getattr(entry, "__name__", repr(entry))
        if self.base:
            module, _, base = self.base.rpartition(".")
            wanted = getattr(importlib.import_module(module), base)
            if not (inspect.isclass(entry) and issubclass(entry, wanted)):
                raise PartwholeError(f"{named} is no {self.kind}; derive it from `{self.base}`.")
        elif not (callable(entry) and hasattr(entry, "__qualname__")):
            raise PartwholeError(f"{named} is no {self.kind}; give a class or a function.")
        for attribute in self.says:
            if not hasattr(entry, attribute):
                raise PartwholeError(f"The {self.kind} {named} has no `{attribute}`; set it in the class.")

    # ---------------------------------------------------------------- names

    @functools.cached_property
    def shipped(self) -> frozenset[str]:
        """The names of those that come with partwhole."""
        spec = importlib.util.find_spec(self.package)
        folders = (spec and spec.submodule_search_locations) or []
        registers = re.compile(rf"^@?{self.group.upper()}\.(register|add)\b", re.MULTILINE)
        files = [file for folder in folders for file in Path(folder).glob("*.py")]
        return frozenset(
            f.stem.replace("_", "-") for f in files if registers.search(f.read_text(encoding="utf-8"))
        )

    @functools.cached_property
    def installed(self) -> dict[str, EntryPoint]:
        """The entry points of other packages; one whose name is taken is told by a warning and left out."""
        from importlib.metadata import entry_points  # slow to import, and often not needed

        found: dict[str, EntryPoint] = {}
        for point in entry_points(group=f"partwhole.{self.group}"):
            before = found.get(point.name)
            if point.name in self.shipped:
                _warn(f"{self._told(point)} is not used: partwhole has one of that name; rename it there.")
            elif before is not None:
                other = _package(before)
                _warn(f"{self._told(point)} is not used: {other} has one of that name, too; uninstall one.")
            else:
                found[point.name] = point
        return found

    def names(self) -> list[str]:
        """All names, sorted, without an import."""
        return sorted(self.shipped | self.installed.keys() | self._entries.keys())

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    # ---------------------------------------------------------------- taking out

    def get(self, spec: Plugin) -> Any:
        """The entry of a name, imported when it is first asked for; a class or function is its own entry."""
        if not isinstance(spec, str):
            return self._entries[self.name_of(spec)]
        name = spec.partition(":")[0]
        if name not in self._entries:
            if name in self.shipped:
                importlib.import_module(f"{self.package}.{name.replace('-', '_')}")
            elif name in self.installed:
                self._import_installed(name)
            else:
                hint = near_miss(name, self.names(), whole=FEW)
                raise PartwholeError(
                    f"Unknown {self.kind} {spec!r}.{hint} One of your own has to be imported first, in every "
                    "process, or given as the class itself."
                )
        return self._entries[name]

    def entries(self, names: Iterable[str] | None = None) -> Iterator[tuple[str, Any]]:
        """All of them, or these in this order; an installed one that is broken is told by a warning and left
        out."""
        for name in self.names() if names is None else names:
            try:
                entry = self.get(name)
            except PartwholeError as error:
                if name not in self._broken:
                    raise
                _warn(str(error))
            else:
                yield name, entry

    def _import_installed(self, name: str) -> None:
        """What fails once is not tried again."""
        if name in self._broken:
            raise PartwholeError(self._broken[name])
        point = self.installed[name]
        try:
            own = self.name_of(point.load())
            if own != name:
                raise PartwholeError(f"it calls itself {own!r}, and so must its entry point")
        except (Exception, SystemExit) as error:
            self._entries.pop(name, None)  # its module may have registered it before it failed
            cause = str(error) if isinstance(error, PartwholeError) else f"{type(error).__name__}: {error}"
            cause = " ".join(cause.split()).rstrip(".")
            sentence = f"{self._told(point)} cannot be used ({cause}); mend or uninstall that package."
            self._broken[name] = sentence
            raise PartwholeError(sentence) from error

    def _told(self, point: EntryPoint) -> str:
        return f"The {self.kind} {point.name!r} of the installed package {_package(point)}"

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


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.value


def _warn(sentence: str) -> None:
    warnings.warn(sentence, stacklevel=3)


BACKBONES = Registry("backbones", "backbone", "partwhole.nn.backbones")
READOUTS = Registry("readouts", "readout", "partwhole.nn.readout")
GENERATORS = Registry(
    "generators", "generator", "partwhole.generators", base="partwhole.generators.base.Generator"
)
BOUNDS = Registry("bounds", "estimator", "partwhole.losses.bounds")
STRUCTURE = Registry("structure", "structure attribute", "partwhole.structure")
DESCRIPTIONS = Registry("descriptions", "description", "partwhole.recipes.descriptions")
SOURCES = Registry(
    "sources", "source", "partwhole.sources.readers", base="partwhole.sources.base.Source", says=("reads",)
)
METHODS = Registry(
    "methods",
    "method",
    "partwhole.methods",
    base="partwhole.estimators.base.GraphEstimator",
    says=("method", "idea", "paper", "config_class"),
    named_by="method",
)
UNLABELLED = Registry(
    "unlabelled",
    "way to learn from unlabelled graphs",
    "partwhole.estimators.semi_supervised.unlabelled",
    base="partwhole.estimators.semi_supervised.unlabelled.base.FromUnlabelled",
    says=("idea", "paper"),
)
