"""What a regression asks of the data: sums, cross products and squares, and counts and sums by level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

from pydpstat._release.additive import Query
from pydpstat.inference._design import LinearDesign, Regression
from pydpstat.inference._laws.noisy_moments import Block, Form, Forms
from pydpstat.inference._moment_noise import MomentCube, crossed
from pydpstat.results._labels import Labels
from pydpstat.statistics._kernels import record_grid
from pydpstat.statistics._kernels.record_grid import BITS

Floats = npt.NDArray[np.float64]
# how a square enters what is released, by norm: halved with Laplace noise, a little less than 1/sqrt(2) with
# normal, and as it is in a cube of its own
_SQUARES = {1: Fraction(1, 2), 2: Fraction(7, 10), math.inf: Fraction(1)}


@dataclass(frozen=True, slots=True)
class Layout:
    """What is released for a design, in order, all of it public."""

    numbers: tuple[int, ...]
    factors: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]
    bounded: bool = True

    @classmethod
    def of(cls, design: LinearDesign, bounded: bool = True) -> Layout:
        """Return the layout of a design."""
        numbers: list[int] = []
        factors: list[tuple[int, ...]] = []
        place = 1
        for each in design.predictors:
            if each.levels is None:
                numbers.append(place if each.names else -1)
            else:
                places = {code: place + k for k, code in enumerate(each.kept)}
                factors.append(tuple(places.get(code, -1) for code in range(len(each.levels))))
            place += len(each.names)
        return cls((*numbers, place), tuple(factors), (*design.names, design.response), bounded)

    @property
    def width(self) -> int:
        """Number of places of v."""
        return len(self.names)

    def tables(self, norm: float) -> tuple[tuple[int, ...], ...]:
        """Return the categorical predictors of each table whose cells are released."""
        sizes = [len(levels) for levels in self.factors]
        if norm == math.inf and crossed(len(self.numbers), sizes, self.bounded):
            return (tuple(range(len(sizes))),)
        return tuple((which,) for which in range(len(sizes)))

    @property
    def mechanism(self) -> MomentCube:
        """The mechanism of the least noise, whose norm is infinite."""
        cells = [math.prod(len(self.factors[which]) for which in table) for table in self.tables(math.inf)]
        return MomentCube(len(self.numbers), cells, bounded=self.bounded)

    def blocks(self, norm: float) -> tuple[Block, ...]:
        """Return where what is released enters the matrix, for the norm that the noise answers to."""
        numbers = Forms.of(self.numbers)
        found: list[Block] = []
        halved = 0.5 / float(_SQUARES[norm])
        if not self.factors:
            places = Forms.of((0, *self.numbers))
            if not self.bounded:
                found.append(Block("own", Forms.of((0,)), Forms.of((0,), halved)))
            found.append(Block("within", places, places))
        tables = self.tables(norm)
        for table in tables:
            cells = self._cells(table)
            found.append(Block("paired", *self._counts(cells, 1.0 / len(tables))))
            # a sum in a cell is a share of the whole sum, and of its levels' own sums undivided
            parts = tuple(((0, 1.0 / len(tables)), *cell) for cell in cells)
            found.append(Block("across", numbers, Forms(parts)))
        for one, other in combinations(tables, 2):
            found.append(Block("across", Forms(self._cells(one)), Forms(self._cells(other))))
        if self.factors and len(self.numbers) > 1:
            found.append(Block("within", numbers, numbers))
        return (*found, Block("own", numbers, Forms.of(self.numbers, halved)))

    def _counts(self, cells: tuple[Form, ...], share: float) -> tuple[Forms, Forms]:
        """Return two forms l and r for each cell, of which l r' + r l' is what its count adds."""
        more = 0.0 if self.bounded else 1.0 - math.sqrt(1.0 - share)
        left = tuple(((0, more), *cell) if more else cell for cell in cells)
        right = tuple(((0, 1.0 - 0.5 * more), *((place, 0.5) for place, _ in cell)) for cell in cells)
        return Forms(left), Forms(right)

    def _cells(self, table: tuple[int, ...]) -> tuple[Form, ...]:
        """Return each cell's levels but the references."""
        cells = product(*(self.factors[which] for which in table))
        return tuple(tuple((place, 1.0) for place in cell if place > 0) for cell in cells)

    def released(self, norm: float) -> list[str]:
        """Return the names of what is released."""
        names = [self.names[i] for i in self.numbers]
        times = "" if _SQUARES[norm] == 1 else f"*{float(_SQUARES[norm]):g}"
        found = [] if self.factors else [f"sum({name})" for name in names]
        if not self.bounded and not self.factors:
            found.insert(0, f"number{times}")
        tables = self.tables(norm)
        cells = [[_cell(table, codes) for codes in product(*self._codes(table))] for table in tables]
        for each in cells:
            found += [f"count({cell})" for cell in each]
            found += [f"sum({name}|{cell})" for name in names for cell in each]
        for one, other in combinations(cells, 2):
            found += [f"count({first},{second})" for first in one for second in other]
        found += [f"sum({one}*{other})" for one, other in combinations(names, 2)]
        return [*found, *(f"sum({name}^2){times}" for name in names)]

    def _codes(self, table: tuple[int, ...]) -> list[range]:
        return [range(len(self.factors[which])) for which in table]

    def sensitivity(self, norm: float) -> Fraction:
        """Return how far one record that is replaced, or added, can move what is released, with roundings."""
        d, q = len(self.numbers), len(self.factors)
        if not self.bounded:
            added = Fraction(d * d + (2 * q * (d + 1) + q * (q - 1) if q else 2 * d + 1), 2)
            return {1: added, 2: _root_above(added), math.inf: Fraction(1)}[norm]
        slack = Fraction(d * (d + 1), 2**BITS)
        if norm == math.inf:
            return 1 + Fraction(1, 2 ** (BITS - 2))
        if norm == 1:
            whole = Fraction(2 * (d * d // 4) + 2 * q * d + q * (q + 1)) if q else Fraction((d + 1) ** 2, 2)
            return whole + slack
        if not q:
            return d + 1 + slack
        return _root_above(Fraction(d * d + 2 * q * d + q * (q + 1))) + slack


def _cell(table: Sequence[int], codes: Sequence[int]) -> str:
    return ",".join(f"{which}={code}" for which, code in zip(table, codes))


def _root_above(square: Fraction) -> Fraction:
    """Return a rational number that is at least the square root; the square is a multiple of 1/2."""
    return Fraction(float(np.nextafter(np.sqrt(float(square)), np.inf)))


def moment_query(regression: Regression, norm: float, bounded: bool = True) -> Query:
    """Ask for what the layout lists, in integers on the records' grid."""
    design, layout = regression.design, Layout.of(regression.design, bounded)
    numbers = [each.bounds for each in design.predictors if each.bounds is not None]
    grids = [record_grid.standard_grid(*pair) for pair in (*numbers, design.response_bounds)]
    paired = list(zip(design.predictors, regression.predictors))
    arrays = [values for each, values in paired if each.levels is None] + [regression.response]
    codes = [(values, len(each.levels)) for each, values in paired if each.levels is not None]
    width = range(len(arrays))
    pairs = [*combinations(width, 2), *((i, i) for i in width)]
    sums = record_grid.sums(arrays, grids, "error", pairs)
    unit = Fraction(1, 2**BITS)
    exact: list[Fraction | int] = []
    if not codes and not bounded:
        exact.append(_SQUARES[norm] * sums.count)
    if not codes:
        exact += [each * unit for each in sums.first]
    tables = [_joined([codes[which] for which in table]) for table in layout.tables(norm)]
    for values, levels in tables:
        exact += np.bincount(values, minlength=levels).tolist()
        exact += _level_sums(arrays, grids, values, levels)
    for (one, first), (other, second) in combinations(tables, 2):
        exact += np.bincount(one * second + other, minlength=first * second).tolist()
    cross = len(pairs) - len(arrays)
    exact += [each * unit for each in sums.products[:cross]]
    exact += [each * unit * _SQUARES[norm] for each in sums.products[cross:]]
    return Query(
        "regression",
        np.array([float(each) for each in exact]),
        (layout.sensitivity(norm),),
        Labels("regression", tuple(layout.released(norm))),
        nobs=len(regression.response) if bounded else None,
        exact=tuple(exact),
    )


def _joined(codes: Sequence[tuple[npt.NDArray[np.int64], int]]) -> tuple[npt.NDArray[np.int64], int]:
    """Return the cell of each record, and how many cells there are."""
    found, cells = codes[0]
    for values, levels in codes[1:]:
        found, cells = found * levels + values, cells * levels
    return found, cells


def _level_sums(
    arrays: Sequence[Floats],
    grids: Sequence[record_grid.RecordGrid],
    codes: npt.NDArray[np.int64],
    levels: int,
) -> list[Fraction]:
    """Return each number's sums over the records of each level."""
    masks = [codes == level for level in range(levels)]
    unit = Fraction(1, 2**BITS)
    return [
        record_grid.sums([values[mask]], [grid], "error").first[0] * unit
        for values, grid in zip(arrays, grids)
        for mask in masks
    ]
