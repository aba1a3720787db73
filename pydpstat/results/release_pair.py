"""Pair of releases of one statistic, for bounded and unbounded neighbors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydpstat._answering import explain_wrong_calls
from pydpstat.privacy import Guarantee
from pydpstat.results.results import DPResults

if TYPE_CHECKING:
    from pydpstat.results.statements import Statement


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DPResultsPair(Mapping[str, DPResults]):
    """A mapping with the keys ``"Bounded"`` and ``"Unbounded"``.

    Both are noisy versions of the same statistic, so publishing both costs epsilon twice.

    Parameters
    ----------
    Bounded, Unbounded : DPResults
        The two releases.
    guarantee : Guarantee
        Joint guarantee of both.

    See Also
    --------
    DPResults : each of the two.
    meanDP : one of the functions that make it.

    Examples
    --------
    >>> import pydpstat
    >>> pair = pydpstat.histogramDP([1, 2, 3], 1.0, 0, 4, breaks=[0, 2, 4],
    ...                             which_sensitivity="both", rng=pydpstat.RRandom(1))
    >>> list(pair)
    ['Bounded', 'Unbounded']
    >>> pair.guarantee.epsilon
    3.0
    """

    Bounded: DPResults
    Unbounded: DPResults
    guarantee: Guarantee

    @explain_wrong_calls
    def statement(self) -> Statement:
        """Return the paragraph and the table of both releases for a methods section.

        Returns
        -------
        Statement
            As `DPResults.statement` returns it.

        See Also
        --------
        statement : several releases in one statement.

        Examples
        --------
        >>> import pydpstat
        >>> pair = pydpstat.histogramDP([1, 2, 3], 1.0, 0, 4, breaks=[0, 2, 4], which_sensitivity="both")
        >>> "epsilon = 3" in pair.statement().text
        True
        """
        from pydpstat.results.statements import statement

        return statement(self)

    def __getitem__(self, key: str) -> DPResults:
        if key in ("Bounded", "Unbounded"):
            return getattr(self, key)
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(("Bounded", "Unbounded"))

    def __len__(self) -> int:
        return 2

    def __repr__(self) -> str:
        name = self.Bounded.statistic
        return f"<DPResultsPair {name}: {self.Bounded!r}, {self.Unbounded!r}, {self.guarantee}>"
