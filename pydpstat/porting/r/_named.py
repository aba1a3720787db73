"""Named vectors with R's arithmetic by position, where pandas aligns labels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

_ARITHMETIC_OPERATORS = "add sub mul truediv floordiv mod pow and or".split()
_COMPARISON_OPERATORS = "lt le gt ge eq ne".split()


def _to_array(x: object) -> object:
    return x.to_numpy() if isinstance(x, pd.Series) else x


class NamedVector(pd.Series):
    """A Series whose operators combine elements by position, whatever the labels.

    Examples
    --------
    >>> (NamedVector({"a": 1, "b": 2}) + NamedVector({"b": 10, "c": 20})).to_dict()
    {'a': 11, 'b': 22}
    """

    @property
    def _constructor(self) -> type[NamedVector]:
        return NamedVector

    def __bool__(self) -> bool:
        # a single value is a condition in R
        return bool(self.iloc[0]) if len(self) == 1 else super().__bool__()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **options: object) -> object:
        first = next(k for k, each in enumerate(inputs) if isinstance(each, NamedVector))
        given = [each if k == first else _to_array(each) for k, each in enumerate(inputs)]
        return super().__array_ufunc__(ufunc, method, *given, **options)


def _make_positional_operator(sign: str) -> Callable[[object, object], object]:
    operator = getattr(pd.Series, f"__{sign}__")

    def apply_operator(self: object, other: object) -> object:
        return operator(self, _to_array(other))

    return apply_operator


def _make_reflected_operator(sign: str) -> Callable[[object, object], object]:
    operator, direct = getattr(pd.Series, f"__r{sign}__"), getattr(pd.Series, f"__{sign}__")

    def apply_reflected(self: object, other: object) -> object:
        # names are those of the first named vector
        if isinstance(other, pd.Series) and other.index.dtype.kind not in "iu":
            return direct(other, _to_array(self))
        return operator(self, _to_array(other))

    return apply_reflected


for _sign in (*_ARITHMETIC_OPERATORS, *_COMPARISON_OPERATORS):
    setattr(NamedVector, f"__{_sign}__", _make_positional_operator(_sign))
for _sign in _ARITHMETIC_OPERATORS:
    setattr(NamedVector, f"__r{_sign}__", _make_reflected_operator(_sign))
