"""The records of a logistic regression by cell: their noisy counts and sums."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._release.additive import Query
from pydpstat.errors import PydpstatError
from pydpstat.inference._design import LinearDesign, Predictor, Regression
from pydpstat.inference._logit_records import ONE, LogitRecords, query_of
from pydpstat.inference._moment_noise import CellCubes, Part
from pydpstat.inference._null_distributions.logistic_cells import CellLines
from pydpstat.inference._null_distributions.logistic_equations import Scaling
from pydpstat.inference._predictors import expanded
from pydpstat.mechanisms.cube import CubeNoise
from pydpstat.r_arithmetic.elementary import Floats, exp
from pydpstat.results._labels import Labels
from pydpstat.statistics._kernels.record_grid import CHUNK, check_range

MOST_CELLS = 2000
# shares of epsilon for sums by cell, with one number and with several; products get the rest
_TABLE, _TABLE_OF_SEVERAL, _LEFT = 0.88, 0.75, 0.6


class Cells(NamedTuple):
    """The cells of a design; all of it is public."""

    rows: Floats
    numbers: tuple[int, ...]
    scaling: Scaling
    names: tuple[str, ...]
    known: npt.NDArray[np.int64]

    @classmethod
    def of(cls, design: LinearDesign) -> Cells:
        """Return the cells of a design."""
        read = [each for each in design.read if each.levels is not None]
        count = math.prod(len(each.levels or ()) for each in read)
        if count > MOST_CELLS:
            raise PydpstatError(
                f"levels must make at most {MOST_CELLS:,} combinations of one level of each variable, which "
                f"logit counts; got {count:,}. Merge levels, or leave a variable out."
            )
        codes = np.array([*product(*(range(len(each.levels or ())) for each in read))], dtype=np.int64)
        codes = codes.reshape(count, len(read))
        columns = iter(codes.T)
        made = design.made(
            [np.zeros(count) if each.levels is None else next(columns) for each in design.read]
        )
        paired = list(zip(design.predictors, made))
        # an interaction has only the products of its variables' levels
        known, first = np.unique(_joined(paired, count), return_index=True)
        of_cells = [np.zeros(first.size) if each.levels is None else own[first] for each, own in paired]
        numbers, place = [], 1
        for each in design.predictors:
            if each.bounds is not None:
                check_range(*each.bounds)
                numbers.append(place)
            place += len(each.names)
        texts = [_named(read, each) for each in codes[first].tolist()]
        scaling = Scaling(*design.units)
        return cls(expanded(design.predictors, of_cells), tuple(numbers), scaling, tuple(texts), known)

    @property
    def products(self) -> list[tuple[int, int]]:
        """The pairs of numbers whose products are released, by their place among the numbers."""
        return [*combinations_with_replacement(range(len(self.numbers)), 2)]

    def table_noise(self, ends: int) -> CellCubes:
        """Return the mechanism of the first release, in which a change affects `ends` cells."""
        share = _TABLE if len(self.numbers) == 1 else _TABLE_OF_SEVERAL
        cells = Part(CubeNoise(float(ends), len(self.numbers) + 1), 2 * len(self.rows))
        rest = Part(CubeNoise(float(ends), len(self.products)), 1)
        return CellCubes((cells, rest), (share, 1.0 - share))

    def rest_noise(self, ends: int) -> CellCubes:
        """Return the mechanism of the remainders of lines."""
        width, pairs = len(self.numbers), len(self.products)
        cells = Part(CubeNoise(float(ends), 2 + width), len(self.rows))
        return CellCubes((cells, Part(CubeNoise(float(ends), width + pairs), 1)), (_LEFT, 1.0 - _LEFT))


def single_noise(size: int) -> CellCubes:
    """Return the mechanism of numbers that change by at most 1 in the L1 norm: each has separate noise."""
    return CellCubes((Part(CubeNoise(1.0, 1), size),), (1.0,))


def _joined(paired: Sequence[tuple[Predictor, np.ndarray]], size: int) -> npt.NDArray[np.int64]:
    """Return an integer for each record that identifies its levels of all categorical predictors."""
    found = np.zeros(size, dtype=np.int64)
    for each, values in paired:
        if each.levels is not None:
            found = found * len(each.levels) + values.astype(np.int64)
    return found


def _named(factors: Sequence[Predictor], codes: Sequence[int]) -> str:
    return ", ".join(f"{each.column}={(each.levels or ())[code]}" for each, code in zip(factors, codes))


class CellRecords:
    """The records of a logistic regression, by cell. Private except the cells and names."""

    def __init__(self, regression: Regression, cells: Cells) -> None:
        """Take the records over; nothing is computed yet."""
        self._regression, self.cells = regression, cells
        self.size = int(regression.response.size)
        design = regression.design
        self._names = [design.names[place] for place in cells.numbers]
        outcome = design.outcome
        levels = (False, True) if outcome is None or outcome.levels is None else outcome.levels
        self._responses = [f"{design.response}={level}" for level in levels]

    def __repr__(self) -> str:
        return "CellRecords(values withheld)"

    def _chunks(self) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], list[Floats]]]:
        """Yield cells, responses, and numbers from -1 to 1 on a grid, some records at a time.

        All operations are elementwise: the values of a record do not depend on other records.
        """
        paired = list(zip(self._regression.design.predictors, self._regression.predictors))
        middle, half = self.cells.scaling.middle, self.cells.scaling.half
        for start in range(0, self.size, CHUNK):
            part = slice(start, start + CHUNK)
            response = (self._regression.response[part] > 0.5).astype(np.int64)
            joined = _joined([(each, values[part]) for each, values in paired], response.size)
            cell = np.searchsorted(self.cells.known, joined)
            numbers: list[Floats] = []
            for each, values in paired:
                if each.levels is not None:
                    continue
                place = self.cells.numbers[len(numbers)] - 1
                scaled = (values[part] - middle[place]) / half[place]
                numbers.append(np.rint(np.clip(scaled, -1.0, 1.0) * ONE) / ONE)
            yield cell, response, numbers

    def whole(self) -> LogitRecords:
        """Return the same records without cells, the numbers in the unit of the bounds."""
        return LogitRecords(self._regression, self.cells.scaling)

    def counts(self, ends: int, nobs: int | None) -> Query:
        """Ask for the number of records of each cell by response."""
        count = 2 * len(self.cells.rows)
        totals = [0] * count
        for cell, response, _ in self._chunks():
            found = np.bincount(2 * cell + response, minlength=count).tolist()
            totals = [a + b for a, b in zip(totals, found)]
        value = np.array(totals, dtype=np.float64)
        names = Labels("count", tuple(self._counted()))
        return Query("count", value, (ends,), names, integer=True, nobs=nobs, exact=tuple(totals))

    def table(self, ends: int, nobs: int | None) -> Query:
        """Ask for counts and sums of the numbers z, by cell and response, and for products of numbers.

        A record adds (1, z) to one cell, at most 1 in the maximum norm. One that is replaced leaves a cell
        and enters another, or stays in its cell, whose vector moves by (0, z - z'), at most 2: the norms of
        all cells' changes add up to at most `ends`, which is 1 where a record is added or removed and 2 where
        one is replaced. Products of two different numbers lie in [-1, 1] and move by `ends` at most; squares
        lie in [0, 1], are multiplied by `ends`, and move by as much. Both vectors have noise for a share of
        epsilon, of a scale in proportion to `ends` (`CellCubes`); in units of that the sensitivity is 1.
        Every addend is a multiple of 2^-30 within these limits, products being rounded to it one by one; so
        roundings add nothing.
        """
        cells, pairs = 2 * len(self.cells.rows), self.cells.products
        width = len(self.cells.numbers)
        counts, sums = [0] * cells, [[0] * cells for _ in range(width)]
        totals = [0] * len(pairs)
        for cell, response, z in self._chunks():
            place = 2 * cell + response
            counts = _added(counts, np.bincount(place, minlength=cells))
            sums = [_added(own, _sums(place, each, cells)) for own, each in zip(sums, z)]
            totals = [total + int(np.rint(z[i] * z[j] * ONE).sum()) for total, (i, j) in zip(totals, pairs)]
        exact: list[Fraction] = []
        for number in range(cells):
            exact.append(Fraction(counts[number]))
            exact += [Fraction(own[number], 1 << 30) for own in sums]
        exact += [Fraction((ends if i == j else 1) * t, 1 << 30) for t, (i, j) in zip(totals, pairs)]
        names: list[str] = []
        for each in self._counted():
            names += [f"count({each})", *(f"sum({name}|{each})" for name in self._names)]
        names += self._products(ends)
        return query_of("moments", exact, names, nobs)

    def rest(self, center: Floats, lines: CellLines, ends: int, nobs: int | None) -> Query:
        """Ask for the remainders of score and information that lines leave at public coefficients.

        In each cell it is the sums of r, w and w z, where r and w, clipped to [-1, 1], are what the cell's
        lines leave of s(v'b) and s'(v'b), in units of the largest that this can be. Over all cells it is the
        sums of q z and of u z_i z_j with q and u likewise. Every addend is a multiple of 2^-30 from -1 to 1,
        whatever rounding did before. As in `table` the norms of the cells' changes add up to `ends` at most,
        and so does that of the other sums.
        """
        cells, pairs = len(self.cells.rows), self.cells.products
        width = len(self.cells.numbers)
        slopes = center[list(self.cells.numbers)].tolist()
        own = [[0] * cells for _ in range(2 + width)]
        totals = [0] * (width + len(pairs))
        for at, _, z in self._chunks():
            along = np.zeros(at.size)
            for each, slope in zip(z, slopes):
                along += each * slope
            s = 1.0 / (1.0 + exp(-(lines.middle[at] + along)))
            r = np.clip((s - lines.level[at] - lines.slope[at] * along) / lines.apart[at], -1.0, 1.0)
            w = np.clip((s * (1.0 - s) - lines.weight[at]) / lines.weight_apart[at], -1.0, 1.0)
            q = np.clip((s - lines.common[at] - lines.common_slope * along) / lines.common_apart, -1.0, 1.0)
            u = np.clip((s * (1.0 - s) - lines.common_weight) / lines.common_weight_apart, -1.0, 1.0)
            addends = [r, w, *(w * each for each in z)]
            own = [_added(each, _sums(at, addend, cells)) for each, addend in zip(own, addends)]
            whole = [*(q * each for each in z), *(u * z[i] * z[j] for i, j in pairs)]
            totals = [total + int(np.rint(each * ONE).sum()) for total, each in zip(totals, whole)]
        exact = [Fraction(each[place], 1 << 30) for place in range(cells) for each in own]
        exact += [Fraction(total, 1 << 30) for total in totals]
        kinds = ["score", "information", *(f"information {name}" for name in self._names)]
        names = [f"{kind}({cell or 'all'})" for cell in self.cells.names for kind in kinds]
        names += [f"score {name}" for name in self._names]
        names += [f"information {self._names[i]}:{self._names[j]}" for i, j in pairs]
        return query_of("score", exact, names, nobs)

    def _counted(self) -> list[str]:
        """Return the names of the cells by response."""
        return [
            ", ".join(filter(None, (cell, each))) for cell in self.cells.names for each in self._responses
        ]

    def _products(self, ends: int) -> list[str]:
        times = f"{ends}*" if ends > 1 else ""
        found = []
        for i, j in self.cells.products:
            one, other = self._names[i], self._names[j]
            found.append(f"{times}sum({one}^2)" if i == j else f"sum({one}*{other})")
        return found


def _added(totals: Sequence[int], more: np.ndarray) -> list[int]:
    return [total + int(each) for total, each in zip(totals, more.tolist())]


def _sums(place: npt.NDArray[np.int64], addends: Floats, cells: int) -> Floats:
    """Return sums by cell in units of 2^-30: integers below 2^53, which floating point adds up exactly."""
    return np.asarray(np.bincount(place, weights=np.rint(addends * ONE), minlength=cells), dtype=np.float64)
