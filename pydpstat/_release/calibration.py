"""Noise and guarantee of a release, determined before the true value is read."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._grid import grid_unit, round_up_sum, round_up_to_float, round_up_total
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.cube import Cube
from pydpstat.mechanisms.discrete_gaussian import DiscreteGaussian
from pydpstat.mechanisms.gaussian import Gaussian
from pydpstat.mechanisms.geometric import Geometric
from pydpstat.mechanisms.laplace import Laplace
from pydpstat.mechanisms.mechanism import Mechanism, Noise
from pydpstat.privacy.guarantee import Guarantee

# the default comes first
REAL_MECHANISMS: tuple[Mechanism, ...] = (Laplace(), Gaussian())
# mechanisms for numbers that one record changes jointly
VECTOR_MECHANISMS: tuple[Mechanism, ...] = (*REAL_MECHANISMS, Cube())
INTEGER_MECHANISMS: tuple[Mechanism, ...] = (Geometric(), DiscreteGaussian())
# uses of mechanisms that only other functions have
_MECHANISM_USES = {
    "laplace": "real numbers",
    "geometric": "counts",
    "exponential": "quantiles, which always have it",
}
# the smallest normal float
_SMALLEST_SCALE = 2.0**-1022
SEEDED_CONDITION = "a seeded stream, for checking and study only: anyone who knows the seed can remove the noise"
ROUNDING_CONDITION = (
    "noise is exact and lies on a public grid; the rounding inside the statistic's floating-point "
    "arithmetic is not covered by the proof"
)


def resolve_mechanism(
    mechanism: str | Mechanism | None, named_mechanisms: tuple[Mechanism, ...], allow_objects: bool
) -> Mechanism:
    """Return the mechanism of a name, or the given object."""
    if mechanism is None and named_mechanisms is VECTOR_MECHANISMS:
        return named_mechanisms[0]
    if isinstance(mechanism, Mechanism) and mechanism.norm == math.inf and named_mechanisms is not VECTOR_MECHANISMS:
        raise PydpstatError(
            f"mechanism must be for this statistic; got {mechanism!r}, which is for several numbers "
            f"that one record changes together, such as means of columns. Use {named_mechanisms[0].name!r}."
        )
    if isinstance(mechanism, Mechanism) and allow_objects:
        if mechanism.integer and not named_mechanisms[0].integer:
            raise PydpstatError(
                f"mechanism must be for real numbers here; got {type(mechanism).__name__}, which is for "
                f"counts. Use {named_mechanisms[0].name!r}."
            )
        return mechanism
    if isinstance(mechanism, type) and issubclass(mechanism, Mechanism) and allow_objects:
        raise PydpstatError(
            f"mechanism must be a name or an object; got the class {mechanism.__name__}. Write {mechanism.__name__}()."
        )
    names = [named_mechanism.name for named_mechanism in named_mechanisms]
    hint = f"Write {'' if isinstance(mechanism, str) else 'its name, as '}mechanism={names[0]!r}."
    if isinstance(mechanism, str) and mechanism in _MECHANISM_USES:
        hint = f"{mechanism!r} is for {_MECHANISM_USES[mechanism]}. {hint}"
    elif allow_objects:
        some = "Geometric" if named_mechanisms[0].integer else "Staircase"
        hint = f"{hint.removesuffix('.')}, or give an object such as pydpstat.mechanisms.{some}()."
    return named_mechanisms[names.index(checks.check_choice(mechanism, "mechanism", names, hint))]


def check_delta(delta: float, mechanism: Mechanism) -> float:
    """Check delta for a mechanism: 0, or a small probability."""
    if not mechanism.approximate:
        if type(delta) is int and delta == 0 or checks.is_number(delta) and delta == 0.0:
            return 0.0
        raise PydpstatError(
            f"delta must be 0 with mechanism {mechanism.name!r}, which does not use it; "
            f"got {checks.describe_value(delta)}. Leave it out, or use mechanism='gaussian'."
        )
    number = checks.unwrap_scalar(delta)
    if checks.is_number(number) and 0.0 < checks.as_float(number) < 1.0:
        return float(number)
    raise PydpstatError(
        f"delta must be above 0 and below 1 with mechanism {mechanism.name!r}; got {checks.describe_value(delta)}. "
        "Give a small probability, for example 1e-6."
    )


class QuerySpec(NamedTuple):
    """Public part of a query, without the true value."""

    statistic: str
    sensitivities: tuple[Any, ...]
    size: int
    integer: bool
    is_exact: bool
    vector_shape: tuple[int, int] | None = None


class NoiseCalibrator(Protocol):
    """Calibration of a query's noise, based on the public arguments of a call."""

    def calibrate(self, query_spec: QuerySpec, sensitivities: tuple[float, ...]) -> Noise:
        """Return noise for the sensitivities; its scale is rounded up for exact values."""

    def make_guarantees(self, query_spec: QuerySpec, noise: Noise) -> tuple[Guarantee, Guarantee]:
        """Return the claimed guarantee, and the actual one of the calibrated noise."""


class FixedNoiseCalibrator(NamedTuple):
    """Calibrator of integer noise with parameters given by the user."""

    noise: Noise
    claim: Guarantee
    guarantee: Guarantee

    def calibrate(self, query_spec: QuerySpec, sensitivities: tuple[float, ...]) -> Noise:
        """Return the noise."""
        return self.noise

    def make_guarantees(self, query_spec: QuerySpec, noise: Noise) -> tuple[Guarantee, Guarantee]:
        """Return the claim and the guarantee."""
        return self.claim, self.guarantee


