"""Poisson variables, drawn as in R (Ahrens and Dieter 1982, algorithm PD), and geometric variables.

A geometric variable is a Poisson variable whose mean is exponential.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from pydpstat._frozen import freeze_array
from pydpstat.r_arithmetic.elementary import compute_power, exp, log
from pydpstat.random.r_stream._standard import (
    LOG_2,
    MARGIN,
    Real,
    compute_exponential_values,
    compute_normal_at,
    count_exponential_uniforms,
    draw_exponential,
    draw_one_exponential,
    draw_one_normal,
    evaluate_polynomial,
    find_starts,
    run_double_trials,
    split_uniforms,
)
from pydpstat.random.r_stream._stream import UniformStream

LARGE_MEAN = 10.0
# for a mean below 10, the probability above 35 is less than 2^-32, which no uniform reaches
_TABLE_SIZE = 36
_MAX_SCALAR_DRAWS = 40
_CHUNK_SIZE = 200_000
_FEW_GEOMETRIC, _GEOMETRIC_CHUNK = 150, 100_000
_INVERSE_ROOT_2PI = 0.398942280401432677939946059934
_FACTORIALS = (1.0, 1.0, 2.0, 6.0, 24.0, 120.0, 720.0, 5040.0, 40320.0, 362880.0)
_FACTORIALS_ARRAY = freeze_array(_FACTORIALS)
_LOG_SERIES = (0.1250060, -0.1384794, 0.1421878, -0.1661269, 0.2000118, -0.2500068, 0.3333333, -0.5)


def draw_one_poisson(draw: Callable[[], float], mean: float) -> float:
    """Draw one Poisson variable."""
    if mean >= LARGE_MEAN:
        return _draw_one_large(draw, mean)
    if mean == 0.0:
        return 0.0
    u = draw()
    term = total = math.exp(-mean)
    k = 0
    while u > total and k < _TABLE_SIZE:
        k += 1
        term *= mean / k
        total += term
    return float(k)


def invert_small_means(uniforms: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Return the Poisson variable for each uniform and its mean, above 0 and below 10."""
    term = exp(-mean)
    total = term.copy()
    result = np.zeros(uniforms.size)
    index = np.flatnonzero(uniforms > total)
    u, mean, term, total = uniforms[index], mean[index], term[index], total[index]
    k = 0.0
    while index.size:
        k += 1.0
        result[index] = k
        term *= mean / k
        total += term
        going = np.flatnonzero(u > total)
        index, u, mean, term, total = index[going], u[going], mean[going], term[going], total[going]
    return result


def draw_poisson(stream: UniformStream, count: int, mean: float) -> np.ndarray:
    """Draw Poisson variables with a common mean above 0."""
    if count < _MAX_SCALAR_DRAWS:
        return np.array([draw_one_poisson(stream.draw_one, mean) for _ in range(count)])
    if mean < LARGE_MEAN:
        return _draw_small(stream, count, mean)

    def draw_chunk(uniforms: np.ndarray, missing: int) -> tuple[np.ndarray, int]:
        position = np.arange(uniforms.size - MARGIN)
        means = np.full(position.size, mean)
        with np.errstate(over="ignore"):
            value, end = transform_large_means(means, uniforms, position, split_uniforms(uniforms))
        starts = find_starts(end - position)[:missing]
        starts = starts[end[starts] <= uniforms.size]
        return value[starts], int(end[starts[-1]])

    return stream.collect_draws(count, 3.0, _CHUNK_SIZE, draw_chunk)


def _draw_small(stream: UniformStream, count: int, mean: float) -> np.ndarray:
    term = total = math.exp(-mean)
    table = [total]
    for k in range(1, _TABLE_SIZE):
        term *= mean / k
        total += term
        table.append(total)
    result = np.empty(count)
    for start in range(0, count, _CHUNK_SIZE):
        chunk = result[start : start + _CHUNK_SIZE]
        chunk[:] = np.searchsorted(table, stream.take_uniforms(chunk.size))
    return result


