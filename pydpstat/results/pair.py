"""Two releases of one statistic, as R returns them for ``which.sensitivity = "both"``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydpstat.privacy import Guarantee
from pydpstat.results.results import DPResults


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DPResultsPair(Mapping[str, DPResults]):
    """A mapping with the keys ``"Bounded"`` and ``"Unbounded"``.

    Both are noisy versions of the same statistic, so publishing both spends the budget twice.

    Parameters
    ----------
    Bounded, Unbounded : DPResults
        The two releases.
    guarantee : Guarantee
        What holds for both together.

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