class Calibration(NamedTuple):
    """Noise and guarantee of a release.

    A seeded release has no `grid`. The sensitivity does not include rounding to the grid, which the noise covers.
    `is_acceptable` tells whether a noisy value may be released; None if every value may be.
    """

    noise: Noise
    grid: float | None
    sensitivity: float | tuple[float, ...]
    claim: Guarantee
    guarantee: Guarantee
    is_seeded: bool
    is_acceptable: Callable[[npt.NDArray[np.float64]], bool] | None


def calibrate_release(query_spec: QuerySpec, calibrator: NoiseCalibrator, is_seeded: bool) -> Calibration:
    """Calibrate noise, choose its grid and determine the guarantee; a seeded source has no grid.

    All arguments are public, so that results are cached.
    """
    try:
        return _calibrate_release(query_spec, calibrator, is_seeded)  # type: ignore[arg-type]
    except TypeError:
        # do not cache unhashable arguments
        return _calibrate_release.__wrapped__(query_spec, calibrator, is_seeded)


@lru_cache(maxsize=256)
def _calibrate_release(query_spec: QuerySpec, calibrator: NoiseCalibrator, is_seeded: bool) -> Calibration:
    sensitivities = tuple(
        [
            round_up_to_float(sensitivity) if isinstance(sensitivity, Fraction) else sensitivity
            for sensitivity in query_spec.sensitivities
        ]
    )
    noise = calibrator.calibrate(query_spec, sensitivities)
    claim, guarantee = calibrator.make_guarantees(query_spec, noise)
    promised = math.isfinite(claim.epsilon) and guarantee.delta < 1.0
    if promised and query_spec.size and all(sensitivities):
        _check_underflow(query_spec, noise)
    grid = None
    # a value with sensitivity 0 needs no noise to cover rounding to the grid
    if not is_seeded and sensitivities != (0.0,):
        noise, grid = _calibrate_on_grid(query_spec, calibrator, noise, claim.epsilon)
    scale = noise.scale
    if not (math.isfinite(scale) if isinstance(scale, float) else np.isfinite(scale).all()):
        raise PydpstatError(
            f"the noise scale of {query_spec.statistic} is not finite, so R would return NaN or Inf. "
            "Give finite bounds and sensitivities."
        )
    # the part that the proof for the operating system's generator does not cover
    condition = (
        SEEDED_CONDITION if is_seeded else None if query_spec.integer or query_spec.is_exact else ROUNDING_CONDITION
    )
    if condition is not None:
        guarantee = guarantee.with_conditions(condition)
    shown = sensitivities[0] if len(sensitivities) == 1 else sensitivities
    accepts = None if type(noise).accepts is Noise.accepts else noise.accepts
    return Calibration(noise, grid, shown, claim, guarantee, is_seeded, accepts)


def _calibrate_on_grid(
    query_spec: QuerySpec, calibrator: NoiseCalibrator, noise: Noise, epsilon: float
) -> tuple[Noise, float]:
    """Choose the grid, and calibrate again with the increase of the sensitivity by rounding to it."""
    if noise.integer:
        return noise, 1.0
    # with one sensitivity for the whole value, each of its elements may change by one more unit
    elements = query_spec.size if len(query_spec.sensitivities) == 1 and not query_spec.integer else 1
    smallest = float(min(query_spec.sensitivities, default=1.0)) / max(elements, 1)
    scale = noise.scale
    grid = grid_unit(scale if isinstance(scale, float) else float(scale.min(initial=smallest)), smallest)
    if query_spec.integer:
        # counts are multiples of 1, so the grid must not be coarser
        grid = min(grid, 1.0)
    if grid == 0.0:
        raise PydpstatError(
            f"the sensitivity of {query_spec.statistic} is too small for a grid below it; rescale the data."
        )
    more = 0.0 if query_spec.integer else elements * grid
    if query_spec.is_exact:
        if more:
            sensitivities = tuple(
                round_up_sum(round_up_to_float(sensitivity), more) for sensitivity in query_spec.sensitivities
            )
            noise = calibrator.calibrate(query_spec, sensitivities)
        return noise, grid
    if more:
        noise = calibrator.calibrate(
            query_spec, tuple([sensitivity + more for sensitivity in query_spec.sensitivities])
        )
    terms = [term for sensitivity in query_spec.sensitivities for term in (round_up_to_float(sensitivity), more)]
    return noise.covering(round_up_total(terms), epsilon), grid


def _check_underflow(query_spec: QuerySpec, noise: Noise) -> None:
    scale = noise.scale
    if scale < _SMALLEST_SCALE if isinstance(scale, float) else np.any(np.less(scale, _SMALLEST_SCALE)):
        raise PydpstatError(
            f"the noise scale of {query_spec.statistic} underflows for this sensitivity: R adds no noise, or "
            "too little. Rescale the data, or use a smaller epsilon."
        )


def compute_count_sensitivity(neighbors: str, norm: float) -> float:
    """Compute the sensitivity of the counts of disjoint cells in the L1 or the L2 norm.

    One record changes cells (bounded), or is added or removed (unbounded).

    >>> compute_count_sensitivity("bounded", 1), compute_count_sensitivity("unbounded", 2)
    (2.0, 1.0)
    """
    if neighbors == "unbounded":
        return 1.0
    return 2.0 if norm == 1 else math.sqrt(2.0)
