"""R's functions of data frames, and dplyr's verbs."""

from __future__ import annotations

import csv
import math
import re
import sys
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting._literals import number
from pydpstat.porting.r._formulas import variables
from pydpstat.porting.r._groups import has_missing, is_table
from pydpstat.porting.r._matrices import bound, row_name
from pydpstat.porting.r._shapes import Array, Matrix, column, combined, dimnames_of, items, vector
from pydpstat.r_arithmetic import Table, as_character
from pydpstat.r_arithmetic.factor import categories, collation_key, factor

_RESERVED = {
    *"if else repeat while function for next break TRUE FALSE NULL Inf NaN NA NA_integer_ NA_real_".split(),
    *"NA_character_ in".split(),
}
_NUMBER = re.compile(r"\s*([-+]?)((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*", re.ASCII)
_WORDS = {
    "NA": math.nan,
    "NaN": math.nan,
    "Inf": math.inf,
    "inf": math.inf,
    "-Inf": -math.inf,
    "-inf": -math.inf,
}
_TRUTH = {"T": True, "TRUE": True, "true": True, "True": True, "F": False, "FALSE": False, "false": False}
_TRUTH["False"] = False


def frame_of(columns: dict[str, Any], index: Any = None) -> pd.DataFrame:
    """A frame of equally long vectors."""
    return pd.DataFrame(
        {k: v if isinstance(v, pd.Categorical) else np.asarray(v) for k, v in columns.items()}, index
    )


def _factor(x: Any) -> pd.Categorical:
    found = factor(x)
    return pd.Categorical.from_codes(found.codes, list(found.levels))


def make_names(names: Sequence[str]) -> list[str]:
    """Return names that R accepts for variables, each of them once, as ``make.names(names, unique = TRUE)``.

    Examples
    --------
    >>> make_names(["a b", "1st", "a b", "if", ""])
    ['a.b', 'X1st', 'a.b.1', 'if.', 'X']
    """
    valid = []
    for name in names:
        new = "".join(c if c.isalnum() or c in "._" else "." for c in name)
        new = (
            new
            if re.match(r"[^\W\d_]|\.(?!\d)", new) and name[:1].isalpha() | (name[:1] == ".")
            else f"X{new}"
        )
        valid.append(f"{new}." if new in _RESERVED else new)
    found: list[str] = []
    taken = set(valid)
    for name in valid:
        new, i = name, 0
        while new in found or (i and new in taken):
            i += 1
            new = f"{name}.{i}"
        found.append(new)
    return found


def data_frame(
    *parts: Any, stringsAsFactors: bool = False, check_names: bool = True, **columns: Any
) -> pd.DataFrame:
    """Return a frame of vectors, repeated to the longest one's length, and of frames, tables, dicts and matrices.

    Names of a vector become names of the rows, as in R.

    Examples
    --------
    >>> data_frame(a=[1, 2], b="x").to_dict("list")
    {'a': [1, 2], 'b': ['x', 'x']}
    """
    found: list[tuple[str, Any]] = []
    for part in parts:
        frame = part if isinstance(part, (dict, pd.DataFrame)) else as_data_frame(part)
        found += zip(*items(frame))
    found += columns.items()
    index = None
    flat: list[tuple[str, Any]] = []
    for name, value in found:
        if isinstance(value, pd.DataFrame):
            flat += [(f"{name}.{key}", each) for key, each in zip(*items(value))]  # type: ignore[arg-type]
        elif is_table(value) or np.ndim(value) > 1:
            more = as_data_frame(value)
            flat += [(f"{name}.{key}", column(more, key)) for key in more]
        elif value is not None:
            if index is None and isinstance(value, pd.Series) and value.index.is_unique:
                index = None if value.index.dtype.kind in "iu" else value.index
            value = (
                value.array
                if isinstance(getattr(value, "dtype", None), pd.CategoricalDtype)
                and isinstance(value, pd.Series)
                else value
            )
            flat.append((name, value if isinstance(value, pd.Categorical) else vector(value)))
    n = max((len(value) for _, value in flat), default=0)
    if wrong := [name for name, value in flat if not len(value) or n % len(value)]:
        raise PydpstatError(f"columns must have lengths that divide the longest, {n}; {wrong[0]} has not")
    names = make_names([name for name, _ in flat]) if check_names else [name for name, _ in flat]
    whole = {name: v if len(v) == n else v[np.arange(n) % len(v)] for name, (_, v) in zip(names, flat)}
    if stringsAsFactors:
        whole = {
            k: _factor(v) if isinstance(v, np.ndarray) and v.dtype.kind == "O" else v
            for k, v in whole.items()
        }
    return frame_of(whole, index if index is not None and len(index) == n else None)


