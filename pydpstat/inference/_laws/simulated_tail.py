"""Probabilities of large statistics, from simulated ones and an exponential tail beyond them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from pydpstat.inference._laws.reference import FLOOR

Floats = npt.NDArray[np.float64]

# the share of simulated statistics that shows the tail, and the p-values below which it is used
TAIL, DEEP = 0.025, 0.005
# by what factor the probabilities differ between which the share's fall is measured
_ASIDE = 2.0
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


class Simulated(NamedTuple):
    """Simulated studentized statistics of shape (..., r): the size of g over its standard error."""

    sizes: Floats
    middle: Floats
    spread: Floats
    rest: Floats
    least: Floats
    part: Floats

    @classmethod
    def drawn(cls, sizes: npt.ArrayLike) -> Simulated:
        """Return statistics that are drawn as they are."""
        values = np.asarray(sizes, dtype=np.float64)
        none = np.zeros_like(values)
        return cls(values, values, none, none + 1.0, none, none)

    @classmethod
    def joined(cls, parts: Sequence[Simulated]) -> Simulated:
        """Return the draws of all parts, which are along the last axis."""
        return cls(*(np.concatenate(each, axis=-1) for each in zip(*parts)))

    @np.errstate(invalid="ignore", divide="ignore", over="ignore")
    def shares(self, size: Floats) -> Floats:
        """Return how probable statistics of at least a size are."""
        squares = np.square(size)[..., None]
        left = 1.0 - squares * self.part
        # where the rest is below 0 every g counts that the least error lets pass
        reach = np.where(left > 0.0, squares * np.maximum(self.rest, 0.0) / left, math.inf)
        reach = np.sqrt(np.maximum(np.where(self.rest > 0.0, reach, 0.0), squares * self.least))
        beyond = ndtr((-reach - self.middle) / self.spread) + ndtr((self.middle - reach) / self.spread)
        # at its very end a statistic without spread counts, and so does what overflows
        found: Floats = np.where(np.isnan(beyond), 1.0, beyond).mean(axis=-1)
        return found

    def pvalue(self, size: Floats, tail: bool = True) -> Floats:
        """Return the p-value of a statistic of a size.

        Without a tail the smallest one is one over the number of draws and 1.
        """
        found = np.maximum(self.shares(size), 1.0 / (self.sizes.shape[-1] + 1))
        deep = found < DEEP
        if tail and deep.any():
            sizes = np.broadcast_to(self.sizes, (*found.shape, self.sizes.shape[-1]))[deep]
            found[deep] = np.minimum(pvalue(sizes, size[deep]), DEEP)
        return found

    @np.errstate(invalid="ignore", divide="ignore", over="ignore")
    def critical(self, alpha: float, tail: bool = True) -> Floats:
        """Return the size from which on the p-value is at most alpha; infinite below the smallest one."""
        found = critical(self.sizes, alpha, tail)
        if alpha < DEEP:
            return found
        # the logarithm of a share falls about as fast as among the drawn statistics; then a secant's step
        more, less = min(_ASIDE * alpha, 1.0 - (1.0 - alpha) / _ASIDE), alpha / _ASIDE
        low, high = (critical(self.sizes, each, False) for each in (more, less))
        first = np.log(self.shares(found) / alpha)
        moved = _between(found + first * (high - low) / math.log(more / less), low, high, found)
        second = np.log(self.shares(moved) / alpha)
        return _between(moved + second * (moved - found) / (first - second), low, high, moved)


def _between(values: Floats, low: Floats, high: Floats, other: Floats) -> Floats:
    """Return values between two ends, and others where they are no numbers."""
    found: Floats = np.where(np.isfinite(values), values.clip(low, high), other)
    return found


@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def pvalue(sizes: Floats, size: Floats, tail: bool = True) -> Floats:
    """Return how probable a statistic of at least a size is, given simulated ones along the last axis.

    Without a tail the smallest p-value is one over their number and 1.
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
    """Return the size from which on the p-value is at most alpha; infinite below the smallest one."""
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
