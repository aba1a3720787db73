"""The one pipeline, and the only place where a true value and its noise meet."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from pydpstat.errors import PydpstatError
from pydpstat.grid import exact_sum, float_above, float_sum, sum_above
from pydpstat.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.mechanisms.geometric import SignGeometricNoise, SymmetricGeometricNoise
from pydpstat.mechanisms.laplace import LaplaceNoise, scale_for
from pydpstat.postprocessing import AsDrawn, PostProcessing
from pydpstat.privacy import Guarantee
from pydpstat.queries import Query
from pydpstat.random import Source, secure
from pydpstat.results.call import Call
from pydpstat.results.results import DPResults

Noise = LaplaceNoise | GaussianNoise | SymmetricGeometricNoise | SignGeometricNoise | DiscreteGaussianNoise
# the smallest number with all its digits
_SMALLEST_SCALE = 2.0**-1022
SEEDED = "a seeded stream, for checking and study only: whoever knows the seed can take the noise away"
UNCOVERED = (
    "noise is exact and lies on a public grid; the rounding inside the statistic's own "
    "floating-point arithmetic is not covered by the proof"
)


class Spender(Protocol):
    """What a release needs of a budget."""

    def spend(self, guarantee: Guarantee, call: str) -> None:
        """Record the spend, or raise an error where it would exceed the budget."""


def release(
    query: Query,
    calibrate: Callable[[tuple[float, ...]], Noise],
    source: Source | None,
    *,
    account: Callable[[Noise], tuple[Guarantee, Guarantee]],
    record: Call,
    bounds: Any = None,
    accept: Callable[[np.ndarray], bool] | None = None,
    publish: Callable[[np.ndarray], tuple[np.ndarray, PostProcessing]] | None = None,
    budget: Spender | None = None,
) -> DPResults:
    """Protect a query's value with calibrated noise and return what may be published.

    Parameters
    ----------
    query : Query
        The true value and its sensitivities.
    calibrate : callable
        Sensitivities in, noise distribution out; checks its own arguments. For a query with exact
        values its scale is rounded up (`pydpstat.mechanisms.laplace.scale_for`).
    source : Source or None
        Where the noise comes from; None for the operating system, on a grid.
    account : callable
        Calibrated noise in; out what was asked for and what holds. It may warn.
    record : Call
        The call, without data.
    bounds : tuple, optional
        Public bounds, for the result.
    accept : callable, optional
        The whole draw is repeated until this accepts the noisy value.
    publish : callable, optional
        Post-processing: the noisy value in, the published one and its description out.
    budget : optional
        Its `spend` is called with the guarantee and the call after every check of the arguments and
        before the first draw; what it raises ends the release.

    Returns
    -------
    DPResults

    Raises
    ------
    PydpstatError
        Before any draw, where the true value or the noise scale is not finite, or the scale underflows;
        after it, where the published value is not finite.
    """
    sensitivities = tuple(
        [float_above(each) if isinstance(each, Fraction) else each for each in query.sensitivities]
    )
    noise = calibrate(sensitivities)
    claim, guarantee = account(noise)
    promised = math.isfinite(claim.epsilon) and guarantee.delta < 1.0
    if promised and query.value.size and all(sensitivities):
        _check_underflow(query, noise)
    grid = None
    # what cannot move needs no noise for being rounded either
    if source is None and sensitivities != (0.0,):
        noise, grid = _on_grid(query, calibrate, noise, claim.epsilon)
    _check_finite(query, noise)
    condition = SEEDED if source is not None else _uncovered(query)
    if condition is not None:
        guarantee = guarantee.with_conditions(condition)
    if budget is not None:
        budget.spend(guarantee, record.python())
    value = _noisy(query, noise, source, grid)
    while accept is not None and not accept(value):
        if not np.any(noise.std()):
            raise PydpstatError(
                f"the {query.statistic} gets no noise and is not positive; R never returns. "
                "Use a delta far below 1."
            )
        value = _noisy(query, noise, source, grid)
    post: PostProcessing = AsDrawn()
    if publish is not None:
        value, post = publish(value)
    if not _all_finite(value):
        raise PydpstatError(
            f"the released {query.statistic} is not a finite number, which R would return as NaN or Inf. "
            "Use a larger epsilon, or leave out the last step (normalize)."
        )
    value = np.array(value, dtype=np.float64)
    value.flags.writeable = False
    return DPResults(
        statistic=query.statistic,
        value=value,
        labels=query.labels,
        noise=_in_shape(noise, value.shape),
        noise_scale=noise_scale(noise),
        mechanism=noise.name,
        sensitivity=sensitivities[0] if len(sensitivities) == 1 else sensitivities,
        claim=claim,
        guarantee=guarantee,
        bounds=bounds,
        nobs=query.nobs,
        post=post,
        reproducible=source is not None,
        grid=grid,
        record=record,
    )


def noise_scale(noise: Noise) -> Any:
    """Return the parameter that an R user calls the scale, in the statistic's unit."""
    match noise:
        case LaplaceNoise():
            return noise.scale
        case GaussianNoise() | DiscreteGaussianNoise():
            return noise.sd
    return noise.sensitivity / noise.epsilon


