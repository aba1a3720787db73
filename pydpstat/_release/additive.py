"""The one pipeline, and the only place where a true value and its noise meet."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from pydpstat._grid import exact_sum, float_sum
from pydpstat._release.calibration import Noise, Preparation, noise_scale
from pydpstat._release.query import Query
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.mechanisms.geometric import SymmetricGeometricNoise
from pydpstat.mechanisms.laplace import LaplaceNoise
from pydpstat.privacy import Guarantee
from pydpstat.random import Source, secure
from pydpstat.results._call import Call
from pydpstat.results._postprocessing import AsDrawn, PostProcessing
from pydpstat.results.results import DPResults


class Spender(Protocol):
    """What a release needs of a budget."""

    def spend(self, guarantee: Guarantee, call: str) -> None:
        """Record the spend, or raise an error where it would exceed the budget."""


def release(
    query: Query,
    prepared: Preparation,
    source: Source | None,
    *,
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
        The true value.
    prepared : Preparation
        The noise for its sensitivities, and what that keeps.
    source : Source or None
        Where the noise comes from; None for the operating system, on a grid.
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
        Before any draw, where the true value is not finite; after it, where the published value is not.
    """
    if prepared.seeded is (source is None):
        # without a grid the operating system's noise would be left out
        raise ValueError("the noise was prepared for another kind of source")
    noise, grid = prepared.noise, prepared.grid
    if not _all_finite(query.value):
        raise PydpstatError(
            f"the {query.statistic} of these data is missing or infinite, as R's NA, NaN or Inf. "
            "Remove or replace missing values, and give at least two records where a spread is asked for."
        )
    if budget is not None:
        budget.spend(prepared.guarantee, record.python())
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
    return DPResults(
        statistic=query.statistic,
        value=np.asarray(value, dtype=np.float64),
        labels=query.labels,
        noise=_in_shape(noise, value.shape),
        noise_scale=prepared.scale,
        mechanism=noise.name,
        sensitivity=prepared.sensitivity,
        claim=prepared.claim,
        guarantee=prepared.guarantee,
        bounds=bounds,
        nobs=query.nobs,
        post=post,
        reproducible=prepared.seeded,
        grid=grid,
        record=record,
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
    if len(shape) > 1 and isinstance(noise, (LaplaceNoise, GaussianNoise)):
        scale = noise_scale(noise)
        if isinstance(scale, np.ndarray):
            return noise.mirrored(scale.reshape(shape, order="F"))
    return noise
