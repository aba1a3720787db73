"""``python -m pydpstat port``: translate R scripts to Python."""

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
from pydpstat.porting._check import check_script
from pydpstat.porting._escapes import escape_text
from pydpstat.porting._files import allow_deep_recursion, describe_script_error, read_script
from pydpstat.porting._syntax import RSyntaxError
from pydpstat.porting._translation import PortedScript, translate_script
from pydpstat.porting._verify import verify_port

_FROM_DATA_RULES = ("argument-from-data", "levels-from-data")


def main(argv: Sequence[str] | None = None) -> int:
    """Port scripts and return the exit code: 0, or 1 if a part is not translated."""
    options = _make_port_parser().parse_args(argv)
    if options.record:
        files.write_text(options.record, recorded.make_recorder(options.script))
        command = escape_text(f"Rscript {shlex.quote(str(options.record))}")
        print(f"{command} writes {escape_text(options.script.stem)}.json, where R and the packages are.")
        return 0
    found = _translate_file(options.script, options.own)
    unsafe = _find_arguments_from_data(options.script) if options.own else []
    text = format_port_report(found, unsafe)
    if options.output:
        files.write_text(options.output, found.text)
        print(f"{escape_text(str(options.output))}: {text}")
    elif not options.verify:
        _print_script(found.text)
        print(text, file=sys.stderr)
    failed = False
    if options.verify:
        record = recorded.load_record(options.script, options.recorded)
        compared = verify_port(found.all_chunks, record, options.script.resolve().parent)
        print("\n".join([compared.to_text(), *unsafe]))
        failed = compared.has_failed
    return int(failed or bool(found.problems or unsafe))


def _print_script(text: str) -> None:
    """Print a Python script in UTF-8, whatever the encoding of the terminal or pipe."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    print(text, end="")


def _translate_file(path: Path, use_own_functions: bool) -> PortedScript:
    try:
        with allow_deep_recursion():
            return translate_script(read_script(path, "port"), path.name, use_own_functions)
    except RSyntaxError as error:
        reason = describe_script_error("R", path, error.reason, error.line, error.column)
        raise PydpstatError(f"{escape_text(str(path))}: {reason}") from None


def format_port_report(port: PortedScript, unsafe: Sequence[str] = ()) -> str:
    """Return the report on a port, as lines: translated and remaining statements, and `unsafe` arguments."""
    told = f"{port.n_statements} statement{'s' * (port.n_statements != 1)}"
    places = len(port.problems)
    if places:
        several = f", in {places} places" * (places > port.n_left)
        told += f"; {port.n_left} left to you{several}:"
    else:
        told += ", all translated, but not private:" if unsafe else ", all translated."
    left = (f"  line {each.line}: {escape_text(each.reason)}" for each in port.problems)
    return "\n".join([told, *left, *unsafe, *(f"  line {line}: {escape_text(text)}" for line, text in port.remarks)])


def _find_arguments_from_data(path: Path) -> list[str]:
    """Return lines on public arguments that are computed from the data: exact noise does not protect them."""
    findings = (each for each in check_script(path).findings if each.rule in _FROM_DATA_RULES)
    return [
        f"  line {each.place.line}: {escape_text(each.what)} Write {escape_text(each.instead)}" for each in findings
    ]


def _make_port_parser() -> argparse.ArgumentParser:
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
    parser.add_argument("--recorded", type=Path, metavar="FILE", help="compare with this record, and do not run R")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write a file of R that makes a record where R is")
    return parser
