"""Releases with their actual guarantees, and the total privacy loss of releases of the same data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from pydpstat.errors import PydpstatError
from pydpstat.porting._releases import TUNING, Release, ReleaseAssessment
from pydpstat.porting._values import WRITTEN_LEVELS, Source, Value
from pydpstat.privacy import Guarantee, compose

# functions whose noise scale depends on the number of records, and all functions of records
SIZE_DEPENDENT = ("meanDP", "varDP", "sdDP", "covDP", "pooledVarDP", "pooledCovDP")
_RECORD_FUNCTIONS = (*SIZE_DEPENDENT, "histogramDP", "tableDP", "quantileDP", "medianDP", *TUNING)
_DEFAULT_DELTA = 1e-6
# maximum number of guarantees that are composed one by one
_MAX_COMPOSED = 1000
_MAX_TOTAL = Fraction(2) ** 1023


class AssessedRelease(NamedTuple):
    """A release with the assessment of its guarantee."""

    release: Release
    assessment: ReleaseAssessment

    @property
    def claim_text(self) -> str:
        """Claimed guarantee, as the end of a sentence."""
        return "" if self.assessment.claim is None else f", not {self.assessment.claim.epsilon:g}"

    @property
    def actual_guarantee(self) -> Guarantee | None:
        """Guarantee that holds with the script's arguments and seed, or None if unknown."""
        release = self.release
        broken = (
            release.seed is not None
            or bool(self.find_record_changes())
            or any(map(has_levels_from_data, release.get_data().values()))
        )
        broken = broken or any(value.is_private for value in release.get_public().values())
        broken = broken or any(value.groups for value in release.get_data().values())
        return Guarantee(math.inf) if broken and self.assessment.guarantee else self.assessment.guarantee

    def find_record_changes(self) -> list[str]:
        """Return the ways in which records were changed by a statistic of the same data."""
        release = self.release
        if release.function not in _RECORD_FUNCTIONS and not release.is_own and release.made is None:
            return []
        return [each.mixed for each in release.get_data().values() if each.is_private and each.mixed]


def has_levels_from_data(value: Value) -> bool:
    """Return whether a variable's levels are computed from the data."""
    return value.is_private and value.levels not in ("", WRITTEN_LEVELS)


class DataSpending(NamedTuple):
    """Releases of the same data, their number and total privacy loss, None if unknown."""

    source: Source
    releases: list[AssessedRelease]
    times: float
    total: tuple[Guarantee, str] | None


def iterate_spending(judged: Sequence[AssessedRelease]) -> Iterator[DataSpending]:
    """Yield the privacy loss of data that are released several times without a common budget."""
    found: dict[Source, list[AssessedRelease]] = {}
    for each in judged:
        for source in each.release.get_sources():
            found.setdefault(source, []).extend([each] * (not each.release.has_budget))
    for source, all_ in found.items():
        times = sum(each.release.times for each in all_)
        if times not in (0, 1):
            yield DataSpending(source, all_, times, _sum_guarantees(all_) if math.isfinite(times) else None)


def _sum_guarantees(releases: Sequence[AssessedRelease]) -> tuple[Guarantee, str] | None:
    """Return the sum of the actual guarantees, and a description of the zCDP total if smaller; or None."""
    pairs = [(kept, int(one.release.times)) for one in releases if (kept := one.actual_guarantee) is not None]
    pairs = [(kept, times) for kept, times in pairs if times]
    if not pairs or any(math.isinf(kept.epsilon) for kept, _ in pairs):
        return None
    delta = min(1.0, _sum_exactly((kept.delta, times) for kept, times in pairs))
    basic = Guarantee(_sum_exactly((kept.epsilon, times) for kept, times in pairs), delta, pairs[0][0].neighbors)
    try:
        # nested loops may make more releases than can be listed
        few = sum(times for _, times in pairs) <= _MAX_COMPOSED
        each = [kept for kept, times in pairs for _ in range(times)] if few else []
        smaller = compose(each, "zcdp", delta=delta or _DEFAULT_DELTA) if few else basic
    except PydpstatError:
        return basic, ""
    if smaller.epsilon >= basic.epsilon:
        return basic, ""
    return basic, f"; by zCDP (epsilon {smaller.epsilon:.6g}, delta {smaller.delta:.6g})"


def _sum_exactly(parts: Iterable[tuple[float, int]]) -> float:
    """Return the sum of numbers with multiplicities, rounded once."""
    total = sum((Fraction(value) * times for value, times in parts), Fraction(0))
    return float(total) if total < _MAX_TOTAL else math.inf
