"""Releases with what is kept of them, and what all those of the same data spend together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from pydpstat.errors import PydpstatError
from pydpstat.porting._releases import TUNING, Held, Release
from pydpstat.porting._values import WRITTEN, Source, Value
from pydpstat.privacy import Guarantee, compose

# functions whose noise is as wide as the number of records is small, and all that take records
BY_NUMBER = ("meanDP", "varDP", "sdDP", "covDP", "pooledVarDP", "pooledCovDP")
_BY_RECORD = (*BY_NUMBER, "histogramDP", "tableDP", "quantileDP", "medianDP", *TUNING)
_DELTA = 1e-6
# so many guarantees are composed one by one
_MOST = 1000
_LARGEST = Fraction(2) ** 1023


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
        broken = broken or any(value.groups for value in release.data().values())
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
        for source in each.release.sources():
            found.setdefault(source, []).extend([each] * (not each.release.budget))
    for source, all_ in found.items():
        times = sum(each.release.times for each in all_)
        if times not in (0, 1):
            yield Spent(source, all_, times, _sum(all_) if math.isfinite(times) else None)


def _sum(all_: Sequence[Judged]) -> tuple[Guarantee, str] | None:
    """Return the sum of what is kept, and in words that by zCDP where it is smaller; None without one."""
    pairs = [(kept, int(one.release.times)) for one in all_ if (kept := one.kept) is not None]
    pairs = [(kept, times) for kept, times in pairs if times]
    if not pairs or any(math.isinf(kept.epsilon) for kept, _ in pairs):
        return None
    delta = min(1.0, _total((kept.delta, times) for kept, times in pairs))
    basic = Guarantee(_total((kept.epsilon, times) for kept, times in pairs), delta, pairs[0][0].neighbors)
    try:
        # loops inside one another may make more releases than can be listed
        few = sum(times for _, times in pairs) <= _MOST
        each = [kept for kept, times in pairs for _ in range(times)] if few else []
        smaller = compose(each, "zcdp", delta=delta or _DELTA) if few else basic
    except PydpstatError:
        return basic, ""
    if smaller.epsilon >= basic.epsilon:
        return basic, ""
    return basic, f"; by zCDP (epsilon {smaller.epsilon:.6g}, delta {smaller.delta:.6g})"


def _total(parts: Iterable[tuple[float, int]]) -> float:
    """Return the sum of numbers that are each there several times, rounded once."""
    total = sum((Fraction(value) * times for value, times in parts), Fraction(0))
    return float(total) if total < _LARGEST else math.inf
