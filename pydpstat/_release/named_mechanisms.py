"""The mechanisms that have a name in a function, and which of them a call asks for."""

from __future__ import annotations

import math

from pydpstat import _checks as checks
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.cube import Cube
from pydpstat.mechanisms.discrete_gaussian import DiscreteGaussian
from pydpstat.mechanisms.gaussian import Gaussian
from pydpstat.mechanisms.geometric import Geometric
from pydpstat.mechanisms.laplace import Laplace
from pydpstat.mechanisms.mechanism import Mechanism

# the default comes first
REAL: tuple[Mechanism, ...] = (Laplace(), Gaussian())
# of numbers that one record changes together
VECTOR: tuple[Mechanism, ...] = (*REAL, Cube())
INTEGER: tuple[Mechanism, ...] = (Geometric(), DiscreteGaussian())
# what those are for that others have
_KINDS = {"laplace": "real numbers", "geometric": "counts", "exponential": "quantiles, which always have it"}


def chosen_mechanism(
    mechanism: str | Mechanism | None, named: tuple[Mechanism, ...], others: bool
) -> Mechanism:
    """Return the mechanism of a name, or the one that was given."""
    if mechanism is None and named is VECTOR:
        return named[0]
    if isinstance(mechanism, Mechanism) and mechanism.norm == math.inf and named is not VECTOR:
        raise PydpstatError(
            f"mechanism must be for this statistic; got {mechanism!r}, which is for several numbers "
            f"that one record changes together, such as means of columns. Use {named[0].name!r}."
        )
    if isinstance(mechanism, Mechanism) and others:
        if mechanism.integer and not named[0].integer:
            raise PydpstatError(
                f"mechanism must be for real numbers here; got {type(mechanism).__name__}, which is for "
                f"counts. Use {named[0].name!r}."
            )
        return mechanism
    if isinstance(mechanism, type) and issubclass(mechanism, Mechanism) and others:
        raise PydpstatError(
            f"mechanism must be a name or an object; got the class {mechanism.__name__}. "
            f"Write {mechanism.__name__}()."
        )
    names = [each.name for each in named]
    hint = f"Write {'' if isinstance(mechanism, str) else 'its name, as '}mechanism={names[0]!r}."
    if isinstance(mechanism, str) and mechanism in _KINDS:
        hint = f"{mechanism!r} is for {_KINDS[mechanism]}. {hint}"
    return named[names.index(checks.one_of(mechanism, "mechanism", names, hint))]


def checked_delta(delta: float, mechanism: Mechanism) -> float:
    """Return delta as it is allowed with a mechanism: 0, or a small probability."""
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
