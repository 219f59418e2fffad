"""What the description `numbers` adds where nodes carry numbers, not categories.

The atoms of molecules are given by three numbers alone: the logarithm of their weight, their covalent radius
and their outer electrons. Their elements as categories stand beside, for what could be known. Where the
target is a number, the classes are above and below its median. Folds of seeds from 100 on.

    python benchmarks/recipe_numbers.py MUTAG PTC_MR FreeSolv --seeds 5
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from over_seeds import print_over_seeds
from rdkit.Chem import GetPeriodicTable

from partwhole import GraphStore, SubgraphInfoMax, load_graphs
from partwhole.evaluation.classifiers import fold_accuracies
from partwhole.graphs.schema import Column, Schema

FIRST_SEED = 100
WAYS = ("numbers, without their description", "numbers, best", "categories, best")


def by_category(store: GraphStore) -> GraphStore:
    """Atoms by their element, without bonds."""
    schema = Schema(node=store.schema.node[:1], targets=store.schema.targets)
    edges = store.neighbor[:, None][:, :0]
    return replace(
        store,
        schema=schema,
        node_codes=store.node_codes[:, :1],
        edge_codes=edges.astype(np.int16),
        edge_values=edges.astype(np.float32),
    )


def by_number(store: GraphStore) -> GraphStore:
    table = GetPeriodicTable()
    symbols = [name if name.isalpha() and len(name) < 3 else "C" for name in store.schema.node[0].values]
    about = np.array(
        [[np.log(table.GetAtomicWeight(s)), table.GetRcovalent(s), table.GetNOuterElecs(s)] for s in symbols]
    )
    values = about[store.node_codes[:, 0]].astype(np.float32)
    column = Column.numeric("element", 3).standardised(values)
    return replace(
        store,
        schema=replace(store.schema, node=(column,)),
        node_codes=store.node_codes[:, :0],
        node_values=values,
    )


def one_run(name: str, seed: int) -> list[float]:
    store, seed = by_category(load_graphs(name)), FIRST_SEED + seed
    target = store.targets[:, 0]
    labels = (
        store.labels if store.schema.targets[0].is_categorical else (target > np.median(target)).astype(int)
    )
    found = []
    for graphs, recipe in (by_number(store), "without-numbers"), (by_number(store), "best"), (store, "best"):
        model = SubgraphInfoMax(recipe=recipe, epochs=20, random_state=seed, snapshot_every=0)
        vectors = model.fit(graphs).transform(graphs)
        found.append(float(fold_accuracies(vectors, labels, seed=seed).mean()))
    return found


if __name__ == "__main__":
    print_over_seeds(__doc__.splitlines()[0], WAYS, one_run)
