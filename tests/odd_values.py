"""Values of one record that raise when they are asked anything, or that few types can be compared with."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

TRACE = "Zyzzyva4242"
_METHODS = (
    *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__float__", "__int__"),
    *("__index__", "__bool__", "__str__", "__repr__", "__len__", "__iter__", "__array__", "__format__"),
    *("__abs__", "__add__", "__radd__", "__sub__", "__mul__", "__neg__", "__round__", "__trunc__"),
    *("__contains__", "__getitem__", "__reduce_ex__", "__deepcopy__", "__copy__", "__floor__", "is_nan"),
)


def _raise(*_: object, **__: object) -> Any:
    raise ZeroDivisionError(TRACE)


def raising(base: type, *names: str) -> type:
    """Return a class of values of some type that raise an error of their own when they are asked."""
    return type(f"Raising{base.__name__.title()}", (base,), dict.fromkeys(names or _METHODS, _raise))


class Attributes:
    """An object of which no attribute can be asked."""

    def __getattr__(self, name: str) -> Any:
        raise ZeroDivisionError(TRACE)


def _text(kind: type) -> Any:
    return str.__new__(kind, "a")


# made again for each call
ODD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "NaN": lambda: float("nan"),
    "a decimal NaN": lambda: Decimal("NaN"),
    "a signalling NaN": lambda: Decimal("sNaN"),
    "a decimal infinity": lambda: Decimal("Infinity"),
    "a decimal": lambda: Decimal("0.25"),
    "a huge integer": lambda: 10**400,
    "a huge decimal": lambda: Decimal("1E+999999"),
    "a fraction": lambda: Fraction(10**400, 3),
    "infinity": lambda: float("inf"),
    "1e308": lambda: 1e308,
    "a duration of NumPy": lambda: np.timedelta64(5, "s"),
    "a duration without a unit": lambda: np.timedelta64(1),
    "no duration": lambda: np.timedelta64("NaT"),
    "a time of NumPy": lambda: np.datetime64("4242-01-01"),
    "no time": lambda: np.datetime64("NaT"),
    "NaT": lambda: pd.NaT,
    "NA": lambda: pd.NA,
    "a duration": lambda: datetime.timedelta(1),
    "a date": lambda: datetime.date(2020, 1, 1),
    "a time with a zone": lambda: pd.Timestamp("2020-01-01", tz="UTC"),
    "a complex number": lambda: 1j,
    "a complex NaN": lambda: complex("nan"),
    "a long double": lambda: np.longdouble("1e4000"),
    "a text": lambda: TRACE,
    "half of a pair": lambda: "\ud800",
    "bytes": lambda: b"a",
    "a list": lambda: [1, 2],
    "a tuple with a list": lambda: (1, [2]),
    "a dict": dict,
    "an array": lambda: np.array([1.0, 2.0]),
    "an empty array": lambda: np.array([]),
    "a 0-d array": lambda: np.array(0.5),
    "a record": lambda: np.array([(1, 2.0)], dtype="i8,f8")[0],
    "a Series": lambda: pd.Series([1.0, 2.0]),
    "masked": lambda: np.ma.masked,
    "a masked array": lambda: np.ma.masked_array([1.0, 2.0], [True, False]),
    "an interval": lambda: pd.Interval(0, 1),
    "a period": lambda: pd.Period("2020-01", "M"),
    "an object": object,
    "a class": lambda: Attributes,
    "what raises": raising(object),
    "what raises when compared": raising(object, "__eq__", "__lt__", "__gt__", "__le__", "__ge__"),
    "what cannot be hashed": raising(object, "__hash__"),
    "what has no attributes": Attributes,
    "a float that raises": lambda: raising(float)(0.5),
    "a float that is incomparable": lambda: raising(float, "__eq__", "__ne__", "__lt__", "__gt__")(0.5),
    "a float that has no float": lambda: raising(float, "__float__")(0.5),
    "an integer that raises": lambda: raising(int)(1),
    "an integer that is incomparable": lambda: raising(int, "__eq__", "__ne__", "__lt__", "__gt__")(1),
    "a text that raises": lambda: _text(raising(str)),
    "a text that is incomparable": lambda: _text(raising(str, "__eq__", "__ne__", "__hash__")),
    "a decimal that raises": lambda: raising(Decimal)("0.25"),
    "a fraction that raises": lambda: raising(Fraction)(1, 4),
    "a date that raises": lambda: raising(datetime.date)(2020, 1, 1),
}
