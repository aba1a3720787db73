"""The distribution of permute-and-flip in floating point, for seeded streams and for plans.

Run k has c_k candidates whose scores are g_k below the best one. With p_k = exp(-g_k), the largest score plus
standard exponential noise is below t with probability prod (1 - p_k s)^c_k, where s = exp(-t). It comes from
run k with probability proportional to the density of that run divided by its distribution function, which is
c_k p_k s / (1 - p_k s).

References
----------
McKenna, R. and Sheldon, D. (2020). Permute-and-flip: a new mechanism for differentially private selection.
NeurIPS 2020, proposition 4. Ding, Z., Kifer, D., Steinke, T. et al. (2021). The permute-and-flip mechanism is
identical to report-noisy-max with exponential noise. arXiv:2105.07260.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import Floats, exp, log

Integers = npt.NDArray[np.int64]
# s stays below 1, so that weights are finite
_MOST = 1.0 - 2.0**-53
# after a step of this relative size the error is about its square
_STEPS, _CLOSE = 60, 2.0**-30
_NODES = 64
# beyond this depth the distribution function is below 2^-64
_DEPTH = 45.0


def flip_weights(chances: Floats, counts: Integers, first: Integers, uniform: Floats) -> Floats:
    """Return weights proportional to the probability of each run, given the largest noisy score of its group.

    `chances` are exp(-g), 1 for the best, for the runs of one group after another, which begin at the places
    `first`; `counts` are the numbers of candidates, possibly 0. `uniform` determines each group's largest
    score.
    """
    weights = chances * counts
    sizes = np.diff(first, append=chances.size)
    aim = log(uniform)
    s = _first_guess(weights, chances, counts, first, aim)
    # the logarithm is concave in s, so that Newton's steps decrease to the root from the right
    for _ in range(_STEPS):
        rest = 1.0 - chances * np.repeat(s, sizes)
        value = np.add.reduceat(counts * log(rest), first)
        slope = np.add.reduceat(weights / rest, first)
        step = (aim - value) / slope
        s = np.clip(s - step, 0.0, _MOST)
        if (np.abs(step) <= _CLOSE * s).all():
            break
    return weights / (1.0 - chances * np.repeat(s, sizes))


def _first_guess(weights: Floats, chances: Floats, counts: Integers, first: Integers, aim: Floats) -> Floats:
    """Return a value of s at or above each root."""
    total = np.add.reduceat(weights, first)
    best = np.add.reduceat(np.where(chances == 1.0, counts, 0), first)
    with np.errstate(divide="ignore"):
        alone = 1.0 - exp(aim / best)
    return np.minimum(np.minimum(-aim / total, alone), _MOST)


def flip_chances(chances: Floats, counts: Integers) -> Floats:
    """Return the probability that permute-and-flip chooses each run, by quadrature over s."""
    weights = chances * counts
    most = min(1.0, _DEPTH / float(weights.sum()))
    found = np.zeros(chances.size)
    for node, share in zip(*_legendre()):
        rest = 1.0 - chances * (most * node)
        found += weights * (share * exp(float((counts * log(rest)).sum()))) / rest
    return found / found.sum()


@cache
def _legendre() -> tuple[list[float], list[float]]:
    """Return nodes between 0 and 1 and their weights."""
    nodes, shares = np.polynomial.legendre.leggauss(_NODES)
    return (0.5 * (nodes + 1.0)).tolist(), (0.5 * shares).tolist()
