"""Any basic model of PyTorch Geometric as a backbone: `pyg:GCN`, `pyg:GraphSAGE`, `pyg:GAT`, …"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn

from partwhole.errors import PartwholeError, near_miss
from partwhole.graphs.graph import GraphBatch
from partwhole.registry import BACKBONES

if TYPE_CHECKING:
    from torch_geometric.nn.models.basic_gnn import BasicGNN


@BACKBONES.register
class PyGBackbone(nn.Module):
    """L layers of `torch_geometric.nn.<variant>`, with BatchNorm as in our GIN."""

    lifts = False  # message passing over explicit edges

    def __init__(self, hidden: int, layers: int, variant: str = "GCN", **options: Any):
        """`options` are those of the model's convolution."""
        super().__init__()
        models = _basic_models()
        if variant not in models:
            raise PartwholeError(
                f"PyTorch Geometric has no basic model {variant!r}.{near_miss(variant, models)}"
            )
        # Jumping knowledge by concatenation hands out every layer; its final mix is our layer-conv.
        model = models[variant](hidden, hidden, layers, norm="batch_norm", jk="cat", **options)
        model.lin = nn.Identity()
        self.model, self.layers = model, layers

    def forward(self, x: Tensor, batch: GraphBatch) -> list[Tensor]:
        """X^(0) [n, d] -> X^(1) … X^(L), [n, d] each"""
        stacked = self.model(x, batch.edge_index)  # [n, L * d]
        return list(stacked.chunk(self.layers, dim=1))


def _basic_models() -> dict[str, type[BasicGNN]]:
    """The subclasses of PyTorch Geometric's `BasicGNN` that can be built without extra arguments."""
    try:
        from torch_geometric.nn import models
        from torch_geometric.nn.models.basic_gnn import BasicGNN
    except ImportError:
        raise PartwholeError(
            "The backbone 'pyg' needs PyTorch Geometric; install it with `pip install 'partwhole[pyg]'`."
        ) from None
    needs_data = {"PNA"}  # wants the degree histogram of the training set
    return {
        name: member
        for name, member in vars(models).items()
        if inspect.isclass(member) and issubclass(member, BasicGNN) and name not in {"BasicGNN", *needs_data}
    }
