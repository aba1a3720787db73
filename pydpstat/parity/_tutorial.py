"""Command line ``python -m pydpstat tutorial``: releases in R and the same in Python, side by side."""

from __future__ import annotations

import argparse
import copy
import enum
import os
import re
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pydpstat._files import write_atomically
from pydpstat.errors import MissingExtraError
from pydpstat.parity._compare import Variables, compute_ulp_difference, run_python
from pydpstat.parity.case import Recorded, Step, format_as_r_prints, format_matrix_lines, part
from pydpstat.r_arithmetic import Histogram
from pydpstat.random.r_stream import RRandom
from pydpstat.results import DPResults

Numbers = npt.NDArray[np.float64]
WIDTH = 100
INDENT = " " * 4
_LABEL_WIDTH = 14
_COLUMN_WIDTH = 26
_VERDICT_COLUMN = 73
# the C library's logarithm may round differently on another processor
MAX_ULP_DIFFERENCE = 2
PICTURE_NAME = "tutorial-histogram.png"


class Agreement(enum.Enum):
    """Agreement of a value with the one that R printed; the enumeration's values are the displayed texts."""

    EQUAL = "equal"
    PRINTED = "equal to the printed digits"
    DIFFERENT = "DIFFERENT"

    def __bool__(self) -> bool:
        return self is not Agreement.DIFFERENT


@dataclass(frozen=True, eq=False)
class StepOutcome:
    """Outcome of a step: our value for each recorded one, their agreement, and the texts of PrivacyWarnings."""

    step: Step
    values: tuple[Numbers, ...]
    agreements: tuple[Agreement, ...]
    next_uniform: float | None
    warnings: tuple[str, ...]

    @property
    def next_agreement(self) -> Agreement:
        """Whether the next uniform number equals R's, bit for bit."""
        return Agreement.EQUAL if self.next_uniform == self.step.next_uniform else Agreement.DIFFERENT

    @property
    def is_equal(self) -> bool:
        """Whether all values and the next uniform number equal R's."""
        return all((*self.agreements, self.next_agreement))


def format_heading(r_preamble: Sequence[str], python_preamble: Sequence[str]) -> list[str]:
    """Return the lines above the first row."""
    return [
        "The tutorial: R's printed numbers next to Python's",
        "",
        "R's numbers are recorded: R 4.2.2, rmutil 1.1.10, DPpack 0.2.2. Python's are computed now.",
        '"equal" means bit for bit, not only in the digits shown. If the next runif(1) is equal too,',
        "both sides have drawn the same numbers in the same order.",
        "",
        *_format_code("R", r_preamble),
        *_format_code("Python", python_preamble),
    ]


def format_row(number: int, outcome: StepOutcome) -> list[str]:
    """Return the lines of one row: its number, from 1, and the outcome of its step."""
    step = outcome.step
    lines = [
        "",
        f"{number:2}  {step.title}",
        *_format_code("R", step.r),
        *_format_code("Python", step.python),
    ]
    for recorded, ours, verdict in zip(step.recorded, outcome.values, outcome.agreements):
        lines += _format_comparison(recorded, ours, verdict)
    if step.next_uniform is not None:
        theirs = Recorded(step.next_uniform, "next runif(1)")
        lines += _format_comparison(theirs, np.asarray(outcome.next_uniform), outcome.next_agreement)
    return lines + [f"{INDENT}PrivacyWarning: {summarize_warning(text)}" for text in outcome.warnings]


def summarize_warning(warning: str) -> str:
    """Return the sentence of a PrivacyWarning that states the true epsilon."""
    sentences = re.split(r"\.\s+(?=[A-Z])", warning.rstrip("."))
    telling = next((text for text in sentences if "epsilon" in text), sentences[0])
    return textwrap.shorten(telling[:1].lower() + telling[1:], WIDTH - 20, placeholder="...")


def _format_code(language: str, lines: Sequence[str]) -> list[str]:
    return [f"{INDENT}{label:8}{line}" for label, line in zip_longest([language], lines, fillvalue="")]


def _format_comparison(recorded: Recorded, ours: Numbers, verdict: Agreement) -> list[str]:
    """Return both values with the verdict, and all 17 digits of values that are not equal."""
    theirs = recorded.array
    if theirs.shape != ours.shape:
        return [f"{INDENT}{recorded.name}: {ours.shape} values, R has {theirs.shape}   {verdict.value}"]
    if theirs.ndim == 2:
        lines = _format_matrices(recorded, theirs, ours)
    else:
        r_text, python_text = (" ".join(format_as_r_prints(value)) for value in (theirs, ours))
        side_by_side = theirs.ndim == 0
        lines = (
            [_format_line(recorded.name, r_text, python_text)]
            if side_by_side
            else _format_stacked_lines(recorded.name, r_text, python_text)
        )
    lines[-1] = f"{lines[-1]:{_VERDICT_COLUMN - 2}}  {verdict.value}"
    if verdict is not Agreement.EQUAL:
        pairs = zip(np.ravel(theirs, order="F"), np.ravel(ours, order="F"))
        lines += [_format_line("", f"{a:.17g}", f"{b:.17g}") for a, b in pairs if a != b]
    return lines


def _format_line(name: str, left: str, right: str) -> str:
    return f"{INDENT}{name:{_LABEL_WIDTH}} R {left:{_COLUMN_WIDTH - 2}}Python {right}"


