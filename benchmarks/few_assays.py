"""Few labels on assays that no training saw: the validation assays of FS-Mol, by its measure.

Of each assay 16, 64 or 128 molecules, drawn so that the share of actives is kept, are learned from, and all
others are tested. ΔAUPRC is the average precision minus the share of actives: the mean over assays of the
mean over draws.

    OMP_NUM_THREADS=1 PARTWHOLE_DATA=… python benchmarks/few_assays.py
"""

from __future__ import annotations

import csv
import gzip
import os
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedShuffleSplit

from partwhole import load_graphs, load_pretrained
from partwhole.estimators.property.choosing import candidates_of, choose
from partwhole.estimators.property.heads import Views
from partwhole.methods.descriptors import RDKitDescriptors
from partwhole.methods.morgan import MorganFingerprints

LABELS, DRAWS, TREES = (16, 64, 128), 5, 200
FEWEST = 16  # molecules that are left to test
STRENGTHS = np.logspace(-4, 1, 6)  # C of logistic regression
Head = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]  # x, y, x to test -> scores


def logistic(x: np.ndarray, y: np.ndarray, tested: np.ndarray) -> np.ndarray:
    """Columns in their own proportion; C by the log-loss of three folds."""
    center, spread = x.mean(axis=0), x.std(axis=0).max() or 1.0
    model = LogisticRegressionCV(Cs=STRENGTHS, cv=3, scoring="neg_log_loss", max_iter=300)
    return model.fit((x - center) / spread, y).decision_function((tested - center) / spread)


def forest(x: np.ndarray, y: np.ndarray, tested: np.ndarray) -> np.ndarray:
    """A random forest as it comes, with more trees."""
    return RandomForestClassifier(TREES, random_state=0).fit(x, y).predict_proba(tested)[:, 1]


def predictor(views: Views) -> Head:
    """What `partwhole fit` does of itself, on vectors with these views."""

    def head(x: np.ndarray, y: np.ndarray, tested: np.ndarray) -> np.ndarray:
        one = np.eye(2)[y]
        found = choose(x, one, views, candidates_of(views), classes=True, seed=0, groups=None)
        return found.say(tested, views).mean[:, 1]

    return head


def assays() -> tuple[list[str], dict[str, tuple[np.ndarray, np.ndarray]]]:
    """All SMILES, and of each assay the places of its molecules and whether they are active."""
    with gzip.open(Path(os.environ["PARTWHOLE_DATA"]) / "fsmol" / "valid.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    places = {smiles: k for k, smiles in enumerate(dict.fromkeys(row["smiles"] for row in rows))}
    found = defaultdict(list)
    for row in rows:
        found[row["assay"]].append((places[row["smiles"]], int(row["active"])))
    return list(places), {assay: tuple(np.array(pairs).T) for assay, pairs in found.items()}


def gain(
    x: np.ndarray, of_assays: dict[str, tuple[np.ndarray, np.ndarray]], labels: int, head: Head
) -> float:
    """ΔAUPRC; an assay that has too few molecules is left out."""
    means = []
    for places, active in of_assays.values():
        if len(active) < labels + FEWEST:
            continue
        draws = StratifiedShuffleSplit(DRAWS, train_size=labels, random_state=0).split(places, active)
        found = [
            average_precision_score(active[b], head(x[places[a]], active[a], x[places[b]])) - active[b].mean()
            for a, b in draws
        ]
        means.append(np.mean(found))
    return float(np.mean(means))


def main(only: list[str]) -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.simplefilter("ignore", FutureWarning)
    smiles, of_assays = assays()
    graphs = load_graphs(smiles, strict=False)
    row_of = {smile: k for k, smile in enumerate(graphs.ids.tolist())}
    for assay, (places, active) in of_assays.items():  # of those that RDKit can read
        read = np.array([smiles[p] in row_of for p in places])
        of_assays[assay] = np.array([row_of[smiles[p]] for p in places[read]]), active[read]
    views: dict[str, Callable[[], np.ndarray]] = {
        "Morgan counts": lambda: np.log1p(MorganFingerprints(counts=True).fit(graphs).transform(graphs)),
        "descriptors + counts": lambda: RDKitDescriptors().fit(graphs).transform(graphs),
        "encoder of before": lambda: load_pretrained("molecules-small").transform(graphs),
        "learned": lambda: load_pretrained("molecules-learned").transform(graphs),
        "default vector": lambda: load_pretrained("molecules").transform(graphs),
    }
    print("| vectors | head | " + " | ".join(map(str, LABELS)) + " |\n|---|---|" + "---:|" * len(LABELS))
    for name, vectors in views.items():
        x = vectors() if not only or name in only else None
        heads: dict[str, Head] = {"logistic": logistic, "forest": forest}
        if name == "default vector":
            heads["several together"] = predictor(load_pretrained("molecules").learned_.views)
        for called, head in heads.items() if x is not None else ():
            found = " | ".join(f"{gain(x, of_assays, n, head):.3f}" for n in LABELS)
            print(f"| {name} | {called} | {found} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
