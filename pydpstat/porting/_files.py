"""R and Python scripts as text, and the errors for unreadable files."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydpstat.errors import PydpstatError
from pydpstat.porting._escapes import trim_text
from pydpstat.porting._grammar import decode_script

_MAX_BYTES = 20_000_000
_RECURSION_LIMIT = 20_000


def read_script(path: Path, purpose: str) -> str:
    """Return the text of a script.

    Raises
    ------
    PydpstatError
        If the file cannot be read, or is not a script.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PydpstatError(f"the file cannot be read: {error.strerror}. Give the path of a script.") from None
    if len(content) > _MAX_BYTES:
        raise PydpstatError(f"the file has {len(content):,} bytes. Give a script of at most {_MAX_BYTES:,}.")
    if b"\0" in content:
        raise PydpstatError("this is no script, but a binary file. Give a file of R or Python.")
    text = decode_script(content)
    if not re.sub(r"#.*", "", text).strip():
        raise PydpstatError(f"the file is empty, so there is nothing to {purpose}. Give a file of R or Python.")
    return text


def describe_script_error(language: str, path: Path, reason: str, line: int, column: int) -> str:
    """Return the error message for a file that is not a script of a language, with the position."""
    other = "" if path.suffix.lower() in (".r", ".py") else " A file of Python ends with .py, one of R with .R."
    place = f"line {line}, column {column}"
    return f"this is no {language}: {place}: {trim_text(reason)}. Correct it there.{other}"


@contextmanager
def allow_deep_recursion() -> Iterator[None]:
    """Raise Python's recursion limit inside the context."""
    depth = sys.getrecursionlimit()
    sys.setrecursionlimit(max(depth, _RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(depth)
