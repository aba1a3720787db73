"""A model's coefficients in turn: how often tests reject their true values, and intervals miss them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from levels.thinned import missed

Setting = dict[str, Any]
# what a simulated release says, with its `pvalue` and `ends`
Law = Callable[[Setting, np.random.Generator], Any]


def both(law: Law, setting: Setting, runs: int, seed: int) -> tuple[int, int]:
    """Return how many p-values of true coefficients are 0.05 at most, and how many intervals miss them."""
    generator, rejected, found = np.random.default_rng(seed), 0, 0
    for run in range(runs):
        combination, value = _asked(setting, run)
        known = law(setting, generator)
        extreme = bool(known.compute_pvalue(combination, value) <= 0.05)
        rejected += extreme
        found += missed(extreme, partial(known.compute_limits, combination, 0.05), value, generator)
    return rejected, found


def rejections(law: Law, setting: Setting, runs: int, seed: int) -> int:
    """Return how many p-values of true coefficients are 0.05 at most."""
    generator = np.random.default_rng(seed)
    return sum(law(setting, generator).compute_pvalue(*_asked(setting, run)) <= 0.05 for run in range(runs))


def misses(law: Law, setting: Setting, runs: int, seed: int) -> int:
    """Return how many intervals of level 0.95 do not have the true coefficient."""
    return both(law, setting, runs, seed)[1]


def power(law: Law, setting: Setting, runs: int, seed: int) -> int:
    """Return how many p-values of no effect of the first coefficient after the constant are 0.05 at most."""
    generator = np.random.default_rng(seed)
    combination = np.eye(len(setting["coefficients"]))[1]
    return sum(law(setting, generator).compute_pvalue(combination, 0.0) <= 0.05 for _ in range(runs))


def _asked(setting: Setting, place: int) -> tuple[np.ndarray, float]:
    """Return a coefficient, those after the constant first, in turn, and its true value."""
    b = setting["coefficients"]
    place = (place + 1) % len(b)
    return np.eye(len(b))[place], b[place]
