"""Events of an outcome: of its form, and of where a number lies (tails, intervals, single values, unions)."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from pydpstat.auditing._bounds import Forecast
from pydpstat.auditing._sampling import FACTS, Draws, Form
from pydpstat.r_arithmetic.elementary import log
from pydpstat.results._labels import Labels
from pydpstat.results._report import one_line

PART = 32_768
_LONG = 160
PLAIN = ("the error", "the choice", "the result", "the labels", "nobs", "the noise scale", "the shape")


@dataclass(frozen=True, eq=False)
class Projection:
    """A number computed from an outcome's numbers, with what it is called in sentences.

    Of one that orders outcomes by what they tell, only the tails are events.
    """

    name: str
    of: Callable[[Draws], np.ndarray]
    tails_only: bool = False


def element(name: str, column: int) -> Projection:
    """Return one element of the result."""
    return Projection(name, lambda draws: draws.values[:, column])


def total(name: str, columns: int) -> Projection:
    """Return the sum of the first elements."""
    return Projection(name, lambda draws: draws.values[:, :columns].sum(axis=1))


def length(name: str, columns: int) -> Projection:
    """Return the Euclidean length of the first elements."""

    def of(draws: Draws) -> np.ndarray:
        part = draws.values[:, :columns]
        return np.sqrt(np.einsum("ij,ij->i", part, part))

    return Projection(name, of)


@dataclass(frozen=True, eq=False)
class Event:
    """Something that an outcome is or is not: its family, a sentence, the number that it is about.

    `includes` tells it of such numbers, or of the codes of the forms where there is no number.
    """

    family: str
    words: str
    projection: Projection | None
    includes: Callable[[np.ndarray], np.ndarray]

    def contains(self, draws: Draws) -> np.ndarray:
        """Tell for each outcome whether it is in the event."""
        return self.includes(draws.codes if self.projection is None else self.projection.of(draws))


# an event, and the forecasts of its bound where it is more likely under the data, or under the neighbor
Found = tuple[Event, tuple[float, float]]


def missing(projection: Projection) -> Event:
    """Return the event that a number is missing."""
    return Event("missing", f"{projection.name} is missing (NaN)", projection, np.isnan)


def form_event(words: str, codes: Sequence[int]) -> Event:
    """Return the event that the outcome has one of some forms."""
    return Event("form", words, None, lambda seen: np.isin(seen, codes))


def count(event: Event, draws: Draws) -> int:
    """Count the outcomes in an event, a part at a time so that the parts stay in the cache."""
    return sum(
        int(np.count_nonzero(event.contains(Draws(draws.codes[i : i + PART], draws.values[i : i + PART]))))
        for i in range(0, len(draws), PART)
    )


def number(value: float) -> str:
    """Return a number in as few digits as say it exactly."""
    return f"{value:.0f}" if abs(value) < 1e6 and value == int(value) else repr(float(value))


def form_events(
    first: np.ndarray, second: np.ndarray, forms: list[Form], forecast: Forecast
) -> Iterator[Found]:
    """Yield one event for each value of each fact in which the forms differ."""
    if len(forms) < 2:
        return
    counts = np.array(
        [np.bincount(codes, minlength=len(forms)) for codes in (first, second)], dtype=np.float64
    )
    for words, codes in _groups(forms):
        yield form_event(words, codes), forecast.of(*counts[:, codes].sum(axis=1))


def _groups(forms: list[Form]) -> Iterator[tuple[str, list[int]]]:
    groups: dict[tuple[str, Hashable], list[int]] = {}
    for code, form in enumerate(forms):
        for name, value in zip(FACTS[str(form[0])], form):
            groups.setdefault((name, value), []).append(code)
    # facts that set the same forms apart are one event, told by the fact that says most
    told: set[tuple[int, ...]] = set()
    for name, value in sorted(
        groups, key=lambda fact: PLAIN.index(fact[0]) if fact[0] in PLAIN else len(PLAIN)
    ):
        codes = groups[name, value]
        if len(codes) < len(forms) and tuple(codes) not in told:
            told.add(tuple(codes))
            yield _sentence(name, value), codes


def _sentence(name: str, value: Hashable) -> str:
    if name == "the result's kind":
        return "the call raises an error" if value == "error" else f"the call returns a result ({value})"
    if name.startswith("the error"):
        return one_line(f"the call raises {value}", _LONG)
    if isinstance(value, Labels):
        return f"the labels are {_labels(value)}"
    if name == "the shape":
        return f"the result has shape {value}" if value != () else "the result is one number"
    verb = "are" if name in ("the labels", "the parts", "the bounds") else "is"
    return one_line(f"{name} {verb} {value!r}", _LONG)


def _labels(labels: Labels) -> str:
    if labels.breaks is not None:
        return one_line("the breaks " + " ".join(f"{each:.6g}" for each in labels.breaks), _LONG)
    if labels.dimnames is not None:
        return one_line(" x ".join("(" + ", ".join(levels) + ")" for levels in labels.dimnames), _LONG)
    return one_line(repr(labels.names if labels.names is not None else labels.name), _LONG)


# ends of ranges that are tried: quantiles of both samples, their outermost values, and repeated values
QUANTILES, OUTERMOST, REPEATED = 1_024, 64, 1_024
# cells of the unions, and the most pieces that a union may have
CELLS, PIECES = 64, 6
# a sentence's number loses digits while the forecast loses no more than this
ALLOWED = 0.003


@dataclass(frozen=True)
class Cut:
    """A place on the line, just before a value or just after it."""

    value: float
    after: bool = False

    def below(self, z: np.ndarray) -> np.ndarray:
        """Tell which values lie before it."""
        return z <= self.value if self.after else z < self.value

    def above(self, z: np.ndarray) -> np.ndarray:
        """Tell which values lie behind it."""
        return z > self.value if self.after else z >= self.value


# the ends of the line, and no other cuts at infinity
START, END = Cut(-math.inf), Cut(math.inf, after=True)
# a range
Pair = tuple[Cut, Cut]


def range_event(projection: Projection, ranges: tuple[Pair, ...]) -> Event:
    """Return the event that a number lies in one of some ranges."""
    words = " or ".join(map(_range_words, ranges))
    if len(ranges) > 1 and all(map(_is_one_value, ranges)):
        words = f"is one of {', '.join(number(low.value) for low, _ in ranges)}"

    def includes(z: np.ndarray) -> np.ndarray:
        return np.logical_or.reduce([low.above(z) & high.below(z) for low, high in ranges])

    return Event("range", f"{projection.name} {words}", projection, includes)


def _is_one_value(pair: Pair) -> bool:
    low, high = pair
    return low.value == high.value and high.after and not low.after and low is not START and high is not END


def _range_words(pair: Pair) -> str:
    low, high = pair
    if _is_one_value(pair):
        return f"is {number(low.value)}"
    ends = []
    if low is not START:
        ends.append(f"{'above' if low.after else 'at least'} {number(low.value)}")
    if high is not END:
        ends.append(f"{'at most' if high.after else 'below'} {number(high.value)}")
    return "is " + " and ".join(ends)


def range_events(projection: Projection, a: np.ndarray, b: np.ndarray, forecast: Forecast) -> Iterator[Found]:
    """Yield the best tails, intervals, values and unions for both directions; no number is missing."""
    if a.size + b.size == 0:
        return
    line = _Line(np.sort(a), np.sort(b), forecast)
    first, second = line.below
    left, right = forecast.both(first, second), forecast.both(a.size - first, b.size - second)
    steps = [2**power for power in range((line.size - 1).bit_length())]
    spans = [
        (step, forecast.both(first[step:] - first[:-step], second[step:] - second[:-step])) for step in steps
    ]
    tried: set[tuple[Pair, ...]] = set()
    for side in (0, 1):
        i, j = int(np.argmax(left[side])), int(np.argmax(right[side]))
        best: list[tuple[Pair, ...]] = [((START, line.cut(i)),), ((line.cut(j), END),)]
        if not projection.tails_only:
            inner = [(values[side].max(), step, int(values[side].argmax())) for step, values in spans]
            if inner:
                _, step, i = max(inner)
                best.append((line.narrowed((line.cut(i), line.cut(i + step))),))
            best.append(line.union(side))
        for pairs in best:
            pairs = line.shortened(pairs, side)
            if pairs and pairs not in tried:
                tried.add(pairs)
                yield range_event(projection, pairs), line.forecasts(pairs)


class _Line:
    """Both samples in order, and the cuts that are tried."""

    def __init__(self, a: np.ndarray, b: np.ndarray, forecast: Forecast) -> None:
        self.samples, self.forecast = (a, b), forecast
        # two sorted runs: a stable sort merges them
        pooled = np.sort(np.concatenate([a, b]), kind="stable")
        last = pooled.size - 1
        ends = np.arange(min(OUTERMOST, pooled.size))
        places = np.concatenate([np.linspace(0, last, QUANTILES).astype(np.int64), ends, last - ends])
        starts = np.flatnonzero(np.concatenate([[True], pooled[1:] != pooled[:-1]]))
        # the imaginary part says whether the cut is behind the value
        cuts = [np.unique(pooled[places]) + 0j]
        if starts.size < pooled.size:
            lengths = np.diff(np.append(starts, pooled.size))
            often = np.argsort(-lengths, kind="stable")[:REPEATED]
            repeated = pooled[starts[often[lengths[often] >= 3]]]
            cuts += [repeated + 0j, repeated + 1j]
        keys = np.unique(np.concatenate(cuts))
        self.values, self.after = keys.real, keys.imag > 0.0
        self.size = self.values.size
        self.below = [
            np.where(
                self.after,
                np.searchsorted(sample, self.values, side="right"),
                np.searchsorted(sample, self.values, side="left"),
            ).astype(np.float64)
            for sample in self.samples
        ]

    def cut(self, i: int) -> Cut:
        return Cut(float(self.values[i]), bool(self.after[i]))

    def inside(self, pair: Pair, side: int) -> np.ndarray:
        """Return the part of a sample that lies in a range, in order."""
        sample = self.samples[side]
        low, high = (int(sample.searchsorted(cut.value, "right" if cut.after else "left")) for cut in pair)
        return sample[low:high]

    def forecasts(self, pairs: tuple[Pair, ...]) -> tuple[float, float]:
        return self.forecast.of(*(sum(self.inside(pair, side).size for pair in pairs) for side in (0, 1)))

    def narrowed(self, pair: Pair) -> Pair:
        """Return the one value in a range where there is but one, else the range."""
        inside = [self.inside(pair, side) for side in (0, 1)]
        ends = {float(end) for part in inside if part.size for end in (part[0], part[-1])}
        if len(ends) != 1:
            return pair
        value = ends.pop()
        return Cut(value), Cut(value, after=True)

    def shortened(self, pairs: tuple[Pair, ...], side: int) -> tuple[Pair, ...]:
        """Give the ends as few digits as the forecast allows."""
        allowed = self.forecasts(pairs)[side] - ALLOWED if pairs else 0.0
        for place, end in product(range(len(pairs)), (0, 1)):
            cut = pairs[place][end]
            if not math.isfinite(cut.value) or _is_one_value(pairs[place]):
                continue
            for digits in range(1, 16):
                other = [list(pair) for pair in pairs]
                other[place][end] = Cut(float(f"{cut.value:.{digits}g}"), cut.after)
                changed = tuple((low, high) for low, high in other)
                ends = [each.value for pair in changed for each in pair]
                if ends == sorted(ends) and self.forecasts(changed)[side] >= allowed:
                    pairs = changed
                    break
        return pairs

    def union(self, side: int) -> tuple[Pair, ...]:
        """Return the union of cells with the best forecast, largest likelihood ratios first."""
        few = self.size <= 4 * CELLS
        places = np.arange(self.size) if few else np.linspace(0, self.size - 1, CELLS).astype(np.int64)
        counts = [
            np.diff(np.concatenate([[0.0], n[places], [float(sample.size)]]))
            for n, sample in zip(self.below, self.samples)
        ]
        more, less = counts[side], counts[1 - side]
        order = np.argsort(-log((more + 0.5) / (less + 1.0)), kind="stable")
        sums = [np.cumsum(n[order]) for n in counts]
        values = self.forecast.both(sums[0], sums[1])[side]
        chosen = np.zeros(more.size, dtype=bool)
        chosen[order[: int(np.argmax(values)) + 1]] = True
        ends = np.flatnonzero(np.diff(np.concatenate([[False], chosen, [False]]).astype(np.int8)))
        if values.max() == -np.inf or not 2 <= ends.size // 2 <= PIECES:
            return ()
        cuts = [START, *(self.cut(int(place)) for place in places), END]
        pairs = [(cuts[i], cuts[j]) for i, j in zip(ends[::2], ends[1::2])]
        return tuple(pair if pair[0] is START or pair[1] is END else self.narrowed(pair) for pair in pairs)
