"""The own statistics' calls on long data, each beside the plain step of NumPy that it is measured by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from data import LEVELS, Arrays, categoricals, numbers, two_codes

import pydpstat

BOUNDS = (0.0, 100.0)
BINS = 20


@dataclass(frozen=True)
class Own:
    """An own statistic's call and what it stands beside.

    Parameters
    ----------
    what : str
        Its name in the table.
    python : callable
        The call; its arguments are what `inputs` returns.
    step : callable
        NumPy's step, on the arrays.
    data : callable
        Makes the arrays, of a given length.
    inputs : callable
        Turns the arrays into the call's arguments.
    part : int
        The size is divided by this.
    aim : float or None
        The ratio aimed at.
    megabytes : float or None
        Memory above the data aimed at; None where it is not measured.
    """

    what: str
    python: Callable[..., Any]
    step: Callable[..., Any]
    data: Callable[[int], Arrays] = numbers
    inputs: Callable[[Arrays], tuple[Any, ...]] = lambda arrays: tuple(arrays.values())
    part: int = 1
    aim: float | None = None
    megabytes: float | None = None


def _clipped_sum(x: np.ndarray) -> Any:
    return np.clip(x, *BOUNDS).sum()


OWN = (
    Own(
        "mean, beside np.clip(x, a, b).sum()",
        lambda x: pydpstat.mean(x, 1.0, bounds=BOUNDS),
        _clipped_sum,
        aim=1.0,
        megabytes=16.0,
    ),
    Own(
        "sum, beside np.clip(x, a, b).sum()",
        lambda x: pydpstat.sum(x, 1.0, bounds=BOUNDS),
        _clipped_sum,
        aim=1.0,
        megabytes=16.0,
    ),
    Own(
        "var, beside np.clip(x, a, b).sum()",
        lambda x: pydpstat.var(x, 1.0, bounds=BOUNDS),
        _clipped_sum,
        aim=1.5,
    ),
    Own(
        "mean, unbounded, beside np.clip(x, a, b).sum()",
        lambda x: pydpstat.mean(x, 1.0, bounds=BOUNDS, neighbors="unbounded"),
        _clipped_sum,
    ),
    Own(
        "histogram, 20 bins, beside np.histogram",
        lambda x: pydpstat.histogram(x, 1.0, edges=np.linspace(*BOUNDS, BINS + 1)),
        # with a number and a range np.histogram is faster than with edges
        lambda x: np.histogram(x, BINS, BOUNDS),
        aim=0.6,
    ),
    Own(
        f"crosstab, beside np.bincount({LEVELS} * x + y)",
        lambda x, y: pydpstat.crosstab((x, y), 1.0, levels="declared"),
        lambda x, y: np.bincount(LEVELS * x + y, minlength=LEVELS**2),
        two_codes,
        categoricals,
        aim=1.5,
    ),
    Own(
        "median, beside np.sort",
        lambda x: pydpstat.median(x, 1.0, bounds=BOUNDS),
        lambda x: np.sort(x),
        part=10,
        aim=0.15,
    ),
)
