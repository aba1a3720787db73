"""Completion of undecided draws in multiple precision, by integer bounds of logarithms and normal tails.

Only mpmath's functions with an explicit precision are used, in a thread-safe way (`pydpstat._multiple_precision`). Each
is computed with at least 20 bits more than its bounds claim. A draw requests further bits of its uniform until lower
and upper bound agree, which happens with probability 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from pydpstat import _multiple_precision as multiple_precision
from pydpstat.random.secure._bits import UniformCell

# bits computed beyond those that a bound claims
_GUARD_BITS = 24
# bits of a first normal quantile in floating point that are certainly correct
_START_BITS = 40


def compute_floor(
    cell: UniformCell, bounds: Callable[[UniformCell, int], tuple[int, int]], ratio: Fraction, half: bool
) -> int:
    """Return floor(ratio * f(U)), or with `half` floor(ratio * f(U) + 1/2), for a ratio of at least 0.

    The cell, the known part of U, is refined as far as needed. `bounds` takes a cell and a precision p and returns
    integers a, b with ``a <= 2**p * f <= b`` on the cell.
    """
    _ensure_precision(cell, ratio)
    while True:
        if cell.place:
            precision = cell.bits + 16
            below, above = bounds(cell, precision)
            # floor(n / d + 1/2) is floor((2 n + d) / (2 d))
            scale = ratio.denominator << (precision + 1)
            add = scale >> 1 if half else 0
            low, high = ((2 * bound * ratio.numerator + add) // scale for bound in (below, above))
            if low == high:
                return low
        cell.draw_more_bits()


def is_log_at_least(cell: UniformCell, exponent: Fraction) -> bool:
    """Return whether -log U is at least `exponent`: a trial with probability exp(-exponent)."""
    while True:
        if cell.place:
            precision = cell.bits + 16
            below, above = bound_minus_log(cell, precision)
            goal = exponent.numerator << precision
            if below * exponent.denominator >= goal:
                return True
            if above * exponent.denominator < goal:
                return False
        cell.draw_more_bits()


def bound_minus_log(cell: UniformCell, precision: int) -> tuple[int, int]:
    """Return bounds of -log U on a cell whose place is not 0, in units of 2**-precision."""
    return (
        max(-_compute_log(cell.place + 1, -cell.bits, precision) - 2, 0),
        -_compute_log(cell.place, -cell.bits, precision) + 2,
    )


def bound_log_share(rate: Fraction, precision: int) -> tuple[int, int]:
    """Return bounds of log(2 / (1 + exp(-rate))), in units of 2**-precision."""
    mp = multiple_precision.get_functions()
    working = precision + _GUARD_BITS
    minus = mp.from_rational(-rate.numerator, rate.denominator, working + _count_whole_bits(rate))
    share = mp.mpf_div(mp.mpf_add(mp.fone, mp.mpf_exp(minus, working)), mp.from_int(2), working)
    value = -mp.to_int(mp.mpf_shift(mp.mpf_log(share, working), precision), "n")
    return max(value - 2, 0), value + 2


def compute_normal_floor(cell: UniformCell, ratio: Fraction, start: Callable[[float], float]) -> int:
    """Return floor(ratio * z + 1/2) for the z >= 0 whose upper normal tail is U / 2, and a ratio >= 0.

    The cell, the known part of U, is refined as far as needed. `start` returns a first z for a U; an error in it costs
    time only.
    """
    if not ratio:
        return 0
    _ensure_precision(cell, ratio)
    while True:
        if cell.place:
            verified: int | None = _approximate_normal_floor(cell, ratio, start)
            while verified is not None:
                candidate = verified
                verified = _verify_normal_floor(cell, ratio, candidate)
                if verified == candidate:
                    return candidate
        cell.draw_more_bits()


def _approximate_normal_floor(cell: UniformCell, ratio: Fraction, start: Callable[[float], float]) -> int:
    """Return floor(ratio * z + 1/2) for the cell's midpoint, or a number near it."""
    mp = multiple_precision.get_functions()
    surplus = max(cell.place.bit_length() - 60, 0)
    z = mp.from_float(start(math.ldexp((cell.place >> surplus) + 0.5, surplus - cell.bits)))
    working = cell.bits + _count_whole_bits(ratio) + 2 * _GUARD_BITS
    if _count_whole_bits(ratio) > _START_BITS:
        z = _solve_normal_quantile(mp.from_man_exp(2 * cell.place + 1, -cell.bits - 1), z, working)
    scaled = mp.mpf_mul(z, mp.from_rational(ratio.numerator, ratio.denominator, working), working)
    return max(int(mp.to_int(mp.mpf_add(scaled, mp.fhalf, working), "f")), 0)


