"""Values that no argument was made for."""

import datetime
import decimal
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

import pydpstat


class Junk:
    """An object that is nothing in particular."""


def echo(data: Any) -> float:
    return float(data)


def _names() -> Any:
    yield "a"
    yield 1


# made anew for each call, since a generator is used up
JUNK: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "0": lambda: 0,
    "-1": lambda: -1,
    "0.0": lambda: 0.0,
    "-0.5": lambda: -0.5,
    "1.5": lambda: 1.5,
    "1": lambda: 1,
    "7": lambda: 7,
    "tiny": lambda: 5e-324,
    "huge": lambda: 1.7e308,
    "huge int": lambda: 10**400,
    "negative huge int": lambda: -(10**400),
    "2**63": lambda: 2**63,
    "1e12": lambda: 10**12,
    "NaN": lambda: math.nan,
    "inf": lambda: math.inf,
    "-inf": lambda: -math.inf,
    "complex": lambda: 1 + 2j,
    "fraction": lambda: Fraction(1, 3),
    "decimal": lambda: decimal.Decimal("0.3"),
    "float32": lambda: np.float32(0.3),
    "int8": lambda: np.int8(3),
    "numpy bool": lambda: np.bool_(True),
    "NumPy NaN": lambda: np.float64("nan"),
    "NA": lambda: pd.NA,
    "NaT": lambda: pd.NaT,
    "datetime64": lambda: np.datetime64("2020-01-01"),
    "date": lambda: datetime.date(2020, 1, 1),
    "timedelta": lambda: datetime.timedelta(1),
    "text": lambda: "guassian",
    "empty text": lambda: "",
    "long text": lambda: "x" * 100_000,
    "number as text": lambda: "1.0",
    "bytes": lambda: b"gaussian",
    "list": lambda: [1, 2],
    "list of one": lambda: [0.5],
    "empty list": list,
    "empty tuple": lambda: (),
    "tuple of texts": lambda: ("a", "b"),
    "ragged list": lambda: [[1, 2], [3]],
    "deep list": lambda: [[[1.0]], [[2.0]]],
    "mixed list": lambda: [1, "a", None],
    "list of None": lambda: [None, None, None, None],
    "list with NaN": lambda: [0.1, math.nan, 0.3, 0.4],
    "list of infinities": lambda: [-math.inf, math.inf],
    "list of huge ints": lambda: [10**400, 1],
    "list of lists": lambda: [[0, 1], [1, 0]],
    "list of dicts": lambda: [{}, {}],
    "set": lambda: {1, 2},
    "dict": lambda: {"a": 1, 2: "b"},
    "dict of lists": lambda: {"a": [1, 2], "b": [3]},
    "generator": _names,
    "range": lambda: range(4),
    "iterator": lambda: iter([1, 2]),
    "object": Junk,
    "class": lambda: Junk,
    "function": lambda: echo,
    "builtin": lambda: len,
    "module": lambda: math,
    "Ellipsis": lambda: ...,
    "slice": lambda: slice(0, 1),
    "0-d array": lambda: np.array(0.5),
    "0-d object": lambda: np.array(None, dtype=object),
    "array": lambda: np.array([0.5, 0.1, 0.2, 0.9]),
    "empty array": lambda: np.array([]),
    "empty matrix": lambda: np.empty((0, 2)),
    "matrix": lambda: np.eye(3),
    "cube": lambda: np.zeros((2, 2, 2)),
    "objects": lambda: np.array([object(), None, "a", 1], dtype=object),
    "complex array": lambda: np.array([1j, 2.0]),
    "texts": lambda: np.array(["a", "b"]),
    "dates": lambda: np.array(["2020-01-01", "NaT"], dtype="M8[D]"),
    "durations": lambda: np.array([1, 2], dtype="m8[s]"),
    "structured": lambda: np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
    "masked": lambda: np.ma.masked_array([0.1, 0.2, 0.3, 0.4], [False, True, False, False]),
    "all masked": lambda: np.ma.masked_all(4),
    "halves": lambda: np.array([0.1, 0.2], dtype=np.float16),
    "long doubles": lambda: np.array([0.1, 0.2], dtype=np.longdouble),
    "other byte order": lambda: np.array([0.1, 0.2], dtype=">f8"),
    "read-only": lambda: np.broadcast_to(0.5, (4,)),
    "infinities": lambda: np.array([-np.inf, np.inf, np.nan, 0.0]),
    "huge floats": lambda: np.array([1.7e308, -1.7e308, 1e308, 0.0]),
    "Series": lambda: pd.Series([0.1, 0.2, 0.3, 0.4], index=["a", "b", "c", "d"]),
    "empty Series": lambda: pd.Series([], dtype=float),
    "Series of NA": lambda: pd.Series([1, pd.NA, 3, 4], dtype="Int64"),
    "Series of texts": lambda: pd.Series(["a", None, "b", "c"]),
    "strings of pandas": lambda: pd.Series(["a", pd.NA], dtype="string"),
    "Categorical": lambda: pd.Categorical(["a", "b", None, "a"]),
    "frame": lambda: pd.DataFrame({"a": [0.1, 0.2], "b": [0.3, 0.4]}),
    "frame of texts": lambda: pd.DataFrame({"a": ["x", "y"], "b": [1, 2]}),
    "empty frame": lambda: pd.DataFrame(),
    "columns of one name": lambda: pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]),
    "time index": lambda: pd.date_range("2020-01-01", periods=4, tz="UTC"),
    "two-level index": lambda: pd.MultiIndex.from_tuples([(1, 2), (3, 4)]),
    "intervals": lambda: pd.interval_range(0, 4),
    "memory": lambda: memoryview(b"abcd"),
    "bytearray": lambda: bytearray(b"abcd"),
    "result": lambda: pydpstat.meanDP([0.5], 1, 0, 1, rng=1),
    "guarantee": lambda: pydpstat.Guarantee(1.0),
    "stream": lambda: pydpstat.RRandom(1),
    "Generator": lambda: np.random.default_rng(1),
    "seed sequence": lambda: np.random.SeedSequence(1),
}
