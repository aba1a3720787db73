"""The tutorial's text: for each row the R lines, the Python lines, and both results side by side."""

from __future__ import annotations

import enum
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
import numpy.typing as npt

from pydpstat.parity._printing import as_r_prints, matrix_lines
from pydpstat.parity.case import Recorded, Step

Numbers = npt.NDArray[np.float64]
WIDTH = 100
INDENT = " " * 4
_LABEL = 14
_COLUMN = 26
_VERDICT = 73


class Agreement(enum.Enum):
    """How a value agrees with the one that R printed; the value is the text that is shown."""

    EQUAL = "equal"
    PRINTED = "equal to the printed digits"
    DIFFERENT = "DIFFERENT"

    def __bool__(self) -> bool:
        return self is not Agreement.DIFFERENT


@dataclass(frozen=True, eq=False)
class StepOutcome:
    """What a step gave: our value for each recorded one, how they agree, and the texts of PrivacyWarnings.

    The next uniform number is ours, where R's is recorded.
    """

    step: Step
    values: tuple[Numbers, ...]
    agreements: tuple[Agreement, ...]
    next_uniform: float | None
    warnings: tuple[str, ...]

    @property
    def next_agreement(self) -> Agreement:
        """Whether the next uniform number is R's, bit for bit."""
        return Agreement.EQUAL if self.next_uniform == self.step.next_uniform else Agreement.DIFFERENT

    @property
    def equal(self) -> bool:
        """Whether all values and the next uniform number are R's."""
        return all((*self.agreements, self.next_agreement))


def heading(r_preamble: Sequence[str], python_preamble: Sequence[str]) -> list[str]:
    """Return the lines above the first row.

    Examples
    --------
    >>> heading(["library(DPpack)"], ["import pydpstat"])[0]
    "The tutorial: R's printed numbers next to Python's"
    """
    return [
        "The tutorial: R's printed numbers next to Python's",
        "",
        "R's numbers are recorded: R 4.2.2, rmutil 1.1.10, DPpack 0.2.2. Python's are computed now.",
        '"equal" means bit for bit, not only in the digits shown. If the next runif(1) is equal too,',
        "both sides have drawn the same numbers in the same order.",
        "",
        *_code("R", r_preamble),
        *_code("Python", python_preamble),
    ]


def row(number: int, outcome: StepOutcome) -> list[str]:
    """Return the lines of one row: its number, from 1, and what its step gave.

    Examples
    --------
    >>> from pydpstat.parity._tutorial import Session
    >>> from pydpstat.parity.reference import part
    >>> print("\\n".join(row(1, Session().run(part("tutorial.steps").STEPS[0]))))
    <BLANKLINE>
     1  The mean of 100 uniform numbers
        R       set.seed(123); D <- runif(100, 0, 1)
                mean(D)
        Python  rng = RRandom(123); D = rng.runif(100, 0, 1)
                r.mean(D)
        mean           R 0.498559                Python 0.498559            equal
    """
    step = outcome.step
    lines = ["", f"{number:2}  {step.title}", *_code("R", step.r), *_code("Python", step.python)]
    for recorded, ours, verdict in zip(step.recorded, outcome.values, outcome.agreements):
        lines += _comparison(recorded, ours, verdict)
    if step.next_uniform is not None:
        theirs = Recorded(step.next_uniform, "next runif(1)")
        lines += _comparison(theirs, np.asarray(outcome.next_uniform), outcome.next_agreement)
    return lines + [f"{INDENT}PrivacyWarning: {shortened(text)}" for text in outcome.warnings]


def result_line(outcomes: Sequence[StepOutcome]) -> str:
    """Return how many rows are equal.

    Examples
    --------
    >>> result_line([])
    '0 of 0 equal'
    """
    return f"{sum(outcome.equal for outcome in outcomes)} of {len(outcomes)} equal"


def shortened(warning: str) -> str:
    """Return the sentence of a PrivacyWarning that states the true epsilon.

    Examples
    --------
    >>> shortened("It repeats the draw. Its true epsilon is 1.4899, not 1. Use another.")
    'its true epsilon is 1.4899, not 1'
    """
    sentences = re.split(r"\.\s+(?=[A-Z])", warning.rstrip("."))
    telling = next((text for text in sentences if "epsilon" in text), sentences[0])
    return textwrap.shorten(telling[:1].lower() + telling[1:], WIDTH - 20, placeholder="...")


def _code(language: str, lines: Sequence[str]) -> list[str]:
    return [f"{INDENT}{label:8}{line}" for label, line in zip_longest([language], lines, fillvalue="")]


def _comparison(recorded: Recorded, ours: Numbers, verdict: Agreement) -> list[str]:
    """Return both values, the verdict behind them, and all 17 digits of those that are not equal."""
    theirs = recorded.array
    if theirs.shape != ours.shape:
        return [f"{INDENT}{recorded.name}: {ours.shape} values, R has {theirs.shape}   {verdict.value}"]
    if theirs.ndim == 2:
        lines = _matrices(recorded, theirs, ours)
    else:
        left, right = (" ".join(as_r_prints(value)) for value in (theirs, ours))
        side_by_side = theirs.ndim == 0
        lines = [_line(recorded.name, left, right)] if side_by_side else _stacked(recorded.name, left, right)
    lines[-1] = f"{lines[-1]:{_VERDICT - 2}}  {verdict.value}"
    if verdict is not Agreement.EQUAL:
        pairs = zip(np.ravel(theirs, order="F"), np.ravel(ours, order="F"))
        lines += [_line("", f"{a:.17g}", f"{b:.17g}") for a, b in pairs if a != b]
    return lines


def _line(name: str, left: str, right: str) -> str:
    return f"{INDENT}{name:{_LABEL}} R {left:{_COLUMN - 2}}Python {right}"


def _stacked(name: str, above: str, below: str) -> list[str]:
    return [f"{INDENT}{name:{_LABEL}} R      {above}", f"{INDENT}{'':{_LABEL}} Python {below}"]


def _matrices(recorded: Recorded, theirs: Numbers, ours: Numbers) -> list[str]:
    left, right = (matrix_lines(value, recorded.dimnames) for value in (theirs, ours))
    left[0], right[0] = f"R{left[0][1:]}", f"Python{right[0][6:]}"
    return [f"{INDENT}{'':{_LABEL}} {a:{_COLUMN}}{b}" for a, b in zip(left, right)]
