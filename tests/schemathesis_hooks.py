"""What the description of the service cannot say, for data that Schemathesis means to be valid: text is
SMILES, links join nodes of their graph, and a file is what its name says. No check is changed."""

from __future__ import annotations

import io
import json
import urllib.request
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
RECORD = (EXAMPLES / "molecules.sdf").read_text().partition("$$$$")[0]
MOLECULE_FILES = {
    "csv": "smiles,name\nCCO,ethanol\n",
    "tsv": "smiles\tname\nCCO\tethanol\n",
    "smi": "CCO ethanol\nC methane\n",
    "sdf": f"{RECORD}$$$$\n",
    "mol": RECORD,
}

schemathesis.openapi.format("smiles", st.sampled_from(MOLECULES) | st.text("CN", min_size=1, max_size=50))


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if case.operation.path == "/upload":
        case.query["name"], case.body = named_file(case.query["name"], case.operation.base_url)
    elif isinstance(case.body, dict):
        for graph in case.body.get("graphs", []):
            join_nodes(graph)


def join_nodes(graph: dict[str, Any]) -> None:
    """Links in a ring around the nodes, as many as there are; none where there are no nodes."""
    ids = [node.get("id", place) for place, node in enumerate(graph["nodes"])]
    kind = "links" if "links" in graph else "edges"
    graph[kind] = graph[kind] if ids else []
    for k, link in enumerate(graph[kind]):
        link["source"], link["target"] = ids[k % len(ids)], ids[(k + 1) % len(ids)]


def named_file(name: str, address: str) -> tuple[str, bytes]:
    """A file that the run can read; lists of edges cannot carry the attributes that it has learned from."""
    stem, _, ending = name.rpartition(".")
    if ending.lower() in ("edgelist", "edges"):
        name, ending = f"{stem}.json", "json"
    return name, MOLECULE_FILES.get(ending.lower(), "").encode() or network_file(ending.lower(), address)


def network_file(ending: str, address: str) -> bytes:
    content = example(address)
    if ending == "json":
        return json.dumps(content).encode()
    graph = nx.node_link_graph(content, edges="links")
    file = io.BytesIO()
    {"gml": nx.write_gml, "graphml": nx.write_graphml}[ending](graph, file)
    return file.getvalue()


@cache
def example(address: str) -> dict[str, Any]:
    """A graph of the service, with its attributes."""
    with urllib.request.urlopen(f"{address.rstrip('/')}/healthz") as answer:
        return json.load(answer)["example"]["graphs"][0]
