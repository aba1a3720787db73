"""Chi-square statistics of noisy tables: null distributions, and p-values by simulation and splitting."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import freeze_array
from pydpstat._null_distributions.means.mean_differences import choose_refined_pvalue
from pydpstat._null_distributions.noise import compute_noise_variance, make_geometric_sum
from pydpstat._null_distributions.simulation import (
    PVALUE_FLOOR,
    Floats,
    compute_exceedance_pvalue,
    compute_tie_threshold,
    get_reference_noise,
    make_generator,
    maximize_pvalue,
)

# probability that a private number of records is outside the range that is tried
NUISANCE_PROBABILITY = 0.001
# numbers of simulated tables without and with a nuisance parameter, and the smallest number
_MAX_DRAWS, _NUISANCE_DRAWS, _MIN_DRAWS = 9_999, 4_999, 999
# largest number of simulated cells for one point of the nuisance parameter
_MAX_CELLS = 250_000
# lower limit of estimated margins and of the number of records, in records
_MIN_COUNT = 0.5
# lower limit of the noise variance, so that S is invertible
_MIN_VARIANCE = 1e-6
_TRIED_SIZES = 9
# up to this number of records, this many standard errors of the simulation are added
_FEW_RECORDS, _ADDED_ERRORS = 30, 3.0


def _choose_draws(max_draws: int, cells: int) -> int:
    return max(_MIN_DRAWS, min(max_draws, _MAX_CELLS // cells))


def _simulate_tables(n: int, p: Floats, rate: float, draws: int, stream: int) -> Floats:
    """Simulate noisy tables of shape (draws, *p.shape)."""
    counts = make_generator(2, stream).multinomial(n, p.ravel(), size=draws)
    return counts.reshape(draws, *p.shape) + get_reference_noise(rate, (draws, *p.shape), stream)


def compute_fit_statistic(noisy: Floats, p: Floats, n: int | None, rate: float) -> Floats:
    """Return the goodness-of-fit statistic for given probabilities, one for each noisy table.

    A noisy table is X = counts + noise with multinomial counts and noise of variance tau^2 in every cell.
    Under the null hypothesis its expectation is n p and its covariance S = n (diag p - p p') + tau^2 I. The
    statistic is the smallest square of X - n p in the metric of S^-1 after projecting out the directions that
    the null hypothesis leaves open (a score test, Neyman's C(alpha)). Without noise it is Pearson's X^2.

    - n known: the noise of the total is in one direction, S 1 = tau^2 1, which is uninformative about p.
    - n unknown: in the remaining directions w, those with w'p = 0, S is D = diag(n p) + tau^2 I.
    - independence: p = r c' with margins r and c, and changes of r and of c are projected out, too. The errors of
      estimated margins then do not matter to first order, so the distribution hardly depends on the true margins.
    """
    variance = max(compute_noise_variance(rate), _MIN_VARIANCE)
    if n is not None:
        deviations = noisy - n * p
        deviations = deviations - deviations.mean(axis=1, keepdims=True)
        scale = n * p + variance
        # 1 - n p'D^-1 p without cancellation
        remainder = variance * float(np.sum(p / scale))
        return (deviations * deviations / scale).sum(axis=1) + n / remainder * (deviations @ (p / scale)) ** 2
    size = np.maximum(noisy.sum(axis=1, keepdims=True), _MIN_COUNT)
    deviations = noisy - size * p
    scale = size * p + variance
    projection = (deviations * p / scale).sum(axis=1) ** 2 / (p * p / scale).sum(axis=1)
    return np.maximum((deviations * deviations / scale).sum(axis=1) - projection, 0.0)


@lru_cache(maxsize=64)
def _simulate_fit_reference(p: tuple[float, ...], n: int, has_public_size: bool, rate: float) -> Floats:
    probabilities = np.array(p)
    tables = _simulate_tables(
        n, probabilities, rate, _choose_draws(_MAX_DRAWS if has_public_size else _NUISANCE_DRAWS, probabilities.size), 0
    )
    return freeze_array(compute_fit_statistic(tables, probabilities, n if has_public_size else None, rate))


def simulate_fit_pvalue(noisy: Floats, p: Floats, n: int | None, rate: float) -> tuple[float, float]:
    """Return the goodness-of-fit statistic of a noisy table of shape (k,) and its simulated p-value."""
    statistic = float(compute_fit_statistic(noisy[None, :], p, n, rate)[0])
    shares = tuple(p.tolist())
    if n is not None:
        return statistic, compute_exceedance_pvalue(_simulate_fit_reference(shares, n, True, rate), statistic)
    sizes = _find_plausible_sizes(float(noisy.sum()), noisy.size, rate)
    references = (_simulate_fit_reference(shares, size, False, rate) for size in sizes)
    return statistic, maximize_pvalue(references, statistic, NUISANCE_PROBABILITY)


def _find_plausible_sizes(total: float, cells: int, rate: float) -> list[int]:
    """Return numbers of records that cover the plausible range for a noisy total."""
    noise = np.abs(get_reference_noise(rate, (_MAX_DRAWS, cells)).sum(axis=1))
    # extrapolates with a Laplace tail beyond the simulated sums
    half_width = float(np.quantile(noise, 1.0 - 10.0 * NUISANCE_PROBABILITY)) + np.log(10.0) / rate
    low, high = max(total - half_width, 0.0), max(total + half_width, 1.0)
    return sorted({round(size) for size in np.linspace(low, high, _TRIED_SIZES)})


def estimate_margins(noisy: Floats, size: Floats) -> tuple[Floats, Floats]:
    """Return estimated margins, of shapes (tables, I) and (tables, J), of tables of shape (tables, I, J)."""
    return project_to_shares(noisy.sum(axis=2), size), project_to_shares(noisy.sum(axis=1), size)


def project_to_shares(sums: Floats, size: Floats) -> Floats:
    """Project rows of noisy counts to the nearest nonnegative counts with the given totals, and return shares.

    No count is less than half a record before normalization.
    """
    falling = -np.sort(-sums, axis=1)
    above = (np.cumsum(falling, axis=1) - size[:, None]) / np.arange(1, sums.shape[1] + 1)
    last = np.count_nonzero(falling > above, axis=1) - 1
    level = np.take_along_axis(above, np.maximum(last, 0)[:, None], axis=1)
    projected = np.maximum(sums - level, _MIN_COUNT)
    return projected / projected.sum(axis=1, keepdims=True)


@lru_cache(maxsize=16)
def _make_contrasts(rows: int, columns: int, has_public_size: bool) -> Floats:
    """Return the directions to project out, as columns with coefficients for each row, each column and all cells."""
    row_contrasts, column_contrasts = np.eye(rows), np.eye(columns)[:, :-1]
    column_contrasts[-1] = -1.0
    if has_public_size:
        row_contrasts = row_contrasts[:, :-1]
        row_contrasts[-1] = -1.0
    contrasts = np.zeros((rows + columns + 1, row_contrasts.shape[1] + column_contrasts.shape[1] + has_public_size))
    contrasts[:rows, : row_contrasts.shape[1]] = row_contrasts
    contrasts[rows:-1, row_contrasts.shape[1] : row_contrasts.shape[1] + column_contrasts.shape[1]] = column_contrasts
    if has_public_size:
        contrasts[-1, -1] = 1.0
    return freeze_array(contrasts)


def compute_independence_statistic(noisy: Floats, n: int | None, rate: float) -> Floats:
    """Return the statistic of independence for each noisy table; see `compute_fit_statistic`."""
    has_public_size = n is not None
    tables, rows, columns = noisy.shape
    size = np.full(tables, float(n)) if n is not None else np.maximum(noisy.sum(axis=(1, 2)), _MIN_COUNT)
    r, c = estimate_margins(noisy, size)
    p = r[:, :, None] * c[:, None, :]
    expected = size[:, None, None] * p
    variance = max(compute_noise_variance(rate), _MIN_VARIANCE)
    weight = 1.0 / (expected + variance)
    deviations = noisy - expected
    # scalar products of the directions of rows, columns and all cells in the metric of D^-1
    gram = np.zeros((tables, rows + columns + 1, rows + columns + 1))
    row, column, cross = np.arange(rows), rows + np.arange(columns), p * weight
    gram[:, row, row] = (c[:, None, :] ** 2 * weight).sum(axis=2)
    gram[:, column, column] = (r[:, :, None] ** 2 * weight).sum(axis=1)
    gram[:, :rows, rows:-1] = cross
    gram[:, rows:-1, :rows] = cross.transpose(0, 2, 1)
    gram[:, :, -1] = gram[:, -1, :] = _project_on_directions(weight, r, c)
    with_left = _project_on_directions(weight * deviations, r, c)
    square = (weight * deviations * deviations).sum(axis=(1, 2))
    if has_public_size:
        # S^-1 is D^-1 plus a multiple of (D^-1 p)(D^-1 p)'
        with_p = _project_on_directions(cross, r, c)
        factor = size / (variance * with_p[:, -1])
        projections = (cross * deviations).sum(axis=(1, 2))
        gram += (factor[:, None] * with_p)[:, :, None] * with_p[:, None, :]
        with_left += (factor * projections)[:, None] * with_p
        square += factor * projections * projections
    contrasts = _make_contrasts(rows, columns, has_public_size)
    matrix, vector = contrasts.T @ gram @ contrasts, with_left @ contrasts
    # directions are normalized so that the matrix is well conditioned
    unit = 1.0 / np.sqrt(np.maximum(np.diagonal(matrix, axis1=1, axis2=2), 1e-300))
    matrix = matrix * unit[:, :, None] * unit[:, None, :] + 1e-12 * np.eye(unit.shape[1])
    vector = vector * unit
    projection = (vector * np.linalg.solve(matrix, vector[:, :, None])[:, :, 0]).sum(axis=1)
    return np.maximum(square - projection, 0.0)


def _project_on_directions(cells: Floats, r: Floats, c: Floats) -> Floats:
    """Return the scalar products of cells with the directions of each row, each column and all cells."""
    by_row, by_column = (cells * c[:, None, :]).sum(axis=2), (cells * r[:, :, None]).sum(axis=1)
    return np.concatenate([by_row, by_column, cells.sum(axis=(1, 2))[:, None]], axis=1)


def simulate_independence_pvalue(
    noisy: Floats, n: int | None, rate: float, draws: int | None = None, stream: int = 0
) -> tuple[float, float]:
    """Return the statistic of independence of a noisy table of shape (I, J) and its simulated p-value."""
    return _simulate_cached_pvalue(tuple(noisy.ravel().tolist()), noisy.shape, n, rate, draws, stream)


# simulations for a released table are cached
@lru_cache(maxsize=64)
def _simulate_cached_pvalue(
    cells: tuple[float, ...], shape: tuple[int, ...], n: int | None, rate: float, draws: int | None, stream: int
) -> tuple[float, float]:
    noisy = np.array(cells).reshape(shape)
    statistic = float(compute_independence_statistic(noisy[None], n, rate)[0])
    references = simulate_independence(noisy, n, rate, draws, stream)
    pvalue = maximize_pvalue(references, statistic)
    return statistic, pvalue if draws is not None else _add_simulation_error(pvalue, n, references[0].size)


def _add_simulation_error(raw_pvalue: float, n: int | None, draws: int) -> float:
    """Return the p-value, increased by standard errors of the simulation for at most 30 records."""
    if n is None or n > _FEW_RECORDS:
        return raw_pvalue
    # few records have few possible tables, so a likely table always has the same error from the fixed draws
    return min(1.0, raw_pvalue + _ADDED_ERRORS * math.sqrt(raw_pvalue * (1.0 - raw_pvalue) / draws))


def simulate_independence(
    noisy: Floats, n: int | None, rate: float, draws: int | None = None, stream: int = 0
) -> list[Floats]:
    """Return simulated statistics for each plausible pair of margins of a noisy table of shape (I, J)."""
    draws = draws or _choose_draws(_NUISANCE_DRAWS, noisy.size)
    return [
        compute_independence_statistic(_simulate_tables(size, p, rate, draws, stream), n if n is None else size, rate)
        for size, p in iterate_nuisance_points(noisy, n, rate)
    ]


def iterate_nuisance_points(noisy: Floats, n: int | None, rate: float) -> Iterator[tuple[int, Floats]]:
    """Yield plausible numbers of records and cell probabilities under independence for a noisy table."""
    variance = compute_noise_variance(rate)
    total, steps = float(noisy.sum() if n is None else n), [0.0]
    if n is None:
        # the least favorable case is nearly all records in one cell, and more than the noisy total
        size_margin = NormalDist().inv_cdf(0.975) * float(np.sqrt(noisy.size * variance))
        steps = [0.0, -size_margin, size_margin]
    for step in steps:
        size = max(1, round(total + step))
        margins = [margin[0] for margin in estimate_margins(noisy[None], np.array([float(size)]))]
        errors = [np.sqrt(noisy.size / share.size * variance + size * share * (1.0 - share)) for share in margins]
        yield size, np.outer(*margins)
        for times in (-1.0, 1.0) if n is not None else (-1.0, 1.0, 3.0):
            moved_margins = [_make_extreme_margin(size * share, times * error) for share, error in zip(margins, errors)]
            yield size, np.outer(*moved_margins)


def _make_extreme_margin(expected: Floats, error: Floats) -> Floats:
    """Return a margin moved by errors: all but the largest share decreased in its favor, or all increased."""
    if error[0] < 0.0:
        counts = expected - error
        return counts / counts.sum()
    counts = np.maximum(expected - error, _MIN_COUNT)
    largest = int(np.argmax(expected))
    counts[largest] = max(expected.sum() - (counts.sum() - counts[largest]), _MIN_COUNT)
    return counts / counts.sum()


Integers = npt.NDArray[np.int64]

# number of tables, fraction retained in each round, and steps of a round
_SPLIT_TABLES, _SPLIT_SHARE, _SPLIT_STEPS = 1_000, 0.1, 8
# fractions retained by a step: small ones for mixing, large ones far in the tail
_RETAINED_SHARES = (0.3, 0.6, 0.85, 0.95)
_MAX_ROUNDS, _ADDED_ERROR = 7, 0.35


def estimate_small_tail(
    compute_statistic: Callable[[Floats], Floats], n: int, p: Floats, rate: float, observed: float
) -> float:
    """Estimate the probability of a statistic at least as large as the observed one, by multilevel splitting.

    Tables are simulated; those with the largest tenth of statistics are retained, resampled, and moved by
    steps that leave the distribution of tables invariant and are rejected if the statistic falls below the tenth. This
    is repeated until the observed statistic is within the largest tenth. A round adds about a sixth to the
    relative error; twice the total error is added to the estimate.

    A step keeps the cells of some records and draws those of the others again, and retains a part of the exponential
    variables of the noise: it multiplies them by beta variables and adds gamma variables.
    """
    rng, cells = make_generator(5), p.ravel()
    counts = rng.multinomial(n, cells, size=_SPLIT_TABLES)
    waits = rng.standard_exponential((2, *counts.shape))

    def evaluate_statistic(counts: Integers, waits: Floats) -> Floats:
        positive, negative = np.floor(waits / rate)
        return compute_statistic((counts + positive - negative).reshape(-1, *p.shape))

    threshold, values, share = compute_tie_threshold(observed), evaluate_statistic(counts, waits), 1.0
    for round_ in range(_MAX_ROUNDS):
        level = float(np.quantile(values, 1.0 - _SPLIT_SHARE, method="lower"))
        if level >= threshold:
            break
        survivors = np.flatnonzero(values >= level)
        share *= survivors.size / _SPLIT_TABLES
        resampled = rng.choice(survivors, _SPLIT_TABLES)
        counts, waits, values = counts[resampled], waits[:, resampled], values[resampled]
        for step in range(_SPLIT_STEPS):
            retained = _RETAINED_SHARES[step % len(_RETAINED_SHARES)]
            new_counts, new_waits = (
                _sample_records_again(rng, counts, n, cells, retained),
                _sample_waits_again(rng, waits, retained),
            )
            new_values = evaluate_statistic(new_counts, new_waits)
            is_accepted = new_values >= level
            counts = np.where(is_accepted[:, None], new_counts, counts)
            waits = np.where(is_accepted[:, None], new_waits, waits)
            values = np.where(is_accepted, new_values, values)
    else:
        round_ = _MAX_ROUNDS
    share *= (1.0 + np.count_nonzero(values >= threshold)) / (1.0 + _SPLIT_TABLES)
    return float(min(1.0, share * (1.0 + _ADDED_ERROR * math.sqrt(1.0 + round_))))


def _sample_records_again(rng: np.random.Generator, counts: Integers, n: int, p: Floats, retained: float) -> Integers:
    """Draw the cells of some records again, each record with probability 1 - `retained`."""
    retained_counts = rng.binomial(counts, retained)
    return retained_counts + rng.multinomial(n - retained_counts.sum(axis=1), p)


def _sample_waits_again(rng: np.random.Generator, waits: Floats, retained: float) -> Floats:
    """Multiply exponential variables by beta variables and add gamma variables, which preserves the distribution."""
    retained_shares = rng.beta(retained, 1.0 - retained, waits.shape)
    return retained_shares * waits + rng.standard_gamma(1.0 - retained, waits.shape)


# largest p-value that is estimated by splitting
_SMALL_PVALUE = 2.0 * NUISANCE_PROBABILITY
# probability of excluded numbers of records, number of margin points, and draws to select these
_EXCLUDED_SIZES_PROBABILITY, _MAX_NUISANCE_POINTS, _SELECTION_DRAWS = 2e-7, 3, 999


def compute_fit_pvalue(noisy: Floats, p: Floats, n: int | None, rate: float) -> tuple[float, float]:
    """Return the goodness-of-fit statistic of a noisy table of shape (k,) and its p-value.

    A simulated p-value of at most 0.002 is estimated again by splitting, with twice its error added, and the result is
    at most 0.002. A smaller p-value is thus based on hundreds of tables at each level, where a simulated one of 0.0005
    would be based on five. If the number of records is private, a part of the p-value accounts for excluded
    numbers, as for t tests (`pydpstat._null_distributions.means.mean_differences`).
    """
    statistic, simulated_pvalue = simulate_fit_pvalue(noisy, p, n, rate)
    if simulated_pvalue > _SMALL_PVALUE:
        return statistic, simulated_pvalue
    return statistic, _compute_small_fit_pvalue(
        tuple(noisy.tolist()), tuple(p.tolist()), n, rate, statistic, simulated_pvalue
    )


@lru_cache(maxsize=64)
def _compute_small_fit_pvalue(
    cells: tuple[float, ...], p: tuple[float, ...], n: int | None, rate: float, statistic: float, first_pvalue: float
) -> float:
    """Return the refined p-value of a table whose simulated p-value is small."""
    shares = np.array(p)

    def estimate_tail(size: int) -> float:
        statistic_function = partial(compute_fit_statistic, p=shares, n=n, rate=rate)
        return estimate_small_tail(statistic_function, size, shares, rate, statistic)

    if n is not None:
        return min(_SMALL_PVALUE, max(estimate_tail(n), PVALUE_FLOOR))
    total, size_margin = (
        sum(cells),
        make_geometric_sum(rate, len(cells)).compute_quantile(0.5 * _EXCLUDED_SIZES_PROBABILITY),
    )
    sizes = {round(max(total + step * size_margin, 0.0)) for step in (-1.0, 0.0, 1.0)}
    return choose_refined_pvalue(
        first_pvalue, NUISANCE_PROBABILITY, _EXCLUDED_SIZES_PROBABILITY + max(map(estimate_tail, sorted(sizes)))
    )


def compute_independence_pvalue(noisy: Floats, n: int | None, rate: float) -> tuple[float, float]:
    """Return the statistic of independence of a noisy table of shape (I, J) and its p-value.

    A small p-value is estimated again by splitting, at the margins with the largest simulated 99 % points.
    """
    statistic, simulated_pvalue = simulate_independence_pvalue(noisy, n, rate)
    if simulated_pvalue > _SMALL_PVALUE:
        return statistic, simulated_pvalue
    return statistic, _compute_small_pvalue(tuple(noisy.ravel().tolist()), noisy.shape, n, rate, statistic)


@lru_cache(maxsize=64)
def _compute_small_pvalue(
    cells: tuple[float, ...], shape: tuple[int, ...], n: int | None, rate: float, statistic: float
) -> float:
    """Return the refined p-value of a table whose simulated p-value is small."""
    noisy, tail_probability = np.array(cells).reshape(shape), 0.0
    nuisance_points = list(iterate_nuisance_points(noisy, n, rate))
    if len(nuisance_points) > _MAX_NUISANCE_POINTS:
        simulated = simulate_independence(noisy, n, rate, _SELECTION_DRAWS)
        order = np.argsort([-float(np.quantile(values, 0.99)) for values in simulated], kind="stable")
        nuisance_points = [nuisance_points[index] for index in order[:_MAX_NUISANCE_POINTS].tolist()]
    for size, p in nuisance_points:
        statistic_function = partial(compute_independence_statistic, n=n if n is None else size, rate=rate)
        tail_probability = max(tail_probability, estimate_small_tail(statistic_function, size, p, rate, statistic))
    return min(_SMALL_PVALUE, max(tail_probability, PVALUE_FLOOR))
