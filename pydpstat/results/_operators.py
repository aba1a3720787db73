"""How a released value calculates, compares and prints: as the number or array that it is."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat.results._labels import Labels

# of plain numbers and arrays
_Operation = Callable[..., Any]


def _plain(value: object) -> Any:
    return value._plain() if isinstance(value, NumberOperators) else value


def _forward(operation: _Operation) -> _Operation:
    return lambda self, other: operation(self._plain(), _plain(other))


def _backward(operation: _Operation) -> _Operation:
    return lambda self, other: operation(_plain(other), self._plain())


def _alone(operation: _Operation) -> _Operation:
    return lambda self: operation(self._plain())


class NumberOperators:
    """Operators of a result, which all use its value and return plain numbers or arrays."""

    # without it every result would have a dictionary
    __slots__ = ()

    value: np.ndarray
    labels: Labels

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.value, dtype=dtype)

    def __format__(self, spec: str) -> str:
        return format(self._plain(), spec) if spec else str(self._plain())

    def __round__(self, digits: int | None = None) -> Any:
        plain = self._plain()
        return round(plain, digits) if isinstance(plain, float) else plain.round(digits or 0)

    def __len__(self) -> int:
        return len(self._plain())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._plain())

    def __getitem__(self, key: object) -> Any:
        return self._plain()[key]

    def _plain(self) -> Any:
        return self.value if self.labels.breaks is not None else self.labels.natural(self.value)

    @property
    def __array_priority__(self) -> float:
        # NumPy leaves operators between an array and a result to the result
        return 1000.0

    __add__, __radd__ = _forward(operator.add), _backward(operator.add)
    __sub__, __rsub__ = _forward(operator.sub), _backward(operator.sub)
    __mul__, __rmul__ = _forward(operator.mul), _backward(operator.mul)
    __truediv__, __rtruediv__ = _forward(operator.truediv), _backward(operator.truediv)
    __floordiv__, __rfloordiv__ = _forward(operator.floordiv), _backward(operator.floordiv)
    __mod__, __rmod__ = _forward(operator.mod), _backward(operator.mod)
    __pow__, __rpow__ = _forward(operator.pow), _backward(operator.pow)
    __lt__ = _forward(operator.lt)
    __le__ = _forward(operator.le)
    __gt__ = _forward(operator.gt)
    __ge__ = _forward(operator.ge)
    __eq__ = _forward(operator.eq)
    __ne__ = _forward(operator.ne)
    __neg__ = _alone(operator.neg)
    __pos__ = _alone(operator.pos)
    __abs__ = _alone(operator.abs)
    # a class that defines __eq__ loses its hash; a result keeps that of the object
    __hash__ = object.__hash__
