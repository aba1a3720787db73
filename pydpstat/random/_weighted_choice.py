"""Weighted choice among candidates, and permute-and-flip: exact, or in floating point if seeded."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import Floats, exp
from pydpstat.random import secure
from pydpstat.random.secure._bits import draw_below as exact_below
from pydpstat.random.secure._bits import draw_bit_integers as exact_places
from pydpstat.random.secure._bits import draw_permutation as exact_permutation
from pydpstat.random.secure.trials import draw_exp_trials
from pydpstat.random.source import Source

# for each run: the utility of its points, the first point, and the number of points
Runs = tuple[Floats, npt.NDArray[np.int64], npt.NDArray[np.int64]]


def choose_by_weight(
    utility: Floats,
    rate: Fraction,
    source: Source,
    measure: npt.NDArray[np.int64] | Floats | None = None,
    exact_utilities: Sequence[Fraction] | None = None,
) -> int:
    """Choose an index with probability proportional to measure * exp(rate * utility).

    `exact_utilities` has the exact differences from the best utility if `utility` has only the nearest floats
    (`pydpstat.random.secure.choose`).
    """
    if not source.reproducible:
        return secure.choose(utility, rate, measure, exact=exact_utilities)
    (weights,) = _compute_weights([utility], rate)
    weights = weights if measure is None else weights * measure
    return invert_cumulative_sums(weights, float(source.uniform(1)[0]))[0]


def choose_point_by_weight(
    utility: Floats, first: int, n_points: int, rate: Fraction, source: Source, lower_limit: float
) -> int:
    """Choose a point with probability proportional to exp(rate * utility), where most utilities are `lower_limit`.

    The utilities are those of successive points from `first` on, which rise and then fall. All other points have the
    utility `lower_limit` and almost no weight: they are evaluated only if the others do not decide.
    """
    above = np.flatnonzero(utility > lower_limit)
    start, stop = int(above[0]), int(above[-1]) + 1
    n_before, likely_utilities = first + start, utility[start:stop]
    if source.reproducible or likely_utilities.size == n_points:
        return n_before + choose_by_weight(likely_utilities, rate, source)

    def make_all_utilities() -> tuple[Floats, None]:
        utilities = np.full(n_points, lower_limit)
        utilities[n_before : n_before + likely_utilities.size] = likely_utilities
        return utilities, None

    rest = secure.Rest(n_before, lower_limit, float(n_points - likely_utilities.size), make_all_utilities)
    return secure.choose(likely_utilities, rate, rest=rest)


def choose_points_by_weight(runs: Sequence[Runs], rate: Fraction, source: Source) -> list[int]:
    """Choose a point in each of several divisions into runs; a point has the weight exp(rate * utility).

    A run is chosen by the total weight of its points, and then one of its points.
    """
    if not source.reproducible:
        points = []
        for utility, starts, widths in runs:
            run = secure.choose(utility, rate, widths)
            points.append(int(starts[run]) + draw_integer_below(int(widths[run]), source))
        return points
    weights = _compute_weights([utility for utility, _, _ in runs], rate)
    uniforms = source.uniform(len(runs)).tolist()
    points = []
    for weight, uniform, (_, starts, widths) in zip(weights, uniforms, runs):
        # the position of the uniform within the run selects the point, as among all points
        run, share = invert_cumulative_sums(weight * widths, uniform)
        points.append(int(starts[run]) + min(int(share * widths[run]), int(widths[run]) - 1))
    return points


def _compute_weights(utilities: Sequence[Floats], rate: Fraction) -> list[Floats]:
    """Return the weights of several arrays of utilities, scaled so that each maximum is 1."""
    # one call for all because the exponential of a few numbers takes as long as that of a thousand
    exponents = np.concatenate([utility - utility.max() for utility in utilities])
    with np.errstate(over="ignore", under="ignore"):
        weights = exp(exponents * float(rate))
    return np.split(weights, np.cumsum([utility.size for utility in utilities])[:-1])


def invert_cumulative_sums(weights: Floats, uniform: float) -> tuple[int, float]:
    """Return the index whose share of the total weight contains a uniform, and the position in it, from 0 to 1."""
    sums = np.cumsum(weights)
    aim = uniform * float(sums[-1])
    # rounding of the sum could put the uniform beyond the last index
    index = min(int(sums.searchsorted(aim)), weights.size - 1)
    before = float(sums[index - 1]) if index else 0.0
    return index, (aim - before) / (float(sums[index]) - before)


def draw_integer_below(limit: int, source: Source) -> int:
    """Draw an integer from 0 to `limit` - 1 uniformly."""
    if not source.reproducible:
        return exact_below(limit)
    return min(int(source.uniform(1)[0] * limit), limit - 1)


def draw_integers(size: int, bits: int, source: Source) -> npt.NDArray[np.int64]:
    """Draw `size` integers from 0 to 2^bits - 1 uniformly; `bits` is at most 16."""
    if not source.reproducible:
        return exact_places(size, bits)
    return (source.uniform(size) * 2.0**bits).astype(np.int64)


def permute_and_flip(
    scores: Floats, rate: Fraction, source: Source, exact_utilities: Sequence[Fraction] | None = None
) -> int:
    """Choose an index: in random order, the first that is accepted with probability exp(-rate * shortfall).

    `exact_utilities` has the exact differences from the highest score if `scores` has only the nearest floats.
    """
    top = float(scores.max())
    # for a rate near the range limits of floats, only the exact exponents are used
    factor = float(rate) if 2.0**-900 < rate < 2.0**900 else np.nan
    with np.errstate(over="ignore", under="ignore"):
        exponents = (top - scores) * factor
    if source.reproducible:
        order = np.argsort(source.uniform(scores.size), kind="stable")
        is_accepted = source.uniform(scores.size) <= exp(-exponents)
    else:
        order = exact_permutation(scores.size)
        with np.errstate(under="ignore"):
            # bound of the rounding errors of a difference, a rate and a product
            errors = exponents * 2.0**-50 + 2.0**-1000

        def compute_shortfall(i: int) -> Fraction:
            return Fraction(top) - Fraction(float(scores[i])) if exact_utilities is None else -exact_utilities[i]

        is_accepted = draw_exp_trials(exponents, errors, lambda i: rate * compute_shortfall(i))
    is_accepted[scores == top if exact_utilities is None else [value == 0 for value in exact_utilities]] = True
    return int(order[np.argmax(is_accepted[order])])
