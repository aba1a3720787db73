"""Reading and writing of data files, byte for byte as R does."""

from __future__ import annotations

import csv
import math
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from secrets import token_hex
from tempfile import mkdtemp

import numpy as np
import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._frames import as_data_frame, convert_text_column, make_names
from pydpstat.porting.r._shapes import find_missing, format_row_name, get_names_and_elements, make_data_frame, to_vector
from pydpstat.porting.r._typed_frames import mark_integers
from pydpstat.porting.r._values import Value
from pydpstat.r_arithmetic import as_character

_INTEGER_PATTERN = re.compile(r"\s*[-+]?\d+\s*")


def tempfile(pattern: str = "file", tmpdir: str | None = None, fileext: str = "") -> str:
    """Return the path of a file that does not exist yet, in a directory for temporary files.

    Examples
    --------
    >>> tempfile(fileext=".csv").endswith(".csv")
    True
    """
    folder = tmpdir or mkdtemp()
    return str(Path(folder) / f"{pattern}{token_hex(6)}{fileext}")


def read_csv(
    file: str | Path,
    header: bool = True,
    sep: str = ",",
    stringsAsFactors: bool = False,
    na_strings: Value = "NA",
    check_names: bool = True,
) -> pd.DataFrame:
    """Read a data frame from a file as R's ``read.csv``, with the same numbers bit for bit.

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
    values = [convert_text_column(each, na_strings, not stringsAsFactors) for each in texts[numbered:]]
    labels = list(texts[0]) if numbered else None
    names = make_names(names, unique=True) if check_names else names
    frame = make_data_frame(dict(zip(names, values)), labels)
    return mark_integers(frame, [name for name, *each in zip(names, values, texts[numbered:]) if _is_integer(*each)])


def _is_integer(values: Value, texts: Sequence[str]) -> bool:
    """Return whether a column contains R's integers with missing values."""
    if getattr(values, "dtype", None) != np.float64:
        return False
    known = [text for text, value in zip(texts, values) if not math.isnan(value)]
    return bool(known) and all(_INTEGER_PATTERN.fullmatch(text) and abs(int(text)) < 2**31 for text in known)


def write_csv(x: Value, file: str | Path = "", row_names: bool = True, quote: bool = True, na: str = "NA") -> None:
    """Write a data frame, matrix or table as R's ``write.csv``, byte for byte; without a file, print it.

    Examples
    --------
    >>> write_csv(pd.DataFrame({"a": [0.1 + 0.2, 1e5], "b": ["x", None]}))
    "","a","b"
    "1",0.3,"x"
    "2",1e+05,NA
    """
    _write_frame(x, file, False, quote, ",", na, row_names, math.nan if row_names else True, '""')


def write_table(
    x: Value, file: str | Path = "", append: bool = False, quote: bool = True, sep: str = " ", na: str = "NA",
    row_names: bool = True, col_names: Value = True,
) -> None:  # fmt: skip
    r"""Write a data frame, matrix or table as R's ``write.table``, byte for byte.

    With ``col_names=nan``, R's NA, the column of row names has an empty name, as in `write_csv`.

    Examples
    --------
    >>> write_table(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), quote=False, row_names=False)
    a b
    1 x
    2 y
    """
    _write_frame(x, file, append, quote, sep, na, row_names, col_names, '\\"')


def _write_frame(
    x: Value, file: str | Path, append: bool, quote: bool, sep: str, na: str, row_names: bool,
    col_names: Value, escaped_quote: str,
) -> None:  # fmt: skip
    frame = as_data_frame(x)

    def quote_value(value: object) -> str:
        return '"' + str(value).replace('"', escaped_quote) + '"' if quote else str(value)

    table = [[quote_value(format_row_name(each)) for each in frame.index]] if row_names else []
    for values, gone in ((to_vector(each), find_missing(each)) for each in get_names_and_elements(frame)[1]):
        write = quote_value if values.dtype.kind == "O" else as_character
        table.append([na if away else write(v) for v, away in zip(values.tolist(), gone)])
    corner = [""] if row_names and col_names != col_names else []
    top = [[quote_value(each) for each in [*corner, *frame.columns]]] if col_names else []
    written = "".join(sep.join(line) + "\n" for line in [*top, *zip(*table)])
    if file:
        with open(file, "a" if append else "w", encoding="utf-8", newline="") as stream:
            stream.write(written)
    else:
        sys.stdout.write(written)
