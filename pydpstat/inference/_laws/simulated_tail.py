"""Probabilities of large statistics, from simulated ones and an exponential tail beyond them.

The tail begins where a share `TAIL` of the simulated statistics lies beyond, and falls by their mean excess,
which counts with two standard errors on top. A distribution whose hazard does not fall (normal, Laplace, all
that have log-concave densities) lies below that tail at every point beyond. Student's t does down to 1e-6
from 15 degrees of freedom on; with 10 its probability at 1e-6 is 1.8 times what the tail says.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat.inference._laws.reference import FLOOR

Floats = npt.NDArray[np.float64]

# the share of simulated statistics that shows the tail, and the p-values below which it is used
TAIL, DEEP = 0.025, 0.005
# degrees of freedom from which on an exponential tail is above that of Student's t
DEGREES = 20


class _Tail(NamedTuple):
    """Where a tail begins, its mean excess at most, and its probability."""

    start: Floats
    excess: Floats
    share: float


def _tail(sizes: Floats) -> _Tail:
    count = sizes.shape[-1]
    beyond = max(math.ceil(TAIL * count), 3)
    top = np.partition(sizes, count - beyond, axis=-1)[..., count - beyond :]
    start = top.min(axis=-1)
    excess = (top.sum(axis=-1) - beyond * start) / (beyond - 1) * (1.0 + 2.0 / math.sqrt(beyond))
    return _Tail(start, np.where(np.isfinite(excess), excess, math.inf), beyond / (count + 1))


@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def pvalue(sizes: Floats, size: Floats, tail: bool = True) -> Floats:
    """Return how probable a statistic of at least a size is, given simulated ones along the last axis.

    Without a tail the smallest p-value is one over their number and 1.

    Examples
    --------
    >>> from scipy import stats
    >>> sizes = stats.halfnorm.isf((np.arange(4000) + 0.5) / 4000)
    >>> found = pvalue(sizes, np.array([2.0, 4.0, 5.0]))
    >>> [bool(one >= other) for one, other in zip(found, stats.halfnorm.sf([2.0, 4.0, 5.0]))]
    [True, True, True]
    >>> bool(found[2] < 1e-4)
    True
    """
    found: Floats = (1 + np.count_nonzero(sizes >= size[..., None], axis=-1)) / (sizes.shape[-1] + 1)
    deep = found < DEEP
    if tail and deep.any():
        own = _tail(np.broadcast_to(sizes, (*found.shape, sizes.shape[-1]))[deep])
        beyond = own.share * np.exp(-(size[deep] - own.start) / own.excess)
        found[deep] = np.fmin(np.fmax(beyond, FLOOR), DEEP)
    return found


@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def critical(sizes: Floats, alpha: float, tail: bool = True) -> Floats:
    """Return the size from which on the p-value is at most alpha; infinite below the smallest one.

    Examples
    --------
    >>> sizes = np.random.default_rng(1).exponential(size=4000)
    >>> at = critical(sizes, 1e-4)
    >>> bool(abs(math.log(pvalue(sizes, np.array([at]))[0] / 1e-4)) < 1e-9)
    True
    """
    count = sizes.shape[-1]
    # so many simulated statistics may be at least as large as one that is rejected
    rank = math.floor((max(alpha, DEEP) if tail else alpha) * (count + 1) * (1.0 + 1e-12)) - 1
    if rank < 0 or alpha < FLOOR:
        return np.full(sizes.shape[:-1], math.inf)
    found: Floats = np.partition(sizes, count - 1 - rank, axis=-1)[..., count - 1 - rank]
    if not tail or alpha >= DEEP:
        return found
    own = _tail(sizes)
    return np.fmax(found, own.start + own.excess * math.log(own.share / alpha))
