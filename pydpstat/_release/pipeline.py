"""Pipeline of a release with added noise, and the only place where a true value and its noise are combined."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat._grid import convert_from_grid, round_to_grid, round_up_to_float
from pydpstat._release.calibration import Calibration, QuerySpec
from pydpstat._release.charging import Chargeable, charge_budget, get_open_budgets, open_blocks
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.random.source import Source
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import NoisyValue, PostProcessing, PostProcessor
from pydpstat.results._shapes import make_release
from pydpstat.results.results import DPResults

Accept = Callable[[Floats], bool]
_NO_POSTPROCESSING = NoisyValue()
# doubles represent all integers up to this, and the sum of two of them
_MAX_EXACT_INTEGER = 2.0**52


@dataclass(frozen=True, slots=True)
class Query:
    """True value of a statistic with its sensitivity.

    A single L1 or L2 sensitivity is that of the whole value; several are those of the elements, or of blocks with
    separate noise. `exact` has the elements (in Fortran order) as rationals, with exact sensitivities; `value` then
    has the nearest floats, which only a seeded source uses. `vector_shape` has the columns and parts per column of
    the vectors in the value, for maximum-norm noise, and `element_units` the units of the elements.
    `has_internal_labels` tells that the labels name intermediate quantities, such as a test's sums, rather than
    variables.
    """

    statistic: str
    value: np.ndarray
    sensitivities: tuple[float | Fraction, ...]
    labels: Labels
    integer: bool = False
    nobs: int | None = None
    exact: tuple[Fraction | int, ...] | None = None
    vector_shape: tuple[int, int] | None = None
    element_units: tuple[Fraction, ...] | None = None
    has_internal_labels: bool = False

    @classmethod
    def from_exact(
        cls,
        statistic: str,
        exact: Sequence[Fraction | int],
        sensitivity: Fraction,
        labels: Labels,
        nobs: int | None = None,
        has_internal_labels: bool = False,
    ) -> Query:
        """Make the query of exact numbers with a joint sensitivity."""
        value = np.array([float(number) for number in exact])
        return cls(
            statistic,
            value,
            (sensitivity,),
            labels,
            nobs=nobs,
            exact=tuple(exact),
            has_internal_labels=has_internal_labels,
        )

    @property
    def spec(self) -> QuerySpec:
        """Public part of the query."""
        exact = self.exact is not None
        return QuerySpec(self.statistic, self.sensitivities, self.value.size, self.integer, exact, self.vector_shape)

    def describe_subject(self) -> str:
        """Describe the variables and groups; empty if none has a name."""
        return "" if self.has_internal_labels else self.labels.describe_variables(self.statistic)

    def __repr__(self) -> str:
        return f"Query({self.statistic!r}, value withheld)"


def release_query(
    query: Query,
    calibration: Calibration,
    source: Source,
    *,
    call: Call,
    bounds: tuple[object, ...] | None = None,
    is_acceptable: Accept | None = None,
    postprocess: PostProcessor | None = None,
    budget: Chargeable | None = None,
) -> DPResults:
    """Add calibrated noise to a query's value and return the release.

    `source` must be of the kind for which the noise was calibrated. The draw is repeated until `is_acceptable`
    holds for the noisy value. `postprocess` returns the published value and a description of the post-processing
    for a noisy value. The given budget, or else that of the enclosing ``with`` block, is charged after all checks of
    arguments and before the first draw; an error that it raises prevents the release.
    """
    if calibration.is_seeded is not source.reproducible:
        # without a grid no noise of the operating system's generator would be added
        raise ValueError("the noise was prepared for another kind of source")
    noise = calibration.noise
    if not _is_all_finite(query.value):
        raise PydpstatError(
            f"the {query.statistic} of these data is missing or infinite, like R's NA, NaN or Inf. "
            "Remove or replace missing values, and give at least two records for a measure of spread."
        )
    if budget is not None or open_blocks or get_open_budgets():
        charge_budget(budget, calibration.guarantee, call, query.describe_subject, noise.name)
    value = _add_noise(query, calibration, source)
    may_stand = calibration.is_acceptable
    while may_stand is not None and not may_stand(value) or is_acceptable is not None and not is_acceptable(value):
        if not np.any(noise.std()):
            raise PydpstatError(
                f"the {query.statistic} has no noise and is not positive, so R never returns. Use a delta far below 1."
            )
        value = _add_noise(query, calibration, source)
    sensitivity = calibration.sensitivity
    if query.element_units is not None:
        sensitivity = tuple(map(round_up_to_float, query.element_units))
        value, noise = value * np.array(sensitivity), noise.times(np.array(sensitivity))
    post: PostProcessing = _NO_POSTPROCESSING
    if postprocess is not None:
        value, post = postprocess(value)
    if not _is_all_finite(np.where(np.isnan(value), 0.0, value) if post.can_be_missing else value):
        raise PydpstatError(
            f"the released {query.statistic} is not a finite number, which R would return as NaN or Inf. "
            "Use a larger epsilon, or leave out the last step (normalize)."
        )
    made: DPResults = make_release(
        statistic=query.statistic,
        value=np.asarray(value, dtype=np.float64),
        labels=query.labels,
        # noise of numbers and vectors has their shape already
        noise=noise.in_shape(value.shape) if value.ndim > 1 else noise,
        noise_scale=noise.scale,
        mechanism=noise.name,
        sensitivity=sensitivity,
        claim=calibration.claim,
        guarantee=calibration.guarantee,
        bounds=bounds,
        nobs=query.nobs,
        post=post,
        reproducible=calibration.is_seeded,
        grid=calibration.grid,
        record=call,
    )
    return made


def _is_all_finite(value: Floats) -> bool:
    # math is ten times faster for a single number, the usual case
    if isinstance(value, float) or value.ndim == 0:
        return math.isfinite(value)
    return bool(np.isfinite(value).all())


def _add_noise(query: Query, calibration: Calibration, source: Source) -> Floats:
    """Add one draw of noise to the true value, on the grid if there is one."""
    size, shape, grid = query.value.size, query.value.shape, calibration.grid
    if grid is None and not calibration.is_seeded:
        # a value with sensitivity 0 needs no noise
        return query.value
    noise = calibration.noise
    drawn = checks.check_noise_draw(noise.draw(source, size, grid), size, grid, type(noise).__name__)
    if grid is not None and query.exact is not None:
        return _add_noise_exactly(query.exact, drawn, grid).reshape(shape, order="F")
    drawn = drawn.reshape(shape, order="F") if shape else drawn[0]
    return query.value + drawn if grid is None else _add_noise_in_floats(query.value, drawn, grid)


def _add_noise_exactly(exact: Sequence[Fraction | int], noise_units: np.ndarray, grid: float) -> np.ndarray:
    """Return the floats nearest to grid * (exact on the grid + units), summed in integers."""
    sums = [grid_units + int(unit) for grid_units, unit in zip(round_to_grid(exact, grid), noise_units)]
    return np.array([convert_from_grid(total, grid) for total in sums], dtype=np.float64)


def _add_noise_in_floats(value: np.ndarray, noise_units: Any, grid: float) -> np.ndarray:
    """Return grid * (rint(value / grid) + units) for floats, summed in integers."""
    if value.ndim == 0 and max(abs(float(value) / grid), abs(noise_units)) < _MAX_EXACT_INTEGER:
        # Python numbers are ten times faster here, and round halves to even as rint does
        return np.asarray((round(float(value) / grid) + float(noise_units)) * grid)
    with np.errstate(over="ignore"):
        grid_units = np.rint(value / grid)
    if np.all((np.abs(grid_units) < _MAX_EXACT_INTEGER) & (np.abs(noise_units) < _MAX_EXACT_INTEGER)):
        with np.errstate(over="ignore"):
            # avoid -0.0, which would reveal the sign of the statistic
            return (grid_units + np.asarray(noise_units, dtype=np.float64)) * grid + 0.0
    if not np.isfinite(grid_units).all():
        raise PydpstatError("the statistic is too large for the grid of its noise; rescale the data.")
    sums = [int(a) + int(b) for a, b in zip(np.ravel(grid_units), np.ravel(noise_units))]
    return np.array([convert_from_grid(total, grid) for total in sums]).reshape(grid_units.shape)
