"""How often intervals miss, where something quicker tells which of them may."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

# of the intervals that are not likely to miss one in so many is computed
EVERY = 200


def missed(likely: bool, ends: Callable[[], tuple[float, float]], truth: float, rng: np.random.Generator) -> int:
    """Return a number whose mean is the probability that an interval misses the truth.

    Parameters
    ----------
    likely : bool
        Whether it may well miss: the interval's own test rejects the truth, for one. It changes no mean.
    ends : callable
        Computes the interval.
    truth : float
    rng : Generator
        Chooses which of the other intervals are computed. A miss among these counts for all they stand for.
    """
    if not likely and rng.integers(EVERY):
        return 0
    low, high = ends()
    outside = not low <= truth <= high
    return int(outside) if likely else EVERY * outside
