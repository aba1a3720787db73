"""``python -m pydpstat budget``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from pydpstat.budget.budget import Budget
from pydpstat.errors import PydpstatError


def main(argv: Sequence[str] | None = None) -> int:
    """Print a ledger and return the exit code: 0, or 1 where the file is no ledger.

    `argv` has the arguments after ``budget``; those of the process by default.

    Examples
    --------
    >>> from pydpstat.budget.__main__ import main
    >>> main(["survey.ledger"])  # doctest: +SKIP
    0
    """
    parser = argparse.ArgumentParser(
        prog="python -m pydpstat budget", description="Print a ledger: its limits and what was spent."
    )
    parser.add_argument("file", metavar="FILE", help="the ledger's file, the path of a Budget")
    path = parser.parse_args(argv).file
    try:
        print(Budget.open(path).summary())
    except PydpstatError as error:
        print(f"python -m pydpstat budget: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
