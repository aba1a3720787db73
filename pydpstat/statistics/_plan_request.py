"""What is planned: a function with its public arguments, and the epsilon or the size that it takes."""

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
from pydpstat._data.columns import Bounds, Placeholder, bounds_of
from pydpstat._release.payment import Defaults, within
from pydpstat._search import bisect_up
from pydpstat.errors import PydpstatError, UsageWarning
from pydpstat.privacy import Guarantee
from pydpstat.results._postprocessing import AsDrawn, Derived, PostProcessing, Scaled, SquareRoot
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels.association_interval import Correlated
from pydpstat.statistics._kernels.quantile_points import Asked, ask, quantile_options, share_of, shares_of
from pydpstat.statistics._plan_errors import (
    EXAMPLE,
    ChoiceErrors,
    Coin,
    Errors,
    NoiseErrors,
    Shape,
    quantile_errors,
    quantiles_errors,
    shapes_of,
    share_shape,
)

CHOICES = ("quantile", "quantiles", "median")
# whose accuracy depends on the number of records
SIZED = ("mean", "proportion", "var", "std", "cov", "corr", *CHOICES)
# whose accuracy depends on the distribution, too, at least under unbounded neighbors
SHAPED = ("mean", "proportion", "var", "std", *CHOICES)
PAIRS = ("cov", "corr")
# so many made-up records stand for more of them
_RECORDS = 4096
# with next to no noise
_NO_NOISE = 1e9
_SMALLEST_EPSILON, _LARGEST_EPSILON = 1e-6, 100.0
_MOST_RECORDS = 10**9
_DIGITS, _NEAR = 4, 1.0002
# whose values have a column each
_BY_COLUMN = ("mean", "sum", "count", "proportion", "var", "std")


class Planned(NamedTuple):
    """A release of made-up records, and how far it will be off, or why nothing is known of that."""

    result: DPResults
    errors: Errors | None
    reason: str = ""


def errors_of(planned: Planned) -> Errors:
    """Return how far a planned release will be off, or raise the reason why nothing is known of that."""
    if planned.errors is None:
        raise PydpstatError(
            f"the accuracy of this {planned.result.statistic} depends on the data: {planned.reason}"
            f"{'' if planned.reason.endswith('.') else '.'} After the release its result's accuracy() has it."
        )
    return planned.errors


class _Free:
    """Stands for the budget of the block around, with its neighbors and unit; nothing is paid."""

    def __init__(self, of: Defaults) -> None:
        self.neighbors, self.unit, self.accountant = of

    def spend(self, guarantee: Guarantee, call: str) -> None:
        """Pay nothing: nothing is released."""


