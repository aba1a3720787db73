"""Plans of tests: the missing one of sample size, epsilon, effect and power, given the other three."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_UP, Context, Decimal
from typing import Any

from pydpstat import _checks as checks
from pydpstat._data.containers import to_list
from pydpstat._data.progress import Progress
from pydpstat._lazy import pd
from pydpstat.budget._allocating import Outlook, PlannedCall, Scope
from pydpstat.errors import PydpstatError
from pydpstat.inference.means._cubic_release import has_cubic, make_noise_mixing
from pydpstat.inference.ranks.rank_groups import choose_group_weights
from pydpstat.planning import _count_power, _mean_power
from pydpstat.planning._skewed_power import compute_skewed_groups_power, compute_skewed_power
from pydpstat.planning._test_settings import (
    BLOCK_TEST,
    PLANNED_TESTS,
    PRIVATE_SIZE_TESTS,
    PowerSettings,
    check_effect,
    check_group_sizes,
    check_plan_options,
    get_largest_effect,
    is_test_of_means,
    make_equal_sizes,
    make_power_settings,
)
from pydpstat.results._report import Facts as Lines
from pydpstat.results._report import Plottable, Report, Rows, format_significant, to_json_types

_PLAN_NUMBERS = ("n", "epsilon", "effect", "power")
_MIN_RECORDS, _MAX_RECORDS = 2, 10**9
_MIN_EPSILON, _MAX_EPSILON = 1e-6, 100.0
# smallest effect of a search, relative to the largest
_MIN_EFFECT_SHARE = 1e-5
# ratio of upper to lower limit at which a search ends
_SEARCH_RATIO = 1.004
# smallest gain of power for which another test is called stronger
_MIN_POWER_GAIN = 0.01


@dataclass(frozen=True, slots=True, repr=False)
class PowerPlan(PlannedCall, Plottable, Report):
    """Plan of a test: its power, or the sample size, epsilon or effect required for a power.

    Parameters
    ----------
    test : str
        The test's name.
    n : int or tuple of int
        Number of records; for tests of groups, that of each group.
    epsilon : float
        Privacy parameter.
    effect : float
        Effect to be detected, in the unit described by `unit`.
    power : float
        Probability of a p-value of at most `alpha` if the effect exists.
    alpha : float
        Level of the test.
    alternative : {"two-sided", "less", "greater"}
        The alternative hypothesis.
    solved : {"n", "epsilon", "effect", "power"}
        Which of the four numbers was computed.
    powers : tuple of (str, float)
        The power of this test and of others for the same question; ``any_test`` runs the usual test on
        blocks.
    unit : str
        Description of the effect.
    facts : Facts
        Public settings besides these numbers.

    Examples
    --------
    >>> import pydpstat
    >>> planned = pydpstat.plan("ttest_1samp", 1.0, effect=0.4, power=0.8)
    >>> planned.solved, 100 < planned.n < 150, planned.stronger
    ('n', True, 'wilcoxon')
    >>> list(planned.to_frame().columns)
    ['n', 'epsilon', 'effect', 'alpha', 'power']
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
    facts: PowerSettings

    _title = "Plan of a private test"

    @property
    def stronger(self) -> str:
        """Test with the most power for these public numbers; this one, unless another has 0.01 more."""
        best, power = max(self.powers, key=lambda each: each[1])
        return best if power > self.power + _MIN_POWER_GAIN else self.test

    def _describe_picture(self, alpha: float) -> object:
        from pydpstat.results._inference_pictures import make_power_picture

        return make_power_picture(self)

    @property
    def neighbors(self) -> str:
        """Neighboring data sets; for "unbounded" ones the number of records is a guess."""
        return "unbounded" if self.facts.private else "bounded"

    def to_frame(
        self, *, epsilon: float | Sequence[float] | None = None, n: int | Sequence[int] | None = None
    ) -> pd.DataFrame:
        """Return the power of this test and of others, or that of this test for more epsilons and sizes.

        Parameters
        ----------
        epsilon : float or list of float, optional
            By default that of the plan.
        n : int or list of int, optional
            Numbers of records; for tests of groups, those of each group. By default that of the plan.

        Returns
        -------
        DataFrame with columns ``n``, ``epsilon``, ``effect``, ``alpha``, ``power``, indexed by test

        Examples
        --------
        >>> import pydpstat
        >>> planned = pydpstat.plan("binomtest", 1.0, n=100, effect=0.15)
        >>> planned.to_frame(n=[100, 200]).round(3)
                     n  epsilon  effect  alpha  power
        binomtest  100      1.0    0.15   0.05  0.834
        binomtest  200      1.0    0.15   0.05  0.989
        """
        powers = [(self.n, self.epsilon, name, power) for name, power in self.powers]
        if epsilon is not None or n is not None:
            powers = [
                (size, value, self.test, self._compute_power_at(value, size))
                for value in _make_list(self.epsilon, epsilon)
                for size in _make_list(self.n, n)
            ]
        columns = {
            "n": [size for size, *_ in powers],
            "epsilon": [value for _, value, *_ in powers],
            "effect": self.effect,
            "alpha": self.alpha,
            "power": [power for *_, power in powers],
        }
        return pd.DataFrame(columns, index=[name for *_, name, _ in powers])

    def _compute_power_at(self, epsilon: object, n: object) -> float:
        sizes = check_group_sizes(self.test, n, self.facts.groups)
        return _compute_test_power(self.test, sizes, checks.check_epsilon(epsilon), self.effect, self.facts)

    def _name_call(self) -> str:
        return self.test

    def _compute_outlook(self, epsilon: float, scope: Scope) -> Outlook:
        return Outlook(power=self.power if epsilon == self.epsilon else self._compute_power_at(epsilon, self.n))

    def _collect_facts(self) -> Lines:
        records = str(self.n) if isinstance(self.n, int) else ", ".join(map(str, self.n))
        grouped = PLANNED_TESTS[self.test].family in ("two", "several", "shares")
        return [
            ("Test:", self.test),
            ("N of each group:" if grouped else "N:", records),
            ("Epsilon:", format_significant(self.epsilon)),
            ("Effect:", format_significant(self.effect)),
            ("Power:", f"{self.power:.3f}"),
            ("Alpha:", format_significant(self.alpha)),
            ("Alternative:", self.alternative),
            ("Neighbors:", self.neighbors),
            ("Solved for:", self.solved),
        ]

    def _make_rows(self) -> Rows:
        names = [name for name, _ in self.powers]
        return Rows(("power",), names, [[f"{power:.3f}"] for _, power in self.powers])

    def _collect_notes(self) -> list[str]:
        notes = [f"The effect is the {self.unit}.", f"For these numbers the most powerful test is {self.stronger}."]
        if PLANNED_TESTS[self.test].family not in ("", "shares"):
            notes.append("Powers are simulated, with a standard error of up to about 0.02.")
        return notes

    def to_dict(self) -> dict[str, Any]:
        """Return all contents in plain JSON types.

        Examples
        --------
        >>> import pydpstat
        >>> pydpstat.plan("binomtest", 1.0, n=100, effect=0.15).to_dict()["solved"]
        'power'
        """
        names = ["test", "n", "epsilon", "effect", "power", "alpha", "alternative"]
        names += ["neighbors", "solved", "unit"]
        content = {name: to_json_types(getattr(self, name)) for name in names}
        return {**content, "powers": dict(self.powers), "stronger": self.stronger}

    def _describe_plan(self) -> str:
        stronger_power = dict(self.powers)[self.stronger]
        remark = "" if self.stronger == self.test else f"; {self.stronger} has {stronger_power:.3f}"
        return f"n {self.n}, epsilon {self.epsilon:.6g}, effect {self.effect:.6g}, power {self.power:.3f}{remark}"

    def __str__(self) -> str:
        return f"Plan of {self.test}: {self._describe_plan()}"

    def __repr__(self) -> str:
        return f"<PowerPlan {self.test}: {self._describe_plan()}>"


