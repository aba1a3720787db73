"""Cases and outcomes that the comparison's tests share."""

from __future__ import annotations

from pydpstat.parity.case import Case


def case(**fields):
    defaults = {"id": "meanDP/a test", "function": "meanDP", "package": "DPpack", "r": "1", "python": "1"}
    return Case(**{**defaults, **fields})
