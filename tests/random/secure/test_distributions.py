"""Exact draws against their distribution, with 1e6 draws and the power to see a scale wrong by 1 %.

``PYDPSTAT_DRAWS=10000000 pytest tests/random/secure/test_distributions.py`` makes 1e7 draws of each.
"""

from __future__ import annotations

import os
from fractions import Fraction
from unittest import mock

import mpmath
import numpy as np
import pytest
from scipy import stats

from pydpstat.mechanisms import DiscreteGaussianNoise, SignGeometricNoise, SymmetricGeometricNoise
from pydpstat.random import secure
from pydpstat.random.secure import _bits as bits
from pydpstat.random.secure import _precise as precise
from pydpstat.random.secure import choices
from tests.random.secure.distributions import FALSE_ALARM, Rounded, Whole, p_values

N = int(os.environ.get("PYDPSTAT_DRAWS", "1000000"))
WRONG = 1.01

# name, draw(n), distribution(factor) of the scale times it, whether the last digits are even, share of N
CONTINUOUS = [
    (
        f"{name} {ratio:g}",
        lambda n, d=draw, r=ratio: d(n, r, 1.0),
        lambda f, w=true, r=ratio: Rounded(w, f * r),
        ratio,
    )
    for name, draw, true in (
        ("Laplace", secure.laplace, stats.laplace),
        ("normal", secure.normal, stats.norm),
    )
    for ratio in (0.8, 3.7, 2.0**20, 1.37 * 2.0**20, 3e8)
]
INTEGER = [
    (
        f"{name} {rate:g}",
        lambda n, d=draw, r=rate: d(n, r),
        lambda f, w=distribution, r=rate: Whole(w(r / f)),
        1.0 / rate,
    )
    for name, draw, distribution in (
        ("geometric", secure.symmetric_geometric, SymmetricGeometricNoise),
        ("sign times geometric", secure.sign_geometric, SignGeometricNoise),
    )
    for rate in (1e-6, 0.01, 0.5, 2.0)
]
GAUSSIAN = [
    (
        f"discrete Gaussian {sd:g}",
        lambda n, s=sd: secure.discrete_gaussian(n, s),
        lambda f, s=sd: Whole(DiscreteGaussianNoise(s * f)),
        sd,
    )
    for sd in (0.5, 1.3, 20.0, 7777.7)
]
CASES = CONTINUOUS + INTEGER + GAUSSIAN