def _verify_normal_floor(cell: UniformCell, ratio: Fraction, place: int) -> int | None:
    """Return the place if it is correct for the whole cell, the next one towards it, or None if undecided.

    It is correct if U/2 lies between the tails beyond the upper and the lower edge of the place.
    """
    mp = multiple_precision.get_functions()
    cell_low = mp.from_man_exp(cell.place, -cell.bits)
    cell_high = mp.from_man_exp(cell.place + 1, -cell.bits)
    low, high = _bound_twice_tail(Fraction(2 * place + 1, 2) / ratio, cell.bits + _GUARD_BITS)
    if mp.mpf_lt(cell_low, high):
        return place + 1 if mp.mpf_le(cell_high, low) else None
    if place:
        low, high = _bound_twice_tail(Fraction(2 * place - 1, 2) / ratio, cell.bits + _GUARD_BITS)
        if mp.mpf_gt(cell_high, low):
            return place - 1 if mp.mpf_ge(cell_low, high) else None
    return place


def compute_exponentials(exponents: list[Fraction], precision: int) -> list[int]:
    """Return exp(x) for each x <= 0 in units of 2**-precision, accurate to one unit."""
    mp = multiple_precision.get_functions()
    # below it the exponential is less than a unit
    min_exponent = -precision
    result = []
    for exponent in exponents:
        if exponent < min_exponent:
            result.append(0)
            continue
        working = precision + _GUARD_BITS
        value = mp.mpf_exp(
            mp.from_rational(exponent.numerator, exponent.denominator, working + _count_whole_bits(exponent)), working
        )
        result.append(mp.to_int(mp.mpf_shift(value, precision), "n"))
    return result


def compute_largest_noise(place: int, bits: int, count: int, precision: int) -> int:
    """Return -log(1 - U**(1 / count)) for U = place / 2**bits, in units of 2**-precision, accurate to one unit.

    `place` is from 1 to 2**bits - 1.
    """
    mp = multiple_precision.get_functions()
    # 1 - U**(1 / count) is at least 2**-bits / count
    working = precision + bits + count.bit_length() + _GUARD_BITS
    log = mp.mpf_log(mp.from_man_exp(place, -bits), working)
    root = mp.mpf_exp(mp.mpf_div(log, mp.from_int(count), working), working)
    value = mp.mpf_neg(mp.mpf_log(mp.mpf_sub(mp.fone, root, working), working))
    return int(mp.to_int(mp.mpf_shift(value, precision), "n"))


def _ensure_precision(cell: UniformCell, ratio: Fraction) -> None:
    """Refine a cell until it is small enough that a multiple of it may be decided."""
    while cell.bits < _count_whole_bits(ratio):
        cell.draw_more_bits()


def _count_whole_bits(number: Fraction) -> int:
    """Return the number of bits of a rational's integer part, at least 1."""
    return max(abs(number.numerator).bit_length() - number.denominator.bit_length() + 1, 1)


def _compute_log(mantissa: int, exponent: int, precision: int) -> int:
    """Return log(mantissa * 2**exponent) in units of 2**-precision, accurate to one unit."""
    mp = multiple_precision.get_functions()
    value = mp.mpf_log(mp.from_man_exp(mantissa, exponent), precision + _GUARD_BITS)
    return int(mp.to_int(mp.mpf_shift(value, precision), "n"))


def _bound_twice_tail(edge: Fraction, precision: int) -> tuple[tuple, tuple]:
    """Return bounds of the probability that a standard normal is beyond +-edge, within a relative 2**-precision."""
    mp = multiple_precision.get_functions()
    # the tail's relative error is up to edge^2 + 1 times that of the edge
    working = precision + 2 * _count_whole_bits(edge) + _GUARD_BITS
    t = mp.mpf_div(mp.from_rational(edge.numerator, edge.denominator, working), mp.mpf_sqrt(mp.ftwo, working), working)
    tail = mp.mpf_erfc(t, working)
    slack = mp.mpf_shift(tail, -precision)
    return mp.mpf_sub(tail, slack), mp.mpf_add(tail, slack)


def _solve_normal_quantile(probability: tuple, start: tuple, precision: int) -> tuple:
    """Return z with twice the upper tail equal to `probability`, by Newton's method."""
    mp = multiple_precision.get_functions()
    root2 = mp.mpf_sqrt(mp.ftwo, precision)
    factor = mp.mpf_sqrt(mp.mpf_div(mp.mpf_pi(precision), mp.ftwo, precision), precision)
    # in t = z / sqrt(2): d erfc(t) = -2 / sqrt(pi) exp(-t^2) dt, and z = t sqrt(2)
    z = start
    # each step doubles the number of correct bits
    for _ in range(math.ceil(math.log2(precision / _START_BITS))):
        t = mp.mpf_div(z, root2, precision)
        density = mp.mpf_exp(mp.mpf_mul(t, t, precision), precision)
        excess = mp.mpf_sub(mp.mpf_erfc(t, precision), probability, precision)
        step = mp.mpf_mul(mp.mpf_mul(excess, density, precision), factor, precision)
        z = mp.mpf_add(z, step, precision)
    return z
