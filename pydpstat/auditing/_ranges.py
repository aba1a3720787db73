"""Events of where a number lies: tails, intervals, single values, unions of cells."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from pydpstat.auditing._bounds import Forecast
from pydpstat.auditing._events import Event, Found, Projection, number
from pydpstat.r_arithmetic.elementary import log

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
