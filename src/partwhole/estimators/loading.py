"""Runs back from their folders, by whichever method they were made."""

from __future__ import annotations

from pathlib import Path

from partwhole.estimators.base import AnyEstimator
from partwhole.parts.vocabulary import Vocabulary
from partwhole.registry import METHODS
from partwhole.runs.folder import RunFolder
from partwhole.runs.pretrained import pretrained_folder, run_folder


def load_run(path: str | Path, epoch: int | None = None) -> AnyEstimator:
    """The fitted estimator of a run folder.

    Parameters
    ----------
    path : path
        The folder of a run, or the name of a pretrained encoder.
    epoch : int, optional
        What was kept after so many epochs, in place of what was learned in the end.

    Returns
    -------
    A fitted estimator, ready for `transform`.
    """
    run = RunFolder(run_folder(path))
    facts = run.read_config()
    method: type[AnyEstimator] = METHODS.get(facts.get("method", ""))
    kept = facts, run.read_weights(epoch), run.path, run.read_metrics()
    return method.restored(*kept, vocabulary=Vocabulary.read(run))


def load_pretrained(name: str = "molecules") -> AnyEstimator:
    """An encoder that comes with the package, ready for `transform`.

    Parameters
    ----------
    name : str
        The name of the encoder; `partwhole methods` lists them.
    """
    return load_run(pretrained_folder(name))
