"""Intervals of the population's shares, from noisy counts of disjoint kinds of records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import Frozen
from pydpstat.inference._laws.binomial import ProportionInterval
from pydpstat.inference._laws.geometric_sums import SMALLEST_RATE
from pydpstat.inference._laws.private_size import NoisyPair, NoisyPairInterval
from pydpstat.results._population import TableTest

Floats = npt.NDArray[np.float64]
Ends = tuple[float, float]
SHARES = "The latter is for each cell's share of the population"
IN_GROUPS = f"{SHARES}, within its group"
INDEPENDENT = "the records are a random sample"
NOTHING_SAID = "The noise may be as large as the number of records in a group: nothing can be said."


def share_ends(noisy: float, rest: float, size: int | None, rate: float, others: int, alpha: float) -> Ends:
    """Return an interval for the share of the records that a cell has.

    Parameters
    ----------
    noisy, rest : float
        The noisy counts of the cell and of all others together.
    size : int or None
        The number of records, where it is public; the rest is not looked at then.
    rate : float
        Of the symmetric geometric noise of each count.
    others : int
        How many noises are in the rest.
    alpha : float
        Probability that the interval misses.

    Examples
    --------
    >>> low, high = share_ends(41.0, 59.0, 100, 1.0, 1, 0.05)
    >>> round(low, 3), round(high, 3)
    (0.309, 0.516)
    >>> share_ends(3.0, 0.0, None, 1.0, 0, 0.05)
    (0.0, 1.0)
    """
    if rate < SMALLEST_RATE or size == 0 or size is None and not others:
        return 0.0, 1.0
    if size is not None:
        return ProportionInterval(noisy, size, rate, "two-sided", smooth=False).ends(alpha)
    return NoisyPairInterval(NoisyPair(noisy, rest, rate, (1, others)), "two-sided").ends(alpha)


@dataclass(frozen=True, eq=False)
class ShareIntervals(Frozen):
    """Intervals of the shares that kinds of records have of the population.

    Parameters
    ----------
    counts, rests : ndarray
        The noisy counts, and those of all other records of the same group; both of the values' shape.
    size : int or None
        The number of records, where it is public: counts have binomial laws then, and intervals are exact.
    rate : float
        Of the noise of each count.
    others : int
        How many noises are in each rest.
    about : str
        What the intervals are for where that is not what was released.

    Notes
    -----
    A public number of records: Clopper and Pearson's construction with the noise in the law
    (`ProportionInterval`). A private one: `NoisyPairInterval`.

    Examples
    --------
    >>> shares = ShareIntervals(np.array([41.0, 59.0]), np.array([59.0, 41.0]), 100, 1.0, 1)
    >>> low, high = shares.interval(0.05)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.309, 0.484], [0.516, 0.691])
    """

    counts: Floats
    rests: Floats
    size: int | None
    rate: float
    others: int
    about: str = ""

    assumptions = (INDEPENDENT,)

    @property
    def validity(self) -> str:
        """How far they can be trusted."""
        return "model" if self.size is None else "exact"

    def independence(self, rows: int, columns: int) -> TableTest:
        """Test whether rows and columns of the first cells of a table are independent.

        Where some cells are left out, the number of records in the others is private.
        """
        from pydpstat.inference._laws.deep_tables import FLOOR, independence_pvalue

        cells = self.counts[:rows, :columns]
        size = self.size if cells.shape == self.counts.shape else None
        statistic, pvalue = independence_pvalue(cells, size, self.rate)
        return TableTest(statistic, pvalue, FLOOR)

    def interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each count, in their shape."""
        known: dict[tuple[float, float], Ends] = {}
        pairs = list(zip(self.counts.ravel().tolist(), self.rests.ravel().tolist()))
        for pair in pairs:
            # cells often have the same count, and a public number makes the rest one of no interest
            key = pair if self.size is None else (pair[0], 0.0)
            if key not in known:
                known[key] = share_ends(*key, self.size, self.rate, self.others, alpha)
        ends = np.array([known[pair if self.size is None else (pair[0], 0.0)] for pair in pairs])
        low, high = ends.reshape(-1, 2).T
        return low.reshape(self.counts.shape), high.reshape(self.counts.shape)


def cell_shares(counts: Floats, size: int | None, rate: float, grouped: bool) -> ShareIntervals:
    """Return the intervals of cells, of which a group has a row; of a table all cells are one group's.

    Examples
    --------
    >>> cell_shares(np.array([[5.0, 6.0], [1.0, 2.0]]), None, 1.0, True).rests.tolist()
    [[6.0, 5.0], [2.0, 1.0]]
    """
    total = counts.sum(axis=-1, keepdims=True) if grouped else counts.sum()
    others = (counts.shape[-1] if grouped else counts.size) - 1
    return ShareIntervals(counts, total - counts, size, rate, others, IN_GROUPS if grouped else SHARES)
