"""Records of a logistic regression, and queries for their sums."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import hide_values
from pydpstat._null_distributions.logistic.logistic_cells import LinearApproximation
from pydpstat._null_distributions.logistic.logistic_equations import EquationPoint, Scaling
from pydpstat._null_distributions.logistic.noisy_logit import get_triangle_pairs
from pydpstat._records.record_grid import RECORDS_PER_CHUNK
from pydpstat._release.pipeline import Query
from pydpstat.inference.regression._design import Regression
from pydpstat.inference.regression._predictors import build_design_matrix
from pydpstat.r_arithmetic.elementary import Floats, exp
from pydpstat.results._labels import Labels

GridUnits = npt.NDArray[np.int64]
GRID_ONE = float(1 << 30)
# log odds are clipped to this, so that exp does not overflow
_MAX_LOG_ODDS = 500.0
# fraction of a stage's epsilon for the score; the information gets the rest
SCORE_SHARE = Fraction(7, 20)


class LogitRecords:
    """Records of a logistic regression on a grid from -1 to 1; private except for names and size."""

    def __init__(self, regression: Regression, scaling: Scaling) -> None:
        """Store the records; nothing is computed yet."""
        self._regression, self.scaling = regression, scaling
        self.size = int(regression.response.size)
        self.names = regression.design.names[1:]

    def __repr__(self) -> str:
        return hide_values(self)

    def _iterate_chunks(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield responses, -1 or 1, and predictors, multiples of 2^-30 from -1 to 1, chunk by chunk.

        All operations are elementwise: the values of a record do not depend on other records.
        """
        response, predictors = self._regression.response, self._regression.predictors
        step = RECORDS_PER_CHUNK // max(1, len(self.names) // 4)
        for start in range(0, self.size, step):
            read = [values[start : start + step] for values in predictors]
            x = build_design_matrix(self._regression.design.predictors, read)[:, 1:]
            z = (x - self.scaling.middle) / self.scaling.half_width
            z = np.rint(np.clip(z, -1.0, 1.0) * GRID_ONE) / GRID_ONE
            yield np.where(response[start : start + step] > 0.5, 1.0, -1.0), z

    def make_moments_query(self) -> Query:
        """Return a query for the sums of y, y z, z and z z', with y in {-1, 1}, scaled to sensitivity 1.

        With c = 2 / (p + 2)^2 the sums of y, of every y z_i, z_i and z_i z_j (i < j) are multiplied by c and
        those of z_i^2 by c / 2. Let one record (y, z) be replaced by (y', z'), x_i = |z_i - z'_i| / 2 and
        X = x_1 + ... + x_p. Then |z_i z_j - z'_i z'_j| is at most 2 x_i (1 - x_j) + 2 x_j (1 - x_i), and
        |z_i^2 - z'_i^2| at most 4 x_i (1 - x_i), so that the sums of z and of products of two change by at most
        c (2 p X - 2 X^2 + 2 X) = 2 c ((p + 1) X - X^2) in total. If y = y', the y z_i change by 2 X in
        total, and all sums by 2 c ((p + 2) X - X^2). Otherwise y changes by 2 and y z_i by
        |z_i + z'_i| <= 2 (1 - x_i): all sums change by 2 c (1 + p - X + (p + 1) X - X^2). Both are at most
        c (p + 2)^2 / 2 = 1. Products are rounded to multiples of 2^-30, each by slightly more than half of that at
        most, which is added to the sensitivity.
        """
        p = len(self.names)
        index_pairs = [(i, j) for i, j in get_triangle_pairs(p + 1) if i > 0]
        totals, squares = [0] * (1 + 2 * p), [0] * len(index_pairs)
        for y, z in self._iterate_chunks():
            linear = np.concatenate([[y.sum() * GRID_ONE], (y[:, None] * z).sum(0) * GRID_ONE, z.sum(0) * GRID_ONE])
            products = np.array([np.rint(z[:, i - 1] * z[:, j - 1] * GRID_ONE).sum() for i, j in index_pairs])
            totals = [a + int(b) for a, b in zip(totals, linear)]
            squares = [a + int(b) for a, b in zip(squares, products)]
        unit = Fraction(2, (p + 2) ** 2)
        weights = [unit] * len(totals) + [unit / 2 if i == j else unit for i, j in index_pairs]
        slack = sum(weights[len(totals) :], Fraction(0)) * Fraction(1_000_001, 1_000_000 << 30)
        exact = [w * Fraction(total, 1 << 30) for w, total in zip(weights, [*totals, *squares])]
        names = ["y", *(f"y:{name}" for name in self.names), *self.names]
        names += [f"{self.names[i - 1]}:{self.names[j - 1]}" for i, j in index_pairs]
        return make_sums_query("moments", exact, names, self.size, 1 + slack)

    def make_score_query(self, center: Floats, line: LinearApproximation) -> Query:
        """Return a query for the remainders of score and information at public coefficients, scaled to sensitivity 1.

        With v = (1, z) the sums are of r v_i and of w v_i v_j (i <= j), where r and w, clipped to [-1, 1], are
        the remainders of s(v'b) - 1/2 and s'(v'b) after subtracting `line`, in units of their largest absolute
        value. Every term is rounded to a multiple of 2^-30 from -1 to 1: replacing a record changes the first d
        sums by at most 2 d in total, and the d (d + 1) / 2 others by at most d (d + 1).
        """
        d = center.size
        index_pairs = get_triangle_pairs(d)
        totals = [0] * (d + len(index_pairs))
        for _, z in self._iterate_chunks():
            v = [np.ones(z.shape[0]), *z.T]
            eta = np.full(z.shape[0], center[0])
            for column, slope in zip(v[1:], center[1:].tolist()):
                eta += column * slope
            s = 1.0 / (1.0 + exp(-eta))
            remainder = np.clip((s - 0.5 - line.level - line.slope * eta) / line.max_error, -1.0, 1.0)
            weight = np.clip((s * (1.0 - s) - line.weight) / line.max_weight_error, -1.0, 1.0)
            addends = [column * remainder for column in v] + [v[i] * v[j] * weight for i, j in index_pairs]
            totals = [total + int(np.rint(addend * GRID_ONE).sum()) for total, addend in zip(totals, addends)]
        weights = [SCORE_SHARE / (2 * d)] * d + [(1 - SCORE_SHARE) / (d * (d + 1))] * len(index_pairs)
        exact = [w * Fraction(total, 1 << 30) for w, total in zip(weights, totals)]
        names = ["1", *self.names]
        labels = [f"score {name}" for name in names]
        labels += [f"information {names[i]}:{names[j]}" for i, j in index_pairs]
        return make_sums_query("score", exact, labels, self.size)

    def compute_sensitivities(self, n_changed_records: int) -> tuple[int, int]:
        """Return the L1 sensitivities of the sums of r a and of w a a' in `make_equations_query`.

        Let q be the largest number of nonzero elements of a record's a: the constant, each number, and one
        of the levels of each variable. Then at most q of its r a_i and q (q + 1) / 2 of its w a_i a_j are not
        0, all within [-1, 1]. Adding or removing the record changes both sums by at most that, and replacing
        it by twice as much. If all predictors are numeric, replacing a record changes each w a_i^2, which is
        within [0, 1], by at most 1, and each other product by at most 2: by q + q (q - 1) = q^2 in total.
        """
        predictors = self._regression.design.predictors
        q = 1 + sum(1 if predictor.levels is not None else len(predictor.names) for predictor in predictors)
        numbers = n_changed_records == 2 and all(predictor.levels is None for predictor in predictors)
        return n_changed_records * q, q * q if numbers else n_changed_records * q * (q + 1) // 2

    def make_window_query(self, window: Scaling, n_changed_records: int, nobs: int | None) -> Query:
        """Return a query for sums of predictors and of their squares, scaled by a public window and clipped to [-1, 1].

        If a record is added or removed, each predictor u changes them by |u| + u^2 <= 2. If u is replaced by w, then
        with x = |u - w| / 2, |u^2 - w^2| is at most 4 x (1 - x), and both sums change by at most
        2 x + 4 x (1 - x) <= 9 / 4. The sums are divided by this limit and by the number of numeric
        predictors. Every term is a multiple of 2^-30; squares are rounded to it, each by slightly more than
        half of it at most, which is added to the sensitivity.
        """
        indices = [index for index, value in enumerate(self.is_numeric) if value]
        firsts, seconds = [0] * len(indices), [0] * len(indices)
        for _, z in self._iterate_chunks():
            u = (z[:, indices] - window.middle[indices]) / window.half_width[indices]
            u = np.rint(np.clip(u, -1.0, 1.0) * GRID_ONE) / GRID_ONE
            firsts = [total + int(value) for total, value in zip(firsts, (u * GRID_ONE).sum(axis=0))]
            seconds = [total + int(value) for total, value in zip(seconds, np.rint(u * u * GRID_ONE).sum(axis=0))]
        unit = self.compute_window_factor(n_changed_records)
        exact = [unit * Fraction(total, 1 << 30) for total in (*firsts, *seconds)]
        names = [self.names[index] for index in indices]
        labels = [*names, *(f"{name}:{name}" for name in names)]
        slack = unit * len(indices) * Fraction(1_000_001, 1_000_000 << 30)
        return make_sums_query("moments", exact, labels, nobs, 1 + slack)

    def compute_window_factor(self, n_changed_records: int) -> Fraction:
        """Return the factor by which the sums of `make_window_query` are multiplied."""
        return (
            Fraction(4, 9 * sum(self.is_numeric)) if n_changed_records == 2 else Fraction(1, 2 * sum(self.is_numeric))
        )

    @property
    def is_numeric(self) -> tuple[bool, ...]:
        """Whether each predictor is numeric, as opposed to an indicator of a level."""
        predictors = self._regression.design.predictors
        return tuple(predictor.levels is None for predictor in predictors for _ in predictor.names)

    def make_equations_query(self, point: EquationPoint, n_changed_records: int, nobs: int | None) -> Query:
        """Return a query for estimating equations and information at public coefficients, in units of a public window.

        With u the predictors scaled by the window and a = (1, u) clipped to [-1, 1], the sums are of r a_i and
        of w a_i a_j (i <= j), where r = y - s(b_0 + u'b) and w = 4 s'(b_0 + u'b) use the unclipped u. r is
        clipped to [-1, 1] and w to [0, 1], so rounding cannot exceed these limits, and every term is rounded to
        a multiple of 2^-30 within them. The sums of w are multiplied by the information's fraction of epsilon
        divided by their sensitivity, and those of r by the remaining fraction divided by theirs: the
        sensitivity is at most 1.
        """
        center, share = point.center, Fraction(point.information_share)
        # indicators remain 0 or 1, as the sensitivities assume
        numeric = np.array(self.is_numeric)
        window = Scaling(np.where(numeric, point.window.middle, 0.0), np.where(numeric, point.window.half_width, 1.0))
        d = center.size
        index_pairs = get_triangle_pairs(d)
        totals = [0] * (d + len(index_pairs))
        for y, z in self._iterate_chunks():
            u = (z - window.middle) / window.half_width
            eta = np.full(z.shape[0], center[0])
            for column, slope in zip(u.T, center[1:].tolist()):
                eta += column * slope
            s = 1.0 / (1.0 + exp(-np.clip(eta, -_MAX_LOG_ODDS, _MAX_LOG_ODDS)))
            residual = np.clip(0.5 * (y + 1.0) - s, -1.0, 1.0)
            weight = np.clip(4.0 * s * (1.0 - s), 0.0, 1.0)
            a = [np.ones(z.shape[0]), *np.clip(u, -1.0, 1.0).T]
            addends = [column * residual for column in a] + [a[i] * a[j] * weight for i, j in index_pairs]
            totals = [total + int(np.rint(addend * GRID_ONE).sum()) for total, addend in zip(totals, addends)]
        limits = self.compute_sensitivities(n_changed_records)
        equation_weight, information_weight = (1 - share) / limits[0], share / limits[1]
        weights = [equation_weight] * d + [information_weight] * len(index_pairs)
        exact = [w * Fraction(total, 1 << 30) for w, total in zip(weights, totals)]
        names = ["1", *self.names]
        labels = [f"equation {name}" for name in names]
        labels += [f"information {names[i]}:{names[j]}" for i, j in index_pairs]
        return make_sums_query("equations", exact, labels, nobs)


