"""What the package's own statistics accept besides data: privacy parameters, bounds, missing values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeGuard

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.discrete_gaussian import DiscreteGaussian
from pydpstat.mechanisms.gaussian import Gaussian
from pydpstat.mechanisms.geometric import Geometric
from pydpstat.mechanisms.laplace import Laplace
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.privacy.guarantee import NEIGHBORS

# the default comes first
REAL: tuple[Mechanism, ...] = (Laplace(), Gaussian())
INTEGER: tuple[Mechanism, ...] = (Geometric(), DiscreteGaussian())
# what the arguments may be; all of it is checked
Missing = str | float | np.generic
GivenBounds = npt.ArrayLike | Mapping[str, npt.ArrayLike]
Pair = tuple[float, float]
Bounds = tuple[Pair, ...]
# delta, mechanism, neighbors and missing, as they were given
Public = tuple[float, str | Mechanism, str, Missing]
COMPLETE = "that no value is missing is public knowledge"


class Options(NamedTuple):
    """How a statistic is to be protected, checked.

    Parameters
    ----------
    epsilon, delta : float
        The privacy parameters; `delta` is 0 without Gaussian noise.
    mechanism : Mechanism
        What calibrates the noise.
    neighbors : {"bounded", "unbounded"}
        One record replaced, or one added or removed.
    missing : object
        ``"error"``, ``"drop"``, or the public value that takes a missing one's place.
    default : bool
        Whether the mechanism is the function's default.
    """

    epsilon: float
    delta: float
    mechanism: Mechanism
    neighbors: str
    missing: Missing
    default: bool

    @property
    def bounded(self) -> bool:
        """Whether the number of records is public."""
        return self.neighbors == "bounded"

    @property
    def norm(self) -> int:
        """Which norm of a change the noise answers to: 2 for Gaussian noise, else 1."""
        return self.mechanism.norm

    @property
    def conditions(self) -> tuple[str, ...]:
        """What the guarantee rests on."""
        return (COMPLETE,) if self.missing == "error" else ()


def options(
    epsilon: float,
    delta: float,
    mechanism: str | Mechanism,
    neighbors: str,
    missing: Missing,
    *,
    mechanisms: tuple[Mechanism, ...] = REAL,
    others: bool = True,
    fill: type = float,
) -> Options:
    """Check how a statistic is to be protected.

    Parameters
    ----------
    epsilon, delta, mechanism, neighbors, missing
        As the caller gave them.
    mechanisms : tuple of Mechanism
        Those that have a name in the function, its default first.
    others : bool, default True
        Whether a mechanism may be given as an object, too.
    fill : {float, bool, str}
        What may take a missing value's place: a number, a truth value, or a level (any plain value).

    Examples
    --------
    >>> from pydpstat._release.options import options
    >>> options(1, 0, "laplace", "bounded", "error").epsilon
    1.0
    """
    try:
        return _options(epsilon, delta, mechanism, neighbors, missing, mechanisms, others, fill)
    except TypeError:
        # what cannot be hashed is checked all the same
        return _options.__wrapped__(
            epsilon, delta, mechanism, neighbors, missing, mechanisms, others, fill
        )


# all of it is public; typed, as True and 1.0 are other answers than 1
@lru_cache(maxsize=256, typed=True)
def _options(
    epsilon: float,
    delta: float,
    mechanism: str | Mechanism,
    neighbors: str,
    missing: Missing,
    mechanisms: tuple[Mechanism, ...],
    others: bool,
    fill: type,
) -> Options:
    eps = checks.epsilon(epsilon)
    chosen = _mechanism(mechanism, mechanisms, others)
    checks.one_of(neighbors, "neighbors", NEIGHBORS)
    return Options(
        eps,
        _delta(delta, chosen),
        chosen,
        neighbors,
        missing_rule(missing, neighbors, fill),
        # a default is not shown in calls
        chosen is mechanisms[0],
    )


def _mechanism(mechanism: str | Mechanism, named: tuple[Mechanism, ...], others: bool) -> Mechanism:
    """Return the mechanism of a name, or the one that was given."""
    if isinstance(mechanism, Mechanism) and others:
        if mechanism.integer and not named[0].integer:
            raise PydpstatError(
                f"mechanism must be for real numbers here; got {type(mechanism).__name__}, which is for "
                f"counts. Use {named[0].name!r}."
            )
        return mechanism
    names = [each.name for each in named]
    return named[names.index(checks.one_of(mechanism, "mechanism", names))]


def _delta(delta: float, mechanism: Mechanism) -> float:
    if not mechanism.approximate:
        if type(delta) is int and delta == 0 or checks.is_number(delta) and delta == 0.0:
            return 0.0
        raise PydpstatError(
            f"delta must be 0 with mechanism {mechanism.name!r}, which does not use it; "
            f"got {checks.shown(delta)}. Leave it out, or use mechanism='gaussian'."
        )
    number = checks.unwrap(delta)
    if checks.is_number(number) and 0.0 < checks.as_float(number) < 1.0:
        return float(number)
    raise PydpstatError(
        f"delta must be above 0 and below 1 with mechanism {mechanism.name!r}; got {checks.shown(delta)}. "
        "Give a small probability, for example 1e-6."
    )


def missing_rule(missing: Missing, neighbors: str, fill: type = float) -> Missing:
    """Check what is to be done with missing values: "error", "drop", or a public value."""
    if type(missing) is str and missing == "error":
        return missing
    if isinstance(missing, str) and missing == "drop":
        if neighbors == "unbounded":
            return missing
        raise PydpstatError(
            "missing must not be 'drop' with neighbors 'bounded': the number of records left would be "
            "private. Give a public value instead, or use neighbors='unbounded'."
        )
    if fill is bool and isinstance(missing, (bool, np.bool_)):
        return bool(missing)
    if fill is float and checks.is_number(missing) and not math.isnan(checks.as_float(missing)):
        return checks.as_float(missing)
    if fill is str and isinstance(missing, (str, bool, int, float, np.generic)) and missing == missing:
        return missing
    place = {float: "a number", bool: "True or False", str: "a level"}[fill]
    hint = checks.did_you_mean(missing, ("error", "drop"))
    raise PydpstatError(
        f"missing must be 'error', 'drop' or {place} that takes a missing value's place; "
        f"got {checks.shown_option(missing)}. {hint}"
    )


def check_filling(missing: Missing, pairs: Sequence[Pair], name: str = "bounds") -> None:
    """Check that a number that takes a missing value's place lies within the bounds of every column.

    Examples
    --------
    >>> check_filling(50.0, [(0.0, 100.0)])
    """
    if isinstance(missing, float) and not all(lower <= missing <= upper for lower, upper in pairs):
        raise PydpstatError(
            f"missing must be a number within the {name} where it takes a missing value's place; got "
            f"{checks.shown(missing)}. Give a public number that a record could be."
        )


def bounds_pair(bounds: object, name: str = "bounds") -> Pair:
    """Check public bounds of one variable: two finite numbers, the first below the second."""
    if type(bounds) is tuple and len(bounds) == 2 and type(bounds[0]) is float and type(bounds[1]) is float:
        if -math.inf < bounds[0] < bounds[1] < math.inf:
            return bounds[0], bounds[1]
    pair: Any = bounds.tolist() if isinstance(bounds, np.ndarray) else bounds
    if type(pair) in (tuple, list) and len(pair) == 2 and all(map(checks.is_number, pair)):
        lower, upper = checks.as_float(pair[0]), checks.as_float(pair[1])
        if -math.inf < lower < upper < math.inf:
            return lower, upper
    raise PydpstatError(
        f"{name} must be a pair (lower, upper) of finite numbers, lower < upper; got {checks.shown(bounds)}. "
        "Give the public range of the variable, chosen without looking at the data."
    )


def several_bounds(bounds: object) -> TypeGuard[Sequence[object]]:
    """Tell whether bounds are a sequence of pairs, and no pair themselves."""
    if not isinstance(bounds, (tuple, list)) and not (isinstance(bounds, np.ndarray) and bounds.ndim > 0):
        return False
    return len(bounds) > 0 and checks.array_of(bounds[0]).ndim == 1


def bounds_of(bounds: object, names: tuple[str, ...] | None, columns: int) -> Bounds:
    """Check the bounds of every column: one pair for all, a sequence of pairs, or pairs by column name."""
    if names is None:
        return (bounds_pair(bounds),)
    if isinstance(bounds, Mapping):
        by_name = {str(key): pair for key, pair in bounds.items()}
        if set(by_name) != set(names) or len(by_name) != len(bounds):
            raise PydpstatError(
                f"bounds must name every column and no other; got {checks.shown(bounds)} for the "
                f"columns {checks.excerpt(list(names))}. Give bounds={{column: (lower, upper), ...}}."
            )
        return tuple(bounds_pair(by_name[name], f"bounds[{name!r}]") for name in names)
    if several_bounds(bounds):
        if len(bounds) != columns:
            raise PydpstatError(
                f"bounds must be one pair, or one for each of the {columns} columns; got {len(bounds)} pairs."
            )
        return tuple(bounds_pair(pair, f"bounds[{i}]") for i, pair in enumerate(bounds))
    return (bounds_pair(bounds),) * columns
