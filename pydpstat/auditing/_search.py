"""The search: on some of the draws, the events that promise the largest bounds on the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pydpstat.auditing._bounds import Forecast
from pydpstat.auditing._events import Event, Found, Projection, element, form_events, length, missing, total
from pydpstat.auditing._float_events import Distribution, bit_events, support_events
from pydpstat.auditing._outcomes import Form, size_of
from pydpstat.auditing._ranges import range_events
from pydpstat.auditing._sampling import Draws
from pydpstat.r_arithmetic.elementary import inner, log

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
    alike: Counter[tuple[int, str, str]] = Counter()
    same: set[tuple[int, float]] = set()
    for candidate in found:
        # equal forecasts come from equal counts: the same event in other words
        if (candidate.side, candidate.forecast) in same:
            continue
        same.add((candidate.side, candidate.forecast))
        projection = candidate.event.projection
        kind = (candidate.side, candidate.event.family, projection.name if projection else "")
        alike[kind] += 1
        if alike[kind] <= 2:
            chosen.append(candidate)
    # both sides get their share
    half = [[each for each in chosen if each.side == side][: CARRIED // 2] for side in (0, 1)]
    rest = [each for each in chosen if each not in half[0] and each not in half[1]]
    return [*half[0], *half[1], *rest][:CARRIED]


def _events(
    first: Draws, second: Draws, forms: list[Form], distribution: Distribution | None, forecast: Forecast
) -> Iterator[Found]:
    yield from form_events(first.codes, second.codes, forms, forecast)
    size = max((size_of(form) for form in forms), default=0)
    elements = _elements(first, second, size)
    for projection in elements.values():
        yield from _number_events(projection, first, second, forecast, bits=True)
        if distribution is not None and len(elements) == 1:
            a, b = projection.of(first), projection.of(second)
            yield from support_events(projection, distribution, a, b, forecast)
    if size > 1:
        ratio = _likelihood_ratio(elements, first, second)
        together = [
            total("the sum of the result's elements", size),
            length("the length of the result as a vector", size),
            *([ratio] if ratio else []),
        ]
        for projection in together:
            yield from _number_events(projection, first, second, forecast, bits=False)


def _number_events(
    projection: Projection, first: Draws, second: Draws, forecast: Forecast, bits: bool
) -> Iterator[Found]:
    a, b = projection.of(first), projection.of(second)
    gaps = np.isnan(a), np.isnan(b)
    counts = np.array([gap.sum() for gap in gaps])
    if counts.any():
        yield missing(projection), forecast.of(*counts)
        a, b = a[~gaps[0]], b[~gaps[1]]
    yield from range_events(projection, a, b, forecast)
    if bits:
        yield from bit_events(projection, a, b, forecast)


def _elements(first: Draws, second: Draws, size: int) -> dict[int, Projection]:
    """Return the elements that are looked at, by their columns; the result has `size` of them."""
    width = first.values.shape[1]
    if width == 1:
        return {0: element("the result", 0)}
    names = [f"element {j + 1} of the result" for j in range(size)]
    # behind the elements come the standard errors that were computed from noisy values
    names += [f"the noise sd of element {j + 1}" for j in range(width - size)]
    if size == 1:
        names[0] = "the result"
    columns: np.ndarray = np.arange(width)
    if width > MOST_ELEMENTS:
        columns = np.argsort(-_differences(first, second), kind="stable")[:MOST_ELEMENTS]
    return {j: element(names[j], j) for j in columns.tolist()}


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


def _likelihood_ratio(elements: dict[int, Projection], first: Draws, second: Draws) -> Projection | None:
    """Estimate the log likelihood ratio, the elements taken as independent."""
    parts = []
    for column, projection in elements.items():
        a, b = projection.of(first), projection.of(second)
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
            parts.append((weight, column, edges, ratios))
    parts.sort(key=lambda part: -part[0])
    parts = parts[:MOST_PARTS]
    if len(parts) < 2:
        return None

    def of(draws: Draws) -> np.ndarray:
        sums = np.zeros(len(draws))
        for _, column, edges, ratios in parts:
            sums += ratios[np.searchsorted(edges, draws.values[:, column], side="right")]
        return sums

    places = ", ".join(str(column + 1) for _, column, _, _ in parts)
    return Projection(f"the estimated log likelihood ratio of elements {places}", of, tails_only=True)
