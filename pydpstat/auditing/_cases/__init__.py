"""What the command audits: the originals' known defects, and all of pydpstat's functions."""

from __future__ import annotations

from pydpstat.auditing._cases.case import Case


def all_cases() -> tuple[Case, ...]:
    """Return all cases, the defects first."""
    from pydpstat.auditing._cases import (
        groups,
        inference_means,
        inference_proportions,
        inference_ranks,
        originals,
        ranks_and_cells,
        statistics,
        survey,
    )

    return (
        *originals.CASES,
        *statistics.CASES,
        *groups.CASES,
        *ranks_and_cells.CASES,
        *inference_means.CASES,
        *inference_proportions.CASES,
        *inference_ranks.CASES,
        *survey.CASES,
    )


__all__ = ["Case", "all_cases"]
