"""Small probabilities of a statistic of noisy tables, by multilevel splitting.

Au, S. K. and Beck, J. L. (2001). Estimation of small failure probabilities in high dimensions by subset
simulation. Probabilistic Engineering Mechanics 16, 263-277.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pydpstat.inference._laws.nuisance import Floats, generator

Integers = npt.NDArray[np.int64]

# tables, the share of them that is kept, and steps in a round
_TABLES, _KEPT, _STEPS = 1_000, 0.1, 8
# what a step keeps: little of it to forget, and nearly all of it far out
_PARTS = (0.3, 0.6, 0.85, 0.95)
_MOST_ROUNDS, _ADDED = 7, 0.35
# what is equal but for rounding counts as equal
_TOLERANCE = 1e-9


def small_tail(
    statistic: Callable[[Floats], Floats], n: int, p: Floats, rate: float, observed: float
) -> float:
    """Return how probable a statistic of noisy tables is that is at least as large as one observed."""
    rng, cells = generator(5), p.ravel()
    counts = rng.multinomial(n, cells, size=_TABLES)
    waits = rng.standard_exponential((2, *counts.shape))

    def of(counts: Integers, waits: Floats) -> Floats:
        first, second = np.floor(waits / rate)
        return statistic((counts + first - second).reshape(-1, *p.shape))

    least, values, share = observed - _TOLERANCE * max(1.0, abs(observed)), of(counts, waits), 1.0
    for round_ in range(_MOST_ROUNDS):
        level = float(np.quantile(values, 1.0 - _KEPT, method="lower"))
        if level >= least:
            break
        kept = np.flatnonzero(values >= level)
        share *= kept.size / _TABLES
        chosen = rng.choice(kept, _TABLES)
        counts, waits, values = counts[chosen], waits[:, chosen], values[chosen]
        for step in range(_STEPS):
            part = _PARTS[step % len(_PARTS)]
            tried, waited = _moved(rng, counts, n, cells, part), _thinned(rng, waits, part)
            found = of(tried, waited)
            stay = found >= level
            counts = np.where(stay[:, None], tried, counts)
            waits = np.where(stay[:, None], waited, waits)
            values = np.where(stay, found, values)
    else:
        round_ = _MOST_ROUNDS
    share *= (1.0 + np.count_nonzero(values >= least)) / (1.0 + _TABLES)
    return float(min(1.0, share * (1.0 + _ADDED * math.sqrt(1.0 + round_))))


def _moved(rng: np.random.Generator, counts: Integers, n: int, p: Floats, part: float) -> Integers:
    """Draw some records' cells again, each with the probability 1 - part."""
    kept = rng.binomial(counts, part)
    return kept + rng.multinomial(n - kept.sum(axis=1), p)


def _thinned(rng: np.random.Generator, waits: Floats, part: float) -> Floats:
    """Keep a part of exponential variables, and fill them up to exponential ones."""
    kept = rng.beta(part, 1.0 - part, waits.shape)
    return kept * waits + rng.standard_gamma(1.0 - part, waits.shape)
