"""Events of an outcome: of its form, and of the location of a number (tails, intervals, single values, unions)."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from pydpstat.auditing._bounds import Forecast
from pydpstat.auditing._sampling import FACT_NAMES, Draws, Form
from pydpstat.r_arithmetic.elementary import log
from pydpstat.results._labels import Labels
from pydpstat.results._report import trim_name

CHUNK_SIZE = 32_768
_MAX_SENTENCE = 160
FACT_ORDER = ("the error", "the choice", "the result", "the labels", "nobs", "the noise scale", "the shape")


@dataclass(frozen=True, eq=False)
class Projection:
    """A number computed from an outcome's numbers, with its name in sentences.

    If it orders outcomes by their evidence (`tails_only`), only its tails are used as events.
    """

    name: str
    compute: Callable[[Draws], np.ndarray]
    tails_only: bool = False


def make_element_projection(name: str, column: int) -> Projection:
    """Return the projection to one element of the result."""
    return Projection(name, lambda draws: draws.values[:, column])


def make_sum_projection(name: str, columns: int) -> Projection:
    """Return the projection to the sum of the first elements."""
    return Projection(name, lambda draws: draws.values[:, :columns].sum(axis=1))


def make_length_projection(name: str, columns: int) -> Projection:
    """Return the projection to the Euclidean length of the first elements."""

    def compute_length(draws: Draws) -> np.ndarray:
        vectors = draws.values[:, :columns]
        return np.sqrt(np.einsum("ij,ij->i", vectors, vectors))

    return Projection(name, compute_length)


@dataclass(frozen=True, eq=False)
class Event:
    """An event of outcomes: its family, a sentence, and the number that it is about.

    `includes` maps such numbers, or the codes of the forms if there is no number, to a mask.
    """

    family: str
    words: str
    projection: Projection | None
    includes: Callable[[np.ndarray], np.ndarray]

    def select_outcomes(self, draws: Draws) -> np.ndarray:
        """Return the mask of the outcomes that are in the event."""
        return self.includes(draws.codes if self.projection is None else self.projection.compute(draws))


# an event, and the forecasts of its bound for both directions
ForecastEvent = tuple[Event, tuple[float, float]]


def make_missing_event(projection: Projection) -> Event:
    """Return the event that a number is missing."""
    return Event("missing", f"{projection.name} is missing (NaN)", projection, np.isnan)


def make_form_event(words: str, codes: Sequence[int]) -> Event:
    """Return the event that the outcome has one of several forms."""
    return Event("form", words, None, lambda seen: np.isin(seen, codes))


def count_outcomes(event: Event, draws: Draws) -> int:
    """Count the outcomes in an event, in chunks that fit into the cache."""
    return sum(
        int(
            np.count_nonzero(
                event.select_outcomes(Draws(draws.codes[i : i + CHUNK_SIZE], draws.values[i : i + CHUNK_SIZE]))
            )
        )
        for i in range(0, len(draws), CHUNK_SIZE)
    )


def format_exact_number(value: float) -> str:
    """Return a number with the fewest digits that represent it exactly."""
    return f"{value:.0f}" if abs(value) < 1e6 and value == int(value) else repr(float(value))


def iterate_form_events(
    first: np.ndarray, second: np.ndarray, forms: list[Form], forecast: Forecast
) -> Iterator[ForecastEvent]:
    """Yield one event for each value of each fact in which the forms differ."""
    if len(forms) < 2:
        return
    counts = np.array([np.bincount(codes, minlength=len(forms)) for codes in (first, second)], dtype=np.float64)
    for description, codes in _group_forms(forms):
        yield make_form_event(description, codes), forecast.predict_event(*counts[:, codes].sum(axis=1))


def _group_forms(forms: list[Form]) -> Iterator[tuple[str, list[int]]]:
    groups: dict[tuple[str, Hashable], list[int]] = {}
    for code, form in enumerate(forms):
        for name, value in zip(FACT_NAMES[str(form[0])], form):
            groups.setdefault((name, value), []).append(code)
    # facts that distinguish the same forms are one event, described by the most informative fact
    seen: set[tuple[int, ...]] = set()
    for name, value in sorted(
        groups, key=lambda fact: FACT_ORDER.index(fact[0]) if fact[0] in FACT_ORDER else len(FACT_ORDER)
    ):
        codes = groups[name, value]
        if len(codes) < len(forms) and tuple(codes) not in seen:
            seen.add(tuple(codes))
            yield _describe_form(name, value), codes


def _describe_form(name: str, value: Hashable) -> str:
    if name == "the result's kind":
        return "the call raises an error" if value == "error" else f"the call returns a result ({value})"
    if name.startswith("the error"):
        return trim_name(f"the call raises {value}", _MAX_SENTENCE)
    if isinstance(value, Labels):
        return f"the labels are {_describe_labels(value)}"
    if name == "the shape":
        return f"the result has shape {value}" if value != () else "the result is one number"
    verb = "are" if name in ("the labels", "the parts", "the bounds") else "is"
    return trim_name(f"{name} {verb} {value!r}", _MAX_SENTENCE)


def _describe_labels(labels: Labels) -> str:
    if labels.breaks is not None:
        return trim_name("the breaks " + " ".join(f"{edge:.6g}" for edge in labels.breaks), _MAX_SENTENCE)
    if labels.dimnames is not None:
        return trim_name(" x ".join("(" + ", ".join(levels) + ")" for levels in labels.dimnames), _MAX_SENTENCE)
    return trim_name(repr(labels.names if labels.names is not None else labels.name), _MAX_SENTENCE)


# candidate ends of ranges: quantiles of both samples, their outermost values, and repeated values
QUANTILES, OUTERMOST, REPEATED = 1_024, 64, 1_024
# number of cells of the unions, and the largest number of pieces of a union
CELLS, PIECES = 64, 6
# a sentence's number is rounded as long as the forecast decreases by at most this much
FORECAST_TOLERANCE = 0.003


@dataclass(frozen=True)
class Cut:
    """A cut of the line, just before or just after a value."""

    value: float
    after: bool = False

    def is_below(self, z: np.ndarray) -> np.ndarray:
        """Return the mask of the values before the cut."""
        return z <= self.value if self.after else z < self.value

    def is_above(self, z: np.ndarray) -> np.ndarray:
        """Return the mask of the values after the cut."""
        return z > self.value if self.after else z >= self.value


# the ends of the line; no other cuts are at infinity
LINE_START, LINE_END = Cut(-math.inf), Cut(math.inf, after=True)
# a range between two cuts
Range = tuple[Cut, Cut]


def make_range_event(projection: Projection, ranges: tuple[Range, ...]) -> Event:
    """Return the event that a number lies in one of several ranges."""
    description = " or ".join(map(_describe_range, ranges))
    if len(ranges) > 1 and all(map(_is_one_value, ranges)):
        description = f"is one of {', '.join(format_exact_number(low.value) for low, _ in ranges)}"

    def select_values(z: np.ndarray) -> np.ndarray:
        return np.logical_or.reduce([low.is_above(z) & high.is_below(z) for low, high in ranges])

    return Event("range", f"{projection.name} {description}", projection, select_values)


def _is_one_value(limits: Range) -> bool:
    low, high = limits
    return low.value == high.value and high.after and not low.after and low is not LINE_START and high is not LINE_END


def _describe_range(limits: Range) -> str:
    low, high = limits
    if _is_one_value(limits):
        return f"is {format_exact_number(low.value)}"
    conditions = []
    if low is not LINE_START:
        conditions.append(f"{'above' if low.after else 'at least'} {format_exact_number(low.value)}")
    if high is not LINE_END:
        conditions.append(f"{'at most' if high.after else 'below'} {format_exact_number(high.value)}")
    return "is " + " and ".join(conditions)


def iterate_range_events(
    projection: Projection, a: np.ndarray, b: np.ndarray, forecast: Forecast
) -> Iterator[ForecastEvent]:
    """Yield the best tails, intervals, values and unions for both directions; `a` and `b` contain no NaN."""
    if a.size + b.size == 0:
        return
    line = _PooledSamples(np.sort(a), np.sort(b), forecast)
    counts, neighbor_counts = line.counts_below
    left_forecasts, right_forecasts = (
        forecast.predict_both(counts, neighbor_counts),
        forecast.predict_both(a.size - counts, b.size - neighbor_counts),
    )
    steps = [2**power for power in range((line.size - 1).bit_length())]
    spans = [
        (step, forecast.predict_both(counts[step:] - counts[:-step], neighbor_counts[step:] - neighbor_counts[:-step]))
        for step in steps
    ]
    seen: set[tuple[Range, ...]] = set()
    for side in (0, 1):
        i, j = int(np.argmax(left_forecasts[side])), int(np.argmax(right_forecasts[side]))
        best: list[tuple[Range, ...]] = [((LINE_START, line.get_cut(i)),), ((line.get_cut(j), LINE_END),)]
        if not projection.tails_only:
            inner = [(values[side].max(), step, int(values[side].argmax())) for step, values in spans]
            if inner:
                _, step, i = max(inner)
                best.append((line.reduce_range((line.get_cut(i), line.get_cut(i + step))),))
            best.append(line.find_best_union(side))
        for pairs in best:
            pairs = line.round_limits(pairs, side)
            if pairs and pairs not in seen:
                seen.add(pairs)
                yield make_range_event(projection, pairs), line.predict_ranges(pairs)


class _PooledSamples:
    """Both samples in order, and the candidate cuts."""

    def __init__(self, a: np.ndarray, b: np.ndarray, forecast: Forecast) -> None:
        self.samples, self.forecast = (a, b), forecast
        # a stable sort merges two sorted runs
        pooled = np.sort(np.concatenate([a, b]), kind="stable")
        last = pooled.size - 1
        offsets = np.arange(min(OUTERMOST, pooled.size))
        positions = np.concatenate([np.linspace(0, last, QUANTILES).astype(np.int64), offsets, last - offsets])
        starts = np.flatnonzero(np.concatenate([[True], pooled[1:] != pooled[:-1]]))
        # the imaginary part is 1 if the cut is after the value
        cuts = [np.unique(pooled[positions]) + 0j]
        if starts.size < pooled.size:
            lengths = np.diff(np.append(starts, pooled.size))
            often = np.argsort(-lengths, kind="stable")[:REPEATED]
            repeated = pooled[starts[often[lengths[often] >= 3]]]
            cuts += [repeated + 0j, repeated + 1j]
        keys = np.unique(np.concatenate(cuts))
        self.values, self.after = keys.real, keys.imag > 0.0
        self.size = self.values.size
        self.counts_below = [
            np.where(
                self.after,
                np.searchsorted(sample, self.values, side="right"),
                np.searchsorted(sample, self.values, side="left"),
            ).astype(np.float64)
            for sample in self.samples
        ]

    def get_cut(self, i: int) -> Cut:
        return Cut(float(self.values[i]), bool(self.after[i]))

    def select_range(self, limits: Range, side: int) -> np.ndarray:
        """Return the part of a sample in a range, in order."""
        sample = self.samples[side]
        low, high = (int(sample.searchsorted(cut.value, "right" if cut.after else "left")) for cut in limits)
        return sample[low:high]

    def predict_ranges(self, pairs: tuple[Range, ...]) -> tuple[float, float]:
        return self.forecast.predict_event(
            *(sum(self.select_range(pair, side).size for pair in pairs) for side in (0, 1))
        )

    def reduce_range(self, limits: Range) -> Range:
        """Return a range with a single value if the samples have only one in it, else the range."""
        inside = [self.select_range(limits, side) for side in (0, 1)]
        extremes = {float(end) for selected in inside if selected.size for end in (selected[0], selected[-1])}
        if len(extremes) != 1:
            return limits
        value = extremes.pop()
        return Cut(value), Cut(value, after=True)

    def round_limits(self, pairs: tuple[Range, ...], side: int) -> tuple[Range, ...]:
        """Round the limits of ranges to as few digits as the forecast allows."""
        allowed = self.predict_ranges(pairs)[side] - FORECAST_TOLERANCE if pairs else 0.0
        for i, end in product(range(len(pairs)), (0, 1)):
            cut = pairs[i][end]
            if not math.isfinite(cut.value) or _is_one_value(pairs[i]):
                continue
            for digits in range(1, 16):
                rounded = [list(pair) for pair in pairs]
                rounded[i][end] = Cut(float(f"{cut.value:.{digits}g}"), cut.after)
                changed = tuple((low, high) for low, high in rounded)
                limits = [limit.value for pair in changed for limit in pair]
                if limits == sorted(limits) and self.predict_ranges(changed)[side] >= allowed:
                    pairs = changed
                    break
        return pairs

    def find_best_union(self, side: int) -> tuple[Range, ...]:
        """Return the union of cells with the best forecast, largest likelihood ratios first."""
        is_small = self.size <= 4 * CELLS
        positions = np.arange(self.size) if is_small else np.linspace(0, self.size - 1, CELLS).astype(np.int64)
        counts = [
            np.diff(np.concatenate([[0.0], n[positions], [float(sample.size)]]))
            for n, sample in zip(self.counts_below, self.samples)
        ]
        side_counts, other_counts = counts[side], counts[1 - side]
        order = np.argsort(-log((side_counts + 0.5) / (other_counts + 1.0)), kind="stable")
        sums = [np.cumsum(n[order]) for n in counts]
        values = self.forecast.predict_both(sums[0], sums[1])[side]
        selected = np.zeros(side_counts.size, dtype=bool)
        selected[order[: int(np.argmax(values)) + 1]] = True
        edges = np.flatnonzero(np.diff(np.concatenate([[False], selected, [False]]).astype(np.int8)))
        if values.max() == -np.inf or not 2 <= edges.size // 2 <= PIECES:
            return ()
        cuts = [LINE_START, *(self.get_cut(int(position)) for position in positions), LINE_END]
        pairs = [(cuts[i], cuts[j]) for i, j in zip(edges[::2], edges[1::2])]
        return tuple(
            pair if pair[0] is LINE_START or pair[1] is LINE_END else self.reduce_range(pair) for pair in pairs
        )
