"""Vectors with names: R's arithmetic goes by place, where pandas goes by label."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

_SIGNS = "add sub mul truediv floordiv mod pow and or".split()
_COMPARISONS = "lt le gt ge eq ne".split()


def _plain(x: object) -> object:
    return x.to_numpy() if isinstance(x, pd.Series) else x


class Named(pd.Series):
    """A Series whose operators take the elements of another vector in their order, whatever its names are.

    Examples
    --------
    >>> (Named({"a": 1, "b": 2}) + Named({"b": 10, "c": 20})).to_dict()
    {'a': 11, 'b': 22}
    """

    @property
    def _constructor(self) -> type[Named]:
        return Named

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **options: object) -> object:
        first = next(k for k, each in enumerate(inputs) if isinstance(each, Named))
        given = [each if k == first else _plain(each) for k, each in enumerate(inputs)]
        return super().__array_ufunc__(ufunc, method, *given, **options)


def _by_place(sign: str) -> Callable[[object, object], object]:
    operator = getattr(pd.Series, f"__{sign}__")

    def operate(self: object, other: object) -> object:
        return operator(self, _plain(other))

    return operate


def _reflected(sign: str) -> Callable[[object, object], object]:
    operator, direct = getattr(pd.Series, f"__r{sign}__"), getattr(pd.Series, f"__{sign}__")

    def operate(self: object, other: object) -> object:
        # the names of the first vector that has some
        if isinstance(other, pd.Series) and other.index.dtype.kind not in "iu":
            return direct(other, _plain(self))
        return operator(self, _plain(other))

    return operate


for _sign in (*_SIGNS, *_COMPARISONS):
    setattr(Named, f"__{_sign}__", _by_place(_sign))
for _sign in _SIGNS:
    setattr(Named, f"__r{_sign}__", _reflected(_sign))