def _on_grid(
    query: Query, calibrate: Callable[[tuple[float, ...]], Noise], noise: Noise, epsilon: float
) -> tuple[Noise, float]:
    """Choose the grid, and calibrate once more with what bringing the value onto it adds."""
    if not isinstance(noise, (LaplaceNoise, GaussianNoise)):
        return noise, 1.0
    # with one sensitivity for the whole value, each of its elements may move by one unit more
    elements = query.value.size if len(query.sensitivities) == 1 and not query.integer else 1
    smallest = float(min(query.sensitivities, default=1.0)) / max(elements, 1)
    scale = noise_scale(noise)
    grid = secure.grid_unit(
        scale if isinstance(scale, float) else float(scale.min(initial=smallest)), smallest
    )
    if query.integer:
        # whole numbers lie on no grid that is coarser
        grid = min(grid, 1.0)
    if grid == 0.0:
        raise PydpstatError(
            f"the sensitivity of {query.statistic} is too small for a grid below it; rescale the data."
        )
    more = 0.0 if query.integer else elements * grid
    if query.exact is not None:
        if more:
            noise = calibrate(tuple(sum_above(float_above(each), more) for each in query.sensitivities))
        return noise, grid
    if more:
        noise = calibrate(tuple(each + more for each in query.sensitivities))
    return (
        _rounded_up(noise, sum(Fraction(each) + Fraction(more) for each in query.sensitivities), epsilon),
        grid,
    )


def _rounded_up(noise: Noise, sensitivity: Fraction | int, epsilon: float) -> Noise:
    """Return Laplace noise whose scale covers the roundings of a calibration in R's arithmetic."""
    if not isinstance(noise, LaplaceNoise) or epsilon == math.inf:
        return noise
    if isinstance(noise.scale, float):
        least = scale_for(sensitivity, epsilon)
        if abs(least - noise.scale) <= 2.0**-50 * least:
            return noise if least <= noise.scale else LaplaceNoise(least)
    # the roundings of the sum, of the shares and of the division are below 2^-50 together
    return LaplaceNoise(np.nextafter(noise.scale * (1.0 + 2.0**-50), math.inf))


def _uncovered(query: Query) -> str | None:
    """Return what the proof of a release from the operating system leaves out."""
    return None if query.integer or query.exact is not None else UNCOVERED


def _check_underflow(query: Query, noise: Noise) -> None:
    scale = noise_scale(noise)
    if scale < _SMALLEST_SCALE if isinstance(scale, float) else np.any(np.less(scale, _SMALLEST_SCALE)):
        raise PydpstatError(
            f"the noise scale of {query.statistic} underflows for this sensitivity: R adds no noise, or too "
            "little. Rescale the data, or use a smaller epsilon."
        )


def _check_finite(query: Query, noise: Noise) -> None:
    if not _all_finite(noise_scale(noise)):
        raise PydpstatError(
            f"the noise scale of {query.statistic} is not finite, so R would return NaN or Inf. "
            "Give finite bounds and sensitivities."
        )
    if not _all_finite(query.value):
        raise PydpstatError(
            f"the {query.statistic} of these data is missing or infinite, as R's NA, NaN or Inf. "
            "Remove or replace missing values, and give at least two records where a spread is asked for."
        )


def _all_finite(value: Any) -> bool:
    # a single number is the usual case, and math is ten times faster on it
    if isinstance(value, float) or value.ndim == 0:
        return math.isfinite(value)
    return bool(np.isfinite(value).all())


def _noisy(query: Query, noise: Noise, source: Source | None, grid: float | None) -> np.ndarray:
    """Add one draw of noise to the true value: on the grid where there is one."""
    size, shape = query.value.size, query.value.shape
    if source is not None:
        return query.value + _shaped(_draw(noise, size, source), shape)
    if grid is None:
        return query.value
    units = _draw_units(noise, size, grid)
    if query.exact is not None:
        return exact_sum(query.exact, units, grid).reshape(shape, order="F")
    return float_sum(query.value, _shaped(units, shape), grid)


def _shaped(drawn: np.ndarray, shape: tuple[int, ...]) -> Any:
    return drawn.reshape(shape, order="F") if shape else drawn[0]


def _draw(noise: Noise, size: int, source: Source) -> np.ndarray:
    match noise:
        case LaplaceNoise():
            return source.laplace(size, noise.scale)
        case GaussianNoise():
            return source.normal(size, noise.sd)
        case SymmetricGeometricNoise():
            return source.symmetric_geometric(size, noise.epsilon / noise.sensitivity)
        case DiscreteGaussianNoise():
            return source.discrete_gaussian(size, noise.sd)
    return source.sign_geometric(size, noise.epsilon / noise.sensitivity)


def _draw_units(noise: Noise, size: int, grid: float) -> np.ndarray:
    """Draw from the operating system, in whole grid units."""
    match noise:
        case LaplaceNoise():
            return secure.laplace(size, noise.scale, grid)
        case GaussianNoise():
            return secure.normal(size, noise.sd, grid)
        case DiscreteGaussianNoise():
            return secure.discrete_gaussian(size, noise.sd)
        case SymmetricGeometricNoise():
            return secure.symmetric_geometric(size, Fraction(noise.epsilon) / noise.sensitivity)
    return secure.sign_geometric(size, Fraction(noise.epsilon) / noise.sensitivity)


def _in_shape(noise: Noise, shape: tuple[int, ...]) -> Noise:
    """Give a scale for each element of a matrix the matrix's shape."""
    scale = noise_scale(noise)
    if len(shape) > 1 and isinstance(scale, np.ndarray) and isinstance(noise, (LaplaceNoise, GaussianNoise)):
        return type(noise)(scale.reshape(shape, order="F"))
    return noise