def _format_stacked_lines(name: str, above: str, below: str) -> list[str]:
    return [f"{INDENT}{name:{_LABEL_WIDTH}} R      {above}", f"{INDENT}{'':{_LABEL_WIDTH}} Python {below}"]


def _format_matrices(recorded: Recorded, theirs: Numbers, ours: Numbers) -> list[str]:
    r_lines, python_lines = (format_matrix_lines(value, recorded.dimnames) for value in (theirs, ours))
    r_lines[0], python_lines[0] = f"R{r_lines[0][1:]}", f"Python{python_lines[0][6:]}"
    return [f"{INDENT}{'':{_LABEL_WIDTH}} {a:{_COLUMN_WIDTH}}{b}" for a, b in zip(r_lines, python_lines)]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tutorial and print it; return 0 if every row is equal and the picture was written."""
    folder = _make_tutorial_parser().parse_args(argv).output
    steps = part("tutorial.steps")
    print(*format_heading(steps.R_PREAMBLE, steps.PYTHON_PREAMBLE), sep="\n")
    session = TutorialSession()
    outcomes = []
    for number, step in enumerate(steps.STEPS, start=1):
        outcomes.append(session.run_step(step))
        print(*format_row(number, outcomes[-1]), sep="\n")
    print(f"\n{sum(each.is_equal for each in outcomes)} of {len(outcomes)} equal\n")
    print("Row 4's first mean as a result object, private_mean.summary():\n")
    mean = session.names["private_mean"]
    assert isinstance(mean, DPResults)
    print(mean.summary())
    print("", *part("tutorial.corrections").corrections(WIDTH), "", sep="\n")
    written = _report_picture(session.names, folder)
    return 0 if written and all(outcome.is_equal for outcome in outcomes) else 1


class TutorialSession:
    """A Python session in which the steps run in order, as the lines of an R script."""

    def __init__(self) -> None:
        self.names: Variables = {}
        self._run_lines(part("tutorial.steps").PYTHON_PREAMBLE)

    def run_step(self, step: Step) -> StepOutcome:
        """Run the lines of a step exactly as displayed, and compare the values; errors are propagated."""
        result, warnings = self._run_lines(step.python)
        results = result if isinstance(result, tuple) else (result,)
        if len(results) != len(step.recorded):
            raise RuntimeError(f"{step.title}: {len(results)} values, but {len(step.recorded)} are recorded")
        recorded = [value.array for value in step.recorded]
        values = tuple(_convert_to_array(ours, theirs.shape) for ours, theirs in zip(results, recorded))
        agreements = (compare_printed(theirs, ours, step.logarithms) for theirs, ours in zip(recorded, values))
        following = None if step.next_uniform is None else self._draw_next_uniform()
        return StepOutcome(step, values, tuple(agreements), following, warnings)

    def _run_lines(self, lines: Sequence[str]) -> tuple[object, tuple[str, ...]]:
        done = run_python("\n".join(lines), self.names, other_warnings="pass on")
        if done.error is not None:
            raise done.error
        return done.value, tuple(map(str, done.warnings))

    def _draw_next_uniform(self) -> float:
        # a copy draws, so that the stream's state is unchanged
        stream = copy.copy(self.names["rng"])
        assert isinstance(stream, RRandom)
        return float(stream.runif(1)[0])


def compare_printed(recorded: Numbers, ours: Numbers, logarithms: bool = False) -> Agreement:
    """Compare values with those that R printed to 17 digits.

    With logarithms, two units in the last place are allowed if the seven digits that R prints agree.
    """
    if np.array_equal(recorded, ours):
        return Agreement.EQUAL
    if logarithms and recorded.shape == ours.shape and format_as_r_prints(recorded) == format_as_r_prints(ours):
        ulp_differences = map(compute_ulp_difference, recorded.ravel().tolist(), ours.ravel().tolist())
        return Agreement.PRINTED if max(ulp_differences) <= MAX_ULP_DIFFERENCE else Agreement.DIFFERENT
    return Agreement.DIFFERENT


def _convert_to_array(value: object, shape: tuple[int, ...]) -> Numbers:
    """Return a value as an array; as R has no scalars, a single number of any dimension becomes a scalar."""
    array: Numbers = np.asarray(value, dtype=np.float64)
    return array.reshape(()) if shape == () and array.size == 1 else array


def _report_picture(names: Variables, folder: str) -> bool:
    """Write the picture and print its path, or the reason why there is none; return whether that is not an error."""
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
    """Draw two histograms with the same breaks, and write them as a PNG file to a folder.

    The plot shows the true counts, so it is for public or simulated data only.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("The picture", "matplotlib", "plot") from error
    from pydpstat.plots import histograms

    # a separate figure: no window, and no state shared with the user's figures
    figure = Figure(figsize=(9, 4.5), dpi=150, layout="constrained")
    axes = histograms(true, private, ax=figure.add_subplot())
    axes.set_title("500 normal numbers: histogram and private histogram, Laplace noise, claimed epsilon 1")

    target = Path(folder) / PICTURE_NAME
    with write_atomically(target) as temporary:
        figure.savefig(temporary, format="png")
    return target


def _make_tutorial_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pydpstat tutorial",
        description="R's printed numbers next to Python's, row by row. R is not required.",
    )
    parser.add_argument(
        "--output", metavar="DIR", default="output", help="folder for the picture (default: %(default)s)"
    )
    return parser
