"""A file that was sent: read as a file of its kind would be, in a folder of its own that is removed."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from partwhole.errors import PartwholeError
from partwhole.graphs.store import GraphStore
from partwhole.sources.loading import read_graphs

if TYPE_CHECKING:
    from partwhole.serving.service import Service

KINDS = (".csv", ".tsv", ".smi", ".sdf", ".mol", ".graphml", ".gml", ".json", ".edgelist", ".edges")


def _any_case(text: str) -> str:
    """A pattern of ECMAScript, which has no flags in a description of an API."""
    return "".join(f"[{c}{c.upper()}]" if c.isalpha() else f"\\{c}" for c in text)


def _of_a_kind(name: str) -> str:
    if not name.lower().endswith(KINDS):
        kinds = ", ".join(KINDS)
        raise PydanticCustomError("kind", "The name must end in one of {kinds}", {"kinds": kinds})
    return name


PATTERN = f"({'|'.join(map(_any_case, KINDS))})$"
FileName = Annotated[
    str, Field(max_length=255, json_schema_extra={"pattern": PATTERN}), AfterValidator(_of_a_kind)
]


def read_upload(body: bytes, name: str, service: Service) -> GraphStore:
    """Its first graphs. Nothing of the name is used but what tells the kind, as `FileName` has it."""
    kind = next(kind for kind in KINDS if name.lower().endswith(kind))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"sent{kind}"
        path.write_bytes(body)
        try:
            return read_graphs(path, service.reading())[: service.limits.shown]
        except PartwholeError as reason:
            raise type(reason)(str(reason).replace(str(path), "The file")) from None
