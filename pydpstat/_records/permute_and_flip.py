"""Distribution of permute-and-flip in floating point, for seeded sources and for plans.

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

IntegerArray = npt.NDArray[np.int64]
# s must be below 1, so that weights are finite
_MAX_S = 1.0 - 2.0**-53
# after a step of this relative size the error is about its square
_MAX_STEPS, _NEWTON_TOLERANCE = 60, 2.0**-30
_N_NODES = 64
# beyond this depth the distribution function is below 2^-64
_DEPTH = 45.0


def compute_flip_weights(
    probabilities: Floats, counts: IntegerArray, first_indices: IntegerArray, uniform: Floats
) -> Floats:
    """Return weights proportional to the probability of each run, given the largest noisy score of its group.

    `probabilities` are exp(-g), 1 for the best, for the runs of one group after another. `first_indices` are the
    indices of each group's first run, and `counts` the numbers of candidates, possibly 0. `uniform` determines
    each group's largest noisy score.
    """
    weights = probabilities * counts
    sizes = np.diff(first_indices, append=probabilities.size)
    aim = log(uniform)
    s = _bound_roots(weights, probabilities, counts, first_indices, aim)
    # the logarithm is concave in s, so Newton's method decreases to the root from the right
    for _ in range(_MAX_STEPS):
        complements = 1.0 - probabilities * np.repeat(s, sizes)
        value = np.add.reduceat(counts * log(complements), first_indices)
        slope = np.add.reduceat(weights / complements, first_indices)
        step = (aim - value) / slope
        s = np.clip(s - step, 0.0, _MAX_S)
        if (np.abs(step) <= _NEWTON_TOLERANCE * s).all():
            break
    return weights / (1.0 - probabilities * np.repeat(s, sizes))


def _bound_roots(
    weights: Floats, probabilities: Floats, counts: IntegerArray, first_indices: IntegerArray, target: Floats
) -> Floats:
    """Return an upper bound for each root s."""
    total = np.add.reduceat(weights, first_indices)
    best = np.add.reduceat(np.where(probabilities == 1.0, counts, 0), first_indices)
    with np.errstate(divide="ignore"):
        alone = 1.0 - exp(target / best)
    return np.minimum(np.minimum(-target / total, alone), _MAX_S)


def compute_flip_probabilities(probabilities: Floats, counts: IntegerArray) -> Floats:
    """Return the probability that permute-and-flip selects each run, by quadrature over s."""
    weights = probabilities * counts
    max_s = min(1.0, _DEPTH / float(weights.sum()))
    selection_probabilities = np.zeros(probabilities.size)
    for node, share in zip(*_compute_legendre_nodes()):
        complements = 1.0 - probabilities * (max_s * node)
        selection_probabilities += weights * (share * exp(float((counts * log(complements)).sum()))) / complements
    return selection_probabilities / selection_probabilities.sum()


@cache
def _compute_legendre_nodes() -> tuple[list[float], list[float]]:
    """Return the nodes and weights of Gauss-Legendre quadrature on [0, 1]."""
    nodes, shares = np.polynomial.legendre.leggauss(_N_NODES)
    return (0.5 * (nodes + 1.0)).tolist(), (0.5 * shares).tolist()
