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
    """Return an interval for the share of the records that some cells have."""
    if rate < SMALLEST_RATE or size == 0 or size is None and not noises[1]:
        return 0.0, 1.0
    if size is None:
        return NoisyPairInterval(NoisyPair(noisy, rest, rate, noises), "two-sided").ends(alpha)
    if 0 < noises[1] < noises[0]:
        noisy, noises = size - rest, noises[::-1]
    return ProportionInterval(noisy, size, rate, "two-sided", smooth=False, terms=noises[0]).ends(alpha)


@dataclass(frozen=True, eq=False)
class ShareIntervals(Frozen):
    """Intervals of the shares that kinds of records have of the population, and differences of two shares."""

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
        """Return the intervals for sums of the counts."""
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
    """Return the intervals of cells, of which a group has a row; of a table all cells are one group's."""
    total = counts.sum(axis=-1, keepdims=True) if grouped else counts.sum()
    others = (counts.shape[-1] if grouped else counts.size) - 1
    return kind(counts, total - counts, size, rate, (1, others), IN_GROUPS if grouped else SHARES)
