"""Options of `molecule-infomax`."""

from __future__ import annotations

from dataclasses import dataclass

from partwhole.config import BALANCED, FitConfig, TrainConfig, option, same
from partwhole.errors import PartwholeError
from partwhole.registry import GENERATORS, Plugin


@dataclass(eq=False)
class MoleculeConfig(TrainConfig):
    """Options of `molecule-infomax`."""

    hidden: int = option(192, "Width of every layer of the graph network.", least=1)
    epochs: int = option(20, "Passes over the molecules.", least=0)
    lr: float = option(2e-3, "Learning rate of Adam at its highest.", above=0)
    generator: Plugin = option("multi-head", "How subgraphs are made.", choices=GENERATORS)
    num_subgraphs: int = same(FitConfig, "num_subgraphs")
    estimator: Plugin = same(FitConfig, "estimator")
    head_negatives: bool = option(False, "Contrast with the permuted molecule, too, in twice the time.")
    bound_weight: float = option(0.1, "Weight of the bound on mutual information.", least=0)
    targets: tuple[str, ...] = option((), "Numbers of the data set that the network learns to tell, too.")
    learned_columns: int = option(256, "Columns that are learned.", least=1)
    learned: bool = option(True, "What the network learned, in a vector.")
    descriptors: bool = option(True, "RDKit's descriptors, in a vector.")
    patterns: bool = option(True, "How often Morgan patterns occur, in a vector.")
    pattern_columns: int = option(512, "Columns of patterns.", least=1)

    def validate(self) -> None:
        """Something must be left to make a vector of."""
        super().validate()
        if not (self.learned or self.descriptors or self.patterns):
            raise PartwholeError("All views are switched off; leave learned, descriptors or patterns on.")

    def model(self) -> FitConfig:
        """The options of the paper's model and of its bound."""
        return FitConfig(
            hidden=self.hidden,
            layers=self.layers,
            backbone="gine",
            generator=self.generator,
            num_subgraphs=self.num_subgraphs,
            selection=BALANCED,
            estimator=self.estimator,
            pair_score="scaled",
        )
