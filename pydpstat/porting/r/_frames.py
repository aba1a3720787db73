"""R's functions of data frames."""

from __future__ import annotations

import csv
import math
import re
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting._literals import number
from pydpstat.porting.r._formulas import as_factor, variables
from pydpstat.porting.r._matrices import bound, row_name
from pydpstat.porting.r._shapes import (
    Array,
    Matrix,
    column,
    combined,
    dimnames_of,
    frame_of,
    is_table,
    items,
    missing,
    names_of,
    sides_of,
    taken,
    vector,
    whole,
)
from pydpstat.r_arithmetic import Table, as_character
from pydpstat.r_arithmetic.factor import categories, collation_key

_RESERVED = set(
    "if else repeat while function for next break TRUE FALSE NULL Inf NaN NA NA_integer_ NA_real_ NA_character_ in".split()
)
_NUMBER = re.compile(r"\s*([-+]?)((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*", re.ASCII)
_WORDS = {
    "NA": math.nan,
    "NaN": math.nan,
    "Inf": math.inf,
    "inf": math.inf,
    "-Inf": -math.inf,
    "-inf": -math.inf,
}
_TRUTH = {
    **dict.fromkeys(("T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("F", "FALSE", "false", "False"), False),
}


def make_names(names: Any, unique: bool = False) -> Any:
    """Return names that R accepts for variables, with `unique` each of them once.

    Examples
    --------
    >>> make_names(["a b", "1st", "a b", "if", ""], unique=True).tolist()
    ['a.b', 'X1st', 'a.b.1', 'if.', 'X']
    """
    valid: list[str] = []
    for name in vector(names).tolist():
        new = "".join(c if c.isalnum() or c in "._" else "." for c in name)
        new = new if re.match(r"[^\W\d_]|\.(?!\d)", name) else f"X{new}"
        valid.append(new + "." * (new in _RESERVED))
    found: list[str] = []
    for name in valid:
        new, i = name, 0
        while unique and (new in found or (i and new in valid)):
            i += 1
            new = f"{name}.{i}"
        found.append(new)
    return np.array(found, dtype=object)


def data_frame(
    *parts: Any, stringsAsFactors: bool = False, check_names: bool = True, **columns: Any
) -> pd.DataFrame:
    """Return a frame of vectors, repeated to the longest one's length, of frames, tables, dicts and matrices.

    Names of a vector become names of the rows, as in R.

    Examples
    --------
    >>> data_frame(a=[1, 2], b="x").to_dict("list")
    {'a': [1, 2], 'b': ['x', 'x']}
    """
    index, flat = None, []
    given = [("", part) for part in parts] + list(columns.items())
    while given:
        name, value = given.pop(0)
        prefix = f"{name}." if name else ""
        if isinstance(value, (dict, pd.DataFrame)):
            given = [(f"{prefix}{key}", each) for key, each in zip(*items(value))] + given  # type: ignore[arg-type]
        elif is_table(value) or sides_of(value) > 1 or not name:
            given.insert(0, (name, as_data_frame(value)))
        elif value is not None:
            if index is None and names_of(value) is not None:
                index = value.index if value.index.is_unique else None
            flat.append((name, whole(value)))
    n = max((len(value) for _, value in flat), default=0)
    if wrong := [name for name, value in flat if not len(value) or n % len(value)]:
        raise PydpstatError(f"columns must have lengths that divide the longest, {n}; {wrong[0]} has not")
    names = [name for name, _ in flat]
    full = [taken(value, np.arange(n) % len(value)) for _, value in flat]
    if stringsAsFactors:
        full = [as_factor(v) if v.dtype.kind == "O" and isinstance(v, np.ndarray) else v for v in full]
    result = dict(zip(make_names(names, unique=True) if check_names and names else names, full))
    return frame_of(result, index if index is not None and len(index) == n else None)


def as_data_frame(x: Any, responseName: str = "Freq", stringsAsFactors: bool = True) -> pd.DataFrame:
    """Return a table (its levels as factors and its counts), a matrix or a dict as a frame.

    A matrix of integers with names of rows and columns is taken for a table.

    Examples
    --------
    >>> from pydpstat.porting.r._groups import table
    >>> as_data_frame(table(["a", "b", "a"])).to_dict("list")
    {'Var1': ['a', 'b'], 'Freq': [2, 1]}
    """
    if isinstance(x, (pd.DataFrame, dict)):
        return x if isinstance(x, pd.DataFrame) else data_frame(x)
    if is_table(x):
        levels, axes, counts = [list(x.index)], [x.index.name], x.to_numpy()
    elif isinstance(x, Table) or (
        isinstance(x, Matrix) and None not in x.dimnames and any(map(len, x.dimnames))
    ):
        levels, axes = list(map(list, x.dimnames)), getattr(x, "axes", None) or x.names
        counts = np.asarray(getattr(x, "counts", x))
    elif np.ndim(x) == 2:
        names = dimnames_of(x)[1] or [f"V{i + 1}" for i in range(np.shape(x)[1])]
        return frame_of(dict(zip(names, np.asarray(x).T)), dimnames_of(x)[0])
    else:
        raise PydpstatError(
            f"x must be a table, a matrix or a dict; got {type(x).__name__}: write data_frame(x=x)"
        )
    grid = [np.array(each, dtype=object) for each in zip(*(row[::-1] for row in product(*levels[::-1])))]
    named = {axis or f"Var{i + 1}": each for i, (axis, each) in enumerate(zip(axes, grid))}
    if stringsAsFactors:
        named = {name: pd.Categorical(each, level) for (name, each), level in zip(named.items(), levels)}
    return frame_of({**named, responseName: counts.ravel(order="F")})


def expand_grid(*unnamed: Any, stringsAsFactors: bool = True, **vectors: Any) -> pd.DataFrame:
    """Return a frame of all combinations, the first one's values fastest, as R's ``expand.grid``.

    Examples
    --------
    >>> expand_grid(a=[1, 2], b=[5, 6]).to_dict("list")
    {'a': [1, 2, 1, 2], 'b': [5, 5, 6, 6]}
    """
    given = {**{f"Var{i + 1}": each for i, each in enumerate(unnamed)}, **vectors}
    parts = [whole(each) for each in given.values()]
    if stringsAsFactors:
        parts = [pd.Categorical(p, list(dict.fromkeys(p))) if p.dtype == object else p for p in parts]
    grids = np.indices([len(each) for each in parts])
    return frame_of({name: taken(p, grid.ravel(order="F")) for name, p, grid in zip(given, parts, grids)})


def type_convert(x: Any, na_strings: Any = "NA", as_is: bool = True) -> Any:
    """Return texts as truth values, integers, numbers or strings, as R's ``type.convert`` decides.

    Truth values with missing ones among them are refused. Missing integers make a vector of floats.

    Examples
    --------
    >>> type_convert(["1", "NA", "2.5"]), type_convert(["T", "FALSE"])
    (array([1. , nan, 2.5]), array([ True, False]))
    """
    texts, words = list(x), vector(na_strings).tolist()
    gone = [each in words or not each.strip(" \t") for each in texts]
    known = [each for each, away in zip(texts, gone) if not away]
    if known and all(each in _TRUTH for each in known):
        if any(gone):
            raise PydpstatError("a column of truth values has missing ones: give it as 0 and 1, or as words")
        return np.array([_TRUTH[each] for each in texts])
    numbers = [_number(each) for each in known]
    if None not in numbers:
        small = all(re.fullmatch(r"\s*[-+]?\d+\s*", each) for each in known) and not any(gone) and known
        kind = np.int64 if small and max(map(abs, numbers)) < 2**31 else np.float64  # type: ignore[arg-type]
        found = iter(numbers)
        return np.array([math.nan if away else next(found) for away in gone], dtype=kind)
    strings = np.array([None if each in words else each for each in texts], dtype=object)
    return strings if as_is else as_factor(strings)


def _number(text: str) -> float | None:
    if text.strip() in _WORDS:
        return _WORDS[text.strip()]
    if (parts := _NUMBER.fullmatch(text)) is None:
        return None
    value = float(number(parts[2])[0].real)
    return -value if parts[1] == "-" else value


def read_csv(
    file: str | Path,
    header: bool = True,
    sep: str = ",",
    stringsAsFactors: bool = False,
    na_strings: Any = "NA",
    check_names: bool = True,
) -> pd.DataFrame:
    """Return a frame read from a file as R's ``read.csv`` reads it, the last bits of numbers included.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text("a b,c\\n1,x\\n,y\\n")
    >>> read_csv(path).to_dict("list")
    {'a.b': [1.0, nan], 'c': ['x', 'y']}
    """
    with open(file, encoding="utf-8", newline="") as stream:
        lines = [row for row in csv.reader(stream, delimiter=sep) if row and (len(row) > 1 or row[0].strip())]
    if not lines:
        raise PydpstatError(f"file must have lines; {file} has none")
    top, body = (lines[0], lines[1:]) if header else ([], lines)
    width = max(map(len, body), default=len(top))
    numbered = header and width == len(top) + 1
    if header and width > len(top) + 1:
        raise PydpstatError(f"{file} has rows of {width} values and {len(top)} names of columns")
    names = top or [f"V{i + 1}" for i in range(width)]
    texts = list(zip(*(row + [""] * (len(names) + numbered - len(row)) for row in body))) or [()] * len(names)
    values = [type_convert(each, na_strings, not stringsAsFactors) for each in texts[numbered:]]
    labels = list(texts[0]) if numbered else None
    return frame_of(dict(zip(make_names(names, unique=True) if check_names else names, values)), labels)


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

    table = [[text(row_name(each)) for each in frame.index]] if row_names else []
    for values, gone in ((vector(each), missing(each)) for each in items(frame)[1]):
        write = text if values.dtype.kind == "O" else as_character
        table.append(["NA" if away else write(v) for v, away in zip(values.tolist(), gone)])
    top = [text(each) for each in ([""] if row_names else []) + list(frame.columns)]
    written = "".join(",".join(line) + "\n" for line in [top, *zip(*table)])
    if file:
        Path(file).write_text(written, encoding="utf-8", newline="")
    else:
        sys.stdout.write(written)


def joined_keys(x: pd.DataFrame, names: Sequence[str]) -> list[Any]:
    """Return what joins compare: the values of one column, or the pasted texts of several.

    Examples
    --------
    >>> joined_keys(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), ["a", "b"])
    ['1\\rx', '2\\ry']
    """
    parts = [[None if v != v else v for v in vector(column(x, name)).tolist()] for name in names]
    if len(parts) == 1:
        return parts[0]
    return ["\r".join("NA" if v is None else as_character(v) for v in row) for row in zip(*parts)]


def matches(left: list[Any], right: list[Any]) -> list[list[int]]:
    """Return the places on the right of each key on the left.

    Examples
    --------
    >>> matches(["a", "b"], ["b", "c", "b"])
    [[], [0, 2]]
    """
    if any(isinstance(k, str) for k in left) != any(isinstance(k, str) for k in right):
        left, right = ([None if k is None else as_character(k) for k in side] for side in (left, right))
    found: dict[Any, list[int]] = {}
    for place, key in enumerate(right):
        found.setdefault(key, []).append(place)
    return [found.get(key, []) for key in left]


def _shell_sorted(keys: list[int]) -> list[int]:
    """The order of whole numbers by R's own sort, which with more than 17 of them mixes equal ones."""
    order, n = list(range(len(keys))), len(keys)
    gap = 1
    while gap <= n // 9:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            moved, j = order[i], i
            while j >= gap and keys[order[j - gap]] > keys[moved]:
                order[j] = order[j - gap]
                j -= gap
            order[j] = moved
        gap //= 3
    return order


def merge(
    x: pd.DataFrame,
    y: pd.DataFrame,
    by: Any = None,
    by_x: Any = None,
    by_y: Any = None,
    all: bool = False,
    all_x: bool | None = None,
    all_y: bool | None = None,
    sort: bool = True,
    suffixes: Sequence[str] = (".x", ".y"),
) -> pd.DataFrame:
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
    found, back = matches(left, right), matches(right, left)
    # groups come as R finds them: by the place of their first row in x among those that have a match
    order_x = _shell_sorted([1 + back[at[0]][0] if at else 0 for at in found])
    order_y = _shell_sorted([1 + at[0] if at else 0 for at in back])
    after = {j: place for place, j in enumerate(order_y)}
    pairs = [(i, j) for i in order_x for j in sorted(found[i], key=after.__getitem__)]
    alone_x = [i for i in order_x if not found[i]] if (all if all_x is None else all_x) else []
    alone_y = [j for j in order_y if not back[j]] if (all if all_y is None else all_y) else []
    at_x = [*(i for i, _ in pairs), *alone_x]
    at_y = [*(j for _, j in pairs), *[-1] * len(alone_x), *alone_y]
    keys = {}
    for name, other in zip(keys_x, keys_y):
        mine = taken(column(x, name), at_x)
        keys[name] = stacked([mine, taken(column(y, other), alone_y)]) if alone_y else mine
    result = dict(keys)
    both = set(x.columns.drop(keys_x)) & set(y.columns.drop(keys_y))
    for name in x.columns.drop(keys_x):
        new = name + suffixes[0] * (name in both)
        result[new] = taken(column(x, name), [*at_x, *[-1] * len(alone_y)])
    for name in y.columns.drop(keys_y):
        result[name + suffixes[1] * (name in both or name in keys)] = taken(column(y, name), at_y)
    frame = frame_of(result)
    if not sort or not len(frame):
        return frame
    unmatched = alone_x or alone_y
    return taken(
        frame, sorting(list(keys.values()) if unmatched else [combined([left[i] for i in at_x])], locale=True)
    )


def codes_of(values: Any, locale: bool = False) -> tuple[Array, int]:
    """Return a number for each value, ascending, the last for missing ones, and how many others there are.

    Examples
    --------
    >>> codes_of(["b", None, "a"])
    (array([1, 2, 0]), 2)
    """
    values = whole(values)
    if isinstance(values, pd.Categorical):
        return np.where(values.codes < 0, len(values.categories), values.codes), len(values.categories)
    gone = missing(values)
    known = set(values[~gone].tolist())
    text = locale and values.dtype.kind == "O"
    rank = {each: i for i, each in enumerate(sorted(known, key=collation_key if text else None))}
    return np.array(
        [len(rank) if away else rank[v] for v, away in zip(values.tolist(), gone)], dtype=np.intp
    ), len(rank)


def sorting(keys: Sequence[Any], desc: Sequence[bool] = (), locale: bool = False) -> Array:
    """Return the places from 0 that sort rows by several keys, missing values last.

    Examples
    --------
    >>> sorting([[2, 1, 2], ["a", "b", "A"]])
    array([1, 2, 0])
    """
    parts = []
    for key, down in zip(keys, desc or [False] * len(keys)):
        codes, n = codes_of(key, locale)
        parts.append(np.where(codes == n, 1, -codes - 1 if down else codes - n))
    return np.lexsort(parts[::-1])


def stacked(parts: Sequence[Any]) -> Any:
    """Return vectors one below the other; factors become one with the levels of all.

    Examples
    --------
    >>> stacked([[1, 2], ["a"]]).tolist()
    ['1', '2', 'a']
    """
    vectors = [whole(each) for each in parts]
    if isinstance(vectors[0], pd.Categorical):
        levels = [v.categories if isinstance(v, pd.Categorical) else dict.fromkeys(v) for v in vectors]
        union = dict.fromkeys(each for part in levels for each in part if each is not None)
        return pd.Categorical(np.concatenate([np.asarray(v, dtype=object) for v in vectors]), list(union))
    plain = [vector(each) for each in vectors]
    mixed = len({each.dtype.kind == "O" for each in plain}) > 1
    return combined([each for part in plain for each in part.tolist()]) if mixed else np.concatenate(plain)


def rbind(*parts: Any, **more: Any) -> Any:
    """Return vectors and matrices one below the other as a matrix, and frames as one frame, as R's ``rbind``.

    Examples
    --------
    >>> rbind([1, 2], [3, 4])
    array([[1, 2],
           [3, 4]])
    >>> rbind(pd.DataFrame({"a": [1], "b": ["x"]}), {"b": "y", "a": 2}).to_dict("list")
    {'a': [1, 2], 'b': ['x', 'y']}
    """
    given = {k: v for k, v in {**dict(enumerate(parts)), **more}.items() if v is not None}
    tables = [each for each in given.values() if isinstance(each, pd.DataFrame) and len(each.columns)]
    if not tables:
        labels = [k if isinstance(k, str) else "" for k in given]
        return bound(list(given.values()), labels, 0) if given else None
    names = list(tables[0].columns)
    frames = []
    for each in given.values():
        if not isinstance(each, pd.DataFrame):
            each = data_frame(
                each if isinstance(each, dict) else dict(zip(names, vector(each))), check_names=False
            )
        if len(each.columns) and set(each.columns) != set(names):
            raise PydpstatError(f"frames must have the same columns; got {names} and {list(each.columns)}")
        frames += [each] if len(each) else []
    return (
        frame_of({name: stacked([column(each, name) for each in frames]) for name in names})
        if frames
        else tables[0]
    )


def cbind(*parts: Any, **more: Any) -> Any:
    """Return vectors and matrices side by side as a matrix; with a frame among them, as a frame.

    Examples
    --------
    >>> cbind([1, 2], [3, 4])
    array([[1, 3],
           [2, 4]])
    """
    given = {k: v for k, v in {**dict(enumerate(parts)), **more}.items() if v is not None}
    if not any(isinstance(each, pd.DataFrame) for each in given.values()):
        return (
            bound(list(given.values()), [k if isinstance(k, str) else "" for k in given], 1)
            if given
            else None
        )
    if any(sides_of(v) < 2 and not isinstance(v, dict) for k, v in given.items() if not isinstance(k, str)):
        raise PydpstatError("vectors beside a frame need a name: write cbind(frame, z=z)")
    return data_frame(*(v for v in parts if v is not None), check_names=False, **more)


def complete_cases(*parts: Any) -> Array:
    """Return which rows of frames, and elements of vectors, have no missing value.

    Examples
    --------
    >>> complete_cases(pd.DataFrame({"a": [1, None], "b": ["x", "y"]}))
    array([ True, False])
    """
    vectors = [v for part in parts for v in (items(part)[1] if isinstance(part, pd.DataFrame) else [part])]
    return ~np.logical_or.reduce([missing(each) for each in vectors])


def na_omit(object: Any) -> Any:
    """Return a frame without the rows, or a vector without the elements, that have missing values.

    Examples
    --------
    >>> na_omit([1.0, None, 2.0])
    array([1., 2.])
    """
    keep = complete_cases(object)
    return object[keep] if isinstance(object, pd.DataFrame) else taken(object, np.flatnonzero(keep))


def aggregate(
    x: Any, by: Any = None, FUN: Any = None, *args: Any, data: Any = None, **more: Any
) -> pd.DataFrame:
    """Return a function's results by group as a frame, with the first group's values fastest, as in R.

    `x` is a formula, such as ``"income ~ sex + region"`` or ``"cbind(a, b) ~ g"``, with the data second; or
    it is a vector or frame, with a dict of groups second. Rows with missing values are left out as R does.

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
        values, groups = frame[left], frame[right]
    else:
        values = x if isinstance(x, pd.DataFrame) else frame_of({"x": vector(x)})
        named = isinstance(by, (dict, pd.DataFrame))
        groups = data_frame(
            by if named else {f"Group.{i + 1}": each for i, each in enumerate(by)}, check_names=False
        )
    at = np.flatnonzero(complete_cases(groups))
    codes = np.array([categories(each).codes[at] for each in items(groups)[1]][::-1])
    _, first, place = np.unique(codes, axis=1, return_index=True, return_inverse=True)
    result = dict(zip(*items(taken(groups, at[first]))))  # type: ignore[arg-type]
    for name, source in zip(*items(values)):  # type: ignore[arg-type]
        answers = [
            vector(FUN(source[at[place.ravel() == g]], *args, **more)).tolist() for g in range(len(first))
        ]
        if any(len(each) != 1 for each in answers):
            raise PydpstatError(
                "FUN must return a single value for each group; R makes a column of matrices of it"
            )
        result[name] = combined([each[0] for each in answers])
    return frame_of(result)
