"""Permute-and-flip's distribution in floating point: of seeded streams, and of plans.

Of runs of c_k candidates that are g_k below the best one, and p_k = exp(-g_k), the largest score plus
standard exponential noise is below t with probability prod (1 - p_k s)^c_k, where s = exp(-t). It comes from
run k with a probability proportional to the density over the distribution function of that run, which is
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
# s is below 1, so that no weight is infinite
_MOST = 1.0 - 2.0**-53
# a step of that relative size leaves an error of about its square
_STEPS, _CLOSE = 60, 2.0**-30
_NODES = 64
# beyond it the distribution function is below 2^-64
_DEPTH = 45.0


def flip_weights(chances: Floats, counts: Integers, first: Integers, uniform: Floats) -> Floats:
    """Return how probable each run is, given the largest noisy score; of several groups at once.

    `chances` are exp(-g), 1 for the best, of one group's runs after another's, of which `first` has the
    places where they begin; `counts` are the runs' numbers of candidates, 0 allowed. `uniform` tells each
    group's largest score.
    """
    weights = chances * counts
    sizes = np.diff(first, append=chances.size)
    aim = log(uniform)
    s = _first_guess(weights, chances, counts, first, aim)
    # the logarithm is concave in s, so that Newton's steps from the right come down to the root
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
    """Return an s at or above each root: all terms are at most -p s, and the best ones' alone are more."""
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
