"""The summary of an estimate behind randomised answers, in statsmodels' form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pydpstat.local._intervals import KINDS
from pydpstat.results._summary import MOST_ROWS, number, wrapped

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary

    from pydpstat.local.results import ResponseResults

_MOST_NAME = 16


def summary(result: ResponseResults, alpha: float) -> Summary:
    """Return the design's facts, two rows a category (one a kind of randomness), and notes."""
    from pydpstat.results._summary_page import SummaryPage

    design = result.design._response
    nothing = np.isinf(result.guarantee.epsilon)
    facts = [
        ("Categories:", str(len(result.design.categories))),
        ("No. Answers:", str(result.nobs)),
        ("Estimate:", {"moment": "moment", "ml": "maximum likelihood"}[result.method]),
        ("Truth answered:", f"with probability {number(design.true)}"),
        ("Epsilon, each answer:", "infinite" if nothing else number(result.epsilon)),
        ("Neighbors:", "one person's value replaced"),
    ]
    names, cells, left_out = _rows(result, alpha)
    headers = ("moment", "ml", "count", "std err", f"[{alpha / 2:.4g}", f"{1 - alpha / 2:.4g}]")
    return SummaryPage(facts, headers, names, cells, _notes(result, left_out), "Randomized Response")


def _rows(result: ResponseResults, alpha: float) -> tuple[list[str], list[list[str]], int]:
    frames = [result.to_frame(alpha, kind) for kind in KINDS]
    names, cells = [], []
    labels = result.labels.elements(result.value)
    for place, label in enumerate(labels[: MOST_ROWS // 2]):
        for kind, frame in zip(KINDS, frames):
            row = frame.iloc[place]
            shown = label if len(label) <= _MOST_NAME else f"{label[: _MOST_NAME - 3]}..."
            names.append(f"{shown}, {kind}" if result.value.ndim else kind)
            values = (row[f"se {kind}"], row["lower"], row["upper"])
            cells.append([number(each) for each in (row["moment"], row["ml"], row["count"], *values)])
    return names, cells, 2 * max(0, len(labels) - MOST_ROWS // 2)


def _notes(result: ResponseResults, left_out: int) -> list[str]:
    if np.isinf(result.guarantee.epsilon):
        notes = ["Nothing is guaranteed: some answer tells the truth for certain."]
    else:
        notes = [f"Holds: {result.guarantee}.", f"Conditions: {'; '.join(result.guarantee.conditions)}."]
    notes += [
        "randomization: the persons are fixed, their answers random. population: the persons are a random "
        "sample, too; its standard error and interval hold both.",
        "moment: unbiased, may be outside 0 to 1. ml: maximum likelihood, from 0 to 1. Intervals: Blaker's, "
        "which miss with probability alpha at most, each by itself.",
    ]
    if left_out:
        notes.append(f"{left_out} more rows: to_frame() has them all.")
    notes.append(f"Call: {result.call}")
    return wrapped(notes)
