"""The seed of a fit, from whatever scikit-learn and NumPy call a random state."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from partwhole.errors import PartwholeError
from partwhole.parallel import ranks

SEEDS = 2**32


def is_seed(random_state: Any) -> bool:
    """Whether it is a number itself, from which every fit begins in the same way."""
    return isinstance(random_state, int | np.integer)


def drawn_seed(random_state: Any) -> int:
    """The number itself, or one drawn now; None draws from NumPy's global state, as in scikit-learn."""
    if is_seed(random_state):
        return int(random_state)
    if ranks.count() > 1:
        raise PartwholeError("Processes that train together need one seed; give random_state as a number.")
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(SEEDS))
    return int(check_random_state(random_state).randint(SEEDS, dtype=np.uint32))
