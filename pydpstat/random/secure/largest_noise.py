"""Exact choice by permute-and-flip: the largest score plus exponential noise.

Let g >= 0 be the rate times the difference between the best score and that of a candidate. Each candidate gets
independent standard exponential noise, and the one with the largest noise minus g is chosen. The c candidates with the
same score form a run, whose largest noise is drawn directly: it is below m with probability (1 - exp(-m))^c, so that
``m(U) = -log(1 - U^(1/c))`` has its distribution. All members of the chosen run are equally likely.

Floating point decides if it can. With L = -log U and x = L / c, m = -log(1 - exp(-x)), where ``x |dm/dx| = x / (exp(x)
- 1) <= 1``: a relative error d <= 1/2 of x changes m by at most -log(1 - d) <= 2 d. U's unknown bits, h on each side,
cause d <= 2 h / (U L) if U >= 2 h; the rounding errors of log, division and expm1, at most 64 units of 2^-52 each, and
that of the last log, which is relative to m or to 1, stay below 2^-42 (1 + m), and the error of g is at most 2^-50 g (a
difference, a rate and a product, each rounded once). The best lower bound is compared with all upper bounds. If this
does not decide, which for two runs happens in about one choice in 2^40, the remaining runs are compared in integers
(`_choose_exactly`), with further bits of the same U, until one lower bound is above all other upper bounds. Two runs
are equal with probability 0.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.random.secure import _bits as bits
from pydpstat.random.secure import _precise as precise
from pydpstat.random.secure._bits import UniformCell

Integers = npt.NDArray[np.int64]
_ROUNDING = 2.0**-42
# limits beyond which the product of a gap and a rate overflows or is negligible
_LARGEST_RATE, _SMALLEST_ERROR = 2**900, 2.0**-1000


def noisy_max(
    scores: Floats,
    rate: Fraction,
    counts: Integers,
    first: Integers,
) -> list[int]:
    """Choose a run in each of several groups by permute-and-flip, exactly.

    Parameters
    ----------
    scores : ndarray of shape (k,)
        The score of each run's candidates, group after group; finite, and taken as the exact number that
        its float is.
    rate : Fraction
        epsilon / (2 * sensitivity); above 0.
    counts : ndarray of shape (k,)
        Number of candidates in each run, at least 1.
    first : ndarray of shape (m,)
        The place of each group's first run, from 0 on and ascending; no group is empty.

    Returns
    -------
    list of int
        The place of the run that is chosen in each group.

    References
    ----------
    McKenna, R. and Sheldon, D. (2020). Permute-and-flip: a new mechanism for differentially private
    selection. NeurIPS 2020. Ding, Z., Kifer, D., Steinke, T. et al. (2021). The permute-and-flip mechanism
    is identical to report-noisy-max with exponential noise. arXiv:2105.07260.

    Examples
    --------
    >>> one = np.ones(3, dtype=np.int64)
    >>> noisy_max(np.array([0.0, 1e9, 3.0]), Fraction(1), one, np.array([0]))
    [1]
    """
    drawn = bits.draw_words(scores.size)
    tops = np.maximum.reduceat(scores, first)
    factor = float(rate) if rate < _LARGEST_RATE else np.inf
    # with one group nothing has to be repeated
    sizes = np.diff(first, append=scores.size) if first.size > 1 else None
    with np.errstate(all="ignore"):
        gaps = (_expand_groups(tops, sizes) - scores) * factor
        noise, errors = _compute_largest_noise(bits.to_midpoints(drawn), counts)
        noise -= gaps
        gaps *= 2.0**-50
        errors += gaps
        errors += _SMALLEST_ERROR
        lower, upper = noise - errors, noise + errors
    # NaN and infinite bounds decide nothing
    unknown = ~(upper < np.inf)
    lower[unknown], upper[unknown] = -np.inf, np.inf
    plausible = np.flatnonzero(upper >= _expand_groups(np.maximum.reduceat(lower, first), sizes))
    limits = plausible.searchsorted(np.append(first, scores.size)).tolist()
    if len(plausible) == first.size:
        return [int(index) for index in plausible]
    indices = []
    for start, stop in pairwise(limits):
        candidates = plausible[start:stop].tolist()
        if len(candidates) > 1:
            utilities = [rate * Fraction(float(scores[index])) for index in candidates]
            cells = [bits.make_cell(int(drawn[index])) for index in candidates]
            candidates = [candidates[_choose_exactly(utilities, [int(counts[index]) for index in candidates], cells)]]
        indices.append(int(candidates[0]))
    return indices


def _expand_groups(groups: Floats, sizes: Integers | None) -> Floats:
    """Repeat a number of each group for its runs."""
    return groups if sizes is None else np.repeat(groups, sizes)


def _compute_largest_noise(uniform: Floats, counts: Integers) -> tuple[Floats, Floats]:
    """Return the largest noise of each run, and a bound on its error, infinite if there is none."""
    h = bits.get_half_cell()
    logs = -np.log(uniform)
    noise = -np.log(-np.expm1(-logs / counts))
    share = 2.0 * h / (uniform * logs)
    share[(share > 0.5) | (uniform < 2.0 * h)] = np.inf
    share *= 2.0
    share += (1.0 + noise) * _ROUNDING
    return noise, share


def _choose_exactly(scores: list[Fraction], counts: list[int], cells: list[UniformCell]) -> int:
    """Return the run with the largest score plus noise, by integer bounds."""
    precision = 128
    while True:
        bounds = [
            _bound_noisy_score(score, count, cell, precision) for score, count, cell in zip(scores, counts, cells)
        ]
        winner = max(range(len(bounds)), key=lambda each: bounds[each][0])
        other_highs = [high for each, (_, high) in enumerate(bounds) if each != winner]
        if all(high is not None and high <= bounds[winner][0] for high in other_highs):
            return winner
        precision *= 2
        for cell in cells:
            cell.draw_more_bits()


def _bound_noisy_score(score: Fraction, count: int, cell: UniformCell, precision: int) -> tuple[int, int | None]:
    """Return bounds of a run's largest noise plus its score, in units of 2**-precision.

    The upper bound is None for a cell next to U = 1.
    """
    units = score.numerator << precision
    base = units // score.denominator
    low = 0 if not cell.place else precise.compute_largest_noise(cell.place, cell.bits, count, precision) - 1
    if cell.place + 1 == 1 << cell.bits:
        return low + base, None
    return low + base, precise.compute_largest_noise(cell.place + 1, cell.bits, count, precision) + 2 + base