def as_data_frame(x: Any, responseName: str = "Freq", stringsAsFactors: bool = True) -> pd.DataFrame:
    """Return a table (its levels as factors and its counts), a matrix or a dict as a frame.

    Examples
    --------
    >>> from pydpstat.porting.r._groups import table
    >>> as_data_frame(table(["a", "b", "a"])).to_dict("list")
    {'Var1': ['a', 'b'], 'Freq': [2, 1]}
    """
    if isinstance(x, pd.DataFrame):
        return x
    if isinstance(x, dict):
        return data_frame(x)
    if isinstance(x, Table):
        levels, axes, counts = list(map(list, x.dimnames)), list(x.names), x.counts
    elif is_table(x):
        levels, axes, counts = [list(x.index)], [x.index.name], x.to_numpy()
    elif isinstance(x, Matrix) and all(each is not None for each in x.dimnames) and x.dtype.kind == "i":
        levels, axes, counts = list(x.dimnames), list(x.axes), np.asarray(x)  # type: ignore[arg-type]
    elif np.ndim(x) == 2:
        names = dimnames_of(x)[1] or [f"V{i + 1}" for i in range(np.shape(x)[1])]
        return frame_of(dict(zip(names, np.asarray(x).T)), dimnames_of(x)[0])
    else:
        raise PydpstatError(
            f"x must be a table, a matrix or a dict; got {type(x).__name__}: write data_frame(x=x)"
        )
    rows = [row[::-1] for row in product(*levels[::-1])]
    columns: dict[str, Any] = {}
    for place, (level, axis) in enumerate(zip(levels, axes)):
        labels = np.array([row[place] for row in rows], dtype=object)
        columns[axis or f"Var{place + 1}"] = pd.Categorical(labels, level) if stringsAsFactors else labels
    return frame_of({**columns, responseName: counts.ravel(order="F")})


def expand_grid(*unnamed: Any, stringsAsFactors: bool = True, **vectors: Any) -> pd.DataFrame:
    """Return a frame of all combinations, the first one's values fastest, as R's ``expand.grid``.

    Examples
    --------
    >>> expand_grid(a=[1, 2], b=[5, 6]).to_dict("list")
    {'a': [1, 2, 1, 2], 'b': [5, 5, 6, 6]}
    """
    given = {**{f"Var{i + 1}": each for i, each in enumerate(unnamed)}, **vectors}
    parts = {name: vector(each) for name, each in given.items()}
    grids = np.indices([len(each) for each in parts.values()])
    columns: dict[str, Any] = {k: v[grid.ravel(order="F")] for (k, v), grid in zip(parts.items(), grids)}
    for name, values in columns.items():
        if stringsAsFactors and values.dtype.kind == "O":
            columns[name] = pd.Categorical(values, list(dict.fromkeys(values)))
    return frame_of(columns)