def _compute_hat(x: Real, mean: Real, s: Real) -> tuple[Real, Real]:
    """Return the log of the normal part and the factor of the hat at x standard deviations."""
    b1 = 0.0416666666666666667 / mean
    b2 = 0.3 * b1 * b1
    c3 = 0.1428571428571428571 * b1 * b2
    c2 = b2 - 15.0 * c3
    c1 = b1 - 6.0 * b2 + 45.0 * c3
    c0 = 1.0 - b1 + 3.0 * b2 - 15.0 * c3
    square = x * x
    factor = _INVERSE_ROOT_2PI / s * (((c3 * square + c2) * square + c1) * square + c0)
    return -0.5 * square, factor


def _compute_density(k: float, mean: float) -> tuple[float, float]:
    """Return the log and the factor of the Poisson probability of k."""
    if k < 10.0:
        return -mean, mean**k / _FACTORIALS[int(k)]
    away = mean - k
    delta = 0.0833333333333333333 / k
    delta -= 4.8 * delta * delta * delta
    v = away / k
    if abs(v) <= 0.25:
        exponent = k * v * v * evaluate_polynomial(_LOG_SERIES, v) - delta
    else:
        exponent = k * math.log(1.0 + v) - away - delta
    return exponent, _INVERSE_ROOT_2PI / math.sqrt(k)


