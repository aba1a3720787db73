"""What the command audits: the originals' known defects, and all of pydpstat's functions."""

from __future__ import annotations

from pydpstat.auditing._cases.case import Case


def all_cases() -> tuple[Case, ...]:
    """Return all cases, the defects first."""
    from pydpstat.auditing._cases import (
        groups,
        inference_counts,
        inference_logit,
        inference_means,
        inference_ranks,
        inference_regression,
        inference_tables,
        originals,
        ranks_and_cells,
        statistics,
    )

    return (
        *originals.CASES,
        *statistics.CASES,
        *groups.CASES,
        *ranks_and_cells.CASES,
        *inference_counts.CASES,
        *inference_logit.CASES,
        *inference_means.CASES,
        *inference_ranks.CASES,
        *inference_regression.CASES,
        *inference_tables.CASES,
    )


__all__ = ["Case", "all_cases"]