def type_convert(texts: Sequence[str], na_strings: Sequence[str] = ("NA",)) -> Array:
    """Return texts as truth values, integers, numbers or strings, as R's ``type.convert`` decides.

    Truth values with missing ones among them are refused. Missing integers make a vector of floats.

    Examples
    --------
    >>> type_convert(["1", "NA", "2.5"]), type_convert(["T", "FALSE"])
    (array([1. , nan, 2.5]), array([ True, False]))
    """
    gone = [each in na_strings or not each.strip(" \t") for each in texts]
    known = [each for each, missing in zip(texts, gone) if not missing]
    if known and all(each in _TRUTH for each in known):
        if any(gone):
            raise PydpstatError("a column of truth values has missing ones: give it as 0 and 1, or as words")
        return np.array([_TRUTH[each] for each in texts])
    numbers = [_number(each) for each in known]
    if None not in numbers:
        whole = all(re.fullmatch(r"\s*[-+]?\d+\s*", each) for each in known) and not any(gone)
        if whole and known and max(map(abs, numbers)) < 2**31:  # type: ignore[arg-type]
            return np.array(numbers, dtype=np.int64)
        places = iter(numbers)
        return np.array([math.nan if missing else next(places) for missing in gone], dtype=np.float64)
    return np.array([None if each in na_strings else each for each in texts], dtype=object)


def _number(text: str) -> float | None:
    if text.strip() in _WORDS:
        return _WORDS[text.strip()]
    if (parts := _NUMBER.fullmatch(text)) is None:
        return None
    value = number(parts[2])[0]
    assert not isinstance(value, complex)
    return -value if parts[1] == "-" else value


def read_csv(
    file: str | Path, header: bool = True, sep: str = ",", stringsAsFactors: bool = False,
    na_strings: str | Sequence[str] = "NA", check_names: bool = True,
) -> pd.DataFrame:  # fmt: skip
    """Return a frame read from a file as R's ``read.csv`` reads it, the last bits of numbers included.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text("a b,c\\n1,x\\n,NA\\n")
    >>> read_csv(path).to_dict("list")
    {'a.b': [1.0, nan], 'c': ['x', None]}
    """
    with open(file, encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.reader(stream, delimiter=sep) if row and (len(row) > 1 or row[0].strip())]
    if not rows:
        raise PydpstatError(f"file must have lines; {file} has none")
    top, body = (rows[0], rows[1:]) if header else ([], rows)
    width = max(map(len, body), default=len(top))
    numbered = header and width == len(top) + 1
    if header and width > len(top) + 1:
        raise PydpstatError(f"{file} has rows of {width} values and {len(top)} names of columns")
    names = top or [f"V{i + 1}" for i in range(width)]
    width = len(names) + numbered
    cells = [row + [""] * (width - len(row)) for row in body]
    labels, cells = ([row[0] for row in cells], [row[1:] for row in cells]) if numbered else (None, cells)
    missing = (na_strings,) if isinstance(na_strings, str) else tuple(na_strings)
    columns: dict[str, Any] = {}
    for place, name in enumerate(make_names(names) if check_names else names):
        values = type_convert([row[place] for row in cells], missing)
        columns[name] = _factor(values) if stringsAsFactors and values.dtype.kind == "O" else values
    return frame_of(columns, labels)


def write_csv(x: Any, file: str | Path = "", row_names: bool = True, quote: bool = True) -> None:
    """Write a frame, matrix or table as R's ``write.csv`` does, byte for byte; without a file print it.

    Examples
    --------
    >>> write_csv(pd.DataFrame({"a": [0.1 + 0.2, 1e5], "b": ["x", None]}))
    "","a","b"
    "1",0.3,"x"
    "2",1e+05,NA
    """
    frame = as_data_frame(x)

    def text(value: object) -> str:
        return '"' + str(value).replace('"', '""') + '"' if quote else str(value)

    columns = []
    for name in frame.columns:
        values, gone = vector(frame[name]), has_missing(frame[name])
        write = text if values.dtype.kind == "O" else as_character
        columns.append(["NA" if na else write(v) for v, na in zip(values.tolist(), gone)])
    lines = [[text(each) for each in frame.columns], *map(list, zip(*columns))]
    if row_names:
        lines = [[n, *line] for n, line in zip([text(""), *(text(row_name(i)) for i in frame.index)], lines)]
    written = "".join(",".join(line) + "\n" for line in lines)
    if file:
        Path(file).write_text(written, encoding="utf-8", newline="")
    else:
        sys.stdout.write(written)


