"""Plans of releases and tests: noise of a release, or the epsilon or size required for an accuracy."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat._data.native import to_public_list
from pydpstat._release.charging import get_budget_defaults
from pydpstat._wrong_calls import explain_unknown_arguments
from pydpstat.errors import ArgumentError, PydpstatError
from pydpstat.planning._plan_request import (
    DISTRIBUTION_FUNCTIONS,
    SIZE_DEPENDENT_FUNCTIONS,
    AccuracyTarget,
    PlanRequest,
    find_epsilon,
    find_size,
)
from pydpstat.planning._release_plan import Plan
from pydpstat.random import source_from
from pydpstat.statistics._catalog import list_planned_statistics

if TYPE_CHECKING:
    from pydpstat.planning._test_power import PowerPlan
    from pydpstat.results import DPResults, InferenceResults

PLANNED_FUNCTIONS = list_planned_statistics()
_TestName = Literal[
    "ttest_1samp",
    "ttest_rel",
    "ttest_ind",
    "wilcoxon",
    "mannwhitneyu",
    "kruskal",
    "f_oneway",
    "binomtest",
    "quantile_test",
    "proportions_test",
    "chi2_contingency",
    "kendalltau",
]
# functions whose accuracy can be studied with artificial data only
UNPLANNED_FUNCTIONS = (
    "choose logit moments ols weighted_mean weighted_proportion weighted_quantile weighted_total".split()
)
TEST_FUNCTIONS = get_args(_TestName)
# arguments of a plan besides those of the function
_PLAN_ARGUMENTS = ("n", "accuracy", "noise_sd", "alpha", "distribution", "columns")


@overload
def plan(  # type: ignore[overload-overlap]
    function: _TestName | Callable[..., InferenceResults],
    epsilon: float | None = None,
    *,
    n: int | Sequence[int] | None = None,
    accuracy: None = None,
    noise_sd: None = None,
    alpha: float = 0.05,
    distribution: None = None,
    columns: None = None,
    **options: object,
) -> PowerPlan: ...
@overload
def plan(
    function: str | Callable[..., DPResults],
    epsilon: float | None = None,
    *,
    n: int | None = None,
    accuracy: float | Mapping[str, float] | None = None,
    noise_sd: float | Mapping[str, float] | None = None,
    alpha: float = 0.05,
    distribution: object = None,
    columns: Collection[str] | None = None,
    **options: object,
) -> Plan: ...
@explain_wrong_calls
def plan(
    function: str | Callable[..., object],
    epsilon: float | None = None,
    *,
    n: int | Sequence[int] | None = None,
    accuracy: float | Mapping[str, float] | None = None,
    noise_sd: float | Mapping[str, float] | None = None,
    alpha: float = 0.05,
    distribution: object = None,
    columns: Collection[str] | None = None,
    **options: object,
) -> Plan | PowerPlan:
    """Plan a release: its noise, or what an accuracy or a power requires.

    Parameters
    ----------
    function : str or function
        ``"mean"`` or ``pydpstat.mean``; one of mean, sum, count, proportion, var, std, cov, corr,
        histogram, crosstab, nunique, median, quantile, quantiles. Or a test: ttest_1samp, ttest_rel,
        ttest_ind, wilcoxon, mannwhitneyu, kruskal, f_oneway, binomtest, quantile_test, proportions_test,
        chi2_contingency, kendalltau.
    epsilon : float, optional
        Privacy parameter; positive and finite. If omitted, it is computed for an accuracy, or for the power of a test.
    n : int, optional
        Number of records; if omitted, it is computed. Under bounded neighbors it is public, otherwise a
        guess; by group it is that of each group, of the smallest one if they differ. Sums, counts
        and tables do not need it. For a test of groups, the size of each, or a sequence of sizes.
    accuracy : float, or dict by column, optional
        The absolute error that the noise exceeds with probability alpha: half the width of its
        interval, in the unit of the estimate. It must hold for every value of the release.
    noise_sd : float, or dict by column, optional
        The largest standard error due to the noise, instead of `accuracy`.
    alpha : float, default 0.05
        For a release, the probability that the error by the noise exceeds the accuracy; for a test, its
        significance level.
    distribution : optional
        Assumed distribution of the data if the accuracy depends on them: ``"normal"`` (its mean in the middle
        of the bounds, which are 4 standard deviations to either side), ``"uniform"``, or a frozen SciPy
        distribution such as ``scipy.stats.norm(45, 15)``; a dict of these by column; for a proportion the
        share itself. By default means, variances and proportions are planned for the worst data; quantiles
        and standard deviations need a distribution.
    columns : list of str, optional
        Names of the columns of the frame to be released; those of `by` and `unit` need not be among them.
    **options
        Arguments of the function: `bounds`, `q`, `delta`, `mechanism`, `neighbors`, `missing`, and so on. Inside
        ``with budget:`` the neighbors are those of the budget, as in the release. `by` and `unit` can be names
        of columns that the data will have; `by` needs `levels`. Those of a test are under Notes.

    Returns
    -------
    Plan or PowerPlan
        Of a release, with `epsilon`, `n`, `noise`, `noise_scale`, `sd`, `accuracy`, `sensitivity`,
        `guarantee`; of a test, with `n`, `epsilon`, `effect`, `power`, `test`, `stronger`, `powers`. Both
        with `summary`, `to_frame`, `to_dict`, `to_csv`, `to_markdown`, `to_latex`, `to_html`.

    Raises
    ------
    PydpstatError
        If the function cannot be planned (choose), an argument is invalid, or the requested accuracy or power is
        unattainable; the message then states what can be attained.

    See Also
    --------
    Budget : budget to which the planned release is charged.
    DPResults.accuracy : accuracy of a released value.

    Notes
    -----
    A plan is computed by the function itself, with sums of 0 in place of those of the data, so it cannot
    differ from the release. It spends no budget and reveals nothing.

    The computed epsilon is the smallest from 1e-6 to 100, rounded up to four digits, and n the smallest
    up to 10^9. Accuracies that depend on the data are computed from artificial records at the quantiles of the stated
    distribution. For a private number of records they are those of the delta method, as in the release's
    ``accuracy()``; the worst data for means, variances and proportions lie at a bound. For a quantile, the
    accuracy is that of the distance from the quantile of the records, computed from the probability of every
    grid point. For several quantiles it is computed from 20,000 simulated releases with fixed seeds, to first
    order: the density of the records is assumed constant over the error of a choice.

    Three of `n`, `epsilon`, `effect` and `power` of a test are given.
    The fourth is computed; n, epsilon and effect are approximately the smallest possible.
    The level is `alpha` (0.05), the `alternative` is as in the test. With unbounded `neighbors` n is a guess;
    that goes for t tests, f_oneway, binomtest, quantile_test and chi2_contingency. `power` is the probability
    of a p-value of at most alpha, and `effect` is the assumed effect:

    - t tests, `wilcoxon`, `mannwhitneyu`: the mean less that of the null hypothesis, or of the second group,
      in standard deviations of normal records (for pairs: of the differences).
    - `f_oneway`, `kruskal`: the largest mean less the smallest in standard deviations, the others evenly
      between; there are `groups` (3).
    - `binomtest`: the proportion less `p` (0.5), that of the null hypothesis. `proportions_test`: the first
      group's proportion less `p`, the second one's. `quantile_test`: the share of records below the
      value, less `p`; with its `ties`.
    - `chi2_contingency`: Cohen's w, from 0 to 1, for a table of `shape` (2, 2) whose margins are even and
      whose levels go together. `kendalltau`: the correlation of two normal variables.

    For means the `bounds` are by default 4 standard deviations to either side; with `bounds` the `sd` is
    theirs divided by 8, or as given, and the null hypothesis's mean is in the middle, or `popmean`. Records
    are clipped to the bounds as in the test. For t tests and `f_oneway`, ``shape="normal"`` plans the test
    that assumes normal records.

    Powers for counts are sums of exact distributions. Those for means, ranks and tables are from 2,000
    simulated releases with fixed seeds, and critical values from the test's own distributions: a standard
    error of up to about 0.02. `stronger` names the test with the most power for the same question and the
    same numbers; among these is the usual test on random blocks (`any_test`).

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, Theorem 3.8
    (accuracy of Laplace noise).
    Cohen, J. (1988). Statistical power analysis for the behavioral sciences, second edition. Erlbaum (the
    effects).

    Examples
    --------
    A mean age: the effect of the noise, and the epsilon required for half a year.

    >>> import pydpstat
    >>> planned = pydpstat.plan("mean", 1.0, bounds=(0, 100), n=1000)
    >>> round(planned.sd, 4), round(planned.accuracy(0.05), 4)
    (0.1414, 0.2996)
    >>> pydpstat.plan("mean", accuracy=0.5, bounds=(0, 100), n=1000).epsilon
    0.5993
    >>> pydpstat.plan("mean", 0.1, accuracy=0.5, bounds=(0, 100)).n
    5992

    Counts by region, whose number of records is private, and a median income under a stated distribution.

    >>> facts = {"by": "region", "levels": ["north", "south"], "other": None, "neighbors": "unbounded"}
    >>> pydpstat.plan("count", accuracy=10, **facts).epsilon
    0.2844
    >>> from scipy import stats
    >>> incomes = stats.lognorm(0.6, scale=30_000)
    >>> planned = pydpstat.plan("median", 0.2, n=2000, bounds=(0, 200_000), distribution=incomes)
    >>> 500 < planned.accuracy() < 1500
    True
    >>> found = pydpstat.plan("wilcoxon", 1.0, effect=0.4, power=0.8)
    >>> found.solved, 60 < found.n < 90
    ('n', True)
    """
    import pydpstat

    name = function if isinstance(function, str) else getattr(function, "__name__", None)
    requirements = {"accuracy": accuracy, "noise_sd": noise_sd, "distribution": distribution}
    if isinstance(name, str) and name in TEST_FUNCTIONS:
        from pydpstat.planning._test_power import make_power_plan

        for argument, value in {"columns": columns, **requirements}.items():
            if value is not None:
                hint = "" if argument == "columns" else " Give power and effect."
                raise PydpstatError(
                    f"{argument} must be left out for the plan of a test; got {checks.describe_value(value)}.{hint}"
                )
        return make_power_plan(name, epsilon, n, {"alpha": alpha, **options})
    if name in UNPLANNED_FUNCTIONS:
        raise PydpstatError(
            f"{name} cannot be planned: its accuracy depends on the data. Try it on made-up data of the size and kind "
            "that you expect, with rng=1; budget.allocate takes a number in place of its plan."
        )
    checks.check_choice(name if isinstance(name, str) else function, "function", (*PLANNED_FUNCTIONS, *TEST_FUNCTIONS))
    call = getattr(pydpstat, str(name))
    _check_options(call, options)
    checks.check_probability(alpha, "alpha")
    if distribution is not None and name not in DISTRIBUTION_FUNCTIONS:
        raise PydpstatError(
            f"distribution must be left out for a {name}; got {checks.describe_value(distribution)}. The noise "
            "does not depend on it."
        )
    if options.get("rng") is not None:
        # seeded noise has no grid; the plan draws none, so any seed can replace the given one
        source_from(options["rng"])
        options["rng"] = 0
    request = PlanRequest(str(name), options, _check_columns(columns), distribution, get_budget_defaults(None))
    if distribution is not None:
        request.make_distributions()
    target = AccuracyTarget.from_arguments(request, accuracy, noise_sd, alpha)
    size, planned_epsilon = _resolve_plan_arguments(request, epsilon, n, target)
    solved = "accuracy"
    if target is not None and planned_epsilon is None:
        solved, planned_epsilon = "epsilon", find_epsilon(request, target, size)
    elif target is not None:
        solved, size = "n", find_size(request, target, planned_epsilon)
    planned = request.make_planned_release(planned_epsilon, size)
    return Plan(planned.result, request, float(planned_epsilon), size, alpha, solved)


def _resolve_plan_arguments(
    request: PlanRequest, epsilon: object, n: object, target: AccuracyTarget | None
) -> tuple[int | None, Any]:
    """Check which of n, epsilon and the accuracy are given, and return the first two."""
    name, is_size_dependent = request.function, request.function in SIZE_DEPENDENT_FUNCTIONS
    size = _check_size(n, request, target is not None and epsilon is not None)
    # discard a size that has no effect
    size = size if is_size_dependent else None
    if target is None:
        if epsilon is None:
            raise PydpstatError(
                "epsilon must be given, or an accuracy (or noise_sd) for which to find it. Give for "
                "example accuracy=0.5, in the unit of the estimate."
            )
        return size, checks.check_epsilon(epsilon)
    if epsilon is None and (size is not None or not is_size_dependent):
        return size, None
    if epsilon is not None and is_size_dependent and size is None:
        return None, checks.check_epsilon(epsilon)
    requirement = f"{target.argument}={checks.describe_value(target.given)}"
    if epsilon is None:
        raise PydpstatError(
            f"n or epsilon must be given with {requirement}: the accuracy of a {name} depends on both. Give "
            "n to find epsilon, or epsilon to find n."
        )
    omissions = "epsilon or n" if is_size_dependent else f"epsilon: the noise of a {name} does not depend on n"
    raise PydpstatError(f"{requirement} leaves nothing to find. Leave out {omissions}.")


def _check_columns(columns: object) -> tuple[str, ...] | None:
    if columns is None:
        return None
    values = to_public_list(columns, "columns")
    if isinstance(values, (list, tuple)) and all(isinstance(value, str) for value in values):
        if 0 < len(set(values)) == len(values):
            return tuple(values)
    raise PydpstatError(
        f"columns must be a list of texts that name columns, without repetition; got {checks.describe_value(columns)}. "
        "Leave it out for a single variable."
    )


def _check_options(call: Callable[..., DPResults], options: Mapping[str, object]) -> None:
    allowed = [
        parameter.name
        for parameter in inspect.signature(call).parameters.values()
        if (parameter.kind is parameter.KEYWORD_ONLY or parameter.name in ("q", "qs")) and parameter.name != "budget"
    ]
    unknown = {name: value for name, value in options.items() if name not in allowed}
    if unknown:
        raise ArgumentError(
            explain_unknown_arguments(f"plan of {call.__name__}", ["epsilon", *allowed, *_PLAN_ARGUMENTS], unknown)
        )
    if "bounds" in allowed and "bounds" not in options:
        raise PydpstatError("bounds must be given: the public range of the data, as (lower, upper).")
    for name, example in (("q", "q=0.9"), ("qs", "qs=[0.25, 0.5, 0.75]")):
        if name in allowed and name not in options:
            raise PydpstatError(f"{name} must be given: the probabilities of the quantiles. Give {example}.")


def _check_size(n: object, request: PlanRequest, is_sought: bool) -> int | None:
    """Check the number of records; it may be None if it has no effect or `is_sought`."""
    name, options = request.function, request.options
    given_neighbors = options.get("neighbors")
    neighbors = request.defaults.neighbors if given_neighbors is None else given_neighbors
    # the numbers of records of groups and units are private
    is_ungrouped = options.get("by") is None and options.get("unit") is None
    # leave the error for an array to the function
    is_required = (
        is_ungrouped and name in SIZE_DEPENDENT_FUNCTIONS and isinstance(neighbors, str) and neighbors == "bounded"
    )
    if n is None:
        if is_required and not is_sought:
            raise PydpstatError(
                f"n must be given: the noise of a {name} depends on the public number of records "
                "under bounded neighbors. Give for example n=1000, or neighbors='unbounded'; with "
                "accuracy and epsilon, n is found."
            )
        return None
    if not checks.is_number(n) or not 0 <= checks.as_float(n) < 2.0**53 or n != int(n):
        raise PydpstatError(
            f"n must be a whole number of records; got {checks.describe_value(n)}. Give for example 1000."
        )
    if n == 0 and name in SIZE_DEPENDENT_FUNCTIONS:
        raise PydpstatError(f"n must be at least 1 record for a {name}; got {n!r}. Give for example 1000.")
    return int(n)