def _make_list(own: object, given: object) -> list[Any]:
    values = to_list(given)
    if given is None:
        return [own]
    return list(values) if isinstance(values, (list, range)) else [values]


def make_power_plan(test: str, epsilon: float | None, n: object, options: Mapping[str, object]) -> PowerPlan:
    """Make the plan of a test; see `pydpstat.plan`."""
    check_plan_options(test, options)
    values = n, epsilon, options.get("effect"), options.get("power")
    missing = [name for name, value in zip(_PLAN_NUMBERS, values) if value is None]
    if len(missing) != 1:
        names = ", ".join(name for name in _PLAN_NUMBERS if name not in missing) or "none"
        hint = f"Give all but one of {', '.join(missing)}" if missing else "Leave one out"
        raise PydpstatError(
            f"three of n, epsilon, effect and power must be given, and the fourth is found; got {names}. "
            f"{hint}, as in plan({test!r}, 1.0, effect=0.5, power=0.8)."
        )
    facts = make_power_settings(test, options)
    sizes = () if values[0] is None else check_group_sizes(test, values[0], facts.groups)
    chosen = 0.0 if epsilon is None else checks.check_epsilon(epsilon)
    effect = 0.0 if values[2] is None else check_effect(test, values[2], facts)
    target = 0.0 if values[3] is None else checks.check_probability(values[3], "power", "0.8 is usual.")
    if target and target <= facts.alpha:
        raise PydpstatError(
            f"power must be above alpha, {facts.alpha!r}; got {target!r}. A test has power alpha without any data."
        )
    solved = missing[0]
    with Progress(lambda: None, "powers") as progress:

        def compute_power(*setting: Any) -> float:
            return progress.count_one(_compute_test_power(*setting))

        if solved == "n":
            count = _solve_sample_size(
                lambda n: compute_power(test, make_equal_sizes(test, n, facts), chosen, effect, facts), target
            )
            sizes = make_equal_sizes(test, count, facts)
        elif solved == "epsilon":
            limits = _MIN_EPSILON, _MAX_EPSILON
            chosen = _solve_amount(
                "epsilon", *limits, lambda each: compute_power(test, sizes, each, effect, facts), target
            )
        elif solved == "effect":
            largest = get_largest_effect(test, facts)
            sign, limits = math.copysign(1.0, largest), (_MIN_EFFECT_SHARE * abs(largest), abs(largest))
            size = _solve_amount(
                "effect", *limits, lambda x: compute_power(test, sizes, chosen, sign * x, facts), target
            )
            effect = sign * size
        rivals = [name for name in PLANNED_TESTS[test].rivals[:-1] if name in PRIVATE_SIZE_TESTS or not facts.private]
        powers = [(name, compute_power(name, sizes, chosen, effect, facts)) for name in (test, *rivals)]
        # blocks need a public number of records
        if PLANNED_TESTS[test].family and not facts.private:
            powers.append((BLOCK_TEST, progress.count_one(_compute_blocks_power(test, sizes, chosen, effect, facts))))
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
        PLANNED_TESTS[test].effect,
        facts,
    )