def rows_at(frame: pd.DataFrame, places: Any) -> pd.DataFrame:
    """Rows by their places, -1 for a row of missing values, numbered anew."""
    at = np.asarray(places, dtype=np.intp)
    return frame_of({name: picked(column(frame, name), at) for name in frame.columns})


def picked(values: Any, places: Array) -> Any:
    if isinstance(values, pd.Categorical):
        return pd.Categorical.from_codes(np.where(places < 0, -1, values.codes[places]), dtype=values.dtype)
    if (places >= 0).all():
        return values[places]
    if values.dtype.kind == "b":
        raise PydpstatError("a column of truth values would have missing ones in rows without a match")
    picked = values[places].astype(object if values.dtype.kind == "O" else np.float64)
    picked[places < 0] = None if values.dtype.kind == "O" else math.nan
    return picked


def joined_keys(x: pd.DataFrame, names: Sequence[str]) -> list[Any]:
    """What R compares: the values of one column, or the pasted texts of several."""
    columns = [column(x, name) for name in names]
    if len(columns) == 1:
        return [None if gone else v for v, gone in zip(vector(columns[0]).tolist(), has_missing(columns[0]))]
    texts = [
        ["NA" if gone else as_character(v) for v, gone in zip(vector(c).tolist(), has_missing(c))]
        for c in columns
    ]
    return ["\r".join(row) for row in zip(*texts)]


def matches(left: list[Any], right: list[Any]) -> list[list[int]]:
    """The places on the right of each key on the left."""
    if any(isinstance(k, str) for k in left) != any(isinstance(k, str) for k in right):
        left, right = ([None if k is None else as_character(k) for k in side] for side in (left, right))
    places: dict[Any, list[int]] = {}
    for place, key in enumerate(right):
        places.setdefault(key, []).append(place)
    return [places.get(key, []) for key in left]


def merge(
    x: pd.DataFrame, y: pd.DataFrame, by: Any = None, by_x: Any = None, by_y: Any = None, all: bool = False,
    all_x: bool | None = None, all_y: bool | None = None, sort: bool = True, suffixes: Sequence[str] = (".x", ".y"),
) -> pd.DataFrame:  # fmt: skip
    """Return the rows of two frames whose keys are equal, in R's order of rows and columns.

    Examples
    --------
    >>> x, y = pd.DataFrame({"k": [2, 1], "v": [3, 4]}), pd.DataFrame({"k": [1, 2], "v": [5, 6]})
    >>> merge(x, y, by="k").to_dict("list")
    {'k': [1, 2], 'v.x': [4, 3], 'v.y': [5, 6]}
    """
    common = [name for name in x.columns if name in y.columns] if by is None else vector(by).tolist()
    keys_x, keys_y = (common if k is None else vector(k).tolist() for k in (by_x, by_y))
    if not keys_x or len(keys_x) != len(keys_y):
        raise PydpstatError(f"by must name columns of both frames, equally many; got {keys_x} and {keys_y}")
    left, right = joined_keys(x, keys_x), joined_keys(y, keys_y)
    found = matches(right, left)
    pairs = [(i, j) for j, places in enumerate(found) for i in places]
    pairs.sort(key=lambda pair: pair[1]) if not sort else None
    matched = {i for i, _ in pairs}
    alone_x = [i for i in range(len(x)) if i not in matched] if (all if all_x is None else all_x) else []
    alone_y = [j for j, places in enumerate(found) if not places] if (all if all_y is None else all_y) else []
    at_x = [*(i for i, _ in pairs), *alone_x, *([-1] * len(alone_y))]
    at_y = [*(j for _, j in pairs), *([-1] * len(alone_x)), *alone_y]
    rest_x, rest_y = rows_at(x.drop(columns=keys_x), at_x), rows_at(y.drop(columns=keys_y), at_y)
    keys: dict[str, Any] = {}
    for name, other in zip(keys_x, keys_y):
        mine, theirs = rows_at(x[[name]], at_x), column(y, other)
        only = picked(theirs, np.array(alone_y, dtype=np.intp))
        head = picked(column(x, name), np.array(at_x[: len(at_x) - len(alone_y)], dtype=np.intp))
        keys[name] = _stacked([head, only]) if alone_y else column(mine, name)
    both = set(rest_x.columns) & set(rest_y.columns)
    columns = dict(keys)
    for rest, suffix in ((rest_x, suffixes[0]), (rest_y, suffixes[1])):
        for name in rest.columns:
            new = f"{name}{suffix}" if name in both or (rest is rest_y and name in keys) else name
            columns[new] = column(rest, name)
    result = frame_of(columns)
    if not sort:
        return result
    if alone_x or alone_y:
        return rows_at(result, sorting([keys[name] for name in keys_x], locale=True))
    ranked = [left[i] for i, _ in pairs]
    return rows_at(result, sorting([combined(ranked) if ranked else np.empty(0)], locale=True))


