"""How a release by diffpriv is written down: the call in Python and in R, without data or functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydpstat.diffpriv.mechanisms import DPMech
from pydpstat.diffpriv.params import DPParamsEps
from pydpstat.results.call import Call, Named

# slots that have no short text; their names stand for them
_NAMED = {name: Named(name) for name in ("target", "responseSet")}


@dataclass(frozen=True, slots=True)
class ReleaseCall(Call):
    """A call whose first arguments are objects that are made in it.

    Parameters
    ----------
    made : tuple of Call
        The constructors' calls.
    """

    made: tuple[Call, ...] = ()

    def python(self) -> str:
        """Return the call as Python would show it."""
        return f"{self.function}({', '.join([*(call.python() for call in self.made), 'X'])})"

    def r(self) -> str | None:
        """Return the same release as an R expression."""
        return f"{self.package}::{self.function}({', '.join([*(str(call.r()) for call in self.made), 'X'])})"


def release_call(mechanism: DPMech, params: DPParamsEps) -> ReleaseCall:
    """Return the call of a release."""
    made = (_constructor(mechanism), _constructor(params))
    return ReleaseCall("releaseResponse", (("X", "X"),), (), "diffpriv", made)


def _constructor(instance: DPMech | DPParamsEps) -> Call:
    values: dict[str, Any] = {name: getattr(instance, name) for name in instance.slots()}
    arguments = ((name, _NAMED.get(name, value)) for name, value in values.items() if value is not None)
    return Call(type(instance).__name__, (), tuple(arguments), "diffpriv")
