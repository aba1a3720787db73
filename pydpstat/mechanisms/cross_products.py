"""Noise for sums and cross products of numbers in [-1, 1]: what one record can do to all of them together."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._frozen import frozen
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms._noise import Floats, positive_values, unwrap
from pydpstat.mechanisms._radial import SEED, gamma_radii, quantiles, sobol
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.random.secure.norm_balls import as_floats, each_below, kept, radii, with_signs

if TYPE_CHECKING:
    from pydpstat.random import Source

# up to so many places all inequalities are used, up to so many those of triangles, beyond them the cube's
CYCLES, TRIANGLES = 8, 11
# by places: the mean square of an element of a uniform point, and the body's share of the cube, by simulation
# with errors below a hundredth; of three places 7 / 25 and 5 / 6
_MEASURED = {
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
_HINT = "Use 2 / epsilon for numbers in [-1, 1]."
# Gibbs sweeps before the first point, and between points
_FIRST, _BETWEEN = 40, 2
_Whole = npt.NDArray[Any]
_Draw = Callable[[npt.NDArray[np.intp], int], tuple[_Whole, npt.NDArray[np.bool_]]]


@dataclass(frozen=True, eq=False)
class CrossProductNoise(Noise):
    """Noise of the products of each two of so many numbers, of which one may be the constant 1.

    Parameters
    ----------
    scale : float
        Above 0 and finite: 2 / epsilon where the numbers lie in [-1, 1], whose products change by at most 2.
    places : int
        How many numbers there are, the constant among them; at least 2. The elements are the products of
        (0, 1), (0, 2), ..., in the order of `itertools.combinations`; with a constant the first ones are
        sums.

    Raises
    ------
    PydpstatError
        If a parameter is not allowed.

    Notes
    -----
    The density is proportional to ``exp(-|x| / scale)``, in the norm of a body K that has all moves of half
    their size. *The moves.* If a record u takes the place of w, the product (i, j) moves by
    ``a_i b_j + a_j b_i`` with ``a = (u + w) / 2`` and ``b = u - w``, where ``|a_i| + |b_i| / 2 <= 1``. That
    is linear in each pair ``(a_i, b_i)`` alone, so a linear function of the moves is largest where every pair
    is at a corner: ``a_i = 1`` or -1 and b_i = 0, i keeps its value, or a_i = 0 and ``b_i = 2`` or -2, i
    turns. Then the products of one that turns and one that keeps move by 2 or -2, and the others not at all.
    The constant keeps. In halves of that:

    - no element is above 1;
    - of a triangle (i, j), (j, k), (i, k) none or two move: the sizes add up to 2 at most;
    - of a circle of four products none, two or four move. If all four do, every second place turns, and
      each sign of the four places occurs in two of the four: their product is 1. So the elements, with signs
      of which an odd number are minus, add up to 2 at most: of four at least one is against its sign.

    K is the body of these inequalities; they hold with the signs of a place turned and with places in another
    order, so that elements have one distribution and are not correlated. For one or two numbers and the
    constant it is the hull of the moves. From 9 places on circles are left out, from 12 on triangles, because
    too few draws would stand.

    A release rounds each product to its grid and moves it by less than one unit more than the move itself;
    K has the cube of half its size, so that the norm grows by less than two units, and by half of one for
    the norm's own rounding.

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
    name: ClassVar[str] = "linf"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive_values(self.scale, "scale", _HINT))
        object.__setattr__(self, "places", checks.integer(self.places, "places", 2))

    @property
    def width(self) -> int:
        """Number of elements."""
        return self.places * (self.places - 1) // 2

    def std(self) -> float:
        """Standard deviation of each element."""
        mean_square = _MEASURED.get(self.places, (1.0 / 3.0, 1.0))[0]
        return self.scale * math.sqrt((self.width + 1) * (self.width + 2) * mean_square)

    def cdf(self, x: npt.ArrayLike) -> Any:
        """Probability that one element is at most `x`, from simulated points of the body."""
        values = np.asarray(x, dtype=np.float64)
        tail = 0.5 * self._tail(np.abs(values) / self.scale)
        return unwrap(np.where(values < 0.0, tail, 1.0 - tail))

    def ppf(self, q: npt.ArrayLike) -> Any:
        """Quantile of one element for the probability `q`, from simulated points; NaN outside [0, 1]."""
        return unwrap(self.scale * quantiles(self._tail, q, 2.0 * self.width + 60.0))

    def _tail(self, z: Floats) -> Floats:
        """Probability that an element's size exceeds z scales: the radius is Gamma distributed."""
        from scipy.special import gammaincc

        sizes = _sizes(self.places)
        return gammaincc(self.width + 1, z[..., None] / sizes).mean(axis=-1)

    def norm(self, x: npt.ArrayLike) -> Floats:
        """Return the norm of vectors in the last axis, in scales."""
        rows = np.asarray(x, dtype=np.float64)[..., np.argsort(_order(self.places))] / self.scale
        sizes, at = np.abs(rows), range(self.places)
        found = [sizes.max(axis=-1)]
        if TRIANGLES >= self.places > 2:
            three = [[_at(i, j), _at(j, k), _at(i, k)] for i, j, k in combinations(at, 3)]
            found.append(0.5 * sizes[..., three].sum(axis=-1).max(axis=-1))
        if CYCLES >= self.places > 3:
            four = _circles(self.places)
            odd = np.count_nonzero(rows[..., four] < 0.0, axis=-1) % 2 == 1
            against = np.where(odd, 0.0, 2.0 * sizes[..., four].min(axis=-1))
            found.append(0.5 * (sizes[..., four].sum(axis=-1) - against).max(axis=-1))
        return np.max(found, axis=0)

    def draw(self, source: Source, size: int, grid: float | None) -> npt.NDArray[np.generic]:
        """Draw noise for all vectors, whose elements are `size` together: on the grid, or of real numbers."""
        count, left = divmod(size, self.width)
        if left:
            raise PydpstatError(f"size must be a multiple of {self.width}; got {size}. Draw whole vectors.")
        rate = None if grid is None else Fraction(grid) / Fraction(self.scale)

        def tried(tries: int) -> _Whole:
            if rate is None:
                radius = np.array([source.gamma(self.width + 1, 1.0) for _ in range(tries)])
                return self.scale * _grown(radius, self.places, _uniform(source, radius))
            radius = radii(tries, rate, self.width, 1)
            return _grown(radius, self.places, _integers(radius))

        rows = kept(count, self.width, tried, _MEASURED.get(self.places, (0.0, 1.0))[1])
        return (rows if rate is None else as_floats(rows)).ravel()

    def sample(self, count: int) -> Floats:
        """Return vectors of the distribution for simulations, of shape (count, elements).

        They are the same in every call, and protect nobody.
        """
        return self.scale * _sample(count, self.places)


