"""What a plan of a test is told: its options, the public numbers, and which effects there can be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pydpstat import _checks as checks
from pydpstat._data.columns import bounds_pair
from pydpstat._release.payment import defaults
from pydpstat._wrong_calls import not_there
from pydpstat.errors import ArgumentError, PydpstatError
from pydpstat.inference._null_distributions.power_counts import largest_dependence
from pydpstat.inference._testing import ALTERNATIVES, SHAPES
from pydpstat.privacy.guarantee import NEIGHBORS

_MOST_RECORDS, _MOST_GROUPS, _MOST_LEVELS = 10**9, 100, 50
_MOST_SHIFT, _MOST_CORRELATION = 20.0, 0.999


class Kind(NamedTuple):
    """What is known of a test: its options, what a block's usual test is of, others for the same question."""

    options: tuple[str, ...]
    family: str
    rivals: tuple[str, ...]
    effect: str


# whose number of records may be private
PRIVATE = (
    "ttest_1samp",
    "ttest_rel",
    "ttest_ind",
    "f_oneway",
    "binomtest",
    "quantile_test",
    "chi2_contingency",
)
SIDED, _RANGE, _SHAPED = ("alpha", "alternative"), ("sd", "bounds"), ("sd", "bounds", "shape")
_SHIFT = "mean less that of the null hypothesis, in standard deviations"
_GAP = "mean of the first group less that of the second, in standard deviations"
_SPREAD = "largest mean less the smallest, the others evenly between, in standard deviations"
BLOCKS = "any_test"
TESTS = {
    "ttest_1samp": Kind((*SIDED, *_SHAPED, "popmean"), "one", ("wilcoxon", BLOCKS), _SHIFT),
    "ttest_rel": Kind((*SIDED, *_SHAPED), "one", ("wilcoxon", BLOCKS), f"{_SHIFT} of the differences"),
    "wilcoxon": Kind((*SIDED, *_RANGE), "one", ("ttest_1samp", BLOCKS), _SHIFT),
    "ttest_ind": Kind((*SIDED, *_SHAPED), "two", ("mannwhitneyu", BLOCKS), _GAP),
    "mannwhitneyu": Kind((*SIDED, *_RANGE), "two", ("ttest_ind", BLOCKS), _GAP),
    "f_oneway": Kind(("alpha", *_SHAPED, "groups"), "several", ("kruskal", BLOCKS), _SPREAD),
    "kruskal": Kind(("alpha", *_RANGE, "groups"), "several", ("f_oneway", BLOCKS), _SPREAD),
    "binomtest": Kind((*SIDED, "p"), "", (), "proportion less p"),
    "quantile_test": Kind((*SIDED, "p", "ties"), "", (), "share of records below the quantile, less p"),
    "proportions_test": Kind(
        (*SIDED, "p"), "shares", (BLOCKS,), "proportion of the first group less p, that of the second"
    ),
    "chi2_contingency": Kind(("alpha", "shape"), "table", (BLOCKS,), "Cohen's w"),
    "kendalltau": Kind(SIDED, "correlation", (BLOCKS,), "correlation of normal variables"),
}


@dataclass(frozen=True, slots=True)
class Facts:
    """What is public besides the four numbers; `sd` and `at` are those where the bounds are -1 and 1."""

    alpha: float
    alternative: str
    sd: float
    at: float
    p: float
    ties: bool
    groups: int
    levels: tuple[int, int]
    private: bool = False
    normal: bool = False


def check_options(test: str, options: Mapping[str, object]) -> None:
    """Check that the options are some of the test's plan."""
    known = ("epsilon", "n", "effect", "power", "neighbors", *TESTS[test].options)
    if wrong := {name: each for name, each in options.items() if name not in known[2:]}:
        raise ArgumentError(not_there(f"plan of {test}", known, wrong))


