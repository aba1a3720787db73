"""Intervals of the population's shares, from noisy counts of disjoint kinds of records."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import Frozen
from pydpstat.inference._laws.binomial import ProportionInterval
from pydpstat.inference._laws.geometric_sums import SMALLEST_RATE
from pydpstat.inference._laws.private_size import NoisyPair, NoisyPairInterval
from pydpstat.results._population import Difference, TableTest

Floats = npt.NDArray[np.float64]
Ends = tuple[float, float]
S = TypeVar("S", bound="ShareIntervals")
SHARES = "each cell's share of the population"
IN_GROUPS = f"{SHARES}, within its group"
INDEPENDENT = "the records are a random sample"
NOTHING_SAID = "The noise may be as large as the number of records in a group: the result is uninformative."


def share_ends(
    noisy: float, rest: float, size: int | None, rate: float, noises: tuple[int, int], alpha: float
) -> Ends:
    """Return an interval for the share of the records that some cells have.

    Parameters
    ----------
    noisy, rest : float
        The noisy counts of the cells and of all others together.
    size : int or None
        The number of records, where it is public: then the rest is looked at only if it has less noise.
    rate : float
        Of the symmetric geometric noise of each cell.
    noises : (int, int)
        How many noises are in the count and in the rest.
    alpha : float
        Probability that the interval misses.

    Examples
    --------
    >>> low, high = share_ends(41.0, 59.0, 100, 1.0, (1, 1), 0.05)
    >>> round(low, 3), round(high, 3)
    (0.309, 0.516)
    >>> share_ends(3.0, 0.0, None, 1.0, (1, 0), 0.05)
    (0.0, 1.0)
    """
    if rate < SMALLEST_RATE or size == 0 or size is None and not noises[1]:
        return 0.0, 1.0
    if size is None:
        return NoisyPairInterval(NoisyPair(noisy, rest, rate, noises), "two-sided").ends(alpha)
    if 0 < noises[1] < noises[0]:
        noisy, noises = size - rest, noises[::-1]
    return ProportionInterval(noisy, size, rate, "two-sided", smooth=False, terms=noises[0]).ends(alpha)


@dataclass(frozen=True, eq=False)
class ShareIntervals(Frozen):
    """Intervals of the shares that kinds of records have of the population, and differences of two shares.

    Parameters
    ----------
    counts, rests : ndarray
        The noisy counts, and those of all other records of the same group; both of the values' shape.
    size : int or None
        The number of records, where it is public: counts have binomial distributions then, and intervals are
        exact.
    rate : float
        Of the noise of each cell.
    noises : ndarray of int, shape (2,) or (values, 2)
        How many noises are in each count and in each rest.
    about : str
        What the intervals are for where that is not what was released.

    Notes
    -----
    A public number of records: Clopper and Pearson's construction with the noise in the distribution
    (`ProportionInterval`). A private one: `NoisyPairInterval`.

    Examples
    --------
    >>> shares = ShareIntervals(np.array([41.0, 59.0]), np.array([59.0, 41.0]), 100, 1.0)
    >>> low, high = shares.interval(0.05)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.309, 0.484], [0.516, 0.691])
    """

    counts: Floats
    rests: Floats
    size: int | None
    rate: float
    noises: npt.ArrayLike = (1, 1)
    about: str = ""

    assumptions = (INDEPENDENT,)

    @property
    def validity(self) -> str:
        """How far they can be trusted."""
        return "model" if self.size is None else "exact"

    @property
    def estimates(self) -> Floats:
        """The shares that the noisy counts have, from 0 to 1."""
        whole = self.counts + self.rests if self.size is None else float(self.size)
        return (self.counts / np.maximum(whole, 1.0)).clip(0.0, 1.0)

    def interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each count, in their shape."""
        known: dict[tuple[float, float, tuple[int, int]], Ends] = {}
        counts, rests = self.counts.ravel().tolist(), self.rests.ravel().tolist()
        keys = [
            # cells often have the same count; a public number of records makes the rest of no interest
            (count, 0.0 if self.size is not None and own <= other else rest, (own, other))
            for count, rest, (own, other) in zip(counts, rests, self._terms())
        ]
        for key in keys:
            if key not in known:
                known[key] = share_ends(*key[:2], self.size, self.rate, key[2], alpha)
        low, high = np.array([known[key] for key in keys]).reshape(-1, 2).T
        return low.reshape(self.counts.shape), high.reshape(self.counts.shape)

    def shares(
        self, counts: Floats, rests: Floats, noises: npt.ArrayLike, whole: bool, about: str
    ) -> ShareIntervals:
        """Return the intervals for sums of the counts.

        `noises` tells how many noises are in each sum and in each rest, and `whole` whether a rest is of all
        other records, whose number may be public.
        """
        size = self.size if whole else None
        return ShareIntervals(counts, rests, size, self.rate, np.asarray(noises), about)

    def difference(self, first: int, second: int) -> Difference:
        """Compare the shares of the groups in these places, of all values one group after the other."""
        from pydpstat.inference._laws.group_difference import ShareDifference

        terms = self._terms()
        one, other = (
            NoisyPair(float(self.counts.flat[place]), float(self.rests.flat[place]), self.rate, terms[place])
            for place in (first, second)
        )
        found = ShareDifference(one, other)
        p = found.pvalue()
        # as many standard deviations of a normal variable as the p-value stands for
        statistic = math.copysign(NormalDist().inv_cdf(1.0 - 0.5 * p), found.estimate)
        remarks = () if one.tell and other.tell else (NOTHING_SAID,)
        name = "Test of two proportions"
        return Difference(name, statistic, p, found.estimate, found, "measured", remarks, found.floor)

    def _terms(self) -> list[tuple[int, int]]:
        rows = np.broadcast_to(np.asarray(self.noises), (self.counts.size, 2)).tolist()
        return [(own, other) for own, other in rows]


@dataclass(frozen=True, eq=False)
class TableIntervals(ShareIntervals):
    """Intervals of the shares of a table's cells, and the test of its independence."""

    def independence(self, rows: int, columns: int) -> TableTest:
        """Test whether rows and columns of the first cells of a table are independent.

        Where some cells are left out, the number of records in the others is private.
        """
        from pydpstat.inference._laws.deep_tables import independence_pvalue
        from pydpstat.inference._laws.reference import FLOOR

        cells = self.counts[:rows, :columns]
        size = self.size if cells.shape == self.counts.shape else None
        statistic, pvalue = independence_pvalue(cells, size, self.rate)
        return TableTest(statistic, pvalue, FLOOR)


def cell_shares(kind: type[S], counts: Floats, size: int | None, rate: float, grouped: bool) -> S:
    """Return the intervals of cells, of which a group has a row; of a table all cells are one group's.

    Examples
    --------
    >>> cell_shares(ShareIntervals, np.array([[5.0, 6.0], [1.0, 2.0]]), None, 1.0, True).rests.tolist()
    [[6.0, 5.0], [2.0, 1.0]]
    """
    total = counts.sum(axis=-1, keepdims=True) if grouped else counts.sum()
    others = (counts.shape[-1] if grouped else counts.size) - 1
    return kind(counts, total - counts, size, rate, (1, others), IN_GROUPS if grouped else SHARES)
