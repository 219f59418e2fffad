"""Do parts agree with what is known of the nodes? No label is used to find them.

    python benchmarks/parts.py

It writes results/parts.json and prints the tables of docs/parts.md, in 12 minutes of one core. Seeds 0
to 4; networks (losses of pooling, generators) seeds 0 and 1, trained on at most 300 graphs. Every rival
that can be told a number of types is told that of the vocabulary; generators make four subgraphs, whose
overlaps count as types too. Spectral clustering and random cuts are told the true number of pieces of each
graph.

- over all: adjusted mutual information of types and true groups, all nodes of all graphs.
- types inside, pieces inside: the same inside a graph, mean over graphs with several groups (of 200 that
  are spread evenly); of types, and of connected pieces of types and of true groups.
- AUC: of the best type for each planted group, a node's score being 1 if it has the type; mean over groups.
  The best type is taken after looking, for the vocabulary and its rivals alike.
- in use: two to the entropy of the sizes of types. connected: how often a type is one piece of a graph.

The choices of the vocabulary were made on FreeSolv, BBBP and planted motifs of seeds from 10 on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from parts_rivals import CUTS, SLOW, TYPED, cut_all
from parts_tables import RESULTS, all_tables
from parts_truth import Known, Truth, molecules, pieces, planted
from sklearn import set_config
from sklearn.metrics import adjusted_mutual_info_score as agreement

from partwhole import GraphStore, load_graphs
from partwhole.parts.merging import in_use
from partwhole.parts.vocabulary import Vocabulary

SEEDS = range(5)
SLOW_SEEDS = range(2)
MOST_INSIDE = 200
EVEN_SETS = (
    "MUTAG",
    "PTC_MR",
    "IMDB-BINARY",
    "IMDB-MULTI",
    "PROTEINS",
    "NCI1",
    "REDDIT-BINARY",
    "REDDIT-MULTI-5K",
    "ESOL",
)
MEASURES = ("over all", "types inside", "pieces inside", "AUC", "in use", "connected")
Figures = dict[str, float | None]


def measured(store: GraphStore, truth: Truth, types: np.ndarray) -> Figures:
    """All measures of types that mean the same in every graph."""
    own = pieces(store, types)
    typed = truth.typed
    return {
        "over all": float(agreement(truth.groups, types)) if typed else None,
        "types inside": agreement_inside(store, truth.groups, types) if typed else None,
        "pieces inside": agreement_inside(store, true_pieces(store, truth), own),
        "AUC": None if truth.background is None else best_type_auc(truth, types),
        "types": len(np.unique(types)),
        "in use": in_use(np.unique(types, return_counts=True)[1]),
        "connected": connected_share(store, types, own),
    }


def true_pieces(store: GraphStore, truth: Truth) -> np.ndarray:
    """[N] connected pieces of true groups"""
    return pieces(store, truth.groups) if truth.typed else truth.groups


def agreement_inside(store: GraphStore, truth: np.ndarray, found: np.ndarray) -> float:
    """Mean over graphs with several true groups."""
    rows = np.unique(np.linspace(0, len(store) - 1, min(len(store), MOST_INSIDE)).astype(int))
    pairs = [(truth[a:b], found[a:b]) for a, b in zip(store.node_ptr[rows], store.node_ptr[rows + 1])]
    return float(np.mean([agreement(t, f) for t, f in pairs if len(np.unique(t)) > 1]))


def best_type_auc(truth: Truth, types: np.ndarray) -> float:
    """Of a score that is 0 or 1: half of one more than hits less false alarms."""
    best = []
    for group in np.unique(truth.groups[truth.groups != truth.background]):
        within = truth.groups == group
        hits = [(types[within] == t).mean() - (types[~within] == t).mean() for t in np.unique(types)]
        best.append((1 + max(hits)) / 2)
    return float(np.mean(best))


def connected_share(store: GraphStore, types: np.ndarray, own: np.ndarray) -> float:
    """Of all types of all graphs, those that are one connected piece there."""
    graph = np.repeat(np.arange(len(store)), store.num_nodes)
    of_piece = np.unique(np.stack([graph, types, own]), axis=1)
    number = np.unique(of_piece[:2], axis=1, return_counts=True)[1]
    return float((number == 1).mean())


def rows_of(known: Known, seed: int) -> Iterator[tuple[str, str, Figures]]:
    """Truth, what made the parts, and their figures."""
    number = Vocabulary.of(known.store, known.most_types, seed).number
    learners = {**TYPED, **(SLOW if seed in SLOW_SEEDS else {})}
    for name, learn in learners.items():
        types = learn(known.store, number, seed)
        for truth in known.truths:
            yield truth.name, name, measured(known.store, truth, types)
    rows = np.unique(np.linspace(0, len(known.store) - 1, min(len(known.store), MOST_INSIDE)).astype(int))
    some = known.store.take(rows)
    chosen = np.isin(np.repeat(np.arange(len(known.store)), known.store.num_nodes), rows)
    for truth in known.truths:
        true = true_pieces(known.store, truth)[chosen]
        for name, cut in CUTS.items():
            found = cut_all(some, true, cut, seed)
            inside = {"pieces inside": agreement_inside(some, true, found)}
            yield truth.name, name, {**dict.fromkeys(MEASURES), **inside}


def even_types(name: str) -> dict[str, float]:
    """Types in use when exactly four are asked for, and when the usual ones are merged to four."""
    store = load_graphs(name)
    sizes = {
        "exactly": Vocabulary.of(store, types=4, exactly=True).types_of(store),
        "merged": Vocabulary.of(store).merged(4).types_of(store),
    }
    return {how: in_use(np.bincount(types)) for how, types in sizes.items()}


def with_vocabulary_anew(kept: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The figures that were kept, with those of the vocabulary measured again."""
    fixed = list(molecules())
    for row in kept:
        row["parts"]["vocabulary"] = []
    for seed in SEEDS:
        for known in [*planted(seed), *fixed]:
            vocabulary = Vocabulary.of(known.store, known.most_types, seed)
            types = vocabulary.types_of(known.store)
            for truth in known.truths:
                asked = (known.name, truth.name, known.most_types)
                (row,) = [r for r in kept if (r["data"], r["truth"], r["most"]) == asked]
                row["parts"]["vocabulary"].append(measured(known.store, truth, types))
    return kept


def main() -> None:
    """Measure, print the tables, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--vocabulary-only", action="store_true", help="rivals keep the figures they have")
    only = parser.parse_args().vocabulary_only
    set_config(skip_parameter_validation=True)  # which takes longer than the agreement of a small graph
    kept = with_vocabulary_anew(json.loads(RESULTS.read_text())["agreement"]) if only else all_figures()
    even = {name: even_types(name) for name in EVEN_SETS}
    results = {"agreement": kept, "four types in use": even}
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    print(all_tables(results))


def all_figures() -> list[dict[str, Any]]:
    """Those of the vocabulary and of all rivals."""
    found: dict[tuple[str, str, int], dict[str, list[Figures]]] = {}
    fixed = list(molecules())
    for seed in SEEDS:
        for known in [*planted(seed), *fixed]:
            for truth, name, figures in rows_of(known, seed):
                rows = found.setdefault((known.name, truth, known.most_types), {})
                rows.setdefault(name, []).append(figures)
            print(f"seed {seed}: {known.name} done", file=sys.stderr, flush=True)
    return [{"data": d, "truth": t, "most": k, "parts": rows} for (d, t, k), rows in found.items()]


if __name__ == "__main__":
    main()
