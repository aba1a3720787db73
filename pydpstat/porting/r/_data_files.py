"""Data frames from and to files, byte for byte as R writes them."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._frames import as_data_frame, make_names, type_convert
from pydpstat.porting.r._matrices import row_name
from pydpstat.porting.r._shapes import frame_of, items, missing, vector
from pydpstat.r_arithmetic import as_character


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
