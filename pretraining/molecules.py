"""Train the encoder that comes with the package, `make pretrained`: ten minutes on two cores.

Data: SMILES of MOSES (drug-like) and of QM9 (all small molecules of C, N, O, F), drawn by a seed, from
$PARTWHOLE_DATA. No label of any kind is read. The choice of options is in docs/notes/molecule-encoder.md.
"""

from __future__ import annotations

import csv
import gzip
import lzma
import os
import random
import shutil
from pathlib import Path

from partwhole import GraphStore, SubgraphInfoMax, load_graphs
from partwhole.runs.folder import RunFolder
from partwhole.runs.landmarks import landmarks_of
from partwhole.runs.pretrained import HOME
from partwhole.sources.readers.molecules import stream_molecules

MOSES, QM9, SEED = 160_000, 40_000, 0  # molecules of each
OPTIONS = {"recipe": "paper", "generator": "multi-head", "epochs": 2, "snapshot_every": 0}
OPTIONS |= {"random_state": SEED, "verbose": True}
WORK = Path("runs") / "pretraining"


def smiles() -> list[str]:
    root, draw = Path(os.environ["PARTWHOLE_DATA"]), random.Random(SEED)
    with gzip.open(root / "moses" / "train.csv.gz", "rt") as file:
        moses = [row["SMILES"] for row in csv.DictReader(file)]
    with lzma.open(root / "qm9" / "qm9_targets.csv.xz", "rt") as file:
        qm9 = [row["smiles"] for row in csv.DictReader(file)]
    taken = draw.sample(moses, MOSES) + draw.sample(qm9, QM9)
    draw.shuffle(taken)
    return taken


def graphs() -> GraphStore:
    """Parsed once."""
    place = WORK / "store"
    return load_graphs(place) if place.exists() else stream_molecules(smiles(), place)


def main() -> None:
    """Stopped at any moment, it goes on where it was."""
    store, run = graphs(), WORK / "run"
    encoder = SubgraphInfoMax(**OPTIONS).fit_run(store, run, resume=RunFolder(run).exists())
    target = HOME / "molecules"
    target.mkdir(exist_ok=True)
    for file in ("metrics.jsonl", "model.safetensors"):
        shutil.copy(run / file, target / file)
    about = RunFolder(run).read_config()
    about["data"] |= {
        "name": f"{MOSES:,} of MOSES, {QM9:,} of QM9",
        "path": "",
    }  # a path means nothing elsewhere
    del about["format"]
    RunFolder(target).write_config(about)
    if landmarks := landmarks_of(encoder.transform, store, encoder.width):
        landmarks.write(target)


if __name__ == "__main__":
    main()
