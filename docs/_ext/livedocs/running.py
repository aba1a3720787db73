"""Runs the Python code of a page and keeps what a reader would see."""

from __future__ import annotations

import base64
import contextlib
import io
import re
import textwrap
from dataclasses import dataclass

import pandas as pd

from livedocs.comparing import printed
from pydpstat.parity._compare import Variables, run_python

# what a page holds
_WIDTH = 88
_ROWS = 30
_NUMBER = re.compile(r"<td>(?=(?:[-+]?[\d.,]+(?:e[-+]?\d+)?(?: ± [\d.,]+| ?%)?|NaN|-?inf)</td>)")


class PageFailed(Exception):
    """Code of a page raised what it should not, or did not raise what it should; the text says which."""


@dataclass(frozen=True)
class Output:
    """What a piece of code gave.

    Parameters
    ----------
    text : str
        Warnings about privacy, what was printed, and the value of a last expression unless it is a frame.
    table : str
        A last expression that is a frame, or a Series, as HTML.
    pictures : tuple of str
        Each figure as the Base64 text of a PNG file.
    figures : tuple of DataFrame
        The tables of `pydpstat.teaching.beside` that were shown.
    """

    text: str
    table: str
    pictures: tuple[str, ...]
    figures: tuple[pd.DataFrame, ...] = ()


def run(source: str, names: Variables, raises: str = "") -> Output:
    """Run code in the names of its page.

    Parameters
    ----------
    source : str
    names : dict
        The page's variables; changed.
    raises : str, default ""
        Name of the exception that the code has to end with.

    Raises
    ------
    PageFailed
        Where the code raises something else, or nothing where it should.
    """
    stream = io.StringIO()
    figures: list[pd.DataFrame] = []
    tables: list[str] = []

    def tell(title: str, text: object) -> None:
        print("\n".join(textwrap.wrap(f"{title}: {text}", _WIDTH)), file=stream)

    def show(value: object) -> None:
        if isinstance(value, pd.DataFrame) and {"here", "same"} <= set(value.columns):
            figures.append(value)
        if isinstance(value, (pd.DataFrame, pd.Series)):
            tables.append(as_table(value))
        elif value is not None and not _is_drawing(value):
            print(printed(value, _WIDTH))

    with contextlib.redirect_stdout(stream):
        done = run_python(
            source,
            names,
            other_warnings="error",
            on_warning=lambda each: tell(type(each).__name__, each),
            on_value=show,
        )
    ended = type(done.error).__name__ if done.error else ""
    if done.error:
        if ended != raises:
            raise PageFailed(f"{ended}: {done.error}") from done.error
        tell(ended, done.error)
    if raises and not ended:
        raise PageFailed(f"no {raises} was raised")
    return Output(
        "\n".join(map(readable, stream.getvalue().rstrip().splitlines())),
        "".join(tables),
        _pictures(),
        tuple(figures),
    )


def readable(line: str) -> str:
    """Return a line of prose as lines that a page holds, and any other as it is."""
    prose = len(line) > _WIDTH and "  " not in line.strip() and "|" not in line
    return "\n".join(textwrap.wrap(line, _WIDTH, break_on_hyphens=False)) if prose else line


def as_table(value: pd.DataFrame | pd.Series) -> str:
    """Return a frame, or a Series, as an HTML table with its numbers to the right.

    Examples
    --------
    >>> "<td class=\"number\">2.5</td>" in as_table(pd.DataFrame({"mean": [2.5]}))
    True
    """
    frame = value.to_frame("" if value.name is None else value.name) if isinstance(value, pd.Series) else value
    return _NUMBER.sub('<td class="number">', frame.to_html(border=0, classes="docutils", max_rows=_ROWS))


def _is_drawing(value: object) -> bool:
    first = value[0] if isinstance(value, (list, tuple)) and value else value
    return type(first).__module__.partition(".")[0] == "matplotlib"


def _pictures() -> tuple[str, ...]:
    import sys

    if "matplotlib.pyplot" not in sys.modules:
        return ()
    from matplotlib import pyplot

    pictures = []
    for number in pyplot.get_fignums():
        file = io.BytesIO()
        pyplot.figure(number).savefig(file, format="png", dpi=110, bbox_inches="tight")
        pictures.append(base64.b64encode(file.getvalue()).decode("ascii"))
    pyplot.close("all")
    return tuple(pictures)
