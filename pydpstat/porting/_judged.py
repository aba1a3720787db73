"""Releases with what is kept of them, and what all those of the same data spend together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pydpstat.errors import PydpstatError
from pydpstat.porting._releases import TUNING, Held, Release
from pydpstat.porting._values import NONE, WRITTEN, Source, Value
from pydpstat.privacy import Guarantee, compose

# functions whose noise is as wide as the number of records is small, and all that take records
BY_NUMBER = ("meanDP", "varDP", "sdDP", "covDP", "pooledVarDP", "pooledCovDP")
_BY_RECORD = (*BY_NUMBER, "histogramDP", "tableDP", "quantileDP", "medianDP", *TUNING)
_DELTA = 1e-6
# so many guarantees are composed one by one
_MOST = 1000


class Judged(NamedTuple):
    """A release and what is kept of it."""

    release: Release
    held: Held

    @property
    def claimed(self) -> str:
        """Return what was claimed, as the end of a sentence."""
        return "" if self.held.claim is None else f", not {self.held.claim.epsilon:g}"

    @property
    def kept(self) -> Guarantee | None:
        """Return what is kept with the arguments and the seed that the script has; None if not known."""
        release = self.release
        broken = (
            release.seed is not None or bool(self.mixed()) or any(map(is_from_data, release.data().values()))
        )
        broken = broken or any(value.private for value in release.public().values())
        return Guarantee(math.inf) if broken and self.held.kept else self.held.kept

    def mixed(self) -> list[str]:
        """Return how records were changed by a figure of the same data."""
        release = self.release
        if release.function not in _BY_RECORD and not release.own and release.made is None:
            return []
        return [each.mixed for each in release.data().values() if each.private and each.mixed]


def is_from_data(value: Value) -> bool:
    """Return whether a variable's levels are computed from the data."""
    return value.private and value.levels not in ("", WRITTEN)


class Spent(NamedTuple):
    """The releases of the same data, how many they are, and what they spend; None where it is not known."""

    source: Source
    all_: list[Judged]
    times: float
    total: tuple[Guarantee, str] | None


def spent(judged: Sequence[Judged]) -> Iterator[Spent]:
    """Yield what is spent on data that are released several times without a budget that adds it up."""
    found: dict[Source, list[Judged]] = {}
    for each in judged:
        for source in NONE.union(*(value.sources for value in each.release.data().values())):
            found.setdefault(source, []).extend([each] * (not each.release.budget))
    for source, all_ in found.items():
        times = sum(each.release.times for each in all_)
        if times not in (0, 1):
            yield Spent(source, all_, times, _sum(all_) if math.isfinite(times) else None)


def _sum(all_: Sequence[Judged]) -> tuple[Guarantee, str] | None:
    """Return the sum of what is kept, and in words that by zCDP where it is smaller; None without one."""
    each = [kept for one in all_ if (kept := one.kept) is not None for _ in range(int(one.release.times))]
    if not each or any(math.isinf(kept.epsilon) for kept in each):
        return None
    delta = min(1.0, math.fsum(kept.delta for kept in each))
    basic = Guarantee(math.fsum(kept.epsilon for kept in each), delta, each[0].neighbors)
    try:
        smaller = compose(each, "zcdp", delta=delta or _DELTA) if len(each) <= _MOST else basic
    except PydpstatError:
        return basic, ""
    if smaller.epsilon >= basic.epsilon:
        return basic, ""
    return basic, f"; by zCDP (epsilon {smaller.epsilon:.6g}, delta {smaller.delta:.6g})"
