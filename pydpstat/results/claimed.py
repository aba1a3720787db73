"""What every result says of the claim it was made under, and of its call."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydpstat.privacy import Guarantee
    from pydpstat.results.call import Call
    from pydpstat.results.model_call import ModelCall


class Claimed:
    """A result with a claim and a record of its call."""

    __slots__ = ()

    claim: Guarantee
    record: Call | ModelCall

    @property
    def epsilon(self) -> float:
        """The epsilon that was asked for; `guarantee` has the one that holds."""
        return self.claim.epsilon

    @property
    def delta(self) -> float:
        """The delta that was asked for; `guarantee` has the one that holds."""
        return self.claim.delta

    @property
    def neighbors(self) -> str:
        """The neighbouring data sets of the claim: "bounded" or "unbounded"."""
        return self.claim.neighbors

    @property
    def call(self) -> str:
        """The call in Python, with the data arguments' names in place of data."""
        return self.record.python()
