"""The summary of an evaluation in statsmodels' form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pydpstat.results._summary import MOST_ROWS, number, one_line, wrapped

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary

    from pydpstat.anonymity.results import AnonymizationResults

NOT_PRIVATE = (
    "A k-anonymous table is not differentially private: it does not say what somebody learns who knows "
    "more than the quasi-identifiers, and all rows of a group may share a secret (l_diversity)."
)


def summary(result: AnonymizationResults) -> Summary:
    """Return the facts, the columns' errors as rows, and what k does not promise."""
    from pydpstat.results._summary_page import SummaryPage

    name = "MSE" if result.squared_error else "RMSE"
    facts = [
        ("k:", f"{result.k:,}"),
        ("No. Groups:", f"{result.groups:,}"),
        ("No. Rows alone:", f"{result.unique_rows:,}"),
        ("Risk 1/k:", f"{100.0 * result.risk:.4g} %"),
        ("No. Observations:", f"{result.nobs:,}"),
        ("Quasi-identifiers:", str(len(result.columns))),
        (f"Mean {name}:", number(result.mean_error)),
        ("Loss (SSE/SST):", f"{result.loss:.6g}"),
    ]
    shown = list(zip(result.errors.index, result.errors, result.relative_errors))[:MOST_ROWS]
    cells = [[number(error), f"{relative:.4f}"] for _, error, relative in shown]
    names = [one_line(str(label)) for label, _, _ in shown]
    headers = (name, "RMSE / sd")
    return SummaryPage(facts, headers, names, cells, _notes(result), "Anonymization of a Table")


def _notes(result: AnonymizationResults) -> list[str]:
    notes = [f"k is about the columns {', '.join(one_line(str(name)) for name in result.columns[:12])}"]
    notes[0] += f" and {len(result.columns) - 12} more." if len(result.columns) > 12 else "."
    if np.isnan(result.errors.to_numpy()).any():
        notes.append("nan: no numbers in one of the tables, so no error and no part in the loss.")
    if len(result.errors) > MOST_ROWS:
        notes.append(f"{len(result.errors) - MOST_ROWS} more columns: errors has them all.")
    notes.append(NOT_PRIVATE)
    notes.append("The figures are computed from the original without noise: they are no release.")
    return wrapped(notes)
