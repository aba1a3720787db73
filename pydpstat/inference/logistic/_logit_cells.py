"""Records of a logistic regression by cell, and queries for their counts and sums."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import hide_values
from pydpstat._null_distributions.logistic.logistic_cells import CellApproximations
from pydpstat._null_distributions.logistic.logistic_equations import Scaling
from pydpstat._records.moment_noise import CellCubes, NoiseBlock
from pydpstat._records.record_grid import RECORDS_PER_CHUNK, check_bounds_range
from pydpstat._release.pipeline import Query
from pydpstat.errors import PydpstatError
from pydpstat.inference.logistic._logit_records import GRID_ONE, LogitRecords, make_sums_query
from pydpstat.inference.regression._design import Predictor, Regression, RegressionDesign
from pydpstat.inference.regression._predictors import build_design_matrix
from pydpstat.mechanisms.cube import CubeNoise
from pydpstat.r_arithmetic.elementary import Floats, exp
from pydpstat.results._labels import Labels

MAX_CELLS = 2000
# fractions of epsilon for sums by cell, with one numeric predictor or several, and for remainders by cell
_CELL_SUMS_SHARE, _CELL_SUMS_SHARE_SEVERAL, _CELL_REMAINDER_SHARE = 0.88, 0.75, 0.6


class DesignCells(NamedTuple):
    """Public cells of a design: its rows, numeric predictors, scaling, names and codes."""

    rows: Floats
    numbers: tuple[int, ...]
    scaling: Scaling
    names: tuple[str, ...]
    cell_codes: npt.NDArray[np.int64]

    @classmethod
    def from_design(cls, design: RegressionDesign) -> DesignCells:
        """Return the cells of a design, one for each combination of levels."""
        categorical = [predictor for predictor in design.source_columns if predictor.levels is not None]
        count = math.prod(len(predictor.levels or ()) for predictor in categorical)
        if count > MAX_CELLS:
            raise PydpstatError(
                f"levels must make at most {MAX_CELLS:,} combinations of one level of each variable, which "
                f"logit counts; got {count:,}. Merge levels, or leave a variable out."
            )
        codes = np.array([*product(*(range(len(predictor.levels or ())) for predictor in categorical))], dtype=np.int64)
        codes = codes.reshape(count, len(categorical))
        columns = iter(codes.T)
        predictors = design.build_predictors(
            [np.zeros(count) if predictor.levels is None else next(columns) for predictor in design.source_columns]
        )
        paired = list(zip(design.predictors, predictors))
        # combinations with the same codes of all predictors are one cell
        cell_codes, first_indices = np.unique(_encode_cells(paired, count), return_index=True)
        of_cells = [
            np.zeros(first_indices.size) if predictor.levels is None else values[first_indices]
            for predictor, values in paired
        ]
        numbers, position = [], 1
        for predictor in design.predictors:
            if predictor.bounds is not None:
                check_bounds_range(*predictor.bounds)
                numbers.append(position)
            position += len(predictor.names)
        texts = [_format_cell(categorical, cell) for cell in codes[first_indices].tolist()]
        scaling = Scaling(*design.units)
        return cls(build_design_matrix(design.predictors, of_cells), tuple(numbers), scaling, tuple(texts), cell_codes)

    @property
    def products(self) -> list[tuple[int, int]]:
        """Pairs of numeric predictors whose products are released, as indices among the numeric predictors."""
        return [*combinations_with_replacement(range(len(self.numbers)), 2)]

    def make_table_mechanism(self, n_changed_cells: int) -> CellCubes:
        """Return the mechanism of the first release, in which a neighbor changes `n_changed_cells` cells."""
        share = _CELL_SUMS_SHARE if len(self.numbers) == 1 else _CELL_SUMS_SHARE_SEVERAL
        cells = NoiseBlock(CubeNoise(float(n_changed_cells), len(self.numbers) + 1), 2 * len(self.rows))
        products = NoiseBlock(CubeNoise(float(n_changed_cells), len(self.products)), 1)
        return CellCubes((cells, products), (share, 1.0 - share))

    def make_remainder_mechanism(self, n_changed_cells: int) -> CellCubes:
        """Return the mechanism of the remainders of linear approximations."""
        width, pairs = len(self.numbers), len(self.products)
        cells = NoiseBlock(CubeNoise(float(n_changed_cells), 2 + width), len(self.rows))
        return CellCubes(
            (cells, NoiseBlock(CubeNoise(float(n_changed_cells), width + pairs), 1)),
            (_CELL_REMAINDER_SHARE, 1.0 - _CELL_REMAINDER_SHARE),
        )


def make_separate_mechanism(size: int) -> CellCubes:
    """Return the mechanism of `size` numbers with sensitivity 1 in the L1 norm, with independent noise for each."""
    return CellCubes((NoiseBlock(CubeNoise(1.0, 1), size),), (1.0,))


def _encode_cells(paired: Sequence[tuple[Predictor, np.ndarray]], size: int) -> npt.NDArray[np.int64]:
    """Return an integer for each record that identifies its levels of all categorical predictors."""
    cell_codes = np.zeros(size, dtype=np.int64)
    for predictor, values in paired:
        if predictor.levels is not None:
            cell_codes = cell_codes * len(predictor.levels) + values.astype(np.int64)
    return cell_codes


def _format_cell(factors: Sequence[Predictor], codes: Sequence[int]) -> str:
    return ", ".join(f"{factor.column}={(factor.levels or ())[code]}" for factor, code in zip(factors, codes))


class CellRecords:
    """Records of a logistic regression by cell; private except for the cells and names."""

    def __init__(self, regression: Regression, cells: DesignCells) -> None:
        """Store the records; nothing is computed yet."""
        self._regression, self.cells = regression, cells
        self.size = int(regression.response.size)
        design = regression.design
        self._names = [design.names[index] for index in cells.numbers]
        outcome = design.binary_response
        levels = (False, True) if outcome is None or outcome.levels is None else outcome.levels
        self._responses = [f"{design.response}={level}" for level in levels]

    def __repr__(self) -> str:
        return hide_values(self)

    def _iterate_chunks(self) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], list[Floats]]]:
        """Yield cell codes, responses (0 or 1) and predictors on a grid from -1 to 1, chunk by chunk.

        All operations are elementwise: the values of a record do not depend on other records.
        """
        paired = list(zip(self._regression.design.predictors, self._regression.predictors))
        middle, half = self.cells.scaling.middle, self.cells.scaling.half_width
        for start in range(0, self.size, RECORDS_PER_CHUNK):
            chunk = slice(start, start + RECORDS_PER_CHUNK)
            response = (self._regression.response[chunk] > 0.5).astype(np.int64)
            joined = _encode_cells([(predictor, values[chunk]) for predictor, values in paired], response.size)
            cell = np.searchsorted(self.cells.cell_codes, joined)
            numbers: list[Floats] = []
            for predictor, values in paired:
                if predictor.levels is not None:
                    continue
                index = self.cells.numbers[len(numbers)] - 1
                scaled = (values[chunk] - middle[index]) / half[index]
                numbers.append(np.rint(np.clip(scaled, -1.0, 1.0) * GRID_ONE) / GRID_ONE)
            yield cell, response, numbers

    def to_logit_records(self) -> LogitRecords:
        """Return the same records without cells, with predictors in the units of the bounds."""
        return LogitRecords(self._regression, self.cells.scaling)

    def make_counts_query(self, n_changed_cells: int, nobs: int | None) -> Query:
        """Return a query for the number of records of each cell by response."""
        count = 2 * len(self.cells.rows)
        totals = [0] * count
        for cell, response, _ in self._iterate_chunks():
            counts = np.bincount(2 * cell + response, minlength=count).tolist()
            totals = [a + b for a, b in zip(totals, counts)]
        value = np.array(totals, dtype=np.float64)
        names = Labels("count", tuple(self._collect_count_names()))
        return Query("count", value, (n_changed_cells,), names, integer=True, nobs=nobs, exact=tuple(totals))

    def make_table_query(self, n_changed_cells: int, nobs: int | None) -> Query:
        """Return a query for counts and sums of z by cell and response, and for sums of products of z.

        A record adds (1, z) to one cell, at most 1 in the maximum norm. A replaced record leaves one cell and
        enters another, or stays in its cell, whose vector changes by (0, z - z'), at most 2: the norms of the
        changes of all cells add up to at most `n_changed_cells`, which is 1 if a record is added or removed and
        2 if one is replaced. Products of two different predictors lie in [-1, 1] and change by at most
        `n_changed_cells`; squares lie in [0, 1], are multiplied by `n_changed_cells`, and change by at most as
        much. Both vectors have noise for a fraction of epsilon with a scale proportional to `n_changed_cells`
        (`CellCubes`), so the sensitivity in these units is 1. Every term is a multiple of 2^-30 within these
        limits, since products are rounded one by one; rounding does not add to the sensitivity.
        """
        cells, pairs = 2 * len(self.cells.rows), self.cells.products
        width = len(self.cells.numbers)
        counts, sums = [0] * cells, [[0] * cells for _ in range(width)]
        totals = [0] * len(pairs)
        for cell, response, z in self._iterate_chunks():
            cell_codes = 2 * cell + response
            counts = _add_totals(counts, np.bincount(cell_codes, minlength=cells))
            sums = [
                _add_totals(cell_sums, _sum_by_cell(cell_codes, column, cells)) for cell_sums, column in zip(sums, z)
            ]
            totals = [total + int(np.rint(z[i] * z[j] * GRID_ONE).sum()) for total, (i, j) in zip(totals, pairs)]
        exact: list[Fraction] = []
        for number in range(cells):
            exact.append(Fraction(counts[number]))
            exact += [Fraction(cell_sums[number], 1 << 30) for cell_sums in sums]
        exact += [Fraction((n_changed_cells if i == j else 1) * t, 1 << 30) for t, (i, j) in zip(totals, pairs)]
        names: list[str] = []
        for count_name in self._collect_count_names():
            names += [f"count({count_name})", *(f"sum({name}|{count_name})" for name in self._names)]
        names += self._collect_product_names(n_changed_cells)
        return make_sums_query("moments", exact, names, nobs)

    def make_remainder_query(
        self, center: Floats, lines: CellApproximations, n_changed_cells: int, nobs: int | None
    ) -> Query:
        """Return a query for the remainders of score and information after linear approximation at public coefficients.

        In each cell these are the sums of r, w and w z, where r and w, clipped to [-1, 1], are the remainders
        of s(v'b) and s'(v'b) in units of their largest absolute value. Over all cells they are the sums of q z
        and of u z_i z_j with the remainders q and u of common lines. Every term is rounded to a multiple of
        2^-30 from -1 to 1. As in `make_table_query` the norms of the changes of all cells add up to at most
        `n_changed_cells`, and so does the norm of the change of the other sums.
        """
        cells, pairs = len(self.cells.rows), self.cells.products
        width = len(self.cells.numbers)
        slopes = center[list(self.cells.numbers)].tolist()
        cell_sums = [[0] * cells for _ in range(2 + width)]
        totals = [0] * (width + len(pairs))
        for at, _, z in self._iterate_chunks():
            along = np.zeros(at.size)
            for column, slope in zip(z, slopes):
                along += column * slope
            s = 1.0 / (1.0 + exp(-(lines.middle[at] + along)))
            r = np.clip((s - lines.level[at] - lines.slope[at] * along) / lines.max_error[at], -1.0, 1.0)
            w = np.clip((s * (1.0 - s) - lines.weight[at]) / lines.max_weight_error[at], -1.0, 1.0)
            q = np.clip((s - lines.common_level[at] - lines.common_slope * along) / lines.common_max_error, -1.0, 1.0)
            u = np.clip((s * (1.0 - s) - lines.common_weight) / lines.common_max_weight_error, -1.0, 1.0)
            addends = [r, w, *(w * column for column in z)]
            cell_sums = [_add_totals(sums, _sum_by_cell(at, addend, cells)) for sums, addend in zip(cell_sums, addends)]
            common_addends = [*(q * column for column in z), *(u * z[i] * z[j] for i, j in pairs)]
            totals = [total + int(np.rint(addend * GRID_ONE).sum()) for total, addend in zip(totals, common_addends)]
        exact = [Fraction(sums[index], 1 << 30) for index in range(cells) for sums in cell_sums]
        exact += [Fraction(total, 1 << 30) for total in totals]
        kinds = ["score", "information", *(f"information {name}" for name in self._names)]
        names = [f"{kind}({cell or 'all'})" for cell in self.cells.names for kind in kinds]
        names += [f"score {name}" for name in self._names]
        names += [f"information {self._names[i]}:{self._names[j]}" for i, j in pairs]
        return make_sums_query("score", exact, names, nobs)

    def _collect_count_names(self) -> list[str]:
        """Return the names of all combinations of cell and response."""
        return [", ".join(filter(None, (cell, response))) for cell in self.cells.names for response in self._responses]

    def _collect_product_names(self, n_changed_cells: int) -> list[str]:
        times = f"{n_changed_cells}*" if n_changed_cells > 1 else ""
        names = []
        for i, j in self.cells.products:
            name1, name2 = self._names[i], self._names[j]
            names.append(f"{times}sum({name1}^2)" if i == j else f"sum({name1}*{name2})")
        return names


def _add_totals(totals: Sequence[int], more: np.ndarray) -> list[int]:
    return [total + int(addend) for total, addend in zip(totals, more.tolist())]


def _sum_by_cell(cell_codes: npt.NDArray[np.int64], addends: Floats, cells: int) -> Floats:
    """Return sums by cell in units of 2^-30; these are integers below 2^53, so their floating-point sums are exact."""
    return np.asarray(np.bincount(cell_codes, weights=np.rint(addends * GRID_ONE), minlength=cells), dtype=np.float64)
