"""Warnings about DPpack's statistics and about noise: their texts and figures."""

from __future__ import annotations

from pydpstat.privacy_warnings.warn import warn

# the package's own counterparts; pooled moments have none
_OWN = {"meanDP": "mean", "varDP": "var", "sdDP": "std", "covDP": "cov"}


def redrawn(function: str, epsilon: float) -> None:
    """Warn that Laplace noise redrawn until the result is positive keeps less than epsilon."""
    from pydpstat.mechanisms.laplace import truncated_positive_epsilon

    kept = truncated_positive_epsilon(epsilon)
    own = _OWN.get(function)
    instead = f"pydpstat.{own}, which draws once and cuts the result at 0" if own else "mechanism='analytic'"
    warn(
        f"{function} with Laplace noise repeats the draw until the result is positive. It keeps "
        f"epsilon {kept:.4f}, not {epsilon:g}. Use {instead}.",
        row="2",
        use=own or function,
    )


def noise_scale_tells_n(function: str) -> None:
    """Warn that the noise scale of a moment reveals the number of records."""
    own = _OWN.get(function)
    instead = f"pydpstat.{own} with neighbors='unbounded', or " if own else ""
    warn(
        f"{function} with which_sensitivity='unbounded' or 'both' claims to hide the number of records n, "
        "but its noise scale is proportional to 1/n. For added or removed records the pure epsilon is "
        f"infinite, and at the claimed epsilon delta is about 0.18/n. Use {instead}"
        "which_sensitivity='bounded' and treat n as public.",
        row="5",
        use=own or function,
    )


def breaks_from_data() -> None:
    """Warn that a histogram's breaks come from the data."""
    warn(
        "histogramDP publishes breaks computed from the data: its epsilon is infinite. "
        "Use pydpstat.histogram with public edges, or give breaks as a vector that spans lower_bound and "
        "upper_bound and was chosen without the data.",
        row="4",
        use="histogram",
    )


def levels_from_data() -> None:
    """Warn that a table's levels come from the data."""
    warn(
        "tableDP publishes levels found in the data: its epsilon is infinite, and delta can reach 1. "
        "Use pydpstat.crosstab with public levels, or give every variable as a pandas Categorical with "
        "publicly known levels.",
        row="8",
        use="crosstab",
    )


def sign_geometric(epsilon: float, kept: float, delta: float) -> None:
    """Warn that a random sign times a geometric variable is not the symmetric geometric law."""
    warn(
        "symmetric_geometric_noise with method='sign' gives 0 twice the weight of the symmetric "
        f"geometric law. It keeps epsilon {kept:.4f}, not {epsilon:g}; at epsilon {epsilon:g} its delta "
        f"is {delta:.4f}. Use method='difference'.",
        row="1",
        use="symmetric_geometric",
    )


def large_delta(function: str, delta: float, epsilon: float, exact: float) -> None:
    """Warn that a delta of 1 or more promises nothing."""
    truth = (
        "the noise is zero and the true value is published"
        if exact == 1.0
        else (f"the noise is so small that at epsilon {epsilon:g} the exact delta is {exact:.3g}")
    )
    warn(
        f"{function} with delta={delta:g} promises nothing: {truth}. Use a delta far below 1/n.",
        row="delta",
        use=function,
    )


def loose_calibration(claimed: float, exact: float) -> None:
    """Warn that R's absolute stopping rule missed a small delta."""
    warn(
        f"R's analytic calibration stops at an absolute tolerance. At this epsilon its exact delta is "
        f"{exact:.3g}, {exact / claimed:.3g} times the claimed {claimed:g}. "
        "Use pydpstat.calibrate_gaussian, or a tol far below delta.",
        row="11",
        use="calibrate_gaussian",
    )
