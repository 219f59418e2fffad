"""Losses, weights and vectors of short fits, as stored before a change of the house and as they are now.

Machines round in different ways, so the file has figures for each kind of machine that made them.
`python tests/stored_figures.py` writes those of this kind anew. That is right only where a change of numbers
is meant, and then the figures of other kinds must go.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load_file

from partwhole import GraphStore, load_graphs
from partwhole.registry import METHODS
from places import TESTS

FILE = TESTS / "stored_figures.json"
SETS = ("MUTAG", "PTC_MR", "IMDB-BINARY")
QUICK = {"epochs": 2, "hidden": 16, "layers": 2, "random_state": 3}
RECIPES = (
    "best",
    "paper",
    "without-colors",
    "without-numbers",
    "without-structure",
    "without-network",
    "structure-only",
    "random-directions",
)
# Recipes trained in this way when the figures were stored.
LETTER = {"pair_score": "dot", "selection": "straight-through", "objective": "bound"}
CASES: dict[str, tuple[str, dict[str, object]]] = {
    **{f"recipe {r}": ("subgraph-infomax", {**QUICK, **LETTER, "recipe": r}) for r in RECIPES},
    **{
        f"generator {g}": ("subgraph-infomax", {**QUICK, "recipe": "paper", "generator": g})
        for g in ("multi-head", "autoregressive")
    },
    "bound dv, cosine": (
        "subgraph-infomax",
        {**QUICK, "recipe": "paper", "estimator": "dv", "pair_score": "cosine"},
    ),
    "base": (
        "subgraph-infomax",
        {**QUICK, "recipe": "paper", "subgraph_conv": False, "head_negatives": False},
    ),
    "not lifted": ("subgraph-infomax", {**QUICK, "recipe": "paper", "lift": False}),
    "set2set": ("subgraph-infomax", {**QUICK, "recipe": "paper", "readout": "set2set"}),
    "untrained": ("untrained", {"hidden": 16, "layers": 2, "random_state": 3}),
    **{name: (name, QUICK) for name in ("infograph", "graphcl", "graphmae", "mvgrl")},
    **{name: (name, {}) for name in ("wl", "sp", "rw", "counts")},
    **{name: (name, QUICK) for name in ("classifier", "gin-0")},
    "classifier, mean teacher": ("classifier", {**QUICK, "unlabelled": "mean-teacher"}),
    "regressor": ("regressor", QUICK),
    "logistic": ("logistic", {"vectors": "wl"}),
    "ridge": ("ridge", {"vectors": "wl"}),
}


def figures(store: GraphStore, case: str) -> dict[str, object]:
    """What came of one fit: digests for the last bit, a few numbers for machines that round otherwise."""
    method, options = CASES[case]
    model = METHODS.get(method)(**options)
    if model.learns_from == "labels":
        y = store.targets[:, 0].copy()
        y[::3] = np.nan
        model.fit(store, y)
    else:
        model.fit(store)
    vectors = model.transform(store)
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "run")
        weights = load_file(Path(folder) / "run" / "model.safetensors")
    losses = [row["loss"] for row in model.history_]
    found: dict[str, object] = {
        "losses": losses,
        "weights": _digest(*(weights[name] for name in sorted(weights))),
        "vectors": _digest(vectors),
        "tensors": len(weights),
        "width": vectors.shape[1],
        "length": float(np.linalg.norm(vectors)),
    }
    if model.learns_from == "labels":
        predicted = np.asarray(model.predict(store), np.float64)
        found["predicted"], found["mean"] = _digest(predicted), float(predicted.mean())
    return found


def arithmetic() -> str:
    """How this machine rounds: equal where the figures are to be equal to the last bit."""
    random = np.random.default_rng(0)
    x = random.normal(size=(300, 200)).astype(np.float32)
    t = torch.from_numpy(x)
    parts = [x.T @ x, np.linalg.eigh(x.T.astype(np.float64) @ x)[1], (t @ t.T).numpy(), t.exp().numpy()]
    parts += [t.logsumexp(1).numpy(), torch.nn.functional.batch_norm(t, None, None, training=True).numpy()]
    return _digest(np.array([torch.__version__, np.__version__]).view(np.uint8), *parts)


def _digest(*arrays: np.ndarray) -> str:
    whole = hashlib.sha256()
    for array in arrays:
        whole.update(np.ascontiguousarray(array).tobytes())
    return whole.hexdigest()[:16]


if __name__ == "__main__":
    torch.set_num_threads(1)
    stored = json.loads(FILE.read_text())
    here = stored[arithmetic()] = {}
    for data in SETS:
        for case in CASES:
            print(data, case, file=sys.stderr)
            here[f"{data}: {case}"] = figures(load_graphs(data), case)
    FILE.write_text(json.dumps(stored, indent=1) + "\n")
