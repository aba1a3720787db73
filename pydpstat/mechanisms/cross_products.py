"""Noise for sums and cross products of numbers in [-1, 1], calibrated to the joint change by one record."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._frozen import freeze_array
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms._noise import (
    SOBOL_SEED,
    Floats,
    check_positive_values,
    compute_gamma_radii,
    draw_sobol_points,
    match_quantiles,
    solve_quantiles,
    to_scalar,
)
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.random.secure.discrete import as_floats, collect_accepted, draw_each_below, draw_radii, draw_signs

if TYPE_CHECKING:
    from pydpstat.random import Source

# largest numbers of places with all inequalities, and with those of triangles; above them the cube is used
MAX_CYCLE_PLACES, MAX_TRIANGLE_PLACES = 8, 11
# by places: mean square of an element of a uniform point, and the body's share of the cube (simulated, errors < 1 %)
_BODY_MOMENTS = {
    3: (0.28, 5.0 / 6.0),
    4: (0.2157, 0.3387),
    5: (0.1767, 0.0663),
    6: (0.1532, 6.59e-3),
    7: (0.1378, 3.4e-4),
    8: (0.1272, 9.5e-6),
    9: (0.2033, 1.18e-3),
    10: (0.1982, 1.4e-4),
    11: (0.1938, 1.3e-5),
}
# the same for an added record: mean square of the number of records, of the other elements, and the share
_ADDED_BODY_MOMENTS = {
    2: (1.0 / 3.0, 1.0 / 3.0, 1.0),
    3: (4.0 / 15.0, 4.0 / 15.0, 2.0 / 3.0),
    4: (0.2063, 0.2063, 0.222),
    5: (0.1637, 0.1702, 0.0384),
    6: (0.133, 0.1486, 3.5e-3),
    7: (0.113, 0.1347, 1.7e-4),
    8: (0.099, 0.1252, 5e-6),
}
_HINT = "Use 2 / epsilon for numbers in [-1, 1]."
# Gibbs sweeps before the first point, and between points
_BURN_IN_SWEEPS, _THINNING_SWEEPS = 40, 2
# number of simulated points of the body, and of quantiles of an element's distribution
_N_POINTS, _N_QUANTILES = 2048, 512
_Points = np.ndarray
_PointSampler = Callable[[npt.NDArray[np.intp], int], tuple[_Points, npt.NDArray[np.bool_]]]
_ElementGroups = list[list[int]]
_Constraint = Callable[[_Points, _Points], npt.NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class CrossProductNoise(Noise):
    """Noise for the pairwise products of several numbers.

    One of the numbers may be the constant 1.

    Parameters
    ----------
    scale : float
        Above 0 and finite: 2 / epsilon for numbers in [-1, 1], whose products change by at most 2.
    places : int
        Number of numbers, including the constant; at least 2. The elements are the products of
        (0, 1), (0, 2), ..., in the order of `itertools.combinations`; with a constant the first ones are
        the numbers themselves.
    added : bool, default False
        Whether a record is added or removed instead of replaced. The first number is then the constant, and
        the number of records precedes the products. The scale is 1 / epsilon.

    Raises
    ------
    PydpstatError
        If a parameter is not allowed.

    See Also
    --------
    CubeNoise : noise for numbers that are not products.

    Notes
    -----
    The density is proportional to ``exp(-|x| / scale)``, with the norm of a body K that contains half of every
    possible change. *The changes.* If a record u replaces w, the product (i, j) changes by
    ``a_i b_j + a_j b_i`` with ``a = (u + w) / 2`` and ``b = u - w``, where ``|a_i| + |b_i| / 2 <= 1``. This
    is linear in each pair ``(a_i, b_i)``, so a linear function of the changes attains its maximum where every
    pair is at a vertex: ``a_i = 1`` or -1 and b_i = 0 (number i is unchanged), or a_i = 0 and ``b_i = 2`` or
    -2 (number i changes its sign). Then the product of a number that changes its sign and an unchanged one
    changes by 2 or -2, and other products do not change. The constant is unchanged. Divided by 2:

    - no element exceeds 1 in absolute value;
    - of a triangle (i, j), (j, k), (i, k) none or two change: the absolute values add up to at most 2;
    - of a cycle of four products none, two or four change. If all four do, every second number changes its
      sign, and the sign of each of the four numbers occurs in two of the products: the product of the four
      elements is 1. So the elements, multiplied by signs of which an odd number are negative, add up to at
      most 2: at least one of the four differs from its sign.

    K is defined by these inequalities. They are invariant to the sign of a number and to permutations of the
    numbers, so that the elements are identically distributed and uncorrelated. For one or two numbers and the
    constant K is the convex hull of the halved changes. From 9 numbers on the inequalities of cycles are
    omitted, from 12 on those of triangles, because too few draws would be accepted.

    *A record that is added* changes the number of records by c = 1, one that is removed by c = -1, and the
    products by ``c v_i v_j``. This is linear in each v_i, with the vertices 1 and -1. There the product of
    four elements of a cycle is 1, and so is that of c and the three elements of a triangle. So the elements
    of both, multiplied by signs of which an odd number are negative, add up to at most 2. These inequalities
    and those of the cube define the body; for one or two numbers and the constant it is the convex hull of
    the changes. From 9 numbers on it is the cube.

    A release rounds each product to its grid, which adds less than one unit to the change. K contains the cube
    of half the size, so that the norm increases by less than two units, and by half a unit for the rounding of
    the norm itself.

    References
    ----------
    Hardt, M. and Talwar, K. (2010). On the geometry of differential privacy. STOC 2010.
    Awan, J. and Slavkovic, A. (2021). Structure and sensitivity in differential privacy: comparing K-norm
    mechanisms. Journal of the American Statistical Association 116, 935-954.

    Examples
    --------
    >>> noise = CrossProductNoise(2.0, 5)
    >>> round(noise.std(), 1), noise.rvs((3, 10)).shape
    (9.7, (3, 10))
    """

    scale: float
    places: int
    added: bool = False
    name: ClassVar[str] = "linf"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", check_positive_values(self.scale, "scale", _HINT))
        object.__setattr__(self, "places", checks.check_integer(self.places, "places", 2))
        object.__setattr__(self, "added", checks.check_boolean(self.added, "added"))

    @property
    def width(self) -> int:
        """Number of elements."""
        return self.places * (self.places - 1) // 2 + self.added

    def std(self) -> Any:
        """Return the standard deviation of each element: one for all, or an array if a record is added."""
        several = (self.width + 1) * (self.width + 2)
        if not self.added:
            return self.scale * math.sqrt(several * _BODY_MOMENTS.get(self.places, (1.0 / 3.0, 1.0))[0])
        number, product, _ = _ADDED_BODY_MOMENTS.get(self.places, (1.0 / 3.0, 1.0 / 3.0, 1.0))
        return self.scale * np.sqrt(several * np.append(number, np.full(self.width - 1, product)))

    def cdf(self, x: npt.ArrayLike) -> float | Floats:
        """Return the probability that one element is at most `x`, from simulated points of the body."""
        values = np.asarray(x, dtype=np.float64)
        tail = 0.5 * self._compute_tail(np.abs(values) / self.scale)
        return to_scalar(np.where(values < 0.0, tail, 1.0 - tail))

    def ppf(self, q: npt.ArrayLike) -> float | Floats:
        """Return the quantile of one element for the probability `q`, from simulated points; NaN outside [0, 1]."""
        return to_scalar(self.scale * solve_quantiles(self._compute_tail, q, 2.0 * self.width + 60.0))

    def _compute_tail(self, z: Floats) -> Floats:
        """Return the probability that the absolute value of an element exceeds z scales."""
        return _compute_element_tail(self.width, _simulate_size_quantiles(self.places, self.added), z)

    def norm(self, x: npt.ArrayLike) -> Floats:
        """Return the norm of vectors along the last axis, in scales."""
        order = np.argsort(_get_product_order(self.places, self.added))
        rows = np.asarray(x, dtype=np.float64)[..., order] / self.scale
        sizes = np.abs(rows)
        norms = [sizes.max(axis=-1)]
        if MAX_TRIANGLE_PLACES >= self.places > 2 and not self.added:
            norms.append(0.5 * sizes[..., _get_triangles(self.places)].sum(axis=-1).max(axis=-1))
        if MAX_CYCLE_PLACES >= self.places > 3 - self.added:
            four = _get_cycles(self.places, self.added)
            odd = np.count_nonzero(rows[..., four] < 0.0, axis=-1) % 2 == 1
            twice_smallest = np.where(odd, 0.0, 2.0 * sizes[..., four].min(axis=-1))
            norms.append(0.5 * (sizes[..., four].sum(axis=-1) - twice_smallest).max(axis=-1))
        return np.max(norms, axis=0)

    def draw(self, source: Source, size: int, grid: float | None) -> npt.NDArray[np.generic]:
        """Draw noise for vectors with `size` elements in total: on the grid, or as real numbers."""
        count, n_left = divmod(size, self.width)
        if n_left:
            raise PydpstatError(f"size must be a multiple of {self.width}; got {size}. Draw whole vectors.")
        rate = None if grid is None else Fraction(grid) / Fraction(self.scale)

        def draw_candidates(tries: int) -> _Points:
            if rate is None:
                radius = np.array([source.gamma(self.width + 1, 1.0) for _ in range(tries)])
                sampler = _make_uniform_sampler(source, radius)
                return self.scale * _build_points(radius, self.places, self.added, sampler)
            radius = draw_radii(tries, rate, self.width, 1)
            return _build_points(radius, self.places, self.added, _make_integer_sampler(radius))

        measured: Mapping[int, tuple[float, ...]] = _ADDED_BODY_MOMENTS if self.added else _BODY_MOMENTS
        rows = collect_accepted(count, self.width, draw_candidates, measured.get(self.places, (1.0,))[-1])
        return (rows if rate is None else as_floats(rows)).ravel()

    def sample(self, count: int) -> Floats:
        """Return vectors of the distribution for simulations, of shape (count, elements).

        They are the same in every call and must not be used as noise.
        """
        return self.scale * _sample_product_noise(count, self.places, self.added)


def _build_points(radius: _Points, places: int, added: bool, draw: _PointSampler) -> _Points:
    """Return points of the body times a radius, built place by place so that rejected points are dropped early.

    `draw` draws elements of the cube for the remaining rows, and a mask of those that are accepted.
    """
    unfilled = np.arange(radius.size)
    rows: _Points = np.empty((radius.size, 0))
    # the number of records is the first element
    for last in range(0 if added else 1, places):
        columns, stands = draw(unfilled, max(last, 1))
        rows = np.concatenate([rows, columns], axis=1) if rows.shape[1] else columns
        for test in _collect_constraints(places, last, added):
            rows, unfilled = rows[stands], unfilled[stands]
            stands = test(rows, 2 * radius[unfilled])
        rows, unfilled = rows[stands], unfilled[stands]
    return rows[:, _get_product_order(places, added)]


def _collect_constraints(places: int, last: int, added: bool) -> list[_Constraint]:
    """Return the inequalities between a place and those before it, triangles first."""
    pairs = list(combinations(range(last), 2))
    constraints: list[_Constraint] = []
    at = partial(_get_product_index, first=int(added))
    groups = [(at(i, last), at(j, last), at(i, j)) for i, j in pairs]
    if added and places <= MAX_CYCLE_PLACES:
        constraints += [partial(_is_within_cycle, (0, *group)) for group in groups]
    elif not added and places <= MAX_TRIANGLE_PLACES:
        constraints += [partial(_is_within_triangle, group) for group in groups]
    if places <= MAX_CYCLE_PLACES:
        for i, j in pairs:
            others = [k for k in range(last) if k not in (i, j)]
            constraints += [partial(_is_within_cycle, (at(i, last), at(j, last), at(j, k), at(i, k))) for k in others]
    return constraints


def _get_triangles(places: int, first: int = 0) -> _ElementGroups:
    """Return the indices of the three products of each triangle, in the order of construction."""
    at = partial(_get_product_index, first=first)
    return [[at(i, j), at(j, k), at(i, k)] for i, j, k in combinations(range(places), 3)]


def _get_cycles(places: int, added: bool) -> _ElementGroups:
    """Return the indices of the four products of each cycle, and of the number of records with each triangle."""
    at = partial(_get_product_index, first=int(added))
    circles = [
        [at(i, k), at(k, j), at(j, m), at(i, m)]
        for i, j in combinations(range(places), 2)
        for k, m in combinations(range(i + 1, places), 2)
        if j not in (k, m)
    ]
    return [*circles, *([0, *triangle] for triangle in _get_triangles(places, 1) if added)]


def _get_product_index(i: int, j: int, first: int = 0) -> int:
    """Return the index of the product of two places in the order of construction, by the later place first."""
    return first + (j * (j - 1) // 2 + i if i < j else i * (i - 1) // 2 + j)


def _get_product_order(places: int, added: bool) -> list[int]:
    first = int(added)
    return [*range(first), *(_get_product_index(i, j, first) for i, j in combinations(range(places), 2))]


def _is_within_triangle(edges: tuple[int, ...], rows: _Points, limit: _Points) -> npt.NDArray[np.bool_]:
    return np.abs(rows[:, edges]).sum(axis=1) <= limit


def _is_within_cycle(edges: tuple[int, ...], rows: _Points, limit: _Points) -> npt.NDArray[np.bool_]:
    four = rows[:, edges]
    sizes = np.abs(four)
    odd = np.count_nonzero(four < 0, axis=1) % 2 == 1
    # with an even number of minus signs, the smallest element has the opposite sign in the inequality
    return sizes.sum(axis=1) - np.where(odd, 0, 2 * sizes.min(axis=1)) <= limit


def _make_integer_sampler(radius: _Points) -> _PointSampler:
    def draw_points(indices: npt.NDArray[np.intp], n_columns: int) -> tuple[_Points, npt.NDArray[np.bool_]]:
        return draw_signs(draw_each_below(np.repeat(radius[indices, None] + 1, n_columns, axis=1)))

    return draw_points


def _make_uniform_sampler(source: Source, radius: Floats) -> _PointSampler:
    def draw_points(indices: npt.NDArray[np.intp], n_columns: int) -> tuple[Floats, npt.NDArray[np.bool_]]:
        points = 2.0 * source.uniform(indices.size * n_columns).reshape(-1, n_columns) - 1.0
        return radius[indices, None] * points, np.ones(indices.size, dtype=bool)

    return draw_points


@lru_cache(maxsize=16)
def _sample_product_noise(count: int, places: int, added: bool) -> Floats:
    points = _sample_body(count, places, added)
    width = points.shape[1]
    vectors = compute_gamma_radii(width, draw_sobol_points(count, 1)) * points
    # the number of records has a different distribution
    alike, sizes = np.split(vectors, [int(added)], axis=1), np.atleast_2d(_simulate_size_quantiles(places, added))
    tails = [partial(_compute_element_tail, width, row) for row in (sizes[0], sizes[-1])]
    exact = [match_quantiles(*each, 2.0 * width + 60.0) for each in zip(alike, tails)]
    return freeze_array(np.concatenate(exact, axis=1))


def _compute_element_tail(width: int, sizes: Floats, z: Floats) -> Floats:
    """Return the probability that an element's absolute value exceeds z scales, from its quantiles in the body."""
    from scipy.special import gammaincc

    return gammaincc(width + 1, z[..., None] / sizes).mean(axis=-1)


