"""Sums over records if their number is private: weights that add up to 1 for each record.

A record z in [-1, 1] is mapped to nonnegative weights that add up to 1, the Bernstein polynomials of degree 1
or 2. Adding or removing a record then changes the sums of the weights by a vector whose L1 norm is exactly 1,
and whose L2 norm is at most 1. The number of records and the sums of z, z^2 or z1 z2 are linear combinations
of these sums, so one noisy vector yields all of them, without splitting the budget.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from operator import mul

import numpy as np
import numpy.typing as npt

from pydpstat._data.columns import Bounds, VariableBounds
from pydpstat._records.group_sums import FoldedSums, GroupSums, split_sums_by_group
from pydpstat._records.record_grid import GRID_BITS, ExactSums
from pydpstat._records.records import Records
from pydpstat._release.options import Options
from pydpstat._release.pipeline import Query
from pydpstat.mechanisms.gaussian import compute_root_above
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import DerivedValue, PostProcessing, PostProcessor
from pydpstat.results._ranges import CLIPPED_STEP, ParameterRange

# coefficients of the weights in 1, z and the products, in quarters. On the grid
# 2^40 units are 1, and the weights are multiples of a quarter of a unit that add up to 1 exactly.
# (1 - z) / 2 and (1 + z) / 2
LINE_WEIGHTS = ((2, -2), (2, 2))
# (1 - 2z + s) / 4, (1 - s) / 2 and (1 + 2z + s) / 4, where s is z^2 rounded to the grid of z. They are not
# negative: z^2 is at most 1 and at least 2 |z| - 1, both of these lie on the grid, and rounding is
# monotone, so s is between them.
PARABOLA_WEIGHTS = ((1, -2, 1), (2, 0, -2), (1, 2, 1))
# (1 -+ z1)(1 -+ z2) / 4 in the order --, -+, +-, ++, with z1 z2 rounded to p on the grid of z:
# (1 -+ z1 -+ z2 +- p) / 4. They are not negative: z1 z2 lies between |z1 + z2| - 1 and 1 - |z1 - z2|, which
# lie on the grid, and rounding is monotone.
CORNER_WEIGHTS = ((1, -1, -1, 1), (1, -1, 1, -1), (1, 1, -1, -1), (1, 1, 1, 1))
# nine weights, each rounded by at most half a unit
PRODUCT_WEIGHTS_NORM = Fraction(1) + 9 * Fraction(1, 2 ** (GRID_BITS + 1))


def compute_weight_sums(sums: ExactSums, quarter_coefficients: Sequence[Sequence[int]]) -> list[Fraction]:
    """Return the sums of weights from those of 1, z and the products; a row has the coefficients of one weight."""
    terms = (sums.count << GRID_BITS, *sums.first, *sums.products)
    return [Fraction(sum(map(mul, row, terms)), 4 << GRID_BITS) for row in quarter_coefficients]


def compute_product_weight_sums(group_sums: GroupSums) -> list[list[Fraction]]:
    """Return, for each group and pair of variables, the sums of the nine products of their parabola weights.

    The weights of one variable are exact. Rounding a product to the grid changes it by at most half a unit: the
    L1 norm of the nine products is at most 1 + 9/2 units, `PRODUCT_WEIGHTS_NORM`.
    """
    rows = [sums.first for sums in group_sums.split_groups()]
    return [
        [Fraction(total, 1 << GRID_BITS) for total in row[start : start + 9]]
        for row in rows
        for start in range(0, len(row), 9)
    ]


def make_weights_query(
    statistic: str,
    labels: Labels,
    options: Options,
    blocks: Sequence[Sequence[Fraction]],
    n_blocks_per_group: int,
    norm: Fraction = Fraction(1),
    nobs: int | None = None,
) -> Query:
    """Make the query of the sums of weights, in `n_blocks_per_group` blocks for each group.

    To each block of its group a record adds a vector of L1 norm `norm` at most. Under bounded neighbors, if the
    number of records is private, one record is removed and one added, perhaps to a different group. As weights
    are not negative, the L2 norm of the change is at most sqrt(2) times that of one of the two. A unit has at most
    `options.contribution_bound` records, which multiplies the sensitivity.
    """
    exact = tuple(chain.from_iterable(blocks))
    vector_shape = (n_blocks_per_group, len(blocks[0])) if blocks else None
    value = np.array([number.numerator / number.denominator for number in exact], dtype=np.float64)
    sensitivity = norm * compute_weight_sensitivity(n_blocks_per_group, options)
    return Query(statistic, value, (sensitivity,), labels, nobs=nobs, exact=exact, vector_shape=vector_shape)


def compute_weight_sensitivity(n_ones: int, options: Options, has_separate_positions: bool = True) -> Fraction:
    """Return the sensitivity of sums to which a record adds a vector of `n_ones` ones, in the noise's norm.

    With `has_separate_positions` the removed and the added record may change different positions of the released
    vector, so both changes count. Otherwise they change the same number in opposite directions, and only the
    larger change counts.
    """
    return _compute_weight_sensitivity(
        n_ones,
        options.norm,
        options.n_changed_groups if has_separate_positions else 1,
        options.contribution_bound,
    )


@lru_cache(maxsize=256)
def _compute_weight_sensitivity(n_ones: int, norm: float, n_changed_groups: int, contribution_bound: int) -> Fraction:
    return (
        _compute_ones_norm(n_ones, norm)
        * _compute_ones_norm(n_changed_groups, _get_outer_norm(norm))
        * contribution_bound
    )


def make_column_weights_query(
    statistic: str,
    records: Records,
    bounds: Bounds,
    options: Options,
    quarter_coefficients: Sequence[Sequence[int]],
    sums: FoldedSums,
    derive: Callable[[np.ndarray, VariableBounds], tuple[np.ndarray, np.ndarray]],
    step: str,
    parameter_range: ParameterRange,
) -> tuple[Query, PostProcessor]:
    """Make the query of the sums of each column's weights, by group if there are groups.

    `derive` returns the values and slopes of a column, given rows of noisy sums of weights and the bounds; `step`
    describes it in words.
    """
    shape = records.shape
    blocks = [
        compute_weight_sums(column_sums, quarter_coefficients)
        for row in split_sums_by_group(sums)
        for column_sums in row
    ]

    def publish_columns(noisy_sums: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        columns = noisy_sums.reshape(-1, len(bounds), len(quarter_coefficients))
        estimates = [derive(columns[:, column], pair) for column, pair in enumerate(bounds)]
        values, slopes = (np.stack(column_estimates, axis=-1).reshape(shape) for column_estimates in zip(*estimates))
        # the weights of a record add up to 1
        sizes = convert_to_fortran_order(columns.sum(axis=-1), shape)
        post = DerivedValue(
            convert_to_fortran_order(slopes, shape), (step, CLIPPED_STEP), sizes=sizes, within=parameter_range
        )
        return parameter_range.clip_values(values), post

    return make_weights_query(statistic, records.make_labels(statistic), options, blocks, len(bounds)), publish_columns


def convert_to_fortran_order(values: npt.ArrayLike, shape: tuple[int, ...]) -> tuple[float, ...]:
    """Return values as a tuple in Fortran order, which is that of R and of the results."""
    return tuple(np.reshape(values, shape).ravel(order="F").tolist())


def compute_ones_norm(n_ones: int, options: Options) -> Fraction:
    """Return the norm of a vector of ones in the noise's norm, rounded up."""
    return _compute_ones_norm(n_ones, options.norm)


def compute_separate_vectors_norm(n_vectors: int, options: Options) -> Fraction:
    """Return the norm of `n_vectors` vectors of norm 1 in separate positions of the released vector."""
    return _compute_ones_norm(n_vectors, _get_outer_norm(options.norm))


def _get_outer_norm(norm: float) -> float:
    # the maximum norms of several vectors add up
    return 1 if norm == math.inf else norm


def _compute_ones_norm(n_ones: int, norm: float) -> Fraction:
    return Fraction(compute_root_above(n_ones) if norm == 2 else 1 if norm == math.inf else n_ones)
