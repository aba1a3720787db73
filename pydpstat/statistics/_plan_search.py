"""The smallest epsilon and the smallest number of records with a wanted accuracy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import ROUND_UP, Context, Decimal
from typing import Any, NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat.errors import PydpstatError
from pydpstat.statistics._plan_request import Planned, Request
from pydpstat.statistics._planned import errors_of

_SMALLEST_EPSILON, _LARGEST_EPSILON = 1e-6, 100.0
_MOST_RECORDS = 10**9
_DIGITS, _NEAR = 4, 1.0002
# whose values have a column each
_BY_COLUMN = ("mean", "sum", "count", "proportion", "var", "std")


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


def found_size(request: Request, aim: Aim, epsilon: Any) -> int:
    """Return the smallest number of records with the accuracy that is wanted."""

    def holds(n: int) -> bool:
        return aim.missed(request.at(epsilon, n))[0] <= 1.0

    low, high = 1, 16
    while not holds(high):
        if high >= _MOST_RECORDS:
            way = "a larger epsilon, narrower bounds or "
            raise _beyond(request, aim, "10^9 records", request.at(epsilon, high), way)
        low, high = high, min(4 * high, _MOST_RECORDS)
    return _smallest(holds, low, high)


def _smallest(holds: Callable[[int], bool], low: int, high: int) -> int:
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _beyond(request: Request, aim: Aim, most: str, planned: Planned, way: str) -> PydpstatError:
    _, reached = aim.missed(planned)
    return PydpstatError(
        f"{aim.argument} cannot be {checks.shown(aim.given)} for this {request.function}: with {most} it is "
        f"{reached:.4g}. Give {way}an {aim.argument.replace('noise_sd', 'noise sd')} of at least that."
    )
