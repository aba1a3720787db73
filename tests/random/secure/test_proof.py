"""The proof's premises: the functions' errors against multiple precision, and bounds that hold."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from pydpstat.random import secure
from pydpstat.random.secure import _bits as bits
from pydpstat.random.secure import _precise as precise
from pydpstat.random.secure import continuous, discrete

GENERATOR = np.random.default_rng(11)


def uniforms(n):
    """Midpoints of cells all over (0, 1), and close to both of its ends and to a half."""
    cells = GENERATOR.integers(0, 2**52, n)
    small = GENERATOR.integers(0, 2 ** GENERATOR.integers(1, 52, n))
    half = 2**51 + GENERATOR.integers(-(2**20), 2**20, n // 4)
    ends = np.array([0, 1, 2, 2**52 - 1, 2**52 - 2, 2**51, 2**51 - 1])
    whole = np.concatenate([cells, small, 2**52 - 1 - small, half, ends])
    return (whole + 0.5) * 2.0**-52


def worst(computed, exact):
    """Largest relative error."""
    return max(abs((mpmath.mpf(float(c)) - e) / e) for c, e in zip(computed, exact))


def test_the_logarithm_is_as_exact_as_the_proof_says():
    u = uniforms(3000)
    with mpmath.workdps(40):
        exact = [-mpmath.log(mpmath.mpf(float(each))) for each in u]
        # the arrays' function may use other instructions than that of a number
        for computed in (-np.log(u), -np.log(u[:1000:1]), [-math.log(each) for each in u.tolist()]):
            assert worst(computed, exact) < continuous.LOG_ERROR / 16


@pytest.mark.slow
def test_the_normal_quantile_is_as_exact_as_the_proof_says():
    u = uniforms(700)
    with mpmath.workdps(40):
        # erfinv cancels for arguments near 1, so the tail's equation is solved
        exact = []
        for each, start in zip(u.tolist(), (-continuous.NORMAL_QUANTILE.minus_many(u.copy())).tolist()):
            half = mpmath.mpf(each) / 2
            z = mpmath.mpf(start)
            for _ in range(3):
                z += (mpmath.erfc(z / mpmath.sqrt(2)) / 2 - half) / mpmath.npdf(z)
            exact.append(z)
        many = -continuous.NORMAL_QUANTILE.minus_many(u.copy())
        one = [-continuous.NORMAL_QUANTILE.minus_one(each) for each in u.tolist()]
        assert worst(many, exact) < continuous.NORMAL_ERROR / 8
        assert worst(one, exact) < continuous.NORMAL_ERROR / 8


def extreme_words(n):
    """Words all over, and many next to 0 and 1."""
    plain = [int(each) for each in GENERATOR.integers(0, 2**63, n)]
    small = [int(each) >> int(shift) for each, shift in zip(plain, GENERATOR.integers(0, 50, n))]
    return plain + small + [2**64 - 1 - each for each in small]


QUANTILES = [
    (
        "Laplace",
        continuous.LOG_QUANTILE,
        lambda r: 0.0,
        lambda cell, r: precise.compute_floor(cell, precise.bound_minus_log, Fraction(r), True),
    ),
    (
        "normal",
        continuous.NORMAL_QUANTILE,
        lambda r: 0.0,
        lambda cell, r: precise.compute_normal_floor(
            cell, Fraction(r), lambda u: -continuous._compute_minus_normal_one(u)
        ),
    ),
    ("geometric", continuous.LOG_QUANTILE, lambda r: r * math.log1p(math.tanh(0.5 / r)) - 0.5, None),
    (
        "sign times geometric",
        continuous.LOG_QUANTILE,
        lambda r: -0.5,
        lambda cell, r: precise.compute_floor(cell, precise.bound_minus_log, Fraction(r), False),
    ),
]


def geometric_exactly(cell, ratio):
    rate = 1 / Fraction(ratio)

    def bounds(part, precision):
        (a, b), (c, d) = precise.bound_minus_log(part, precision), precise.bound_log_share(rate, precision)
        return a + c, b + d

    return precise.compute_floor(cell, bounds, Fraction(ratio), False)


@pytest.mark.parametrize(
    "quantile, shift, exactly", [each[1:] for each in QUANTILES], ids=[each[0] for each in QUANTILES]
)
@pytest.mark.parametrize("ratio", [0.01, 0.9, 5.3, 2.0**20, 1.7 * 2.0**20, 3.3e10, 1e13])
def test_what_floating_point_decides_is_right(quantile, shift, exactly, ratio):
    exactly = exactly or geometric_exactly
    words = extreme_words(60 if quantile is continuous.NORMAL_QUANTILE else 200)
    array = np.array(words, dtype=np.uint64)
    result = np.empty(array.size)
    with np.errstate(all="ignore"):
        undecided = set(continuous._round_many(quantile, ratio, shift(ratio), array, result).tolist())
    decided = 0
    for place, word in enumerate(words):
        # every point of the word's cell must come out the same: both of its ends are cells of their own
        cell = bits.make_cell(word)
        one = continuous._round_one(quantile, ratio, shift(ratio), word)
        if place in undecided and one is None:
            continue
        decided += 1
        low = exactly(bits.UniformCell(cell.place << 64, cell.bits + 64), ratio) if cell.place else None
        high = exactly(bits.UniformCell((cell.place + 1 << 64) - 1, cell.bits + 64), ratio)
        assert low == high
        if place not in undecided:
            assert result[place] == bits.get_sign(word) * high
        if one is not None:
            assert one == bits.get_sign(word) * high
    assert decided > (0.5 if ratio < 1e9 else 0.02) * len(words)


def test_the_first_cell_is_never_decided():
    for quantile in (continuous.LOG_QUANTILE, continuous.NORMAL_QUANTILE):
        for ratio in (1e-300, 1e-3, 1.0):
            assert continuous._round_one(quantile, ratio, 0.0, 5) is None
            words = np.zeros(3, dtype=np.uint64)
            assert continuous._round_many(quantile, ratio, 0.0, words, np.empty(3)).tolist() == [0, 1, 2]


def test_integer_bounds():
    with mpmath.workdps(80):
        for place, known in ((1, 52), (2**52 - 1, 52), (12345, 20), (3 << 100, 130)):
            for precision in (20, 90, 160):
                low, high = precise.bound_minus_log(bits.UniformCell(place, known), precision)
                scale = mpmath.mpf(2) ** precision
                assert low <= -mpmath.log(mpmath.mpf(place + 1) / 2**known) * scale
                assert high >= -mpmath.log(mpmath.mpf(place) / 2**known) * scale
                width = mpmath.log1p(mpmath.mpf(1) / place) * scale
                assert high - low <= width + 6
        for rate in (Fraction(1, 10**20), Fraction(1, 3), Fraction(7), Fraction(10**6)):
            low, high = precise.bound_log_share(rate, 100)
            exact = mpmath.log(2 / (1 + mpmath.exp(-mpmath.mpf(rate.numerator) / rate.denominator))) * 2**100
            assert low <= exact <= high and high - low <= 4


def test_exponentials():
    exponents = [Fraction(0), Fraction(-1, 3), Fraction(-50), Fraction(-1000), Fraction(-(10**30))]
    with mpmath.workdps(80):
        for each, found in zip(exponents, precise.compute_exponentials(exponents, 128)):
            exact = mpmath.exp(mpmath.mpf(each.numerator) / each.denominator) * mpmath.mpf(2) ** 128
            assert abs(found - exact) <= 1


def test_a_rate_is_taken_as_the_number_that_it_is(monkeypatch):
    seen = []
    monkeypatch.setattr(discrete, "_draw_floors", lambda size, rate, *_: seen.append(rate))
    secure.symmetric_geometric(1, 0.1)
    secure.sign_geometric(1, Fraction(1, 10))
    assert seen == [Fraction(0.1), Fraction(1, 10)]
