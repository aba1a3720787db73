"""How a released value calculates, compares and prints: as the number or array that it is."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pydpstat.results.labels import Labels


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

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
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

    def __getitem__(self, key: Any) -> Any:
        return self._plain()[key]

    def _plain(self) -> Any:
        return self.value if self.labels.breaks is not None else self.labels.natural(self.value)

    @property
    def __array_priority__(self) -> float:
        # NumPy leaves operators between an array and a result to the result
        return 1000.0


def _plain(value: Any) -> Any:
    return value._plain() if isinstance(value, NumberOperators) else value


def _forward(operation: Callable[[Any, Any], Any]) -> Callable[[NumberOperators, Any], Any]:
    return lambda self, other: operation(self._plain(), _plain(other))


def _backward(operation: Callable[[Any, Any], Any]) -> Callable[[NumberOperators, Any], Any]:
    return lambda self, other: operation(_plain(other), self._plain())


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(NumberOperators, f"__{_name}__", _forward(getattr(operator, _name)))
    setattr(NumberOperators, f"__r{_name}__", _backward(getattr(operator, _name)))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(NumberOperators, f"__{_name}__", _forward(getattr(operator, _name)))
for _name in ("neg", "pos", "abs"):
    setattr(
        NumberOperators,
        f"__{_name}__",
        lambda self, _operation=getattr(operator, _name): _operation(self._plain()),
    )
