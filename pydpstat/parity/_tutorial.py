"""``python -m pydpstat tutorial``: several releases as an R user writes them, and the same in Python."""

from __future__ import annotations

import argparse
import copy
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pydpstat._files import unfinished
from pydpstat.errors import MissingExtraError
from pydpstat.parity import _tutorial_text as text
from pydpstat.parity._compare import ulp_difference
from pydpstat.parity._evaluate import Names, run_python
from pydpstat.parity._printing import as_r_prints
from pydpstat.parity._tutorial_text import Agreement, Numbers, StepOutcome
from pydpstat.parity.case import Step
from pydpstat.parity.reference import part
from pydpstat.r_arithmetic import Histogram
from pydpstat.random.r_stream import RRandom
from pydpstat.results import DPResults

# the C library's logarithm may round differently on another processor
LAST_PLACES = 2
PICTURE = "tutorial-histogram.png"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tutorial and print it.

    The exit code is 0 if every row is equal, 1 if one is not or the picture cannot be written.

    Examples
    --------
    >>> main(["--output", "pictures"])  # doctest: +SKIP
    0
    """
    folder = _parser().parse_args(argv).output
    steps = part("tutorial.steps")
    print(*text.heading(steps.R_PREAMBLE, steps.PYTHON_PREAMBLE), sep="\n")
    session = Session()
    outcomes = []
    for number, step in enumerate(steps.STEPS, start=1):
        outcomes.append(session.run(step))
        print(*text.row(number, outcomes[-1]), sep="\n")
    print(f"\n{text.result_line(outcomes)}\n")
    print("Row 4's first mean as a result object, private_mean.summary():\n")
    mean = session.names["private_mean"]
    assert isinstance(mean, DPResults)
    print(mean.summary())
    print("", *part("tutorial.corrections").corrections(text.WIDTH), "", sep="\n")
    written = _picture(session.names, folder)
    return 0 if written and all(outcome.equal for outcome in outcomes) else 1


class Session:
    """A Python session in which the steps run one after the other, as the lines of an R script do.

    Examples
    --------
    >>> from pydpstat.parity.reference import part
    >>> Session().run(part("tutorial.steps").STEPS[0]).equal
    True
    """

    def __init__(self) -> None:
        self.names: Names = {}
        self._run(part("tutorial.steps").PYTHON_PREAMBLE)

    def run(self, step: Step) -> StepOutcome:
        """Run the lines of a step exactly as they are shown, and compare; whatever they raise goes on.

        Examples
        --------
        >>> from pydpstat.parity.reference import part
        >>> Session().run(part("tutorial.steps").STEPS[1]).values
        (array(0.50079015),)
        """
        result, warnings = self._run(step.python)
        results = result if isinstance(result, tuple) else (result,)
        if len(results) != len(step.recorded):
            raise RuntimeError(f"{step.title}: {len(results)} values, but {len(step.recorded)} are recorded")
        recorded = [each.array for each in step.recorded]
        values = tuple(_shaped(ours, theirs.shape) for ours, theirs in zip(results, recorded))
        agreements = (agreement(theirs, ours, step.logarithms) for theirs, ours in zip(recorded, values))
        following = None if step.next_uniform is None else self._next_uniform()
        return StepOutcome(step, values, tuple(agreements), following, warnings)

    def _run(self, lines: Sequence[str]) -> tuple[object, tuple[str, ...]]:
        done = run_python("\n".join(lines), self.names, others="pass on")
        if done.error is not None:
            raise done.error
        return done.value, tuple(map(str, done.warnings))

    def _next_uniform(self) -> float:
        # a copy draws, so that the stream goes on as if nobody had looked
        stream = copy.copy(self.names["rng"])
        assert isinstance(stream, RRandom)
        return float(stream.runif(1)[0])


def agreement(recorded: Numbers, ours: Numbers, logarithms: bool = False) -> Agreement:
    """Compare values with those that R printed to 17 digits.

    With logarithms two units in the last place are allowed, if the seven digits that R prints agree.

    Examples
    --------
    >>> agreement(np.array(0.5), np.array(0.5)).value
    'equal'
    >>> agreement(np.array(0.5), np.nextafter(0.5, 1.0)).value
    'DIFFERENT'
    """
    if np.array_equal(recorded, ours):
        return Agreement.EQUAL
    if logarithms and recorded.shape == ours.shape and as_r_prints(recorded) == as_r_prints(ours):
        apart = map(ulp_difference, recorded.ravel().tolist(), ours.ravel().tolist())
        return Agreement.PRINTED if max(apart) <= LAST_PLACES else Agreement.DIFFERENT
    return Agreement.DIFFERENT


def _shaped(value: object, shape: tuple[int, ...]) -> Numbers:
    """Return a value as an array; R has no scalars, so one number of any dimension is one number."""
    array: Numbers = np.asarray(value, dtype=np.float64)
    return array.reshape(()) if shape == () and array.size == 1 else array


def _picture(names: Names, folder: str) -> bool:
    """Write the picture and say where it is; without matplotlib it is left out."""
    true, private = names["h"], names["private"]
    assert isinstance(true, Histogram) and isinstance(private, Histogram)
    try:
        path = write_picture(true, private, folder)
    except MissingExtraError as error:
        print(f"No picture. {error}")
        return True
    except OSError as error:
        print(f"No picture: {error}. Choose another folder with --output.", file=sys.stderr)
        return False
    print(f"The two histograms, side by side: {path}")
    return True


def write_picture(true: Histogram, private: Histogram, folder: str | os.PathLike[str]) -> Path:
    """Draw two histograms with the same breaks on one axis, and write them as a PNG file into a folder.

    The folder is made if it does not exist; the file gets its name when it is complete. The picture shows the
    true counts, so it is for data that are public or simulated.

    References
    ----------
    Okabe, M. and Ito, K. (2008). Color universal design (the palette).

    Examples
    --------
    >>> from pydpstat import r_arithmetic as r
    >>> h = r.hist([1.0, 2.0, 2.5])
    >>> write_picture(h, h, "output").name  # doctest: +SKIP
    'tutorial-histogram.png'
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("The picture", "matplotlib", "plot") from error
    from pydpstat.plots import histograms

    # a figure of its own: no window, and no state shared with the user's figures
    figure = Figure(figsize=(9, 4.5), dpi=150, layout="constrained")
    axes = histograms(true, private, ax=figure.add_subplot())
    axes.set_title("500 normal numbers: histogram and private histogram, Laplace noise, claimed epsilon 1")

    target = Path(folder) / PICTURE
    with unfinished(target) as part:
        figure.savefig(part, format="png")
    return target


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pydpstat tutorial",
        description="R's printed numbers next to Python's, row by row. R is not required.",
    )
    parser.add_argument(
        "--output", metavar="DIR", default="output", help="folder for the picture (default: %(default)s)"
    )
    return parser