class LogitMoments(NamedTuple):
    """Noisy sums of v (y - 1/2) and of v v' in units of the records, and the scales of their noise."""

    response: Floats
    products: Floats
    response_scale: Floats
    products_scale: Floats


def unscale_moments(noisy: Floats, scale: float, records: int, p: int) -> LogitMoments:
    """Return noisy moments of v = (1, z) from released values; the number of records has no noise."""
    unit = (p + 2) ** 2 / 2.0
    diagonal = np.array([2.0 if i == j else 1.0 for i, j in get_triangle_pairs(p + 1) if i > 0])
    response, sums, products = noisy[: p + 1], noisy[p + 1 : 2 * p + 1], noisy[2 * p + 1 :]
    factors = np.concatenate([np.ones(p), diagonal])
    return LogitMoments(
        0.5 * unit * response,
        np.concatenate([[float(records)], unit * factors * np.concatenate([sums, products])]),
        np.full(p + 1, 0.5 * unit * scale),
        np.concatenate([[0.0], unit * factors * scale]),
    )


def unscale_score(
    noisy: Floats, scale: float, line: LinearApproximation, d: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the remainders of score and information in their natural units, and the scales of their noise."""
    left = line.max_error * 2.0 * d / float(SCORE_SHARE)
    informed = line.max_weight_error * d * (d + 1.0) / float(1 - SCORE_SHARE)
    number = noisy.size - d
    return left * noisy[:d], informed * noisy[d:], np.full(d, left * scale), np.full(number, informed * scale)


def make_sums_query(
    statistic: str,
    exact: list[Fraction],
    names: list[str],
    nobs: int | None,
    sensitivity: Fraction = Fraction(1),
) -> Query:
    """Return a query for exact sums with the given sensitivity."""
    return Query.from_exact(statistic, exact, sensitivity, Labels(statistic, tuple(names)), nobs)
