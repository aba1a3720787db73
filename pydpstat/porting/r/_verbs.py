"""dplyr's verbs for data frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._frames import (
    concatenate_columns,
    data_frame,
    encode_values,
    make_join_keys,
    match_join_keys,
    order_rows,
)
from pydpstat.porting.r._shapes import (
    Array,
    combine_values,
    find_missing,
    get_column,
    get_element_names,
    get_names_and_elements,
    make_data_frame,
    take_rows,
    to_vector,
)
from pydpstat.porting.r._tibbles import Tibble, match_frame_class
from pydpstat.porting.r._values import Value
from pydpstat.r_arithmetic import sum as total

GroupFunction = Callable[[Value], Value]


class GroupFrame(pd.DataFrame):
    """The rows of a group, with vectors as columns, including the columns already computed for the group."""

    _metadata = ["made"]

    def __getitem__(self, key: Value) -> Value:
        made = self.__dict__.get("made", {})
        return made[key] if isinstance(key, str) and key in made else super().__getitem__(key)


def _find_groups(frame: pd.DataFrame, by: Sequence[str]) -> tuple[Array, Array]:
    """Return the position of the first row of each group, in dplyr's order, and the group of each row."""
    if not by:
        return np.zeros(1, dtype=np.intp), np.zeros(len(frame), dtype=np.intp)
    codes = np.array([encode_values(get_column(frame, name))[0] for name in by])
    _, first, number = np.unique(codes, axis=1, return_index=True, return_inverse=True)
    return first, number.ravel()


def summarize(frame: pd.DataFrame, by: Sequence[str] = (), **what: GroupFunction) -> pd.DataFrame:
    """Return a row for each group, with the results of functions of its data frame, as dplyr's ``summarize``.

    A function can use the results of earlier ones. Groups are sorted: strings as in the
    C locale, missing values last.

    Examples
    --------
    >>> frame = pd.DataFrame({"g": ["b", "a", "b"], "x": [1.0, 2.0, 6.0]})
    >>> summarize(frame, ["g"], n=len, top=lambda d: d["x"].max()).to_dict("list")
    {'g': ['a', 'b'], 'n': [1, 2], 'top': [2.0, 6.0]}
    """
    first, number = _find_groups(frame, by)
    groups = [GroupFrame(take_rows(frame, np.flatnonzero(number == g))) for g in range(len(first))]
    for group in groups:
        group.made = {}
    found: dict[str, list[Value]] = {}
    # one summary of all groups after the other, which determines the order of draws
    for name, function in what.items():
        for group in groups:
            value = to_vector(function(group)).tolist()
            if len(value) != 1:
                raise PydpstatError(f"{name} must be a single value for each group; got {len(value)}")
            group.made[name] = value[0]
        found[name] = [group.made[name] for group in groups]
    keys = take_rows(frame[list(by)], first) if by else pd.DataFrame()
    columns = {
        **{n: get_column(keys, n) for n in by},
        **{n: combine_values(each) for n, each in found.items()},
    }
    return match_frame_class(make_data_frame(columns), frame, by)


def mutate(frame: pd.DataFrame, by: Sequence[str] = (), **what: GroupFunction) -> pd.DataFrame:
    """Return a data frame with columns computed by functions of each group, as dplyr's ``mutate``.

    Examples
    --------
    >>> frame = pd.DataFrame({"g": ["b", "a", "b"], "x": [1.0, 2.0, 6.0]})
    >>> mutate(frame, ["g"], top=lambda d: d["x"].max())["top"].tolist()
    [6.0, 2.0, 6.0]
    """
    first, number = _find_groups(frame, by)
    places = [np.flatnonzero(number == g) for g in range(len(first))]
    for name, function in what.items():
        parts = [np.broadcast_to(to_vector(function(take_rows(frame, at))), len(at)) for at in places]
        values = combine_values([each for part in parts for each in part.tolist()])
        order = np.argsort(np.concatenate(places), kind="stable")
        frame = frame.assign(**{name: values[order]})
    return match_frame_class(frame, frame, by)


