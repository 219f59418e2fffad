"""Where training stands, and the state that a stopped run goes on from."""

from __future__ import annotations

import operator
from dataclasses import asdict, dataclass, field

from torch import Tensor, nn

from partwhole.errors import PartwholeError
from partwhole.runs.folder import RunFolder, load_weights
from partwhole.training.adam import Adam
from partwhole.training.validation import EpochChoice

MODEL, OPTIMIZER = "model.", "optimizer."
ONCE_KEPT_HERE = "model.summary."  # main directions, which are learned anew at the end of a fit


@dataclass
class Progress:
    """Where training stands: `epoch` epochs are done, and `step` steps of the next one."""

    epoch: int = 0
    step: int = 0
    sums: dict[str, float] = field(default_factory=dict)  # of the unfinished epoch's metrics
    graphs: int = 0  # that these sums are over
    seconds: float = 0.0  # spent on the unfinished epoch
    choice: EpochChoice = field(default_factory=EpochChoice)  # of the epoch, where graphs are held out for it


def write_state(run: RunFolder, model: nn.Module, optimizer: Adam, progress: Progress) -> None:
    """Keep weights, the moments of Adam and the progress."""
    tensors = {MODEL + name: tensor for name, tensor in model.state_dict().items()}
    tensors |= {OPTIMIZER + name: tensor for name, tensor in optimizer.state().items()}
    run.write_state(tensors, asdict(progress))


def read_state(run: RunFolder, model: nn.Module, optimizer: Adam) -> Progress:
    """Put weights and moments back; without a state, training starts from the beginning."""
    kept = run.read_state()
    if kept is None:
        return Progress()
    tensors, content = kept

    def under(prefix: str) -> dict[str, Tensor]:
        own = {k: v for k, v in tensors.items() if k.startswith(prefix) and not k.startswith(ONCE_KEPT_HERE)}
        return {name.removeprefix(prefix): tensor for name, tensor in own.items()}

    load_weights(model, under(MODEL), run.state_file)
    try:
        optimizer.load_state(under(OPTIMIZER))
        progress = Progress(**{**content, "choice": EpochChoice(**content.get("choice", {}))})
        for number in (progress.epoch, progress.step, progress.graphs):
            operator.index(number)
    except (KeyError, TypeError, ValueError, RuntimeError, AttributeError) as error:
        raise PartwholeError(f"{run.state_file} is damaged ({error}); fit again.") from None
    return progress
