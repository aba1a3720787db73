"""Where true values and randomness meet: what is there is written down, and a fixed outcome takes its place.

With the same outcome for two data sets, everything that is made of it has to be the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from pytest import MonkeyPatch

import pydpstat._release.pipeline as pipeline
from pydpstat._records import quantile_points, selection
from pydpstat.inference.regression import _linear_regression
from pydpstat.local import RandomizedResponse, RandomizedResponseCoins
from pydpstat.random import _weighted_choice, secure
from pydpstat.statistics import choice

LARGE = 10.0**6


@dataclass(frozen=True)
class Noised:
    """A query with the noise that it gets, and what came out of it: its type and shape."""

    query: Any
    noise: Any
    grid: float | None
    form: tuple[Any, ...]

    @property
    def values(self) -> list[Fraction]:
        """The value that noise is added to, exactly."""
        exact = self.query.exact
        if exact is None:
            exact = np.ravel(self.query.value, order="F").tolist()
        values = [Fraction(each) for each in exact]
        if self.grid is None:
            return values
        unit = Fraction(self.grid)
        return [round(each / unit) * unit for each in values]


@dataclass(frozen=True)
class Chosen:
    """A choice: the exponents of candidates, how many points each stands for, and which was taken."""

    exponents: list[Fraction]
    widths: list[int]
    law: str
    point: int


@dataclass
class Seen:
    """All that came to pass at the seams of one call."""

    noised: list[Noised] = field(default_factory=list)
    chosen: list[Chosen] = field(default_factory=list)
    answered: list[tuple[np.ndarray, Any]] = field(default_factory=list)


class Replay:
    """The noisy values of the first data, in order: they are drawn for these, and come out for the second."""

    def __init__(self) -> None:
        self.values: list[np.ndarray] = []
        self.runs = self.place = 0

    def start(self) -> None:
        """Begin with another run: the first draws, and all later ones are given the same."""
        self.runs, self.place = self.runs + 1, 0

    def of(self, real: np.ndarray) -> np.ndarray:
        """Return what came out at this place of the first run; another form or number is told elsewhere."""
        if self.runs == 1:
            self.values.append(np.array(real))
        place, self.place = self.place, self.place + 1
        fits = place < len(self.values) and np.shape(self.values[place]) == np.shape(real)
        return self.values[place].copy() if fits else real


@dataclass(frozen=True)
class Outcome:
    """What is drawn, whatever the data are."""

    # where among all points a choice falls, from 0 to 1
    share: float = 0.5
    # what comes out instead is what the first data gave, so that later stages ask what they do in earnest
    replay: Replay | None = None
    # of levels that are found in the data those that have a large count; None is all of them
    kept: frozenset[Any] | None = None

    def noisy(self, query: Any, shape: tuple[int, ...]) -> np.ndarray:
        """Return noisy values."""
        size = int(np.prod(shape))
        if query.labels.dimnames is not None and self.kept is not None:
            (levels,) = query.labels.dimnames
            flat = [LARGE if (type(level), level) in self.kept else 0.0 for level in levels]
            return np.array(flat, dtype=np.float64).reshape(shape)
        fixed = 3.0 + np.arange(size) * 7 % 5
        return (fixed if query.integer else fixed / 8.0).reshape(shape, order="F")


@contextmanager
def watched(outcome: Outcome) -> Iterator[Seen]:
    """Write down what comes to the seams, and let them give the outcome."""
    seen, within = Seen(), [0]
    if outcome.replay is not None:
        outcome.replay.start()
    noisy, choose, trials = pipeline._add_noise, secure.choose, _weighted_choice.draw_exp_trials
    flip, below, apart = (
        choice.permute_and_flip,
        _weighted_choice.draw_integer_below,
        quantile_points._split_ties_at_random,
    )
    noisy_max = selection.noisy_max

    def spy_noisy(query: Any, prepared: Any, source: Any) -> Any:
        real = noisy(query, prepared, source)
        seen.noised.append(Noised(query, prepared.noise, prepared.grid, (np.shape(real), real.dtype)))
        return outcome.noisy(query, np.shape(real)) if outcome.replay is None else outcome.replay.of(real)

    def spy_choose(utility: Any, rate: Any = 1, measure: Any = None, rest: Any = None, exact: Any = None) -> int:
        choose(utility, rate, measure, rest, exact)
        values = exact
        if values is None:
            values = [Fraction(each) for each in np.asarray(utility, dtype=np.float64).tolist()]
        top = max(values)
        widths = [1] * len(values) if measure is None else [int(each) for each in measure]
        point = min(int(outcome.share * sum(widths)), sum(widths) - 1)
        exponents = [Fraction(rate) * (each - top) for each in values]
        seen.chosen.append(Chosen(exponents, widths, "exponential", point))
        for place, width in enumerate(widths):
            if point < width:
                break
            point -= width
        within[:] = [point]
        return place

    def spy_noisy_max(scores: Any, rate: Any, counts: Any, first: Any) -> list[int]:
        noisy_max(scores, rate, counts, first)
        ends, places = [*first.tolist(), len(scores)], []
        within.clear()
        for start, stop in pairwise(ends):
            values = [Fraction(each) for each in scores[start:stop].tolist()]
            widths = [int(each) for each in counts[start:stop]]
            point = min(int(outcome.share * sum(widths)), sum(widths) - 1)
            exponents = [Fraction(rate) * (each - max(values)) for each in values]
            seen.chosen.append(Chosen(exponents, widths, "noisy max", point))
            for place, width in enumerate(widths):
                if point < width:
                    break
                point -= width
            within.append(point)
            places.append(start + place)
        return places

    def spy_below(limit: int, source: Any) -> int:
        assert below(limit, source) < limit and within[0] < limit
        return within.pop(0) if len(within) > 1 else within[0]

    def spy_trials(exponents: Any, errors: Any, exact: Any) -> Any:
        values = [-Fraction(exact(place)) for place in range(len(exponents))]
        seen.chosen.append(Chosen(values, [1] * len(values), "permute-and-flip", 0))
        return trials(exponents, errors, exact)

    def spy_flip(*arguments: Any) -> int:
        flip(*arguments)
        return 0

    def spy_apart(occupied: Any, source: Any) -> np.ndarray:
        real = apart(occupied, source)
        # a record that is added is the last at its point, and the others keep their places
        equals = [np.arange(count) * 40503 % 2**16 + (point << 16) for point, count in zip(*occupied)]
        same = np.sort(np.concatenate([real[:0], *equals]))
        assert same.shape == real.shape and (same >> 16 == real >> 16).all()
        return same

    with MonkeyPatch.context() as patch:
        put = patch.setattr
        put(pipeline, "_add_noise", spy_noisy)
        # what is added to noisy counts afterwards
        put(secure, "uniform", lambda size: (0.5 + np.arange(size)) / size)
        # blocks and ties are drawn without a look at the data
        put(_linear_regression, "_make_tie_generator", lambda source: np.random.default_rng(1))
        put(secure, "choose", spy_choose)
        put(_weighted_choice, "draw_exp_trials", spy_trials)
        put(choice, "permute_and_flip", spy_flip)
        put(_weighted_choice, "draw_integer_below", spy_below)
        put(quantile_points, "draw_integer_below", spy_below)
        put(selection, "draw_integer_below", spy_below)
        put(selection, "noisy_max", spy_noisy_max)
        put(quantile_points, "_split_ties_at_random", spy_apart)
        for kind in (RandomizedResponse, RandomizedResponseCoins):
            put(kind, "_draw_answers", _answering(kind._draw_answers, seen))
        yield seen


def _answering(answers: Any, seen: Seen) -> Any:
    def spy(self: Any, codes: Any, source: Any) -> Any:
        real = answers(self, codes, source)
        seen.answered.append((np.array(codes), (real.shape, real.dtype)))
        return ((np.arange(codes.size) * 5 + 1) % len(self.categories)).astype(real.dtype)

    return spy
