"""Release of the sums for tests of means that allow for skewness: noisy sums of z, z^2 and a cubic.

If epsilon is large, the sums of `pydpstat._records.moment_release` leave only the skewness of the records
uncertain. A tenth of epsilon is therefore spent on the sum of t(z) = 4 z^3 - 3 z.

Sensitivity: by the triangle inequality it is at most the sum of the two parts' sensitivities. The weighted sums
of z and z^2 change by at most 1 if a record is replaced, added or removed (see the weights of that module and
the partition of unity), and are multiplied by 9/10. The cubic lies within [-1, 1], also on the grid: if a
record is replaced, its sum changes by at most 2 and is multiplied by 1/20; if one is added or removed, it
changes by at most 1 and is multiplied by 1/10. The sensitivity in the L1 norm, to which Laplace noise is
calibrated, is at most 9/10 + 1/10 = 1. A record is in one group, so this also holds for the sums of several
groups.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from pydpstat._data.columns import VariableBounds
from pydpstat._null_distributions import weight_moments
from pydpstat._null_distributions.means.noisy_t import CubeSum, NoisySums, Row
from pydpstat._records import partition
from pydpstat._records.moment_release import collect_sum_names, release_weighted_sums, sum_moments, sum_over_records
from pydpstat._records.record_grid import (
    GRID_BITS,
    ExactSums,
    RecordGrid,
    iterate_chunks,
    make_standard_grid,
    round_to_unit,
    sum_in_units,
)
from pydpstat._records.records import RecordChunk, Records
from pydpstat._release.options import Missing, Options
from pydpstat._release.pipeline import Query
from pydpstat.results._labels import Labels
from pydpstat.results.results import DPResults

# fraction of epsilon spent on the cubic
CUBIC_SHARE = Fraction(1, 10)
_OTHER_SHARE = 1 - CUBIC_SHARE
# smallest epsilon, epsilon times sqrt(n) and public n for which the cubic is released
MIN_CUBIC_EPSILON, MIN_CUBIC_ROOT, MIN_CUBIC_RECORDS = 4.0, 40.0, 8


def has_cubic(epsilon: float, size: int | None) -> bool:
    """Return whether the cubic is released, by public numbers; `size` is None if the number of records is private."""
    if size is None:
        return epsilon >= MIN_CUBIC_EPSILON
    return size >= MIN_CUBIC_RECORDS and epsilon >= max(MIN_CUBIC_EPSILON, MIN_CUBIC_ROOT / math.sqrt(size))


def sum_cubics(part: RecordChunk, grids: Sequence[RecordGrid], missing: Missing) -> tuple[ExactSums]:
    """Return the sum of z, and as products the sums of z^2 and 4 z^3 - 3 z, for one variable.

    Among the cubics with this leading coefficient, this Chebyshev polynomial has the smallest maximum on [-1,
    1], which is 1. Each square and cubic is rounded to the grid of z, and the cubic is clipped to [-1, 1],
    whose limits are on the grid.
    """
    (grid,) = grids
    count = linear = squares = cubics = 0
    for (z,), (total,) in iterate_chunks(part.columns.arrays[:1], grids, missing):
        square = z * z
        cubic = (4.0 * square - 3.0) * z
        np.clip(round_to_unit(cubic, grid.unit), -1.0, 1.0, out=cubic)
        count += z.size
        linear += total
        squares += sum_in_units(round_to_unit(square, grid.unit), grid.unit, grid.bits) or 0
        cubics += sum_in_units(cubic, grid.unit, grid.bits) or 0
    return (ExactSums(count, (linear,), (squares, cubics)),)


def sum_records_with_cubic(
    records: Records, bounds: VariableBounds, options: Options, statistic: str, argument: str
) -> ExactSums:
    """Compute the exact sums of z, z^2 and the cubic over all records."""
    tally = partial(sum_cubics, grids=[make_standard_grid(*bounds)], missing=options.missing)
    return sum_over_records(records, tally, options, statistic, argument)[0]


def sum_groups_with_cubic(
    groups: Sequence[tuple[Records, str]],
    bounds: VariableBounds,
    options: Options,
    statistic: str,
    shape: str,
) -> tuple[list[ExactSums], bool]:
    """Compute the exact sums of each group, and return whether they include the cubic.

    Groups are pairs of records and an argument's name. Public numbers alone determine whether cubics are
    summed.
    """
    if shape != "any" or not all(has_cubic(options.epsilon, records.public_size) for records, _ in groups):
        return [sum_moments(records, (bounds,), options, statistic, argument)[0] for records, argument in groups], False
    group_sums = [sum_records_with_cubic(records, bounds, options, statistic, argument) for records, argument in groups]
    # data in an engine are counted only in this pass
    if options.has_public_size and not all(has_cubic(options.epsilon, sums.count) for sums in group_sums):
        return [replace(sums, products=sums.products[:1]) for sums in group_sums], False
    return group_sums, True


def apply_cubic_weights(found: ExactSums, bounded: bool) -> list[Fraction]:
    """Return exact weighted sums, that of the cubic last; their sensitivity in the L1 norm is at most 1."""
    linear, square, cubic = (Fraction(total, 1 << GRID_BITS) for total in (*found.first, *found.products))
    if bounded:
        return [_OTHER_SHARE * linear / 2, _OTHER_SHARE * square / 4, CUBIC_SHARE * cubic / 2]
    plain = replace(found, products=found.products[:1])
    return [
        *(_OTHER_SHARE * weight_sum for weight_sum in partition.compute_weight_sums(plain, partition.PARABOLA_WEIGHTS)),
        CUBIC_SHARE * cubic,
    ]


def get_inverse_weights(bounded: bool) -> list[float]:
    """Return the factors that undo the weights of the released sums."""
    if bounded:
        return [float(2 / _OTHER_SHARE), float(4 / _OTHER_SHARE), float(2 / CUBIC_SHARE)]
    return [float(1 / _OTHER_SHARE)] * 3 + [float(1 / CUBIC_SHARE)]


def make_noise_mixing(epsilon: float, bounded: bool) -> tuple[Row, Row, Row, Row]:
    """Return the coefficients of unit-scale noises in the sums of 1, z, z^2 and z^3."""
    scales = np.array(get_inverse_weights(bounded)) / epsilon
    rows = np.zeros((4, scales.size))
    if bounded:
        rows[1, 0], rows[2, 1] = scales[:2]
    else:
        rows[:3, :3] = weight_moments.PARABOLA_BASIS * scales[:3]
    rows[3, -1] = scales[-1]
    # z^3 = (t + 3 z) / 4
    rows[3] = (rows[3] + 3.0 * rows[1]) / 4.0
    count_row, linear_row, square_row, cube_row = (tuple(row) for row in rows.tolist())
    return count_row, linear_row, square_row, cube_row


def unscale_cubic_sums(values: Sequence[float], size: int | None, epsilon: float) -> NoisySums:
    """Return the noisy sums of 1, z, z^2 and z^3 that correspond to the released weighted sums."""
    *others, cubic = values
    if size is not None:
        count, linear, square = float(size), *others
    else:
        count, linear, square = (weight_moments.PARABOLA_BASIS @ np.array(others)).tolist()
    *noise, third = make_noise_mixing(epsilon, size is not None)
    row = noise[0], noise[1], noise[2]
    return NoisySums(
        (count, linear, square), row, "laplace", size, cube_sum=CubeSum((cubic + 3.0 * linear) / 4.0, third)
    )


def release_cubic(
    function: str,
    names: Sequence[str],
    found: Sequence[ExactSums],
    options: Options,
    **public: Any,
) -> tuple[DPResults, list[NoisySums]]:
    """Release the sums of disjoint samples with their cubics; return the release and the noisy sums of each."""
    sizes = [sums.count if options.has_public_size else None for sums in found]
    labels = [
        label for name in names for label in (*collect_sum_names((name,), options), f"sum of 4 {name}^3 - 3 {name}")
    ]
    exact = [weighted for sums in found for weighted in apply_cubic_weights(sums, options.has_public_size)]
    nobs = sum(sums.count for sums in found) if options.has_public_size else None
    query = Query.from_exact(
        function, exact, Fraction(1), Labels(function, tuple(labels)), nobs, has_internal_labels=True
    )
    scales = np.array(get_inverse_weights(options.has_public_size) * len(found))
    release = release_weighted_sums(function, query, scales, options, **public)
    values = np.asarray(release.value).reshape(len(found), -1).tolist()
    epsilon = 1.0 / release.noise.scale
    return release, [unscale_cubic_sums(row, size, epsilon) for row, size in zip(values, sizes)]
