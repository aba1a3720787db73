"""Start positions of draws, and standard normal, exponential and Laplace variables.

Normal variables are computed by Wichura's AS 241 from 59 bits of two uniforms, exponential ones by Ahrens and Dieter's
SA (1972).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import TypeVar

import numpy as np

from pydpstat._frozen import freeze_array
from pydpstat.r_arithmetic.elementary import Numbers, log
from pydpstat.random.r_stream._stream import UniformStream

Real = TypeVar("Real", float, np.ndarray)

BIG = 134217728.0
# paths of fewer steps are followed in plain Python
_FEW_STEPS = 2048
_FEW_NORMAL = 60
_NORMAL_CHUNK = 16384

# Wichura (1988), coefficients of PPND16, highest power first: numerator and denominator
_CENTER = (
    (
        2509.0809287301226727,
        33430.575583588128105,
        67265.770927008700853,
        45921.953931549871457,
        13731.693765509461125,
        1971.5909503065514427,
        133.14166789178437745,
        3.387132872796366608,
    ),
    (
        5226.495278852854561,
        28729.085735721942674,
        39307.89580009271061,
        21213.794301586595867,
        5394.1960214247511077,
        687.1870074920579083,
        42.313330701600911252,
        1.0,
    ),
)
_TAIL = (
    (
        7.7454501427834140764e-4,
        0.0227238449892691845833,
        0.24178072517745061177,
        1.27045825245236838258,
        3.64784832476320460504,
        5.7694972214606914055,
        4.6303378461565452959,
        1.42343711074968357734,
    ),
    (
        1.05075007164441684324e-9,
        5.475938084995344946e-4,
        0.0151986665636164571966,
        0.14810397642748007459,
        0.68976733498510000455,
        1.6763848301838038494,
        2.05319162663775882187,
        1.0,
    ),
)
_normal_inverse_cdf = NormalDist().inv_cdf


def find_starts(lengths: np.ndarray) -> np.ndarray:
    """Return the positions on the path 0, 0 + lengths[0], ..., in order.

    Each length is at least 1, and the path ends at the first step to the end of the array or beyond.

    >>> find_starts(np.array([2, 1, 1, 3, 1, 1]))
    array([0, 2, 3])
    """
    end = lengths.size
    if end < _FEW_STEPS:
        return _walk_path(lengths.tolist())
    # a short path is followed faster than SciPy is imported
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import breadth_first_order

    # an edge from each position to the next one on the path; none from the end
    after = np.minimum(np.arange(end) + lengths, end)
    arrows = csr_matrix((np.ones(end), after, np.append(np.arange(end + 1), end)), shape=(end + 1, end + 1))
    return breadth_first_order(arrows, 0, return_predecessors=False)[:-1].astype(np.int64)


def _walk_path(steps: list[int]) -> np.ndarray:
    path = []
    position = 0
    while position < len(steps):
        path.append(position)
        position += steps[position]
    return np.array(path, dtype=np.int64)


def draw_one_normal(draw: Callable[[], float]) -> float:
    """Draw one standard normal variable."""
    return _compute_normal_quantile((math.floor(BIG * draw()) + draw()) / BIG)


def _compute_normal_quantile(p: float) -> float:
    # p is 1 if both uniforms have their largest values
    return _normal_inverse_cdf(p) if p < 1.0 else math.inf


def evaluate_polynomial(coefficients: Sequence[float], x: Real) -> Real:
    """Evaluate a polynomial at a number or an array, with the highest power first."""
    total = coefficients[0] * x + coefficients[1]
    for coefficient in coefficients[2:]:
        total = total * x + coefficient
    return total


def _evaluate_in_place(coefficients: Sequence[float], x: np.ndarray, out: np.ndarray) -> np.ndarray:
    np.multiply(x, coefficients[0], out=out)
    for coefficient in coefficients[1:-1]:
        out += coefficient
        out *= x
    out += coefficients[-1]
    return out


def _compute_tail_quantiles(q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return normal quantiles for p below 0.075 or above 0.925."""
    r = np.where(q < 0.0, p, 0.5 - p + 0.5)
    np.sqrt(-log(r), out=r)
    far = np.flatnonzero(r > 5.0)
    r -= 1.6
    with np.errstate(invalid="ignore"):
        result = evaluate_polynomial(_TAIL[0], r) / evaluate_polynomial(_TAIL[1], r)
    # these are too rare for separate coefficients
    result[far] = [_compute_normal_quantile(probability) for probability in p[far].tolist()]
    return np.copysign(result, q)


