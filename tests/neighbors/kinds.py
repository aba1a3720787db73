"""Containers and dtypes of data, each with records that are common and records that are odd."""

import datetime
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd


class Mask:
    """Stands for a value that a mask hides."""


class Signal:
    """Stands for a signalling NaN, as R's NA_real_ is one."""


class Raises:
    """An object that cannot even be looked up."""

    def __hash__(self) -> int:
        raise ZeroDivisionError

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError


class Floatless(float):
    """A number that cannot be had as a float."""

    def __float__(self) -> float:
        raise ValueError("4242424")


MASKED, SIGNALLING = Mask(), Signal()
NAN, INF, HUGE = float("nan"), float("inf"), 1.7976931348623157e308
SNAN = Decimal("sNaN")
_SIGNALS = {2: 0x7D01, 4: 0x7F8007A2, 8: 0x7FF00000000007A2}


@dataclass(frozen=True)
class Kind:
    """A container with a dtype."""

    name: str
    # records in, data out
    make: Callable[[list[Any]], Any]
    # records that both data sets have; the last but one is not in both under bounded neighbors
    base: tuple[Any, ...]
    # records of which one is added, or takes another's place
    odd: tuple[Any, ...]
    # the same, of records that are missing
    gaps: tuple[Any, ...] = ()
    # public levels, where the values are labels
    levels: tuple[Any, ...] = ()

    @property
    def twin(self) -> Callable[[list[Any]], Any]:
        """Makes the same data with another value under a mask, where there is one."""
        return getattr(self.make, "twin", self.make)


def array(dtype: Any) -> Callable[[list[Any]], np.ndarray]:
    """Return what makes arrays of a dtype, in which `SIGNALLING` is such a NaN."""

    def make(values: list[Any]) -> np.ndarray:
        if dtype is object:
            return objects(values)
        made = np.array([NAN if each is SIGNALLING else each for each in values], dtype=dtype)
        for place, each in enumerate(values):
            if each is SIGNALLING:
                whole = made.dtype.str.replace("f", "u")
                made.view(whole)[place] = _SIGNALS[made.dtype.itemsize]
        return made

    return make


def masked(dtype: Any, under: Any, other: Any = None) -> Callable[[list[Any]], Any]:
    """Return what makes masked arrays, with a value under the mask, and their twin with another one."""

    def make(values: list[Any]) -> Any:
        hidden = [each is MASKED for each in values]
        plain = [under if gone else each for each, gone in zip(values, hidden)]
        return np.ma.masked_array(array(dtype)(plain), hidden)

    if other is not None:
        make.twin = masked(dtype, other)  # type: ignore[attr-defined]
    return make


def objects(values: list[Any]) -> np.ndarray:
    """Make an array of objects, each as it is."""
    made = np.empty(len(values), dtype=object)
    for place, each in enumerate(values):
        made[place] = each
    return made


def series(dtype: Any) -> Callable[[list[Any]], pd.Series]:
    """Return what makes Series of a dtype, with an index of its own."""
    return lambda values: pd.Series(values, dtype=dtype, index=range(len(values), 0, -1), name="income")


def _unsigned(values: list[Any]) -> pd.Series:
    """Make whole numbers of 64 bits, which pandas before 2 takes from an array of them only."""
    absent = np.array([each is pd.NA for each in values], dtype=bool)
    plain = np.array([0 if gone else each for each, gone in zip(values, absent)], dtype=np.uint64)
    return pd.Series(pd.arrays.IntegerArray(plain, absent), name="income")


def _twice(make: Callable[[list[Any]], Any]) -> Callable[[list[Any]], pd.DataFrame]:
    return lambda values: pd.DataFrame({"x": make(values), "y": make(values)})


def _matrix(values: list[Any]) -> np.matrix:
    with warnings.catch_warnings():
        # NumPy would rather have arrays
        warnings.simplefilter("ignore")
        return np.asmatrix(np.column_stack([array("f8")(values)] * 2))


def _index(values: list[Any]) -> pd.Index:
    return pd.Index(np.array(values, dtype=np.float64))