def filter_rows(frame: pd.DataFrame, by: Sequence[str], condition: GroupFunction) -> pd.DataFrame:
    """Return the rows for which a condition computed in each group holds, as dplyr's ``filter``.

    Examples
    --------
    >>> frame = pd.DataFrame({"g": ["b", "a", "b"], "x": [1.0, 2.0, 6.0]})
    >>> filter_rows(frame, ["g"], lambda d: d["x"] == d["x"].max())["x"].tolist()
    [2.0, 6.0]
    """
    first, number = _find_groups(frame, by)
    kept = np.zeros(len(frame), dtype=bool)
    for g in range(len(first)):
        places = np.flatnonzero(number == g)
        kept[places] = np.broadcast_to(np.asarray(condition(take_rows(frame, places)), dtype=bool), len(places))
    return match_frame_class(take_rows(frame, np.flatnonzero(kept)), frame, by)


def transmute(frame: pd.DataFrame, by: Sequence[str] = (), **what: GroupFunction) -> pd.DataFrame:
    """Return only the grouping columns and those computed by functions, as dplyr's ``transmute``.

    Examples
    --------
    >>> transmute(pd.DataFrame({"x": [1, 2]}), y=lambda d: d["x"] + 1).to_dict("list")
    {'y': [2, 3]}
    """
    return mutate(frame, by, **what)[list(dict.fromkeys([*by, *what]))]


class _DescendingKey(NamedTuple):
    key: Value


def desc(x: Value) -> _DescendingKey:
    """Return a key of `arrange` in descending order.

    Examples
    --------
    >>> arrange(pd.DataFrame({"x": [1, 3, 2]}), desc("x"))["x"].tolist()
    [3, 2, 1]
    """
    return _DescendingKey(x)


