"""``python -m pydpstat check``: say what each private release in a script keeps, and what breaks privacy."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from pydpstat import _files as files
from pydpstat.errors import PydpstatError
from pydpstat.porting._findings import Report, sarif
from pydpstat.porting._flow import followed
from pydpstat.porting._from_python import forms_of_python
from pydpstat.porting._from_r import forms_of
from pydpstat.porting._grammar import decoded, parse
from pydpstat.porting._rules import report
from pydpstat.porting._syntax import RSyntaxError

_LARGEST = 20_000_000
_DEPTH = 20_000


def main(argv: Sequence[str] | None = None) -> int:
    """Check scripts and return the exit code: 0 without errors, 1 with, 2 where a file cannot be read."""
    options = _parser().parse_args(argv)
    reports, code = [], 0
    for path in options.scripts:
        try:
            reports.append(checked(path))
        except PydpstatError as error:
            print(f"{path}: {error}", file=sys.stderr)
            code = 2
    if options.format == "sarif":
        shown = sarif(reports)
    elif options.format == "json":
        shown = "\n".join(each.json() for each in reports)
    else:
        shown = "\n\n".join(each.text() for each in reports)
    if options.output:
        files.write(options.output, f"{shown}\n")
    elif reports:
        print(shown)
    return code or int(any(each.broken for each in reports))


def checked(path: Path) -> Report:
    """Return the report on a script; a file that ends with ``.py`` is Python, any other R.

    Raises
    ------
    PydpstatError
        Where the file cannot be read, or is no script.
    """
    text = _text(path)
    # nested calls are followed by nested calls
    depth = sys.getrecursionlimit()
    sys.setrecursionlimit(max(depth, _DEPTH))
    try:
        if path.suffix == ".py":
            return report(str(path), "Python", followed(forms_of_python(text), r=False))
        return report(str(path), "R", followed(forms_of(parse(text)), r=True))
    except RSyntaxError as error:
        raise PydpstatError(_no_script("R", path, error.reason, error.line, error.column)) from None
    except SyntaxError as error:
        place = error.lineno or 1, error.offset or 1
        raise PydpstatError(_no_script("Python", path, error.msg, *place)) from None
    except RecursionError:
        raise PydpstatError("the script is nested too deeply. Split its longest expression.") from None
    finally:
        sys.setrecursionlimit(depth)


def _no_script(language: str, path: Path, reason: str, line: int, column: int) -> str:
    other = (
        "" if path.suffix.lower() in (".r", ".py") else " A file of Python ends with .py, one of R with .R."
    )
    return f"this is no {language}: line {line}, column {column}: {reason}. Correct it there.{other}"


def _text(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PydpstatError(
            f"the file cannot be read: {error.strerror}. Give the path of a script."
        ) from None
    if len(content) > _LARGEST:
        raise PydpstatError(f"the file has {len(content):,} bytes. Give a script of at most {_LARGEST:,}.")
    if b"\0" in content:
        raise PydpstatError("this is no script, but a binary file. Give a file of R or Python.")
    text = decoded(content)
    if not re.sub(r"#.*", "", text).strip():
        raise PydpstatError("the file is empty, so there is nothing to check. Give a file of R or Python.")
    return text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pydpstat check",
        description="Read scripts of R (DPpack, diffpriv) and Python (pydpstat), say what each private "
        "release keeps, and what breaks privacy around it. Nothing of a script is run.",
        epilog="Exit status: 0 without errors, 1 where something does not hold, 2 if a file cannot be read.",
    )
    parser.add_argument(
        "scripts", nargs="+", type=Path, metavar="SCRIPT", help="a file of R, or of Python (.py)"
    )
    kinds = ("text", "json", "sarif")
    parser.add_argument(
        "--format", choices=kinds, default="text", help="how the report is written (default text)"
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="write the report there, and print nothing"
    )
    return parser
