"""``python -m pydpstat``: the package's commands."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence

from pydpstat import __version__
from pydpstat.errors import PydpstatError

# each command's module has a function main(argv); it is imported when the command is called
COMMANDS = {
    "tutorial": ("pydpstat.parity._tutorial", "R's printed numbers next to Python's, row by row"),
    "audit": ("pydpstat.auditing._command", "known defects of the R originals, and all of pydpstat"),
    "budget": ("pydpstat.budget.__main__", "a ledger's limits and what was spent"),
    "parity": ("pydpstat.parity._report", "the comparison with R, live or recorded"),
    "port": ("pydpstat.porting._port", "the Python script of an R script"),
    "check": ("pydpstat.porting._check", "what each private release in a script of R or Python keeps"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; without a command print the help."""
    parser = argparse.ArgumentParser(
        prog="python -m pydpstat", description="Differential privacy for statisticians who come from R."
    )
    parser.add_argument("--version", action="version", version=f"pydpstat {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="command", title="commands")
    for name, (_, text) in COMMANDS.items():
        # the command's own parser answers --help
        commands.add_parser(name, help=text, add_help=False)
    options, remaining = parser.parse_known_args(argv)
    if options.command is None:
        if remaining:
            parser.error(f"unrecognized arguments: {' '.join(remaining)}")
        parser.print_help()
        return 0
    try:
        return int(importlib.import_module(COMMANDS[options.command][0]).main(remaining))
    except PydpstatError as error:
        print(f"{parser.prog} {options.command}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    try:
        if isinstance(sys.stdout, io.TextIOWrapper):
            # a letter that the terminal or pipe has not is written as an escape
            sys.stdout.reconfigure(errors="backslashreplace")
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # a reader like head closed the pipe; what is left goes nowhere, without a trace
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)
