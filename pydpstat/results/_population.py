"""Intervals for the population that the records are a sample of, and tests, next to those of the noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._intervals import Interval

if TYPE_CHECKING:
    from pydpstat.results._postprocessing import PopulationInference

# what a column of numbers of records is called
COUNT_COLUMN = "count"
# a page has those of the population for so many values; each may take half a second
MAX_PAGE_INTERVALS = 12
NO_COST_NOTE = "It follows from the release at no additional privacy cost."


@runtime_checkable
class HasSubject(Protocol):
    """What has intervals of something else than what was released."""

    @property
    def subject(self) -> str:
        """Say what they are of; empty where it is what was released."""


class Difference(NamedTuple):
    """What noisy numbers of two groups say of the difference of their parameters."""

    test: str
    statistic: float
    pvalue: float
    estimate: float
    interval: Any
    validity: str
    remarks: tuple[str, ...] = ()
    floor: float = 0.0

    def invert_order(self) -> Difference:
        """Return the comparison of the second group with the first."""
        return self._replace(
            statistic=-self.statistic, estimate=-self.estimate, interval=NegatedInterval(self.interval)
        )


@dataclass(frozen=True, slots=True)
class NegatedInterval:
    """The interval of a number with the other sign."""

    inner: Interval

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return both ends."""
        low, high = self.inner.compute_limits(alpha)
        return -high + 0.0, -low + 0.0


class TableTest(NamedTuple):
    """What the noisy counts of a table say of a hypothesis."""

    statistic: float
    pvalue: float
    floor: float


class HasAssumptions(Protocol):
    """What rests on assumptions."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Return what tests and comparisons rest on, in words."""


@runtime_checkable
class SupportsIndependenceTest(HasAssumptions, Protocol):
    """What tests the counts of a table."""

    def run_independence_test(self, rows: int, columns: int) -> TableTest:
        """Test whether the first so many rows and columns are independent."""


@runtime_checkable
class SupportsGroupComparison(HasAssumptions, Protocol):
    """What compares two of the groups that were released."""

    def compare_groups(self, first: int, second: int) -> Difference:
        """Compare the groups whose values are in these places, of all values one group after the other."""


@runtime_checkable
class SupportsEqualityTest(HasAssumptions, Protocol):
    """What compares all groups that were released."""

    def test_equality(self, places: Sequence[int]) -> tuple[Difference, tuple[int, ...]]:
        """Test whether the groups whose values are in these places are equal; also return those compared."""


@runtime_checkable
class SupportsShares(HasSubject, Protocol):
    """What has intervals of shares that sums of counts have of the population."""

    def make_share_intervals(
        self, counts: Floats, rests: Floats, noises: npt.ArrayLike, is_of_total: bool, subject: str
    ) -> PopulationInference:
        """Return those for counts with so many noises and their rests, which may be those of the whole."""
