"""Settings of the plan of a test: checked options, public numbers and the range of effects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pydpstat import _checks as checks
from pydpstat._data.columns import check_bounds
from pydpstat._release.charging import get_budget_defaults
from pydpstat._wrong_calls import explain_unknown_arguments
from pydpstat.errors import ArgumentError, PydpstatError
from pydpstat.inference._testing import ALTERNATIVES, SHAPES
from pydpstat.planning._count_power import compute_largest_dependence
from pydpstat.privacy.guarantee import NEIGHBORS

_MAX_RECORDS, _MAX_GROUPS, _MAX_LEVELS = 10**9, 100, 50
_MAX_SHIFT, _MAX_CORRELATION = 20.0, 0.999


class PlannedTest(NamedTuple):
    """Properties of a test: its options, the family of a block's usual test, alternative tests, and its effect."""

    options: tuple[str, ...]
    family: str
    rivals: tuple[str, ...]
    effect: str


# tests for which the number of records may be private
PRIVATE_SIZE_TESTS = (
    "ttest_1samp",
    "ttest_rel",
    "ttest_ind",
    "f_oneway",
    "binomtest",
    "quantile_test",
    "chi2_contingency",
)
SIDED_OPTIONS, _RANGE_OPTIONS, _SHAPE_OPTIONS = (
    ("alpha", "alternative"),
    ("sd", "bounds"),
    ("sd", "bounds", "shape"),
)
_SHIFT_EFFECT = "mean less that of the null hypothesis, in standard deviations"
_DIFFERENCE_EFFECT = "mean of the first group less that of the second, in standard deviations"
_RANGE_EFFECT = "largest mean less the smallest, the others evenly between, in standard deviations"
BLOCK_TEST = "any_test"
PLANNED_TESTS = {
    "ttest_1samp": PlannedTest(
        (*SIDED_OPTIONS, *_SHAPE_OPTIONS, "popmean"), "one", ("wilcoxon", BLOCK_TEST), _SHIFT_EFFECT
    ),
    "ttest_rel": PlannedTest(
        (*SIDED_OPTIONS, *_SHAPE_OPTIONS),
        "one",
        ("wilcoxon", BLOCK_TEST),
        f"{_SHIFT_EFFECT} of the differences",
    ),
    "wilcoxon": PlannedTest((*SIDED_OPTIONS, *_RANGE_OPTIONS), "one", ("ttest_1samp", BLOCK_TEST), _SHIFT_EFFECT),
    "ttest_ind": PlannedTest(
        (*SIDED_OPTIONS, *_SHAPE_OPTIONS), "two", ("mannwhitneyu", BLOCK_TEST), _DIFFERENCE_EFFECT
    ),
    "mannwhitneyu": PlannedTest(
        (*SIDED_OPTIONS, *_RANGE_OPTIONS), "two", ("ttest_ind", BLOCK_TEST), _DIFFERENCE_EFFECT
    ),
    "f_oneway": PlannedTest(("alpha", *_SHAPE_OPTIONS, "groups"), "several", ("kruskal", BLOCK_TEST), _RANGE_EFFECT),
    "kruskal": PlannedTest(("alpha", *_RANGE_OPTIONS, "groups"), "several", ("f_oneway", BLOCK_TEST), _RANGE_EFFECT),
    "binomtest": PlannedTest((*SIDED_OPTIONS, "p"), "", (), "proportion less p"),
    "quantile_test": PlannedTest((*SIDED_OPTIONS, "p", "ties"), "", (), "share of records below the quantile, less p"),
    "proportions_test": PlannedTest(
        (*SIDED_OPTIONS, "p"),
        "shares",
        (BLOCK_TEST,),
        "proportion of the first group less p, that of the second",
    ),
    "chi2_contingency": PlannedTest(("alpha", "shape"), "table", (BLOCK_TEST,), "Cohen's w"),
    "kendalltau": PlannedTest(SIDED_OPTIONS, "correlation", (BLOCK_TEST,), "correlation of normal variables"),
}


@dataclass(frozen=True, slots=True)
class PowerSettings:
    """Public settings besides the four numbers; `sd` and `null_mean` refer to bounds of -1 and 1."""

    alpha: float
    alternative: str
    sd: float
    null_mean: float
    p: float
    ties: bool
    groups: int
    levels: tuple[int, int]
    private: bool = False
    normal: bool = False


def check_plan_options(test: str, options: Mapping[str, object]) -> None:
    """Check that all options are options of the test's plan."""
    arguments = ("epsilon", "n", "effect", "power", "neighbors", *PLANNED_TESTS[test].options)
    if unknown := {name: value for name, value in options.items() if name not in arguments[2:]}:
        raise ArgumentError(explain_unknown_arguments(f"plan of {test}", arguments, unknown))


