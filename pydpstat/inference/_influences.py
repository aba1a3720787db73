"""The variances of a regression's estimates for errors of any variances: sums of records' squared
influences.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import frozen
from pydpstat._release.additive import Query
from pydpstat.inference._design import LinearDesign, Regression
from pydpstat.inference._laws.noisy_moments import NoisyMoments
from pydpstat.inference._laws.score_tests import Seen
from pydpstat.inference._predictors import clipped, expanded
from pydpstat.inference._regression_moments import Layout
from pydpstat.mechanisms.cube import CubeNoise
from pydpstat.results._labels import Labels
from pydpstat.statistics._kernels.record_grid import CHUNK, half_width

Floats = npt.NDArray[np.float64]
_ONE = float(1 << 30)
# leverages above it count as this
MOST_LEVERAGE = 0.5
# of so many variances one is above what it is taken to be
LEFT_OUT = 0.001


class Influences(NamedTuple):
    """What gives a record's influence on each coefficient; all public, in the unit of the moments."""

    center: Floats
    forms: Floats
    inverse: Floats
    reach: Floats
    leverage: float

    @classmethod
    def of(cls, noisy: NoisyMoments, layout: Layout) -> Influences:
        """Return those at a release's own estimates."""
        found = Seen(noisy)
        center, forms = found.estimates, found.forms
        inverse = forms.copy()
        inverse[0] -= noisy.origin @ forms[1:]
        most = _most(forms, layout)
        residual = 1.0 + min(float(_most(center[None], layout)[0]), 1.0)
        leverage = min(float(_most(_most(inverse, layout)[None], layout)[0]), MOST_LEVERAGE)
        return cls(center, forms, inverse, most * residual / (1.0 - leverage), leverage)

    def squares(self, y: Floats, columns: list[Floats]) -> Iterator[Floats]:
        """Yield the squares of records' influences, in units of the largest that is possible.

        Every operation is one record's own, so that it does not matter which others there are.
        """
        turned = [_times(row, columns) for row in self.inverse]
        leverage = sum((x * t for x, t in zip(columns[1:], turned[1:])), columns[0] * turned[0])
        residual = y - np.clip(_times(self.center, columns), -1.0, 1.0)
        residual /= 1.0 - np.clip(leverage, 0.0, self.leverage)
        for j, (form, reach) in enumerate(zip(self.forms, self.reach.tolist())):
            along = _times(form, columns) if j == 0 else turned[j]
            yield np.clip((along * residual / reach) ** 2, 0.0, 1.0)


def _times(form: Floats, columns: list[Floats]) -> Floats:
    found = form[0] * columns[0]
    for weight, column in zip(form[1:].tolist(), columns[1:]):
        found += weight * column
    return found


def _most(forms: Floats, layout: Layout) -> Floats:
    """Return the largest sizes of forms, a row each, of numbers from -1 to 1 and of levels' indicators."""
    numbers = [place for place in layout.numbers[:-1] if place > 0]
    wide = np.abs(forms[:, numbers]).sum(axis=1)
    low, high = forms[:, 0] - wide, forms[:, 0] + wide
    for levels in layout.factors:
        # a record has one of the levels, or none
        part = forms[:, [place for place in levels if place > 0]]
        low += part.min(axis=1, initial=0.0)
        high += part.max(axis=1, initial=0.0)
    return np.maximum(np.abs(low), np.abs(high))


def influence_query(
    regression: Regression,
    design: LinearDesign,
    at: Influences,
    scaling: tuple[Floats, Floats],
    bounded: bool,
) -> Query:
    """Ask for the sums of the squares; each addend is a multiple of 2^-30 from 0 to 1."""
    totals = [0] * len(at.center)
    for y, columns in _chunks(regression, design, *scaling):
        squares = at.squares(y, columns)
        totals = [total + int(np.rint(each * _ONE).sum()) for total, each in zip(totals, squares)]
    exact = tuple(Fraction(total, 1 << 30) for total in totals)
    return Query(
        "regression",
        np.array([float(each) for each in exact]),
        (Fraction(1),),
        Labels("regression", tuple(f"influence({name}^2)" for name in design.names)),
        nobs=len(regression.response) if bounded else None,
        exact=exact,
    )


def _chunks(
    regression: Regression, design: LinearDesign, centers: Floats, factors: Floats
) -> Iterator[tuple[Floats, list[Floats]]]:
    """Yield responses and columns in the unit of the moments, some at a time. Private."""
    low, high = design.response_bounds
    middle, height = 0.5 * low + 0.5 * high, half_width(design.response_bounds)
    step = max(CHUNK // len(design.names), 1024)
    for start in range(0, len(regression.response), step):
        part = slice(start, start + step)
        read = clipped(design.predictors, [values[part] for values in regression.predictors])
        constant, *rest = expanded(design.predictors, read).T
        columns = [constant, *(column / f - c for column, f, c in zip(rest, factors, centers))]
        yield (regression.response[part].clip(low, high) - middle) / height, columns


def with_sampling(noisy: NoisyMoments, at: Influences, found: Floats, noise: CubeNoise) -> NoisyMoments:
    """Return the moments with what the released sums say of the estimates' variances, at most."""
    above = float(noise.ppf(1.0 - LEFT_OUT))
    most = np.maximum(found + above, 0.0) * at.reach**2
    return replace(noisy, sampling=frozen(most), left_out=LEFT_OUT)
