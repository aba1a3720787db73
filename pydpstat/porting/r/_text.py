"""Text: pasted, formatted and printed as R does."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pydpstat._data.values import is_missing
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._shapes import Matrix, dimnames_of, vector
from pydpstat.porting.r._vectors import as_character
from pydpstat.r_arithmetic import Table
from pydpstat.r_arithmetic import as_character as _label

_WIDTH = 80
_DIRECTIVE = re.compile(r"%(?:%|([-+ 0#]*)(\d*)(?:\.(\d+))?([a-zA-Z]))")


def _strings(x: Any) -> list[str]:
    if x is None:
        return []
    found = np.atleast_1d(as_character(x))
    return ["NA" if each is None else str(each) for each in found]


def paste(*parts: Any, sep: str = " ", collapse: str | None = None) -> Any:
    """Return texts put together, element by element.

    Examples
    --------
    >>> paste("a", [1, 2]), paste(["a", "b"], collapse="+")
    (array(['a 1', 'a 2'], dtype=object), 'a+b')
    """
    columns = [each for each in map(_strings, parts) if each]
    size = max(map(len, columns), default=0)
    found = [sep.join(each[k % len(each)] for each in columns) for k in range(size)]
    if collapse is not None:
        return collapse.join(found)
    return found[0] if size == 1 else np.array(found, dtype=object)


def paste0(*parts: Any, collapse: str | None = None) -> Any:
    """Return texts put together without anything between.

    Examples
    --------
    >>> paste0("n = ", 10)
    'n = 10'
    """
    return paste(*parts, sep="", collapse=collapse)


def sprintf(fmt: Any, *values: Any) -> Any:
    """Return R's ``sprintf``, for each element of the values.

    Examples
    --------
    >>> sprintf("%-5s|%6.2f|%d%%", "ab", 3.14159, 7)
    'ab   |  3.14|7%'
    """
    columns = [vector(each).tolist() for each in values]
    formats = [str(each) for each in vector(fmt)]
    if any(not each for each in columns):
        return np.array([], dtype=object)
    size = max([len(formats), *map(len, columns)])
    found = [
        _formatted(formats[k % len(formats)], [each[k % len(each)] for each in columns]) for k in range(size)
    ]
    return found[0] if size == 1 else np.array(found, dtype=object)


def _formatted(text: str, values: list[Any]) -> str:
    left = iter(values)

    def one(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%"
        flags, width, digits, kind = found.groups()
        try:
            value = next(left)
        except StopIteration:
            raise PydpstatError(f"sprintf has too few values for {text!r}") from None
        precision = "" if digits is None else f".{digits}"
        if kind == "s":
            return f"%{flags.replace('0', '')}{width}{precision}s" % (
                "NA" if is_missing(value) else _label(value)
            )
        if isinstance(value, str):
            raise PydpstatError(f"sprintf: {found[0]} is for numbers; got {value!r}")
        if is_missing(value) or math.isinf(value):
            shown = "NA" if is_missing(value) else _label(float(value))
            return f"%{flags.replace('0', '')}{width}s" % shown
        if kind in "dixXo":
            if value != int(value):
                raise PydpstatError(f"sprintf: {found[0]} is for integers; got {value}. Write %s or %f.")
            return f"%{flags}{width}{precision}{kind}" % int(value)
        if kind not in "feEgGaA":
            raise PydpstatError(f"sprintf: {found[0]} is not translated")
        return f"%{flags}{width}{precision}{kind}" % float(value)

    return _DIRECTIVE.sub(one, text)


# numbers


def _needed(x: float, digits: int) -> tuple[int, int]:
    """Return how many decimals and significant digits a number needs, of at most so many."""
    mantissa, exponent = f"{abs(x):.{digits - 1}e}".split("e")
    significant = len(mantissa.replace(".", "").rstrip("0")) or 1
    return max(0, significant - int(exponent) - 1), significant


def numbers(values: Sequence[float], digits: int = 7, nsmall: int = 0) -> list[str]:
    """Return numbers as R prints them together: fixed or scientific, whichever is not wider.

    Examples
    --------
    >>> numbers([1.5, 10]), numbers([1e10]), numbers([123456.789])
    ([' 1.5', '10.0'], ['1e+10'], ['123456.8'])
    """
    finite = [float(each) for each in values if not is_missing(each) and math.isfinite(each)]
    shown: list[str] = []
    if finite:
        needed = [_needed(each, digits) for each in finite]
        decimals = max(each[0] for each in needed)
        significant = max(each[1] for each in needed)
        fixed = max(len(f"{each:.{decimals}f}") for each in finite)
        scientific = max(len(_scientific(each, significant)) for each in finite)
    for each in values:
        if is_missing(each):
            shown.append("NA" if not isinstance(each, float) else "NaN" if False else "NA")
        elif math.isinf(each):
            shown.append("Inf" if each > 0 else "-Inf")
        elif fixed <= scientific:
            shown.append(f"{float(each):.{max(decimals, nsmall)}f}")
        else:
            shown.append(_scientific(float(each), significant))
    width = max(map(len, shown), default=0)
    return [each.rjust(width) for each in shown]


def _scientific(x: float, significant: int) -> str:
    mantissa, exponent = f"{x:.{significant - 1}e}".split("e")
    return f"{mantissa}e{exponent[0]}{exponent[1:].lstrip('0').rjust(2, '0')}"


def _cells(x: Any, digits: int = 7, quote: bool = True) -> list[str]:
    """Return elements of a vector as R prints them, all of one width."""
    values = x if isinstance(x, pd.Categorical) else vector(x)
    kind = "O" if isinstance(values, pd.Categorical) else values.dtype.kind
    if kind == "b":
        found = ["TRUE" if each else "FALSE" for each in values]
    elif kind in "iu":
        found = [str(each) for each in values]
    elif kind == "f":
        return numbers(values.tolist(), digits)
    else:
        marked = '"{}"' if quote else "{}"
        found = [("NA" if quote else "<NA>") if is_missing(each) else marked.format(each) for each in values]
        width = max(map(len, found), default=0)
        return [each.ljust(width) if quote else each.rjust(width) for each in found]
    width = max(map(len, found), default=0)
    return [each.rjust(width) for each in found]


def format(
    x: Any,
    trim: bool = False,
    digits: int | None = None,
    nsmall: int = 0,
    justify: str = "left",
    width: int | None = None,
    big_mark: str = "",
    scientific: bool | None = None,
) -> Any:
    """Return texts of one width, numbers with as many decimals as they need.

    Examples
    --------
    >>> format(1234567.891, big_mark=","), format([1, 10]), format(2, nsmall=2)
    ('1,234,568', array([' 1', '10'], dtype=object), '2.00')
    """
    values = vector(x)
    if values.dtype.kind in "f" and scientific is not False:
        found = numbers(values.tolist(), digits or 7, nsmall)
    elif values.dtype.kind == "f":
        decimals = max((_needed(each, digits or 7)[0] for each in values), default=0)
        found = [f"{each:.{max(decimals, nsmall)}f}" for each in values]
    elif values.dtype.kind == "O":
        found = ["NA" if each is None else each for each in values.tolist()]
    else:
        found = _cells(values)
        if nsmall and values.dtype.kind in "iu":
            # a whole number of R's is a double unless it says that it is an integer
            found = [f"{each:.{nsmall}f}" for each in values]
    if big_mark:
        found = [_marked(each.strip(), big_mark) for each in found]
    size = max([*map(len, found), width or 0], default=0)
    if values.dtype.kind == "O":
        sides = {"left": str.ljust, "right": str.rjust, "centre": str.center}
        found = [sides[justify](each, size) for each in found]
    elif not trim:
        found = [each.strip().rjust(size) for each in found]
    else:
        found = [each.strip() for each in found]
    return found[0] if np.ndim(x) == 0 or len(found) == 1 else np.array(found, dtype=object)


def _marked(text: str, mark: str) -> str:
    whole, point, rest = text.partition(".")
    return re.sub(r"(?<=\d)(?=(\d{3})+$)", mark, whole) + point + rest


def toupper(x: Any) -> Any:
    """Return text in upper case."""
    return _every(str.upper, x)


def tolower(x: Any) -> Any:
    """Return text in lower case."""
    return _every(str.lower, x)


def trimws(x: Any) -> Any:
    """Return text without spaces around it."""
    return _every(lambda each: each.strip(" \t\r\n"), x)


def nchar(x: Any) -> Any:
    """Return how many characters texts have."""
    found = [2 if is_missing(each) else len(_label(each)) for each in vector(x).tolist()]
    return found[0] if isinstance(x, str) else np.array(found, dtype=np.int64)


def substr(x: Any, start: int, stop: int) -> Any:
    """Return the characters from one place to another, counted from 1."""
    return _every(lambda each: each[max(int(start) - 1, 0) : max(int(stop), 0)], x)


def _every(of: Any, x: Any) -> Any:
    if isinstance(x, str):
        return of(x)
    return np.array([None if each is None else of(_label(each)) for each in vector(x).tolist()], dtype=object)


def strsplit(x: Any, split: str, fixed: bool = False) -> list[Any]:
    """Return the parts of each text, as a list of vectors.

    Examples
    --------
    >>> strsplit("a b", " ")
    [array(['a', 'b'], dtype=object)]
    """
    if not fixed and re.search(r"[\[\\(?*+|^$]", split):
        raise PydpstatError(f"strsplit by the pattern {split!r} is not translated: split by a text")
    found = []
    for each in vector(x).tolist():
        parts = list(each) if split in ("", None) else each.split(split)
        found.append(np.array(parts[:-1] if parts and parts[-1] == "" else parts, dtype=object))
    return found


# output


def cat(*parts: Any, sep: str = " ") -> None:
    """Write values as R's ``cat``: numbers with seven significant digits.

    Examples
    --------
    >>> cat("mean", 1 / 3, "\\n")
    mean 0.3333333
    """
    texts: list[str] = []
    for each in parts:
        if each is None:
            continue
        if isinstance(each, dict):
            each = list(each.values())
        if isinstance(each, pd.Categorical):
            each = each.codes + 1
        for one in each if isinstance(each, list) else vector(each).tolist():
            if isinstance(one, float) and not is_missing(one) and math.isfinite(one):
                texts.append(numbers([one])[0])
            else:
                texts.append("NA" if is_missing(one) else _label(one))
    found = ""
    for k, text in enumerate(texts):
        found += text
        if k < len(texts) - 1:
            found += sep
    _write(found)


def _write(text: str) -> None:
    import sys

    sys.stdout.write(text)


def print(x: Any = None, digits: int = 7, quote: bool = True) -> None:
    """Print a value about as R prints it."""
    _write("\n".join(_lines(x, digits, quote)) + "\n")


def _lines(x: Any, digits: int, quote: bool) -> list[str]:
    if x is None:
        return ["NULL"]
    if isinstance(x, pd.DataFrame):
        return _frame_lines(x, digits)
    if isinstance(x, pd.Series):
        return _named_lines(x, digits, quote)
    if isinstance(x, dict):
        return [line for name, each in x.items() for line in (f"${name}", *_lines(each, digits, quote), "")]
    if isinstance(x, list) and any(not isinstance(each, (int, float, str, np.generic)) for each in x):
        return [
            line for k, each in enumerate(x) for line in (f"[[{k + 1}]]", *_lines(each, digits, quote), "")
        ]
    if isinstance(x, pd.Categorical):
        return [*_wrapped(_cells(x, quote=False)), f"Levels: {' '.join(map(str, x.categories))}"]
    if isinstance(x, np.ndarray) and x.ndim == 2:
        rows, columns = dimnames_of(x) if isinstance(x, Matrix) else (None, None)
        return _matrix_lines(np.asarray(x), rows, columns, digits, quote)
    if isinstance(x, Table) or not isinstance(
        x, (list, tuple, np.ndarray, np.generic, bool, int, float, str)
    ):
        return str(x).split("\n")
    found = _cells(x, digits, quote)
    return _wrapped(found) if found else ["character(0)" if vector(x).dtype.kind == "O" else "numeric(0)"]


def _wrapped(cells: list[str]) -> list[str]:
    if not cells:
        return ["factor(0)"]
    mark = len(str(len(cells))) + 2
    size = max(1, (_WIDTH - mark) // (len(cells[0]) + 1))
    return [f"{f'[{k + 1}]':>{mark}} {' '.join(cells[k : k + size])}" for k in range(0, len(cells), size)]


def _named_lines(x: pd.Series, digits: int, quote: bool) -> list[str]:
    cells = [each.strip() for each in _cells(x, digits, quote)]
    names = [str(each) for each in x.index]
    width = max(map(len, [*cells, *names]), default=0)
    size = max(1, _WIDTH // (width + 1))
    lines = []
    for k in range(0, len(cells), size):
        lines += [" ".join(each.rjust(width) for each in part[k : k + size]) + " " for part in (names, cells)]
    return lines


def _matrix_lines(x: Any, rows: Any, columns: Any, digits: int, quote: bool) -> list[str]:
    left = [str(each) for each in rows] if rows else [f"[{k + 1},]" for k in range(x.shape[0])]
    top = [str(each) for each in columns] if columns else [f"[,{k + 1}]" for k in range(x.shape[1])]
    return _table([_cells(x[:, k], digits, quote) for k in range(x.shape[1])], left, top)


def _frame_lines(x: pd.DataFrame, digits: int) -> list[str]:
    if not len(x.columns):
        return ["data frame with 0 columns and 0 rows"]
    columns = [
        x[name].array if isinstance(x[name].dtype, pd.CategoricalDtype) else x[name].to_numpy() for name in x
    ]
    left = [
        str(k + 1) if isinstance(each, (int, np.integer)) else str(each) for k, each in zip(x.index, x.index)
    ]
    return _table(
        [_cells(each, digits, quote=False) for each in columns], left, [str(name) for name in x.columns]
    )


def _table(columns: list[list[str]], left: list[str], top: list[str]) -> list[str]:
    width = max(map(len, left), default=0)
    blocks = []
    for name, cells in zip(top, columns):
        size = max([len(name), *map(len, cells)])
        blocks.append([name.rjust(size), *(each.rjust(size) for each in cells)])
    rows = ["".ljust(width), *(each.ljust(width) for each in left)]
    return [" ".join([row, *(block[k] for block in blocks)]) for k, row in enumerate(rows)]


def message(*parts: Any) -> None:
    """Write a message to the standard error."""
    import sys

    sys.stderr.write(paste0(*parts) + "\n")
