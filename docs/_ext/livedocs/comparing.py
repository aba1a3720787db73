"""Runs a comparison as a page shows it, in R and in Python, and keeps what both sides print."""

from __future__ import annotations

import ast
import pprint
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from livedocs.readable import WIDTH, folded, python_lines, r_lines
from pydpstat import DPResults, DPResultsPair
from pydpstat.parity._compare import DIFFERENCE_LEVELS, Against, Outcome, Verdict, compare_outcomes, evaluate_code
from pydpstat.parity._r_side import LiveRSession, Recording, RUnavailableError, get_recording_path
from pydpstat.parity.case import Case, format_vector_lines

# evaluates code in a fresh environment and returns what R prints
_PRINTED = """function(code) {
  options(width = 50)
  env <- new.env(parent = globalenv())
  tryCatch(
    utils::capture.output(print(suppressMessages(suppressWarnings(eval(parse(text = code), env))))),
    error = function(e) paste("Error:", conditionMessage(e)))
}"""
_LINES = 30


class ComparisonFailed(Exception):
    """The two languages disagree, or there is nothing to compare with; the text says which."""


@dataclass(frozen=True)
class Shown:
    """A comparison as a page shows it.

    Parameters
    ----------
    case : Case
    r, python : str
        The code: a reader can run it as it stands.
    r_output, python_output : str
        What each language prints.
    source : str
        Whether R ran now, and which versions.
    agreement : str
        How the two agree, in a sentence.
    warnings : tuple of (str, str)
        Row and text of each PrivacyWarning.
    """

    case: Case
    r: str
    r_output: str
    python: str
    python_output: str
    source: str
    agreement: str
    warnings: tuple[tuple[str, str], ...]


class Comparer:
    """R's side, live where it can be and recorded elsewhere, kept for a whole build.

    Parameters
    ----------
    live : LiveR, optional
    recording : Recording, optional
    """

    def __init__(self, live: LiveRSession | None, recording: Recording | None) -> None:
        self.live, self.recording = live, recording

    @classmethod
    def here(cls) -> Comparer:
        """Return what this machine has."""
        try:
            live = LiveRSession()
        except RUnavailableError:
            live = None
        return cls(live, Recording() if get_recording_path().exists() else None)

    def show(self, case: Case) -> Shown:
        """Run a comparison and return what a page shows.

        Raises
        ------
        ComparisonFailed
            Where the two languages disagree, or where R's side is not to be had.
        """
        python = python_lines(case)
        ours, python, python_output, caught = _in_python(case, python)
        theirs, r_output, source, against = self._in_r(case)
        verdict = compare_outcomes(case, ours, theirs, against)
        if verdict.status != "passed":
            raise ComparisonFailed(f"{case.id}: {verdict.message}")
        return Shown(
            case,
            "\n".join(r_lines(case)),
            r_output,
            "\n".join(python),
            python_output,
            source,
            _agreement(verdict, theirs),
            caught,
        )

    def _in_r(self, case: Case) -> tuple[Outcome, str, str, Against]:
        code = "\n".join(r_lines(case))
        if self.live and not self.live.find_missing(case.package) and case.level != "endless":
            # what is shown is what runs: the readable inputs, not the lossless ones
            theirs = self.live.evaluate_case(replace(case, r=code, inputs={}))
            return theirs, _r_prints(code), f"R, live ({self._versions(self.live, case)})", "live"
        theirs_recorded = self.recording.get_outcome(case) if self.recording else None
        if theirs_recorded is None:
            raise ComparisonFailed(
                f"{case.id}: R cannot be asked here, and this very comparison is not recorded. Build where R "
                "and its packages are installed, or record it: nox -s parity -- --record"
            )
        versions = self._versions(self.recording, case)
        return theirs_recorded, _as_printed(theirs_recorded), f"R, recorded ({versions})", "recorded"

    @staticmethod
    def _versions(side: LiveRSession | Recording, case: Case) -> str:
        own = side.versions.get(case.package, "")
        return f"R {side.versions.get('R', '?')}" + (f", {case.package} {own}" if own else "")


def _in_python(case: Case, lines: Sequence[str]) -> tuple[Outcome, list[str], str, tuple[tuple[str, str], ...]]:
    """Return the outcome, the lines with what makes the numbers visible, the output, the warnings."""
    try:
        outcome, done = evaluate_code("\n".join(lines), {"__name__": "__main__"}, case.seed)
    except Exception as raised:
        raise ComparisonFailed(f"{case.id}: the Python code raises {raised!r}") from raised
    shown, value = list(lines), done.value
    if isinstance(value, (list, tuple)) and value and all(isinstance(v, DPResults) for v in value):
        shown = folded([*_named(shown), "[each.estimate for each in results]"])
        value = [each.estimate for each in value]
    elif isinstance(value, DPResults):
        shown = folded([*shown[:-1], f"{shown[-1]}.estimate"])
        value = value.estimate
    elif isinstance(value, DPResultsPair):
        value = {name: part.estimate for name, part in value.items()}
    error = f"PydpstatError: {outcome.error}"
    output = printed(value) if done.error is None else "\n".join(textwrap.wrap(error, WIDTH))
    notes = dict.fromkeys((warning.row, str(warning)) for warning in done.warnings)
    return outcome, shown, output, tuple(notes)


def _named(lines: Sequence[str]) -> list[str]:
    """Give the value of the last expression a name."""
    start = ast.parse("\n".join(lines)).body[-1].lineno - 1
    return [*lines[:start], f"results = {lines[start]}", *lines[start + 1 :]]


def printed(value: object, width: int = WIDTH) -> str:
    """Return a value as an interactive session shows it, at a width that fits a page."""
    import pandas as pd

    with np.printoptions(linewidth=width), pd.option_context("display.width", width):
        if isinstance(value, (dict, list, tuple)) and not hasattr(value, "_fields"):
            text = pprint.pformat(value, width=width, sort_dicts=False)
        else:
            text = repr(value)
    return _shortened("\n".join(folded([text], width)) if "\n" not in text else text)


def _shortened(text: str) -> str:
    lines = text.splitlines()
    return "\n".join(lines if len(lines) <= _LINES else [*lines[: _LINES - 1], "..."])


def _r_prints(code: str) -> str:
    from rpy2 import robjects

    return _shortened("\n".join(map(str, robjects.r(_PRINTED)(code))))


def _as_printed(outcome: Outcome) -> str:
    """Return a recorded outcome in the form in which R prints a vector."""
    if outcome.error:
        return f"Error: {outcome.error}"
    return _shortened("\n".join(format_vector_lines(outcome.values, outcome.labels, WIDTH)))


def _agreement(verdict: Verdict, theirs: Outcome) -> str:
    case, count = verdict.case, len(theirs.values)
    if case.level == "error":
        return "Both languages stop."
    if case.level in DIFFERENCE_LEVELS:
        return f"A difference on purpose: {case.reason or 'R never returns here; Python stops'}."
    if not count:
        return "Both languages give the same words."
    what = f"{count:,} numbers" if count > 1 else "One number"
    if count <= 3:
        what += f" ({', '.join(map(repr, theirs.values))})"
    if verdict.difference == 0.0:
        return f"{what}, equal bit for bit."
    reason = f": {case.reason}" if case.reason else ""
    if case.level == "rtol":
        return f"{what}, equal to a relative {verdict.difference:.1g} (allowed {case.tolerance:g}){reason}."
    allowed = case.tolerance + (case.recorded_ulp if verdict.against == "recorded" else 0.0)
    return f"{what}, equal to {verdict.difference:g} units in the last place (allowed {allowed:g}){reason}."
