"""R's ``str``, and runs of equal values."""

from __future__ import annotations

import builtins
import re
from collections.abc import Mapping

import numpy as np
import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._formats import escape_text, format_elements
from pydpstat.porting.r._options import CURRENT_OPTIONS
from pydpstat.porting.r._shapes import is_one_way_table
from pydpstat.porting.r._tibbles import Tibble
from pydpstat.porting.r._values import (
    Value,
    Vector,
    find_missing,
    get_element_names,
    get_factor,
    to_plain_vector,
    to_strings,
)
from pydpstat.r_arithmetic.rounding import round_significant

_MAX_STRING_LENGTH, _LEVELS_WIDTH, _ROUNDING_TOLERANCE = 100, 13, 9e-16


def str(object: Value) -> None:  # noqa: A001, A002
    """Print the structure of a vector, list or data frame, as R's ``str``.

    Examples
    --------
    >>> str(np.array([1.5, 2.25]))
     num [1:2] 1.5 2.25
    >>> str({"a": 1, "b": ["x", "y"]})
    List of 2
     $ a: int 1
     $ b:List of 2
      ..$ : chr "x"
      ..$ : chr "y"
    """
    builtins.print("\n".join(_describe_structure(object)))


def _describe_structure(x: Value, indent: builtins.str = " ", in_frame: bool = False) -> list[builtins.str]:
    named = any(getattr(x, "dimnames", ())) or getattr(x, "name", None) == "summary" or is_one_way_table(x)
    if named or callable(x) or isinstance(x, Tibble) or hasattr(x, "attributes"):
        raise PydpstatError("str of functions, tables, tibbles or named matrices is not supported: use print")
    if isinstance(x, (list, Mapping, pd.DataFrame)):
        return _describe_components(x, indent)
    if x is None:
        return [" NULL"]
    if (factor := get_factor(x)) is not None:
        return [_describe_factor(factor)]
    values, names = to_plain_vector(x), None if in_frame else get_element_names(x)
    shape = x.shape if isinstance(x, np.ndarray) and x.ndim > 1 else (values.size,)
    sizes = f" [{', '.join(f'1:{n}' if n > 1 else f'{n}' for n in shape)}]" if shape != (1,) else ""
    kind = {"b": "logi", "i": "int", "f": "num", "O": "chr"}[values.dtype.kind]
    head = f" {'Named ' * (names is not None)}{kind}{' ' if in_frame else sizes if values.size else '(0)'}"
    parts, most = _format_first_values(values, CURRENT_OPTIONS["width"] - 4 - len(head) if indent == " " else 0)
    found = [f"{head} {' '.join(parts[:most])}{' ...' * (values.size > most)}"]
    if names is not None:
        found += [f'{indent}- attr(*, "names")={_describe_structure(to_strings(names), f"{indent} ..")[0]}']
    return found


def _describe_components(x: Value, indent: builtins.str) -> list[builtins.str]:
    names = get_element_names(x) or [""] * len(x)
    found = f"List of {len(x)}" if len(x) else " list()"
    if frame := isinstance(x, pd.DataFrame):
        found = f"'data.frame':\t{len(x)} obs. of  {len(names)} variable{'s' * (len(names) != 1)}"
    lines = [found + ":" * (frame and len(names) > 0)]
    for name, each in zip(names, x if isinstance(x, list) else [x[key] for key in x]):
        first, *rest = _describe_structure(each, f"{indent} ..", frame)
        lines += [f"{indent}$ {name:{max(map(len, names))}}:{first}", *rest]
    return lines


def _format_first_values(values: Vector, room: int) -> tuple[list[builtins.str], int]:
    if values.dtype == object:
        parts = ["NA" if each is None else escape_text(each, True) for each in values[:100].tolist()]
        if max(map(len, parts), default=0) > _MAX_STRING_LENGTH:
            raise PydpstatError(f"str cuts strings of more than {_MAX_STRING_LENGTH} letters: use print")
        return parts, max(1, int((np.cumsum([1 + len(each) for each in parts]) < room).sum())) if room else 4
    most = 6 if values.dtype == bool else 10
    if values.dtype.kind == "f":
        known = values[:most][~find_missing(values[:most])]
        size = np.abs(known)
        rounded = np.abs(known - round_significant(known, 3)) <= _ROUNDING_TOLERANCE * size
        most = 10 if ((((size > 1e-10) & (size < 1e10)) | (size == 0)) & rounded).all() else 5
    parts = format_elements(values[:most], 3)
    if any("e" in each for each in parts):
        return [re.sub(r"(\..*)e[+-]00$", r"\1", each) for each in parts], most
    return [each.rstrip("0").rstrip(".") if "." in each else each for each in parts], most


def _describe_factor(factor: pd.Categorical) -> builtins.str:
    levels, codes = (
        [escape_text(each, True) for each in to_strings(list(factor.categories))],
        to_plain_vector(factor),
    )
    total = np.cumsum([1 + len(each) for each in levels])
    most = len(levels) if len(levels) < 2 or total[-1] <= _LEVELS_WIDTH else int(np.argmax(total > _LEVELS_WIDTH)) + 1
    shown = ("<" if factor.ordered else ",").join([*levels[:most], *[".."] * (most < len(levels))])
    kind, n = "Ord.factor" if factor.ordered else "Factor", len(levels)
    numbers = " ".join(format_elements(codes[:10])) + " ..." * (codes.size > 10)
    return f" {kind} w/ {n} level{'s' * (n != 1)}{' ' * bool(levels)}{shown}: {numbers}"


class Runs(dict[builtins.str, Vector]):
    """Lengths and values of runs."""

    def lines(self) -> list[builtins.str]:
        """Return R's printed lines.

        Examples
        --------
        >>> rle([5, 5, 7]).lines()
        ['Run Length Encoding', '  lengths: int [1:2] 2 1', '  values : int [1:2] 5 7']
        """
        if to_plain_vector(self["values"]).dtype == object and len(self["values"]) > 4:
            raise PydpstatError("R shows more than 4 runs of strings otherwise than str does: print their values")
        return [
            "Run Length Encoding",
            *(f"  {key:7}:{_describe_structure(value, '  ..')[0]}" for key, value in self.items()),
        ]


def rle(x: Value) -> Runs:
    """Return the lengths and values of runs of equal values.

    Examples
    --------
    >>> rle([5, 5, 7])
    {'lengths': array([2, 1]), 'values': array([5, 7])}
    """
    if x is None or get_factor(x) is not None:
        raise PydpstatError("x must be a vector, and no factor: write as_character(x)")
    values = to_plain_vector(x)
    # a missing value is not equal to any value
    differ = (values[1:] != values[:-1]) | find_missing(values[1:])
    ends = np.flatnonzero(np.append(differ, [True] * bool(values.size)))
    return Runs(lengths=np.diff(ends, prepend=-1), values=values[ends])
