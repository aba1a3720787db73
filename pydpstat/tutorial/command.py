"""``python -m pydpstat tutorial``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydpstat.errors import MissingExtraError

if TYPE_CHECKING:
    from pydpstat.tutorial.session import Session


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tutorial and print it.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments after ``tutorial``; those of the process by default.

    Returns
    -------
    int
        The exit code: 0 if every row is equal, 1 if one is not or the picture cannot be written.

    Examples
    --------
    >>> from pydpstat.tutorial.command import main
    >>> main(["--output", "pictures"])  # doctest: +SKIP
    0
    """
    folder = _parser().parse_args(argv).output
    from pydpstat.tutorial import report
    from pydpstat.tutorial.corrections import corrections
    from pydpstat.tutorial.session import Session
    from pydpstat.tutorial.steps import STEPS

    _show(report.heading())
    session, outcomes = Session(), []
    for number, step in enumerate(STEPS, start=1):
        outcomes.append(session.run(step))
        _show(report.row(number, outcomes[-1]))
    _show(["", report.result_line(outcomes), ""])
    _show(["Row 4's first mean as a result object, private_mean.summary():", ""])
    print(session.names["private_mean"].summary())
    _show(["", *corrections(report.WIDTH), ""])
    written = _picture(session, folder)
    return 0 if written and all(outcome.equal for outcome in outcomes) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pydpstat tutorial",
        description="R's printed numbers beside Python's, row by row. It needs no R.",
    )
    parser.add_argument(
        "--output", metavar="DIR", default="output", help="folder for the picture (default: %(default)s)"
    )
    return parser


def _picture(session: Session, folder: str) -> bool:
    """Write the picture and say where it is; without matplotlib it is left out."""
    from pydpstat.tutorial.picture import write_picture

    try:
        path = write_picture(session.names["h"], session.names["private"], folder)
    except MissingExtraError as error:
        print(f"No picture. {error}")
        return True
    except OSError as error:
        print(f"No picture: {error}. Choose another folder with --output.", file=sys.stderr)
        return False
    print(f"The two histograms, side by side: {path}")
    return True


def _show(lines: Sequence[str]) -> None:
    print("\n".join(lines))
