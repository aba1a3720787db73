"""Warnings about choices by the exponential mechanism: their texts."""

from __future__ import annotations

from pydpstat.privacy_warnings.warn import warn


def infinite_upper_bound(function: str) -> None:
    """Warn that an infinite interval makes the choice certain."""
    own = function.removesuffix("DP")
    warn(
        f"{function} with upper_bound=inf always takes the lowest interval, whose upper end is the "
        f"smallest record: its epsilon is infinite. Use pydpstat.{own}, or give a finite public upper bound.",
        row="9",
        use=own,
    )
