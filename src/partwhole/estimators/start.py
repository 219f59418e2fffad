"""Weights to begin with: those of another run instead of random ones."""

from __future__ import annotations

import hashlib

from partwhole.config import FitConfig
from partwhole.errors import PartwholeError
from partwhole.estimators.fits import Fit
from partwhole.estimators.loading import load_run
from partwhole.model import PartWhole
from partwhole.runs.folder import RunFolder
from partwhole.runs.pretrained import names, run_folder

# What two models agree in when one begins with the weights of the other, and with those of its subgraphs.
SHAPE = ("hidden", "layers", "backbone", "readout", "structure")
SHAPE_OF_SUBGRAPHS = ("generator", "num_subgraphs", "subgraph_conv")


def start_from(run: str, model: PartWhole, fit: Fit[FitConfig]) -> None:
    """Put the weights of a run in place of the random ones. It must know the same attributes and have the
    same shape; if subgraphs are made in another way there, ours begin with random weights."""
    if not run:
        return
    fit.facts["start"] = {"weights": _digest(run)}
    start = load_run(run)
    theirs_model = start.learned_.model
    if not isinstance(theirs_model, PartWhole):
        raise PartwholeError(
            f"{run} is a run of {start.method}, whose weights cannot be used here; give a run of "
            "subgraph-infomax."
        )
    if not start.schema_.same_inputs(fit.store.schema):
        raise PartwholeError(
            f"{run} was fitted to graphs with other attributes; begin with a run on graphs of the same kind, "
            "or leave start_from out."
        )
    theirs = start.config_class.completed(start.about_["options"])
    ours = fit.config.plain_options()
    for name in SHAPE:
        if theirs[name] != ours[name]:
            raise PartwholeError(
                f"{run} has {name} = {theirs[name]!r}, not {ours[name]!r}; give the same, or leave "
                "start_from out."
            )
    # Where nodes are divided is found anew by every fit.
    weights = {k: v for k, v in theirs_model.state_dict().items() if ".generator.middle." not in k}
    if any(theirs[name] != ours[name] for name in SHAPE_OF_SUBGRAPHS):
        weights = {k: v for k, v in weights.items() if not k.startswith("subgraph_aggregation.")}
    model.load_state_dict(model.state_dict() | weights)


def _digest(run: str) -> str:
    weights = RunFolder(run_folder(run)).weights_file
    if not weights.exists():
        raise PartwholeError(
            f"There is no finished run {run} to begin with; give the folder of one, or a pretrained encoder "
            f"({', '.join(names())})."
        )
    return hashlib.sha256(weights.read_bytes()).hexdigest()