_FLOATS = (1.5, 4.2421875, 7.0, 3.0)
_FLOAT_ODDS = (INF, -INF, 5.0, -0.0, 10.0, 1e4)
_INTEGERS = (1, 4, 7, 3)
_OBJECTS = (1.5, 4.2424242, 7, True)
_OBJECT_ODDS = (
    10**400,
    -(10**400),
    Fraction(22, 7),
    Decimal("4.25"),
    Decimal("Infinity"),
    Decimal("1E+999999"),
    np.longdouble("1e4000"),
    np.float32(2.5),
    np.uint64(2**64 - 1),
    np.bool_(True),
    False,
    INF,
)
_NAT = np.datetime64("NaT")
_OBJECT_GAPS = (None, NAN, pd.NA, Decimal("NaN"), SNAN, np.float32("nan"), pd.NaT, _NAT)
_OBJECT_GAPS += (np.timedelta64("NaT"), np.ma.masked)
_LARGE = (2**63 - 1, -(2**63), 0, 10, 2**53 + 1)
_UNSIGNED = (2**64 - 1, 2**63, 0, 10)

NUMBERS = (
    Kind("float64", array("f8"), _FLOATS, (*_FLOAT_ODDS, HUGE, -HUGE, 5e-324), (NAN, SIGNALLING)),
    Kind("float32", array("f4"), _FLOATS, (*_FLOAT_ODDS, 3.4e38, 1e-45), (NAN, SIGNALLING)),
    Kind("float16", array("f2"), _FLOATS, (*_FLOAT_ODDS, 65504.0, 6e-8), (NAN, SIGNALLING)),
    Kind(
        "long double",
        array("g"),
        _FLOATS,
        (*_FLOAT_ODDS, *map(np.longdouble, ("1e4000", "-1e4000", "1e-4000", "0.1"))),
        (NAN,),
    ),
    Kind("big-endian floats", array(">f8"), _FLOATS, (*_FLOAT_ODDS, HUGE), (NAN, SIGNALLING)),
    Kind("int64", array("i8"), _INTEGERS, _LARGE),
    Kind("uint64", array("u8"), _INTEGERS, _UNSIGNED),
    Kind("big-endian integers", array(">i4"), _INTEGERS, (2**31 - 1, -(2**31), 0, 10)),
    Kind("int8", array("i1"), _INTEGERS, (127, -128, 0, 10)),
    Kind("booleans", array("?"), (True, False, True), (True, False)),
    Kind("list", list, _OBJECTS, _OBJECT_ODDS, _OBJECT_GAPS),
    Kind("tuple", tuple, _FLOATS, (*_OBJECT_ODDS[:6], 2.5), (None, NAN, SNAN, np.ma.masked)),
    Kind("objects", objects, _OBJECTS, _OBJECT_ODDS, (*_OBJECT_GAPS, Floatless(4.5))),
    Kind("list of decimals", list, tuple(map(Decimal, _INTEGERS)), _OBJECT_ODDS[3:6], (SNAN, Decimal("NaN"))),
    Kind("list of fractions", list, tuple(map(Fraction, _INTEGERS)), (Fraction(1, 3), 10**400), (None,)),
    Kind("list of long doubles", list, tuple(map(np.longdouble, _FLOATS)), (np.longdouble("-1e4000"), 10)),
    Kind("Series", series("f8"), _FLOATS, _FLOAT_ODDS, (NAN,)),
    Kind("Series of objects", series(object), _OBJECTS, _OBJECT_ODDS[:6], _OBJECT_GAPS),
    Kind("Int64", series("Int64"), _INTEGERS, _LARGE, (pd.NA,)),
    Kind("UInt64", _unsigned, _INTEGERS, _UNSIGNED, (pd.NA,)),
    Kind("Float32", series("Float32"), _FLOATS, (INF, 3.4e38, -0.0), (pd.NA,)),
    Kind("Float64", series("Float64"), _FLOATS, (INF, HUGE, -0.0), (pd.NA,)),
    Kind("boolean", series("boolean"), (True, False, True), (True, False), (pd.NA,)),
    Kind("sparse", series("Sparse[float]"), _FLOATS, (INF, 0.0, -5.0), (NAN,)),
    Kind("index", _index, _FLOATS, (INF, 0.0, -5.0), (NAN,)),
    Kind("masked floats", masked("f8", 9.0, 1.0), _FLOATS, (INF, -HUGE), (MASKED, NAN)),
    Kind("masked integers", masked("i8", 9, 1), _INTEGERS, _LARGE, (MASKED,)),
    Kind("masked long doubles", masked("g", 9.0, 1.0), _FLOATS, (np.longdouble("1e4000"),), (MASKED, NAN)),
    Kind("masked objects", masked(object, 9, 1), _FLOATS, (Fraction(1, 3), 10**400), (MASKED, SNAN, None)),
    Kind("frame of a column", lambda v: pd.DataFrame({"x": array("f8")(v)}), _FLOATS, _FLOAT_ODDS, (NAN,)),
    Kind("frame", _twice(array("f8")), _FLOATS, _FLOAT_ODDS, (NAN,)),
    Kind("frame of Int64", _twice(series("Int64")), _INTEGERS, _LARGE, (pd.NA,)),
    Kind("matrix", lambda v: np.column_stack([array("f8")(v)] * 2), _FLOATS, _FLOAT_ODDS, (NAN,)),
    Kind("matrix of NumPy", _matrix, _FLOATS, _FLOAT_ODDS, (NAN,)),
    Kind("reversed view", lambda v: array("f8")(v[::-1])[::-1], _FLOATS, _FLOAT_ODDS, (NAN, SIGNALLING)),
)