def transform_to_normal(first: np.ndarray, second: np.ndarray, out: np.ndarray, scratch: np.ndarray) -> None:
    """Transform pairs of uniforms to standard normal variables in `out`.

    `scratch` has four rows of the size of `out`.
    """
    p, q, r, denominator = scratch
    np.multiply(first, BIG, out=p)
    np.floor(p, out=p)
    p += second
    p /= BIG
    np.subtract(p, 0.5, out=q)
    np.multiply(q, q, out=r)
    np.subtract(0.180625, r, out=r)
    # in R's order: (q * numerator) / denominator
    _evaluate_in_place(_CENTER[0], r, out)
    out *= q
    out /= _evaluate_in_place(_CENTER[1], r, denominator)
    np.abs(q, out=r)
    tails = np.flatnonzero(r > 0.425)
    if tails.size:
        out[tails] = _compute_tail_quantiles(q[tails], p[tails])


def draw_normal(stream: UniformStream, count: int) -> np.ndarray:
    """Draw standard normal variables."""
    if count < _FEW_NORMAL:
        return np.array([draw_one_normal(stream.draw_one) for _ in range(count)])
    result = np.empty(count)
    scratch = np.empty((4, min(count, _NORMAL_CHUNK)))
    for start in range(0, count, _NORMAL_CHUNK):
        out = result[start : start + _NORMAL_CHUNK]
        uniforms = stream.take_uniforms(2 * out.size)
        transform_to_normal(uniforms[0::2], uniforms[1::2], out, scratch[:, : out.size])
    return result