@lru_cache(maxsize=16)
def _simulate_size_quantiles(places: int, added: bool) -> Floats:
    """Return quantiles of an element's absolute value in the body: common ones, or a row per element if added."""
    chances = _get_probability_midpoints(_N_QUANTILES)
    if places == 2 and not added:
        return freeze_array(chances)
    points = np.abs(_sample_body(max(_N_POINTS, 8 * _N_POINTS // places**2), places, added))
    if not added:
        return freeze_array(np.quantile(points, chances))
    number, products = np.quantile(points[:, 0], chances), np.quantile(points[:, 1:], chances)
    return freeze_array(np.stack([number, *[products] * (points.shape[1] - 1)]))


def _get_probability_midpoints(count: int) -> Floats:
    """Return the midpoints of `count` equal parts of [0, 1]."""
    return (np.arange(count) + 0.5) / count


def _sample_body(count: int, places: int, added: bool) -> Floats:
    """Return points of the body from chains of Gibbs steps, each of which redraws one element."""
    chains = 256
    generator = np.random.default_rng(SOBOL_SEED)
    order = _get_product_order(places, added)
    rows = np.zeros((chains, len(order)))
    steps = [(0, *_get_number_constraints(places))] if added else []
    steps += [
        (_get_product_index(*edge, int(added)), *_get_product_constraints(places, added, edge))
        for edge in combinations(range(places), 2)
    ]
    samples = []
    for sweep in range(_BURN_IN_SWEEPS + _THINNING_SWEEPS * math.ceil(count / chains)):
        for column, two, three in steps:
            high, low = _get_conditional_range(rows, two, three)
            rows[:, column] = low + (high - low) * generator.random(chains)
        if sweep >= _BURN_IN_SWEEPS and sweep % _THINNING_SWEEPS == 0:
            samples.append(rows[:, order])
    return np.concatenate(samples)[:count]


def _get_number_constraints(places: int) -> tuple[_ElementGroups, _ElementGroups]:
    """Return the inequalities of the number of records: groups of two and of three other elements."""
    return [], _get_triangles(places, 1) if places <= MAX_CYCLE_PLACES else []


def _get_product_constraints(places: int, added: bool, edge: tuple[int, int]) -> tuple[_ElementGroups, _ElementGroups]:
    """Return the inequalities of a product: groups of two and of three other elements."""
    i, j = edge
    at = partial(_get_product_index, first=int(added))
    others = [k for k in range(places) if k not in edge]
    two = [[at(i, k), at(j, k)] for k in others]
    if places > MAX_CYCLE_PLACES:
        return two if places <= MAX_TRIANGLE_PLACES and not added else [], []
    three = [[at(i, k), at(k, m), at(m, j)] for k in others for m in others if k != m]
    return ([], [*three, *([0, *pair] for pair in two)]) if added else (two, three)


def _get_conditional_range(rows: Floats, two: _ElementGroups, three: _ElementGroups) -> tuple[Floats, Floats]:
    """Return the range of an element given the others."""
    high, low = np.ones(len(rows)), -np.ones(len(rows))
    if two:
        high = np.minimum(high, 2.0 - np.abs(rows)[:, two].sum(axis=2).max(axis=1))
        low = -high
    if three:
        sizes = np.abs(rows[:, three])
        totals = sizes.sum(axis=2)
        reduced = totals - 2.0 * sizes.min(axis=2)
        odd = np.count_nonzero(rows[:, three] < 0.0, axis=2) % 2 == 1
        high = np.minimum(high, 2.0 - np.where(odd, totals, reduced).max(axis=1))
        low = np.maximum(low, np.where(odd, reduced, totals).max(axis=1) - 2.0)
    return high, low
