"""Statistics of records with survey weights at neighbors that show their worst case."""

from __future__ import annotations

from pydpstat.auditing._cases.case import Case, Release
from pydpstat.inference.survey import weighted_mean, weighted_proportion, weighted_total
from pydpstat.inference.survey_quantiles import weighted_quantile

# values and weights: a record of the largest weight moves from one bound to the other, or is added
_LOW, _HIGH = ([0.0], [1.0]), ([1.0], [1.0])
_NONE: tuple[list[float], list[float]] = ([], [])


def _call(function: Release, *public: float, **options: object) -> Release:
    return lambda pair: function(*pair, *public, 1.0, max_weight=1.0, **options)


def _truths(pair: tuple[list[float], list[float]]) -> tuple[list[bool], list[float]]:
    return [value > 0.5 for value in pair[0]], pair[1]


def _case(name: str, release: Release, data: object, neighbor: object) -> Case:
    return Case("sound", name, release, data, neighbor, true=1.0)


_OPEN = {"neighbors": "unbounded"}
_UNIT = {"bounds": (0, 1)}

CASES = (
    _case("weighted_mean", _call(weighted_mean, **_UNIT), _LOW, _HIGH),
    _case("weighted_mean, unbounded", _call(weighted_mean, **_UNIT, **_OPEN), _NONE, _HIGH),
    _case("weighted_proportion", _call(weighted_proportion), _truths(_LOW), _truths(_HIGH)),
    _case("weighted_total", _call(weighted_total, **_UNIT), _LOW, _HIGH),
    _case("weighted_quantile", _call(weighted_quantile, 0.5, **_UNIT, bins=8), _LOW, _HIGH),
    _case(
        "weighted_quantile, unbounded", _call(weighted_quantile, 0.5, **_UNIT, **_OPEN, bins=8), _NONE, _HIGH
    ),
)
