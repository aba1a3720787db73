"""Runs the Python code of a page and keeps what a reader would see."""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import textwrap
import warnings
from dataclasses import dataclass
from typing import Any

from livedocs.comparing import printed
from pydpstat import PrivacyWarning

# what a page holds
_WIDTH = 96


class PageFailed(Exception):
    """Code of a page raised what it should not, or did not raise what it should; the text says which."""


@dataclass(frozen=True)
class Output:
    """What a piece of code gave.

    Parameters
    ----------
    text : str
        Warnings about privacy, what was printed, and the value of a last expression.
    pictures : tuple of str
        Each figure as the Base64 text of a PNG file.
    """

    text: str
    pictures: tuple[str, ...]


def run(source: str, names: dict[str, Any], raises: str = "") -> Output:
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
    ended = ""
    with warnings.catch_warnings(), contextlib.redirect_stdout(stream):
        warnings.simplefilter("error")
        warnings.simplefilter("always", PrivacyWarning)
        warnings.showwarning = lambda text, kind, *_: print(
            "\n".join(textwrap.wrap(f"{kind.__name__}: {text}", _WIDTH)), file=stream
        )
        try:
            _execute(source, names)
        except Exception as error:
            ended = type(error).__name__
            if ended != raises:
                raise PageFailed(f"{ended}: {error}, in\n{source}") from error
            print("\n".join(textwrap.wrap(f"{ended}: {error}", _WIDTH)))
    if raises and not ended:
        raise PageFailed(f"no {raises} was raised in\n{source}")
    return Output(stream.getvalue().rstrip(), _pictures())


def _execute(source: str, names: dict[str, Any]) -> None:
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "<page>", "exec"), names)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), "<page>", "eval"), names)
        if value is not None and not _is_drawing(value):
            print(printed(value, _WIDTH))


def _is_drawing(value: Any) -> bool:
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
