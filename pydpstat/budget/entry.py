"""One line of a ledger: a call without data, what it guarantees, and when."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from pydpstat.privacy import Guarantee


@dataclass(frozen=True, slots=True)
class Entry:
    """A spend.

    Parameters
    ----------
    call : str
        The call, without data.
    epsilon, delta : float
        What the release keeps.
    rho : float or None
        Its zero-concentrated privacy.
    loss : str
        Its privacy loss as text; empty where it is not known.
    conditions : str
        Its conditions, one a line.
    time : str
        When, in UTC.
    process : int
        The process's number.

    Examples
    --------
    >>> entry = Entry.of(Guarantee(0.5), "mean(income)")
    >>> entry.call, entry.epsilon
    ('mean(income)', 0.5)
    """

    call: str
    epsilon: float
    delta: float
    rho: float | None
    loss: str
    conditions: str
    time: str
    process: int

    def row(self) -> tuple[str | float | None, ...]:
        """Return the fields in order."""
        return (
            self.call,
            self.epsilon,
            self.delta,
            self.rho,
            self.loss,
            self.conditions,
            self.time,
            self.process,
        )

    @classmethod
    def of(cls, guarantee: Guarantee, call: str) -> Entry:
        """Return the entry of a release that is made now."""
        return cls(
            call,
            guarantee.epsilon,
            guarantee.delta,
            guarantee.rho,
            "" if guarantee.loss is None else repr(guarantee.loss),
            "\n".join(guarantee.conditions),
            time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            os.getpid(),
        )
