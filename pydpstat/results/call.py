"""The call that made a release, as text: argument names stand for the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Call:
    """A call without its data.

    Parameters
    ----------
    function : str
        The function's name.
    data : tuple of str
        Names that stand for the data arguments, in their order.
    arguments : tuple of (str, value)
        The public arguments, by their Python names.
    package : str
        R's package where the function is a mirror, else empty.
    """

    function: str
    data: tuple[str, ...]
    arguments: tuple[tuple[str, Any], ...]
    package: str = ""

    def python(self) -> str:
        """Return the call as Python would show it."""
        public = [f"{name}={_python_value(value, name)}" for name, value in self.arguments]
        return f"{self.function}({', '.join([*self.data, *public])})"

    def r(self) -> str | None:
        """Return the same release as an R expression; None where R has no such function."""
        if not self.package:
            return None
        public = [f"{r_name(name)} = {_r_value(value, name)}" for name, value in self.arguments]
        return f"{self.package}::{self.function}({', '.join([*map(r_name, self.data), *public])})"


def r_name(name: str) -> str:
    """Return R's name of an argument: its underscores are dots in R."""
    return name.replace("_", ".")


def _python_value(value: Any, name: str) -> str:
    if callable(value):
        return name
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    return repr(value)


def _r_value(value: Any, name: str) -> str:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, (list, tuple)):
        return f"c({', '.join(_r_value(item, name) for item in value)})"
    if callable(value):
        return r_name(name)
    if isinstance(value, float):
        return _r_float(value)
    return repr(value)


def _r_float(value: float) -> str:
    if value != value:
        return "NaN"
    if abs(value) == float("inf"):
        return "Inf" if value > 0 else "-Inf"
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
