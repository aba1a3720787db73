"""Single elements of named vectors: arithmetic preserves the name, as in R."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from pydpstat.porting.r._named import NamedVector


class NamedNumber:
    """A single element of a named vector: a scalar with a name."""

    names: list[object]


class NamedFloat(NamedNumber, float):
    """A double with a name."""


class NamedInt(NamedNumber, int):
    """An integer with a name."""


class NamedText(NamedNumber, str):
    """A string with a name."""


def _keep_name(operate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return an operator of a named scalar and another: a scalar result has the name, a vector its own names."""

    def call_operator(self: Any, other: Any) -> Any:
        if not isinstance(other, (int, float)) or isinstance(other, np.generic):
            return operate(drop_name(self), other)
        result = operate(drop_name(self), drop_name(other))
        named = (NamedFloat if isinstance(result, float) else NamedInt)(result)
        named.names = self.names
        return named

    return call_operator


def drop_name(x: Any) -> Any:
    """Return a single number as a plain Python number.

    Examples
    --------
    >>> drop_name(2.5)
    2.5
    """
    kind = float if isinstance(x, NamedFloat) else int if isinstance(x, NamedInt) else None
    return kind(x) if kind else x


def _make_reflected_operator(operate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda x, y: operate(y, x)


def _compare_and_keep_name(operate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def call_comparison(self: Any, other: Any) -> Any:
        result = operate(drop_name(self), drop_name(other))
        if not isinstance(result, bool):
            return result
        return NamedVector([result], index=pd.Index(self.names, dtype=object))

    return call_comparison


for _kind in (NamedFloat, NamedInt):
    for _sign in ("lt", "le", "gt", "ge"):
        setattr(_kind, f"__{_sign}__", _compare_and_keep_name(getattr(operator, _sign)))
    for _sign in ("add", "sub", "mul", "truediv"):
        _operate = getattr(operator, _sign)
        setattr(_kind, f"__{_sign}__", _keep_name(_operate))
        setattr(_kind, f"__r{_sign}__", _keep_name(_make_reflected_operator(_operate)))
