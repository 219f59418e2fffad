"""Do the types of parts agree with what is known of the nodes? No label is used to learn them.

    python benchmarks/parts.py --out results/parts.json

Truth: functional groups of molecules, and motifs planted in trees. Beside the vocabulary stand k-means of
the raw attributes (of degree, core number and triangles where there are none) with as many groups, and the
same on what the vocabulary itself looks at. Adjusted mutual information, inside a graph with several groups
(mean) and over all nodes; parts in use are two to the entropy of their sizes. Seeds 0 to 4; choices were
made on FreeSolv, BBBP and motifs of seeds 10 to 17.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_mutual_info_score as agreement

from partwhole import GraphStore, load_graphs, make_motif_graphs
from partwhole.parts.cells import described_nodes
from partwhole.parts.vocabulary import Vocabulary

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))
from make_parts import groups_of

SEEDS = range(5)
SIZES = (4, 16)
Learner = Callable[[GraphStore, int, int], np.ndarray]


def raw_attributes(store: GraphStore) -> np.ndarray:
    """What a person would take: the attributes of the nodes, or of their shape where there are none."""
    own = store.inputs(np.arange(len(store.marks))).attributes
    return own["node"].numpy() if store.schema.node else described_nodes(store)


def k_means(describe: Callable[[GraphStore], np.ndarray]) -> Learner:
    """Groups of nodes by k-means."""
    return lambda store, number, seed: KMeans(number, n_init=1, random_state=seed).fit_predict(
        describe(store)
    )


LEARNERS: dict[str, Learner] = {
    "vocabulary": lambda store, number, seed: Vocabulary.of(store, number, seed).types_of(store),
    "k-means of raw attributes": k_means(raw_attributes),
    "k-means of what the vocabulary sees": k_means(described_nodes),
}


def measured(store: GraphStore, truth: np.ndarray, found: np.ndarray) -> tuple[float, float, float]:
    """Agreement inside a graph and over all, and parts in use."""
    ends = store.node_ptr[1:-1]
    pairs = [(t, f) for t, f in zip(np.split(truth, ends), np.split(found, ends)) if len(np.unique(t)) > 1]
    share = np.unique(found, return_counts=True)[1] / len(found)
    inside = float(np.mean([agreement(t, f) for t, f in pairs]))
    return inside, float(agreement(truth, found)), float(2 ** -(share * np.log2(share)).sum())


def collections(seed: int) -> Iterator[tuple[str, GraphStore, np.ndarray]]:
    """Graphs whose nodes are known."""
    motifs = make_motif_graphs(random_state=seed)
    yield "MOTIFS", motifs, motifs.marks
    for name in ("ESOL", "Lipophilicity"):
        store = load_graphs(name)
        yield name, store, groups_of(store)


def main() -> None:
    """Measure all, print a table, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    out = parser.parse_args().out
    rows: dict[tuple[str, str, int], list[tuple[float, float, float]]] = {}
    for seed in SEEDS:
        for data, store, truth in collections(seed):
            for name, learn in LEARNERS.items():
                for number in SIZES:
                    figures = measured(store, truth, learn(store, number, seed))
                    rows.setdefault((data, name, number), []).append(figures)
        print(f"seed {seed} done", file=sys.stderr)
    print(
        "| graphs | parts by | at most | inside a graph | over all | in use |\n|---|---|---:|---:|---:|---:|"
    )
    for (data, name, number), seeds in sorted(rows.items()):
        cells = [f"{m:.2f} ± {s:.2f}" for m, s in zip(np.mean(seeds, 0), np.std(seeds, 0))]
        print(f"| {data} | {name} | {number} | {' | '.join(cells)} |")
    if out is not None:
        kept = [{"data": d, "parts": n, "most": k, "seeds": v} for (d, n, k), v in rows.items()]
        out.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
