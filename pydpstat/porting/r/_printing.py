"""Output of R's ``print`` and ``cat``."""

from __future__ import annotations

import builtins
import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

import numpy as np
import pandas as pd

from pydpstat._data.values import is_missing
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._formats import format_elements, pad_texts, round_to_largest
from pydpstat.porting.r._integers import check_number_text
from pydpstat.porting.r._options import CURRENT_OPTIONS
from pydpstat.porting.r._shapes import RESERVED_WORDS, is_multiway_table, released
from pydpstat.porting.r._values import (
    Names,
    Value,
    Vector,
    get_element_names,
    get_factor,
    to_plain_vector,
    to_single_integer,
    to_strings,
)
from pydpstat.r_arithmetic import Histogram, Table
from pydpstat.results.results import DPResults

_SCALAR_TYPES = (str, bool, int, float, np.generic)


def cat(*parts: Value, sep: Value = " ", fill: bool | float = False, file: str = "") -> None:
    r"""Write values without quotes, numbers with 7 significant digits, as R's ``cat``.

    Parameters
    ----------
    *parts : vectors or None
        A factor is written as its codes.
    sep : str or vector of str, optional
        Separator of elements.
    fill : bool or float, optional
        Whether to break lines and to end with a line end; a number is the width of the lines.
    file : str, optional
        Only "", standard output.

    Examples
    --------
    >>> cat("mean:", 1 / 3, "\n")
    mean: 0.3333333
    """
    if file or any(isinstance(each, (list, Mapping, pd.DataFrame)) for each in parts):
        raise PydpstatError(f"cat writes vectors to file='': unlist a list, or use Python's open; got {file!r}")
    check_number_text(*parts)
    separators, found, count, width = to_strings(sep).tolist(), "", 0, 0
    max_width = CURRENT_OPTIONS["width"] if fill is True else int(fill)
    for k, each in enumerate(parts):
        values = to_plain_vector(each)
        words = [format_elements(values[i : i + 1])[0] for i in range(values.size)]
        # empty values are separated as well, except for NULL
        for i, word in enumerate(words or [""] * (each is not None)):
            if k or i:
                found += separators[count % len(separators)]
                count += 1
            wide = len(word) + len(separators[count % len(separators)])
            if max_width > 0 and width and width + wide > max_width:
                found, width = f"{found}\n", 0
            found, width = found + word, width + wide
    sys.stdout.write(found + "\n" * (max_width > 0 or any("\n" in each for each in separators)))


def print(x: Value = None, digits: Value = None, quote: bool = True, row_names: bool = True) -> None:
    """Print a value as R's ``print``: vectors, factors, matrices, lists, data frames and tables.

    Parameters
    ----------
    x : value
        Value to print; other objects are printed as in Python.
    digits : int, optional
        Number of significant digits, by default the option's.
    quote : bool, optional
        Whether strings are quoted.
    row_names : bool, optional
        Whether to print the row names or numbers of a data frame.

    Examples
    --------
    >>> print([1.5, 2.25])
    [[1]]
    [1] 1.5
    ...
    >>> print(np.array([1.5, 2.25]))
    [1] 1.50 2.25
    """
    builtins.print("\n".join(format_lines(x, digits, quote, row_names=row_names)))


def printed(x: Value = None, *given: Value, **options: Value) -> Value:
    """Print a value as R's ``print`` and return it.

    Examples
    --------
    >>> printed(2.5) + 1
    [1] 2.5
    3.5
    """
    print(x, *given, **options)
    return x


def format_lines(
    x: Value, digits: Value = None, quote: bool = True, prefix: str = "", row_names: bool = True
) -> list[str]:
    """Return the lines that ``print`` writes.

    Examples
    --------
    >>> format_lines(pd.Series([1, 2], index=["a", "b"])), format_lines(None)
    (['a b ', '1 2 '], ['NULL'])
    """
    check_number_text(x)
    if isinstance(x, DPResults):
        x = released(x) if x.labels.breaks is None else x.labels.make_histogram(x.value)
    if x is None:
        return ["NULL"]
    if (factor := get_factor(x)) is not None:
        return _format_factor(factor)
    if hasattr(x, "lines"):
        return x.lines()  # type: ignore[no-any-return]
    if isinstance(x, pd.DataFrame):
        return _format_frame(x, digits, row_names)
    if isinstance(x, Table):
        if x.counts.ndim == 1:
            return _format_named_vector(x.counts, list(x.dimnames[0]), digits, x.names[0], False)
        return _format_matrix(x, x.dimnames, x.names, digits, quote)  # type: ignore[arg-type]
    if isinstance(x, Histogram):
        parts = {name: getattr(x, name) for name in Histogram.__slots__ if getattr(x, name) is not None}
        return [*_format_list(parts, digits, quote, ""), 'attr(,"class")', '[1] "histogram"']
    if isinstance(x, (list, tuple, Mapping)):
        return _format_list(x, digits, quote, prefix)
    if isinstance(x, np.ndarray) and x.ndim == 2:
        names = getattr(x, "dimnames", (None, None))
        found = _format_matrix(x, names, getattr(x, "axes", ()), digits, quote)
        return found + _format_attributes(x, digits)
    if isinstance(x, np.ndarray) and x.ndim > 2:
        return _format_array(x, digits, quote)
    if type(x) is date:
        return format_lines(to_strings(x))
    if callable(x):
        raise PydpstatError("R prints the text of a function: print what it returns")
    if getattr(x, "data_name", None) == "":
        raise PydpstatError("a test is printed with the text of its data: give it as data_name, or print its p_value")
    if not isinstance(x, (*_SCALAR_TYPES, np.ndarray, pd.Series)):
        return str(x).split("\n")
    values, names = to_plain_vector(x), get_element_names(x)
    if isinstance(x, pd.Series) and x.name == "summary":
        return _format_quartile_summary(values, names or [], digits)
    if names is not None:
        table = x.index.name if isinstance(x, pd.Series) else None
        return _format_named_vector(values, names, digits, table, quote and table is None)
    return _format_vector(values, digits, quote) + _format_attributes(x, digits)


