"""Command line of the budget: ``python -m pydpstat budget``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from pydpstat.budget._ledger import is_url
from pydpstat.budget.budget import Budget
from pydpstat.errors import PydpstatError


def main(argv: Sequence[str] | None = None) -> int:
    """Print a ledger and return the exit code: 0, or 1 if there is no ledger.

    `argv` has the arguments after ``budget``; by default those of the process.
    """
    parser = argparse.ArgumentParser(
        prog="python -m pydpstat budget", description="Print a ledger: its limits and what was spent."
    )
    parser.add_argument("file", metavar="FILE_OR_URL", help="the ledger's file, or its url in PostgreSQL")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="every entry in full, as CSV")
    form.add_argument("--json", action="store_true", help="limits, amounts and every entry in full, as JSON")
    options = parser.parse_args(argv)
    try:
        budget = Budget.open(url=options.file) if is_url(options.file) else Budget.open(options.file)
        if options.csv or options.json:
            sys.stdout.write(str(budget.to_csv() if options.csv else budget.to_json()))
        else:
            print(budget.summary())
    except PydpstatError as error:
        print(f"python -m pydpstat budget: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
