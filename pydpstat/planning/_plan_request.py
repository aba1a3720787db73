"""Request of a plan: a function with its public arguments, and the search for epsilon or the sample size."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import replace
from decimal import ROUND_UP, Context, Decimal
from typing import Any, NamedTuple, cast

import numpy as np

import pydpstat
from pydpstat import _checks as checks
from pydpstat._data.columns import Bounds, Placeholder, check_column_bounds
from pydpstat._null_distributions.correlations import CorrelationValue
from pydpstat._records.quantile_points import (
    QuantileQuery,
    check_quantile_options,
    check_share,
    check_shares,
    read_quantile_query,
)
from pydpstat._release.charging import BudgetDefaults, use_budget
from pydpstat._search import bisect_up
from pydpstat.errors import PydpstatError, UsageWarning
from pydpstat.planning._release_errors import (
    DISTRIBUTION_HINT,
    ChoiceErrors,
    NoiseErrors,
    PlanErrors,
    StatedDistribution,
    TwoPointDistribution,
    check_distributions,
    compute_quantile_errors,
    make_share_distribution,
    simulate_quantile_errors,
)
from pydpstat.privacy import Guarantee
from pydpstat.results._postprocessing import DerivedValue, NoisyValue, PostProcessing, ScaledValue, SquareRootValue
from pydpstat.results.results import DPResults
from pydpstat.statistics._catalog import list_planned_statistics, list_statistics

QUANTILE_FUNCTIONS = list_statistics("quantiles")
# functions whose accuracy depends on the number of records
SIZE_DEPENDENT_FUNCTIONS = list_planned_statistics("size", "distribution")
# functions whose accuracy depends on the distribution, too, at least under unbounded neighbors
DISTRIBUTION_FUNCTIONS = list_planned_statistics("distribution")
PAIR_FUNCTIONS = list_statistics("pairs")
# largest number of artificial records
_N_PLACEHOLDER_RECORDS = 4096
# epsilon of a release with negligible noise
_NO_NOISE = 1e9
_SMALLEST_EPSILON, _LARGEST_EPSILON = 1e-6, 100.0
_MAX_RECORDS = 10**9
_EPSILON_DIGITS, _EPSILON_RATIO = 4, 1.0002
# functions whose values have one element per column
_COLUMN_FUNCTIONS = list_statistics("columns", "conditions")


class PlannedRelease(NamedTuple):
    """Release of artificial records with its errors, or the reason why these are unknown."""

    result: DPResults
    errors: PlanErrors | None
    reason: str = ""


def get_errors(planned: PlannedRelease) -> PlanErrors:
    """Return the errors of a planned release, or raise an error with the reason why these are unknown."""
    if planned.errors is None:
        raise PydpstatError(
            f"the accuracy of this {planned.result.statistic} depends on the data: {planned.reason}"
            f"{'' if planned.reason.endswith('.') else '.'} After the release its result's accuracy() has it."
        )
    return planned.errors


class _FreeBudget:
    """Stand-in for the budget of the enclosing block, with its neighbors and unit, which is not charged."""

    def __init__(self, budget_defaults: BudgetDefaults) -> None:
        self.neighbors, self.unit, self.accountant = budget_defaults

    def spend(self, guarantee: Guarantee, call: str) -> None:
        """Charge nothing, since nothing is released."""


class PlanRequest(NamedTuple):
    """Function with its public arguments."""

    function: str
    options: Mapping[str, Any]
    columns: tuple[str, ...] | None
    distribution: object
    defaults: BudgetDefaults

    @property
    def variables(self) -> tuple[str, ...] | None:
        """Names of the variables; None for a single one."""
        if self.columns is None:
            return None
        used: set[str] = set()
        for keys in (self.options.get("by"), self.options.get("unit")):
            used |= {keys} if isinstance(keys, str) else set(keys) if isinstance(keys, (list, tuple)) else set()
        names = tuple(name for name in self.columns if name not in used)
        return None if len(names) == 1 and len(names) < len(self.columns) else names

    def make_result(self, epsilon: float, n: int | None) -> DPResults:
        """Make the release of artificial records, without its errors."""
        call = getattr(pydpstat, self.function)
        made_up = Placeholder(n or 0, self.columns)
        pair = self.function in PAIR_FUNCTIONS and self.columns is None
        # nothing is released, so the block's budget is not charged
        with use_budget(_FreeBudget(self.defaults)), warnings.catch_warnings():
            # artificial records are in no level
            warnings.simplefilter("ignore", UsageWarning)
            return call(made_up, *((made_up,) if pair else ()), epsilon=epsilon, **self.options)  # type: ignore[no-any-return]

    def make_planned_release(self, epsilon: float, n: int | None) -> PlannedRelease:
        """Make the release of artificial records, with its errors."""
        result = self.make_result(epsilon, n)
        with use_budget(_FreeBudget(self.defaults)), warnings.catch_warnings():
            warnings.simplefilter("ignore", UsageWarning)
            return self._add_errors(result, epsilon, n)

    def _add_errors(self, result: DPResults, epsilon: float, n: int | None) -> PlannedRelease:
        post, shape = result.post, result.value.shape
        if isinstance(post, (NoisyValue, ScaledValue)) and self.function not in QUANTILE_FUNCTIONS:
            return PlannedRelease(result, NoiseErrors(result.noise, post, result.value, shape))
        if isinstance(post, CorrelationValue):
            return PlannedRelease(result, None, "it depends on noisy variances and covariances")
        if self.distribution is None and self.function in ("std", *QUANTILE_FUNCTIONS):
            return PlannedRelease(result, None, f"state the distribution of the data. {DISTRIBUTION_HINT}")
        if n is None:
            return PlannedRelease(result, None, "give n, a guess of the number of records")
        size = self._compute_sample_size(n)
        if self.function in QUANTILE_FUNCTIONS:
            return PlannedRelease(result, self._compute_choice_errors(epsilon, n, size, shape))
        exact_post, value = self._release_without_noise(size, isinstance(post, SquareRootValue))
        return PlannedRelease(result, NoiseErrors(result.noise, exact_post, value, shape))

    def is_data_dependent(self, result: DPResults) -> bool:
        """Return whether the accuracy depends on the stated distribution of the records."""
        return self.function in QUANTILE_FUNCTIONS or not isinstance(result.post, (NoisyValue, ScaledValue))

    def describe_distribution(self) -> str:
        """Describe the stated distribution of the records."""
        if self.distribution is None:
            return "The accuracy is for the worst case, as no distribution is stated"
        distribution = self.distribution
        description = (
            distribution
            if isinstance(distribution, str) or checks.is_number(distribution)
            else _describe_distribution(distribution)
        )
        return f"The accuracy is for data with the stated distribution ({description})"

    def _compute_sample_size(self, n: int) -> int:
        sample = self.options.get("sample")
        if sample is None:
            return n
        return max(round(n * sample) if sample < 1 else int(sample), 1)

    def get_bounds(self) -> Bounds:
        """Return the bounds of each variable; 0 and 1 for Booleans."""
        names = self.variables
        count = 1 if names is None else len(names)
        if "bounds" not in self.options:
            return ((0.0, 1.0),) * count
        return check_column_bounds(self.options["bounds"], names, count)

    def make_distributions(self) -> tuple[StatedDistribution, ...]:
        """Return the distribution of each variable; by default all records are at a bound."""
        column_bounds = self.get_bounds()
        if self.distribution is None:
            # noisy sums are least informative about a mean or a variance at a bound
            return tuple(TwoPointDistribution(1.0, upper, upper) for _, upper in column_bounds)
        if self.function != "proportion":
            return check_distributions(self.distribution, column_bounds, self.variables)
        shares, names = self.distribution, self.variables
        if isinstance(shares, Mapping) and names is not None:
            return tuple(
                map(
                    make_share_distribution,
                    checks.select_by_names(shares, names, "distribution", "column", "0.3"),
                )
            )
        return (make_share_distribution(shares),) * len(column_bounds)

    def _release_without_noise(self, n: int, is_size_public: bool) -> tuple[PostProcessing, np.ndarray]:
        """Return the post-processing and the value of n records of one group without noise.

        With a private size, the number of records is computed from the sums.
        """
        size = min(n, _N_PLACEHOLDER_RECORDS)
        is_pair = self.function in PAIR_FUNCTIONS and self.columns is None
        distributions: tuple[StatedDistribution, ...] = ()
        if not is_pair:
            distributions = self.make_distributions()
            probabilities = (np.arange(size) + 0.5) / size
            columns: list[np.ndarray] = [np.asarray(distribution.ppf(probabilities)) for distribution in distributions]
        else:
            columns = [np.full(size, upper) for _, upper in check_column_bounds(self.options["bounds"], ("x", "y"), 2)]
        if self.function == "proportion":
            columns = [column > 0.5 for column in columns]
        is_single = self.variables is None
        data = columns if is_pair else columns if is_single else [np.column_stack(columns)]
        options: dict[str, Any] = {
            "neighbors": self._get_neighbors() if is_size_public else "unbounded",
            "rng": 0,
        }
        if "bounds" in self.options:
            options["bounds"] = self.options["bounds"] if is_pair or is_single else list(self.get_bounds())
        if self.options.get("population"):
            options["population"] = True
        release = getattr(pydpstat, self.function)(*data, epsilon=_NO_NOISE, **options)
        return _scale_slopes(release.post, size, n), release.value

    def _get_neighbors(self) -> str:
        neighbors = self.options.get("neighbors")
        return self.defaults.neighbors if neighbors is None else str(neighbors)

    def _compute_choice_errors(self, epsilon: float, n: int, size: int, shape: tuple[int, ...]) -> ChoiceErrors:
        if self.options.get("population"):
            raise PydpstatError(
                f"population must be left out for the plan of a {self.function}: its intervals depend "
                "on the released numbers. Plan it without population."
            )
        query = self._make_quantile_query(epsilon, n)
        (distribution,) = self.make_distributions()
        if self.function == "quantiles":
            return ChoiceErrors(
                simulate_quantile_errors(query, distribution, check_shares(self.options["qs"]), size), shape
            )
        share = 0.5 if self.function == "median" else check_share(self.options["q"])
        return ChoiceErrors((compute_quantile_errors(query, distribution, share, size),), shape)

    def _make_quantile_query(self, epsilon: float, n: int) -> QuantileQuery:
        arguments, placeholder = self.options, Placeholder(n, self.columns)
        by, levels, unit, sample = map(arguments.get, ("by", "levels", "unit", "sample"))
        contribution_bounds = arguments.get("max_records"), arguments.get("max_groups")
        options = check_quantile_options(epsilon, arguments.get("neighbors"), arguments.get("missing", "error"), False)
        options = options.add_scope(by, levels, arguments.get("other", "other"), unit, *contribution_bounds, sample)
        return read_quantile_query(cast(Any, placeholder), arguments["bounds"], arguments.get("grid_points"), options)


def _scale_slopes(post: PostProcessing, size: int, n: int) -> PostProcessing:
    """Return post-processing of `size` artificial records with the slopes of n records, which are size / n of them."""
    if not isinstance(post, DerivedValue) or n == size:
        return post
    return replace(post, slopes=tuple(slope * size / n for slope in post.slopes))


def _describe_distribution(distribution: Any) -> str:
    """Return the name of a distribution, with the parameters of a frozen SciPy distribution."""
    family = getattr(distribution, "dist", None)
    if family is None:
        return type(distribution).__name__
    keywords = [f"{name}={value}" for name, value in distribution.kwds.items()]
    return f"{family.name}({', '.join([*map(str, distribution.args), *keywords])})"


class AccuracyTarget(NamedTuple):
    """Requested accuracy."""

    argument: str
    given: object
    targets: tuple[float, ...]
    alpha: float

    @classmethod
    def from_arguments(
        cls, request: PlanRequest, accuracy: object, noise_sd: object, alpha: float
    ) -> AccuracyTarget | None:
        """Check the requested accuracy; None if none is requested."""
        if accuracy is None and noise_sd is None:
            return None
        if accuracy is not None and noise_sd is not None:
            raise PydpstatError(
                "accuracy and noise_sd must not both be given: each follows from the other. Leave out one."
            )
        argument, requested = ("accuracy", accuracy) if noise_sd is None else ("noise_sd", noise_sd)
        unit = "It is in the unit of the estimate."
        if not isinstance(requested, Mapping):
            return cls(argument, requested, (checks.check_positive(requested, argument, unit),), alpha)
        names = request.variables
        if names is None or request.function not in _COLUMN_FUNCTIONS:
            raise PydpstatError(
                f"{argument} must be one number for this {request.function}; got "
                f"{checks.describe_value(requested)}. A dict is for several columns, whose names are in columns=."
            )
        amounts = checks.select_by_names(requested, names, argument, "column", "a number")
        targets = tuple(
            checks.check_positive(amount, f"{argument}[{name!r}]", unit) for name, amount in zip(names, amounts)
        )
        return cls(argument, requested, targets, alpha)

    def compute_error_ratio(self, planned: PlannedRelease) -> tuple[float, float]:
        """Return the largest ratio of an error to its target, and that error."""
        errors = get_errors(planned)
        element_errors = errors.compute_error_bound(self.alpha) if self.argument == "accuracy" else errors.compute_sd()
        # the columns are the last axis
        ratio = element_errors / np.array(self.targets) if len(self.targets) > 1 else element_errors / self.targets[0]
        if np.isnan(ratio).any():
            raise PydpstatError(
                f"{self.argument} of this {planned.result.statistic} is not known: the stated "
                "distribution has no spread within the bounds. State a different distribution."
            )
        worst = int(np.argmax(ratio))
        return float(ratio.flat[worst]), float(np.asarray(element_errors).flat[worst])


def find_epsilon(request: PlanRequest, target: AccuracyTarget, n: int | None) -> float:
    """Return the smallest epsilon with the requested accuracy, rounded up to four digits."""

    def is_accurate(epsilon: float) -> bool:
        return target.compute_error_ratio(request.make_planned_release(epsilon, n))[0] <= 1.0

    low, high = _SMALLEST_EPSILON, _LARGEST_EPSILON
    if not is_accurate(high):
        hint = "a larger n, " if n is not None else ""
        raise _make_unreachable_error(
            request,
            target,
            f"epsilon {high:g}",
            request.make_planned_release(high, n),
            f"{hint}narrower bounds or ",
        )
    if is_accurate(low):
        return low
    while high > low * _EPSILON_RATIO:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if is_accurate(middle) else (middle, high)
    return min(
        float(Context(prec=_EPSILON_DIGITS, rounding=ROUND_UP).create_decimal(Decimal(high))),
        _LARGEST_EPSILON,
    )


def find_size(request: PlanRequest, target: AccuracyTarget, epsilon: float) -> int:
    """Return the smallest number of records with the requested accuracy."""

    def is_accurate(n: int) -> bool:
        return target.compute_error_ratio(request.make_planned_release(epsilon, n))[0] <= 1.0

    low, high = 1, 16
    while not is_accurate(high):
        if high >= _MAX_RECORDS:
            hint = "a larger epsilon, narrower bounds or "
            raise _make_unreachable_error(
                request, target, "10^9 records", request.make_planned_release(epsilon, high), hint
            )
        low, high = high, min(4 * high, _MAX_RECORDS)
    return int(bisect_up(lambda n: not is_accurate(int(n)), low, high, find_middle=lambda a, b: (a + b) // 2)[1])


def _make_unreachable_error(
    request: PlanRequest, target: AccuracyTarget, limit: str, planned: PlannedRelease, way: str
) -> PydpstatError:
    _, error = target.compute_error_ratio(planned)
    return PydpstatError(
        f"{target.argument} cannot be {checks.describe_value(target.given)} for this {request.function}: with {limit} "
        f"it is {error:.4g}. Give {way}an {target.argument.replace('noise_sd', 'noise sd')} of at least that."
    )
