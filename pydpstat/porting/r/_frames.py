"""R's functions for data frames."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import dropwhile, product

import numpy as np
import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting._literals import parse_number
from pydpstat.porting.r._formulas import as_factor
from pydpstat.porting.r._matrices import bind_arrays, set_rownames
from pydpstat.porting.r._shapes import (
    RESERVED_WORDS,
    Array,
    combine_values,
    count_dimensions,
    find_missing,
    format_row_name,
    get_column,
    get_dimnames,
    get_element_names,
    get_names_and_elements,
    get_row_names,
    is_multiway_table,
    is_one_way_table,
    make_data_frame,
    take_rows,
    to_vector,
    to_vector_or_factor,
)
from pydpstat.porting.r._values import Value
from pydpstat.r_arithmetic import Table, as_character
from pydpstat.r_arithmetic.factor import make_collation_key

_NUMBER_PATTERN = re.compile(r"\s*([-+]?)((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*", re.ASCII)
_SPECIAL_NUMBERS = {
    "NA": math.nan,
    "NaN": math.nan,
    "Inf": math.inf,
    "inf": math.inf,
    "-Inf": -math.inf,
    "-inf": -math.inf,
}
_LOGICAL_VALUES = {
    **dict.fromkeys(("T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("F", "FALSE", "false", "False"), False),
}


def make_names(names: Value, unique: bool = False) -> Value:
    """Return syntactically valid names for R, with `unique` without duplicates.

    Examples
    --------
    >>> make_names(["a b", "1st", "a b", "if", ""], unique=True).tolist()
    ['a.b', 'X1st', 'a.b.1', 'if.', 'X']
    """
    valid: list[str] = []
    for name in to_vector(names).tolist():
        new = "".join(c if c.isalnum() or c in "._" else "." for c in name)
        new = new if re.match(r"[^\W\d_]|\.(?!\d)", name) else f"X{new}"
        valid.append(new + "." * (new in RESERVED_WORDS))
    if not unique:
        return np.array(valid, dtype=object)
    # names that are unchanged come first
    order = np.argsort([new != name for new, name in zip(valid, to_vector(names).tolist())], kind="stable")
    found = np.empty(len(valid), dtype=object)
    found[order] = make_unique_row_names([valid[k] for k in order])
    return found


def make_unique_row_names(names: Value, sep: str = ".") -> Value:
    """Return unique strings: repeated ones get a number as suffix, as R's ``make.unique``.

    Examples
    --------
    >>> make_unique_row_names(["a", "a", "a.1", "a"]).tolist()
    ['a', 'a.2', 'a.1', 'a.3']
    """
    given = to_vector(names).tolist()
    found, taken_names, counts = [], set(given), dict.fromkeys(given, 0)
    for name in given:
        new = name
        while new in found or (new != name and new in taken_names):
            counts[name] += 1
            new = f"{name}{sep}{counts[name]}"
        found.append(new)
    return np.array(found, dtype=object)


def data_frame(
    *parts: Value, stringsAsFactors: bool = False, check_names: bool = True, unnamed_label: str = "", **columns: Value
) -> pd.DataFrame:
    """Return a data frame of vectors, recycled to the longest, data frames, tables, dicts and matrices.

    The names of a vector become row names, as in R. The unnamed column of a matrix with one column
    is named `unnamed_label`.

    Examples
    --------
    >>> data_frame(a=[1, 2], b="x").to_dict("list")
    {'a': [1, 2], 'b': ['x', 'x']}
    """
    index, flat = None, []
    given = [("", part) for part in parts] + list(columns.items())
    while given:
        name, value = given.pop(0)
        single = len(value) == 1 if isinstance(value, dict) else np.shape(value)[1:] == (1,)
        prefix = f"{name}." if name and not single else ""
        if isinstance(value, (dict, pd.DataFrame)):
            if index is None and isinstance(value, pd.DataFrame) and get_row_names(value) is not None:
                index = value.index if value.index.is_unique else None
            given = [(f"{prefix}{key}", each) for key, each in zip(*get_names_and_elements(value))] + given  # type: ignore[arg-type]
        elif is_one_way_table(value) or count_dimensions(value) > 1 or not name:
            frame = as_data_frame(value)
            if count_dimensions(value) > 1 and get_dimnames(value)[1] is None:
                plain = [name] if single else map(str, range(1, frame.shape[1] + 1))
                if single and not name and not unnamed_label:
                    raise PydpstatError("the column of a matrix needs a name: write data_frame(name=x)")
                other = [unnamed_label] if single else [f"X{i + 1}" for i in range(frame.shape[1])]
                frame.columns = [*plain] if name else other
            given.insert(0, (name, frame))
        elif value is not None:
            if index is None and get_element_names(value) is not None:
                index = value.index if value.index.is_unique else None
            flat.append((name, to_vector_or_factor(value)))
    n = max((len(value) for _, value in flat), default=0)
    if wrong := [name for name, value in flat if n and (not len(value) or n % len(value))]:
        raise PydpstatError(f"columns must have lengths that divide the longest, {n}; {wrong[0]} has not")
    names = [name for name, _ in flat]
    full = [take_rows(value, np.arange(n) % max(1, len(value))) for _, value in flat]
    if stringsAsFactors:
        full = [as_factor(v) if v.dtype.kind == "O" and isinstance(v, np.ndarray) else v for v in full]
    names = make_names(names, unique=True) if check_names and names else names
    _refuse_repeated_names(names)
    result = dict(zip(names, full))
    return make_data_frame(result, index if index is not None and len(index) == n else None)


def as_data_frame(x: Value, responseName: str = "Freq", stringsAsFactors: bool = True) -> pd.DataFrame:
    """Return a table (factors of its levels, and counts), a matrix or a dict as a data frame.

    Examples
    --------
    >>> from pydpstat.porting.r._tables import table
    >>> as_data_frame(table(["a", "b", "a"])).to_dict("list")
    {'Var1': ['a', 'b'], 'Freq': [2, 1]}
    """
    if isinstance(x, (pd.DataFrame, dict)):
        return pd.DataFrame(x) if isinstance(x, pd.DataFrame) else data_frame(x)
    levels: list[list[Value]]
    if is_one_way_table(x):
        levels, axes, counts = [list(x.index)], [x.index.name], x.to_numpy()
    elif isinstance(x, Table) or is_multiway_table(x):
        levels, axes = list(map(list, x.dimnames)), getattr(x, "axes", None) or x.names
        counts = np.asarray(getattr(x, "counts", x))
    elif np.ndim(x) == 2:
        names = get_dimnames(x)[1] or [f"V{i + 1}" for i in range(np.shape(x)[1])]
        return make_data_frame(dict(zip(names, np.asarray(x).T)), get_dimnames(x)[0])
    else:
        raise PydpstatError(f"x must be a table, a matrix or a dict; got {type(x).__name__}: write data_frame(x=x)")
    grid = [np.array(each, dtype=object) for each in zip(*(row[::-1] for row in product(*levels[::-1])))]
    named = {axis or f"Var{i + 1}": each for i, (axis, each) in enumerate(zip(axes, grid))}
    if stringsAsFactors:
        named = {name: pd.Categorical(each, level) for (name, each), level in zip(named.items(), levels)}
    return make_data_frame({**named, responseName: counts.ravel(order="F")})


def convert_text_column(x: Value, na_strings: Value = "NA", as_is: bool = True) -> Value:
    """Convert strings to logical values, integers, doubles or strings, as R's ``type.convert``.

    Logical values with missing ones are refused. Integers with missing values become floats.

    Examples
    --------
    >>> convert_text_column(["1", "NA", "2.5"]), convert_text_column(["T", "FALSE"])
    (array([1. , nan, 2.5]), array([ True, False]))
    """
    texts, words = list(x), to_vector(na_strings).tolist()
    gone = [each in words or not each.strip(" \t") for each in texts]
    known = [each for each, away in zip(texts, gone) if not away]
    if known and all(each in _LOGICAL_VALUES for each in known):
        if any(gone):
            raise PydpstatError("a column of truth values has missing ones: give it as 0 and 1, or as words")
        return np.array([_LOGICAL_VALUES[each] for each in texts])
    numbers = [_parse_number_text(each) for each in known]
    if None not in numbers:
        small = all(re.fullmatch(r"\s*[-+]?\d+\s*", each) for each in known) and not any(gone) and known
        kind = np.int64 if small and max(map(abs, numbers)) < 2**31 else np.float64  # type: ignore[arg-type]
        found = iter(numbers)
        return np.array([math.nan if away else next(found) for away in gone], dtype=kind)
    strings = np.array([None if each in words else each for each in texts], dtype=object)
    return strings if as_is else as_factor(strings)


def _parse_number_text(text: str) -> float | None:
    if text.strip() in _SPECIAL_NUMBERS:
        return _SPECIAL_NUMBERS[text.strip()]
    if (parts := _NUMBER_PATTERN.fullmatch(text)) is None:
        return None
    value = float(parse_number(parts[2])[0].real)
    return -value if parts[1] == "-" else value


def make_join_keys(x: pd.DataFrame, names: Sequence[str]) -> list[Value]:
    """Return the keys compared by joins: the values of one column, or the pasted strings of several.

    Examples
    --------
    >>> make_join_keys(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), ["a", "b"])
    ['1\\rx', '2\\ry']
    """
    parts = [[None if v != v else v for v in to_vector(get_column(x, name)).tolist()] for name in names]
    if len(parts) == 1:
        return parts[0]
    return ["\r".join("NA" if v is None else as_character(v) for v in row) for row in zip(*parts)]


def match_join_keys(left: list[Value], right: list[Value]) -> list[list[int]]:
    """Return the positions of each left key among the right keys.

    Examples
    --------
    >>> match_join_keys(["a", "b"], ["b", "c", "b"])
    [[], [0, 2]]
    """
    if any(isinstance(k, str) for k in left) != any(isinstance(k, str) for k in right):
        left, right = ([None if k is None else as_character(k) for k in side] for side in (left, right))
    found: dict[Value, list[int]] = {}
    for place, key in enumerate(right):
        found.setdefault(key, []).append(place)
    return [found.get(key, []) for key in left]


def encode_values(values: Value, locale: bool = False) -> tuple[Array, int]:
    """Return integer codes in ascending order of the values, missing ones last, and the number of distinct values.

    Examples
    --------
    >>> encode_values(["b", None, "a"])
    (array([1, 2, 0]), 2)
    """
    values = to_vector_or_factor(values)
    if isinstance(values, pd.Categorical):
        return np.where(values.codes < 0, len(values.categories), values.codes), len(values.categories)
    gone = find_missing(values)
    known = set(values[~gone].tolist())
    text = locale and values.dtype.kind == "O"
    rank = {each: i for i, each in enumerate(sorted(known, key=make_collation_key if text else None))}
    return np.array([len(rank) if away else rank[v] for v, away in zip(values.tolist(), gone)], dtype=np.intp), len(
        rank
    )


def order_rows(keys: Sequence[Value], desc: Sequence[bool] = (), locale: bool = False) -> Array:
    """Return the zero-based positions that sort rows by several keys, missing values last.

    Examples
    --------
    >>> order_rows([[2, 1, 2], ["a", "b", "A"]])
    array([1, 2, 0])
    """
    parts = []
    for key, down in zip(keys, desc or [False] * len(keys)):
        codes, n = encode_values(key, locale)
        parts.append(np.where(codes == n, 1, -codes - 1 if down else codes - n))
    return np.lexsort(parts[::-1])


def concatenate_columns(parts: Sequence[Value]) -> Value:
    """Concatenate vectors; factors are combined to one with the levels of all.

    Examples
    --------
    >>> concatenate_columns([[1, 2], ["a"]]).tolist()
    ['1', '2', 'a']
    """
    vectors = [to_vector_or_factor(each) for each in parts]
    if isinstance(vectors[0], pd.Categorical):
        levels = [v.categories if isinstance(v, pd.Categorical) else dict.fromkeys(v) for v in vectors]
        union = dict.fromkeys(each for part in levels for each in part if each is not None)
        return pd.Categorical(np.concatenate([np.asarray(v, dtype=object) for v in vectors]), list(union))
    plain = [to_vector(each) for each in vectors]
    unknown = [each for each in plain if each.dtype.kind == "f" and each.size and np.isnan(each).all()]
    if unknown and {each.dtype.kind for each in plain} - {"f"} == {"b"}:
        raise PydpstatError("truth values and missing ones have no common kind here: give them as 0 and 1")
    mixed = len({each.dtype.kind == "O" for each in plain}) > 1
    return combine_values([each for part in plain for each in part.tolist()]) if mixed else np.concatenate(plain)


def rbind(*parts: Value, **more: Value) -> Value:
    """Stack vectors and matrices by rows as a matrix, and data frames as one, as R's ``rbind``.

    Examples
    --------
    >>> rbind([1, 2], [3, 4])
    array([[1, 2],
           [3, 4]])
    >>> rbind(pd.DataFrame({"a": [1], "b": ["x"]}), {"b": "y", "a": 2}).to_dict("list")
    {'a': [1, 2], 'b': ['x', 'y']}
    """
    given = {k: v for k, v in {**dict(enumerate(parts)), **more}.items() if v is not None}  # type: ignore[misc]
    tables = [each for each in given.values() if isinstance(each, pd.DataFrame) and len(each.columns)]
    tables = [each for each in tables if len(each)] or tables
    if not tables:
        labels = [k if isinstance(k, str) else "" for k in given]
        return bind_arrays(list(given.values()), labels, 0) if given else None
    names = list(tables[0].columns)
    frames, labels, plain = [], [], True
    for key, each in given.items():
        own = [format_row_name(i) for i in each.index] if isinstance(each, pd.DataFrame) else None
        if not isinstance(each, pd.DataFrame):
            # a list preserves the type of each element
            cells = each if isinstance(each, (dict, list)) else to_vector(each)
            cells = cells if isinstance(cells, dict) else dict(zip(names, cells))
            each = data_frame(cells, check_names=False)
        if len(each) and set(each.columns) != set(names):
            raise PydpstatError(f"frames must have the same columns; got {names} and {list(each.columns)}")
        if not len(each):
            continue
        frames.append(each)
        counted = [str(i + 1) for i in range(len(each))]
        if isinstance(key, str) and key:
            labels += [f"{key}.{i}" for i in own or counted] if len(each) > 1 else [key]
        elif plain and own in (None, counted):
            labels += [str(len(labels) + 1 + i) for i in range(len(each))]
            continue
        else:
            labels += own or [str(len(labels) + 1)]
        plain = False
    if not frames:
        return tables[0]
    stack = make_data_frame({name: concatenate_columns([get_column(each, name) for each in frames]) for name in names})
    return stack if plain else set_rownames(stack, make_unique_row_names(labels))


def cbind(*parts: Value, **more: Value) -> Value:
    """Combine vectors and matrices by columns as a matrix; with a data frame, as a data frame.

    Examples
    --------
    >>> cbind([1, 2], [3, 4])
    array([[1, 3],
           [2, 4]])
    """
    given = {k: v for k, v in {**dict(enumerate(parts)), **more}.items() if v is not None}  # type: ignore[misc]
    if not any(isinstance(each, pd.DataFrame) for each in given.values()):
        return bind_arrays(list(given.values()), [k if isinstance(k, str) else "" for k in given], 1) if given else None
    if any(count_dimensions(v) < 2 and not isinstance(v, dict) for k, v in given.items() if not isinstance(k, str)):
        raise PydpstatError("vectors beside a frame need a name: write cbind(frame, z=z)")
    # the columns of a data frame retain their names
    columns = [
        each
        for key, value in more.items()
        for each in (value.items() if isinstance(value, pd.DataFrame) else [(key, value)])
    ]
    _refuse_repeated_names([name for name, _ in columns])
    return data_frame(*(v for v in parts if v is not None), check_names=False, **dict(columns))


def _refuse_repeated_names(names: Sequence[str]) -> None:
    """Refuse columns of one name, which R keeps beside one another."""
    if repeated := [name for name, times in Counter(names).items() if times > 1]:
        raise PydpstatError(f"columns must have different names; got {repeated[0]!r} twice. Rename one of them.")


def bind(parts: Sequence[Value], labels: Sequence[str], function: str, named: bool = False) -> Value:
    """Combine parts by ``cbind`` or ``rbind`` where some labels are absent or repeated.

    `named` is whether a label is given explicitly, rather than taken from a variable.

    Examples
    --------
    >>> bind([[1, 2], 3], ["x", ""], "cbind").dimnames
    (None, ['x', ''])
    """
    present = [(part, label) for part, label in zip(parts, labels) if part is not None]
    if any(isinstance(part, pd.DataFrame) for part, _ in present):
        # the names of variables label vectors only together with a data frame
        rest = list(dropwhile(lambda each: count_dimensions(each[0]) > 1, present)) if function == "cbind" else []
        alone = len({label for _, label in rest} - {""}) == len(rest)
        if named or not alone or any(count_dimensions(part) > 1 for part, _ in rest):
            raise PydpstatError(f"beside a frame each vector of {function} needs a name, after all others: write z=z")
        tables = [part for part, _ in present[: len(present) - len(rest)]]
        return (cbind if function == "cbind" else rbind)(*tables, **{label: part for part, label in rest})
    if not present:
        return None
    return bind_arrays([part for part, _ in present], [label for _, label in present], int(function == "cbind"))