def codes_of(values: Any, locale: bool = False) -> tuple[Array, int]:
    """A number for each value in ascending order, the last one for missing values, and how many there are."""
    if isinstance(values, pd.Categorical):
        codes, n = np.asarray(values.codes, dtype=np.intp), len(values.categories)
        return np.where(codes < 0, n, codes), n
    gone = has_missing(values)
    known = [each for each, missing in zip(vector(values).tolist(), gone) if not missing]
    distinct = sorted(
        set(known), key=collation_key if locale and known and isinstance(known[0], str) else None
    )
    rank = {each: place for place, each in enumerate(distinct)}
    codes = np.array(
        [len(rank) if na else rank[v] for v, na in zip(vector(values).tolist(), gone)], dtype=np.intp
    )
    return codes, len(rank)


def sorting(keys: Sequence[Any], desc: Sequence[bool] = (), locale: bool = False) -> Array:
    """The places from 0 that sort rows by several keys, missing values last."""
    signs = desc or [False] * len(keys)
    parts = []
    for key, down in zip(keys, signs):
        codes, n = codes_of(key, locale)
        parts.append(
            np.where(codes == n, 1, n * -1 * 0 + (-codes - 1 if down else codes - n)) if n else codes
        )
    return np.lexsort(parts[::-1]) if parts else np.arange(0)


def _stacked(columns: Sequence[Any]) -> Any:
    """Columns one below the other; factors become one with the levels of all."""
    if any(isinstance(each, pd.Categorical) for each in columns):
        levels = [
            c.categories if isinstance(c, pd.Categorical) else dict.fromkeys(vector(c)) for c in columns
        ]
        union = [each for each in dict.fromkeys(v for part in levels for v in part) if each is not None]
        return pd.Categorical(np.concatenate([vector(np.asarray(c, dtype=object)) for c in columns]), union)
    parts = [vector(each) for each in columns]
    if len({part.dtype.kind == "O" for part in parts}) > 1:
        return combined([each for part in parts for each in part.tolist()])
    return np.concatenate(parts)


def rbind(*parts: Any, **named: Any) -> Any:
    """Return vectors and matrices one below the other as a matrix, and frames as one frame, as R's ``rbind``.

    Examples
    --------
    >>> rbind([1, 2], [3, 4])
    array([[1, 2],
           [3, 4]])
    >>> rbind(pd.DataFrame({"a": [1], "b": ["x"]}), {"b": "y", "a": 2}).to_dict("list")
    {'a': [1, 2], 'b': ['x', 'y']}
    """
    labels = [k for k, v in {**dict(enumerate(parts)), **named}.items() if v is not None]
    given = [each for each in (*parts, *named.values()) if each is not None]
    if not given:
        return None
    if not any(isinstance(each, pd.DataFrame) for each in given):
        return bound(given, [k if isinstance(k, str) else "" for k in labels], 0)
    names = list(next(each for each in given if isinstance(each, pd.DataFrame)).columns)
    frames = []
    for each in given:
        frame = each if isinstance(each, pd.DataFrame) else None
        if frame is None:
            row = each if isinstance(each, dict) else dict(zip(names, vector(each).tolist()))
            frame = data_frame(row, check_names=False)
        if len(frame) and set(frame.columns) != set(names):
            raise PydpstatError(f"frames must have the same columns; got {names} and {list(frame.columns)}")
        frames += [frame] if len(frame) or frame is given[0] else []
    return frame_of({name: _stacked([column(each, name) for each in frames]) for name in names})


