"""Data for the tests. MUTAG is always there (grakel carries it); other sets are skipped by name."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import commands
from partwhole import Graph, GraphStore, load_graphs
from partwhole.cli.main import main
from partwhole.graphs.schema import Column, Schema
from partwhole.sources.datasets import catalogue
from places import ROOT

BESIDE = ROOT.parent / "shared" / "data"
if "PARTWHOLE_DATA" not in os.environ and BESIDE.is_dir():
    os.environ["PARTWHOLE_DATA"] = str(BESIDE)

torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "2")))


LARGE = ("REDDIT-BINARY", "REDDIT-MULTI-5K")  # to read them takes longer than most tests


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(name in item.nodeid for name in LARGE):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session", autouse=True)
def _started_processes() -> None:
    commands.start_unmeasured()


@pytest.fixture(scope="session")
def mutag() -> GraphStore:
    return load_graphs("MUTAG")


@pytest.fixture(scope="session")
def dataset() -> Callable[[str], GraphStore]:
    """`dataset(name)`: the set, or a skip that names it when it is not on this machine."""
    loaded: dict[str, GraphStore] = {}

    def get(name: str) -> GraphStore:
        if name not in loaded:
            if catalogue.find(name) is None:
                pytest.skip(f"{name} is not on this machine")
            loaded[name] = load_graphs(name)
        return loaded[name]

    return get


@pytest.fixture
def partwhole(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """The command line, in this process: its exit code must be `code`; gives what it printed."""

    def run(*arguments: object, code: int = 0) -> Any:
        monkeypatch.setattr(sys, "argv", ["partwhole", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        assert ended.value.code == code, printed.err
        return printed

    return run


def random_graph(random: np.random.Generator, nodes: int, schema: Schema, density: float = 0.3) -> Graph:
    """A graph with categorical and numeric attributes on nodes and edges, and possibly a self-loop."""
    pairs = np.array([(i, j) for i in range(nodes) for j in range(i, nodes)]).reshape(-1, 2)
    edges = pairs[random.random(len(pairs)) < density]
    return Graph(
        num_nodes=nodes,
        edges=edges,
        node_codes=random.integers(0, 3, (nodes, 1)).astype(np.int16),
        node_values=random.normal(size=(nodes, 2)).astype(np.float32),
        edge_codes=random.integers(0, 2, (len(edges), 1)).astype(np.int16),
        edge_values=random.normal(size=(len(edges), 1)).astype(np.float32),
        targets=np.array([float(random.integers(0, 2))]),
        schema=schema,
    )


SCHEMA = Schema(
    node=(Column.categorical("kind", ["a", "b", "c"]), Column.numeric("x", 2)),
    edge=(Column.categorical("bond", ["s", "d"]), Column.numeric("length")),
    targets=(Column.categorical("class", ["no", "yes"]),),
)


@pytest.fixture(scope="session")
def zoo() -> GraphStore:
    """Awkward graphs: no nodes, one node, no edges, disconnected, dense, and ordinary ones."""
    random = np.random.default_rng(7)
    graphs = [
        random_graph(random, 0, SCHEMA),
        random_graph(random, 1, SCHEMA, 0.0),
        random_graph(random, 5, SCHEMA, 0.0),
        random_graph(random, 6, SCHEMA, 1.0),
    ]
    graphs += [random_graph(random, int(n), SCHEMA) for n in random.integers(2, 12, 12)]
    return GraphStore.from_graphs(graphs, name="zoo")
