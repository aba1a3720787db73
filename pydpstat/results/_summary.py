"""The summary of a release in statsmodels' form: what was released and how, then the estimates."""

from __future__ import annotations

import textwrap
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat.results import _stated as stated

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary

    from pydpstat.results.results import DPResults

WIDTH = 78
MOST_ROWS = 60


def summary(result: DPResults, alpha: float) -> Summary:
    """Return the two tables and the notes of a release."""
    from pydpstat.results._summary_page import SummaryPage

    stubs, cells, left_out = _estimates(result, alpha)
    headers = ("estimate", "noise sd", f"[{alpha / 2:.4g}", f"{1 - alpha / 2:.4g}]")
    nobs = ("No. Observations:", "private" if result.nobs is None else str(result.nobs))
    return SummaryPage(
        _description(result),
        headers,
        stubs,
        cells,
        _notes(result, left_out),
        beside=[*stated.lines(result), nobs],
    )


def number(value: Any) -> str:
    """Return a number with six significant digits, without a sign at zero; anything else as text."""
    return f"{float(value) + 0.0:.6g}" if isinstance(value, Real) else one_line(str(value))


def wrapped(notes: list[str]) -> list[str]:
    """Return notes with lines as wide as the page."""
    return ["\n".join(textwrap.wrap(note, WIDTH)) for note in notes]


def one_line(name: str) -> str:
    """Return a name as a row shows it: in one line, and not too long."""
    name = " ".join(name.split())
    return name if len(name) <= 32 else name[:29] + "..."


def _description(result: DPResults) -> list[tuple[str, str]]:
    bounds = "-" if result.bounds is None else _bounds(result.bounds)
    scale = np.unique(np.atleast_1d(result.noise_scale))
    sensitivity = np.unique(np.atleast_1d(result.sensitivity))
    return [
        ("Statistic:", result.statistic),
        ("Function:", result.record.function),
        ("Mechanism:", result.mechanism),
        ("Noise scale:", "-" if result.noise is None else _range(scale)),
        ("Sensitivity:", _range(sensitivity)),
        ("Bounds:", bounds),
        ("Grid:", "-" if result.grid is None else number(result.grid)),
    ]


def _range(values: np.ndarray) -> str:
    return number(values[0]) if values.size == 1 else f"{number(values.min())} to {number(values.max())}"


def _bounds(bounds: Any) -> str:
    if isinstance(bounds[0], tuple):
        return " x ".join(_bounds(pair) for pair in bounds)
    return f"[{number(bounds[0])}, {number(bounds[1])}]"


def _estimates(result: DPResults, alpha: float) -> tuple[list[str], list[list[str]], int]:
    """Return row names and cells; of a long release the first rows, and how many are left out."""
    names = [one_line(name) for name in result.labels.elements(result.value)]
    estimates = np.ravel(result.value, order="F")
    if result.noise is None:
        errors = low = high = np.full(estimates.shape, np.nan)
    else:
        errors = np.ravel(result.post.standard_error(result.noise, result.value), order="F")
        low, high = (np.ravel(end, order="F") for end in result._interval(alpha))
    cells = [[number(cell) for cell in row] for row in zip(estimates, errors, low, high)]
    return names[:MOST_ROWS], cells[:MOST_ROWS], max(0, len(cells) - MOST_ROWS)


def _notes(result: DPResults, left_out: int) -> list[str]:
    notes = stated.notes(result, result.record.function)
    if result.noise is None:
        notes.append("There is no noise with a public law, so there is no interval.")
    else:
        notes.append("The interval covers the privacy noise only: not sampling, cutting or rounding.")
    if result.postprocessing:
        notes.append(f"Post-processing: {', '.join(result.postprocessing)}.")
    if left_out:
        notes.append(f"{left_out} more rows: to_frame() has them all.")
    notes.append(f"Call: {result.call}")
    return wrapped(notes)