@pytest.mark.slow
@pytest.mark.parametrize("draw, distribution, scale", [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_a_distribution(draw, distribution, scale):
    sample = draw(N)
    assert sample.shape == (N,) and np.array_equal(sample, np.rint(sample))
    wide = scale > 2.0**15
    found = p_values(sample, distribution(1.0), wide)
    assert min(found.values()) > FALSE_ALARM, found
    for factor in (WRONG, 1.0 / WRONG):
        assert min(p_values(sample, distribution(factor), wide).values()) < FALSE_ALARM


class Counter:
    """Counts the draws that multiple precision finishes."""

    def __init__(self, monkeypatch, *names):
        self.count = 0
        for name in names:
            monkeypatch.setattr(precise, name, self._counting(getattr(precise, name)))

    def _counting(self, function):
        def counted(*arguments, **keywords):
            self.count += 1
            return function(*arguments, **keywords)

        return counted


UNDECIDED = [
    ("Laplace", lambda n: secure.laplace(n, 3.7, 1.0), lambda f: Rounded(stats.laplace, 3.7 * f), 5, 20_000),
    (
        "Laplace, fine",
        lambda n: secure.laplace(n, 1.0, 2.0**-20),
        lambda f: Rounded(stats.laplace, f * 2.0**20),
        24,
        20_000,
    ),
    ("normal", lambda n: secure.normal(n, 3.7, 1.0), lambda f: Rounded(stats.norm, 3.7 * f), 5, 6_000),
    (
        "normal, fine",
        lambda n: secure.normal(n, 1.0, 2.0**-20),
        lambda f: Rounded(stats.norm, f * 2.0**20),
        24,
        6_000,
    ),
    (
        "geometric",
        lambda n: secure.symmetric_geometric(n, 0.3),
        lambda f: Whole(SymmetricGeometricNoise(0.3 / f)),
        5,
        20_000,
    ),
    (
        "geometric, fine",
        lambda n: secure.symmetric_geometric(n, 1e-5),
        lambda f: Whole(SymmetricGeometricNoise(1e-5 / f)),
        21,
        20_000,
    ),
    (
        "sign times geometric",
        lambda n: secure.sign_geometric(n, 0.3),
        lambda f: Whole(SignGeometricNoise(0.3 / f)),
        5,
        20_000,
    ),
    (
        "discrete Gaussian",
        lambda n: secure.discrete_gaussian(n, 2.5),
        lambda f: Whole(DiscreteGaussianNoise(2.5 * f)),
        5,
        10_000,
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "draw, distribution, known, n", [each[1:] for each in UNDECIDED], ids=[each[0] for each in UNDECIDED]
)
def test_what_is_mostly_undecided(monkeypatch, draw, distribution, known, n):
    monkeypatch.setattr(bits, "KNOWN_BITS", known)
    counter = Counter(monkeypatch, "whole", "normal_whole", "reaches")
    sample = draw(n)
    assert 0.15 * n < counter.count
    found = p_values(sample, distribution(1.0), False)
    assert min(found.values()) > FALSE_ALARM, found
    for factor in (1.15, 1 / 1.15):
        assert min(p_values(sample, distribution(factor), False).values()) < FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("ratio, most", [(2.0**20, 2e-6), (2.0**27, 1e-4), (2.0**41, 0.2)])
@pytest.mark.parametrize("draw", [secure.laplace, secure.normal], ids=["Laplace", "normal"])
def test_few_draws_are_undecided(monkeypatch, draw, ratio, most):
    monkeypatch.setattr(precise, "whole", lambda *_, **__: 0)
    monkeypatch.setattr(precise, "normal_whole", lambda *_, **__: 0)
    counter = Counter(monkeypatch, "whole", "normal_whole")
    draw(1_000_000, ratio, 1.0)
    assert counter.count <= most * 1_000_000


def test_no_scale_is_no_noise():
    assert not secure.normal(5, 0.0, 2.0**-20).any() and not secure.laplace(5, 0.0, 2.0**-20).any()
    assert not secure.discrete_gaussian(5, 0.0).any()


@pytest.mark.parametrize("draw, distribution", [(secure.laplace, stats.laplace), (secure.normal, stats.norm)])
def test_scales_of_their_own(draw, distribution):
    scales = np.tile([1.0, 10.0, 100.0], 100_000)
    noise = draw(scales.size, scales, 2.0**-20)
    for scale in (1.0, 10.0, 100.0):
        found = p_values(noise[scales == scale], Rounded(distribution, scale * 2.0**20), True)
        assert min(found.values()) > FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("draw, distribution", [(secure.laplace, stats.laplace), (secure.normal, stats.norm)])
@pytest.mark.parametrize(
    "scale, grid", [(1e300, 2.0**-1000), (1e-300, 2.0**-1040), (1.0, 2.0**-60), (1e300, 2.0**970)]
)
def test_extreme_scales_and_grids(draw, distribution, scale, grid):
    ratio = Fraction(scale) / Fraction(grid)
    units = draw(1500 if ratio < 2**100 else 60, scale, grid)
    # as shares of the scale, exactly: beyond 2^53 units the numbers are Python's integers
    z = np.array([float(Fraction(int(unit)) / ratio) for unit in units])
    assert stats.kstest(z, distribution.cdf).pvalue > FALSE_ALARM
    if ratio > 2**60:
        assert units.dtype == object and len({int(unit) % 1024 for unit in units}) > 0.45 * units.size
        assert [draw(1, scale, grid).dtype for _ in range(3)].count(np.dtype(object)) == 3


@pytest.mark.parametrize("rate", [1e-17, Fraction(1, 10**15), 40.0, 1e300])
def test_extreme_rates(rate):
    for distribution, reference in (
        (secure.symmetric_geometric, SymmetricGeometricNoise),
        (secure.sign_geometric, SignGeometricNoise),
    ):
        sample = distribution(1000, rate)
        if rate < 1:
            z = np.array([float(int(each) * Fraction(rate)) for each in sample])
            assert stats.kstest(z, stats.laplace.cdf).pvalue > FALSE_ALARM
        else:
            assert (sample != 0).sum() <= 5 and float(reference(float(rate)).pmf(0)) > 0.99


@pytest.mark.parametrize("sd", [1e-300, 1e-3, 1e9, 1e15, 1e20])
def test_extreme_discrete_gaussians(sd):
    sample = np.array([int(each) for each in secure.discrete_gaussian(300, sd)], dtype=object)
    if sd < 1:
        assert not sample.any()
    else:
        assert (
            stats.kstest(np.array([float(each) / sd for each in sample]), stats.norm.cdf).pvalue > FALSE_ALARM
        )
        assert len({each % 64 for each in sample}) > 50


@pytest.mark.slow
@pytest.mark.parametrize("known", [52, 5])
@pytest.mark.parametrize("sd", [0.6, 2.5, 30.0])
def test_single_discrete_gaussians(monkeypatch, known, sd):
    monkeypatch.setattr(bits, "KNOWN_BITS", known)
    sample = np.array([float(secure.discrete_gaussian(1, sd)[0]) for _ in range(8000)])
    found = p_values(sample, Whole(DiscreteGaussianNoise(sd)), False)
    assert min(found.values()) > FALSE_ALARM, found
    assert min(p_values(sample, Whole(DiscreteGaussianNoise(sd * 1.15)), False).values()) < FALSE_ALARM


@pytest.mark.parametrize("known", [52, 3])
@pytest.mark.parametrize("probability", [0.5, 0.1, 1e-4, Fraction(1, 3), Fraction(6, 7), 0.999])
def test_trials(monkeypatch, known, probability):
    monkeypatch.setattr(bits, "KNOWN_BITS", known)
    n = 300_000 if known == 52 else 60_000
    heads = secure.bernoulli(n, probability)
    assert stats.binomtest(int(heads.sum()), n, float(probability)).pvalue > FALSE_ALARM
    several = secure.bernoulli(n, np.full(n, float(probability)))
    assert stats.binomtest(int(several.sum()), n, float(probability)).pvalue > FALSE_ALARM


@pytest.mark.parametrize("known", [52, 6])
@pytest.mark.parametrize("exponent", [1e-3, 0.7, 3.0, 9.0])
def test_exponential_trials(monkeypatch, known, exponent):
    monkeypatch.setattr(bits, "KNOWN_BITS", known)
    n = 300_000 if known == 52 else 20_000
    heads = secure.bernoulli_exp(np.full(n, exponent))
    assert stats.binomtest(int(heads.sum()), n, float(np.exp(-exponent))).pvalue > FALSE_ALARM


def test_certain_trials():
    assert secure.bernoulli(1000, 1).all() and not secure.bernoulli(1000, 0.0).any()
    assert secure.bernoulli_exp(np.zeros(1000)).all() and not secure.bernoulli_exp(np.full(1000, 1e300)).any()
    for wrong in (-0.1, 1.1, float("nan"), [0.5, 2.0]):
        with pytest.raises(ValueError, match="probability"):
            secure.bernoulli(2, wrong)


def chosen(n, *arguments):
    return np.array([secure.choose(*arguments) for _ in range(n)])


CHOICES = [
    ("equal", np.zeros(5), 1.0, None),
    ("steps", np.arange(-4.0, 4.0), Fraction(1, 3), None),
    ("measure", np.array([0.0, 1.0, 2.0, 2.0]), 0.5, np.array([1.0, 0.5, 1e-3, 3.0])),
    ("excluded", np.array([5.0, -np.inf, 4.0, 900.0]), 1.0, np.array([1.0, 1.0, 2.0, 0.0])),
    ("far apart", np.array([0.0, -1e5, 1.0, -1e308]), 1.0, np.array([1.0, 1e300, 1.0, 1e300])),
    ("extreme measures", np.array([0.0, -690.0, -691.0]), 1.0, np.array([1e-300, 1.0, 1.0])),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "utility, rate, measure", [each[1:] for each in CHOICES], ids=[each[0] for each in CHOICES]
)
@pytest.mark.parametrize("precision", ["floating point", "few bits", "integers"])
def test_choices(monkeypatch, utility, rate, measure, precision):
    n = 20_000 if precision == "floating point" else 3_000
    if precision == "few bits":
        # a tenth and more of the draws are not decided
        monkeypatch.setattr(bits, "KNOWN_BITS", 6)
        monkeypatch.setattr(choices, "_WEIGHT_ERROR", 2.0**-7)
    if precision == "integers":
        monkeypatch.setattr(choices, "_quickly", lambda *_: None)
    found = np.bincount(chosen(n, utility, rate, measure), minlength=utility.size)
    exponents = utility * float(rate)
    with np.errstate(divide="ignore"):
        logs = exponents + np.log(np.ones(utility.size) if measure is None else measure)
    share = np.exp(logs - logs.max())
    share /= share.sum()
    possible = share > 1e-12
    assert not found[~possible].any()
    if possible.sum() > 1:
        assert (
            stats.chisquare(found[possible], share[possible] / share[possible].sum() * n).pvalue > FALSE_ALARM
        )


@pytest.mark.slow
def test_both_ways_of_choosing_agree():
    generator = np.random.default_rng(3)
    decided = 0
    for size in (1, 2, 17, 300, 40_000):
        utility = np.rint(generator.normal(0.0, 30.0, size))
        measure = generator.exponential(1.0, size) * (generator.random(size) < 0.8) + 1e-9
        for _ in range(300 if size < 1000 else 3):
            word = bits.word()
            top = choices._top(utility, measure)
            place = choices._quickly(utility, Fraction(0.1), measure, top, bits.midpoint(word))
            decided += place is not None
            if place is not None:
                assert place == choices._precisely(utility, Fraction(0.1), measure, None, bits.cell_of(word))
    assert decided >= 1190


def test_a_choice_among_a_million():
    n = 1_000_000
    utility = -np.abs(np.arange(n) - 300_000.0)
    places = chosen(20, utility, 1e-3)
    assert (np.abs(places - 300_000) < 25_000).all() and len(set(places.tolist())) > 10
    word = bits.word()
    quick = choices._quickly(utility, Fraction(1e-3), None, 0.0, bits.midpoint(word))
    assert quick is not None


@pytest.mark.parametrize(
    "utility, measure",
    [
        ([], None),
        ([-np.inf], None),
        ([1.0], [0.0]),
        ([np.nan, 1.0], None),
        ([np.inf], None),
        ([1.0], [np.inf]),
    ],
)
def test_nothing_to_choose(utility, measure):
    with pytest.raises(ValueError, match="utility|measure"):
        secure.choose(utility, 1.0, measure)


def test_the_seeded_bits_are_only_for_tests():
    with mock.patch.object(secure._bits, "entropy", lambda size: b"\x01" * size):
        first = secure.laplace(3, 1.0, 2.0**-20)
    assert not np.array_equal(first, secure.laplace(3, 1.0, 2.0**-20))


@pytest.mark.slow
def test_unlikely_candidates_are_looked_at_only_where_they_must(monkeypatch):
    """A choice among a part of the candidates is the choice among all, for the same bits."""
    utility = -np.abs(np.arange(200) - 70.0)
    measure = np.linspace(0.5, 2.0, 200)
    asked = []

    def everything():
        asked.append(True)
        return utility, measure

    def both(rest_from, rest_to, bits_drawn):
        monkeypatch.setattr(secure._bits, "entropy", lambda size: bits_drawn)
        part = slice(rest_from, rest_to)
        others = np.delete(utility, np.arange(rest_from, rest_to))
        rest = secure.Rest(rest_from, others.max(), 2.0 * measure.sum(), everything)
        return (
            secure.choose(utility, 1.0, measure),
            secure.choose(utility[part], 1.0, measure[part], rest),
        )

    generator = np.random.default_rng(5)
    for _ in range(300):
        drawn = generator.bytes(8)
        # 20 places away a weight is 2e-9 of the best one, 3 places away 5 %
        for part in ((50, 90), (67, 73)):
            complete, within = both(*part, drawn)
            assert complete == within
    # of the narrow part a good share is undecided, of the wide one next to nothing
    assert 20 < len(asked) < 400
    # where nothing in the part can be chosen, the rest is asked
    monkeypatch.setattr(secure._bits, "entropy", lambda size: b"\x80" * size)
    rest = secure.Rest(0, 0.0, 400.0, everything)
    assert secure.choose([0.0], 1.0, [0.0], rest) == secure.choose(utility, 1.0, measure)


@pytest.mark.parametrize("below", [True, False])
def test_a_rest_whose_weight_underflows_is_chosen_with_its_probability(below, monkeypatch):
    # exp(-1000) is 0 in floating point; U lies 2**-1588 beside the boundary
    count = 52 + 64 * 24
    with mpmath.workprec(4000):
        weight = mpmath.exp(-1000)
        boundary = int(mpmath.floor(weight / (1 + weight) * mpmath.mpf(2) ** count))
    uniform = boundary - 1 if below else boundary + 1
    # the first word's lower 12 bits are not used
    words = [uniform >> (count - 52) << 12, *(uniform >> 64 * k & (1 << 64) - 1 for k in range(23, -1, -1))]
    drawn = iter(words)
    monkeypatch.setattr(secure._bits, "entropy", lambda size: next(drawn, 0).to_bytes(size, "little"))
    rest = secure.Rest(1, -1000.0, 1.0, lambda: ([-1000.0, 0.0], None))
    assert secure.choose([0.0], 1, None, rest) == (0 if below else 1)