def _grown(radius: _Whole, places: int, draw: _Draw) -> _Whole:
    """Return points of the body times a radius, place by place: what is outside is left out at once.

    `draw` gives so many elements of the cube for the rows that are left, and tells which of them stand.
    """
    left = np.arange(radius.size)
    rows: _Whole = np.empty((radius.size, 0))
    for last in range(1, places):
        more, stands = draw(left, last)
        rows = np.concatenate([rows, more], axis=1) if last > 1 else more
        for test in _tests(places, last):
            rows, left = rows[stands], left[stands]
            stands = test(rows, 2 * radius[left])
        rows, left = rows[stands], left[stands]
    return rows[:, _order(places)]


def _tests(places: int, last: int) -> list[Callable[[_Whole, _Whole], npt.NDArray[np.bool_]]]:
    """Return the inequalities between a place and those before it, triangles first."""
    pairs = list(combinations(range(last), 2))
    found: list[Any] = []
    if places <= TRIANGLES:
        found += [partial(_triangle, (_at(i, last), _at(j, last), _at(i, j))) for i, j in pairs]
    if places <= CYCLES:
        for i, j in pairs:
            others = [k for k in range(last) if k not in (i, j)]
            found += [partial(_circle, (_at(i, last), _at(j, last), _at(j, k), _at(i, k))) for k in others]
    return found


def _circles(places: int) -> list[list[int]]:
    """Return where the four products of each circle stand while points grow."""
    return [
        [_at(i, k), _at(k, j), _at(j, m), _at(i, m)]
        for i, j in combinations(range(places), 2)
        for k, m in combinations(range(i + 1, places), 2)
        if j not in (k, m)
    ]


