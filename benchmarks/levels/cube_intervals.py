"""Intervals of tests of means that release sums of cubes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from levels.cubes import ALPHA, laws_of, pvalue, released
from levels.cubes import SETTINGS as TESTED
from levels.thinned import missed
from pydpstat._null_distributions.means.mean_differences import use_noisy_size
from pydpstat._null_distributions.means.skewed_groups import SkewedWelchInterval
from pydpstat._null_distributions.means.skewed_t import SkewedTInterval

CHUNK = 100
_NAMES = (
    "one mean, normal, n 110, epsilon 4",
    "one mean, exponential, n 110, epsilon 1000",
    "one mean, Bernoulli(.05), n 110, epsilon 4",
    "one mean, normal, one in 30 at a bound, n 30, epsilon 10",
    "one mean, lognormal, n 110, epsilon 5, greater",
    "one mean, exponential, n 110, epsilon 5, less",
    "one mean, exponential, n 110, epsilon 5, private n",
    "two means, exponential; normal, n 110 60, epsilon 100, less",
    "two means, exponential; normal, n 110 60, epsilon 100, private n",
    "two means, normal; coin, n 110 110, epsilon 5",
    "two means, Bernoulli(.05), n 110 110, epsilon 4",
    "two means, normal, n 110 110, epsilon 1000",
)
SETTINGS: list[dict[str, Any]] = [each for each in TESTED if each["name"] in _NAMES]


def misses(setting: dict[str, Any], runs: int, seed: int) -> int:
    """Return how many of so many intervals of level .95 miss the parameter."""
    rng, laws = np.random.default_rng(seed), laws_of(setting)
    mean, side = float(laws[0][0] @ laws[0][1]), setting.get("alternative", "two-sided")
    found = 0
    for groups in released(laws, setting, runs, rng):
        rejected = pvalue(groups, mean, setting) <= ALPHA
        made = [each for each in map(use_noisy_size, groups) if each is not None]
        if len(groups) == 1:
            ends = SkewedTInterval(groups[0], 0.0, 1.0, side).compute_limits
            found += missed(rejected, partial(ends, ALPHA), mean, rng)
        elif len(made) == 2:
            ends = SkewedWelchInterval((made[0], made[1]), 1.0, side).compute_limits
            found += missed(rejected, partial(ends, ALPHA), 0.0, rng)
    return found
