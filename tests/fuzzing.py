"""Inputs that nobody would write, drawn by hypothesis, through everything that takes some.

Files are good ones in which a few pieces are cut, doubled or replaced; graphs have odd names, sizes and
numbers. Whatever comes, it is read or refused with a sentence: no crash, no hang, no number that is none.
`make fuzz` runs all of it at length and writes `results/fuzzing.jsonl`, `test_fuzzing.py` a little of it.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import signal
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import copy, copytree
from typing import Any

import networkx as nx
import numpy as np
import torch
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from partwhole import Graph, GraphStore, PartwholeError, SubgraphInfoMax, load_graphs
from partwhole.estimators.loading import load_run
from partwhole.graphs.schema import Column, Schema
from partwhole.registry import GENERATORS
from places import EXAMPLES, ROOT

SECONDS = 20  # that an input may take

# ---------------------------------------------------------------- files

ODD = [
    *(b"\0", b"\xff\xfe", b"\n", b"\r", b"\t", b",", b";", b" ", b'"', b"'", b"#", b"&#0;", b"\xe2\x88\x9e"),
    *(b"nan", b"inf", b"-inf", b"1e999", b"-1", b"0", b"0.5", b"2147483648", b"9" * 20, b"1" * 5000, b"null"),
    *(b"[", b"]", b"{", b"}", b"<", b">", b"(", b"C" * 300, b"(" * 2000, b"[" * 2000, b"%s", b"../../x"),
]


@st.composite
def damaged(draw: Any, whole: bytes) -> bytes:
    """A file in which up to three pieces are cut out, or stand for others."""
    content = bytearray(whole)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(content)))
        length = draw(st.sampled_from([0, 0, 1, 1, 2, 8, 64, len(content)]))
        origin = draw(st.integers(0, len(content)))
        own = bytes(content[origin : origin + draw(st.sampled_from([1, 8, 64, 512]))])
        content[start : start + length] = draw(st.sampled_from([b"", own, *ODD]) | st.binary(max_size=12))
    return bytes(content)


def of_file(good: Path, read: Callable[[Path], Any]) -> Iterator[tuple[str, st.SearchStrategy, Callable]]:
    """A target for one file: its bytes, and what reads them."""
    yield f"{good.name}", damaged(good.read_bytes()), _reader(good, read, good)


def of_folder(good: Path, read: Callable[[Path], Any]) -> Iterator[tuple[str, st.SearchStrategy, Callable]]:
    """A target for every file of a folder, which is damaged while the others are whole."""
    for file in sorted(p for p in good.rglob("*") if p.is_file()):
        name = f"{good.name}/{file.relative_to(good)}"
        yield name, damaged(file.read_bytes()), _reader(file, read, good)


def _reader(file: Path, read: Callable[[Path], Any], given_path: Path) -> Callable[[bytes], None]:
    whole = file.read_bytes()

    def run(content: bytes) -> None:
        file.write_bytes(content)
        try:
            read(given_path)
        finally:
            file.write_bytes(whole)

    return run


def leniently(path: Path) -> GraphStore:
    """As the command line reads: what cannot be read is left out and told."""
    return load_graphs(path, strict=False)


def file_targets(place: Path) -> Iterator[tuple[str, st.SearchStrategy, Callable]]:
    names = ["molecules.csv", "molecules.smi", "molecules.sdf", "molecules.parquet"]
    names += ["edge-lists/ring.edgelist", "networks/hub.graphml", "networks/ring.gml", "networks/chain.json"]
    for name in names:
        yield from of_file(Path(copy(EXAMPLES / name, place)), leniently)
    packed = place / "packed.csv.gz"
    packed.write_bytes(gzip.compress((EXAMPLES / "molecules.csv").read_bytes()))
    yield from of_file(packed, leniently)
    archive = place / "TEAMS.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for table in (EXAMPLES / "tu" / "TEAMS").iterdir():
            file.write(table, table.name)
    yield from of_file(archive, leniently)
    for name in ("interactions", "tu/TEAMS", "networks"):
        yield from of_folder(Path(copytree(EXAMPLES / name, place / Path(name).name)), leniently)
    store = load_graphs(EXAMPLES / "interactions")
    store.save(place / "store")
    model = SubgraphInfoMax(hidden=4, layers=1, epochs=1).fit_run(store, place / "run")
    yield from of_folder(place / "store", lambda folder: model.transform(folder))
    yield from of_folder(place / "run", lambda run: load_run(run).transform(store[:1]))

    def resumed(run: Path) -> None:
        SubgraphInfoMax(hidden=4, layers=1, epochs=1).fit_run(store, run, resume=True)

    yield from of_file(place / "run" / "resume.safetensors", lambda file: resumed(file.parent))


# ---------------------------------------------------------------- graphs

NUMBERS = st.floats(width=64) | st.integers(-(2**70), 2**70) | st.booleans()
NAMES = st.integers(-(2**70), 2**70) | st.text(max_size=5) | st.tuples(st.integers(0, 3), st.integers(0, 3))
VALUES = NUMBERS | st.none() | st.text(max_size=8) | st.lists(NUMBERS, max_size=3)
KINDS = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)


@st.composite
def networks(draw: Any) -> list[Any]:
    """One to three networks of up to 200 nodes, with edges in any number, and odd names and attributes."""
    found = []
    columns = draw(st.lists(st.sampled_from(["x", "kind", "weight", "label", "ü", "a b", ""]), max_size=2))
    sane = draw(st.booleans())  # numbers only, so that most graphs get beyond the reader
    value = st.floats(-1e6, 1e6) if sane else VALUES
    for _ in range(draw(st.integers(1, 3))):
        graph = draw(st.sampled_from(KINDS))()
        random = np.random.default_rng(draw(st.integers(0, 2**32)))
        nodes = draw(st.sampled_from([0, 1, 2, 3, 7, 200]))
        odd = draw(st.lists(NAMES, unique=True, max_size=3))
        graph.add_nodes_from([*range(max(nodes - len(odd), 0)), *odd][:nodes])
        ends = list(graph)
        for _ in range(draw(st.sampled_from([0, 1, 5, 400])) if ends else 0):
            graph.add_edge(ends[random.integers(len(ends))], ends[random.integers(len(ends))])
        for column in columns:
            drawn = draw(st.lists(value, min_size=1, max_size=3))
            cycle = itertools.cycle(drawn)
            for node in ends[: None if sane else draw(st.sampled_from([None, 1]))]:
                graph.nodes[node][column] = next(cycle)
            for _, _, attributes in graph.edges(data=True):
                attributes[column] = next(cycle)
        found.append(graph)
    return found


@st.composite
def pyg_objects(draw: Any) -> list[Data]:
    """Objects of PyTorch Geometric whose tensors need not fit each other."""
    found = []
    for _ in range(draw(st.integers(1, 3))):
        nodes = draw(st.sampled_from([0, 1, 2, 30]))
        random = torch.Generator().manual_seed(draw(st.integers(0, 2**32)))
        kind = draw(st.sampled_from([torch.int64, torch.int64, torch.int64, torch.int32, torch.float32]))
        low, high = draw(st.sampled_from([(0, nodes), (0, nodes), (-1, nodes), (0, nodes + 1)]))
        shape = draw(st.sampled_from([(2, 0), (2, 1), (2, 40), (2, 40), (3, 5), (5,)]))
        edges = torch.randint(low, max(high, low + 1), shape, generator=random).to(kind)
        value = draw(st.sampled_from([0.0, 1.0, 1e38, float("nan"), float("inf")]))
        x = draw(
            st.sampled_from(
                [None, (nodes, 3), (nodes, 3), (nodes + 1, 3), (nodes,), (nodes, 0), (nodes, 2, 2)]
            )
        )
        attributes = draw(st.sampled_from([None, (*shape[1:2], 2), (1, 2), ()]))
        y = draw(st.sampled_from([None, torch.tensor([1.0]), torch.tensor(1), torch.tensor([[1.0, 2.0]])]))
        data = Data(edge_index=edges, y=y, num_nodes=draw(st.sampled_from([nodes, None])))
        data.x = None if x is None else torch.full(x, value)
        data.edge_attr = None if attributes is None else torch.full(attributes, value)
        found.append(data)
    return found


def written_and_read(graphs: list[Any], place: Path) -> None:
    """In memory, and as files of every kind that can hold them."""
    writers: dict[str, Callable[[Any, Path], None]] = {
        "graphml": nx.write_graphml_xml,
        "gml": lambda graph, path: nx.write_gml(graph, path, stringizer=str),
        "edgelist": lambda graph, path: nx.write_edgelist(graph, path, data=False),
        "json": lambda graph, path: path.write_text(json.dumps(nx.node_link_data(graph, edges="edges"))),
    }
    refusing(lambda: load_graphs(graphs))
    for kind, write in writers.items():
        path = place / f"graph.{kind}"
        try:
            write(graphs[0], path)
        except (nx.NetworkXError, TypeError, ValueError, UnicodeError, KeyError):
            continue  # such a graph cannot be written so
        refusing(lambda path=path: leniently(path))


@st.composite
def stores(draw: Any) -> GraphStore:
    """Graphs as a model takes them: any size, density and finite numbers."""
    schema = Schema(
        node=(Column.categorical("kind", ["a", "b"]), Column.numeric("x", 2)),
        edge=(Column.categorical("bond", ["s", "d"]), Column.numeric("length")),
        targets=(),
    )
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    scale = draw(st.sampled_from([0.0, 1e-30, 1.0, 1e4, 1e30, 3e38]))
    graphs = []
    for nodes in draw(st.lists(st.sampled_from([0, 1, 2, 5, 30, 200]), min_size=1, max_size=6)):
        edges = random.integers(0, max(nodes, 1), (draw(st.sampled_from([0, 1, nodes, 4 * nodes])), 2))
        edges = edges if nodes else edges[:0]  # with loops and repetitions
        graphs.append(
            Graph(
                num_nodes=nodes,
                edges=edges,
                node_codes=random.integers(-1, 2, (nodes, 1)).astype(np.int16),
                node_values=(random.uniform(-1, 1, (nodes, 2)) * scale).astype(np.float32),
                edge_codes=random.integers(0, 2, (len(edges), 1)).astype(np.int16),
                edge_values=(random.uniform(-1, 1, (len(edges), 1)) * scale).astype(np.float32),
                targets=np.zeros(0),
                schema=schema,
            )
        )
    return GraphStore.from_graphs(graphs)


def learned(store: GraphStore, **options: Any) -> None:
    model = SubgraphInfoMax(hidden=4, layers=2, epochs=1, batch_size=4, num_subgraphs=2, **options).fit(store)
    vectors = model.transform(store)
    assert vectors.shape == (len(store), model.width)
    assert np.isfinite(vectors).all()


def graph_targets(place: Path) -> Iterator[tuple[str, st.SearchStrategy, Callable]]:
    yield "networks of networkx", networks(), lambda graphs: written_and_read(graphs, place)
    yield "objects of PyTorch Geometric", pyg_objects(), load_graphs
    for generator in GENERATORS:
        yield f"generator {generator}", stores(), lambda s, g=generator: learned(s, generator=g)
    for backbone in ("gin", "edge-network", "pyg:GCN", "pyg:GAT"):
        yield f"backbone {backbone}", stores(), lambda s, b=backbone: learned(s, backbone=b)


# ---------------------------------------------------------------- running


@dataclass
class Outcome:
    target: str
    inputs: int = 0
    refused: int = 0  # with a sentence
    slowest: float = 0.0  # seconds
    seconds: float = 0.0


def refusing(run: Callable[[], Any]) -> bool:
    """Whether it was refused with one sentence; anything else that is raised goes on."""
    try:
        run()
    except PartwholeError as error:
        if not str(error).strip():
            raise
        return True
    return False


def targets(place: Path) -> list[tuple[str, st.SearchStrategy, Callable]]:
    return [*file_targets(place), *graph_targets(place)]


def fuzz(name: str, inputs: st.SearchStrategy, run: Callable, count: int, drawn_by: int) -> Outcome:
    outcome = Outcome(name)
    started = time.perf_counter()

    @seed(drawn_by)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )
    @given(inputs)
    def one(content: Any) -> None:
        begun = time.perf_counter()
        signal.alarm(SECONDS)  # its default ends the process, also one that hangs in a library
        outcome.refused += refusing(lambda: run(content))
        signal.alarm(0)
        outcome.inputs += 1
        outcome.slowest = max(outcome.slowest, round(time.perf_counter() - begun, 3))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one()
    outcome.seconds = round(time.perf_counter() - started, 1)
    return outcome


def main() -> None:
    from rdkit import RDLogger

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000, help="of all targets together, at least")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="targets whose names hold this")
    parser.add_argument("--log", type=Path, default=ROOT / "results" / "fuzzing.jsonl")
    arguments = parser.parse_args()
    RDLogger.DisableLog("rdApp.*")
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        chosen = [t for t in targets(Path(folder)) if arguments.only in t[0]]
        slow = sum(t[0].startswith(("generator", "backbone")) for t in chosen)  # a fit for each input
        each = arguments.inputs // max(len(chosen) - slow, 1) + 1
        lines = []
        for name, inputs, run in chosen:
            count = each if not name.startswith(("generator", "backbone")) else min(each, 300)
            outcome = fuzz(name, inputs, run, count, arguments.seed)
            lines.append(json.dumps(asdict(outcome) | {"seed": arguments.seed}))
            print(lines[-1], flush=True)
    if not arguments.only:
        arguments.log.write_text("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    sys.exit(main())
