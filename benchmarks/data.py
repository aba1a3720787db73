"""The mirrors' calls on long data, used by the timings and by the measurement of memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import pydpstat

Arrays = dict[str, np.ndarray]
LEVELS = 20
BREAKS = np.arange(0.0, 101.0, 5.0)


@dataclass(frozen=True)
class Mirror:
    """A mirror's call on both sides.

    Parameters
    ----------
    what : str
        Its name in the table.
    data : callable
        Makes the arrays, of a given length.
    python : callable
        The call; its arguments are what `inputs` returns.
    r : str
        The call in R, on variables of the arrays' names.
    inputs : callable
        Turns the arrays into the call's arguments.
    r_inputs : str
        R code that does the same.
    """

    what: str
    data: Callable[[int], Arrays]
    python: Callable[..., Any]
    r: str
    inputs: Callable[[Arrays], tuple[Any, ...]] = lambda arrays: tuple(arrays.values())
    r_inputs: str = ""


def _numbers(size: int) -> Arrays:
    """Return numbers of which 1.2 % lie outside the bounds 0 and 100."""
    return {"x": np.random.default_rng(1).normal(50.0, 20.0, size)}


def _codes(size: int) -> Arrays:
    return {"x": np.random.default_rng(1).integers(0, LEVELS, size, dtype=np.int32)}


def _two_codes(size: int) -> Arrays:
    return {**_codes(size), "y": np.random.default_rng(2).integers(0, 5, size, dtype=np.int32)}


def _categoricals(arrays: Arrays) -> tuple[Any, ...]:
    import pandas as pd

    levels = [f"level{number}" for number in range(LEVELS)]
    return tuple(pd.Categorical.from_codes(codes, levels) for codes in arrays.values())


def _factor(name: str) -> str:
    return f"{name} <- structure({name} + 1L, levels = paste0('level', 0:{LEVELS - 1}), class = 'factor')"


MIRRORS = (
    Mirror(
        "meanDP",
        _numbers,
        lambda x: pydpstat.meanDP(x, 1.0, 0, 100),
        "DPpack::meanDP(x, 1, 0, 100)",
    ),
    Mirror(
        "histogramDP, breaks given",
        _numbers,
        lambda x: pydpstat.histogramDP(x, 1.0, 0, 100, breaks=BREAKS),
        "DPpack::histogramDP(x, 1, 0, 100, breaks = seq(0, 100, 5))",
    ),
    Mirror(
        "histogramDP, default breaks",
        _numbers,
        lambda x: pydpstat.histogramDP(x, 1.0, 0, 100),
        "DPpack::histogramDP(x, 1, 0, 100)",
    ),
    Mirror(
        "tableDP, integers",
        _codes,
        lambda x: pydpstat.tableDP(x, eps=1.0),
        "DPpack::tableDP(x, eps = 1)",
    ),
    Mirror(
        "tableDP, a factor",
        _codes,
        lambda x: pydpstat.tableDP(x, eps=1.0),
        "DPpack::tableDP(x, eps = 1)",
        _categoricals,
        _factor("x"),
    ),
    Mirror(
        "tableDP, two factors",
        _two_codes,
        lambda x, y: pydpstat.tableDP(x, y, eps=1.0),
        "DPpack::tableDP(x, y, eps = 1)",
        _categoricals,
        f"{_factor('x')}; {_factor('y')}",
    ),
)