def _solve_sample_size(power: Callable[[int], float], aim: float) -> int:
    """Return the approximately smallest number of records with a given power."""
    low, high = _MIN_RECORDS, 16
    if power(low) >= aim:
        return low
    while power(high) < aim:
        if high >= _MAX_RECORDS:
            raise _make_unreachable_error("n", aim, power(high), "a larger effect or epsilon, or less power")
        low, high = high, min(4 * high, _MAX_RECORDS)
    while high - low > 1 and high > low * _SEARCH_RATIO:
        middle = max(low + 1, min(high - 1, round(math.sqrt(low * high))))
        low, high = (low, middle) if power(middle) >= aim else (middle, high)
    return high


def _solve_amount(name: str, minimum: float, maximum: float, power: Callable[[float], float], aim: float) -> float:
    """Return the approximately smallest amount with a given power, rounded up to three digits."""
    low, high = minimum, maximum
    if power(high) < aim:
        raise _make_unreachable_error(name, aim, power(high), "more records, or less power")
    if power(low) >= aim:
        return low
    while high > low * _SEARCH_RATIO:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if power(middle) >= aim else (middle, high)
    return min(float(Context(prec=3, rounding=ROUND_UP).create_decimal(Decimal(high))), maximum)


def _make_unreachable_error(name: str, aim: float, largest_power: float, advice: str) -> PydpstatError:
    largest = {"n": "10^9 records", "epsilon": f"epsilon {_MAX_EPSILON:g}", "effect": "the largest effect"}
    return PydpstatError(
        f"power cannot be {aim!r} for these numbers: with {largest[name]} it is {largest_power:.3f}. Give {advice}."
    )


