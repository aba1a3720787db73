"""``python -m pydpstat port``: write the Python script of an R script."""

from __future__ import annotations

import argparse
import io
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from pydpstat import _files as files
from pydpstat.errors import PydpstatError
from pydpstat.porting import _recorded as recorded
from pydpstat.porting._check import checked
from pydpstat.porting._escapes import escaped
from pydpstat.porting._files import deeply, no_script, script_text
from pydpstat.porting._syntax import RSyntaxError
from pydpstat.porting._translation import Port, ported
from pydpstat.porting._verify import verify

_FROM_DATA = ("argument-from-data", "levels-from-data")


def main(argv: Sequence[str] | None = None) -> int:
    """Port scripts and return the exit code: 0, or 1 if work is left."""
    options = _parser().parse_args(argv)
    if options.record:
        files.write(options.record, recorded.recorder_for(options.script))
        command = escaped(f"Rscript {shlex.quote(str(options.record))}")
        print(f"{command} writes {escaped(options.script.stem)}.json, where R and the packages are.")
        return 0
    found = _ported(options.script, options.own)
    unsafe = _from_data(options.script) if options.own else []
    text = report(found, unsafe)
    if options.output:
        files.write(options.output, found.text)
        print(f"{escaped(str(options.output))}: {text}")
    elif not options.verify:
        _print_script(found.text)
        print(text, file=sys.stderr)
    failed = False
    if options.verify:
        record = recorded.record_of(options.script, options.recorded)
        compared = verify(found.runs, record, options.script.resolve().parent)
        print("\n".join([compared.text(), *unsafe]))
        failed = compared.failed
    return int(failed or bool(found.problems or unsafe))


def _print_script(text: str) -> None:
    """Write a script of Python, which is UTF-8 whatever the encoding of the terminal or pipe."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    print(text, end="")


def _ported(path: Path, own: bool) -> Port:
    try:
        with deeply():
            return ported(script_text(path, "port"), path.name, own)
    except RSyntaxError as error:
        reason = no_script("R", path, error.reason, error.line, error.column)
        raise PydpstatError(f"{escaped(str(path))}: {reason}") from None


def report(port: Port, unsafe: Sequence[str] = ()) -> str:
    """Return what is translated, what is left, and what is `unsafe`, line by line."""
    told = f"{port.statements} statement{'s' * (port.statements != 1)}"
    places = len(port.problems)
    if places:
        several = f", in {places} places" * (places > port.left)
        told += f"; {port.left} left to you{several}:"
    else:
        told += ", all translated, but not private:" if unsafe else ", all translated."
    left = (f"  line {each.line}: {escaped(each.reason)}" for each in port.problems)
    return "\n".join(
        [told, *left, *unsafe, *(f"  line {line}: {escaped(text)}" for line, text in port.remarks)]
    )


def _from_data(path: Path) -> list[str]:
    """Return lines on public arguments that are computed from the data: exact noise does not protect them."""
    findings = (each for each in checked(path).findings if each.rule in _FROM_DATA)
    return [
        f"  line {each.place.line}: {escaped(each.what)} Write {escaped(each.instead)}" for each in findings
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pydpstat port",
        description="Write the Python script of an R script that uses base R, dplyr, DPpack or diffpriv. "
        "What has no sure translation stays as a comment, and the Python there raises an error.",
        epilog="Exit status: 0 if all is translated (and, with --verify, equal), 1 if work is left, 2 if the "
        "file is no script.",
    )
    parser.add_argument("script", type=Path, metavar="SCRIPT", help="a file of R")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the script there")
    parser.add_argument(
        "--own",
        action="store_true",
        help="use pydpstat's functions instead of DPpack's where one serves",
    )
    parser.add_argument(
        "--verify", action="store_true", help="run both sides and compare each value and each printed number"
    )
    parser.add_argument(
        "--recorded", type=Path, metavar="FILE", help="compare with this record, and do not run R"
    )
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help="write a file of R that makes a record where R is"
    )
    return parser
