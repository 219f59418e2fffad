"""A random forest, kept as arrays: nothing has to be unpickled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from partwhole.estimators.property.heads import Head, Said, Views

TREES = 300
SHARE = 0.15  # of the columns that a split of a regression looks at
MOST = 2000  # graphs that a tree grows from


@dataclass(frozen=True)
class Forest(Head):
    """Trees one after the other; a leaf has no left child (-1)."""

    name = "forest"

    roots: np.ndarray  # [trees] int64, places of their first nodes
    left: np.ndarray  # [nodes] int32, counted from the root of the tree
    right: np.ndarray
    feature: np.ndarray  # [nodes] int32
    threshold: np.ndarray  # [nodes] float64
    value: np.ndarray  # [nodes, outputs] float32

    @classmethod
    def fit(cls, x: np.ndarray, y: np.ndarray, views: Views, *, classes: bool, seed: int) -> Self:
        """scikit-learn's."""
        outputs, usual = y.shape[1], {"random_state": seed, "max_samples": min(len(x), MOST)}
        if classes:
            model = RandomForestClassifier(TREES, class_weight="balanced_subsample", **usual)
            model.fit(x, y.argmax(axis=1))
        else:
            model = RandomForestRegressor(TREES, max_features=SHARE, **usual).fit(x, y[:, 0])
        trees = [tree.tree_ for tree in model.estimators_]
        values = [tree.value[:, 0, :] for tree in trees]  # of classes, their shares
        if classes:
            present, whole = model.classes_, []
            for value in values:
                row = np.zeros((len(value), outputs))
                row[:, present] = value / value.sum(axis=1, keepdims=True)
                whole.append(row)
            values = whole
        return cls(
            np.concatenate([[0], np.cumsum([tree.node_count for tree in trees])[:-1]]),
            np.concatenate([tree.children_left for tree in trees]).astype(np.int32),
            np.concatenate([tree.children_right for tree in trees]).astype(np.int32),
            np.concatenate([tree.feature for tree in trees]).astype(np.int32),
            np.concatenate([tree.threshold for tree in trees]),
            np.concatenate(values).astype(np.float32),
        )

    def say(self, x: np.ndarray) -> Said:
        """The mean over trees; all graphs walk down a tree together."""
        total = np.zeros((len(x), self.value.shape[1]))
        rows, single = np.arange(len(x)), x.astype(np.float32)  # as scikit-learn looks at it
        for root in self.roots:
            node = np.zeros(len(x), np.int64)
            while (inner := self.left[root + node] >= 0).any():
                at = root + node
                goes = single[rows, np.maximum(self.feature[at], 0)] <= self.threshold[at]
                node = np.where(inner, np.where(goes, self.left[at], self.right[at]), node)
            total += self.value[root + node]
        return Said(total / len(self.roots))

    def arrays(self) -> dict[str, np.ndarray]:
        """All trees."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @classmethod
    def restored(cls, arrays: Mapping[str, np.ndarray], views: Views) -> Self:
        """The same."""
        return cls(**{name: arrays[name] for name in cls.__dataclass_fields__})