def _compute_densities(k: np.ndarray, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the log and the factor of the Poisson probabilities for arrays."""
    safe = np.maximum(k, 10.0)
    away = mean - safe
    delta = 0.0833333333333333333 / safe
    delta -= 4.8 * delta * delta * delta
    v = away / safe
    exponent = safe * v * v * evaluate_polynomial(_LOG_SERIES, v) - delta
    far = np.flatnonzero(np.abs(v) > 0.25)
    exponent[far] = safe[far] * log(1.0 + v[far]) - away[far] - delta[far]
    factor = _INVERSE_ROOT_2PI / np.sqrt(safe)
    is_small = np.flatnonzero(k < 10.0)
    exponent[is_small] = -mean[is_small]
    factor[is_small] = compute_power(mean[is_small], k[is_small]) / _FACTORIALS_ARRAY[k[is_small].astype(np.int64)]
    return exponent, factor


def _draw_one_large(draw: Callable[[], float], mean: float) -> float:
    s = math.sqrt(mean)
    g = mean + s * draw_one_normal(draw)
    if g >= 0.0:
        k = float(math.floor(g))
        if k >= math.floor(mean - 1.1484):
            return k
        away = mean - k
        u = draw()
        if 6.0 * mean * mean * u >= away * away * away:
            return k
        exponent, factor = _compute_density(k, mean)
        hat_exponent, hat = _compute_hat((0.5 - away) / s, mean, s)
        if hat - u * hat <= factor * math.exp(exponent - hat_exponent):
            return k
    while True:
        e = draw_one_exponential(draw)
        u = 2.0 * draw() - 1.0
        t = 1.8 + math.copysign(e, u)
        if t > -0.6744:
            k = float(math.floor(mean + s * t))
            exponent, factor = _compute_density(k, mean)
            hat_exponent, hat = _compute_hat((0.5 - (mean - k)) / s, mean, s)
            if 0.1069 / mean * abs(u) <= factor * math.exp(exponent + e) - hat * math.exp(hat_exponent + e):
                return k


def transform_large_means(
    mean: np.ndarray, uniforms: np.ndarray, at: np.ndarray, remainders: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the variables that begin at the positions `at`, and the positions where they end.

    `mean` has a number for each position, at least 10. An end beyond the uniforms means that there are not enough of
    them. `at` must be at least `MARGIN` below their number.
    """
    s = np.sqrt(mean)
    g = mean + s * compute_normal_at(uniforms, at)
    value = np.floor(g)
    end = at + 2
    low = np.flatnonzero(value < np.floor(mean - 1.1484))
    m, k = mean[low], value[low]
    u = uniforms[end[low]]
    away = m - k
    positive = g[low] >= 0.0
    end[low] += positive
    unsure = np.flatnonzero(~(positive & (6.0 * m * m * u >= away * away * away)))
    low, m, k = low[unsure], m[unsure], k[unsure]
    u, away, positive = u[unsure], away[unsure], positive[unsure]
    exponent, factor = _compute_densities(np.maximum(k, 0.0), m)
    hat_exponent, hat = _compute_hat((0.5 - away) / s[low], m, s[low])
    refused = ~positive | (hat - u * hat > factor * exp(exponent - hat_exponent))

    def accept_trials(index: np.ndarray, e: np.ndarray, u: np.ndarray) -> np.ndarray:
        m, deviation = mean[index], s[index]
        t = 1.8 + np.where(u >= 0.0, e, -e)
        k = np.floor(m + deviation * t)
        is_candidate = t > -0.6744
        k[~is_candidate] = 0.0
        value[index] = k
        exponent, factor = _compute_densities(k, m)
        hat_exponent, hat = _compute_hat((0.5 - (m - k)) / deviation, m, deviation)
        return is_candidate & (0.1069 / m * np.abs(u) <= factor * exp(exponent + e) - hat * exp(hat_exponent + e))

    run_double_trials(low[refused], uniforms, remainders, end, accept_trials)
    return value, end


def draw_one_geometric(draw: Callable[[], float], odds: float) -> float:
    """Draw one geometric variable; `odds` is (1 - prob) / prob."""
    return draw_one_poisson(draw, draw_one_exponential(draw) * odds)


def draw_geometric(stream: UniformStream, count: int, odds: float) -> np.ndarray:
    """Draw geometric variables with a common probability."""
    if count < _FEW_GEOMETRIC:
        return np.array([draw_one_geometric(stream.draw_one, odds) for _ in range(count)])
    if odds == 0.0:
        # the exponential variables are drawn in R as well
        draw_exponential(stream, count)
        return np.zeros(count)

    def draw_chunk(uniforms: np.ndarray, missing: int) -> tuple[np.ndarray, int]:
        remainders, halvings = split_uniforms(uniforms)
        length = count_exponential_uniforms(remainders)
        total = length + 1
        value, is_large = _draw_large_means(uniforms, remainders, halvings, length, total, odds)
        starts = find_starts(total)[:missing]
        starts = starts[starts + total[starts] <= uniforms.size]
        mean = compute_exponential_values(uniforms, remainders, halvings, length, starts) * odds
        large_indices = np.flatnonzero(is_large[starts])
        # values for large means are replaced afterwards, so any small mean is suitable here
        mean[large_indices] = 1.0
        draws = invert_small_means(uniforms[starts + length[starts]], mean)
        draws[large_indices] = value[starts[large_indices]]
        return draws, int(starts[-1] + total[starts[-1]])

    return stream.collect_draws(count, 3.0, _GEOMETRIC_CHUNK, draw_chunk)


def _draw_large_means(
    uniforms: np.ndarray,
    rest: np.ndarray,
    halvings: np.ndarray,
    length: np.ndarray,
    total: np.ndarray,
    odds: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the variables whose Poisson mean is at least 10, and write their lengths to `total`."""
    value = np.empty(uniforms.size)
    is_large = np.zeros(uniforms.size, dtype=np.bool_)
    # the exponential variable is below (halvings + 1) log 2
    min_halvings = int(LARGE_MEAN / odds / LOG_2 * (1.0 - 1e-9)) - 1
    starts = np.flatnonzero(halvings >= min_halvings)
    near_end = starts[starts >= uniforms.size - 3 * MARGIN]
    total[near_end] = uniforms.size + 1
    starts = starts[: starts.size - near_end.size]
    if starts.size:
        mean = compute_exponential_values(uniforms, rest, halvings, length, starts) * odds
        starts, mean = starts[mean >= LARGE_MEAN], mean[mean >= LARGE_MEAN]
        value[starts], end = transform_large_means(mean, uniforms, starts + length[starts], (rest, halvings))
        total[starts] = end - starts
        is_large[starts] = True
    return value, is_large