_TRUTHS = (True, False, True)
TRUTHS = (
    Kind("booleans", array("?"), _TRUTHS, _TRUTHS[:2]),
    Kind("list", list, _TRUTHS, (True, False, np.bool_(True)), (None, NAN, pd.NA, SNAN, _NAT, np.ma.masked)),
    Kind("objects", objects, _TRUTHS, (True, False, np.bool_(True)), (None, NAN, pd.NA, SNAN, pd.NaT)),
    Kind("Series", series(bool), _TRUTHS, _TRUTHS[:2]),
    Kind("boolean", series("boolean"), _TRUTHS, _TRUTHS[:2], (pd.NA,)),
    Kind("Series of objects", series(object), _TRUTHS, (np.bool_(False), True), (None, pd.NA, SNAN)),
    Kind("masked", masked("?", True, False), _TRUTHS, _TRUTHS[:2], (MASKED,)),
    Kind("masked objects", masked(object, True, False), _TRUTHS, (np.bool_(False),), (MASKED, None)),
    Kind("frame", _twice(array("?")), _TRUTHS, _TRUTHS[:2]),
    Kind("frame of boolean", _twice(series("boolean")), _TRUTHS, _TRUTHS[:2], (pd.NA,)),
    Kind("matrix", lambda v: np.column_stack([array("?")(v)] * 2), _TRUTHS, _TRUTHS[:2]),
)

_TEXTS = ("a", "b", "b", "Zyzzyva", "a")
_UNHASHABLE = ([4242, 1], {"Zyzzyva": 1}, {1}, (1, [2]), Raises())
_TEXT_ODDS = ("b", "new", "", 3, 2.5, True, b"a", ("a",), *_UNHASHABLE)
_TEXT_GAPS = (None, NAN, pd.NA, pd.NaT, SNAN, _NAT, np.ma.masked)
_DAY, _SECOND = np.datetime64("2020-01-01"), np.timedelta64(1, "s")
_DAYS = tuple(_DAY + np.timedelta64(each, "D") for each in (0, 1, 1, 400))
_ZONE = datetime.UTC
_TIMES = tuple(pd.Timestamp(each, tz=_ZONE) for each in ("2020-01-01", "2020-01-02", "2020-05-01"))
_PERIODS = tuple(pd.Period(each, "M") for each in ("2020-01", "2020-02", "2020-07"))


def _labels(name: str, make: Any, base: Any, odd: Any, gaps: Any = (), levels: Any = None) -> Kind:
    public = base[:2] if levels is None else levels
    return Kind(name, make, tuple(base), tuple(odd), tuple(gaps), tuple(public))


