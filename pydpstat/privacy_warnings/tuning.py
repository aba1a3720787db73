"""Warnings about the choice among models: their texts and figures."""

from __future__ import annotations

import math

from pydpstat.privacy_warnings.warn import warn


def validation_not_clipped(epsilon: float, kept: float, bias: bool) -> None:
    """Warn that records outside the bounds decide the choice, and say what records inside them keep."""
    inside = f"epsilon {kept:.4g}" if math.isfinite(kept) else "no finite epsilon"
    reason = "" if bias else ", because without a bias predictions may lie outside the bounds of y"
    advice = "" if bias else " and add_bias=True"
    inside += reason if kept > epsilon else ""
    warn(
        "tune_linear_regression_model does not move the validation records onto the bounds: one record "
        f"far outside decides which model is chosen, so its epsilon is infinite. If every record lies "
        f"inside the bounds, the choice keeps {inside}. Clip X and y to the bounds before the call{advice}.",
        row="C2",
        use="tune_linear_regression_model",
    )