def cbind(*parts: Any, **named: Any) -> Any:
    """Return vectors and matrices side by side as a matrix; with a frame among them, as a frame.

    Examples
    --------
    >>> cbind([1, 2], [3, 4])
    array([[1, 3],
           [2, 4]])
    """
    given = {k: v for k, v in {**dict(enumerate(parts)), **named}.items() if v is not None}
    if not any(isinstance(each, pd.DataFrame) for each in given.values()):
        names = [k if isinstance(k, str) else "" for k in given]
        return bound(list(given.values()), names, 1) if given else None
    unnamed = [each for k, each in given.items() if not isinstance(k, str)]
    if any(np.ndim(each) < 2 and not isinstance(each, dict) for each in unnamed):
        raise PydpstatError("vectors beside a frame need a name: write cbind(frame, z=z)")
    return data_frame(*unnamed, check_names=False, **{k: v for k, v in given.items() if isinstance(k, str)})


def complete_cases(*parts: Any) -> Array:
    """Return which rows of frames, and elements of vectors, have no missing value.

    Examples
    --------
    >>> complete_cases(pd.DataFrame({"a": [1, None], "b": ["x", "y"]}))
    array([ True, False])
    """
    columns = [c for part in parts for c in (items(part)[1] if isinstance(part, pd.DataFrame) else [part])]
    return ~np.logical_or.reduce([has_missing(each) for each in columns])


def na_omit(object: Any) -> Any:
    """Return a frame without the rows, or a vector without the elements, that have missing values.

    Examples
    --------
    >>> na_omit([1.0, None, 2.0])
    array([1., 2.])
    """
    keep = complete_cases(object)
    return (
        object[keep]
        if isinstance(object, (pd.DataFrame, pd.Series, pd.Categorical))
        else vector(object)[keep]
    )


def aggregate(
    x: Any, by: Any = None, FUN: Any = None, *args: Any, data: Any = None, **named: Any
) -> pd.DataFrame:
    """Return a function's results by group as a frame, with the first group's values fastest, as in R.

    `x` is a formula, such as ``"income ~ sex + region"`` or ``"cbind(a, b) ~ g"``, with the data second; or it is
    a vector or frame, with a dict of groups second. Rows with missing values are left out as R does.

    Examples
    --------
    >>> frame = pd.DataFrame({"y": [1.0, 2.0, 6.0], "g": ["b", "a", "b"]})
    >>> aggregate("y ~ g", frame, np.mean).to_dict("list")
    {'g': ['a', 'b'], 'y': [2.0, 3.5]}
    """
    if isinstance(x, str):
        frame = by if data is None else data
        left, right = variables(x, list(frame.columns))
        frame = na_omit(frame[[*dict.fromkeys([*left, *right])]])
        values, groups = frame[left], {name: column(frame, name) for name in right}
    else:
        values = x if isinstance(x, pd.DataFrame) else frame_of({"x": vector(x)})
        groups = dict(by) if isinstance(by, dict) else {f"Group.{i + 1}": each for i, each in enumerate(by)}
    frame = frame_of(
        {f"{i}": g if isinstance(g, pd.Categorical) else vector(g) for i, g in enumerate(groups.values())}
    )
    keep = complete_cases(frame)
    codes = [categories(column(frame, name)).codes[keep] for name in frame.columns]
    places = np.flatnonzero(keep)
    _, first, number_ = np.unique(np.array(codes[::-1]), axis=1, return_index=True, return_inverse=True)
    result = dict(zip(groups, items(rows_at(frame, places[first]))[1]))
    for name in values.columns:
        source = column(values, name)
        answers = [FUN(source[places[number_.ravel() == g]], *args, **named) for g in range(len(first))]
        if any(np.size(each) != 1 for each in answers):
            raise PydpstatError(
                "FUN must return a single value for each group; R makes a column of matrices of it"
            )
        result[name] = combined([vector(each).tolist()[0] for each in answers])
    return frame_of(result)
