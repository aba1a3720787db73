"""The choice of the exponential mechanism, with exactly its distribution.

A uniform U selects the first candidate whose cumulative weight is at least U times the total. The weights ``measure *
exp(rate * (utility - top))`` are first computed in floating point. The relative error of a weight is at most 64 units
of 2^-52 for the exponential (one is documented, NumPy's tests allow 4), |exponent| units of 2^-51 for the two roundings
of the exponent, where an exponent below -746 gives 0, and 2^-52 for the measure: 2^-41 in total. Underflowing weights
are below 2^-1000 of the total, which is at least 1e-280. The sums have less than (chunk + n / chunk) roundings of 2^-53
each. If the distance between U times the total and every boundary exceeds all these errors and U's unknown bits, the
choice is exact. Candidates that are omitted at first (`Rest`) shift every boundary by at most a bound of their weight,
and a boundary precedes the first of the others, even if that bound underflows. Otherwise `_choose_exactly` repeats the
choice in integers, with bounds, until it is decided.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.random.secure import _bits as bits
from pydpstat.random.secure import _precise as precise
from pydpstat.random.secure._bits import UniformCell

# returns at most CHUNK_SIZE weights starting at an index, in an array that may be overwritten
Weights = Callable[[int], Floats]

# a chunk of weights fits into the second-level cache
CHUNK_SIZE = 16384
# sums in this range have neither lost small weights to underflow nor overflowed
_SMALLEST_SUM, _LARGEST_SUM = 1e-280, 1e300


def compute_chunk_sums(size: int, weights: Weights) -> Floats:
    """Return the cumulative sums of all weights at the end of each chunk.

    >>> compute_chunk_sums(3, lambda start: np.array([1.0, 2.0, 3.0])).tolist()
    [6.0]
    """
    return np.cumsum([weights(start).sum() for start in range(0, size, CHUNK_SIZE)])


def is_in_range(sums: Floats) -> bool:
    """Return whether the sums are numbers without losses to underflow or overflow."""
    return bool(sums.size) and _SMALLEST_SUM < float(sums[-1]) < _LARGEST_SUM


def find_first_reaching(
    aim: float, sums: Floats, weights: Weights, slack: float, floor: float = -math.inf
) -> int | None:
    """Return the first index whose cumulative sum is at least `aim`, or None if `slack` leaves it undecided.

    `sums` are the weights' `compute_chunk_sums`, and `slack` bounds the errors of a cumulative sum and of `aim` added
    up. `floor` is the sum before the first index; minus infinity if no candidates precede it.

    >>> compute_weights = lambda start: np.array([1.0, 2.0, 3.0])
    >>> find_first_reaching(2.5, compute_chunk_sums(3, compute_weights), compute_weights, 0.1)
    1
    >>> find_first_reaching(2.95, compute_chunk_sums(3, compute_weights), compute_weights, 0.1)
    """
    chunk = int(np.searchsorted(sums, aim))
    if chunk == sums.size:
        return None
    start, before = chunk * CHUNK_SIZE, float(sums[chunk - 1]) if chunk else 0.0
    inside = weights(start)
    np.cumsum(inside, out=inside)
    inside += before
    index = int(np.searchsorted(inside, aim))
    if index == inside.size or not inside[index] - aim > slack:
        return None
    if index:
        before = inside[index - 1]
    elif not chunk:
        before = floor
    return start + index if aim - before > slack else None


_WEIGHT_ERROR = 2.0**-41


def choice_rate(epsilon: float, sensitivity: float) -> Fraction:
    """Return epsilon / (2 * sensitivity) exactly; 0 for an infinite sensitivity.

    Examples
    --------
    >>> from pydpstat.random.secure import choice_rate
    >>> choice_rate(1.0, 2.0)
    Fraction(1, 4)
    """
    return Fraction(0) if sensitivity == np.inf else Fraction(epsilon) / (2 * Fraction(sensitivity))


Candidates = tuple[npt.ArrayLike, npt.ArrayLike | None]


@dataclass(frozen=True, slots=True)
class Rest:
    """Unlikely candidates that are evaluated only if the others do not decide the choice."""

    # number of these candidates that precede the others
    before: int
    # upper limit of their utilities
    utility: float
    # upper bound of the sum of their measures
    measure: float
    # function that returns utility and measure of all candidates, in order
    everything: Callable[[], Candidates]


def choose(
    utility: npt.ArrayLike,
    rate: float | Fraction = 1,
    measure: npt.ArrayLike | None = None,
    rest: Rest | None = None,
    exact: Sequence[Fraction] | None = None,
) -> int:
    """Choose a candidate with a probability proportional to measure * exp(rate * utility), exactly.

    Utilities, one for each candidate, are floats, taken as the exact numbers that they represent; minus infinity
    excludes a candidate. The rate, at least 0, is epsilon / (2 * sensitivity) (`choice_rate`); with 1 the utilities are
    the logarithms of the weights. A measure is a candidate's weight before the data are seen, at least 0 and finite,
    1 by default. `rest` has further candidates before and after these. If floats cannot represent the utilities,
    `exact` has their differences from the best one, at most 0, and `utility` the nearest floats; this cannot be
    combined with `rest`.

    Returns the candidate's index among all. Raises an error if no candidate can be chosen, or a utility is NaN or
    infinity.

    References
    ----------
    McSherry, F. and Talwar, K. (2007). Mechanism design via differential privacy. FOCS 2007.

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> secure.choose([0.0, 1e9, 3.0], 1.0)
    1
    """
    utilities = np.asarray(utility, dtype=np.float64)
    measures = None if measure is None else np.asarray(measure, dtype=np.float64)
    drawn = bits.draw_word()
    rational = Fraction(rate)
    index = None
    # if no candidate here can be chosen, one of the rest may be
    if rest is None or _find_possible(utilities, measures).any():
        top = _get_best_utility(utilities, measures)
        index = _choose_fast(utilities, rational, measures, top, bits.to_midpoint(drawn), rest)
    if index is not None:
        return index + (rest.before if rest else 0)
    if rest is not None:
        utility, measure = rest.everything()
        utilities = np.asarray(utility, dtype=np.float64)
        measures = None if measure is None else np.asarray(measure, dtype=np.float64)
    return _choose_exactly(utilities, rational, measures, exact, bits.make_cell(drawn))


def _find_possible(utilities: Floats, measures: Floats | None) -> npt.NDArray[np.bool_]:
    """Return the mask of the candidates that can be chosen."""
    possible = utilities > -np.inf
    return possible if measures is None else possible & (measures > 0.0)


def _get_best_utility(utilities: Floats, measures: Floats | None) -> float:
    """Return the best utility of a candidate that can be chosen."""
    if measures is not None and not (np.isfinite(measures) & (measures >= 0.0)).all():
        raise PydpstatError("measure must be finite numbers of at least 0.")
    weighty = utilities if measures is None else utilities[measures > 0.0]
    top = float(weighty.max(initial=-np.inf))
    # NaN and infinity propagate through the maximum
    if not np.isfinite(top) or (measures is not None and np.isnan(utilities).any()):
        raise PydpstatError(
            "no candidate can be chosen: utility must be finite or -inf, and at least one candidate "
            "must have a finite utility and a positive measure."
        )
    return top


def _choose_fast(
    utilities: Floats,
    rate: Fraction,
    measures: Floats | None,
    top: float,
    uniform: float,
    rest: Rest | None = None,
) -> int | None:
    """Return the choice by floating point, or None if it is undecided."""
    n = utilities.size
    factor = float(rate) if rate < 2**1023 else np.inf
    if not 1e-280 < factor < 1e280:
        return None
    # a power of two, so that it scales exactly: the best candidates' weights are near 1
    scale = 0 if measures is None else -int(np.frexp(measures[utilities == top].max())[1])
    buffer = np.empty(min(CHUNK_SIZE, n))

    def compute_weights(start: int) -> Floats:
        values = utilities[start : start + CHUNK_SIZE]
        weights = np.subtract(values, top, out=buffer[: values.size])
        weights *= factor
        if measures is not None:
            # only candidates of measure 0 have a utility above the top
            np.minimum(weights, 0.0, out=weights)
        np.exp(weights, out=weights)
        if measures is not None:
            weights *= np.ldexp(measures[start : start + CHUNK_SIZE], scale)
        return weights

    with np.errstate(all="ignore"):
        sums, omitted_weight = compute_chunk_sums(n, compute_weights), 0.0
        if not is_in_range(sums):
            return None
        if rest is not None:
            # twice, which covers the roundings
            omitted_weight = 2.0 * float(np.ldexp(rest.measure, scale) * np.exp(factor * (rest.utility - top)))
        total = float(sums[-1])
        slack = (_WEIGHT_ERROR + (CHUNK_SIZE + n / CHUNK_SIZE + 64.0) * 2.0**-52 + 2.0 * bits.get_half_cell()) * total
        floor = 0.0 if rest is not None and rest.before else -np.inf
        return find_first_reaching(uniform * total, sums, compute_weights, slack + omitted_weight, floor)


def _choose_exactly(
    utilities: Floats,
    rate: Fraction,
    measures: Floats | None,
    exact: Sequence[Fraction] | None,
    cell: UniformCell,
) -> int:
    """Return the choice by integer bounds of all weights."""
    top = _get_best_utility(utilities, measures)
    positions = np.flatnonzero(_find_possible(utilities, measures))
    if exact is None:
        distinct, which = np.unique(utilities[positions], return_inverse=True)
        indices = which.reshape(-1).tolist()
        exponents = [rate * (Fraction(utility) - Fraction(top)) for utility in distinct.tolist()]
    else:
        exponents = [rate * exact[position] for position in positions.tolist()]
        indices = list(range(positions.size))
    sizes = [1] * positions.size if measures is None else _to_integer_ratios(measures[positions])
    precision = 128
    while True:
        weights = precise.compute_exponentials(exponents, precision)
        # the error of each weight is at most one unit, so that of a sum is at most its measures
        sums = list(accumulate(size * weights[index] for size, index in zip(sizes, indices)))
        errors = list(accumulate(sizes))
        decided = _find_decided(sums, errors, cell)
        if decided is not None:
            return int(positions[decided])
        precision *= 2
        # as many bits as the weights have, because a far tail needs all of them
        while cell.bits < precision:
            cell.draw_more_bits()


def _find_decided(sums: list[int], errors: list[int], cell: UniformCell) -> int | None:
    """Return the index that U selects, if the bounds sum -+ error decide it; else None."""
    low = cell.place * max(sums[-1] - errors[-1], 0)
    high = (cell.place + 1) * (sums[-1] + errors[-1])
    first_index = bisect_left(sums, -(-high >> cell.bits))
    for index in (first_index, first_index + 1):
        if index >= len(sums):
            break
        has_upper = (sums[index] - errors[index]) << cell.bits >= high
        has_lower = index == 0 or (sums[index - 1] + errors[index - 1]) << cell.bits <= low
        if has_upper:
            return index if has_lower else None
    # the last one takes the remainder
    last = len(sums) - 1
    if last == 0 or (sums[last - 1] + errors[last - 1]) << cell.bits <= low:
        return last
    return None


def _to_integer_ratios(measures: Floats) -> list[int]:
    """Return integers in exactly the same proportions."""
    ratios = [measure.as_integer_ratio() for measure in measures.tolist()]
    common = max(denominator for _, denominator in ratios)
    return [numerator * (common // denominator) for numerator, denominator in ratios]