def _format_attributes(x: Value, digits: Value) -> list[str]:
    shown = dict(getattr(x, "attributes", {}))
    shown |= {"class": r_class} if (r_class := getattr(x, "r_class", "")) else {}
    return [line for key, value in shown.items() for line in (f'attr(,"{key}")', *format_lines(value, digits))]


def _format_vector(values: Vector, digits: Value, quote: bool) -> list[str]:
    if not values.size:
        kinds = {"b": "logical", "i": "integer", "f": "numeric", "O": "character"}
        return [f"{kinds[values.dtype.kind]}(0)"]
    return _format_numbered_lines(pad_texts(format_elements(values, digits, quote), left=values.dtype == object))


def _format_numbered_lines(parts: Sequence[str]) -> list[str]:
    """Return lines of strings of equal width, each beginning with the number of its first element."""
    label = len(str(len(parts))) + 2
    count = max(1, (CURRENT_OPTIONS["width"] - label) // (len(parts[0]) + 1))
    return [f"{f'[{k + 1}]':>{label}} {' '.join(parts[k : k + count])}" for k in range(0, len(parts), count)]


def _format_named_vector(
    values: Vector, names: Sequence[Value], digits: Value, table: str | None, quote: bool
) -> list[str]:
    head = [] if table is None else [table]
    if not values.size:
        return ["< table of extent 0 >"] if table is not None else [f"named {_format_vector(values, digits, quote)[0]}"]
    labels = ["<NA>" if is_missing(each) else str(each) for each in names]
    parts = format_elements(values, digits, quote)
    wide = max(map(len, [*labels, *parts]))
    count = max(1, CURRENT_OPTIONS["width"] // (wide + 1))
    rows = []
    for k in range(0, len(parts), count):
        for row in (labels, parts):
            # the numbers of a table are aligned to the right
            rows += ["".join(f"{each:>{wide}} " for each in row[k : k + count])]
    return [*head, *rows]


def _format_quartile_summary(values: Vector, names: Sequence[Value], digits: Value) -> list[str]:
    finite = np.isfinite(values[:6])
    shown = values[:6].copy()
    shown[finite] = round_to_largest(shown[finite], 7)
    most = max(3, to_single_integer(digits or CURRENT_OPTIONS["digits"]) - 3)
    parts = pad_texts([*format_elements(shown, most), *[str(int(each)) for each in values[6:]]])
    wide = max(map(len, [*names, *parts]))
    return ["".join(f"{each:>{wide}} " for each in row) for row in (names, parts)]


def _format_factor(factor: pd.Categorical) -> list[str]:
    levels, parts = (format_elements(to_strings(each), None, False) for each in (list(factor.categories), factor))
    first = _format_numbered_lines(pad_texts(parts, left=True)) if parts else ["factor(0)"]
    between = " < " if factor.ordered else " "
    room = CURRENT_OPTIONS["width"] - len("Levels: ") - 7
    lengths = np.cumsum([len(each) + 1 for each in levels])
    if len(levels) > 1 and lengths[-1] > room:
        most = max(1, int(np.argmax(lengths > room)))
        kept = [*levels[: max(1, most - 1)], "...", *levels[-1:] * (most > 1)]
        return [*first, f"{len(levels)} Levels: {between.join(kept)}"]
    return [*first, f"Levels: {between.join(levels)}"]


def _format_list(x: Sequence[Value] | Mapping[str, Value], digits: Value, quote: bool, prefix: str) -> list[str]:
    if not x:
        return ["list()" if not isinstance(x, Mapping) else "named list()"]
    found: list[str] = []
    named = x.items() if isinstance(x, Mapping) else ((None, each) for each in x)
    for k, (name, each) in enumerate(named, 1):
        shown = "<NA>" if name is None and isinstance(x, Mapping) else name and str(name)
        proper = re.fullmatch(r"(?!\d|\.\d|_)[\w.]+", shown or "") and shown not in RESERVED_WORDS
        label = f"[[{k}]]" if not shown else f"${shown}" if proper or name is None else f"$`{shown}`"
        label = prefix + label
        found += [label, *format_lines(each, digits, quote, label)]
        # a nested list ends with a blank line itself
        found += [] if isinstance(each, (list, Mapping)) and each else [""]
    return [*found, ""] if prefix else found


def _format_matrix(x: Value, dimnames: Sequence[Names], axes: Sequence[str], digits: Value, quote: bool) -> list[str]:
    counted, x = is_multiway_table(x) or isinstance(x, Table), np.asarray(getattr(x, "counts", x))
    rows, columns = x.shape
    if counted and x.dtype.kind == "f":
        # a table shows neither NA nor NaN
        x = np.where(np.isnan(x), math.nan, x)
    if not rows + columns:
        return ["<0 x 0 matrix>"]
    body = [format_elements(to_plain_vector(x[:, k]), digits, quote) for k in range(columns)]
    if counted:
        flat = pad_texts(
            ["   " if each.strip() == "NA" else each for each in pad_texts(format_elements(to_plain_vector(x), digits))]
        )
        body = [flat[k * rows : (k + 1) * rows] for k in range(columns)]
    names = [f"[,{k + 1}]" for k in range(columns)] if dimnames[1] is None else _format_labels(dimnames[1])
    labels = _number_rows(rows) if dimnames[0] is None else _format_labels(dimnames[0])
    if not columns:
        return pad_texts(["", *labels], left=True)
    if axes:
        indent = " " * max(2, len(axes[0]) - max(map(len, labels)))
        labels = [indent + each for each in labels]
    # without rows, space for one row name remains
    head, above = axes or (" " * 4 * (not rows), None)
    return _wrap_columns([head, *labels], [[n, *b] for n, b in zip(names, body)], x.dtype == object, above)


def _number_rows(count: int) -> list[str]:
    # R leaves space for the number of one more row
    return pad_texts([f"[{k + 1},]" for k in range(count)], width=len(f"[{count + 1},]"))


def _format_array(x: Vector, digits: Value, quote: bool) -> list[str]:
    """Return the lines of each matrix of an array, for each index of its further dimensions."""
    names: Sequence[Names] = getattr(x, "dimnames", [None] * x.ndim)
    axes: Sequence[str] = getattr(x, "axes", ())
    found: list[str] = []
    for reverse in np.ndindex(*x.shape[:1:-1]):
        at = reverse[::-1]
        shown = [
            f"{k + 1}" if own is None else f"{axis} = {own[k]}" if axis else own[k]
            for k, own, axis in zip(at, names[2:], axes[2:] or [""] * x.ndim)
        ]
        part = np.asarray(x)[(slice(None), slice(None), *at)]
        found += [
            f", , {', '.join(shown)}",
            "",
            *_format_matrix(part, names[:2], axes[:2], digits, quote),
            "",
        ]
    return found


def _format_labels(names: Iterable[Value]) -> list[str]:
    return ["<NA>" if is_missing(each) else str(each) for each in names]


def _wrap_columns(
    labels: list[str], columns: list[list[str]], left: bool = False, above: str | None = None
) -> list[str]:
    """Return lines of columns, wrapped at the output width."""
    labels = pad_texts(labels, left=True)
    found: list[str] = []
    wide = [pad_texts(each, left) for each in columns]
    while wide:
        count, used = 0, len(labels[0])
        while count < len(wide) and (not count or used + len(wide[count][0]) + 1 < CURRENT_OPTIONS["width"]):
            used += len(wide[count][0]) + 1
            count += 1
        if above is not None:
            found.append(" " * len(labels[0]) + above)
        found += [" ".join([label, *(each[k] for each in wide[:count])]) for k, label in enumerate(labels)]
        wide = wide[count:]
    return found


def _format_frame(x: pd.DataFrame, digits: Value, row_names: bool) -> list[str]:
    if not x.shape[1]:
        return [f"data frame with 0 columns and {x.shape[0]} rows"]
    if not x.shape[0]:
        return [
            f"[1] {' '.join(pad_texts([str(each) for each in x], True))}",
            "<0 rows> (or 0-length row.names)",
        ]
    columns = []
    for key in x:
        column = x[key]
        is_text = get_factor(column) is not None or to_plain_vector(column).dtype == object
        values = to_strings(column) if is_text else to_plain_vector(column)
        columns.append([str(key), *format_elements(values, digits, False)])
    whole = x.index.dtype.kind in "iu"
    labels = [str(each + 1) if whole else str(each) for each in x.index] if row_names else [""] * len(x)
    return _wrap_columns(["", *labels], columns)
