"""A file that was sent: read as a file of its kind would be, in a folder of its own that is removed."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from partwhole.errors import PartwholeError
from partwhole.serving.limits import TooMuch
from partwhole.sources.loading import read_graphs
from partwhole.sources.reading import Reading
from partwhole.store import GraphStore

if TYPE_CHECKING:
    from partwhole.serving.service import Service

KINDS = (".csv", ".tsv", ".smi", ".sdf", ".mol", ".graphml", ".gml", ".json", ".edgelist", ".edges")
SHOWN = 20  # graphs of a file that the page shows


def read_upload(body: bytes, name: str, service: Service) -> GraphStore:
    """Its first graphs. Nothing of the name is used but what tells the kind."""
    kind = next((kind for kind in KINDS if name.lower().endswith(kind)), None)
    if kind is None:
        raise PartwholeError(f"The name of the file must end in one of {', '.join(KINDS)}.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"sent{kind}"
        path.write_bytes(body)
        try:
            store = read_graphs(path, Reading(service.estimator.schema_))
        except PartwholeError as reason:
            raise PartwholeError(str(reason).replace(str(path), "The file")) from None
    if len(store) > service.limits.graphs:
        raise TooMuch(413, f"The file holds {len(store)} graphs, at most {service.limits.graphs} are taken.")
    service.require_small(store)
    return store[:SHOWN]
