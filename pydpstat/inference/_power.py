"""Planning of tests: records, epsilon, effect or power, whichever is missing, from the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_UP, Context, Decimal
from typing import TYPE_CHECKING, NamedTuple

from pydpstat import _checks as checks
from pydpstat._release.payment import defaults
from pydpstat.errors import PydpstatError
from pydpstat.inference._laws import power_counts, power_means, power_ranks
from pydpstat.inference._power_settings import (
    BLOCKS,
    TESTS,
    Facts,
    check_options,
    effect_of,
    equal_sizes,
    facts_of,
    largest_effect,
    sizes_of,
)
from pydpstat.inference.rank_groups import weights_of
from pydpstat.results._drawn import Drawn

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary

_NUMBERS = ("n", "epsilon", "effect", "power")
_LEAST_RECORDS, _MOST_RECORDS = 2, 10**9
_SMALLEST_EPSILON, _LARGEST_EPSILON = 1e-6, 100.0
# of the largest effect
_SMALLEST_SHARE = 1e-5
# a search goes on until what it found is within this ratio of the smallest
_NEAR = 1.004
# a test is called stronger where it has so much more power
_STRONGER = 0.01


@dataclass(frozen=True, slots=True, repr=False)
class PowerPlan(Drawn):
    """How often a test will find an effect, or what it needs to find it that often.

    Parameters
    ----------
    test : str
        The test's name.
    n : int or tuple of int
        The number of records; of tests of groups that of each group.
    epsilon : float
        Privacy parameter.
    effect : float
        What is to be found; `unit` says in which unit.
    power : float
        Probability of a p-value of at most `alpha` where the effect is there.
    alpha : float
        Level of the test.
    alternative : {"two-sided", "less", "greater"}
        The alternative hypothesis.
    solved : {"n", "epsilon", "effect", "power"}
        Which of the four numbers was found.
    powers : tuple of (str, float)
        The power of this test and of others for the same question; ``any_test`` runs the usual test on
        blocks.
    unit : str
        What the effect is.

    Examples
    --------
    >>> import pydpstat
    >>> planned = pydpstat.plan("ttest_1samp", 1.0, effect=0.4, power=0.8)
    >>> planned.solved, 100 < planned.n < 150, planned.stronger
    ('n', True, 'wilcoxon')
    """

    test: str
    n: int | tuple[int, ...]
    epsilon: float
    effect: float
    power: float
    alpha: float
    alternative: str
    solved: str
    powers: tuple[tuple[str, float], ...]
    unit: str

    @property
    def stronger(self) -> str:
        """The test with the most power for these public numbers; this one, unless another has 0.01 more."""
        best, power = max(self.powers, key=lambda each: each[1])
        return best if power > self.power + _STRONGER else self.test

    def _picture(self, alpha: float) -> object:
        from pydpstat.results._inference_pictures import power_picture

        return power_picture(self)

    def summary(self) -> Summary:
        """Return the plan as a table in statsmodels' form.

        Returns
        -------
        statsmodels.iolib.summary.Summary
        """
        from pydpstat.results._report import number, wrapped
        from pydpstat.results._summary_page import SummaryPage

        records = str(self.n) if isinstance(self.n, int) else ", ".join(map(str, self.n))
        grouped = TESTS[self.test].family in ("two", "several", "shares")
        facts = [
            ("Test:", self.test),
            ("N of each group:" if grouped else "N:", records),
            ("Epsilon:", number(self.epsilon)),
            ("Effect:", number(self.effect)),
            ("Power:", f"{self.power:.3f}"),
            ("Alpha:", number(self.alpha)),
            ("Alternative:", self.alternative),
            ("Solved for:", self.solved),
        ]
        notes = [
            f"The effect is the {self.unit}.",
            f"For these numbers the test with the most power is {self.stronger}.",
        ]
        if TESTS[self.test].family not in ("", "shares"):
            notes.append("Powers are simulated, with a standard error of up to about 0.02.")
        cells = [[f"{power:.3f}"] for _, power in self.powers]
        names = [name for name, _ in self.powers]
        return SummaryPage(facts, ("power",), names, cells, wrapped(notes), "Planned Private Test")

    def __repr__(self) -> str:
        other = dict(self.powers)[self.stronger]
        more = "" if self.stronger == self.test else f"; {self.stronger} has {other:.3f}"
        return (
            f"<PowerPlan {self.test}: n {self.n}, epsilon {self.epsilon:.6g}, effect {self.effect:.6g}, "
            f"power {self.power:.3f}{more}>"
        )


def plan_test(test: str, epsilon: float | None, n: object, options: Mapping[str, object]) -> PowerPlan:
    """Return the plan of a test; see `pydpstat.plan`.

    Examples
    --------
    >>> options = {"effect": 0.4, "power": 0.8, "alternative": "greater"}
    >>> 50 < plan_test("wilcoxon", 1.0, None, options).n < 70
    True
    """
    check_options(test, options)
    values = n, epsilon, options.get("effect"), options.get("power")
    missing = [name for name, value in zip(_NUMBERS, values) if value is None]
    if len(missing) != 1:
        raise PydpstatError(
            "of n, epsilon, effect and power three must be given, and the fourth is found; missing: "
            f"{', '.join(missing) or 'none'}."
        )
    if defaults(None).neighbors == "unbounded":
        raise PydpstatError(
            "neighbors must be 'bounded' for the plan of a test, whose number of records is public; the "
            "block's budget has 'unbounded'. Plan outside of the block."
        )
    facts = facts_of(test, options)
    sizes = () if values[0] is None else sizes_of(test, values[0], facts.groups)
    chosen = 0.0 if epsilon is None else checks.epsilon(epsilon)
    effect = 0.0 if values[2] is None else effect_of(test, values[2], facts)
    aim = 0.0 if values[3] is None else checks.probability(values[3], "power", "0.8 is usual.")
    if aim and aim <= facts.alpha:
        raise PydpstatError(
            f"power must be above alpha, {facts.alpha!r}; got {aim!r}. Without any data a test has that."
        )
    solved = missing[0]
    if solved == "n":
        count = _count(lambda n: _power(test, equal_sizes(test, n, facts), chosen, effect, facts), aim)
        sizes = equal_sizes(test, count, facts)
    elif solved == "epsilon":
        found = _Amounts("epsilon", _SMALLEST_EPSILON, _LARGEST_EPSILON)
        chosen = found.smallest(lambda each: _power(test, sizes, each, effect, facts), aim)
    elif solved == "effect":
        most = largest_effect(test, facts)
        found = _Amounts("effect", _SMALLEST_SHARE * abs(most), abs(most))
        sign = math.copysign(1.0, most)
        effect = sign * found.smallest(lambda each: _power(test, sizes, chosen, sign * each, facts), aim)
    powers = [(name, _power(name, sizes, chosen, effect, facts)) for name in (test, *TESTS[test].rivals[:-1])]
    if TESTS[test].family:
        powers.append((BLOCKS, _blocks_power(test, sizes, chosen, effect, facts)))
    return PowerPlan(
        test,
        sizes[0] if len(set(sizes)) == 1 else sizes,
        chosen,
        effect,
        powers[0][1],
        facts.alpha,
        facts.alternative,
        solved,
        tuple(powers),
        TESTS[test].effect,
    )


def _count(power: Callable[[int], float], aim: float) -> int:
    """Return about the smallest number of records with this power."""
    low, high = _LEAST_RECORDS, 16
    if power(low) >= aim:
        return low
    while power(high) < aim:
        if high >= _MOST_RECORDS:
            raise _beyond_reach("n", aim, power(high), "a larger effect or epsilon, or less power")
        low, high = high, min(4 * high, _MOST_RECORDS)
    while high - low > 1 and high > low * _NEAR:
        middle = max(low + 1, min(high - 1, round(math.sqrt(low * high))))
        low, high = (low, middle) if power(middle) >= aim else (middle, high)
    return high


class _Amounts(NamedTuple):
    """What is searched: its name, the smallest and the largest amount."""

    name: str
    low: float
    high: float

    def smallest(self, power: Callable[[float], float], aim: float) -> float:
        """Return about the smallest amount with this power, with three digits."""
        _, low, high = self
        if power(high) < aim:
            raise _beyond_reach(self.name, aim, power(high), "more records, or less power")
        if power(low) >= aim:
            return low
        while high > low * _NEAR:
            middle = math.sqrt(low * high)
            low, high = (low, middle) if power(middle) >= aim else (middle, high)
        rounded = float(Context(prec=3, rounding=ROUND_UP).create_decimal(Decimal(high)))
        return min(rounded, self.high)


def _beyond_reach(name: str, aim: float, most: float, instead: str) -> PydpstatError:
    largest = {
        "n": "10^9 records",
        "epsilon": f"epsilon {_LARGEST_EPSILON:g}",
        "effect": "the largest effect",
    }
    return PydpstatError(
        f"power cannot be {aim!r} for these numbers: with {largest[name]} it is {most:.3f}. Give {instead}."
    )


def _power(test: str, sizes: tuple[int, ...], epsilon: float, effect: float, facts: Facts) -> float:
    """Return the power of a test."""
    alpha, side, first, last = facts.alpha, facts.alternative, sizes[0], sizes[-1]
    if test in ("ttest_1samp", "ttest_rel"):
        return power_means.one_sample_power(first, epsilon, effect, facts.sd, facts.at, alpha, side)
    if test == "wilcoxon":
        return power_ranks.signed_rank_power(first, epsilon, effect, alpha, side)
    if test == "ttest_ind":
        return power_means.two_sample_power((first, last), epsilon, effect, facts.sd, alpha, side)
    if test == "mannwhitneyu":
        return power_ranks.two_groups_power((first, last), epsilon, effect, alpha, side)
    if test == "f_oneway":
        return power_means.several_means_power(sizes, epsilon, effect, facts.sd, alpha)
    if test == "kruskal":
        weights = weights_of(sizes, epsilon)
        return power_ranks.several_groups_power(sizes, weights, epsilon, effect, alpha)
    if test == "binomtest":
        return power_counts.count_power(first, epsilon, facts.p, effect, alpha, side)
    if test == "quantile_test":
        # many records below a value show that the quantile is less
        mirrored = {"less": "greater", "greater": "less"}.get(side, side)
        rate = 0.5 * epsilon if facts.ties else epsilon
        return power_counts.count_power(first, rate, facts.p, effect, alpha, mirrored)
    if test == "proportions_test":
        return power_counts.two_counts_power((first, last), epsilon, facts.p, effect, alpha, side)
    if test == "chi2_contingency":
        return power_counts.table_power(first, 0.5 * epsilon, facts.shape, effect, alpha)
    return power_ranks.correlation_power(first, epsilon, effect, alpha, side)


def _blocks_power(test: str, sizes: tuple[int, ...], epsilon: float, effect: float, facts: Facts) -> float:
    """Return the power of the Test of Tests with the usual test on blocks."""
    family = TESTS[test].family
    settings = {"shares": (facts.p,), "table": tuple(map(float, facts.shape))}.get(family, ())
    side = facts.alternative
    return power_counts.blocks_power(sizes, epsilon, family, effect, settings, facts.alpha, side)
