"""What every result states of its privacy: first what holds, then the claim it was made under."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pydpstat.privacy import Guarantee

if TYPE_CHECKING:
    from pydpstat.results._call import Call, ModelCall


class Stated:
    """A result with a guarantee, a claim and a record of its call."""

    __slots__ = ()

    claim: Guarantee
    guarantee: Guarantee
    record: Call | ModelCall

    @property
    def epsilon(self) -> float:
        """The epsilon that holds, infinite where nothing does; `claim` has the one that was asked for."""
        return math.inf if is_void(self.guarantee) else self.guarantee.epsilon

    @property
    def delta(self) -> float:
        """The delta that holds, 1 where nothing does; `claim` has the one that was asked for."""
        return 1.0 if is_void(self.guarantee) else self.guarantee.delta

    @property
    def neighbors(self) -> str:
        """The neighboring data sets of what holds, "bounded" or "unbounded"; `claim` has its own."""
        return self.guarantee.neighbors

    @property
    def call(self) -> str:
        """The call in Python, with the data arguments' names in place of data."""
        return self.record.python()

    def _stated(self) -> str:
        """Return what holds in one line, and the claim where it says something else."""
        held, claimed = str(self.guarantee), str(self.claim)
        shown = "nothing holds" if is_void(self.guarantee) else held
        return shown if held == claimed else f"{shown}, claimed {claimed}"


def is_void(guarantee: Guarantee) -> bool:
    """Return whether a guarantee says nothing: its epsilon is infinite or its delta 1.

    Examples
    --------
    >>> is_void(Guarantee(1)), is_void(Guarantee(1, 1)), is_void(Guarantee(math.inf))
    (False, True, True)
    """
    return math.isinf(guarantee.epsilon) or guarantee.delta == 1.0


def lines(result: Stated) -> list[tuple[str, str]]:
    """Return the lines of a summary's facts."""
    from pydpstat.results._summary import number

    nothing, claim = is_void(result.guarantee), result.claim
    return [
        ("Epsilon that holds:", "none" if nothing else number(result.epsilon)),
        ("Delta that holds:", "none" if nothing else number(result.delta)),
        ("Neighbors:", "-" if nothing else result.neighbors),
        ("Claimed epsilon:", number(claim.epsilon)),
        ("Claimed delta:", number(claim.delta)),
        ("Claimed neighbors:", claim.neighbors),
    ]


def notes(result: Stated, function: str) -> list[str]:
    """Return a summary's notes on what holds and on what it rests."""
    guarantee = result.guarantee
    held = f"Holds: {guarantee}."
    if is_void(guarantee):
        held = f"Nothing is guaranteed: see the PrivacyWarning of {function}."
    conditions = [f"Conditions: {'; '.join(guarantee.conditions)}."] if guarantee.conditions else []
    return [held, *conditions]


def plain(result: Stated) -> dict[str, Any]:
    """Return the entries of a dict in plain JSON types; an infinite epsilon is the text "infinite"."""
    return {
        **_pair(result.epsilon, result.delta, result.neighbors),
        "guarantee": plain_guarantee(result.guarantee),
        "claim": plain_guarantee(result.claim),
    }


def plain_guarantee(guarantee: Guarantee) -> dict[str, Any]:
    """Return a guarantee in plain JSON types."""
    pair = _pair(guarantee.epsilon, guarantee.delta, guarantee.neighbors)
    return {**pair, "conditions": list(guarantee.conditions)}


def _pair(epsilon: float, delta: float, neighbors: str) -> dict[str, Any]:
    shown = "infinite" if math.isinf(epsilon) else epsilon
    return {"epsilon": shown, "delta": delta, "neighbors": neighbors}
