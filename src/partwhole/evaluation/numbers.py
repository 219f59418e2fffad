"""Numbers from frozen vectors: ridge regression, its penalty chosen inside the training folds."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold

from partwhole.errors import PartwholeError
from partwhole.estimators.linear import PENALTIES
from partwhole.estimators.semi_supervised.measures import Measures, number_measures

RIDGE = "ridge"


def ridge_measures(vectors: np.ndarray, y: np.ndarray, folds: int, seed: int) -> list[Measures]:
    """Give the measures of each test fold.

    Columns are standardised by the training folds, the penalty has its least leave-one-out error there, and
    graphs are shuffled by the seed.
    """
    if len(y) < 2 * folds:
        raise PartwholeError(
            f"{len(y)} graphs with this target are too few for {folds} folds; use `--folds` with a smaller "
            "number, or label more."
        )
    x, found = vectors.astype(np.float64), []
    for train, test in KFold(folds, shuffle=True, random_state=seed).split(x):
        center, spread = x[train].mean(axis=0), x[train].std(axis=0)
        scale = np.where(spread > 1e-6 * (spread.max() or 1.0), spread, np.inf)
        model = RidgeCV(PENALTIES).fit((x[train] - center) / scale, y[train])
        found.append(number_measures(y[test], model.predict((x[test] - center) / scale)))
    return found