def _compute_test_power(
    test: str, sizes: tuple[int, ...], epsilon: float, effect: float, plan_settings: PowerSettings
) -> float:
    """Compute the power of a test."""
    alpha, alternative, first, last = plan_settings.alpha, plan_settings.alternative, sizes[0], sizes[-1]
    if is_test_of_means(test) and _has_cubics(sizes, epsilon, plan_settings):
        noise = make_noise_mixing(epsilon, not plan_settings.private)
        if PLANNED_TESTS[test].family == "one":
            shift = plan_settings.null_mean, effect * plan_settings.sd, plan_settings.sd
            return compute_skewed_power(first, noise, *shift, alpha, alternative, plan_settings.private)
        means = _mean_power.make_spaced_means(len(sizes), effect * plan_settings.sd).tolist()
        # the first of two groups has the larger mean
        means = means[::-1] if test == "ttest_ind" else means
        return compute_skewed_groups_power(sizes, noise, means, plan_settings.sd, alpha, alternative)
    if test in ("ttest_1samp", "ttest_rel"):
        null = plan_settings.sd, plan_settings.null_mean
        settings = *null, alpha, alternative, plan_settings.private, plan_settings.normal
        return _mean_power.compute_one_sample_power(first, epsilon, effect, *settings)
    if test == "wilcoxon":
        return _count_power.compute_signed_rank_power(first, epsilon, effect, alpha, alternative)
    if test == "ttest_ind":
        pair = first, last
        group_settings = plan_settings.sd, alpha, alternative, plan_settings.private, plan_settings.normal
        return _mean_power.compute_two_sample_power(pair, epsilon, effect, *group_settings)
    if test == "mannwhitneyu":
        return _count_power.compute_two_groups_power((first, last), epsilon, effect, alpha, alternative)
    if test == "f_oneway":
        mean_settings = plan_settings.sd, alpha, plan_settings.private, plan_settings.normal
        return _mean_power.compute_several_means_power(sizes, epsilon, effect, *mean_settings)
    if test == "kruskal":
        weights = choose_group_weights(sizes, epsilon)
        return _count_power.compute_several_groups_power(sizes, weights, epsilon, effect, alpha)
    if test == "binomtest" and plan_settings.private:
        return _count_power.compute_private_count_power(first, epsilon, plan_settings.p, effect, alpha, alternative)
    if test == "binomtest":
        return _count_power.compute_count_power(first, epsilon, plan_settings.p, effect, alpha, alternative)
    if test == "quantile_test":
        # many records below a value indicate a smaller quantile
        mirrored = {"less": "greater", "greater": "less"}.get(alternative, alternative)
        if plan_settings.private:
            n_noises = (1, 2) if plan_settings.ties else (1, 1)
            return _count_power.compute_private_count_power(
                first, epsilon, plan_settings.p, effect, alpha, mirrored, n_noises
            )
        rate = 0.5 * epsilon if plan_settings.ties else epsilon
        return _count_power.compute_count_power(first, rate, plan_settings.p, effect, alpha, mirrored)
    if test == "proportions_test":
        return _count_power.compute_two_counts_power(
            (first, last), epsilon, plan_settings.p, effect, alpha, alternative
        )
    if test == "chi2_contingency":
        # replacing a record changes two cells
        rate = epsilon if plan_settings.private else 0.5 * epsilon
        return _count_power.compute_table_power(first, rate, plan_settings.levels, effect, alpha, plan_settings.private)
    return _count_power.compute_correlation_power(first, epsilon, effect, alpha, alternative)


def _has_cubics(sizes: tuple[int, ...], epsilon: float, plan_settings: PowerSettings) -> bool:
    """Return whether a test of means releases sums of cubics for groups of these sizes."""
    return not plan_settings.normal and all(has_cubic(epsilon, None if plan_settings.private else n) for n in sizes)


def _compute_blocks_power(
    test: str, sizes: tuple[int, ...], epsilon: float, effect: float, plan_settings: PowerSettings
) -> float:
    """Compute the power of the Test of Tests with the usual test on blocks."""
    family = PLANNED_TESTS[test].family
    settings = {"shares": (plan_settings.p,), "table": tuple(map(float, plan_settings.levels))}.get(family, ())
    alternative = plan_settings.alternative
    return _count_power.compute_blocks_power(sizes, epsilon, family, effect, settings, plan_settings.alpha, alternative)
