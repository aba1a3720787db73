"""The verdict on one comparison: how far the two sides are apart, and whether that is allowed."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Literal

from pydpstat.parity._evaluate import Outcome
from pydpstat.parity.case import Case

Status = Literal["passed", "failed", "not run"]
Against = Literal["live", "recorded", "-"]
# levels at which Python stops and R does not
DIFFERENT = ("difference", "endless", "refused")


@dataclass(frozen=True)
class Verdict:
    """The result of one comparison, with R as it ran now or as it was recorded.

    The difference is the worst one, in units in the last place (relative for ``"rtol"``). The message says
    what is wrong, or why the comparison did not run.
    """

    case: Case
    status: Status
    against: Against
    difference: float = 0.0
    message: str = ""

    @property
    def name(self) -> str:
        """The case's id."""
        return self.case.id


def compare(case: Case, ours: Outcome, theirs: Outcome, against: Against) -> Verdict:
    """Compare Python's outcome with R's at the level that the case states."""
    message = _disagreement(case, ours, theirs)
    if message or case.level in ("error", *DIFFERENT):
        return Verdict(case, "failed" if message else "passed", against, 0.0, message)
    allowance = case.tolerance
    if against == "recorded" and case.level != "rtol":
        allowance += case.recorded_ulp
    measure = relative_difference if case.level == "rtol" else ulp_difference
    differences = [measure(mine, yours) for mine, yours in zip(ours.values, theirs.values)]
    worst = max(differences, default=0.0)
    if worst > allowance:
        place = differences.index(worst)
        message = (
            f"value {place + 1} of {len(differences)}: R has {theirs.values[place]!r}, "
            f"Python {ours.values[place]!r}; difference {worst:g}, allowed {allowance:g}"
        )
    return Verdict(case, "failed" if message else "passed", against, worst, message)


def _disagreement(case: Case, ours: Outcome, theirs: Outcome) -> str:
    """Return what makes the outcomes differ in kind, or an empty text."""
    if case.draws and case.level not in DIFFERENT and ours.next_uniform != theirs.next_uniform:
        return (
            f"the streams diverge: next uniform {theirs.next_uniform!r} in R, {ours.next_uniform!r} in Python"
        )
    if case.level in DIFFERENT:
        if not ours.error:
            return f"Python returned {ours.values[:3]} but should raise an error"
        usable = theirs.values and all(map(math.isfinite, theirs.values)) and not theirs.error
        if case.level == "difference" and usable:
            return f"R returned {theirs.values[:3]}, a finite number that Python should reproduce"
        return ""
    if bool(ours.error) != bool(theirs.error):
        side, text = ("Python", ours.error) if ours.error else ("R", theirs.error)
        return f"only {side} stops: {text}"
    if case.level == "error":
        return "" if ours.error else "neither side stops"
    if ours.error:
        return f"both sides stop: {theirs.error}"
    if len(ours.values) != len(theirs.values):
        return f"R returns {len(theirs.values)} values, Python {len(ours.values)}"
    if ours.labels != theirs.labels:
        return f"labels differ: {list(theirs.labels[:6])} in R, {list(ours.labels[:6])} in Python"
    return ""


def ulp_difference(a: float, b: float) -> float:
    """Return how many doubles lie between two doubles; 0 only for the same bits (NaN is one value).

    Examples
    --------
    >>> ulp_difference(1.0, 1.0 + 2**-52), ulp_difference(float("nan"), float("nan"))
    (1.0, 0.0)
    """
    if math.isnan(a) or math.isnan(b):
        return 0.0 if math.isnan(a) and math.isnan(b) else math.inf
    return float(abs(_place(a) - _place(b)))


def relative_difference(a: float, b: float) -> float:
    """Return |a - b| / |b|, 0 for equal values."""
    if a == b or (math.isnan(a) and math.isnan(b)):
        return 0.0
    if not (math.isfinite(a) and math.isfinite(b)) or b == 0.0:
        return math.inf
    return abs(a - b) / abs(b)


def _place(x: float) -> int:
    """Return a double's place among all doubles; -0 comes right below +0."""
    bits = struct.unpack("<q", struct.pack("<d", x))[0]
    return bits if bits >= 0 else -(bits & 0x7FFFFFFFFFFFFFFF) - 1