def _at(i: int, j: int) -> int:
    """Return where the product of two places stands while points grow: by the later one first."""
    return j * (j - 1) // 2 + i if i < j else i * (i - 1) // 2 + j


def _order(places: int) -> list[int]:
    return [_at(i, j) for i, j in combinations(range(places), 2)]


def _triangle(edges: tuple[int, ...], rows: _Whole, limit: _Whole) -> npt.NDArray[np.bool_]:
    return np.abs(rows[:, edges]).sum(axis=1) <= limit


def _circle(edges: tuple[int, ...], rows: _Whole, limit: _Whole) -> npt.NDArray[np.bool_]:
    four = rows[:, edges]
    sizes = np.abs(four)
    odd = np.count_nonzero(four < 0, axis=1) % 2 == 1
    # with an even number of minuses the smallest element is against its sign
    return sizes.sum(axis=1) - np.where(odd, 0, 2 * sizes.min(axis=1)) <= limit


def _integers(radius: _Whole) -> _Draw:
    def drawn(left: npt.NDArray[np.intp], many: int) -> tuple[_Whole, npt.NDArray[np.bool_]]:
        return with_signs(each_below(np.repeat(radius[left, None] + 1, many, axis=1)))

    return drawn


def _uniform(source: Source, radius: Floats) -> _Draw:
    def drawn(left: npt.NDArray[np.intp], many: int) -> tuple[Floats, npt.NDArray[np.bool_]]:
        points = 2.0 * source.uniform(left.size * many).reshape(-1, many) - 1.0
        return radius[left, None] * points, np.ones(left.size, dtype=bool)

    return drawn


@lru_cache(maxsize=16)
def _sample(count: int, places: int) -> Floats:
    points = _pool(count, places)
    vectors = gamma_radii(points.shape[1], sobol(count, 1)) * points
    # All elements have one symmetric distribution: each gets the quantiles of all, by its ranks.
    sizes = np.sort(np.abs(vectors), axis=None)
    values = np.concatenate([-sizes[::-1], sizes]).reshape(count, -1)
    return frozen(values[:, values.shape[1] // 2][vectors.argsort(axis=0, kind="stable").argsort(axis=0)])


@lru_cache(maxsize=16)
def _sizes(places: int) -> Floats:
    """Return quantiles of an element's size in the body, whose elements are all alike."""
    return frozen(np.quantile(np.abs(_pool(2048, places)), (np.arange(512) + 0.5) / 512))


def _pool(count: int, places: int) -> Floats:
    """Return points of the body from chains of Gibbs steps, each of which draws one element anew."""
    chains = 256
    generator = np.random.default_rng(SEED)
    edges = list(combinations(range(places), 2))
    rows = np.zeros((chains, len(edges)))
    found = []
    for sweep in range(_FIRST + _BETWEEN * math.ceil(count / chains)):
        for edge in edges:
            high, low = _range(rows, places, edge)
            rows[:, _at(*edge)] = low + (high - low) * generator.random(chains)
        if sweep >= _FIRST and sweep % _BETWEEN == 0:
            found.append(rows[:, _order(places)])
    return np.concatenate(found)[:count]


def _range(rows: Floats, places: int, edge: tuple[int, int]) -> tuple[Floats, Floats]:
    """Return between which numbers an element may lie, the others being as they are."""
    i, j = edge
    others = [k for k in range(places) if k not in edge]
    high, low = np.ones(len(rows)), -np.ones(len(rows))
    if others and places <= TRIANGLES:
        sizes = np.abs(rows)
        ends = [[_at(i, k) for k in others], [_at(j, k) for k in others]]
        high = np.minimum(high, 2.0 - (sizes[:, ends[0]] + sizes[:, ends[1]]).max(axis=1))
        low = -high
    pairs = [(k, m) for k in others for m in others if k != m]
    if pairs and places <= CYCLES:
        three = rows[:, [[_at(i, k), _at(k, m), _at(m, j)] for k, m in pairs]]
        sizes = np.abs(three)
        whole = sizes.sum(axis=2)
        less = whole - 2.0 * sizes.min(axis=2)
        odd = np.count_nonzero(three < 0.0, axis=2) % 2 == 1
        high = np.minimum(high, 2.0 - np.where(odd, whole, less).max(axis=1))
        low = np.maximum(low, np.where(odd, less, whole).max(axis=1) - 2.0)
    return high, low
