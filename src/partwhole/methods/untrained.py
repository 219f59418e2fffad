"""The same encoder before its first step: what every learned method has to beat."""

from __future__ import annotations

from partwhole.config import UntrainedConfig
from partwhole.estimators.base import GraphEstimator
from partwhole.estimators.fits import Fit, Kept
from partwhole.estimators.networks import NetworkEncoder, NetworkInputs, with_first_weights
from partwhole.graphs.schema import Schema
from partwhole.model import PartWhole
from partwhole.registry import METHODS


@METHODS.register
class UntrainedEncoder(GraphEstimator[UntrainedConfig]):
    """The paper's encoder with its first weights."""

    method = "untrained"
    idea = "the encoder with random weights, no learning at all"
    paper = "a baseline: the gain of training is the gain over this row"
    learns_from = "nothing"
    config_class = UntrainedConfig

    def learn(self, fit: Fit[UntrainedConfig]) -> NetworkEncoder:
        """Draw the weights."""
        learned = _first(fit.config, fit.store.schema)
        learned.network.to(learned.device).eval()
        return learned

    def restore(self, kept: Kept[UntrainedConfig]) -> NetworkEncoder:
        """The weights that were drawn."""
        learned = _first(kept.config, kept.schema)
        learned.restore(kept.tensors, kept.path)
        return learned


def _first(config: UntrainedConfig, schema: Schema) -> NetworkEncoder:
    inputs = NetworkInputs.of(schema, config)
    model = with_first_weights(
        config.random_state, lambda: PartWhole.from_config(config, inputs.widths, inputs.edge_width)
    )
    return NetworkEncoder(model, model, inputs, config, lift=config.lift, subgraphs=True)
