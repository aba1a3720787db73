"""A comparison's inputs as R text, numbers without loss."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from pydpstat.parity.case import Factor


def assignments(inputs: Mapping[str, Any]) -> list[str]:
    """Return one R assignment for each input."""
    return [f"{name} <- {literal(value)}" for name, value in inputs.items()]


def literal(value: Any) -> str:
    """Return a value as an R expression that evaluates to the same bits.

    Examples
    --------
    >>> from pydpstat.parity._r_text import literal
    >>> literal([1, 2]), literal("a"), literal([0.5, float("nan")])
    ('c(1L, 2L)', '"a"', 'c(0x1.0000000000000p-1, NaN)')
    """
    if isinstance(value, Factor):
        return f"factor({_vector(value.values)}, levels = {_vector(value.levels)})"
    if isinstance(value, np.ndarray) and value.ndim > 1:
        return f"array({_vector(value.ravel(order='F').tolist())}, c({', '.join(map(str, value.shape))}))"
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return _vector(value)
    return _element(value)


def _vector(values: Iterable[Any]) -> str:
    items = [_element(value) for value in values]
    return f"c({', '.join(items)})" if items else "numeric(0)"


def _element(value: Any) -> str:
    if value is None:
        return "NA"
    if isinstance(value, (bool, np.bool_)):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, np.integer)):
        return f"{int(value)}L" if abs(int(value)) < 2**31 else f"{int(value)}"
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if number != number:
            return "NaN"
        if abs(number) == float("inf"):
            return "Inf" if number > 0 else "-Inf"
        return number.hex()
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