def _categorical(values: list[Any]) -> pd.Categorical:
    return pd.Categorical(values, categories=["a", "b", "Zyzzyva", "c"])


def _period_series(values: list[Any]) -> pd.Series:
    return pd.Series(values, dtype="period[M]")


LABELS = (
    _labels("list", list, _TEXTS, _TEXT_ODDS, _TEXT_GAPS),
    _labels("objects", objects, _TEXTS, _TEXT_ODDS, _TEXT_GAPS),
    _labels("Series of objects", series(object), _TEXTS, _TEXT_ODDS, _TEXT_GAPS),
    _labels("list of numbers", list, (1, 2, 2, 3.5), (True, 2.0, 10**400, "1", [1]), (None, SNAN)),
    _labels("texts", array("U8"), _TEXTS, ("b", "new", "")),
    _labels("bytes", array("S8"), (b"a", b"b", b"b", b"Zyz"), (b"b", b"new")),
    _labels("string", series("string"), _TEXTS, ("b", "new"), (pd.NA,)),
    _labels("Categorical", _categorical, _TEXTS, ("b", "c"), (None,)),
    _labels("Series of categories", lambda v: pd.Series(_categorical(v)), _TEXTS, ("b", "c"), (None,)),
    _labels("int64", array("i8"), (1, 4242424, 4242424, 3), _LARGE),
    _labels("uint64", array("u8"), (1, 2, 2, 3), _UNSIGNED),
    _labels("big-endian integers", array(">i4"), (1, 2, 2, 3), (2**31 - 1, 2, 0)),
    _labels("int8", array("i1"), (1, 2, 2, 3), (127, -128, 2)),
    _labels("float64", array("f8"), (1.0, 2.5, 2.5, 4.2424242), (INF, -0.0, 2.5, HUGE), (NAN, SIGNALLING)),
    _labels("float16", array("f2"), (1.0, 2.5, 2.5, 4.25), (INF, 2.5), (NAN, SIGNALLING)),
    _labels("big-endian floats", array(">f8"), (1.0, 2.5, 2.5, 4.25), (INF, 2.5), (NAN, SIGNALLING)),
    _labels("long double", array("g"), (1.0, 2.5, 2.5), (np.longdouble("1e4000"), 0.1, 2.5), (NAN,)),
    _labels("booleans", array("?"), (True, False, True), (True, False)),
    _labels("boolean", series("boolean"), (True, False, True), (True, False), (pd.NA,)),
    _labels("Int64", series("Int64"), (1, 4242424, 4242424, 3), _LARGE, (pd.NA,)),
    _labels("Float32", series("Float32"), (1.0, 2.5, 2.5, 4.25), (INF, 2.5), (pd.NA,)),
    _labels("days", array("M8[D]"), _DAYS, (_DAYS[1], np.datetime64("9999-01-01")), (np.datetime64("NaT"),)),
    _labels("nanoseconds", array("M8[ns]"), _DAYS, (_DAYS[1], np.datetime64("1700-01-01")), ("NaT",)),
    _labels("durations", array("m8[s]"), (_SECOND, 2 * _SECOND, 2 * _SECOND), (2 * _SECOND, 0), ("NaT",)),
    _labels("times with a zone", series("datetime64[ns, UTC]"), _TIMES, _TIMES, (pd.NaT,)),
    _labels("periods", _period_series, _PERIODS, _PERIODS, (pd.NaT,)),
    _labels("masked texts", masked("U8", "a", "b"), _TEXTS, ("b", "new"), (MASKED,)),
    _labels("masked integers", masked("i8", 1, 2), (1, 2, 2, 3), (2, 2**63 - 1), (MASKED,)),
    _labels("masked objects", masked(object, "a", "b"), _TEXTS, ("b", [1]), (MASKED, None, SNAN)),
    _labels("masked days", masked("M8[D]", _DAY, _DAYS[1]), _DAYS, (_DAYS[1],), (MASKED, "NaT")),
    _labels("sparse", series("Sparse[float]"), (0.0, 2.5, 2.5, 4.25), (INF, 2.5), (NAN,)),
)

