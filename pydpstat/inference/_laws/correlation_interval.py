"""Intervals of the population's correlation: sampling as in Fisher's z, and the released sums' noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._data.progress import Progress
from pydpstat._frozen import Frozen, frozen
from pydpstat._search import bisect_up
from pydpstat.inference._laws.share_intervals import INDEPENDENT
from pydpstat.statistics._kernels.association_interval import around, correlation_range
from pydpstat.statistics._kernels.partition import PARABOLA

Floats = npt.NDArray[np.float64]
Ends = tuple[float, float]
# levels of the noise's interval at which its ends are looked up; beyond the last one nothing is told apart
_LEVELS = (0.98, 0.8, 0.6, 0.4, 0.3, *(0.2 * 0.5**step for step in range(22)))
_LOGS = frozen(np.log(0.5 * np.array(_LEVELS)))
# sampling errors of Fisher's z that are looked at, in standard deviations, and what each weighs
_ERRORS = frozen(np.linspace(-8.0, 8.0, 161))
_WEIGHTS = frozen(np.exp(-0.5 * _ERRORS**2) / np.exp(-0.5 * _ERRORS**2).sum())
# from here on Fisher's z is that of a correlation of 1
_LAST, _ALMOST, _LEAST = 18.0, 1.0 - 1e-12, 1e-12
# how many standard deviations of its noise a nuisance is moved to the careful side
_CAREFUL = 2.0


class Spread(NamedTuple):
    """What the noisy sums say of how much a sample's correlation varies."""

    size: float
    fourth: float
    most: float

    def sd(self, correlation: float) -> float:
        """Return the standard deviation of Fisher's z."""
        square = correlation * correlation
        normal = 1.0 + 2.0 * square
        # bounds that cut heavy tails leave less of an ellipse the more the variables are correlated
        heavy = 1.0 + max(0.0, self.most / normal - 1.0) * (1.0 + square)
        light = min(max(0.5 * (normal - self.fourth), 0.0), square) / max(1.0 - square, _LEAST)
        freedom = self.size - 3.0
        # near 1 a light tail's z is far from normal
        return math.sqrt((heavy + min(light, 0.25 * freedom)) / freedom)


def spread_of(sums: tuple[float, ...], size: int | None, sd: float) -> Spread | None:
    """Return what noisy sums of the nine products of weights say; None where it is nothing."""
    moments = PARABOLA @ np.array(sums).reshape(3, 3) @ PARABOLA.T
    count = float(moments[0, 0]) if size is None else float(size)
    # nine noises are in the number of records
    least = count - _CAREFUL * 3.0 * sd if size is None else count
    if least <= 3.5:
        return None
    means = float(moments[1, 0]) / count, float(moments[0, 1]) / count
    spreads = float(moments[2, 0]) / count - means[0] ** 2, float(moments[0, 2]) / count - means[1] ** 2
    if min(spreads) <= 0.0:
        return None
    squares = [np.array([mean * mean, -2.0 * mean, 1.0]) for mean in means]
    off = sd * math.prod(float(np.sqrt(np.square(each @ PARABOLA).sum())) for each in squares)
    fourth, unit = float(squares[0] @ moments @ squares[1]), count * spreads[0] * spreads[1]
    return Spread(least, fourth / unit, (fourth + _CAREFUL * off) / unit)


@lru_cache(maxsize=256)
def _curve(sums: tuple[float, ...], size: int | None, noise: Any) -> tuple[Floats, Floats]:
    """Return the ends of the noise's interval at all levels, the lower and the upper ones."""
    found = np.array([correlation_range(sums, size, noise, level) for level in _LEVELS]).T
    return frozen(np.minimum.accumulate(found[0])), frozen(np.maximum.accumulate(found[1]))


def _below(correlations: Floats, lower: Floats, upper: Floats) -> Floats:
    """Return how probable so low an estimate is where the sample has these correlations."""
    high = np.exp(np.interp(correlations, upper, _LOGS))
    low = 1.0 - np.exp(np.interp(-correlations, -lower, _LOGS))
    return np.where(correlations > upper[0], high, np.where(correlations < lower[0], low, 0.5))


def _upper_end(lower: Floats, upper: Floats, spread: Spread, tail: float) -> float:
    """Return the largest correlation whose samples give so low an estimate more often than `tail`."""

    def probable(z: float) -> bool:
        # short of 1, where all levels of noise that say nothing end
        samples = np.tanh(z + spread.sd(math.tanh(z)) * _ERRORS).clip(-_ALMOST, _ALMOST)
        return float(_WEIGHTS @ _below(samples, lower, upper)) > tail

    return 1.0 if probable(_LAST) else math.tanh(bisect_up(probable, -_LAST, _LAST, steps=50)[1])


def population_ends(sums: tuple[float, ...], size: int | None, noise: Any, alpha: float) -> Ends:
    """Return an interval for the correlation of the population.

    Fisher, R. A. (1921). On the probable error of a coefficient of correlation deduced from a small sample.
    Metron 1, 3-32. Muirhead, R. J. (1982). Aspects of multivariate statistical theory, section 5.1.4. Wiley.
    """
    spread = spread_of(sums, size, float(np.asarray(noise.std())))
    if spread is None:
        return -1.0, 1.0
    lower, upper = _curve(sums, size, noise)
    tail = 0.5 * alpha
    return -_upper_end(-upper, -lower, spread, tail), _upper_end(lower, upper, spread, tail)


@dataclass(frozen=True, eq=False)
class CorrelationIntervals(Frozen):
    """Intervals of the correlations of the population, of two variables or of all pairs of several."""

    values: Floats
    sums: tuple[tuple[float, ...], ...]
    size: int | None
    width: int | None
    noise: Any

    validity = "measured"
    assumptions = (
        INDEPENDENT,
        "the two variables have a joint normal or other elliptical distribution, or are independent",
        "the correlation is that of values clipped to the bounds, and these clip no heavy tails",
    )

    def interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each value, in their shape; each holds the value."""
        with Progress(lambda: len(self.sums), "intervals") as progress:
            ends = [
                progress.counted(population_ends(sums, self.size, self.noise, alpha)) for sums in self.sums
            ]
        return around(self.values, ends, self.width)
