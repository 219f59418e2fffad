"""Train the encoder that comes with the package, `make pretrained`: an hour on two cores.

It learns from molecules drawn in `collect.py`, by the paper's bound and by telling what RDKit computes of
them; of those of QM9 also numbers of quantum chemistry. Nothing measured is read.
docs/notes/molecule-encoder.md says how the options were chosen.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
from collect import POOL, QM9, QUANTUM, stored
from safetensors.torch import load_file, save_file

from partwhole import GraphStore
from partwhole.graphs.schema import Column
from partwhole.methods.molecule_infomax import MoleculeInfoMax
from partwhole.runs.folder import RunFolder
from partwhole.runs.landmarks import landmarks_of
from partwhole.runs.pretrained import HOME

OPTIONS = {"epochs": 18, "batch_size": 256, "threads": 2, "targets": QUANTUM, "snapshot_every": 0}
OPTIONS |= {"random_state": 0, "verbose": True}
WORK = Path("runs") / "pretraining"
WHOLE, LEARNED = "molecules", "molecules-learned"  # what the encoders are called: all views, and one


def with_numbers(store: GraphStore, numbers: np.ndarray) -> GraphStore:
    """The store with what is known of some molecules by quantum chemistry."""
    return replace(
        store, targets=numbers, schema=replace(store.schema, targets=tuple(map(Column.numeric, QUANTUM)))
    )


def main() -> None:
    """Stopped at any moment, it goes on where it was."""
    store, run = with_numbers(*stored(WORK)), WORK / "run"
    if not RunFolder(run).weights_file.exists():
        MoleculeInfoMax(**OPTIONS).fit_run(store, run, resume=RunFolder(run).exists())
    whole, learned = HOME / WHOLE, HOME / LEARNED
    for folder in (whole, learned):
        folder.mkdir(exist_ok=True)
    pack(run / "model.safetensors", whole / "model.safetensors")
    for file in ("metrics.jsonl", "vocabulary.safetensors"):
        shutil.copy(run / file, whole / file)
    about = RunFolder(run).read_config()
    about["data"] |= {"name": f"{POOL:,} of the pool, {QM9:,} of QM9, none of a benchmark", "path": ""}
    about["schema"]["targets"] = []
    del about["format"]
    RunFolder(whole).write_config(about)
    about["options"] |= {"descriptors": False, "patterns": False}
    RunFolder(learned).write_config(about)
    for file in ("model.safetensors", "metrics.jsonl", "vocabulary.safetensors"):
        (learned / file).unlink(missing_ok=True)
        (learned / file).symlink_to(Path("..") / WHOLE / file)
    for folder in (whole, learned):
        encoder = MoleculeInfoMax.load(folder)
        if landmarks := landmarks_of(encoder.transform, store, encoder.width):
            landmarks.write(folder)


def pack(weights: Path, target: Path) -> None:
    """Matrices in half precision, which halves the package and moves vectors by a thousandth."""
    kept = {
        name: t.half() if t.ndim > 1 and t.is_floating_point() else t
        for name, t in load_file(weights).items()
    }
    save_file(kept, target, {"format": "1"})


if __name__ == "__main__":
    main()