_MOVES = ((1, 0), (0, 1), (-1, 0))
COUNTS = (
    Kind("list", list, (4242, 0), _MOVES[:2]),
    Kind("list of floats", lambda v: list(map(float, v)), (4242, 7), _MOVES),
    Kind("int64", array("i8"), (4242, 2**50), _MOVES),
    Kind("big-endian integers", array(">i4"), (4242, 7), _MOVES),
    Kind("uint64", array("u8"), (4242, 7), _MOVES),
    Kind("int8", array("i1"), (42, 7), _MOVES),
    Kind("float32", array("f4"), (4242, 7), _MOVES),
    Kind("Series", lambda v: pd.Series(v, index=["a", "b"]), (4242, 7), _MOVES),
    Kind("objects", objects, (4242, 7), _MOVES),
    Kind("long double", array("g"), (4242, 7), _MOVES),
    Kind("masked", lambda v: np.ma.masked_array(v, np.zeros(len(v), dtype=bool)), (4242, 7), _MOVES),
)
# what one record that is replaced does to them
SWAPPED = tuple(Kind(each.name, each.make, each.base[:1] + (7,), ((1, -1), (-1, 1), (0, 0))) for each in COUNTS)

BIG = 2**60
# scores of candidates: those of a neighbor are at most 1 away each
_LONG = BIG if np.finfo(np.longdouble).nmant > 60 else 2**40
SCORES = (
    Kind("list", list, (3, 1, 2), ((1, -1, 1), (1, 0, 0), (-1, 1, -1))),
    Kind("large", list, (BIG + 128, BIG), ((1, 0), (0, 1), (1, -1))),
    Kind("int64", array("i8"), (BIG + 128, BIG, BIG + 127), ((1, 0, -1), (1, 1, 1), (-1, 1, 1))),
    Kind("int64 at the ends", array("i8"), (2**63 - 2, -(2**63) + 1, 0), ((1, -1, 0), (-1, 1, 1))),
    Kind("uint64", array("u8"), (2**64 - 2, 2**64 - 130, 1), ((1, 0, -1), (1, -1, 0))),
    Kind("big-endian", array(">i8"), (BIG + 128, BIG), ((1, 0), (1, -1))),
    Kind(
        "long double",
        array("g"),
        (np.longdouble(_LONG) + 128, np.longdouble(_LONG)),
        ((1, 0), (0, 1), (1, -1)),
    ),
    Kind("fractions", list, (BIG + Fraction(383, 3), Fraction(BIG)), ((1, 0), (Fraction(1, 7), -1))),
    Kind("fractions nearby", list, (Fraction(1, 3), Fraction(1, 3**60)), ((1, -1), (Fraction(-1, 9), 1))),
    Kind("objects", objects, (BIG + 128, BIG, 5), ((1, 0, 1), (1, -1, 0))),
    Kind("floats and integers", list, (2.0**60, BIG - 100, 0), ((256, 0, 0), (0, 1, 1), (0, -1, 1))),
    Kind("decimals", list, (Decimal(BIG + 128), Decimal(BIG)), ((1, 0), (0, -1))),
    Kind("float64", array("f8"), (3.5, 1.25, -2.0), ((1, -1, 1), (0.5, 0, -1))),
    Kind("float16", array("f2"), (3.5, 1.25, -2.0), ((1, -1, 1), (0.5, 0, -1))),
    Kind("Series", series("i8"), (BIG + 128, BIG), ((1, 0), (1, -1))),
    Kind("Int64", series("Int64"), (BIG + 128, BIG), ((1, 0), (1, -1))),
    Kind("masked", lambda v: np.ma.masked_array(v), (BIG + 128, BIG), ((1, 0), (1, -1))),
    Kind("frame", lambda v: pd.DataFrame({"s": v}), (BIG + 128, BIG), ((1, 0), (1, -1))),
    Kind("numpy integers", lambda v: list(map(np.int64, v)), (BIG + 128, BIG), ((1, 0), (1, -1))),
)
