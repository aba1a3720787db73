"""``python -m pydpstat check``: say what each private release in a script keeps, and what breaks privacy."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pydpstat import _files as files
from pydpstat.errors import PydpstatError
from pydpstat.porting._escapes import escaped
from pydpstat.porting._files import deeply, no_script, script_text
from pydpstat.porting._findings import Report, sarif
from pydpstat.porting._flow import followed
from pydpstat.porting._from_python import forms_of_python
from pydpstat.porting._from_r import forms_of
from pydpstat.porting._grammar import parse
from pydpstat.porting._rules import report
from pydpstat.porting._syntax import RSyntaxError


def main(argv: Sequence[str] | None = None) -> int:
    """Check scripts and return the exit code: 0 without errors, 1 with, 2 where a file cannot be read."""
    options = _parser().parse_args(argv)
    reports, code = [], 0
    for path in options.scripts:
        try:
            reports.append(checked(path))
        except PydpstatError as error:
            print(f"{escaped(str(path))}: {error}", file=sys.stderr)
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
    text = script_text(path, "check")
    try:
        with deeply():
            if path.suffix == ".py":
                return report(str(path), "Python", followed(forms_of_python(text), r=False))
            return report(str(path), "R", followed(forms_of(parse(text)), r=True))
    except RSyntaxError as error:
        raise PydpstatError(no_script("R", path, error.reason, error.line, error.column)) from None
    except SyntaxError as error:
        place = error.lineno or 1, error.offset or 1
        raise PydpstatError(no_script("Python", path, error.msg, *place)) from None
    except (RecursionError, MemoryError):
        # Python's own parser runs out of its stack
        raise PydpstatError("the script is nested too deeply. Split its longest expression.") from None


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
