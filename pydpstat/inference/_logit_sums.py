"""Exact sums that logistic regression releases: moments of the records, then scores where they lead."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._release.additive import Query
from pydpstat.inference._design import Regression
from pydpstat.inference._laws.logit_start import Line
from pydpstat.inference._laws.noisy_logit import pairs
from pydpstat.inference._predictors import expanded
from pydpstat.r_arithmetic.elementary import exp
from pydpstat.results._labels import Labels
from pydpstat.statistics._kernels.record_grid import CHUNK

Floats = npt.NDArray[np.float64]
Units = npt.NDArray[np.int64]
_ONE = float(1 << 30)
# of a stage's epsilon the score gets so much, and the information the rest
SCORE_SHARE = Fraction(7, 20)


class Scaling(NamedTuple):
    """How predictors become numbers from -1 to 1: by the middles and half widths of their public bounds."""

    middle: Floats
    half: Floats

    @property
    def combinations(self) -> Floats:
        """The coefficients of the data's own units, as combinations of those of the scaled predictors."""
        size = self.half.size + 1
        found = np.zeros((size, size))
        found[0, 0] = 1.0
        found[0, 1:] = -self.middle / self.half
        found[np.arange(1, size), np.arange(1, size)] = 1.0 / self.half
        return found


class LogitRecords:
    """The records of a logistic regression on a grid from -1 to 1. Private but for names and size."""

    def __init__(self, regression: Regression, scaling: Scaling) -> None:
        """Take the records over; nothing is computed yet."""
        self._regression, self.scaling = regression, scaling
        self.size = int(regression.response.size)
        self.names = regression.design.names[1:]

    def __repr__(self) -> str:
        return "LogitRecords(values withheld)"

    def _chunks(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield responses, -1 or 1, and predictors, multiples of 2^-30 from -1 to 1, some at a time.

        What happens to a record does not depend on others: every operation is one element's own.
        """
        response, predictors = self._regression.response, self._regression.predictors
        step = CHUNK // max(1, len(self.names) // 4)
        for start in range(0, self.size, step):
            read = [each[start : start + step] for each in predictors]
            x = expanded(self._regression.design.predictors, read)[:, 1:]
            z = (x - self.scaling.middle) / self.scaling.half
            z = np.rint(np.clip(z, -1.0, 1.0) * _ONE) / _ONE
            yield np.where(response[start : start + step] > 0.5, 1.0, -1.0), z

    def moments(self) -> Query:
        """Ask for the sums of y, y z, z and z z', with y either -1 or 1, in units in which they move by 1."""
        p = len(self.names)
        places = [(i, j) for i, j in pairs(p + 1) if i > 0]
        linear, products = np.zeros(1 + 2 * p), np.zeros(len(places))
        totals, squares = [0] * (1 + 2 * p), [0] * len(places)
        for y, z in self._chunks():
            linear = np.concatenate([[y.sum() * _ONE], (y[:, None] * z).sum(0) * _ONE, z.sum(0) * _ONE])
            products = np.array([np.rint(z[:, i - 1] * z[:, j - 1] * _ONE).sum() for i, j in places])
            totals = [a + int(b) for a, b in zip(totals, linear)]
            squares = [a + int(b) for a, b in zip(squares, products)]
        unit = Fraction(2, (p + 2) ** 2)
        weights = [unit] * len(totals) + [unit / 2 if i == j else unit for i, j in places]
        slack = sum(weights[len(totals) :], Fraction(0)) * Fraction(1_000_001, 1_000_000 << 30)
        exact = [w * Fraction(total, 1 << 30) for w, total in zip(weights, [*totals, *squares])]
        names = ["y", *(f"y:{name}" for name in self.names), *self.names]
        names += [f"{self.names[i - 1]}:{self.names[j - 1]}" for i, j in places]
        return self._query("moments", exact, 1 + slack, names)

    def score(self, center: Floats, line: Line) -> Query:
        """Ask for what is left of score and information at public coefficients, in units that move by 1."""
        d = center.size
        places = pairs(d)
        totals = [0] * (d + len(places))
        for _, z in self._chunks():
            v = [np.ones(z.shape[0]), *z.T]
            eta = np.full(z.shape[0], center[0])
            for column, slope in zip(v[1:], center[1:].tolist()):
                eta += column * slope
            s = 1.0 / (1.0 + exp(-eta))
            rest = np.clip((s - 0.5 - line.level - line.slope * eta) / line.apart, -1.0, 1.0)
            weight = np.clip((s * (1.0 - s) - line.weight) / line.weight_apart, -1.0, 1.0)
            addends = [each * rest for each in v] + [v[i] * v[j] * weight for i, j in places]
            totals = [total + int(np.rint(each * _ONE).sum()) for total, each in zip(totals, addends)]
        weights = [SCORE_SHARE / (2 * d)] * d + [(1 - SCORE_SHARE) / (d * (d + 1))] * len(places)
        exact = [w * Fraction(total, 1 << 30) for w, total in zip(weights, totals)]
        names = ["1", *self.names]
        labels = [f"score {name}" for name in names]
        labels += [f"information {names[i]}:{names[j]}" for i, j in places]
        return self._query("score", exact, Fraction(1), labels)

    def _query(self, statistic: str, exact: list[Fraction], reach: Fraction, names: list[str]) -> Query:
        value = np.array([float(each) for each in exact])
        labels = Labels(statistic, tuple(names))
        return Query(statistic, value, (reach,), labels, nobs=self.size, exact=tuple(exact))


class Moments(NamedTuple):
    """Noisy sums in units of the records, and the scales of their noise: of v (y - 1/2), and of v v'."""

    response: Floats
    products: Floats
    response_scale: Floats
    products_scale: Floats


def moments_of(noisy: Floats, scale: float, records: int, p: int) -> Moments:
    """Return noisy moments as those of v = (1, z); the number of records has no noise."""
    unit = (p + 2) ** 2 / 2.0
    diagonal = np.array([2.0 if i == j else 1.0 for i, j in pairs(p + 1) if i > 0])
    response, first, second = noisy[: p + 1], noisy[p + 1 : 2 * p + 1], noisy[2 * p + 1 :]
    rest = np.concatenate([np.ones(p), diagonal])
    return Moments(
        0.5 * unit * response,
        np.concatenate([[float(records)], unit * rest * np.concatenate([first, second])]),
        np.full(p + 1, 0.5 * unit * scale),
        np.concatenate([[0.0], unit * rest * scale]),
    )


def score_of(noisy: Floats, scale: float, line: Line, d: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Return what is left of score and information in their own units, and the scales of their noise."""
    left = line.apart * 2.0 * d / float(SCORE_SHARE)
    informed = line.weight_apart * d * (d + 1.0) / float(1 - SCORE_SHARE)
    number = noisy.size - d
    return left * noisy[:d], informed * noisy[d:], np.full(d, left * scale), np.full(number, informed * scale)