def renumber(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a data frame with rows numbered from 0, unless they have names.

    Examples
    --------
    >>> renumber(pd.DataFrame({"a": [1.5]}, index=[3])).index.tolist()
    [0]
    """
    return frame.reset_index(drop=True) if frame.index.dtype.kind in "iu" else frame


def arrange(frame: pd.DataFrame, *keys: Value) -> pd.DataFrame:
    """Sort rows by columns, given by name or as functions of the data frame; missing values are last.

    Strings sort as in the C locale, as in dplyr from 1.1 on.

    Examples
    --------
    >>> arrange(pd.DataFrame({"x": ["b", "a", "B"]}), "x")["x"].tolist()
    ['B', 'a', 'b']
    """
    down = [isinstance(key, _DescendingKey) for key in keys]
    plain = [key.key if isinstance(key, _DescendingKey) else key for key in keys]
    columns = [get_column(frame, key) if isinstance(key, str) else _unwrap_factor(key(frame)) for key in plain]
    return match_frame_class(take_rows(frame, order_rows(columns, down)), frame) if keys else frame


def _unwrap_factor(values: Value) -> Value:
    return values.array if isinstance(getattr(values, "dtype", None), pd.CategoricalDtype) else values


def count(frame: pd.DataFrame, *names: str, sort: bool = False, name: str = "n", wt: str | None = None) -> pd.DataFrame:
    """Count the rows of each group, or sum its column `wt`, as dplyr's ``count``.

    Examples
    --------
    >>> count(pd.DataFrame({"g": ["b", "a", "b"]}), "g", sort=True).to_dict("list")
    {'g': ['b', 'a'], 'n': [2, 1]}
    """
    if name in names:
        raise PydpstatError(f"name must be given, as {name!r} is the name of a group")
    made = len if wt is None else lambda d: total(to_vector(d[wt])[~find_missing(d[wt])])
    found = summarize(frame, list(names), **{name: made})
    found = take_rows(found, order_rows([found[name].to_numpy()], [True]) if sort else np.arange(len(found)))
    return match_frame_class(found, frame)


def distinct(frame: pd.DataFrame, *names: str, keep_all: bool = False) -> pd.DataFrame:
    """Return the first row of each combination of values.

    Examples
    --------
    >>> distinct(pd.DataFrame({"g": ["b", "a", "b"]}))["g"].tolist()
    ['b', 'a']
    """
    by = [name for name in frame.columns if name in names] or list(frame.columns)
    first, _ = _find_groups(frame, by)
    return match_frame_class(take_rows(frame if keep_all else frame[by], np.sort(first)), frame)


def slice_max(
    frame: pd.DataFrame, order_by: Value, n: int = 1, by: Sequence[str] = (), with_ties: bool = True
) -> pd.DataFrame:
    """Return the rows of each group with the largest values, in descending order, as dplyr's ``slice_max``.

    Examples
    --------
    >>> slice_max(pd.DataFrame({"x": [1, 3, 2]}), "x", n=2)["x"].tolist()
    [3, 2]
    """
    return _select_extremes(frame, order_by, n, by, with_ties, True)


def slice_min(
    frame: pd.DataFrame, order_by: Value, n: int = 1, by: Sequence[str] = (), with_ties: bool = True
) -> pd.DataFrame:
    """Return the rows of each group with the smallest values, in ascending order.

    Examples
    --------
    >>> slice_min(pd.DataFrame({"x": [1, 3, 2]}), "x", n=2)["x"].tolist()
    [1, 2]
    """
    return _select_extremes(frame, order_by, n, by, with_ties, False)


def _select_extremes(
    frame: pd.DataFrame, key: Value, n: int, by: Sequence[str], ties: bool, descending: bool
) -> pd.DataFrame:
    values = get_column(frame, key) if isinstance(key, str) else _unwrap_factor(key(frame))
    codes, gone = encode_values(values)
    if n < 1:
        raise PydpstatError(f"n must be at least 1; got {n}")
    first, number = _find_groups(frame, by)
    kept: list[int] = []
    for g in range(len(first)):
        at = np.flatnonzero(number == g)
        order = np.lexsort([-codes[at] if descending else codes[at], codes[at] == gone])
        last = codes[at[order[min(n, len(at)) - 1]]]
        if last == gone:
            raise PydpstatError("order_by has missing values among the chosen rows: filter them first")
        kept += [i for k, i in enumerate(at[order]) if k < n or (ties and codes[i] == last)]
    return take_rows(frame, kept)


def _iter_cells(row: Value) -> Iterable[tuple[Value, Value]]:
    names, values = get_names_and_elements(row)
    return zip(names or [], values)


def bind_rows(*frames: Value) -> pd.DataFrame:
    """Return the rows of data frames, or of lists of them, as one data frame; absent columns are missing.

    Examples
    --------
    >>> bind_rows(pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [2], "b": ["x"]})).isna().to_dict("list")
    {'a': [False, False], 'b': [True, False]}
    """
    given = [f for each in frames for f in (each if isinstance(each, list) else [each]) if f is not None]
    # named vectors and lists are rows
    parts = [each if isinstance(each, pd.DataFrame) else data_frame(dict(_iter_cells(each))) for each in given]
    names = dict.fromkeys(name for each in parts for name in each.columns)
    kinds = {n: [get_column(each, n) for each in parts if n in each] for n in names}
    for name, found in kinds.items():
        texts = {v.dtype.kind == "O" or isinstance(v, pd.Categorical) for v in found if len(v)}
        if len(texts) > 1:
            raise PydpstatError(f"the columns {name} must be all numbers, or all strings or factors")

    def fill_column(frame: pd.DataFrame, name: str) -> Value:
        own = get_column(frame, name) if name in frame else take_rows(kinds[name][0], np.full(len(frame), -1))
        factors = all(isinstance(each, pd.Categorical) for each in kinds[name])
        return own if factors or not isinstance(own, pd.Categorical) else to_vector(own)

    found = make_data_frame({name: concatenate_columns([fill_column(each, name) for each in parts]) for name in names})
    return found if isinstance(given[0], pd.DataFrame) and not isinstance(given[0], Tibble) else Tibble(found)


def n_distinct(*vectors: Value, na_rm: bool = False) -> int:
    """Return the number of distinct values, or of distinct combinations.

    Examples
    --------
    >>> n_distinct([1, 2, 1])
    2
    """
    rows = list(zip(*([None if v != v else v for v in to_vector(each).tolist()] for each in vectors)))
    return len({row for row in rows if not na_rm or None not in row})


def lag(x: Value, n: int = 1, default: Value = None) -> Value:
    """Return the values at `n` positions before, as dplyr's ``lag``.

    Examples
    --------
    >>> lag(np.array([1.0, 2.0, 3.0]))
    array([nan,  1.,  2.])
    """
    size = len(x)
    places = np.arange(size) - n
    moved = take_rows(
        x if get_element_names(x) is None else to_vector(x),
        np.where((places < 0) | (places >= size), -1, places),
    )
    if default is None:
        return moved
    values = to_vector(x).tolist()
    return combine_values([values[k] if 0 <= k < size else default for k in places])


def lead(x: Value, n: int = 1, default: Value = None) -> Value:
    """Return the values at `n` positions after, as dplyr's ``lead``.

    Examples
    --------
    >>> lead(np.array([1.0, 2.0, 3.0]))
    array([ 2.,  3., nan])
    """
    return lag(x, -n, default)


def left_join(x: pd.DataFrame, y: pd.DataFrame, by: Value, suffix: Sequence[str] = (".x", ".y")) -> pd.DataFrame:
    """Return all rows of `x` with the columns of their matches in `y`, in dplyr's order.

    Examples
    --------
    >>> x, y = pd.DataFrame({"k": [2, 1]}), pd.DataFrame({"k": [1, 1], "v": [5, 6]})
    >>> left_join(x, y, by="k")["v"].tolist()
    [nan, 5.0, 6.0]
    """
    return _join_frames(x, y, by, suffix, True)


def inner_join(x: pd.DataFrame, y: pd.DataFrame, by: Value, suffix: Sequence[str] = (".x", ".y")) -> pd.DataFrame:
    """Return the rows of `x` that have matches in `y`, with their columns, in dplyr's order.

    Examples
    --------
    >>> x, y = pd.DataFrame({"k": [2, 1]}), pd.DataFrame({"k": [1, 1], "v": [5, 6]})
    >>> inner_join(x, y, by="k")["v"].tolist()
    [5, 6]
    """
    return _join_frames(x, y, by, suffix, False)


def _join_frames(
    x: pd.DataFrame, y: pd.DataFrame, by: Value, suffix: Sequence[str], keep_unmatched: bool
) -> pd.DataFrame:
    named = by if isinstance(by, (dict, pd.Series)) else {name: name for name in to_vector(by).tolist()}
    left, right = list(named.keys()), [named[name] for name in named.keys()]
    found = match_join_keys(make_join_keys(x, left), make_join_keys(y, right))
    pairs = [(i, j) for i, places in enumerate(found) for j in places or ([-1] if keep_unmatched else [])]
    at_x, at_y = (np.array(side, dtype=np.intp) for side in zip(*pairs)) if pairs else (np.empty(0, int),) * 2
    rest = [name for name in y.columns if name not in right]
    result = {n + suffix[0] * (n in rest and n not in left): take_rows(get_column(x, n), at_x) for n in x.columns}
    more = {n + suffix[1] * (n in x.columns): take_rows(get_column(y, n), at_y) for n in rest}
    return match_frame_class(make_data_frame({**result, **more}), x)
