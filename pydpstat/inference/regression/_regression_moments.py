"""Queries of a linear regression: moments, and sums of squared influences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import freeze_array
from pydpstat._null_distributions.regression.noisy_moments import LinearForm, LinearForms, MomentBlock, NoisyMoments
from pydpstat._null_distributions.regression.score_tests import ObservedScores
from pydpstat._records import record_grid
from pydpstat._records.moment_noise import MomentCube, is_joint_table_better
from pydpstat._records.record_grid import GRID_BITS, RECORDS_PER_CHUNK, compute_half_width
from pydpstat._release.pipeline import Query
from pydpstat.inference.regression._design import Regression, RegressionDesign
from pydpstat.inference.regression._predictors import build_design_matrix, clip_to_bounds
from pydpstat.mechanisms.cube import CubeNoise
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._labels import Labels

# weight of squares by the norm of the mechanism: 1/2 for Laplace noise, slightly less than 1/sqrt(2) for Gaussian
# noise, and 1 for cube noise
_SQUARE_WEIGHTS = {1: Fraction(1, 2), 2: Fraction(7, 10), math.inf: Fraction(1)}


@dataclass(frozen=True, slots=True)
class MomentLayout:
    """Public list of the moments that are released for a design, in order."""

    numbers: tuple[int, ...]
    factors: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]
    bounded: bool = True

    @classmethod
    def from_design(cls, design: RegressionDesign, bounded: bool = True) -> MomentLayout:
        """Return the layout of a design."""
        numbers: list[int] = []
        factors: list[tuple[int, ...]] = []
        index = 1
        for predictor in design.predictors:
            if predictor.levels is None:
                numbers.append(index)
            else:
                factors.append((-1, *range(index, index + len(predictor.names))))
            index += len(predictor.names)
        return cls((*numbers, index), tuple(factors), (*design.names, design.response), bounded)

    @property
    def width(self) -> int:
        """Number of elements of v, the constant, coefficients' predictors and response."""
        return len(self.names)

    def collect_tables(self, norm: float) -> tuple[tuple[int, ...], ...]:
        """Return the categorical predictors of each table whose cells are released."""
        sizes = [len(levels) for levels in self.factors]
        if norm == math.inf and is_joint_table_better(len(self.numbers), sizes, self.bounded):
            return (tuple(range(len(sizes))),)
        return tuple((which,) for which in range(len(sizes)))

    @property
    def mechanism(self) -> MomentCube:
        """Mechanism with the least noise, for the maximum norm."""
        cells = [math.prod(len(self.factors[which]) for which in table) for table in self.collect_tables(math.inf)]
        return MomentCube(len(self.numbers), cells, bounded=self.bounded)

    def make_blocks(self, norm: float) -> tuple[MomentBlock, ...]:
        """Return the positions of released values in the moment matrix, for the norm of the mechanism."""
        numbers = LinearForms.from_indices(self.numbers)
        blocks: list[MomentBlock] = []
        halved = 0.5 / float(_SQUARE_WEIGHTS[norm])
        if not self.factors:
            forms = LinearForms.from_indices((0, *self.numbers))
            if not self.bounded:
                blocks.append(
                    MomentBlock("own", LinearForms.from_indices((0,)), LinearForms.from_indices((0,), halved))
                )
            blocks.append(MomentBlock("within", forms, forms))
        tables = self.collect_tables(norm)
        for table in tables:
            cells = self._collect_cell_forms(table)
            blocks.append(MomentBlock("paired", *self._make_count_forms(cells, 1.0 / len(tables))))
            # a sum in a cell enters the total divided by the number of tables, and the sums of its levels undivided
            rows = tuple(((0, 1.0 / len(tables)), *cell) for cell in cells)
            blocks.append(MomentBlock("across", numbers, LinearForms(rows)))
        for table1, table2 in combinations(tables, 2):
            blocks.append(
                MomentBlock(
                    "across",
                    LinearForms(self._collect_cell_forms(table1)),
                    LinearForms(self._collect_cell_forms(table2)),
                )
            )
        if self.factors and len(self.numbers) > 1:
            blocks.append(MomentBlock("within", numbers, numbers))
        return (*blocks, MomentBlock("own", numbers, LinearForms.from_indices(self.numbers, halved)))

    def _make_count_forms(self, cells: tuple[LinearForm, ...], share: float) -> tuple[LinearForms, LinearForms]:
        """Return two forms l and r for each cell, whose count enters the matrix as l r' + r l'.

        That is L L' + c L' + L c' for its levels' indicators L and the constant c, and if the number of
        records is private a fraction of c c', since each table includes all records: ``2 l = 2 L + 2 a c`` and
        ``2 r = L + (2 - a) c`` with ``a (2 - a)`` that fraction.
        """
        more = 0.0 if self.bounded else 1.0 - math.sqrt(1.0 - share)
        left = tuple(((0, more), *cell) if more else cell for cell in cells)
        right = tuple(((0, 1.0 - 0.5 * more), *((index, 0.5) for index, _ in cell)) for cell in cells)
        return LinearForms(left), LinearForms(right)

    def _collect_cell_forms(self, table: tuple[int, ...]) -> tuple[LinearForm, ...]:
        """Return the levels of each cell, without the reference levels."""
        cells = product(*(self.factors[which] for which in table))
        return tuple(tuple((index, 1.0) for index in cell if index > 0) for cell in cells)

    def collect_names(self, norm: float) -> list[str]:
        """Return the names of the released values."""
        number_names = [self.names[i] for i in self.numbers]
        times = "" if _SQUARE_WEIGHTS[norm] == 1 else f"*{float(_SQUARE_WEIGHTS[norm]):g}"
        names = [] if self.factors else [f"sum({name})" for name in number_names]
        if not self.bounded and not self.factors:
            names.insert(0, f"number{times}")
        tables = self.collect_tables(norm)
        cells = [[_label_cell(table, codes) for codes in product(*self._collect_codes(table))] for table in tables]
        for table_cells in cells:
            names += [f"count({cell})" for cell in table_cells]
            names += [f"sum({name}|{cell})" for name in number_names for cell in table_cells]
        for left, right in combinations(cells, 2):
            names += [f"count({cell1},{cell2})" for cell1 in left for cell2 in right]
        names += [f"sum({left}*{right})" for left, right in combinations(number_names, 2)]
        return [*names, *(f"sum({name}^2){times}" for name in number_names)]

    def _collect_codes(self, table: tuple[int, ...]) -> list[range]:
        return [range(len(self.factors[which])) for which in table]

    def compute_sensitivity(self, norm: float) -> Fraction:
        """Return the sensitivity of the released values in a norm, including rounding to the grid.

        *Unbounded.* A record adds to each released value a number between -1 and 1, or nothing: numbers on
        the grid lie there, and so do their products, as rounding to the grid is monotone and the grid includes
        -1 and 1. It adds to one cell of each table, and to one of the counts of two tables. With D numbers and Q
        categorical predictors there are D (D - 1) / 2 products, D squares, and sums and counts:
        Q (D + 1) + Q (Q - 1) / 2 with Q > 0, D and the number of records with Q = 0. Squares and the number
        of records are multiplied by 1/2 for the L1 norm, and by at most 1 / sqrt(2) for the L2 norm. So with
        Q = 0 the L1 norm, and the square of the L2 norm, are at most (D + 1)^2 / 2, and with Q > 0
        D^2 / 2 + Q (D + 1) + Q (Q - 1) / 2. Rounding adds nothing.

        *Bounded.* Let D be the number of numbers u in [-1, 1], w those of the record that replaces it, and Q the
        number of categorical predictors. Let x_i = |u_i - w_i| / 2 and s_i = |u_i + w_i| / 2, so x_i + s_i <= 1,
        and X the sum of the x_i. Then |u_i u_j - w_i w_j| <= 2 x_i (1 - x_j) + 2 x_j (1 - x_i) and
        |u_i^2 - w_i^2| <= 4 x_i (1 - x_i), so cross products and half squares change by at most
        2 X (D - X) in the L1 norm.

        Q = 0: the sums add 2 X to this; 2 X (D + 1 - X) is at most (D + 1)^2 / 2.

        Q > 0: whatever the number of levels, a predictor's counts change by at most 2, its sums by level of a
        number by at most |u_i| + |w_i| = 2 max(x_i, s_i), and the joint counts of two predictors by at
        most 2. With t_i the distance of x_i from the nearer of 0 and 1, 2 max(x_i, s_i) <= 2 - 2 t_i.
        X (D - X) is at most floor(D^2 / 4) plus the distance of X from the nearest integer, and so plus the
        sum of the t_i. Hence the L1 norm is at most 2 floor(D^2 / 4) + 2 Q D + Q (Q + 1), which for
        Q = 1 and even D is (D + 2)^2 / 2, as if the predictor were one more number.

        L2: sums and cross products, with squares times at most 1 / sqrt(2), are half of
        ||v v' - z z'||^2 = |v|^4 + |z|^4 - 2 (v'z)^2 <= 2 (D + 1)^2 for v = (1, u) and z = (1, w), so the
        norm is at most D + 1. With Q > 0 the same without the constant is (|u|^4 + |w|^4) / 2 - (u'w)^2.
        Let q predictors have the same level in both records: their sums by level add q |u - w|^2, those of
        the others (Q - q) (|u|^2 + |w|^2), and the counts 2 (Q - q) + Q (Q - 1) - q (q - 1). All of it increases
        with |u| and |w|, which are at most sqrt(D), and there it is at most D^2 + 2 Q D + Q (Q + 1) - q, its
        value at u'w = -q.

        Each of the products is rounded by less than 2^-40 (`record_grid.sum_records`), for both records.

        Maximum norm: parts of the released values have separate units, in which each changes by at most 1
        (`pydpstat._records.moment_noise`). The unit of a product is 1, or 2 where cross products count double.
        """
        d, q = len(self.numbers), len(self.factors)
        if not self.bounded:
            added = Fraction(d * d + (2 * q * (d + 1) + q * (q - 1) if q else 2 * d + 1), 2)
            return {1: added, 2: _bound_square_root(added), math.inf: Fraction(1)}[norm]
        slack = Fraction(d * (d + 1), 2**GRID_BITS)
        if norm == math.inf:
            return 1 + Fraction(1, 2 ** (GRID_BITS - 2))
        if norm == 1:
            unrounded = Fraction(2 * (d * d // 4) + 2 * q * d + q * (q + 1)) if q else Fraction((d + 1) ** 2, 2)
            return unrounded + slack
        if not q:
            return d + 1 + slack
        return _bound_square_root(Fraction(d * d + 2 * q * d + q * (q + 1))) + slack


def _label_cell(table: Sequence[int], codes: Sequence[int]) -> str:
    return ",".join(f"{which}={code}" for which, code in zip(table, codes))


def _bound_square_root(square: Fraction) -> Fraction:
    """Return a rational upper bound of the square root of a multiple of 1/2."""
    return Fraction(float(np.nextafter(np.sqrt(float(square)), np.inf)))


def make_regression_query(regression: Regression, norm: float, bounded: bool = True) -> Query:
    """Return a query for the moments of the layout, computed exactly on the records' grid."""
    design, layout = regression.design, MomentLayout.from_design(regression.design, bounded)
    numbers = [predictor.bounds for predictor in design.predictors if predictor.bounds is not None]
    grids = [record_grid.make_standard_grid(*pair) for pair in (*numbers, design.response_bounds)]
    paired = list(zip(design.predictors, regression.predictors))
    arrays = [values for predictor, values in paired if predictor.levels is None] + [regression.response]
    codes = [(values, len(predictor.levels)) for predictor, values in paired if predictor.levels is not None]
    width = range(len(arrays))
    pairs = [*combinations(width, 2), *((i, i) for i in width)]
    sums = record_grid.sum_records(arrays, grids, "error", pairs)
    unit = Fraction(1, 2**GRID_BITS)
    exact: list[Fraction | int] = []
    if not codes and not bounded:
        exact.append(_SQUARE_WEIGHTS[norm] * sums.count)
    if not codes:
        exact += [total * unit for total in sums.first]
    tables = [_combine_codes([codes[which] for which in table]) for table in layout.collect_tables(norm)]
    for values, levels in tables:
        exact += np.bincount(values, minlength=levels).tolist()
        exact += _sum_by_level(arrays, grids, values, levels)
    for (codes1, size1), (codes2, size2) in combinations(tables, 2):
        exact += np.bincount(codes1 * size2 + codes2, minlength=size1 * size2).tolist()
    cross = len(pairs) - len(arrays)
    exact += [total * unit for total in sums.products[:cross]]
    exact += [total * unit * _SQUARE_WEIGHTS[norm] for total in sums.products[cross:]]
    labels = Labels("regression", tuple(layout.collect_names(norm)))
    nobs = len(regression.response) if bounded else None
    return Query.from_exact("regression", exact, layout.compute_sensitivity(norm), labels, nobs)


def _combine_codes(codes: Sequence[tuple[npt.NDArray[np.int64], int]]) -> tuple[npt.NDArray[np.int64], int]:
    """Return the cell code of each record, and the number of cells."""
    cell_codes, cells = codes[0]
    for values, levels in codes[1:]:
        cell_codes, cells = cell_codes * levels + values, cells * levels
    return cell_codes, cells


def _sum_by_level(
    arrays: Sequence[Floats],
    grids: Sequence[record_grid.RecordGrid],
    codes: npt.NDArray[np.int64],
    levels: int,
) -> list[Fraction]:
    """Return the sums of each number over the records of each level."""
    masks = [codes == level for level in range(levels)]
    unit = Fraction(1, 2**GRID_BITS)
    return [
        record_grid.sum_records([values[mask]], [grid], "error").first[0] * unit
        for values, grid in zip(arrays, grids)
        for mask in masks
    ]


_GRID_ONE = float(1 << 30)
# upper limit to which leverages are clipped
MAX_LEVERAGE = 0.5
# probability that a variance exceeds its upper limit
EXCLUDED_PROBABILITY = 0.001


class Influences(NamedTuple):
    """Public quantities that determine a record's influence on each coefficient, in units of the moments.

    With public estimates and public forms a, which give coefficients as a'(sum of x y), a record contributes a'x times
    its residual to a coefficient. The sum of their squares is the sampling variance of
    the estimate, whatever the variances of the errors are (White 1980). Residuals are divided
    by 1 minus the record's leverage, as in HC3 (MacKinnon and White 1985).
    """

    center: Floats
    forms: Floats
    inverse: Floats
    max_influence: Floats
    leverage: float

    @classmethod
    def from_release(cls, noisy: NoisyMoments, layout: MomentLayout) -> Influences:
        """Return the influences at the estimates of a release."""
        scores = ObservedScores(noisy)
        center, forms = scores.estimates, scores.forms
        inverse = forms.copy()
        inverse[0] -= noisy.origin @ forms[1:]
        max_forms = _bound_forms(forms, layout)
        residual = 1.0 + min(float(_bound_forms(center[None], layout)[0]), 1.0)
        leverage = min(float(_bound_forms(_bound_forms(inverse, layout)[None], layout)[0]), MAX_LEVERAGE)
        return cls(center, forms, inverse, max_forms * residual / (1.0 - leverage), leverage)

    def iterate_squares(self, y: Floats, columns: list[Floats]) -> Iterator[Floats]:
        """Yield the squares of records' influences, in units of the largest possible one.

        All operations are elementwise: the values of a record do not depend on other records.
        """
        turned = [_apply_form(row, columns) for row in self.inverse]
        leverage = sum((x * t for x, t in zip(columns[1:], turned[1:])), columns[0] * turned[0])
        residual = y - np.clip(_apply_form(self.center, columns), -1.0, 1.0)
        residual /= 1.0 - np.clip(leverage, 0.0, self.leverage)
        for j, (form, max_influence) in enumerate(zip(self.forms, self.max_influence.tolist())):
            along = _apply_form(form, columns) if j == 0 else turned[j]
            yield np.clip((along * residual / max_influence) ** 2, 0.0, 1.0)


def _apply_form(form: Floats, columns: list[Floats]) -> Floats:
    values = form[0] * columns[0]
    for weight, column in zip(form[1:].tolist(), columns[1:]):
        values += weight * column
    return values


def _bound_forms(forms: Floats, layout: MomentLayout) -> Floats:
    """Return the largest absolute values of forms, one per row, over numbers in [-1, 1] and levels' indicators."""
    numbers = list(layout.numbers[:-1])
    wide = np.abs(forms[:, numbers]).sum(axis=1)
    low, high = forms[:, 0] - wide, forms[:, 0] + wide
    for levels in layout.factors:
        # at most one indicator of a predictor is 1
        level_forms = forms[:, [index for index in levels if index > 0]]
        low += level_forms.min(axis=1, initial=0.0)
        high += level_forms.max(axis=1, initial=0.0)
    return np.maximum(np.abs(low), np.abs(high))


def make_influence_query(
    regression: Regression,
    design: RegressionDesign,
    influences: Influences,
    scaling: tuple[Floats, Floats],
    bounded: bool,
) -> Query:
    """Return a query for the sums of squared influences; each term is a multiple of 2^-30 from 0 to 1."""
    totals = [0] * len(influences.center)
    for y, columns in _iterate_chunks(regression, design, *scaling):
        squares = influences.iterate_squares(y, columns)
        totals = [total + int(np.rint(square * _GRID_ONE).sum()) for total, square in zip(totals, squares)]
    exact = [Fraction(total, 1 << 30) for total in totals]
    labels = Labels("regression", tuple(f"influence({name}^2)" for name in design.names))
    nobs = len(regression.response) if bounded else None
    return Query.from_exact("regression", exact, Fraction(1), labels, nobs)


def _iterate_chunks(
    regression: Regression, design: RegressionDesign, centers: Floats, factors: Floats
) -> Iterator[tuple[Floats, list[Floats]]]:
    """Yield responses and predictors in units of the moments, chunk by chunk; private."""
    low, high = design.response_bounds
    middle, height = 0.5 * low + 0.5 * high, compute_half_width(design.response_bounds)
    step = max(RECORDS_PER_CHUNK // len(design.names), 1024)
    for start in range(0, len(regression.response), step):
        chunk = slice(start, start + step)
        read = clip_to_bounds(design.predictors, [values[chunk] for values in regression.predictors])
        constant, *predictors = build_design_matrix(design.predictors, read).T
        columns = [constant, *(column / f - c for column, f, c in zip(predictors, factors, centers))]
        yield (regression.response[chunk].clip(low, high) - middle) / height, columns


def add_sampling_variances(
    noisy: NoisyMoments, influences: Influences, released_sums: Floats, noise: CubeNoise
) -> NoisyMoments:
    """Return the moments with upper limits of the sampling variances, from the released sums."""
    above = float(noise.ppf(1.0 - EXCLUDED_PROBABILITY))
    upper_limits = np.maximum(released_sums + above, 0.0) * influences.max_influence**2
    return replace(noisy, sampling=freeze_array(upper_limits), excluded=EXCLUDED_PROBABILITY)
