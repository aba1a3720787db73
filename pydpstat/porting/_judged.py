"""Releases with what is kept of them, and what all those of the same data spend together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydpstat.errors import PydpstatError
from pydpstat.porting._findings import Total
from pydpstat.porting._releases import Held, Release
from pydpstat.porting._values import WRITTEN, Source, Value
from pydpstat.privacy import Guarantee, compose

# functions whose noise is as wide as the number of records is small, and all that take records
BY_NUMBER = ("meanDP", "varDP", "sdDP", "covDP", "pooledVarDP", "pooledCovDP")
_BY_RECORD = (*BY_NUMBER, "histogramDP", "tableDP", "quantileDP", "medianDP")
_DELTA = 1e-6
# so many guarantees are composed one by one
_MOST = 1000


@dataclass(frozen=True, slots=True)
class Judged:
    """A release and what is kept of it."""

    release: Release
    held: Held

    @property
    def epsilon(self) -> str:
        """Return what was claimed, as the end of a sentence."""
        return "" if self.held.claim is None else f", not {self.held.claim.epsilon:g}"

    @property
    def kept(self) -> Guarantee | None:
        """Return what is kept with the arguments and the seed that the script has; None if not known."""
        release = self.release
        values = [
            *release.public().values(),
            *(each for each in release.data().values() if is_from_data(each)),
        ]
        broken = any(value.private for value in values) or release.seed is not None or bool(self.mixed())
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


def by_source(judged: Sequence[Judged]) -> dict[Source, list[Judged]]:
    """Return the releases of data that are released several times without a budget that adds them up."""
    found: dict[Source, list[Judged]] = {}
    for each in judged:
        sources = frozenset().union(*(value.sources for value in each.release.data().values()))
        for source in sources if not each.release.budget else ():
            found.setdefault(source, []).append(each)
    return {source: each for source, each in found.items() if len(each) > 1 or each[0].release.times != 1}


def count_of(all_: Sequence[Judged]) -> int:
    """Return how often data are released."""
    return int(sum(each.release.times for each in all_))


def sums(judged: Sequence[Judged]) -> Iterator[Total]:
    """Yield what is spent together on the same data, where it is known."""
    for source, all_ in by_source(judged).items():
        total = sum_of(all_) if all(math.isfinite(each.release.times) for each in all_) else None
        if total is not None:
            yield Total(str(source), count_of(all_), str(total[0]), total[1])


def sum_of(all_: Sequence[Judged]) -> tuple[Guarantee, str] | None:
    """Return the sum of what is kept, and in words that by zCDP where it is smaller; None without one."""
    each = [(one.kept, int(one.release.times)) for one in all_ if one.kept is not None]
    if not each or any(math.isinf(kept.epsilon) for kept, _ in each):
        return None
    neighbors = each[0][0].neighbors
    epsilon = math.fsum(kept.epsilon * times for kept, times in each)
    delta = min(1.0, math.fsum(kept.delta * times for kept, times in each))
    basic = Guarantee(epsilon, delta, neighbors)
    if sum(times for _, times in each) > _MOST:
        return basic, ""
    target = delta or _DELTA
    try:
        smaller = compose([kept for kept, times in each for _ in range(times)], "zcdp", delta=target)
    except PydpstatError:
        return basic, ""
    if smaller.epsilon >= epsilon:
        return basic, ""
    return basic, f"; by zCDP (epsilon {smaller.epsilon:.6g}, delta {smaller.delta:.6g})"
