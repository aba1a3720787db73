"""Distributions of Kolmogorov's and Smirnov's distances, in the integer units of the statistics."""

from __future__ import annotations

import math
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt
from scipy.special import kolmogorov

from pydpstat.inference._laws.rank_laws import Law
from pydpstat.inference._laws.rank_values import UNIT_BITS
from pydpstat.inference._laws.sampled_laws import SHUFFLED, sampled_law, shuffled

Floats = npt.NDArray[np.float64]
# up to so many records the distribution of one sample is exact
EXACT = {"two-sided": 40, "greater": 100, "less": 100}
# beyond this many standard units a distance has a probability below 1e-30
REACH = 6.0
CELLS = 512


@lru_cache(maxsize=64)
def one_sample_law(records: int, alternative: str) -> Law:
    """Return the distribution of n 2^32 D for n records of the hypothetical, continuous distribution.

    Simard, R. and L'Ecuyer, P. (2011). Computing the two-sided Kolmogorov-Smirnov distribution. Journal of
    Statistical Software 39(11). Vrbik, J. (2018). Small-sample corrections to Kolmogorov-Smirnov test
    statistic. Pioneer Journal of Theoretical and Applied Statistics 15, 15-23.
    """
    unit = float(records << UNIT_BITS)
    edges = np.linspace(0.0, min(1.0, REACH / math.sqrt(records)), CELLS + 1)
    step = unit * edges[1]
    return Law(step * (np.arange(CELLS) + 0.5), _masses(_tails(edges, records, alternative)), step)


@lru_cache(maxsize=64)
def two_sample_law(first: int, second: int, alternative: str) -> Law:
    """Return the distribution of n1 n2 D for two groups of one continuous distribution.

    Hodges, J. L. (1958). The significance probability of the Smirnov two-sample test. Arkiv for Matematik 3,
    469-486.
    """
    size, pairs = first + second, first * second
    if size <= SHUFFLED:
        found = []
        for steps in shuffled(np.repeat((second, -first), (first, second))):
            gaps = np.cumsum(steps, axis=1)
            above, below = np.maximum(gaps.max(axis=1), 0), np.maximum(-gaps.min(axis=1), 0)
            found.append(
                {"two-sided": np.maximum(above, below), "greater": above, "less": below}[alternative]
            )
        return sampled_law(np.concatenate(found))
    records = pairs / size
    span = min(1.0, REACH / math.sqrt(records)) * pairs
    lattice = math.gcd(first, second)
    # Hodges' correction: that of one sample where the other is large, and half a step for equal sizes
    few, many = sorted((first, second))
    shift = (many + 2.0 * few) / (6.0 * math.sqrt(pairs * size))
    limit = partial(_tails, records=records, alternative=alternative, shift=shift)
    if span / lattice <= 16 * CELLS:
        places = np.arange(math.ceil(span / lattice) + 1, dtype=np.float64)
        edges = lattice * np.concatenate((places - 0.5, places[-1:] + 0.5))
        return Law(lattice * places, _masses(limit(np.maximum(edges, 0.0) / pairs)))
    edges = np.linspace(0.0, span, CELLS + 1)
    return Law(edges[1] * (np.arange(CELLS) + 0.5), _masses(limit(edges / pairs)), float(edges[1]))


def _tails(distances: Floats, records: float, alternative: str, shift: float | None = None) -> Floats:
    """Return the probability of a distance at least as large; `records` is n, or n1 n2 / (n1 + n2)."""
    root = math.sqrt(records)
    if records <= EXACT[alternative]:
        # two samples have the distribution of about so many records, in standard units
        from scipy.stats import ksone, kstwo

        whole = max(round(records), 1)
        law = kstwo if alternative == "two-sided" else ksone
        return law.sf(np.minimum(distances * (root / math.sqrt(whole)), 1.0), whole)
    shifted = root * distances + (1.0 / (6.0 * root) if shift is None else shift)
    if alternative == "two-sided":
        more = (root * distances - 1.0) / (4.0 * records) if shift is None else 0.0
        tails = kolmogorov(shifted + more)
    else:
        tails = np.exp(-2.0 * shifted * shifted)
    return np.where(distances <= 0.0, 1.0, tails)


def _masses(tails: Floats) -> Floats:
    masses = np.maximum(-np.diff(tails), 0.0)
    return masses / masses.sum()
