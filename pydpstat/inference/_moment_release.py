"""The release behind moments, t tests and regression: noisy sums of 1, z and products of two z.

With z a record's place between -1 (the lower bound) and 1 (the upper one), all sums come from one vector of
noise. What follows from them, at any hypothesis and level, is post-processing.

Of several variables the default noise, for unbounded neighbors, is a cube's: each sum moves by 1 at most. For
bounded ones sums, products and squares have noises of their own (`pydpstat.inference._moment_noise`).
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
from pydpstat._release.additive import Query
from pydpstat._release.options import Options, check_records
from pydpstat._release.statistic import release_statistic
from pydpstat.inference._moment_noise import MomentCube, MomentNoise
from pydpstat.inference._null_distributions.noisy_t import NoisySums, Row
from pydpstat.inference._null_distributions.simulation import NoiseLaw
from pydpstat.mechanisms.cross_products import CrossProductNoise
from pydpstat.mechanisms.cube import Cube, CubeNoise
from pydpstat.mechanisms.gaussian import root_above
from pydpstat.mechanisms.laplace import Laplace
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import PostProcessing, Scaled
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels import partition
from pydpstat.statistics._kernels.group_sums import joint_sums, merged
from pydpstat.statistics._kernels.record_grid import BITS, Sums, standard_grid
from pydpstat.statistics._kernels.records import Part, Records

# a product of two records on the grid is rounded by at most 5/8 of a unit, so it changes by so much more
_ROUNDED, _UNIT = Fraction(5, 4 << BITS), Fraction(1, 1 << BITS)
# what the variance of the squares' noise weighs beside that of sums and products: means come first
_SQUARES = 0.25


class Weights(NamedTuple):
    """What the sums are multiplied with before one noise is added, and how far a record moves the products.

    `number` is 0 where the number of records is public.
    """

    number: Fraction
    first: Fraction
    product: Fraction
    square: Fraction
    reach: Fraction


@lru_cache(maxsize=64)
def weights(variables: int, norm: float, bounded: bool) -> Weights:
    """Return the weights of sums over records of so many variables, for noise that answers to a norm.

    *L1 norm, bounded.* With d variables and c = 2 / (d + 1)^2, sums and products of two variables get c, and
    squares c / 2. Replacing u by w changes the weighted sums by
    ``F = c [sum |du_i| + sum_{i<j} |d(u_i u_j)|] + c/2 sum |d u_i^2|``. With ``x_i = |u_i - w_i| / 2``, for
    which ``|u_i + w_i| / 2 <= 1 - x_i``, X = sum x_i and Q = sum x_i^2:
    ``|d(u_i u_j)| <= 2 x_i (1 - x_j) + 2 x_j (1 - x_i)`` and ``|d u_i^2| <= 4 x_i (1 - x_i)``, so
    ``F <= 2c [X + (d - 1) X - X^2 + Q] + 2c (X - Q) = 2c [(d + 1) X - X^2] <= c (d + 1)^2 / 2 = 1``, which is
    attained.

    *L1 norm, unbounded.* The same, and 1 / (d + 1)^2 for the number of records: a record adds the elements of
    v v' for v = (1, u) over (d + 1)^2, whose sizes add up to at most 1.

    *L2 norm, unbounded.* v v' has the Frobenius norm v'v <= d + 1, and has each product of two different
    elements twice: weights 1 / (d + 1) for the number and the squares, sqrt(2) / (d + 1) for the others.

    *L2 norm, bounded.* The square of the norm of v v' - w w' is ``(v'v)^2 + (w'w)^2 - 2 (v'w)^2``, at most
    2 (d + 1)^2: those weights over sqrt(2). For one variable the sum gets 1 / 2, and the square k = 0.83:
    ``x^2 + 16 k^2 x^2 (1 - x)^2 <= 1`` on [0, 1] as long as k^2 is at most
    ``(1 + x) / (16 x^2 (1 - x))``, whose least value is 0.693.

    *Maximum norm.* All weights are 1. Unbounded, nothing moves by more than 1. Bounded, each part has its
    own unit, in which it moves by 1 (`pydpstat.inference._moment_noise`, with the roundings).

    *Rounding.* Records lie on a grid, and products are rounded to it, by 5/8 of a unit at most. What that
    adds is in `reach`. For one variable in the L1 norm it adds nothing: a square q on the grid lies between
    ``max(0, 2 |z| - 1)`` and 1, which are on the grid, and so ``2 |z - z'| + |q - q'|`` is at most
    ``2 (1 + |z'|) + 1 - max(0, 2 |z'| - 1) <= 4``.
    """
    side, pairs = variables + 1, variables * (variables - 1) // 2
    if norm == math.inf:
        one = Fraction(1)
        return Weights(Fraction(0) if bounded else one, one, one, one, one + (4 * _UNIT if bounded else 0))
    if norm == 1:
        count, each = Fraction(1, side * side), Fraction(2, side * side)
        square = each / 2
        more = (pairs * each + variables * square) * _ROUNDED
        if bounded:
            return Weights(Fraction(0), each, each, square, Fraction(1) + (more if variables > 1 else 0))
        return Weights(count, each, each, square, Fraction(1) + more)
    root = Fraction(root_above(2))
    if not bounded:
        many, one = 2 / root / side, Fraction(1, side)
    elif variables == 1:
        many, one = Fraction(1, 2), Fraction(83, 100)
    else:
        many, one = Fraction(1, side), 1 / root / side
    more = (pairs * many + variables * one) * _ROUNDED
    return Weights(Fraction(0) if bounded else one, many, many, one, Fraction(1) + more)


def places(variables: int) -> list[tuple[int, int]]:
    """Return the pairs of variables whose products are released, squares last."""
    return [*combinations(range(variables), 2), *((i, i) for i in range(variables))]


def for_variables(how: Options, variables: int) -> Options:
    """Return the options with the noise of so many variables' sums, where it is the default or a cube's.

    Of one variable that is Laplace noise.
    """
    if not (how.default or how.norm == math.inf):
        return how
    if variables == 1:
        return how._replace(mechanism=Laplace())
    return how._replace(mechanism=MomentCube(variables, (), _SQUARES) if how.bounded else Cube())


class Moments(NamedTuple):
    """What was released: a matrix of noisy sums of products of (1, z1, ..., zd), and each variable's sums."""

    release: DPResults
    matrix: np.ndarray
    noise_sd: np.ndarray
    sums: tuple[NoisySums, ...]


def tallied(records: Records, pairs: Bounds, how: Options, statistic: str, argument: str) -> tuple[Sums, int]:
    """Return the exact sums over all records, and how many there are."""
    grids = [standard_grid(*pair) for pair in pairs]
    tally = partial(
        joint_sums, grids=grids, missing=how.missing, pairs=places(len(pairs)), groups=records.group_number
    )
    return fold_sums(records, tally, how, statistic, argument)


def fold_sums(
    records: Records, tally: Callable[[Part], tuple[Sums, ...]], how: Options, statistic: str, argument: str
) -> tuple[Sums, int]:
    """Return the sums that a tally makes of the parts of all records, and how many records there are."""
    (found,), size = records.numbered(
        lambda: records.fold(tally, merged),
        lambda found: found[0].count,
        partial(check_records, how, least=1, statistic=statistic, argument=argument),
    )
    return found, size or 0


def weighted(found: Sums, variables: int, how: Options) -> tuple[list[Fraction], list[Fraction]]:
    """Return exact weighted sums, and the factors that take the weights off again."""
    if variables == 1 and not how.bounded:
        return partition.weight_sums(found, partition.PARABOLA_WEIGHTS), [Fraction(1)] * 3
    by = weights(variables, how.norm, how.bounded)
    used = [by.first] * variables
    used += [by.square if i == j else by.product for i, j in places(variables)]
    exact = [
        weight * Fraction(total, 1 << BITS) for weight, total in zip(used, (*found.first, *found.products))
    ]
    if by.number:
        exact, used = [by.number * found.count, *exact], [by.number, *used]
    return exact, [1 / weight for weight in used]


def reach(variables: int, how: Options) -> Fraction:
    """Return how far a neighbor moves the weighted sums, in the noise's norm."""
    if variables == 1 and not how.bounded:
        return Fraction(1)
    return weights(variables, how.norm, how.bounded).reach


def release_sums(
    function: str,
    names: Sequence[str],
    blocks: Sequence[tuple[Sums, int, int]],
    how: Options,
    *,
    data: tuple[str, ...],
    arguments: tuple[tuple[str, object], ...],
    bounds: tuple[object, ...],
    conditions: tuple[str, ...] = (),
) -> tuple[DPResults, list[Moments]]:
    """Release the sums of one sample or of several disjoint ones; a block has its sums, size and variables.

    A record is in one block, and moves its sums alone: the sensitivity is that of one block.
    """
    exact: list[Fraction] = []
    factors: list[Fraction] = []
    for found, _, variables in blocks:
        part, factor = weighted(found, variables, how)
        exact, factors = exact + part, factors + factor
    most = max(reach(variables, how) for _, _, variables in blocks)
    nobs = sum(size for _, size, _ in blocks) if how.bounded else None
    query = Query.of(function, exact, most, Labels(function, tuple(names)), nobs, inner=True)
    public = {"data": data, "arguments": arguments, "bounds": bounds, "conditions": conditions}
    release = release_weighted(function, query, np.array([float(each) for each in factors]), how, **public)
    # a cube's noise has its standard deviations in the place of its scales
    spread = release.noise_scale if how.norm != math.inf else release.noise.std() * np.ones(len(exact))
    made, start = [], 0
    for _, size, variables in blocks:
        count = (variables + 1) * (variables + 2) // 2 - how.bounded
        piece = slice(start, start + count)
        start += count
        values, scale = release.value[piece], np.asarray(spread)[piece]
        made.append(_moments(release, values, scale, size if how.bounded else None, variables, how))
    return release, made


def release_weighted(
    function: str, query: Query, scales: np.ndarray, how: Options, **public: Any
) -> DPResults:
    """Release weighted sums, and take their weights off again; `public` is for the release."""

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        return noisy * scales, Scaled(tuple(scales.tolist()), ("sums of places between the bounds",))

    release = release_statistic(function, query, how, publish=publish, **public)
    return replace(release, noise_scale=scales * np.asarray(release.noise_scale))


def sum_names(variables: Sequence[str], how: Options) -> list[str]:
    """Return the names of what is released for these variables."""
    if len(variables) == 1 and not how.bounded:
        return [f"{variables[0]}: {part}" for part in ("lower", "middle", "upper")]
    names = [f"sum of {name}" for name in variables]
    for i, j in places(len(variables)):
        names.append(f"sum of {variables[i]}^2" if i == j else f"sum of {variables[i]} {variables[j]}")
    return names if how.bounded else ["number", *names]


def _moments(
    release: DPResults, values: np.ndarray, scale: np.ndarray, size: int | None, variables: int, how: Options
) -> Moments:
    law = noise_law(release.noise) if how.norm == math.inf else "laplace" if how.norm == 1 else "normal"
    unit = math.sqrt(2.0) if law == "laplace" else 1.0
    side = variables + 1
    matrix, deviations = np.zeros((side, side)), np.zeros((side, side))
    if variables == 1 and not how.bounded:
        only = unsized_sums(values, float(scale[0]), law)
        sums = only.sums
        matrix[:] = [[sums[0], sums[1]], [sums[1], sums[2]]]
        sd = unit * np.sqrt(np.square(partition.PARABOLA).sum(axis=1)) * scale[0]
        deviations[:] = [[sd[0], sd[1]], [sd[1], sd[2]]]
        return Moments(release, matrix, deviations, (only,))
    scales = np.zeros((side, side))
    if size is not None:
        values, scale = np.concatenate([[size], values]), np.concatenate([[0.0], scale])
    ends = [(0, 0), *[(0, i + 1) for i in range(variables)]]
    ends += [(i + 1, j + 1) for i, j in places(variables)]
    for (i, j), value, each in zip(ends, values.tolist(), scale.tolist()):
        matrix[i, j] = matrix[j, i] = value
        scales[i, j] = scales[j, i] = each
    known = tuple(
        NoisySums(
            (float(matrix[0, 0]), float(matrix[0, i]), float(matrix[i, i])),
            diagonal(float(scales[0, 0]), float(scales[0, i]), float(scales[i, i])),
            law,
            size,
        )
        for i in range(1, side)
    )
    return Moments(release, matrix, unit * scales, known)


def noise_law(noise: CubeNoise | MomentNoise) -> NoiseLaw:
    """Return the distribution of the noises of one variable's sums, with the variance 1."""
    if isinstance(noise, CubeNoise):
        return CubeNoise(1.0 / CubeNoise(1.0, noise.columns).std(), noise.columns)
    sums, squares = noise.noises
    return (
        CrossProductNoise(1.0 / CrossProductNoise(1.0, sums.places).std(), sums.places),
        CubeNoise(1.0 / CubeNoise(1.0, squares.columns).std(), squares.columns),
    )


def unsized_sums(weights: np.ndarray, scale: float, law: NoiseLaw) -> NoisySums:
    """Return the sums of 1, z and z^2 that those of three weights with noise of one scale are."""
    mix = partition.PARABOLA
    sums = (mix @ weights).tolist()
    # the weights' noise is one for all three sums
    noise = tuple(tuple(row) for row in (mix * scale).tolist())
    return NoisySums((sums[0], sums[1], sums[2]), (noise[0], noise[1], noise[2]), law, None)


def diagonal(count: float, first: float, second: float) -> tuple[Row, Row, Row]:
    """Return how independent noises are mixed; that of a public number is left out."""
    if count == 0.0:
        return (0.0, 0.0), (first, 0.0), (0.0, second)
    return (count, 0.0, 0.0), (0.0, first, 0.0), (0.0, 0.0, second)


def mean_of(known: NoisySums) -> float:
    """Return the mean of the z, which is 0 where the noisy number of records is at most 1."""
    size, first, _ = known.sums
    if known.size is None and size <= 1.0:
        return 0.0
    return min(max(first / size, -1.0), 1.0)


def variance_of(known: NoisySums) -> float:
    """Return the variance of the z, less what the noise adds, within its range."""
    size, first, second = known.sums
    if size <= 1.0:
        return 0.0
    spread = known.unit_variance * float(np.square(known.noise[1]).sum())
    value = (second - (first * first - spread) / size) / (size - 1.0)
    return min(max(value, 0.0), size / (size - 1.0))
