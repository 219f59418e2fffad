"""Vectors of molecules: what a network learned of parts and whole, and what can be said exactly."""

from __future__ import annotations

import shutil

import numpy as np

from partwhole.estimators.base import GraphEstimator
from partwhole.estimators.encoder import Encoder
from partwhole.estimators.fits import Fit, Kept
from partwhole.estimators.molecules.encoder import MoleculeEncoder
from partwhole.estimators.molecules.network import ToldObjective
from partwhole.estimators.molecules.options import MoleculeConfig
from partwhole.estimators.molecules.told import numbers_of, what_is_known
from partwhole.estimators.networks import carry_out
from partwhole.losses.head_tail import PAPER
from partwhole.recipes.graph_vectors import Said
from partwhole.registry import METHODS
from partwhole.sources.rebuilt import require_molecules
from partwhole.training.feeds import DescribedFeed, GraphFeed
from partwhole.training.plan import TrainingPlan
from partwhole.training.threads import using_threads


@METHODS.register
class MoleculeInfoMax(GraphEstimator[MoleculeConfig]):
    """Vectors of molecules.

    A graph network learns by the paper's bound, and by telling what RDKit computes of a molecule: descriptors
    and Morgan patterns. No measured label is needed. The vector has what was learned, and beside it the quick
    ones of the descriptors and the patterns themselves.
    """

    method = "molecule-infomax"
    idea = "molecules: parts and whole, and what RDKit computes, learned; descriptors and patterns beside it"
    paper = PAPER
    config_class = MoleculeConfig
    resumable = True

    def learn(self, fit: Fit[MoleculeConfig]) -> Encoder:
        """Train the network, then learn the directions of its vectors."""
        require_molecules(fit.store, "these vectors")
        numbers = numbers_of(fit.store, fit.config.targets)
        encoder = MoleculeEncoder.first(fit.config, fit.store.schema)
        store = encoder.learned.inputs.prepared(fit.store)
        run = fit.begin_run()
        cache = None if run is None else run.path / "computed"
        with using_threads(encoder.learned.threads(store, fit.config.batch_size)):
            known, weight = what_is_known(store, numbers, cache, shown=fit.config.verbose)
            network, options = encoder.network, fit.config.model()
            feed = GraphFeed(store, network, fit.config, corrupt=fit.config.head_negatives, lift=False)
            said = Said.about(np.arange(len(store)), known, len(store))
            objective = ToldObjective(weight, options, fit.config.bound_weight)
            plan = TrainingPlan(
                network,
                objective,
                DescribedFeed(feed, said, fit.config),
                finish=lambda: encoder.settle(store),
            )
            carry_out(plan, fit, spans_ranks=True, anneal=True)
        if cache is not None:
            shutil.rmtree(cache, ignore_errors=True)
        return encoder

    def restore(self, kept: Kept[MoleculeConfig]) -> Encoder:
        """The network, and the directions and ranges that were learned."""
        encoder = MoleculeEncoder.first(kept.config, kept.schema)
        encoder.restore(kept.tensors, kept.path)
        return encoder
