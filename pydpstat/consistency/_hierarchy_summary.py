"""The summary of a hierarchy: facts, the values before and after, notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pydpstat.results._summary import MOST_ROWS, number, wrapped

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary

    from pydpstat.consistency.hierarchy_results import HierarchyFit

HEADERS = ("noisy", "noise sd", "estimate", "std err")


def summary(fit: HierarchyFit) -> Summary:
    """Return the page of a fit, or of a release."""
    from pydpstat.results._summary_page import SummaryPage

    hierarchy = fit.hierarchy
    facts = [
        ("Method:", fit.method),
        ("Levels:", str(len(hierarchy.sizes))),
        ("Nodes:", str(hierarchy.nodes)),
        ("Leaves:", str(hierarchy.leaves)),
        ("Whole numbers:", "yes" if fit.values[0].dtype.kind == "i" else "no"),
        ("Largest gap:", number(fit.largest_gap)),
        *fit.facts(),
    ]
    names = hierarchy.names()[:MOST_ROWS]
    columns = [
        np.concatenate(part)[:MOST_ROWS]
        for part in (fit.noisy_values, fit.variances, fit.values, fit.spreads or fit.variances)
    ]
    cells = [
        [number(noisy), _sd(variance), number(value), _sd(spread) if fit.spreads else "-"]
        for noisy, variance, value, spread in zip(*columns)
    ]
    notes = wrapped([*_notes(fit), *fit.notes()])
    return SummaryPage(facts, HEADERS, names, cells, notes, fit.title, fit.privacy())


def _sd(variance: float) -> str:
    return number(np.sqrt(variance)) if np.isfinite(variance) else "-"


def _notes(fit: HierarchyFit) -> list[str]:
    notes = [f"Post-processing: {', '.join(fit.postprocessing)}."]
    if fit.reason:
        notes.append(f"No standard errors: {fit.reason}.")
    elif fit.values[0].dtype.kind == "i":
        notes.append("Standard errors are those of the noise, before rounding.")
    left_out = fit.hierarchy.nodes - MOST_ROWS
    if left_out > 0:
        notes.append(f"{left_out} more rows: to_frame() has them all.")
    return notes
