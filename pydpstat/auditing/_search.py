"""The search: on some of the draws, the events that promise the largest bounds on the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pydpstat.auditing._bounds import Forecast
from pydpstat.auditing._events import (
    Element,
    Event,
    Found,
    LikelihoodRatio,
    Missing,
    Norm,
    Projection,
    Sum,
    form_events,
)
from pydpstat.auditing._float_events import Distribution, bit_events, support_events
from pydpstat.auditing._outcomes import Form, size_of
from pydpstat.auditing._ranges import range_events
from pydpstat.auditing._sampling import Draws
from pydpstat.r_arithmetic._products import inner
from pydpstat.r_arithmetic.elementary import log

# events carried over to the fresh draws, both directions together
CARRIED = 8
# of a longer result the elements that differ most are looked at one by one
MOST_ELEMENTS = 48
# elements that take part in the likelihood ratio
MOST_PARTS = 12


@dataclass(frozen=True)
class Candidate:
    """An event, the side it is more likely on (0 the data, 1 the neighbor), and its forecast."""

    forecast: float
    side: int
    event: Event


def search(
    first: Draws, second: Draws, forms: list[Form], distribution: Distribution | None, forecast: Forecast
) -> list[Candidate]:
    """Return the most promising events of the draws for the search.

    `forms` has what the codes of the outcomes stand for, `distribution` is that of the noise, where every
    result publishes the same one.
    """
    found = [
        Candidate(float(value), side, event)
        for event, values in _events(first, second, forms, distribution, forecast)
        for side, value in enumerate(values)
        if value > -np.inf
    ]
    # of equal ones the first: families come in the order of how plainly they speak
    found.sort(key=lambda candidate: -round(candidate.forecast, 2))
    chosen: list[Candidate] = []
    seen: dict[tuple[int, type, str], int] = {}
    same: set[tuple[int, float]] = set()
    for candidate in found:
        # equal forecasts come from equal counts: the same event in other words
        if (candidate.side, candidate.forecast) in same:
            continue
        same.add((candidate.side, candidate.forecast))
        projection = candidate.event.projection
        kind = (candidate.side, type(candidate.event), projection.name if projection else "")
        if seen.get(kind, 0) < 2:
            seen[kind] = seen.get(kind, 0) + 1
            chosen.append(candidate)
    # both sides get their share
    half = [[each for each in chosen if each.side == side][: CARRIED // 2] for side in (0, 1)]
    rest = [each for each in chosen if each not in half[0] and each not in half[1]]
    return [*half[0], *half[1], *rest][:CARRIED]


def _events(
    first: Draws, second: Draws, forms: list[Form], distribution: Distribution | None, forecast: Forecast
) -> Iterator[Found]:
    yield from form_events(first.codes, second.codes, forms, forecast)
    elements = _elements(first, second, forms)
    for element in elements:
        yield from _number_events(element, first, second, forecast, bits=True)
        if distribution is not None and len(elements) == 1:
            a, b = element.of(first), element.of(second)
            yield from support_events(element, distribution, a, b, forecast)
    size = max((size_of(form) for form in forms), default=0)
    if size > 1:
        together: list[Projection] = [
            Sum("the sum of the result's elements", size),
            Norm("the length of the result as a vector", size),
        ]
        ratio = _likelihood_ratio(elements, first, second)
        for projection in together + ([ratio] if ratio else []):
            yield from _number_events(projection, first, second, forecast, bits=False)


def _number_events(
    projection: Projection, first: Draws, second: Draws, forecast: Forecast, bits: bool
) -> Iterator[Found]:
    a, b = projection.of(first), projection.of(second)
    gaps = np.isnan(a), np.isnan(b)
    counts = np.array([gap.sum() for gap in gaps])
    if counts.any():
        yield Missing(projection), forecast.of(*counts)
        a, b = a[~gaps[0]], b[~gaps[1]]
    yield from range_events(projection, a, b, forecast)
    if bits:
        yield from bit_events(projection, a, b, forecast)


def _elements(first: Draws, second: Draws, forms: list[Form]) -> list[Element]:
    width = first.values.shape[1]
    size = max((size_of(form) for form in forms), default=0)
    if width == 1:
        return [Element("the result", 0)]
    names = [f"element {j + 1} of the result" for j in range(size)]
    # behind the elements come the standard errors that were computed from noisy values
    names += [f"the noise sd of element {j + 1}" for j in range(width - size)]
    if size == 1:
        names[0] = "the result"
    columns: np.ndarray = np.arange(width)
    if width > MOST_ELEMENTS:
        columns = np.argsort(-_differences(first, second), kind="stable")[:MOST_ELEMENTS]
    return [Element(names[j], int(j)) for j in columns]


def _differences(first: Draws, second: Draws) -> np.ndarray:
    """Return for each column how far the two samples are apart, in standard errors of their ranks."""
    from scipy.stats import rankdata

    few = 4_000
    result = np.zeros(first.values.shape[1])
    for j in range(result.size):
        a, b = first.values[:few, j], second.values[:few, j]
        ranks = rankdata(np.concatenate([a, b]))
        result[j] = abs(ranks[: a.size].mean() - ranks[a.size :].mean()) / ranks.size
    return result


def _likelihood_ratio(elements: list[Element], first: Draws, second: Draws) -> LikelihoodRatio | None:
    parts = []
    for element in elements:
        a, b = element.of(first), element.of(second)
        if not (np.isfinite(a).all() and np.isfinite(b).all()):
            continue
        edges = np.unique(np.quantile(np.concatenate([a, b]), np.linspace(0.02, 0.98, 25)))
        counts = [
            np.bincount(np.searchsorted(edges, each, side="right"), minlength=edges.size + 1)
            for each in (a, b)
        ]
        ratios = log((counts[0] + 1.0) / a.size) - log((counts[1] + 1.0) / b.size)
        # how much the element tells, against what chance alone would show
        weight = inner(counts[0] / a.size - counts[1] / b.size, ratios)
        chance = edges.size * (1.0 / a.size + 1.0 / b.size)
        if weight > 3.0 * chance:
            parts.append((weight, element, edges, ratios))
    parts.sort(key=lambda part: -part[0])
    parts = parts[:MOST_PARTS]
    if len(parts) < 2:
        return None
    places = ", ".join(str(element.column + 1) for _, element, _, _ in parts)
    return LikelihoodRatio(
        f"the estimated log likelihood ratio of elements {places}",
        tuple((element.column, edges, ratios) for _, element, edges, ratios in parts),
    )
