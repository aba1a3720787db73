"""How a released value calculates, compares and prints: as the number or array that it is."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import Answering
from pydpstat.errors import ArgumentError, ElementError, PydpstatError
from pydpstat.results._labels import Labels

# of plain numbers and arrays
_Operation = Callable[..., Any]


def _plain(value: object) -> Any:
    return value._plain() if isinstance(value, NumberOperators) else value


def _forward(operation: _Operation) -> _Operation:
    return lambda self, other: _computed(operation, other, self._plain(), _plain(other))


def _backward(operation: _Operation) -> _Operation:
    return lambda self, other: _computed(operation, other, _plain(other), self._plain())


def _computed(operation: _Operation, other: object, *operands: Any) -> Any:
    try:
        return operation(*operands)
    except TypeError:
        raise ArgumentError(
            "a release can be combined and compared with numbers and arrays only; got "
            f"{checks.shown(other)}. Convert it first, for example by float()."
        ) from None


def _alone(operation: _Operation) -> _Operation:
    return lambda self: operation(self._plain())


class NumberOperators(Answering):
    """Operators of a result, which all use its value and return plain numbers or arrays."""

    # without it every result would have a dictionary
    __slots__ = ()

    value: np.ndarray
    labels: Labels

    statistic: str

    def __float__(self) -> float:
        return float(self._one("a single number"))

    def __int__(self) -> int:
        return int(self._one("a single number"))

    def __bool__(self) -> bool:
        return bool(self._one("true or false"))

    def _one(self, what: str) -> np.ndarray:
        """Return the value, which must be one."""
        if self.value.size == 1:
            return self.value
        raise ArgumentError(
            f"the release of {self.statistic} is not {what}; it has {self.value.size} values. Choose "
            f"one by its name, result[{self._names(1)}], or use all, (result.params > 0).all()."
        )

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.value, dtype=dtype)

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self._plain())
        try:
            if self.value.ndim == 0:
                return format(self._plain(), spec)
            return self._series(self.value).map(lambda each: format(each, spec)).to_string()
        except ValueError:
            raise PydpstatError(
                f"the format of a release must be a number format; got {checks.excerpt(spec)}. Write "
                "for example f'{result:.1f}', without decimals f'{result:.0f}'."
            ) from None

    def __round__(self, digits: int | None = None) -> Any:
        places = None if digits is None else checks.integer(digits, "digits", -300, 300, hint="Give 2.")
        plain = self._plain()
        return round(plain, places) if isinstance(plain, float) else plain.round(places or 0)

    def __len__(self) -> int:
        return len(self._many())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._many())

    def _many(self) -> Any:
        if self.value.ndim:
            return self._plain()
        raise ArgumentError(
            f"the release of {self.statistic} has no elements; it is one number. Write float(result)."
        )

    def __getitem__(self, key: object) -> Any:
        plain = self._many()
        try:
            # as R has it, rows come first
            rows = isinstance(key, tuple) and getattr(plain, "ndim", 1) == 2 and hasattr(plain, "loc")
            return plain.loc[key] if rows else plain[key]
        except (KeyError, IndexError, TypeError, ValueError):
            name = ":".join(map(str, key)) if isinstance(key, tuple) else key
            named = list(self.labels.elements(self.value))
            if isinstance(name, str) and name in named:
                return np.ravel(self.value, order="F")[named.index(name)]
            several = list(key) if isinstance(key, tuple) and {*map(str, key)} <= {*named} else []
            raise ElementError(
                f"the release of {self.statistic} has no element {checks.shown_option(key)}. It has "
                f"{self._names(8)}.{f' Several are chosen by a list: result[{several!r}].' * bool(several)}"
            ) from None

    def _way_to(self, name: str) -> str:
        try:
            self[name]
        except PydpstatError:
            return Answering._way_to(self, name)
        return f"write result[{name!r}]"

    def _names(self, most: int) -> str:
        """Return the names of some elements."""
        names = self.labels.elements(self.value)
        return ", ".join(map(repr, names[:most])) + ", ..." * (len(names) > most > 1)

    def _series(self, value: npt.ArrayLike) -> Any:
        """Return values as a series with the elements' names."""
        raise NotImplementedError

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
