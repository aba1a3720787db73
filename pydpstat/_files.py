"""Atomic writing of files, and formatting of CSV cells."""

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
    """Yield a temporary path next to a file; what is written there replaces the file, or is removed after an error.

    The file's folder is created if it is missing.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        yield temporary
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(target: Path, content: str) -> None:
    """Write a string to a file atomically."""
    with write_atomically(target) as temporary:
        temporary.write_text(content, encoding="utf-8")


def resolve_path(path: object, example: str = "survey.ledger") -> str:
    """Return the absolute path of a file without symbolic links; raise an error if it is not a path."""
    try:
        text = os.fspath(path)  # type: ignore[call-overload]
    except TypeError:
        text = ""
    if not isinstance(text, str) or not text or "\0" in text:
        raise PydpstatError(
            f"path must be a file name or None; got {checks.describe_option(path)}. Give for example {example!r}."
        )
    # later changes of the working folder or of a symbolic link must not redirect to a different file
    return os.path.realpath(text)


def return_or_write(content: str, path: Target | None, example: str) -> str | None:
    """Return a string, or write it to a file if a path or an open file is given.

    The folder must exist: a misspelled one would be created silently.
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


# spreadsheets run cells with these starts (OWASP, "CSV Injection"); a sign alone is not a formula
_FORMULA_START = re.compile(r"[\t\r\n]|\s*[=+\-@＝＋－＠]\s*\S")


def format_csv_cell(value: object) -> str:
    """Return a value as one CSV cell, quoted if necessary; None is an empty cell.

    A string that a spreadsheet would run as a formula is prefixed with an apostrophe, even if apostrophes precede
    the formula, so that a reader can always remove one. Numbers are not prefixed, not even those given as strings.

    Examples
    --------
    >>> print(format_csv_cell("=1+1"), format_csv_cell("-1.5"), format_csv_cell(-1.5), format_csv_cell("a, b"))
    '=1+1 -1.5 -1.5 "a, b"
    """
    text = "" if value is None else str(value)
    # the apostrophes that the value has already
    bare = text.lstrip("'")
    if _FORMULA_START.match(bare) and not _is_number(bare):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if re.search('[",\r\n]', text) else text


def format_csv(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as lines of CSV."""
    return "".join(",".join(map(format_csv_cell, row)) + "\n" for row in rows)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