class Request(NamedTuple):
    """A function with its public arguments."""

    function: str
    options: Mapping[str, Any]
    columns: tuple[str, ...] | None
    distribution: object
    defaults: Defaults

    @property
    def variables(self) -> tuple[str, ...] | None:
        """The names of the variables; None for a single one."""
        if self.columns is None:
            return None
        used: set[str] = set()
        for keys in (self.options.get("by"), self.options.get("unit")):
            used |= (
                {keys} if isinstance(keys, str) else set(keys) if isinstance(keys, (list, tuple)) else set()
            )
        left = tuple(each for each in self.columns if each not in used)
        return None if len(left) == 1 and len(left) < len(self.columns) else left

    def at(self, epsilon: float, n: int | None) -> Planned:
        """Return what the release would be."""
        call = getattr(pydpstat, self.function)
        made_up = Placeholder(n or 0, self.columns)
        pair = self.function in PAIRS and self.columns is None
        # nothing is released, and so the block's budget does not pay
        with within(_Free(self.defaults)), warnings.catch_warnings():
            # made-up records are in no level
            warnings.simplefilter("ignore", UsageWarning)
            result = call(made_up, *((made_up,) if pair else ()), epsilon=epsilon, **self.options)
            return self._judged(result, epsilon, n)

    def _judged(self, result: DPResults, epsilon: float, n: int | None) -> Planned:
        post, shape = result.post, result.value.shape
        if isinstance(post, (AsDrawn, Scaled)) and self.function not in CHOICES:
            return Planned(result, NoiseErrors(result.noise, post, result.value, shape))
        if isinstance(post, Correlated):
            return Planned(result, None, "it depends on noisy variances and covariances")
        if self.distribution is None and self.function in ("std", *CHOICES):
            return Planned(result, None, f"state the distribution of the data. {EXAMPLE}")
        if n is None:
            return Planned(result, None, "give n, a guess of the number of records")
        size = self._sampled(n)
        if self.function in CHOICES:
            return Planned(result, self._choices(epsilon, n, size, shape))
        known, value = self._known(size, isinstance(post, SquareRoot))
        return Planned(result, NoiseErrors(result.noise, known, value, shape))

    def rests_on(self, result: DPResults) -> bool:
        """Return whether the accuracy rests on what is stated of the records."""
        return self.function in CHOICES or not isinstance(result.post, (AsDrawn, Scaled))

    def stated(self) -> str:
        """Return what is stated of the records, in words."""
        if self.distribution is None:
            return "The accuracy is for the worst case, as no distribution is stated"
        given = self.distribution
        shown = given if isinstance(given, str) or checks.is_number(given) else _named(given)
        return f"The accuracy is for data with the stated distribution ({shown})"

    def _sampled(self, n: int) -> int:
        sample = self.options.get("sample")
        if sample is None:
            return n
        return max(round(n * sample) if sample < 1 else int(sample), 1)

    def pairs(self) -> Bounds:
        """Return the bounds of each variable; of truth values 0 and 1."""
        names = self.variables
        count = 1 if names is None else len(names)
        if "bounds" not in self.options:
            return ((0.0, 1.0),) * count
        return bounds_of(self.options["bounds"], names, count)

    def shapes(self) -> tuple[Shape, ...]:
        """Return the distribution of each variable; without one all records are at a bound."""
        pairs = self.pairs()
        if self.distribution is None:
            # at a bound noisy sums say least of a mean or a variance
            return tuple(Coin(1.0, upper, upper) for _, upper in pairs)
        if self.function != "proportion":
            return shapes_of(self.distribution, pairs, self.variables)
        given, names = self.distribution, self.variables
        if isinstance(given, Mapping) and names is not None:
            return tuple(map(share_shape, checks.by_name(given, names, "distribution", "column", "0.3")))
        return (share_shape(given),) * len(pairs)

    def _known(self, n: int, public: bool) -> tuple[PostProcessing, np.ndarray]:
        """Return what a release without noise of n records would know of one group.

        A number that is not public is one that noisy sums take the place of.
        """
        size = min(n, _RECORDS)
        pair = self.function in PAIRS and self.columns is None
        shapes: tuple[Shape, ...] = ()
        if not pair:
            shapes = self.shapes()
            places = (np.arange(size) + 0.5) / size
            columns: list[np.ndarray] = [np.asarray(shape.ppf(places)) for shape in shapes]
        else:
            columns = [np.full(size, upper) for _, upper in bounds_of(self.options["bounds"], ("x", "y"), 2)]
        if self.function == "proportion":
            columns = [column > 0.5 for column in columns]
        alone = self.variables is None
        data = columns if pair else columns if alone else [np.column_stack(columns)]
        how: dict[str, Any] = {"neighbors": self._neighbors() if public else "unbounded", "rng": 0}
        if "bounds" in self.options:
            how["bounds"] = self.options["bounds"] if pair or alone else list(self.pairs())
        if self.options.get("population"):
            how["population"] = True
        release = getattr(pydpstat, self.function)(*data, epsilon=_NO_NOISE, **how)
        return _more(release.post, size, n), release.value

    def _neighbors(self) -> str:
        given = self.options.get("neighbors")
        return self.defaults.neighbors if given is None else str(given)

    def _choices(self, epsilon: float, n: int, size: int, shape: tuple[int, ...]) -> ChoiceErrors:
        if self.options.get("population"):
            raise PydpstatError(
                f"population must be left out for the plan of a {self.function}: its intervals depend "
                "on the released numbers. Plan it without population."
            )
        asked = self._asked(epsilon, n)
        (stated,) = self.shapes()
        if self.function == "quantiles":
            return ChoiceErrors(quantiles_errors(asked, stated, shares_of(self.options["qs"]), size), shape)
        share = 0.5 if self.function == "median" else share_of(self.options["q"])
        return ChoiceErrors((quantile_errors(asked, stated, share, size),), shape)

    def _asked(self, epsilon: float, n: int) -> Asked:
        given, made_up = self.options, Placeholder(n, self.columns)
        by, levels, unit, sample = map(given.get, ("by", "levels", "unit", "sample"))
        most = given.get("max_records"), given.get("max_groups")
        how = quantile_options(epsilon, given.get("neighbors"), given.get("missing", "error"), False)
        how = how.by_groups(by, levels, given.get("other", "other"), unit, *most, sample)
        return ask(cast(Any, made_up), given["bounds"], given.get("grid_points"), how)


