"""Several processes, on one machine or more, that train one model (Lightning Fabric)."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

import torch
from torch import distributed

from partwhole.errors import PartwholeError

if TYPE_CHECKING:
    from lightning_fabric import Fabric


def launch(devices: int | None, machines: int | None, device: str) -> None:
    """Become one of `machines` × `devices` processes; under torchrun, one of those that it started.

    On GPUs each has its own and they speak NCCL; otherwise they share the cores and speak gloo.
    """
    if distributed.is_torchelastic_launched():
        devices, machines = int(os.environ["LOCAL_WORLD_SIZE"]), int(os.environ["GROUP_WORLD_SIZE"])
    devices, machines = 1 if devices is None else devices, 1 if machines is None else machines
    if devices < 1 or machines < 1:
        raise PartwholeError("Training needs at least one process; give --devices and --machines 1 or more.")
    if devices * machines == 1:
        return
    use_gpus = device != "cpu" and torch.cuda.is_available()
    if use_gpus and devices > torch.cuda.device_count():
        raise PartwholeError(
            f"This machine has {torch.cuda.device_count()} GPUs; give as many --devices, or --device cpu."
        )
    fabric = _fabric("cuda" if use_gpus else "cpu", devices, machines)
    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(max(1, (os.cpu_count() or 1) // devices))
    fabric.launch()


def _fabric(accelerator: str, devices: int, machines: int) -> Fabric:
    try:
        from lightning_fabric import Fabric
    except ImportError:
        raise PartwholeError(
            "Several processes need Lightning Fabric; install it with `pip install 'partwhole[scale]'`."
        ) from None
    logging.getLogger("lightning_fabric").setLevel(logging.WARNING)  # it tells of every process
    return Fabric(accelerator=accelerator, devices=devices, num_nodes=machines, strategy="ddp")
