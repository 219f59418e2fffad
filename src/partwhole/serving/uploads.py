"""A file that was sent: read as a file of its format would be, in a folder of its own that is removed."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from partwhole.errors import TooLarge
from partwhole.serving.answers import UnansweredGraph
from partwhole.serving.reading import GivenGraph, GraphReader, called

ENDINGS = (".csv", ".tsv", ".smi", ".sdf", ".mol", ".graphml", ".gml", ".json", ".edgelist", ".edges")


def _any_case(text: str) -> str:
    """A pattern of ECMAScript, which has no flags in a description of an API."""
    return "".join(f"[{c}{c.upper()}]" if c.isalpha() else f"\\{c}" for c in text)


def _known_ending(name: str) -> str:
    if not name.lower().endswith(ENDINGS):
        endings = ", ".join(ENDINGS)
        raise PydanticCustomError("ending", "The name must end in one of {endings}", {"endings": endings})
    return name


PATTERN = f"({'|'.join(map(_any_case, ENDINGS))})$"
FileName = Annotated[
    str, Field(max_length=255, json_schema_extra={"pattern": PATTERN}), AfterValidator(_known_ending)
]


def read_upload(body: bytes, name: str, reader: GraphReader) -> list[GivenGraph]:
    """The first graphs of a file, and what could not be read of it. Nothing of the name, a `FileName`, is
    used but its ending, and to say which file it is."""
    ending = next(ending for ending in ENDINGS if name.lower().endswith(ending))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{Path(folder).name}{ending}"
        path.write_bytes(body)
        try:
            graphs = reader.read_file(path)
        except TooLarge as reason:
            raise TooLarge(_as_sent(str(reason), path, name)) from None
    return [_told_as_sent(graph, path, name) for graph in graphs]


def _told_as_sent(graph: GivenGraph, path: Path, name: str) -> GivenGraph:
    if not isinstance(graph, UnansweredGraph):
        return called(graph, _as_sent(str(graph.ids[0]), path, name))
    place = name if graph.id == str(path) else _as_sent(graph.id, path, name)
    return UnansweredGraph(id=place, reason=_as_sent(graph.reason, path, name))


def _as_sent(text: str, path: Path, name: str) -> str:
    """With the name that the sender knows, and without halves of characters, which no answer could repeat."""
    stem = name[: -len(path.suffix)] or name
    whole = text.encode(errors="replace").decode()
    return whole.replace(str(path), "The file").replace(path.stem, stem)