def _more(post: PostProcessing, size: int, n: int) -> PostProcessing:
    """Return post-processing of made-up records with the slopes of n of them, which are that much smaller."""
    if not isinstance(post, Derived) or n == size:
        return post
    return replace(post, slopes=tuple(each * size / n for each in post.slopes))


def _named(distribution: Any) -> str:
    """Return a distribution's name, with its parameters where SciPy has frozen it."""
    family = getattr(distribution, "dist", None)
    if family is None:
        return type(distribution).__name__
    named = [f"{name}={value}" for name, value in distribution.kwds.items()]
    return f"{family.name}({', '.join([*map(str, distribution.args), *named])})"


class Aim(NamedTuple):
    """The accuracy that is wanted."""

    argument: str
    given: object
    wanted: tuple[float, ...]
    alpha: float

    @classmethod
    def of(cls, request: Request, accuracy: object, noise_sd: object, alpha: float) -> Aim | None:
        """Check what is wanted; None where nothing is."""
        if accuracy is None and noise_sd is None:
            return None
        if accuracy is not None and noise_sd is not None:
            raise PydpstatError(
                "accuracy and noise_sd must not both be given: each follows from the other. Leave out one."
            )
        argument, given = ("accuracy", accuracy) if noise_sd is None else ("noise_sd", noise_sd)
        unit = "It is in the unit of the estimate."
        if not isinstance(given, Mapping):
            return cls(argument, given, (checks.positive(given, argument, unit),), alpha)
        names = request.variables
        if names is None or request.function not in _BY_COLUMN:
            raise PydpstatError(
                f"{argument} must be one number for this {request.function}; got "
                f"{checks.shown(given)}. A dict is for several columns, whose names are in columns=."
            )
        each = checks.by_name(given, names, argument, "column", "a number")
        wanted = tuple(checks.positive(one, f"{argument}[{name!r}]", unit) for name, one in zip(names, each))
        return cls(argument, given, wanted, alpha)

    def missed(self, planned: Planned) -> tuple[float, float]:
        """Return how many times the errors are what is wanted at most, and the largest such error."""
        errors = errors_of(planned)
        found = errors.reach(self.alpha) if self.argument == "accuracy" else errors.sd()
        # the columns are the last axis
        ratio = found / np.array(self.wanted) if len(self.wanted) > 1 else found / self.wanted[0]
        if np.isnan(ratio).any():
            raise PydpstatError(
                f"{self.argument} of this {planned.result.statistic} is not known: the stated "
                "distribution has no spread within the bounds. State a different distribution."
            )
        worst = int(np.argmax(ratio))
        return float(ratio.flat[worst]), float(np.asarray(found).flat[worst])


def found_epsilon(request: Request, aim: Aim, n: int | None) -> float:
    """Return the smallest epsilon with the accuracy that is wanted, rounded up to four digits."""

    def holds(epsilon: float) -> bool:
        return aim.missed(request.at(epsilon, n))[0] <= 1.0

    low, high = _SMALLEST_EPSILON, _LARGEST_EPSILON
    if not holds(high):
        more = "a larger n, " if n is not None else ""
        raise _beyond(request, aim, f"epsilon {high:g}", request.at(high, n), f"{more}narrower bounds or ")
    if holds(low):
        return low
    while high > low * _NEAR:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return min(
        float(Context(prec=_DIGITS, rounding=ROUND_UP).create_decimal(Decimal(high))), _LARGEST_EPSILON
    )


def found_size(request: Request, aim: Aim, epsilon: float) -> int:
    """Return the smallest number of records with the accuracy that is wanted."""

    def holds(n: int) -> bool:
        return aim.missed(request.at(epsilon, n))[0] <= 1.0

    low, high = 1, 16
    while not holds(high):
        if high >= _MOST_RECORDS:
            way = "a larger epsilon, narrower bounds or "
            raise _beyond(request, aim, "10^9 records", request.at(epsilon, high), way)
        low, high = high, min(4 * high, _MOST_RECORDS)
    return int(bisect_up(lambda n: not holds(int(n)), low, high, between=lambda a, b: (a + b) // 2)[1])


def _beyond(request: Request, aim: Aim, most: str, planned: Planned, way: str) -> PydpstatError:
    _, reached = aim.missed(planned)
    return PydpstatError(
        f"{aim.argument} cannot be {checks.shown(aim.given)} for this {request.function}: with {most} it is "
        f"{reached:.4g}. Give {way}an {aim.argument.replace('noise_sd', 'noise sd')} of at least that."
    )
