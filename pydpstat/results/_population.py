"""Protocols of intervals and tests for the population that the records are a sample of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._intervals import Interval

if TYPE_CHECKING:
    from pydpstat.results._postprocessing import PopulationInference

# heading of a column of counts
COUNT_COLUMN = "count"
# maximum number of population intervals on a page; each may take half a second
MAX_PAGE_INTERVALS = 12
NO_COST_NOTE = "It follows from the release at no additional privacy cost."


@runtime_checkable
class HasSubject(Protocol):
    """Intervals of a quantity other than the released one."""

    @property
    def subject(self) -> str:
        """Quantity that the intervals cover; empty for the released one."""


class Difference(NamedTuple):
    """Test and interval of the difference of two groups' parameters."""

    test: str
    statistic: float
    pvalue: float
    estimate: float
    interval: Any
    validity: str
    remarks: tuple[str, ...] = ()
    floor: float = 0.0

    def invert_order(self) -> Difference:
        """Return the comparison with the groups exchanged."""
        return self._replace(
            statistic=-self.statistic, estimate=-self.estimate, interval=NegatedInterval(self.interval)
        )


@dataclass(frozen=True, slots=True)
class NegatedInterval:
    """Interval of the negative of a parameter."""

    inner: Interval

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the lower and the upper limit."""
        low, high = self.inner.compute_limits(alpha)
        return -high + 0.0, -low + 0.0


class TableTest(NamedTuple):
    """Result of a test on the noisy counts of a table."""

    statistic: float
    pvalue: float
    floor: float


class HasAssumptions(Protocol):
    """Inference that rests on assumptions."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Assumptions of tests and comparisons, in words."""


@runtime_checkable
class SupportsIndependenceTest(HasAssumptions, Protocol):
    """Inference that tests the independence of a table's variables."""

    def run_independence_test(self, rows: int, columns: int) -> TableTest:
        """Test the independence of the first `rows` rows and `columns` columns."""


@runtime_checkable
class SupportsGroupComparison(HasAssumptions, Protocol):
    """Inference that compares two released groups."""

    def compare_groups(self, first: int, second: int) -> Difference:
        """Compare two groups by the indices of their values in the flattened array of all groups."""


@runtime_checkable
class SupportsEqualityTest(HasAssumptions, Protocol):
    """Inference that tests the equality of all released groups."""

    def test_equality(self, places: Sequence[int]) -> tuple[Difference, tuple[int, ...]]:
        """Test the equality of the groups at these indices; also return the groups that were compared."""


@runtime_checkable
class SupportsShares(HasSubject, Protocol):
    """Inference that has intervals for population shares of sums of counts."""

    def make_share_intervals(
        self, counts: Floats, rests: Floats, noises: npt.ArrayLike, is_of_total: bool, subject: str
    ) -> PopulationInference:
        """Return intervals for shares of counts over counts plus rests, with the noise terms of each."""
