"""What noise a release gets and what that keeps: settled before the true value is touched."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._grid import float_above, grid_unit, sum_above, total_above
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.cube import Cube
from pydpstat.mechanisms.discrete_gaussian import DiscreteGaussian
from pydpstat.mechanisms.gaussian import Gaussian
from pydpstat.mechanisms.geometric import Geometric
from pydpstat.mechanisms.laplace import Laplace
from pydpstat.mechanisms.mechanism import Mechanism, Noise
from pydpstat.privacy.guarantee import Guarantee

# the default comes first
REAL: tuple[Mechanism, ...] = (Laplace(), Gaussian())
# of numbers that one record changes together
VECTOR: tuple[Mechanism, ...] = (*REAL, Cube())
INTEGER: tuple[Mechanism, ...] = (Geometric(), DiscreteGaussian())
# what those are for that others have
_KINDS = {"laplace": "real numbers", "geometric": "counts", "exponential": "quantiles, which always have it"}
# the smallest number with all its digits
_SMALLEST_SCALE = 2.0**-1022
SEEDED = "a seeded stream, for checking and study only: anyone who knows the seed can remove the noise"
UNCOVERED = (
    "noise is exact and lies on a public grid; the rounding inside the statistic's floating-point "
    "arithmetic is not covered by the proof"
)


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
    elif others:
        some = "Geometric" if named[0].integer else "Staircase"
        hint = f"{hint.removesuffix('.')}, or give an object such as pydpstat.mechanisms.{some}()."
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


class Question(NamedTuple):
    """What is asked of the data, without the answer."""

    statistic: str
    sensitivities: tuple[Any, ...]
    size: int
    integer: bool
    exact: bool
    ball: tuple[int, int] | None = None


class Spec(Protocol):
    """How a question is to be protected: public data, made from the arguments of a call."""

    def calibrate(self, question: Question, sensitivities: tuple[float, ...]) -> Noise:
        """Return noise for the sensitivities; for exact values its scale is rounded up."""

    def account(self, question: Question, noise: Noise) -> tuple[Guarantee, Guarantee]:
        """Return what was asked for, and what holds with the calibrated noise."""


class Calibrated(NamedTuple):
    """The spec of integer noise that is calibrated already, because its parameters are the user's own."""

    noise: Noise
    claim: Guarantee
    guarantee: Guarantee

    def calibrate(self, question: Question, sensitivities: tuple[float, ...]) -> Noise:
        """Return the noise."""
        return self.noise

    def account(self, question: Question, noise: Noise) -> tuple[Guarantee, Guarantee]:
        """Return the claim and the guarantee."""
        return self.claim, self.guarantee


class Preparation(NamedTuple):
    """Noise and guarantee of a release.

    A seeded release has no `grid`. The sensitivity is without what the grid adds, which the noise covers,
    too. `accepts` tells whether a noisy value may stand; None where every one may.
    """

    noise: Noise
    grid: float | None
    sensitivity: float | tuple[float, ...]
    claim: Guarantee
    guarantee: Guarantee
    seeded: bool
    accepts: Callable[[npt.NDArray[np.float64]], bool] | None


def prepare(question: Question, spec: Spec, seeded: bool) -> Preparation:
    """Calibrate noise, choose its grid and state the guarantee; a seeded source has no grid.

    All arguments are public: the same question is prepared once.
    """
    try:
        return _prepared(question, spec, seeded)  # type: ignore[arg-type]
    except TypeError:
        # what cannot be hashed is prepared all the same
        return _prepared.__wrapped__(question, spec, seeded)


@lru_cache(maxsize=256)
def _prepared(question: Question, spec: Spec, seeded: bool) -> Preparation:
    sensitivities = tuple(
        [float_above(each) if isinstance(each, Fraction) else each for each in question.sensitivities]
    )
    noise = spec.calibrate(question, sensitivities)
    claim, guarantee = spec.account(question, noise)
    promised = math.isfinite(claim.epsilon) and guarantee.delta < 1.0
    if promised and question.size and all(sensitivities):
        _check_underflow(question, noise)
    grid = None
    # what cannot move needs no noise for being rounded either
    if not seeded and sensitivities != (0.0,):
        noise, grid = _on_grid(question, spec, noise, claim.epsilon)
    scale = noise.scale
    if not (math.isfinite(scale) if isinstance(scale, float) else np.isfinite(scale).all()):
        raise PydpstatError(
            f"the noise scale of {question.statistic} is not finite, so R would return NaN or Inf. "
            "Give finite bounds and sensitivities."
        )
    # what the proof of a release from the operating system leaves out
    condition = SEEDED if seeded else None if question.integer or question.exact else UNCOVERED
    if condition is not None:
        guarantee = guarantee.with_conditions(condition)
    shown = sensitivities[0] if len(sensitivities) == 1 else sensitivities
    accepts = None if type(noise).accepts is Noise.accepts else noise.accepts
    return Preparation(noise, grid, shown, claim, guarantee, seeded, accepts)


def _on_grid(question: Question, spec: Spec, noise: Noise, epsilon: float) -> tuple[Noise, float]:
    """Choose the grid, and calibrate once more with what bringing the value onto it adds."""
    if noise.integer:
        return noise, 1.0
    # with one sensitivity for the whole value, each of its elements may move by one unit more
    elements = question.size if len(question.sensitivities) == 1 and not question.integer else 1
    smallest = float(min(question.sensitivities, default=1.0)) / max(elements, 1)
    scale = noise.scale
    grid = grid_unit(scale if isinstance(scale, float) else float(scale.min(initial=smallest)), smallest)
    if question.integer:
        # integers lie on no grid that is coarser
        grid = min(grid, 1.0)
    if grid == 0.0:
        raise PydpstatError(
            f"the sensitivity of {question.statistic} is too small for a grid below it; rescale the data."
        )
    more = 0.0 if question.integer else elements * grid
    if question.exact:
        if more:
            reach = tuple(sum_above(float_above(each), more) for each in question.sensitivities)
            noise = spec.calibrate(question, reach)
        return noise, grid
    if more:
        noise = spec.calibrate(question, tuple([each + more for each in question.sensitivities]))
    parts = [part for each in question.sensitivities for part in (float_above(each), more)]
    return noise.covering(total_above(parts), epsilon), grid


def _check_underflow(question: Question, noise: Noise) -> None:
    scale = noise.scale
    if scale < _SMALLEST_SCALE if isinstance(scale, float) else np.any(np.less(scale, _SMALLEST_SCALE)):
        raise PydpstatError(
            f"the noise scale of {question.statistic} underflows for this sensitivity: R adds no noise, or "
            "too little. Rescale the data, or use a smaller epsilon."
        )
