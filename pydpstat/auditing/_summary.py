"""The summary of an audit in statsmodels' form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydpstat.results._summary import wrapped

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary

    from pydpstat.auditing.results import AuditedEvent, AuditResults


def summary(result: AuditResults) -> Summary:
    """Return the facts, the counted events as rows, and the witness in words."""
    from pydpstat.results._summary_page import SummaryPage

    claim = result.claim
    facts = [
        ("Release:", result.release),
        ("Claimed epsilon:", "-" if claim is None else f"{claim.epsilon:.6g}"),
        ("Claimed delta:", "-" if claim is None else f"{claim.delta:.6g}"),
        ("Epsilon at least:", f"{result.epsilon_lower:.4f}"),
        ("Verdict:", result.verdict),
        ("Confidence:", f"{result.confidence:.6g}"),
        ("Draws (data):", f"{result.draws[0]:,}"),
        ("Draws (neighbour):", f"{result.draws[1]:,}"),
    ]
    headers = ("epsilon >=", "p", "p >=", "q", "q <=")
    cells = [_cells(event) for event in result.events]
    names = [f"event {place}" for place in range(1, len(cells) + 1)]
    return SummaryPage(facts, headers, names, cells, _notes(result), "Audit of a Release")


def _cells(event: AuditedEvent) -> list[str]:
    shown = (event.p, event.p_lower, event.q, event.q_upper)
    return [f"{event.epsilon_lower:.4f}", *(f"{value:.4g}" for value in shown)]


def _notes(result: AuditResults) -> list[str]:
    notes = [f"Event 1, likelier under {_the(result.events[0])}: {result.witness}."]
    if result.only_under_one:
        notes.append("It occurred only under one of the two data sets.")
    notes += [
        f"Event {place}, likelier under {_the(event)}: {event.words}."
        for place, event in enumerate(result.events[1:], start=2)
    ]
    notes.append("p: probability where the event is likelier; q: under the other data set.")
    notes.append(
        f"All bounds hold together with probability {result.confidence:.6g}: a release that keeps its "
        f"claim is accused with probability {1.0 - result.confidence:.2g} at most."
    )
    notes.append(
        "No violation found is no proof. The page describes the data given: audit with made-up data."
    )
    return wrapped(notes)


def _the(event: AuditedEvent) -> str:
    return f"the {event.likelier_under}"
