"""Cases of the audit command: the originals' known defects, and all of pydpstat's functions."""

from __future__ import annotations

from pydpstat.auditing._cases.case import Case

__all__ = ["Case", "all_cases"]


def all_cases() -> tuple[Case, ...]:
    """Return all cases, the defects first."""
    from pydpstat.auditing._cases import groups, inference, models, originals, statistics

    cases = (*statistics.CASES, *groups.CASES, *inference.COUNTS, *models.LOGIT, *inference.MEANS)
    return (*originals.CASES, *cases, *inference.RANKS, *models.OLS, *inference.TABLES)
