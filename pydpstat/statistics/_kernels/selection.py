"""Random choices of pydpstat's functions: exact with the operating system, in floats when seeded."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import exp
from pydpstat.random import Source, secure
from pydpstat.random.secure._bits import below as exact_below
from pydpstat.random.secure._bits import permutation as exact_permutation
from pydpstat.random.secure._bits import places as exact_places
from pydpstat.random.secure.trials import trials_exp

Floats = npt.NDArray[np.float64]
# of each run: the utility of its points, the first of them, and how many there are
Runs = tuple[Floats, npt.NDArray[np.int64], npt.NDArray[np.int64]]


def weighted(
    utility: Floats,
    rate: Fraction,
    source: Source,
    measure: npt.NDArray[np.int64] | Floats | None = None,
    exact: Sequence[Fraction] | None = None,
) -> int:
    """Choose a place with probability proportional to measure * exp(rate * utility).

    `exact` has the utilities' differences from the best one where `utility` has only the floats nearest
    to them (`pydpstat.random.secure.choose`).

    Examples
    --------
    >>> from pydpstat.random.source import SYSTEM
    >>> weighted(np.array([-1e9, 0.0, -1e9]), Fraction(1), SYSTEM)
    1
    """
    if not source.reproducible:
        return secure.choose(utility, rate, measure, exact=exact)
    (weights,) = _weights([utility], rate)
    weights = weights if measure is None else weights * measure
    return _by_sums(weights, float(source.uniform(1)[0]))[0]


def weighted_above(
    utility: Floats, first: int, points: int, rate: Fraction, source: Source, least: float
) -> int:
    """Choose a point with probability proportional to exp(rate * utility), where most utilities are `least`.

    The utilities are those of successive points from `first` on, which rise and then fall. All other points
    have `least`, whose weight is next to nothing: they are looked at only where the others do not decide.

    Examples
    --------
    >>> from pydpstat.random.source import SYSTEM
    >>> weighted_above(np.array([-1e9, 0.0, -1e9]), 4, 100, Fraction(1), SYSTEM, -1e9)
    5
    """
    above = np.flatnonzero(utility > least)
    start, stop = int(above[0]), int(above[-1]) + 1
    before, likely = first + start, utility[start:stop]
    if source.reproducible or likely.size == points:
        return before + weighted(likely, rate, source)

    def everything() -> tuple[Floats, None]:
        whole = np.full(points, least)
        whole[before : before + likely.size] = likely
        return whole, None

    rest = secure.Rest(before, least, float(points - likely.size), everything)
    return secure.choose(likely, rate, rest=rest)


def weighted_points(runs: Sequence[Runs], rate: Fraction, source: Source) -> list[int]:
    """Choose a point in each of several divisions into runs; a point has the weight exp(rate * utility).

    A run is chosen by its number of points times their weight, and then one of its points.

    Examples
    --------
    >>> from pydpstat.random.source import SYSTEM
    >>> runs = np.array([-1e9, 0.0, -1e9]), np.array([0, 7, 8]), np.array([7, 1, 2])
    >>> weighted_points([runs, runs], Fraction(1), SYSTEM)
    [7, 7]
    """
    if not source.reproducible:
        chosen = []
        for utility, starts, widths in runs:
            run = secure.choose(utility, rate, widths)
            chosen.append(int(starts[run]) + below(int(widths[run]), source))
        return chosen
    weights = _weights([utility for utility, _, _ in runs], rate)
    uniforms = source.uniform(len(runs)).tolist()
    chosen = []
    for each, uniform, (_, starts, widths) in zip(weights, uniforms, runs):
        # where in the run the uniform falls tells which point, as it would among all points
        run, share = _by_sums(each * widths, uniform)
        chosen.append(int(starts[run]) + min(int(share * widths[run]), int(widths[run]) - 1))
    return chosen


def _weights(utilities: Sequence[Floats], rate: Fraction) -> list[Floats]:
    """Return the weights of several lists of utilities, each list's largest 1."""
    # one call for all: the exponential of a few numbers takes as long as that of a thousand
    exponents = np.concatenate([utility - utility.max() for utility in utilities])
    with np.errstate(over="ignore", under="ignore"):
        weights = exp(exponents * float(rate))
    return np.split(weights, np.cumsum([utility.size for utility in utilities])[:-1])


def _by_sums(weights: Floats, uniform: float) -> tuple[int, float]:
    """Return the place whose part of all weights a uniform falls into, and where in it from 0 to 1."""
    sums = np.cumsum(weights)
    aim = uniform * float(sums[-1])
    # the sum's own rounding could put the uniform beyond the last place
    place = min(int(sums.searchsorted(aim)), weights.size - 1)
    before = float(sums[place - 1]) if place else 0.0
    return place, (aim - before) / (float(sums[place]) - before)


def below(limit: int, source: Source) -> int:
    """Choose an integer from 0 to below `limit`, all with the same probability."""
    if not source.reproducible:
        return exact_below(limit)
    return min(int(source.uniform(1)[0] * limit), limit - 1)


def places(size: int, bits: int, source: Source) -> npt.NDArray[np.int64]:
    """Draw so many integers from 0 to below 2^bits, at most 2^16."""
    if not source.reproducible:
        return exact_places(size, bits)
    return (source.uniform(size) * 2.0**bits).astype(np.int64)


def permute_and_flip(
    scores: Floats, rate: Fraction, source: Source, exact: Sequence[Fraction] | None = None
) -> int:
    """Choose a place: in random order, the first that is taken with probability exp(-rate * shortfall).

    `exact` has the differences from the highest score where `scores` has only the floats nearest to them.

    Examples
    --------
    >>> from pydpstat.random.source import SYSTEM
    >>> permute_and_flip(np.array([-1e9, 0.0, -1e9]), Fraction(1), SYSTEM)
    1
    """
    top = float(scores.max())
    # a rate that is hardly a float leaves everything to the exact exponents
    factor = float(rate) if 2.0**-900 < rate < 2.0**900 else np.nan
    with np.errstate(over="ignore", under="ignore"):
        exponents = (top - scores) * factor
    if source.reproducible:
        order = np.argsort(source.uniform(scores.size), kind="stable")
        taken = source.uniform(scores.size) <= exp(-exponents)
    else:
        order = exact_permutation(scores.size)
        with np.errstate(under="ignore"):
            # a difference, a rate and a product, each rounded once
            errors = exponents * 2.0**-50 + 2.0**-1000

        def shortfall(i: int) -> Fraction:
            return Fraction(top) - Fraction(float(scores[i])) if exact is None else -exact[i]

        taken = trials_exp(exponents, errors, lambda i: rate * shortfall(i))
    taken[scores == top if exact is None else [each == 0 for each in exact]] = True
    return int(order[np.argmax(taken[order])])
