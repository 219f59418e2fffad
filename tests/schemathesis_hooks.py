"""What the description of the service cannot say, for data that Schemathesis means to be valid: text is
SMILES, links join nodes of their graph, and a file is what its name says. No check is changed."""

from __future__ import annotations

import io
import json
import urllib.request
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx
import schemathesis
from hypothesis import strategies as st

EXAMPLES = Path(__file__).parents[1] / "examples"
MOLECULES = [
    "CC(=O)Oc1ccccc1C(=O)O",
    "c1ccccc1",
    "CN1C=NC2=C1C(=O)N(C(=O)N2C)C",
    "O=[N+]([O-])c1ccccc1",
    "C#N",
]

schemathesis.openapi.format("smiles", st.sampled_from(MOLECULES) | st.text("CN", min_size=1, max_size=50))


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if case.operation.path == "/upload":
        case.query["name"], case.body = named_file(case.query["name"], case.operation.base_url)
        assert case.meta.generation.mode.is_positive  # Schemathesis looks again at what was changed
    elif isinstance(case.body, dict):
        for graph in case.body.get("graphs", []):
            join_nodes(graph)
        assert case.meta.generation.mode.is_positive


def join_nodes(graph: dict[str, Any]) -> None:
    """Links in a ring around the nodes, as many as there are; none where there are no nodes."""
    ids = [node.get("id", place) for place, node in enumerate(graph["nodes"])]
    kind = "links" if "links" in graph else "edges"
    graph[kind] = graph[kind] if ids else []
    for k, link in enumerate(graph[kind]):
        link["source"], link["target"] = ids[k % len(ids)], ids[(k + 1) % len(ids)]


def named_file(name: str, address: str) -> tuple[str, str]:
    """A file that the run can read. Lists of edges cannot carry the attributes that it has learned from, and
    not every run has learned from molecules."""
    about = health(address)
    stem, _, ending = name.rpartition(".")
    readable = NETWORK_FILES | (MOLECULE_FILES if about["smiles"] else {})
    if ending.lower() not in readable:
        name, ending = f"{stem}.json", "json"
    return name, readable[ending.lower()](about["example"]["graphs"][0])


@cache
def health(address: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{address.rstrip('/')}/healthz") as answer:
        return json.load(answer)


def written(write: Callable[[Any, Any], None], content: dict[str, Any]) -> str:
    file = io.BytesIO()
    write(nx.node_link_graph(content, edges="links"), file)
    return file.getvalue().decode()


# By the ending of a name: from a graph of the service, with its attributes, to the text of a file.
NETWORK_FILES = {
    "json": json.dumps,
    "gml": lambda graph: written(nx.write_gml, graph),
    "graphml": lambda graph: written(nx.write_graphml, graph),
}
RECORD = (EXAMPLES / "molecules.sdf").read_text().partition("$$$$")[0]
MOLECULE_FILES = {
    "csv": lambda _: "smiles,name\nCCO,ethanol\n",
    "tsv": lambda _: "smiles\tname\nCCO\tethanol\n",
    "smi": lambda _: "CCO ethanol\nC methane\n",
    "sdf": lambda _: f"{RECORD}$$$$\n",
    "mol": lambda _: RECORD,
}