def facts_of(test: str, options: Mapping[str, object]) -> Facts:
    """Return the public numbers of a plan besides n, epsilon, effect and power."""
    alpha = checks.probability(options.get("alpha", 0.05), "alpha")
    alternative = checks.one_of(options.get("alternative", "two-sided"), "alternative", ALTERNATIVES)
    p = checks.number(
        options.get("p", 0.5), "p", "above 0 and below 1", lambda x: 0.0 < x < 1.0, "0.5 is usual."
    )
    groups = checks.integer(
        options.get("groups", 3), "groups", 2, _MOST_GROUPS, allowed="a whole number from 2 to 100"
    )
    if TESTS[test].family == "two":
        groups = 2
    normal = of_means(test) and checks.one_of(options.get("shape", "any"), "shape", SHAPES) == "normal"
    levels = (2, 2) if of_means(test) else _levels(options.get("shape", (2, 2)))
    ties = checks.flag(options.get("ties", True), "ties")
    sd, at = 0.25, 0.0
    if options.get("bounds") is not None:
        low, high = bounds_pair(options["bounds"])
        half, middle = 0.5 * high - 0.5 * low, 0.5 * low + 0.5 * high
        if options.get("sd") is not None:
            sd = checks.positive(options["sd"], "sd", "It has the data's unit.") / half
        if test == "ttest_rel" and not low <= 0.0 <= high:
            raise PydpstatError(
                "bounds must contain 0, the mean difference under the null hypothesis; got "
                f"{checks.shown(options['bounds'])}. They are bounds of the differences."
            )
        given = 0.0 if test == "ttest_rel" else options.get("popmean")
        null = middle if given is None else given
        hint = "Give a mean within the bounds."
        mean = checks.number(null, "popmean", "within the bounds", lambda x: low <= x <= high, hint)
        at = (mean - middle) / half
    elif options.get("popmean") is not None:
        raise PydpstatError("bounds must be given with popmean: without bounds it is in their middle.")
    elif options.get("sd") is not None:
        raise PydpstatError("bounds must be given with sd: by default they are 4 sd to either side.")
    private = _neighbors(test, options.get("neighbors")) == "unbounded"
    return Facts(alpha, alternative, sd, at, p, ties, groups, levels, private, normal)


def of_means(test: str) -> bool:
    """Tell whether a test compares means, whose `shape` is that of distributions; a table's has levels."""
    return "shape" in TESTS[test].options and TESTS[test].family != "table"


def _levels(shape: object) -> tuple[int, int]:
    """Return a table's numbers of levels."""
    if not isinstance(shape, (tuple, list)) or len(shape) != 2:
        raise PydpstatError(
            f"shape must be a pair of numbers of levels; got {checks.shown(shape)}. Give for example (2, 3)."
        )
    allowed, hint = "two whole numbers from 2 to 50", "Give for example (2, 3)."
    rows, columns = (
        checks.integer(each, "shape", 2, _MOST_LEVELS, allowed=allowed, hint=hint) for each in shape
    )
    return rows, columns


def _neighbors(test: str, given: object) -> str:
    neighbors = checks.one_of(defaults(None).neighbors if given is None else given, "neighbors", NEIGHBORS)
    if neighbors == "unbounded" and test not in PRIVATE:
        raise PydpstatError(
            f"neighbors must be 'bounded' for the plan of {test}, which needs public numbers of "
            f"records; got 'unbounded'. With a guess of n, {', '.join(PRIVATE)} can be planned."
        )
    return neighbors


def sizes_of(test: str, n: object, groups: int) -> tuple[int, ...]:
    """Return the number of records of each group."""
    number = _number_of_groups(test, groups)
    given = list(n) if isinstance(n, (list, tuple)) else [n] * number
    if len(given) != number:
        raise PydpstatError(
            f"n must be one number, or one for each of {number}; got {checks.shown(n)}. One number is that "
            "of each group."
        )
    allowed = "a whole number of records from 2 to 10^9"
    found = (checks.integer(each, "n", 2, _MOST_RECORDS, allowed=allowed, hint="Use 500.") for each in given)
    return tuple(found)


def _number_of_groups(test: str, groups: int) -> int:
    family = TESTS[test].family
    return groups if family in ("two", "several") else 2 if family == "shares" else 1


def equal_sizes(test: str, size: int, facts: Facts) -> tuple[int, ...]:
    """Return groups of one size, as many as the test has."""
    return (size,) * _number_of_groups(test, facts.groups)


def largest_effect(test: str, facts: Facts) -> float:
    """Return the largest effect, with the sign of the alternative."""
    family = TESTS[test].family
    up = facts.alternative != "less"
    if test in ("binomtest", "proportions_test", "quantile_test"):
        # a share below a quantile that is larger shows that the quantile is less
        up = up if test != "quantile_test" else facts.alternative != "greater"
        return 1.0 - facts.p if up else -facts.p
    if family == "table":
        return largest_dependence(facts.levels)
    most = _MOST_CORRELATION if family == "correlation" else _MOST_SHIFT
    return most if up else -most


def effect_of(test: str, effect: object, facts: Facts) -> float:
    """Return an effect that fits the test and its alternative."""
    most = largest_effect(test, facts)
    low, high = min(most, 0.0), max(most, 0.0)
    if TESTS[test].options[:2] == SIDED and facts.alternative == "two-sided":
        low = -facts.p if "p" in TESTS[test].options else -most
    allowed = f"a number from {low:.6g} to {high:.6g} and not 0"
    hint = f"It is the {TESTS[test].effect}."
    return checks.number(effect, "effect", allowed, lambda x: low <= x <= high and x != 0.0, hint)
