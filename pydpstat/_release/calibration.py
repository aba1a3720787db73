"""What noise a release gets and what that keeps: settled before the true value is touched."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from pydpstat._grid import float_above, sum_above, total_above
from pydpstat._release.query import Question
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.mechanisms.geometric import SignGeometricNoise, SymmetricGeometricNoise
from pydpstat.mechanisms.laplace import LaplaceNoise, scale_for
from pydpstat.privacy import Guarantee
from pydpstat.random import secure

Noise = LaplaceNoise | GaussianNoise | SymmetricGeometricNoise | SignGeometricNoise | DiscreteGaussianNoise
# the smallest number with all its digits
_SMALLEST_SCALE = 2.0**-1022
SEEDED = "a seeded stream, for checking and study only: whoever knows the seed can take the noise away"
UNCOVERED = (
    "noise is exact and lies on a public grid; the rounding inside the statistic's own "
    "floating-point arithmetic is not covered by the proof"
)


class Preparation(NamedTuple):
    """Noise and guarantee of a release.

    Parameters
    ----------
    noise : Noise
        The law of the noise.
    scale : float or ndarray
        Its parameter, as `noise_scale` has it.
    grid : float or None
        The public grid of a release from the operating system; None for a seeded one.
    sensitivity : float or tuple of float
        What the noise covers, without what the grid adds.
    claim, guarantee : Guarantee
        What was asked for, and what holds.
    seeded : bool
        Whether it is for a seeded source.
    """

    noise: Noise
    scale: Any
    grid: float | None
    sensitivity: Any
    claim: Guarantee
    guarantee: Guarantee
    seeded: bool


def prepare(
    question: Question,
    calibrate: Callable[[tuple[float, ...]], Noise],
    account: Callable[[Noise], tuple[Guarantee, Guarantee]],
    seeded: bool,
) -> Preparation:
    """Calibrate noise, choose its grid and state the guarantee.

    Parameters
    ----------
    question : Question
        What is asked of the data.
    calibrate : callable
        Sensitivities in, noise distribution out; checks its own arguments. For a query with exact
        values its scale is rounded up (`pydpstat.mechanisms.laplace.scale_for`).
    account : callable
        Calibrated noise in; out what was asked for and what holds. It may warn.
    seeded : bool
        Whether the noise comes from a seeded source, which has no grid.

    Raises
    ------
    PydpstatError
        Where the noise scale is not finite, or underflows.
    """
    sensitivities = tuple(
        [float_above(each) if isinstance(each, Fraction) else each for each in question.sensitivities]
    )
    noise = calibrate(sensitivities)
    claim, guarantee = account(noise)
    promised = math.isfinite(claim.epsilon) and guarantee.delta < 1.0
    if promised and question.size and all(sensitivities):
        _check_underflow(question, noise)
    grid = None
    # what cannot move needs no noise for being rounded either
    if not seeded and sensitivities != (0.0,):
        noise, grid = _on_grid(question, calibrate, noise, claim.epsilon)
    scale = noise_scale(noise)
    if not (math.isfinite(scale) if isinstance(scale, float) else np.isfinite(scale).all()):
        raise PydpstatError(
            f"the noise scale of {question.statistic} is not finite, so R would return NaN or Inf. "
            "Give finite bounds and sensitivities."
        )
    condition = SEEDED if seeded else _uncovered(question)
    if condition is not None:
        guarantee = guarantee.with_conditions(condition)
    shown = sensitivities[0] if len(sensitivities) == 1 else sensitivities
    return Preparation(noise, scale, grid, shown, claim, guarantee, seeded)


def noise_scale(noise: Noise) -> Any:
    """Return the parameter that an R user calls the scale, in the statistic's unit."""
    match noise:
        case LaplaceNoise():
            return noise.scale
        case GaussianNoise() | DiscreteGaussianNoise():
            return noise.sd
    return noise.sensitivity / noise.epsilon


def _on_grid(
    question: Question, calibrate: Callable[[tuple[float, ...]], Noise], noise: Noise, epsilon: float
) -> tuple[Noise, float]:
    """Choose the grid, and calibrate once more with what bringing the value onto it adds."""
    if not isinstance(noise, (LaplaceNoise, GaussianNoise)):
        return noise, 1.0
    # with one sensitivity for the whole value, each of its elements may move by one unit more
    elements = question.size if len(question.sensitivities) == 1 and not question.integer else 1
    smallest = float(min(question.sensitivities, default=1.0)) / max(elements, 1)
    scale = noise_scale(noise)
    grid = secure.grid_unit(
        scale if isinstance(scale, float) else float(scale.min(initial=smallest)), smallest
    )
    if question.integer:
        # whole numbers lie on no grid that is coarser
        grid = min(grid, 1.0)
    if grid == 0.0:
        raise PydpstatError(
            f"the sensitivity of {question.statistic} is too small for a grid below it; rescale the data."
        )
    more = 0.0 if question.integer else elements * grid
    if question.exact:
        if more:
            noise = calibrate(tuple(sum_above(float_above(each), more) for each in question.sensitivities))
        return noise, grid
    if more:
        noise = calibrate(tuple([each + more for each in question.sensitivities]))
    reach = [part for each in question.sensitivities for part in (float_above(each), more)]
    return _rounded_up(noise, total_above(reach), epsilon), grid


def _rounded_up(noise: Noise, sensitivity: float, epsilon: float) -> Noise:
    """Return Laplace noise whose scale covers the roundings of a calibration in R's arithmetic."""
    if not isinstance(noise, LaplaceNoise) or epsilon == math.inf:
        return noise
    if isinstance(noise.scale, float):
        least = scale_for(sensitivity, epsilon)
        if abs(least - noise.scale) <= 2.0**-50 * least:
            return noise if least <= noise.scale else LaplaceNoise(least)
    # the roundings of the sum, of the shares and of the division are below 2^-50 together
    return LaplaceNoise(np.nextafter(noise.scale * (1.0 + 2.0**-50), math.inf))


def _uncovered(question: Question) -> str | None:
    """Return what the proof of a release from the operating system leaves out."""
    return None if question.integer or question.exact else UNCOVERED


def _check_underflow(question: Question, noise: Noise) -> None:
    scale = noise_scale(noise)
    if scale < _SMALLEST_SCALE if isinstance(scale, float) else np.any(np.less(scale, _SMALLEST_SCALE)):
        raise PydpstatError(
            f"the noise scale of {question.statistic} underflows for this sensitivity: R adds no noise, or "
            "too little. Rescale the data, or use a smaller epsilon."
        )
