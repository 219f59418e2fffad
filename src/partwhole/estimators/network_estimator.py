"""Methods that train a network without labels."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Generic, TypeVar

from partwhole.config import TrainConfig
from partwhole.estimators.base import GraphEstimator
from partwhole.estimators.encoder import Encoder
from partwhole.estimators.fits import Fit, Kept
from partwhole.estimators.networks import NetworkEncoder, NetworkInputs, carry_out, with_first_weights
from partwhole.nn.graph_encoder import GraphEncoder
from partwhole.training.plan import TrainingPlan
from partwhole.training.threads import using_threads

T = TypeVar("T", bound=TrainConfig)
G = TypeVar("G", bound=GraphEncoder)


class NetworkEstimator(GraphEstimator[T], Generic[T, G]):
    """A method says which network is trained, and how: `build` and `plan`."""

    resumable = True
    bare_nodes: ClassVar[str] = "degree"  # the structure attribute of nodes that have nothing else

    @abstractmethod
    def build(self, config: T, inputs: NetworkInputs) -> G:
        """The network with its first weights."""

    @abstractmethod
    def plan(self, network: G, fit: Fit[T]) -> TrainingPlan[G, Any]:
        """What is trained, and on what; `fit.store` has the structure attributes."""

    def encoder(self, network: G, config: T, inputs: NetworkInputs) -> NetworkEncoder:
        """How the network gives vectors."""
        return NetworkEncoder(network, network, inputs, config, lift=getattr(config, "lift", True))

    def learn(self, fit: Fit[T]) -> Encoder:
        """Train the network as planned."""
        learned = self._first(fit.config, NetworkInputs.of(fit.store.schema, fit.config, self.bare_nodes))
        fit.store = learned.inputs.prepared(fit.store)
        with using_threads(learned.threads(fit.store, fit.config.batch_size)):
            network: G = learned.network  # type: ignore[assignment]
            carry_out(self.plan(network, fit), fit)
        return learned

    def restore(self, kept: Kept[T]) -> Encoder:
        """The network with the weights that it had."""
        learned = self._first(kept.config, NetworkInputs.of(kept.schema, kept.config, self.bare_nodes))
        learned.restore(kept.tensors, kept.path)
        return learned

    def _first(self, config: T, inputs: NetworkInputs) -> NetworkEncoder:
        network = with_first_weights(config.random_state, lambda: self.build(config, inputs))
        return self.encoder(network, config, inputs)
