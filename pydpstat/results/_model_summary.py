"""The summary of a fitted model in statsmodels' form: how it was fitted, then its coefficients."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

import numpy as np

from pydpstat.results import _stated as stated
from pydpstat.results._summary import MOST_ROWS, number, wrapped

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary

    from pydpstat.results.model_results import ModelResults


def summary(result: ModelResults, alpha: float) -> Summary:
    """Return the two tables and the notes of a fitted model."""
    from pydpstat.results._summary_page import SummaryPage

    stubs, cells = _estimates(result, alpha)
    headers = ("coef", "noise sd", f"[{alpha / 2:.4g}", f"{1 - alpha / 2:.4g}]")
    return SummaryPage(
        _description(result), headers, stubs, cells, _notes(result), beside=stated.lines(result)
    )


def _description(result: ModelResults) -> list[tuple[str, str]]:
    return [
        ("Model:", result.model),
        ("Perturbation:", result.perturbation),
        ("No. Observations:", "private" if result.nobs is None else str(result.nobs)),
        ("Gamma:", number(result.gamma)),
        *result.facts,
    ]


def _estimates(result: ModelResults, alpha: float) -> tuple[list[str], list[list[str]]]:
    if result.noise is None:
        errors = low = high = np.full(result.coeff.shape, math.nan)
    else:
        errors = result.noise.std()
        low, high = result._interval(alpha)
    cells = [[number(cell) for cell in row] for row in zip(result.coeff, errors, low, high)]
    return [textwrap.shorten(name, 32) for name in result.names[:MOST_ROWS]], cells[:MOST_ROWS]


def _notes(result: ModelResults) -> list[str]:
    notes = stated.notes(result, result.model)
    if result.noise is None:
        notes.append("The noise entered the objective: its effect on a coefficient has no public law.")
    else:
        notes.append("The intervals cover the privacy noise only, each on its own: not sampling.")
    if result.coeff.size > MOST_ROWS:
        notes.append(f"{result.coeff.size - MOST_ROWS} more rows: to_frame() has them all.")
    notes.append(f"Call: {result.call}")
    return wrapped(notes)
