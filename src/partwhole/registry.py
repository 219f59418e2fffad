"""Name -> class, for every plug-in folder.

A plug-in is one file: `generators/tree_split.py` is the generator `tree-split`, and registers its
class. The command line, the documentation and the contract tests find it by the file; nothing
else has to be edited. A plug-in is imported when it is first asked for.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any, TypeVar

from partwhole.errors import PartwholeError, near_miss

T = TypeVar("T")


class Registry:
    """The plug-ins of one package. `helpers` are files of the package that are none.

    `build("pyg:GCN", …)` passes what follows the colon as `variant`, so that one entry can
    stand for a family.
    """

    def __init__(self, kind: str, package: str, helpers: tuple[str, ...] = ("base",)):
        self.kind = kind
        self.package = package
        self.helpers = helpers
        self._entries: dict[str, Any] = {}

    def register(self, entry: T) -> T:
        """Decorator: the class or function that this file is named after."""
        self.add(entry.__module__.rsplit(".", 1)[-1].replace("_", "-"), entry)
        return entry

    def add(self, name: str, entry: Any) -> None:
        if self._entries.setdefault(name, entry) is not entry:
            raise ValueError(f"{self.kind} {name!r} is registered twice.")

    def names(self) -> list[str]:
        spec = importlib.util.find_spec(self.package)
        folders = (spec and spec.submodule_search_locations) or []
        files = {module.name for module in pkgutil.iter_modules(folders)} - set(self.helpers)
        return sorted({name.replace("_", "-") for name in files} | self._entries.keys())

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def get(self, spec: str) -> Any:
        name = spec.partition(":")[0]
        if name not in self._entries:
            if name not in self.names():
                raise PartwholeError(f"Unknown {self.kind} {spec!r}.{near_miss(name, self.names())}")
            importlib.import_module(f"{self.package}.{name.replace('-', '_')}")
        return self._entries[name]

    def takes(self, spec: str, option: str) -> bool:
        """Whether the entry can be built with this option."""
        return option in inspect.signature(self.get(spec)).parameters

    def build(self, spec: str, **options: Any) -> Any:
        """Call the entry with `options`; one that it does not take is an error."""
        entry = self.get(spec)
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


BACKBONES = Registry("backbone", "partwhole.nn.backbones")
READOUTS = Registry("readout", "partwhole.nn.readout")
GENERATORS = Registry("generator", "partwhole.generators")
ESTIMATORS = Registry("estimator", "partwhole.losses.estimators")
STRUCTURE = Registry("structure attribute", "partwhole.structure")
DESCRIPTIONS = Registry("description", "partwhole.descriptions", helpers=("histogram",))
SOURCES = Registry(
    "source",
    "partwhole.sources",
    helpers=(
        "attributes",
        "base",
        "catalogue",
        "conformers",
        "dialect",
        "excel",
        "frames",
        "items",
        "kinds",
        "loading",
        "moleculenet",
        "motifs",
        "node_link",
        "qm9_files",
        "reading",
        "rebuilt",
        "recoding",
        "smiles_column",
        "tables",
        "targets",
    ),
)
METHODS = Registry("method", "partwhole.methods")
UNLABELLED = Registry("way to learn from unlabelled graphs", "partwhole.semisupervised.unlabelled")
