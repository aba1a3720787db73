"""What the command audits: the originals' known defects, and all own functions."""

from __future__ import annotations

from pydpstat.auditing._cases.case import Case


def all_cases() -> tuple[Case, ...]:
    """Return all cases, the defects first."""
    from pydpstat.auditing._cases import models, originals, own

    return (*originals.CASES, *models.CASES, *own.CASES)


__all__ = ["Case", "all_cases"]