def compute_normal_at(uniforms: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Return the standard normal variables that begin at the given positions."""
    result = np.empty(positions.size)
    scratch = np.empty((4, min(positions.size, _NORMAL_CHUNK)))
    for start in range(0, positions.size, _NORMAL_CHUNK):
        out = result[start : start + _NORMAL_CHUNK]
        chunk = positions[start : start + _NORMAL_CHUNK]
        transform_to_normal(uniforms[chunk], uniforms[chunk + 1], out, scratch[:, : out.size])
    return result


LOG_2 = math.log(2.0)
# largest number of uniforms that a draw looks ahead: a normal, a uniform, an exponential, a uniform
MARGIN = 24
_FEW_EXPONENTIAL = 200
_EXPONENTIAL_CHUNK = 80_000
_FEW_LAPLACE, _LAPLACE_CHUNK = 16, 32_768


def _compute_partial_sums() -> list[float]:
    """Return the sums of log(2)^k / k! for k from 1, until they are 1 in double precision."""
    term, total, sums = 1.0, 0.0, []
    for k in range(1, 17):
        term *= LOG_2 / k
        total += term
        sums.append(total)
    sums[-1] = 1.0
    return sums


# they are compared with multiples of 2^-31, so their last digits never decide
_SUMS = _compute_partial_sums()
_SUMS_ARRAY = freeze_array(_SUMS)
# repeated addition of log(2) rounds differently from a product
_MULTIPLES = freeze_array(np.append(0.0, np.add.accumulate(np.full(40, LOG_2))))
_MULTIPLES_LIST = _MULTIPLES.tolist()


def draw_one_exponential(draw: Callable[[], float]) -> float:
    """Draw one standard exponential variable."""
    mantissa, exponent = math.frexp(draw())
    remainder = mantissa + mantissa - 1.0
    if remainder == 0.0:
        remainder, exponent = 1.0, exponent - 1
    shift = _MULTIPLES_LIST[-exponent]
    if remainder <= LOG_2:
        return shift + remainder
    minimum = draw()
    for bound in _SUMS[1:]:
        minimum = min(minimum, draw())
        if remainder <= bound:
            break
    return shift + minimum * LOG_2


def split_uniforms(uniforms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Split each uniform u = (1 + rest) / 2^(halvings + 1) into rest, above 0, and halvings."""
    bits = uniforms.view(np.int64)
    halvings = 1022 - (bits >> 52)
    remainders = ((bits & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000).view(np.float64)
    remainders -= 1.0
    if not remainders.all():
        exact = remainders == 0.0
        remainders[exact] = 1.0
        halvings[exact] += 1
    return remainders, halvings


def count_exponential_uniforms(rest: np.ndarray) -> np.ndarray:
    """Return the number of uniforms in an exponential draw, given the `rest` of its first uniform."""
    result = (rest > _SUMS[0]).astype(np.int64)
    result *= 2
    result += 1
    beyond = np.flatnonzero(rest > _SUMS[1])
    result[beyond] = 2 + np.searchsorted(_SUMS_ARRAY, rest[beyond])
    return result


def compute_exponential_values(
    uniforms: np.ndarray, rest: np.ndarray, halvings: np.ndarray, length: np.ndarray, at: np.ndarray
) -> np.ndarray:
    """Return the variables that begin at the positions `at`; the other arrays are by position."""
    result = rest[at]
    longer = np.flatnonzero(result > LOG_2)
    starts = at[longer]
    minima = np.minimum(uniforms[starts + 1], uniforms[starts + 2])
    unfinished = np.flatnonzero(length[starts] > 3)
    offset = 3
    while unfinished.size:
        positions = starts[unfinished]
        minima[unfinished] = np.minimum(minima[unfinished], uniforms[positions + offset])
        offset += 1
        unfinished = unfinished[length[positions] > offset]
    result[longer] = minima * LOG_2
    result += _MULTIPLES[halvings[at]]
    return result


def run_double_trials(
    index: np.ndarray,
    uniforms: np.ndarray,
    remainders: tuple[np.ndarray, np.ndarray],
    end: np.ndarray,
    accept: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
) -> None:
    """Run trials of a double exponential proposal for the draws `index`, from `end` on, until all are accepted.

    A trial consists of an exponential variable and a uniform in (-1, 1); `accept` takes those of some draws and returns
    the mask of the accepted ones. For draws too close to the end of the uniforms, `end` is set beyond it.
    """
    fractions, halvings = remainders
    length = count_exponential_uniforms(fractions)
    while index.size:
        is_cut = end[index] > uniforms.size - MARGIN
        end[index[is_cut]] = uniforms.size + 1
        index = index[~is_cut]
        position = end[index]
        e = compute_exponential_values(uniforms, fractions, halvings, length, position)
        position = position + length[position]
        end[index] = position + 1
        index = index[~accept(index, e, 2.0 * uniforms[position] - 1.0)]


def draw_exponential(stream: UniformStream, count: int) -> np.ndarray:
    """Draw standard exponential variables."""
    if count < _FEW_EXPONENTIAL:
        return np.array([draw_one_exponential(stream.draw_one) for _ in range(count)])

    def draw_chunk(uniforms: np.ndarray, missing: int) -> tuple[np.ndarray, int]:
        remainders, halvings = split_uniforms(uniforms)
        length = count_exponential_uniforms(remainders)
        starts = find_starts(length)[:missing]
        if starts[-1] + length[starts[-1]] > uniforms.size:
            starts = starts[:-1]
        return compute_exponential_values(uniforms, remainders, halvings, length, starts), int(
            starts[-1] + length[starts[-1]]
        )

    # a variable uses 1.9 uniforms on average
    return stream.collect_draws(count, 1.95, _EXPONENTIAL_CHUNK, draw_chunk)


def compute_laplace_quantile(q: float, location: float, scale: float) -> float:
    """Return the Laplace quantile of a uniform."""
    if q < 0.5:
        return scale * math.log(2.0 * q) + location
    return -scale * math.log(2.0 * (1.0 - q)) + location


def draw_laplace(stream: UniformStream, count: int, location: Numbers, scale: Numbers) -> np.ndarray:
    """Draw Laplace variables; `location` and `scale` are floats, or arrays of the size of the draw."""
    if count < _FEW_LAPLACE and isinstance(location, float) and isinstance(scale, float):
        return np.array([compute_laplace_quantile(stream.draw_one(), location, scale) for _ in range(count)])
    result = np.empty(count)
    locations, scales = np.broadcast_to(location, count), np.broadcast_to(scale, count)
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, count, _LAPLACE_CHUNK):
            chunk = result[start : start + _LAPLACE_CHUNK]
            q = stream.take_uniforms(chunk.size)
            lower = q < 0.5
            s = scales[start : start + _LAPLACE_CHUNK]
            np.copyto(chunk, log(2.0 * np.where(lower, q, 1.0 - q)))
            chunk *= np.where(lower, s, -s)
            chunk += locations[start : start + _LAPLACE_CHUNK]
    return result