def make_power_settings(test: str, options: Mapping[str, object]) -> PowerSettings:
    """Check the public settings of a plan besides n, epsilon, effect and power."""
    alpha = checks.check_probability(options.get("alpha", 0.05), "alpha")
    alternative = checks.check_choice(options.get("alternative", "two-sided"), "alternative", ALTERNATIVES)
    p = checks.check_number(options.get("p", 0.5), "p", "above 0 and below 1", lambda x: 0.0 < x < 1.0, "0.5 is usual.")
    groups = checks.check_integer(
        options.get("groups", 3), "groups", 2, _MAX_GROUPS, allowed="a whole number from 2 to 100"
    )
    if PLANNED_TESTS[test].family == "two":
        groups = 2
    normal = is_test_of_means(test) and checks.check_choice(options.get("shape", "any"), "shape", SHAPES) == "normal"
    levels = (2, 2) if is_test_of_means(test) else _check_table_shape(options.get("shape", (2, 2)))
    ties = checks.check_boolean(options.get("ties", True), "ties")
    sd, null_mean = 0.25, 0.0
    if options.get("bounds") is not None:
        lower, upper = check_bounds(options["bounds"])
        half, middle = 0.5 * upper - 0.5 * lower, 0.5 * lower + 0.5 * upper
        if options.get("sd") is not None:
            sd = checks.check_positive(options["sd"], "sd", "It has the data's unit.") / half
        if test == "ttest_rel" and not lower <= 0.0 <= upper:
            raise PydpstatError(
                "bounds must contain 0, the mean difference under the null hypothesis; got "
                f"{checks.describe_value(options['bounds'])}. They are bounds of the differences."
            )
        popmean = 0.0 if test == "ttest_rel" else options.get("popmean")
        null = middle if popmean is None else popmean
        hint = "Give a mean within the bounds."
        mean = checks.check_number(null, "popmean", "within the bounds", lambda x: lower <= x <= upper, hint)
        null_mean = (mean - middle) / half
    elif options.get("popmean") is not None:
        raise PydpstatError("bounds must be given with popmean: without bounds it is in their middle.")
    elif options.get("sd") is not None:
        raise PydpstatError("bounds must be given with sd: by default they are 4 sd to either side.")
    private = _check_neighbors(test, options.get("neighbors")) == "unbounded"
    return PowerSettings(alpha, alternative, sd, null_mean, p, ties, groups, levels, private, normal)


def is_test_of_means(test: str) -> bool:
    """Return whether a test compares means, so that `shape` is that of distributions rather than of a table."""
    return "shape" in PLANNED_TESTS[test].options and PLANNED_TESTS[test].family != "table"


def _check_table_shape(shape: object) -> tuple[int, int]:
    """Check the numbers of levels of a table."""
    if not isinstance(shape, (tuple, list)) or len(shape) != 2:
        raise PydpstatError(
            f"shape must be a pair of numbers of levels; got {checks.describe_value(shape)}. Give for example (2, 3)."
        )
    allowed, hint = "two whole numbers from 2 to 50", "Give for example (2, 3)."
    rows, columns = (
        checks.check_integer(n_levels, "shape", 2, _MAX_LEVELS, allowed=allowed, hint=hint) for n_levels in shape
    )
    return rows, columns


def _check_neighbors(test: str, neighbors_argument: object) -> str:
    neighbors = checks.check_choice(
        get_budget_defaults(None).neighbors if neighbors_argument is None else neighbors_argument,
        "neighbors",
        NEIGHBORS,
    )
    if neighbors == "unbounded" and test not in PRIVATE_SIZE_TESTS:
        raise PydpstatError(
            f"neighbors must be 'bounded' for the plan of {test}, which needs public numbers of "
            f"records; got 'unbounded'. With a guess of n, {', '.join(PRIVATE_SIZE_TESTS)} can be planned."
        )
    return neighbors


def check_group_sizes(test: str, n: object, groups: int) -> tuple[int, ...]:
    """Check the number of records of each group."""
    number = _get_group_count(test, groups)
    sizes = list(n) if isinstance(n, (list, tuple)) else [n] * number
    if len(sizes) != number:
        raise PydpstatError(
            f"n must be one number, or one for each of {number}; got {checks.describe_value(n)}. One number is that "
            "of each group."
        )
    allowed = "a whole number of records from 2 to 10^9"
    checked_sizes = (
        checks.check_integer(size, "n", 2, _MAX_RECORDS, allowed=allowed, hint="Use 500.") for size in sizes
    )
    return tuple(checked_sizes)


def _get_group_count(test: str, groups: int) -> int:
    family = PLANNED_TESTS[test].family
    return groups if family in ("two", "several") else 2 if family == "shares" else 1


def make_equal_sizes(test: str, size: int, plan_settings: PowerSettings) -> tuple[int, ...]:
    """Return equal sizes for all groups of the test."""
    return (size,) * _get_group_count(test, plan_settings.groups)


def get_largest_effect(test: str, plan_settings: PowerSettings) -> float:
    """Return the largest effect, with the sign of the alternative."""
    family = PLANNED_TESTS[test].family
    is_upward = plan_settings.alternative != "less"
    if test in ("binomtest", "proportions_test", "quantile_test"):
        # a larger share of records below a value indicates a smaller quantile
        is_upward = is_upward if test != "quantile_test" else plan_settings.alternative != "greater"
        return 1.0 - plan_settings.p if is_upward else -plan_settings.p
    if family == "table":
        return compute_largest_dependence(plan_settings.levels)
    largest = _MAX_CORRELATION if family == "correlation" else _MAX_SHIFT
    return largest if is_upward else -largest


def check_effect(test: str, effect: object, plan_settings: PowerSettings) -> float:
    """Check that an effect is in the range of the test and its alternative."""
    largest_effect = get_largest_effect(test, plan_settings)
    low, high = min(largest_effect, 0.0), max(largest_effect, 0.0)
    if PLANNED_TESTS[test].options[:2] == SIDED_OPTIONS and plan_settings.alternative == "two-sided":
        low = -plan_settings.p if "p" in PLANNED_TESTS[test].options else -largest_effect
    allowed = f"a number from {low:.6g} to {high:.6g} and not 0"
    hint = f"It is the {PLANNED_TESTS[test].effect}."
    return checks.check_number(effect, "effect", allowed, lambda x: low <= x <= high and x != 0.0, hint)
