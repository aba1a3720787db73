"""Release behind moments, t tests and regression: noisy sums of 1, z and products of two z.

With z a record standardized to -1 (the lower bound) to 1 (the upper one), all sums come from one noisy
vector. Everything computed from them, for any hypothesis and level, is post-processing.

For several variables and unbounded neighbors, the default is maximum-norm noise: each sum changes by 1 at most.
For bounded neighbors, sums, products and squares have separate noise (`pydpstat._records.moment_noise`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from pydpstat._data.columns import Bounds
from pydpstat._null_distributions import weight_moments
from pydpstat._null_distributions.means.noisy_t import NoisySums, Row
from pydpstat._null_distributions.simulation import NoiseFamily
from pydpstat._records import partition
from pydpstat._records.group_sums import merge_sums, sum_columns_jointly
from pydpstat._records.moment_noise import MomentCube, MomentNoise
from pydpstat._records.record_grid import GRID_BITS, ExactSums, make_standard_grid
from pydpstat._records.records import RecordChunk, Records
from pydpstat._release.options import Options, check_min_records
from pydpstat._release.pipeline import Query
from pydpstat._release.statistic import release_statistic
from pydpstat.mechanisms.cross_products import CrossProductNoise
from pydpstat.mechanisms.cube import Cube, CubeNoise
from pydpstat.mechanisms.gaussian import compute_root_above
from pydpstat.mechanisms.laplace import Laplace
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import PostProcessing, ScaledValue
from pydpstat.results.results import DPResults

# a product of two records on the grid is rounded by at most 5/8 of a unit, so it changes by twice as much more
_PRODUCT_ROUNDING, _GRID_UNIT = Fraction(5, 4 << GRID_BITS), Fraction(1, 1 << GRID_BITS)
# weight of the squares' noise variance relative to that of sums and products: means have priority
_SQUARES_WEIGHT = 0.25


class SumWeights(NamedTuple):
    """Weights by which sums are multiplied before noise is added, and the sensitivity of the weighted sums.

    `size` is 0 if the number of records is public.
    """

    size: Fraction
    first: Fraction
    product: Fraction
    square: Fraction
    sensitivity: Fraction


@lru_cache(maxsize=64)
def choose_weights(variables: int, norm: float, bounded: bool) -> SumWeights:
    """Return the weights of sums of `variables` variables, for noise calibrated in the norm `norm`.

    *L1 norm, bounded.* With d variables and c = 2 / (d + 1)^2, sums and products of two variables get c, and
    squares c / 2. Replacing u by w changes the weighted sums by
    ``F = c [sum |du_i| + sum_{i<j} |d(u_i u_j)|] + c/2 sum |d u_i^2|``. With ``x_i = |u_i - w_i| / 2``, for
    which ``|u_i + w_i| / 2 <= 1 - x_i``, X = sum x_i and Q = sum x_i^2:
    ``|d(u_i u_j)| <= 2 x_i (1 - x_j) + 2 x_j (1 - x_i)`` and ``|d u_i^2| <= 4 x_i (1 - x_i)``, so
    ``F <= 2c [X + (d - 1) X - X^2 + Q] + 2c (X - Q) = 2c [(d + 1) X - X^2] <= c (d + 1)^2 / 2 = 1``, which is
    attained.

    *L1 norm, unbounded.* The same, and 1 / (d + 1)^2 for the number of records: a record adds the elements of
    v v' for v = (1, u) over (d + 1)^2, whose absolute values add up to at most 1.

    *L2 norm, unbounded.* v v' has the Frobenius norm v'v <= d + 1, and contains each product of two different
    elements twice: weights 1 / (d + 1) for the number and the squares, sqrt(2) / (d + 1) for the others.

    *L2 norm, bounded.* The square of the norm of v v' - w w' is ``(v'v)^2 + (w'w)^2 - 2 (v'w)^2``, at most
    2 (d + 1)^2: those weights over sqrt(2). For one variable the sum gets 1 / 2, and the square k = 0.83:
    ``x^2 + 16 k^2 x^2 (1 - x)^2 <= 1`` on [0, 1] as long as k^2 is at most
    ``(1 + x) / (16 x^2 (1 - x))``, whose minimum is 0.693.

    *Maximum norm.* All weights are 1. Unbounded, no sum changes by more than 1. Bounded, each part has a
    separate unit, in which it changes by 1 (`pydpstat._records.moment_noise`, with the roundings).

    *Rounding.* Records lie on a grid, and products are rounded to it, by 5/8 of a unit at most. The
    increase is included in `sensitivity`. For one variable in the L1 norm there is none: a square q on the grid
    lies between ``max(0, 2 |z| - 1)`` and 1, which are on the grid, and so ``2 |z - z'| + |q - q'|`` is at most
    ``2 (1 + |z'|) + 1 - max(0, 2 |z'| - 1) <= 4``.
    """
    side, pairs = variables + 1, variables * (variables - 1) // 2
    if norm == math.inf:
        weight = Fraction(1)
        return SumWeights(
            Fraction(0) if bounded else weight,
            weight,
            weight,
            weight,
            weight + (4 * _GRID_UNIT if bounded else 0),
        )
    if norm == 1:
        count, each = Fraction(1, side * side), Fraction(2, side * side)
        square = each / 2
        more = (pairs * each + variables * square) * _PRODUCT_ROUNDING
        if bounded:
            return SumWeights(Fraction(0), each, each, square, Fraction(1) + (more if variables > 1 else 0))
        return SumWeights(count, each, each, square, Fraction(1) + more)
    root = Fraction(compute_root_above(2))
    if not bounded:
        many, weight = 2 / root / side, Fraction(1, side)
    elif variables == 1:
        many, weight = Fraction(1, 2), Fraction(83, 100)
    else:
        many, weight = Fraction(1, side), 1 / root / side
    more = (pairs * many + variables * weight) * _PRODUCT_ROUNDING
    return SumWeights(Fraction(0) if bounded else weight, many, many, weight, Fraction(1) + more)


def collect_product_pairs(variables: int) -> list[tuple[int, int]]:
    """Return the pairs of variables whose products are released, squares last."""
    return [*combinations(range(variables), 2), *((i, i) for i in range(variables))]


def choose_moment_mechanism(options: Options, variables: int) -> Options:
    """Return the options with the mechanism for sums of `variables` variables, if it is the default or in maximum norm.

    For one variable it is the Laplace mechanism.
    """
    if not (options.is_default_mechanism or options.norm == math.inf):
        return options
    if variables == 1:
        return options._replace(mechanism=Laplace())
    return options._replace(mechanism=MomentCube(variables, (), _SQUARES_WEIGHT) if options.has_public_size else Cube())


class NoisyMomentMatrix(NamedTuple):
    """Release with its matrix of noisy sums of products of (1, z1, ..., zd), and the noisy sums of each variable."""

    release: DPResults
    matrix: np.ndarray
    noise_sd: np.ndarray
    sums: tuple[NoisySums, ...]


def sum_moments(
    records: Records, pairs: Bounds, options: Options, statistic: str, argument: str
) -> tuple[ExactSums, int]:
    """Return the exact sums over all records, and the number of records, 0 if it is private."""
    grids = [make_standard_grid(*pair) for pair in pairs]
    tally = partial(
        sum_columns_jointly,
        grids=grids,
        missing=options.missing,
        pairs=collect_product_pairs(len(pairs)),
        groups=records.n_groups,
    )
    return sum_over_records(records, tally, options, statistic, argument)


def sum_over_records(
    records: Records,
    sum_part: Callable[[RecordChunk], tuple[ExactSums, ...]],
    options: Options,
    statistic: str,
    argument: str,
) -> tuple[ExactSums, int]:
    """Return the sums of all records, computed by `sum_part` for each part, and the number of records."""
    (sums,), size = records.sum_with_size(
        lambda: records.fold(sum_part, merge_sums),
        lambda found: found[0].count,
        partial(check_min_records, options, min_records=1, statistic=statistic, argument=argument),
    )
    return sums, size or 0


def apply_weights(found: ExactSums, variables: int, options: Options) -> tuple[list[Fraction], list[Fraction]]:
    """Return exact weighted sums, and the factors that remove the weights."""
    if variables == 1 and not options.has_public_size:
        return partition.compute_weight_sums(found, partition.PARABOLA_WEIGHTS), [Fraction(1)] * 3
    by = choose_weights(variables, options.norm, options.has_public_size)
    used = [by.first] * variables
    used += [by.square if i == j else by.product for i, j in collect_product_pairs(variables)]
    exact = [weight * Fraction(total, 1 << GRID_BITS) for weight, total in zip(used, (*found.first, *found.products))]
    if by.size:
        exact, used = [by.size * found.count, *exact], [by.size, *used]
    return exact, [1 / weight for weight in used]


def compute_moment_sensitivity(variables: int, options: Options) -> Fraction:
    """Compute the sensitivity of the weighted sums in the noise's norm."""
    if variables == 1 and not options.has_public_size:
        return Fraction(1)
    return choose_weights(variables, options.norm, options.has_public_size).sensitivity


def release_sums(
    function: str,
    names: Sequence[str],
    blocks: Sequence[tuple[ExactSums, int, int]],
    options: Options,
    *,
    data_names: tuple[str, ...],
    public_arguments: tuple[tuple[str, object], ...],
    bounds: tuple[object, ...],
    conditions: tuple[str, ...] = (),
) -> tuple[DPResults, list[NoisyMomentMatrix]]:
    """Release the sums of one sample or of several disjoint ones; a block has its sums, size and number of variables.

    A record is in one block and changes the sums of that block only: the sensitivity is the largest of the blocks.
    """
    exact: list[Fraction] = []
    factors: list[Fraction] = []
    for sums, _, variables in blocks:
        block_sums, factor = apply_weights(sums, variables, options)
        exact, factors = exact + block_sums, factors + factor
    sensitivity = max(compute_moment_sensitivity(variables, options) for _, _, variables in blocks)
    nobs = sum(size for _, size, _ in blocks) if options.has_public_size else None
    query = Query.from_exact(
        function, exact, sensitivity, Labels(function, tuple(names)), nobs, has_internal_labels=True
    )
    public = {"data_names": data_names, "public_arguments": public_arguments, "bounds": bounds}
    public |= {"conditions": conditions}
    release = release_weighted_sums(
        function, query, np.array([float(exact_factor) for exact_factor in factors]), options, **public
    )
    # maximum-norm noise is described by standard deviations instead of scales
    spread = release.noise_scale if options.norm != math.inf else release.noise.std() * np.ones(len(exact))
    matrices, start = [], 0
    for _, size, variables in blocks:
        count = (variables + 1) * (variables + 2) // 2 - options.has_public_size
        piece = slice(start, start + count)
        start += count
        values, scale = release.value[piece], np.asarray(spread)[piece]
        matrices.append(
            _make_moment_matrix(release, values, scale, size if options.has_public_size else None, variables, options)
        )
    return release, matrices


def release_weighted_sums(
    function: str, query: Query, scales: np.ndarray, options: Options, **public: Any
) -> DPResults:
    """Release weighted sums and remove their weights; `public` is passed to the release."""

    def remove_weights(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        return noisy * scales, ScaledValue(tuple(scales.tolist()), ("sums of places between the bounds",))

    release = release_statistic(function, query, options, postprocess=remove_weights, **public)
    return replace(release, noise_scale=scales * np.asarray(release.noise_scale))


def collect_sum_names(variables: Sequence[str], options: Options) -> list[str]:
    """Return the names of the released sums of `variables`."""
    if len(variables) == 1 and not options.has_public_size:
        return [f"{variables[0]}: {weight_name}" for weight_name in ("lower", "middle", "upper")]
    names = [f"sum of {name}" for name in variables]
    for i, j in collect_product_pairs(len(variables)):
        names.append(f"sum of {variables[i]}^2" if i == j else f"sum of {variables[i]} {variables[j]}")
    return names if options.has_public_size else ["number", *names]


def _make_moment_matrix(
    release: DPResults,
    values: np.ndarray,
    scale: np.ndarray,
    size: int | None,
    variables: int,
    options: Options,
) -> NoisyMomentMatrix:
    noise_family = (
        make_unit_noise_family(release.noise)
        if options.norm == math.inf
        else "laplace"
        if options.norm == 1
        else "normal"
    )
    unit = math.sqrt(2.0) if noise_family == "laplace" else 1.0
    side = variables + 1
    matrix, deviations = np.zeros((side, side)), np.zeros((side, side))
    if variables == 1 and not options.has_public_size:
        only = make_private_size_sums(values, float(scale[0]), noise_family)
        sums = only.sums
        matrix[:] = [[sums[0], sums[1]], [sums[1], sums[2]]]
        sd = unit * np.sqrt(np.square(weight_moments.PARABOLA_BASIS).sum(axis=1)) * scale[0]
        deviations[:] = [[sd[0], sd[1]], [sd[1], sd[2]]]
        return NoisyMomentMatrix(release, matrix, deviations, (only,))
    scales = np.zeros((side, side))
    if size is not None:
        values, scale = np.concatenate([[size], values]), np.concatenate([[0.0], scale])
    index_pairs = [(0, 0), *[(0, i + 1) for i in range(variables)]]
    index_pairs += [(i + 1, j + 1) for i, j in collect_product_pairs(variables)]
    for (i, j), value, entry_scale in zip(index_pairs, values.tolist(), scale.tolist()):
        matrix[i, j] = matrix[j, i] = value
        scales[i, j] = scales[j, i] = entry_scale
    noisy_sums = tuple(
        NoisySums(
            (float(matrix[0, 0]), float(matrix[0, i]), float(matrix[i, i])),
            make_independent_mixing(float(scales[0, 0]), float(scales[0, i]), float(scales[i, i])),
            noise_family,
            size,
        )
        for i in range(1, side)
    )
    return NoisyMomentMatrix(release, matrix, unit * scales, noisy_sums)


def make_unit_noise_family(noise: CubeNoise | MomentNoise) -> NoiseFamily:
    """Return the distribution of the noise of one variable's sums, scaled to variance 1."""
    if isinstance(noise, CubeNoise):
        return CubeNoise(1.0 / CubeNoise(1.0, noise.columns).std(), noise.columns)
    sums, squares = noise.noises
    return (
        CrossProductNoise(1.0 / CrossProductNoise(1.0, sums.places).std(), sums.places),
        CubeNoise(1.0 / CubeNoise(1.0, squares.columns).std(), squares.columns),
    )


def make_private_size_sums(weights: np.ndarray, scale: float, noise_family: NoiseFamily) -> NoisySums:
    """Return the noisy sums of 1, z and z^2 computed from three noisy weights with equal noise scales."""
    mix = weight_moments.PARABOLA_BASIS
    sums = (mix @ weights).tolist()
    # the three sums share the noise of the weights
    noise = tuple(tuple(row) for row in (mix * scale).tolist())
    return NoisySums((sums[0], sums[1], sums[2]), (noise[0], noise[1], noise[2]), noise_family, None)


def make_independent_mixing(count: float, first: float, second: float) -> tuple[Row, Row, Row]:
    """Return the mixing matrix of independent noises; a public number has none."""
    if count == 0.0:
        return (0.0, 0.0), (first, 0.0), (0.0, second)
    return (count, 0.0, 0.0), (0.0, first, 0.0), (0.0, 0.0, second)


def estimate_standardized_mean(noisy: NoisySums) -> float:
    """Return the mean of z within [-1, 1]; 0 if the noisy number of records is at most 1."""
    size, total, _ = noisy.sums
    if noisy.size is None and size <= 1.0:
        return 0.0
    return min(max(total / size, -1.0), 1.0)


def estimate_standardized_variance(noisy: NoisySums) -> float:
    """Return the variance of z without the part due to noise, within its range."""
    size, total, square_total = noisy.sums
    if size <= 1.0:
        return 0.0
    spread = noisy.unit_variance * float(np.square(noisy.noise[1]).sum())
    value = (square_total - (total * total - spread) / size) / (size - 1.0)
    return min(max(value, 0.0), size / (size - 1.0))


class MomentEstimates(NamedTuple):
    """Noisy sums of a variable in a group, and its mean and variance with their slopes in the noisy numbers."""

    sums: NoisySums
    mean: float
    variance: float
    mean_slope: float
    variance_slope: float


def estimate_public_size_moments(
    row: Floats, sum_weights: SumWeights, scale: float, noise_family: str, size: int
) -> MomentEstimates:
    """Return the estimates from two weighted sums if the number of records is public."""
    factors = 1.0 / float(sum_weights.first), 1.0 / float(sum_weights.square)
    total, square_total = factors[0] * float(row[0]), factors[1] * float(row[1])
    noise = make_independent_mixing(0.0, factors[0] * scale, factors[1] * scale)
    noisy_sums = NoisySums((float(size), total, square_total), noise, noise_family, size)
    mean, below = total / size, max(size - 1, 1)
    # the noise of the sum inflates its square
    spread = noisy_sums.unit_variance * (factors[0] * scale) ** 2
    variance = (square_total - (total * total - spread) / size) / below
    slope = math.hypot(2.0 * mean * factors[0], factors[1]) / below
    return MomentEstimates(noisy_sums, mean, variance, factors[0] / size, slope)


def estimate_private_size_moments(row: Floats, scale: float, noise_family: str) -> MomentEstimates:
    """Return the estimates from three sums of weights if the number of records is private."""
    noisy_sums = make_private_size_sums(row, scale, noise_family)
    at = weight_moments.compute_moments(row, weight_moments.PARABOLA_BASIS)
    variance, gradient = weight_moments.compute_covariance(at, 1, 1, 2)
    return MomentEstimates(
        noisy_sums,
        float(at.means[1]),
        float(variance),
        float(weight_moments.compute_row_norms(at.gradients[1])),
        float(weight_moments.compute_row_norms(gradient)),
    )
