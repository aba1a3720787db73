"""Files that are whole or not there, moved into place when they are written; and cells of CSV."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pydpstat import _checks as checks
from pydpstat.errors import PydpstatError

Target = str | os.PathLike[str] | IO[str]


@contextmanager
def write_atomically(target: Path) -> Iterator[Path]:
    """Give a name beside a file; what was written there becomes the file, or is removed after an error.

    The file's folder is made where it is missing.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        yield part
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def write_text(target: Path, content: str) -> None:
    """Write a text as a whole file."""
    with write_atomically(target) as part:
        part.write_text(content, encoding="utf-8")


def resolve_path(path: object, example: str = "survey.ledger") -> str:
    """Return a file's whole name, without symbolic links; an error where it is no name."""
    try:
        text = os.fspath(path)  # type: ignore[call-overload]
    except TypeError:
        text = ""
    if not isinstance(text, str) or not text or "\0" in text:
        raise PydpstatError(
            f"path must be a file name or None; got {checks.describe_option(path)}. Give for example {example!r}."
        )
    # a later change of the working folder or of a symbolic link must not lead to another file
    return os.path.realpath(text)


def return_or_write(content: str, path: Target | None, example: str) -> str | None:
    """Return a text, or write it into a file where one is named or given.

    The folder must be there: a misspelled one would be made silently.
    """
    if path is None:
        return content
    if not isinstance(path, (str, os.PathLike)) and callable(getattr(path, "write", None)):
        path.write(content)
        return None
    target = Path(resolve_path(path, example))
    if not target.parent.is_dir():
        raise PydpstatError(
            f"path must be in a folder that there is; got one in {str(target.parent)!r}. Make the folder "
            "first, or give another name."
        )
    try:
        write_text(target, content)
    except OSError as error:
        raise PydpstatError(
            f"path must be a file that can be written; {str(target)!r}: {error.strerror}. Give another name."
        ) from None
    return None


# a spreadsheet runs what begins so (OWASP, "CSV Injection"); a sign alone is none
_FORMULA_START = re.compile(r"[\t\r\n]|\s*[=+\-@＝＋－＠]\s*\S")


def format_csv_cell(value: object) -> str:
    """Return a value as one cell, in quotes where it needs them; None is an empty one.

    A text that a spreadsheet would run as a formula gets an apostrophe in front. A number remains one, also
    where it comes as a text. A formula after apostrophes gets another, so that a reader can take one away.

    Examples
    --------
    >>> print(format_csv_cell("=1+1"), format_csv_cell("-1.5"), format_csv_cell(-1.5), format_csv_cell("a, b"))
    '=1+1 -1.5 -1.5 "a, b"
    """
    text = "" if value is None else str(value)
    # the apostrophes that it has
    bare = text.lstrip("'")
    if _FORMULA_START.match(bare) and not _is_number(bare):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if re.search('[",\r\n]', text) else text


def format_csv(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as lines of cells."""
    return "".join(",".join(map(format_csv_cell, row)) + "\n" for row in rows)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
