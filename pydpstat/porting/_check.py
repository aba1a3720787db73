"""``python -m pydpstat check``: report the guarantee of each private release in a script, and privacy errors."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pydpstat import _files as files
from pydpstat.errors import PydpstatError
from pydpstat.porting._escapes import escape_text
from pydpstat.porting._files import allow_deep_recursion, describe_script_error, read_script
from pydpstat.porting._findings import Report, format_sarif
from pydpstat.porting._flow import follow_script
from pydpstat.porting._from_python import make_python_forms
from pydpstat.porting._from_r import make_r_forms
from pydpstat.porting._grammar import parse
from pydpstat.porting._rules import make_check_report
from pydpstat.porting._syntax import RSyntaxError


def main(argv: Sequence[str] | None = None) -> int:
    """Check scripts and return the exit code: 0 without errors, 1 with errors, 2 for an unreadable file."""
    options = _make_check_parser().parse_args(argv)
    reports, code = [], 0
    for path in options.scripts:
        try:
            reports.append(check_script(path))
        except PydpstatError as error:
            print(f"{escape_text(str(path))}: {error}", file=sys.stderr)
            code = 2
    if options.format == "sarif":
        shown = format_sarif(reports)
    elif options.format == "json":
        shown = "\n".join(each.to_json() for each in reports)
    else:
        shown = "\n\n".join(each.to_text() for each in reports)
    if options.output:
        files.write_text(options.output, f"{shown}\n")
    elif reports:
        print(shown)
    return code or int(any(each.is_broken for each in reports))


def check_script(path: Path) -> Report:
    """Return the report on a script; a file that ends with ``.py`` is read as Python, any other as R.

    Raises
    ------
    PydpstatError
        If the file cannot be read, or is not a script.
    """
    text = read_script(path, "check")
    try:
        with allow_deep_recursion():
            if path.suffix == ".py":
                return make_check_report(str(path), "Python", follow_script(make_python_forms(text), is_r=False))
            return make_check_report(str(path), "R", follow_script(make_r_forms(parse(text)), is_r=True))
    except RSyntaxError as error:
        raise PydpstatError(describe_script_error("R", path, error.reason, error.line, error.column)) from None
    except SyntaxError as error:
        place = error.lineno or 1, error.offset or 1
        raise PydpstatError(describe_script_error("Python", path, error.msg, *place)) from None
    except (RecursionError, MemoryError):
        # Python's own parser exhausts its stack
        raise PydpstatError("the script is nested too deeply. Split its longest expression.") from None


def _make_check_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pydpstat check",
        description="Read scripts of R (DPpack, diffpriv) and Python (pydpstat), say what each private "
        "release keeps, and what breaks privacy around it. Nothing of a script is run.",
        epilog="Exit status: 0 without errors, 1 where something does not hold, 2 if a file cannot be read.",
    )
    parser.add_argument("scripts", nargs="+", type=Path, metavar="SCRIPT", help="a file of R, or of Python (.py)")
    kinds = ("text", "json", "sarif")
    parser.add_argument("--format", choices=kinds, default="text", help="how the report is written (default text)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the report there, and print nothing")
    return parser
