"""Draws from a noise distribution without a statistic, for `Noise.rvs`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._grid import convert_from_grid, grid_unit
from pydpstat.errors import PydpstatError

# the grid is finer than that of a release: at most 2^-32 of the scale
_GRID_REFINEMENT = 2.0**-12
_SMALLEST_FLOAT = 2.0**-1074
MAX_DRAWS = 2**32
_SIZE_HINT = "Give for example 1000, or leave it out for one draw."


def draw_variates(noise: Any, size: object, random_state: object) -> Any:
    """Return draws of a noise in the statistic's unit, in the requested shape."""
    from pydpstat.random.source import source_from

    source = source_from(random_state, name="random_state")
    elements = np.shape(noise.scale)
    shape = elements if size is None else _resolve_shape(size, elements)
    grid = None if source.reproducible else 1.0 if noise.integer else _get_grid_unit(noise.scale)
    count, each = math.prod(shape), math.prod(elements)
    if elements:
        # with a scale per element, draw one vector after the other
        rows = [noise.draw(source, each, grid) for _ in range(count // each if each else 0)]
        drawn = np.concatenate([np.empty(0), *rows])
    else:
        drawn = noise.draw(source, count, grid)
    values = _to_integers(drawn) if noise.integer else _to_real_numbers(drawn, grid)
    return values.reshape(shape) if shape else values.item()


def _resolve_shape(size: object, elements: tuple[int, ...]) -> tuple[int, ...]:
    sizes = tuple(size) if isinstance(size, (tuple, list)) else (size,)
    shape = tuple(checks.check_integer(length, "size", 0, hint=_SIZE_HINT) for length in sizes)
    if math.prod(shape) > MAX_DRAWS:
        raise PydpstatError(
            f"size must be at most 2**32 in total; got {checks.describe_value(size)}. Draw in several parts."
        )
    if shape[len(shape) - len(elements) :] != elements or len(shape) < len(elements):
        raise PydpstatError(
            f"size must end with {elements}, because the noise has that many scales; got "
            f"{checks.describe_value(size)}. Give for example {(1000, *elements)}."
        )
    return shape


def _get_grid_unit(scale: npt.ArrayLike) -> float:
    scales = np.ravel(np.asarray(scale, dtype=np.float64))
    smallest = float(scales.min(initial=math.inf, where=scales > 0.0))
    return max(grid_unit(smallest, smallest) * _GRID_REFINEMENT, _SMALLEST_FLOAT) if smallest < math.inf else 1.0


def _to_integers(drawn: np.ndarray) -> np.ndarray:
    return drawn if drawn.dtype == object else drawn.astype(np.int64)


def _to_real_numbers(drawn: np.ndarray, grid: float | None) -> npt.NDArray[np.float64]:
    if grid is None:
        return np.asarray(drawn, dtype=np.float64)
    if drawn.dtype == object:
        return np.array([convert_from_grid(int(multiple), grid) for multiple in drawn], dtype=np.float64)
    with np.errstate(over="ignore"):
        # adding 0.0 avoids -0.0
        return drawn * grid + 0.0
