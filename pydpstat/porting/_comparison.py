"""Deviations of Python's values from those recorded in R, in all that R's ``identical`` compares."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pydpstat._data.values import is_missing
from pydpstat.errors import PydpstatError
from pydpstat.porting._recorded import RecordedValue
from pydpstat.porting.r._named_numbers import NamedInt
from pydpstat.porting.r._shapes import BlankNamedList, released
from pydpstat.r_arithmetic import Table
from pydpstat.results.results import DPResults

_NO_MEMBER = object()
# record.R shortens longer ones in this way
_N_RECORDED_AT_END = 20
# a Python number can be an integer or a double of R, and R's integers with a missing
# value are doubles here; the run-time functions refuse where the difference matters
OPEN_TYPE_REMARK = "Python leaves open whether R's numbers are integers or doubles"
# attributes of data frames that only attributes() shows and that have no counterpart
_IGNORED_ATTRIBUTES = {"na.action", "out.attrs"}


class Deviation(NamedTuple):
    """A relative deviation, infinite with a description for values that are not numbers; or 0 with a remark."""

    size: float
    words: str = ""


def iterate_deviations(
    recorded: RecordedValue, value: object, pool: Sequence[RecordedValue], place: str = ""
) -> Iterator[Deviation]:
    """Yield the deviation of each Python vector from R's; functions yield none.

    Examples
    --------
    >>> r = {"kind": "double", "count": 2, "values": [1, "0x1.8p+0"]}
    >>> list(iterate_deviations(r, np.array([1.0, 1.5]), []))
    [Deviation(size=0.0, words='')]
    >>> list(iterate_deviations(r, np.array([1.0, 2.0]), []))
    [Deviation(size=0.25, words='value 2: R 1.5, Python 2.0')]
    """
    recorded = _resolve_reference(recorded, pool)
    kind = recorded["kind"]
    head = f"{place}: " if place else ""
    if kind == "NULL":
        yield _require_equal(value is None, f"{head}R NULL, Python {_describe_type(value)}")
    elif kind == "data.frame":
        yield from _compare_frame(recorded, value, pool, place)
    elif kind == "list":
        yield from _compare_list(recorded, value, pool, place)
    elif "fields" in recorded:
        for name, part in recorded["fields"].items():
            inner, part = _get_member(value, name), _resolve_reference(part, pool)
            # an object has None where R has NA or an empty vector
            if inner is not _NO_MEMBER and not (inner is None and set(part.get("values", [])) <= {"NA"}):
                yield from iterate_deviations(part, inner, pool, f"{place}${name}")
    elif kind != "other":
        yield _compare_vector(recorded, value, head)
        yield from _compare_attributes(recorded, value, pool, place)


def _resolve_reference(recorded: RecordedValue, pool: Sequence[RecordedValue]) -> RecordedValue:
    return pool[recorded["ref"]] if "ref" in recorded else recorded


def _require_equal(equal: object, words: str) -> Deviation:
    return Deviation(0.0) if equal else Deviation(math.inf, words)


def _describe_type(value: object) -> str:
    return type(value).__name__ if value is not None else "NULL"


def _compare_frame(
    recorded: RecordedValue, value: object, pool: Sequence[RecordedValue], place: str
) -> Iterator[Deviation]:
    here = place or "value"
    if not isinstance(value, pd.DataFrame):
        yield Deviation(math.inf, f"{here}: R has a data frame, Python {_describe_type(value)}")
        return
    names, columns = recorded["names"] or [], list(map(str, value.columns))
    if names != columns:
        yield Deviation(math.inf, f"{here}: R's columns are {names[:9]}, Python's {columns[:9]}")
        return
    if recorded["rows"] != len(value):
        yield Deviation(math.inf, f"{here}: R has {recorded['rows']} rows, Python {len(value)}")
        return
    theirs = recorded.get("row_names") or [str(i + 1) for i in range(recorded["rows"])]
    mine = _get_row_names(value)
    if len(theirs) < len(mine):
        mine = mine[:_N_RECORDED_AT_END] + mine[-_N_RECORDED_AT_END:]
    wrong = next((i for i, (a, b) in enumerate(zip(theirs, mine)) if a != b), None)
    yield _require_equal(
        wrong is None,
        f"{here}: a row's name: R {theirs[wrong or 0]}, Python {mine[wrong or 0]}" if mine else "",
    )
    for number, (name, part) in enumerate(zip(names, recorded["values"])):
        column = value.iloc[:, number].array
        inner = column if isinstance(column, pd.Categorical) else np.asarray(column)
        yield from iterate_deviations(part, inner, pool, f"{place}${name}")
    yield from _compare_attributes(recorded, value, pool, place)


def _get_row_names(frame: pd.DataFrame) -> list[str]:
    whole = frame.index.dtype.kind in "iu"
    return [str(each + 1) if whole else str(each) for each in frame.index]


def _compare_list(
    recorded: RecordedValue, value: Any, pool: Sequence[RecordedValue], place: str
) -> Iterator[Deviation]:
    names, here = recorded["names"], place or "value"
    plain = type(value) in (dict, list, tuple, BlankNamedList)
    if recorded["class"]:
        # the fields of an object are compared if Python's has them
        if plain or isinstance(value, np.ndarray):
            yield Deviation(math.inf, f"{here}: R's class is {recorded['class']}, Python's {_describe_type(value)}")
            return
    elif isinstance(value, (str, int, float, np.ndarray, pd.Series, pd.DataFrame)) or value is None:
        yield Deviation(math.inf, f"{here}: R has a list, Python {_describe_type(value)}")
        return
    elif plain and (
        names != (list(value) if isinstance(value, dict) else getattr(value, "blank_names", None))
        or len(value) != len(recorded["values"])
    ):
        own = list(value) if isinstance(value, dict) else f"{len(value)} without names"
        yield Deviation(math.inf, f"{here}: R's elements are {names or len(recorded['values'])}, Python's {own}")
        return
    elif "dim" in recorded or "attributes" in recorded:
        lost = "dim" if "dim" in recorded else list(recorded["attributes"])
        yield Deviation(math.inf, f"{here}: R's list has {lost}, Python's has not")
        return
    for number, part in enumerate(recorded["values"]):
        name = names[number] if names else None
        inner = _get_member(value, name, number)
        # the text of an R object only shows its call
        if not plain and (inner is _NO_MEMBER or _resolve_reference(part, pool)["kind"] == "character"):
            continue
        yield from iterate_deviations(part, inner, pool, f"{place}${name}" if name else f"{place}[[{number + 1}]]")
    if not recorded["values"]:
        yield Deviation(0.0)


def _get_member(value: Any, name: str | None, number: int = -1) -> object:
    if isinstance(value, (list, tuple)):
        return value[number]
    # a name that is NA is None
    if isinstance(value, Mapping) or (name is not None and isinstance(value, (pd.DataFrame, pd.Series))):
        return value.get(name, _NO_MEMBER)
    for each in (value, getattr(value, "estimate", None)):
        for attribute in (str(name), str(name).replace(".", "_")):
            try:
                return getattr(each, attribute)
            except (AttributeError, PydpstatError):
                continue
    return _NO_MEMBER


def _compare_attributes(
    recorded: RecordedValue, value: object, pool: Sequence[RecordedValue], place: str
) -> Iterator[Deviation]:
    mine = getattr(value, "attributes", {})
    frame = recorded["kind"] == "data.frame"
    given = recorded.get("attributes", {})
    theirs = {key: part for key, part in given.items() if not (frame and key in _IGNORED_ATTRIBUTES)}
    if set(theirs) != set(mine):
        words = f"R's attributes are {sorted(theirs)}, Python's {sorted(mine)}"
        yield Deviation(math.inf, f"{place or 'value'}: {words}")
        return
    for key, part in theirs.items():
        yield from iterate_deviations(part, mine[key], pool, f'attr({place or "value"}, "{key}")')


def _compare_vector(recorded: RecordedValue, value: Any, head: str) -> Deviation:
    value = released(value) if isinstance(value, DPResults) else value
    if isinstance(value, (list, tuple, Mapping, pd.DataFrame)) or callable(value) or value is None:
        return Deviation(math.inf, f"{head}R has a vector, Python {_describe_type(value)}")
    if wrong := _compare_class(recorded, value):
        return Deviation(math.inf, head + wrong)
    try:
        flat = _get_flat_elements(value)
    except ValueError:
        return Deviation(math.inf, f"{head}R has a vector, Python {_describe_type(value)}")
    if flat.size != recorded["count"]:
        return Deviation(math.inf, f"{head}R has {recorded['count']} values, Python {flat.size}")
    if wrong := _compare_shape(recorded, value):
        return Deviation(math.inf, head + wrong)
    there = recorded["values"]
    if len(there) < flat.size:
        flat = np.concatenate([flat[:_N_RECORDED_AT_END], flat[-_N_RECORDED_AT_END:]])
    if recorded["kind"] == "factor":
        there = [None if code == "NA" else recorded["levels"][code - 1] for code in there]
    if recorded["kind"] in ("factor", "character"):
        here = [None if is_missing(each) else str(each) if isinstance(each, str) else each for each in flat]
        wrong_at = [i for i, (a, b) in enumerate(zip(there, here)) if a != b]
        return _require_equal(not wrong_at, _describe_differences(head, wrong_at[:1], there, here))
    return _compare_numbers(recorded["kind"], there, flat, head)


def _compare_class(recorded: RecordedValue, value: Any) -> str:
    """Return the difference in the class of a vector or the levels of a factor, or an empty string."""
    dtype: Any = getattr(value, "dtype", None)
    levels = getattr(dtype, "categories", None)
    if (recorded["kind"] == "factor") != (levels is not None):
        kinds = ("a factor", _describe_type(value)) if levels is None else (recorded["kind"], "a factor")
        return "R has {}, Python {}".format(*kinds)
    if levels is not None:
        if list(map(str, levels)) != recorded["levels"]:
            return f"R's levels are {recorded['levels']}, Python's {list(levels)}"
        if bool(dtype.ordered) != bool(recorded.get("ordered")):
            return "an ordered factor on one side only"
        return ""
    classes = recorded.get("class") or []
    mine = _get_r_classes(value)
    # a matrix's own class, such as the table of addmargins, adds nothing to its dimensions
    classes = [each for each in classes if each not in ("matrix", "array")]
    return (
        ""
        if classes == mine
        else f"R's class is {classes or 'that of a vector'}, Python's {mine or _describe_type(value)}"
    )


def _get_r_classes(value: Any) -> list[str]:
    """Return the class that R shows for a Python value."""
    if r_class := getattr(value, "r_class", ""):
        return [r_class]
    if isinstance(value, pd.Series) and value.name == "summary":
        return ["summaryDefault", "table"]
    axes = getattr(value, "axes", ()) if isinstance(value, np.ndarray) else ()
    # truth values of a table are an array in R
    table = isinstance(value, pd.Series) and value.index.name is not None and value.dtype != np.bool_
    if table or isinstance(value, Table) or (axes and type(axes) is tuple):
        return ["table"]
    if isinstance(value, datetime):
        return ["POSIXct", "POSIXt"]
    return ["Date"] if isinstance(value, date) else []


def _compare_shape(recorded: RecordedValue, value: Any) -> str:
    """Return the difference in dimensions or names, or an empty string."""
    shape = np.shape(getattr(value, "counts", value))
    dim = recorded.get("dim", [])
    # a one-dimensional array, such as tapply's, is a named vector here
    if list(shape) != dim and not (len(shape) < 2 and len(dim) < 2):
        return f"R has the dimensions {dim or 'of a vector'}, Python {list(shape)}"
    theirs = recorded.get("dimnames") or ([None] * len(dim) if dim else [recorded.get("names")])
    mine = _get_dimension_names(value)
    mine = mine + [None] * (len(theirs) - len(mine))
    for a, b in zip(theirs, mine):
        b = None if b is None else [None if is_missing(each) else str(each) for each in b]
        if a is not None and b is not None and len(a) < len(b):
            b = b[:_N_RECORDED_AT_END] + b[-_N_RECORDED_AT_END:]
        if a != b:
            return f"R's names are {a and a[:9]}, Python's {b and b[:9]}"
    axes = _get_axis_names(value)
    if (recorded.get("dnn") or []) != axes:
        return f"R's dimensions are called {recorded.get('dnn')}, Python's {axes}"
    return ""


def _get_axis_names(value: Any) -> list[str]:
    if isinstance(value, pd.Series):
        return [] if value.index.name is None else [str(value.index.name)]
    return [str(each) for each in (value.names if isinstance(value, Table) else getattr(value, "axes", ()))]


def _get_dimension_names(value: Any) -> list[Sequence[object] | None]:
    """Return the names along each dimension, with None for a dimension without names."""
    if isinstance(value, pd.Series):
        numbered = value.index.dtype.kind in "iuf" and value.index.name is None
        return [None if numbered else list(value.index)]
    if isinstance(value, (str, int, float)):
        return [getattr(value, "names", None)]
    return list(getattr(value, "dimnames", None) or ())


def _compare_numbers(kind: str, there: list[float | str], flat: np.ndarray, head: str) -> Deviation:
    truth = [isinstance(each, (bool, np.bool_)) for each in flat]
    # a logical NA is nan here
    if truth != [kind == "logical" and each != "NA" for each in there]:
        types = sorted({type(each).__name__ for each in flat})
        return Deviation(math.inf, f"{head}R has {kind} values, Python {types}")
    gone = np.array([is_missing(each) for each in flat], bool)
    known = [math.nan if lost else each for each, lost in zip(flat, gone)]
    if wrong := [each for each in known if not isinstance(each, (int, float, np.number, np.bool_))]:
        return Deviation(math.inf, f"{head}R has numbers, Python {wrong[0]!r}")
    here = np.array(known, dtype=float)
    r = np.array([_parse_recorded_number(each) for each in there], dtype=float)
    # an undefined result has the sign bit, and what shows it is refused
    undefined = [isinstance(each, float) and bool(np.signbit(each)) for each in flat]
    if plain := [k for k, each in enumerate(there) if each == "NaN" and gone[k] and not undefined[k]]:
        return Deviation(math.inf, f"{head}value {plain[0] + 1}: R NaN, Python NA")
    with np.errstate(all="ignore"):
        off = np.abs(here - r) / np.maximum(np.abs(here), np.abs(r))
    off = np.where((here == r) | (np.isnan(here) & np.isnan(r)), 0.0, np.where(np.isnan(off), math.inf, off))
    worst = int(off.argmax()) if off.size else 0
    if off.size and off[worst]:
        return Deviation(float(off[worst]), _describe_differences(head, [worst], r, here))
    return _compare_types(kind, flat, gone, head)


def _compare_types(kind: str, flat: np.ndarray, gone: np.ndarray, head: str) -> Deviation:
    """Compare the types, integer and double, of equal numbers."""
    whole = [isinstance(each, (int, np.integer)) for each in flat[~gone]]
    if kind == "logical" or all(each is (kind == "integer") for each in whole):
        return Deviation(0.0)
    single = flat.size == 1 and (type(flat[0]) is int or isinstance(flat[0], NamedInt))
    if single or (kind == "integer" and gone.any()):
        return Deviation(0.0, f"{head}{OPEN_TYPE_REMARK}")
    other = {"integer": "doubles", "double": "integers"}[kind]
    return Deviation(math.inf, f"{head}R has {kind} values, Python {other}")


def _parse_recorded_number(text: float | str) -> float:
    if text in ("NA", "NaN"):
        return math.nan
    return float.fromhex(text) if isinstance(text, str) else float(text)


def _describe_differences(
    head: str, places: list[int], there: Sequence[object] | np.ndarray, here: Sequence[object] | np.ndarray
) -> str:
    return "".join(
        f"{head}value {i + 1}: R {_format_element(there[i])}, Python {_format_element(here[i])}" for i in places
    )


def _format_element(value: object) -> object:
    return repr(value.item() if isinstance(value, np.generic) else value)


def _get_flat_elements(value: object) -> np.ndarray:
    """Return the elements in R's order, with Python's scalar types."""
    value = getattr(value, "counts", value)
    if isinstance(value, date):
        day = value.timestamp() if isinstance(value, datetime) else float(value.toordinal() - 719_163)
        return np.array([day], dtype=object)
    if isinstance(value, (str, int, float)):
        return np.array([value, None], dtype=object)[:-1]
    array = np.asarray(value)
    return array.ravel(order="F").astype(object) if array.dtype.kind not in "iu" else _get_flat_integers(array)


def _get_flat_integers(array: np.ndarray) -> np.ndarray:
    # stays a NumPy scalar, whose type is that of the array
    flat = np.empty(array.size, dtype=object)
    flat[:] = list(array.ravel(order="F"))
    return flat
