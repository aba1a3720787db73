"""Warnings about DPpack's statistics, models and noise: messages and their figures."""

from __future__ import annotations

import math

from pydpstat._warn import note_r_warning, warn_large_epsilon, warn_privacy
from pydpstat.privacy import Guarantee

# pydpstat's counterparts; pooled moments have none
_COUNTERPARTS = {"meanDP": "mean", "varDP": "var", "sdDP": "std", "covDP": "cov"}


def note_single_value(function: str) -> None:
    """Note that the sensitivity is the same for bounded and unbounded neighbors, so that one value is released."""
    note_r_warning(f"{function}: bounded and unbounded sensitivity are the same here, so one value is returned.")


def warn_large_eps(eps: float) -> None:
    """Warn of a large privacy parameter `eps` of a mirror."""
    warn_large_epsilon(eps, "eps")


def warn_redrawn_noise(function: str, epsilon: float) -> None:
    """Warn that Laplace noise redrawn until the result is positive does not satisfy the claimed epsilon."""
    from pydpstat.mechanisms.laplace import truncated_positive_epsilon

    actual = truncated_positive_epsilon(epsilon)
    counterpart = _COUNTERPARTS.get(function)
    instead = (
        f"pydpstat.{counterpart}, which draws once and clips the result at 0" if counterpart else "mechanism='analytic'"
    )
    warn_privacy(
        f"{function} with Laplace noise repeats the draw until the result is positive. Its true "
        f"epsilon is {actual:.4f}, not {epsilon:g}. Use {instead}.",
        row="2",
        use=counterpart or function,
    )


def warn_scale_reveals_size(
    function: str, guarantee: Guarantee, relative: float | None = None, n: int | None = None
) -> None:
    """Warn that the noise scale of a moment reveals the number n of records.

    `guarantee` is that for one replaced record; its delta is 0 for Laplace noise. `relative` is the ratio of noise
    scale to sensitivity if removing a record changes the statistic by up to the sensitivity, as for a mean; None
    if no figure is known.
    """
    counterpart = _COUNTERPARTS.get(function)
    instead = f"pydpstat.{counterpart} with neighbors='unbounded', or " if counterpart else ""
    scale = "computed from n" if function.startswith("pooled") else "proportional to 1/n"
    warn_privacy(
        f"{function} with which_sensitivity='unbounded' or 'both' claims to hide the number of records n, "
        f"but its noise scale is {scale}. For added or removed records the pure epsilon is "
        f"infinite, and at the claimed epsilon {_describe_unbounded_delta(guarantee, relative, n)}. "
        f"Use {instead}which_sensitivity='bounded' and treat n as public.",
        row="5",
        use=counterpart or function,
    )


def _describe_unbounded_delta(guarantee: Guarantee, relative: float | None, n: int | None) -> str:
    if guarantee.delta == 0.0:
        return "delta is above 0" if relative is None else "delta is about 0.18/n"
    if not relative or n is None or n < 2:
        return "delta may exceed the claimed one"
    # without one of n records the noise is n / (n - 1) times as wide
    delta = compute_gaussian_pair_delta(guarantee.epsilon, 1.0, relative, relative * n / (n - 1))
    return f"delta is {delta:.3g} for a removed record, and {guarantee.delta:.3g} at most for a replaced one"


def warn_breaks_from_data() -> None:
    """Warn that the breaks of a histogram are computed from the data."""
    warn_privacy(
        "histogramDP publishes breaks computed from the data: its epsilon is infinite. "
        "Use pydpstat.histogram with public edges, or give breaks as a vector that spans lower_bound and "
        "upper_bound and was chosen without the data.",
        row="4",
        use="histogram",
    )


def warn_levels_from_data() -> None:
    """Warn that the levels of a table are those of the data."""
    warn_privacy(
        "tableDP publishes levels found in the data: its epsilon is infinite, and delta can reach 1. "
        "Use pydpstat.crosstab with public levels, or give every variable as a pandas Categorical with "
        "publicly known levels.",
        row="8",
        use="crosstab",
    )


def warn_large_delta(function: str, delta: float, epsilon: float, exact_delta: float) -> None:
    """Warn that a delta of 1 or more guarantees nothing."""
    truth = (
        "the noise is zero and the true value is published"
        if exact_delta == 1.0
        else (f"the noise is so small that at epsilon {epsilon:g} the exact delta is {exact_delta:.3g}")
    )
    warn_privacy(
        f"{function} with delta={delta:g} guarantees nothing: {truth}. Use a delta far below 1/n.",
        row="delta",
        use=function,
    )


def warn_loose_calibration(claimed_delta: float, exact_delta: float) -> None:
    """Warn that R's absolute stopping rule missed a small delta."""
    warn_privacy(
        f"R's analytic calibration stops at an absolute tolerance. At this epsilon its exact delta is "
        f"{exact_delta:.3g}, {exact_delta / claimed_delta:.3g} times the claimed {claimed_delta:g}. "
        "Use pydpstat.calibrate_gaussian, or a tol far below delta.",
        row="11",
        use="calibrate_gaussian",
    )


def warn_infinite_upper_bound(function: str) -> None:
    """Warn that an interval of infinite length is selected with certainty."""
    counterpart = function.removesuffix("DP")
    warn_privacy(
        f"{function} with upper_bound=inf always chooses the lowest interval, whose upper end is the "
        f"smallest record: its epsilon is infinite. Use pydpstat.{counterpart}, or give a finite public upper "
        "bound.",
        row="9",
        use=counterpart,
    )


def warn_gamma_mismatch(epsilon: float, gamma: float, guaranteed_epsilon: float) -> None:
    """Warn that LogisticRegressionDP regularizes with 1, whereas its noise is calibrated to gamma."""
    figure = f"up to epsilon {guaranteed_epsilon:.4g}" if math.isfinite(guaranteed_epsilon) else "infinite epsilon"
    warn_privacy(
        "LogisticRegressionDP always regularizes with 1, but its noise is calibrated to "
        f"gamma={gamma:g}: its privacy loss can be {figure}, not {epsilon:g}. Use gamma=1.",
        row="C1",
        use="LogisticRegressionDP",
    )


def warn_saturation(function: str, epsilon: float, probability: float) -> None:
    """Warn that the noise of objective perturbation can drive a prediction to 1, for which R's loss is NaN."""
    warn_privacy(
        f"{function} with objective perturbation cannot exceed a linear predictor of 36.74 for a "
        "record in the data, because R's cross-entropy is NaN there: the set of possible "
        f"coefficients depends on the data (epsilon is infinite, not {epsilon:g}). The noise alone "
        f"leads there with probability {probability:.2g}. Use perturbation_method='output' with "
        "gamma=1, or svmDP.",
        row="C9",
        use="svmDP",
    )


def warn_wrong_gradient(function: str) -> None:
    """Warn that mapXy_gr_sigmoid is not the gradient for two or more columns."""
    warn_privacy(
        f"{function} got mapXy_gr_sigmoid, which is not the gradient of mapXy_sigmoid for two or more "
        "coefficients. The optimizer does not stop at the minimum, so nothing is proven (epsilon is "
        "infinite). Use LogisticRegressionDP with gamma=1, or leave mapXy_gr out.",
        row="C3",
        use="LogisticRegressionDP",
    )


def warn_long_records(function: str, norm: float, epsilon: float, guaranteed_epsilon: float) -> None:
    """Warn that the bounds allow records with a norm above 1."""
    figure = f"epsilon {guaranteed_epsilon:.4g}" if math.isfinite(guaranteed_epsilon) else "nothing (epsilon infinite)"
    warn_privacy(
        f"{function} needs records of length at most 1 and does not scale them; these bounds allow "
        f"length {norm:.4g}. Its guarantee is {figure}, not {epsilon:g}. Divide the columns and their "
        "bounds by that length, or use LogisticRegressionDP or svmDP, which scale.",
        row="C4",
        use="LogisticRegressionDP",
    )


def warn_replaced_record(function: str, epsilon: float, delta: float, guaranteed_epsilon: float) -> None:
    """Warn that the proof is for one record added or removed, and state the epsilon for one replaced record."""
    figure = f"epsilon {guaranteed_epsilon:.4g}" if math.isfinite(guaranteed_epsilon) else "no finite epsilon"
    at_delta = f" (at delta {delta:g})" if delta else ""
    warn_privacy(
        f"{function} is proven for one record added or removed. For one replaced record its guarantee "
        f"is {figure}{at_delta}, not {epsilon:g}. Use a proportionally smaller eps, or state the guarantee "
        "for added and removed records.",
        row="C5",
        use=function,
    )


def warn_inexact_minimum(function: str) -> None:
    """Warn that the proof assumes the exact minimum, whereas the optimizer stops before it."""
    warn_privacy(
        f"{function} is proven for the exact minimum, but R's optimizer stops at a relative step of "
        "1e-4 or after 100 evaluations, without a check of its error: in 1,200 random fits up to 3 % "
        "of the largest coefficient. The effect on privacy is not known, and guarantee does not "
        "include it. Use an eps with a margin.",
        row="C6",
        use=function,
    )


def warn_no_guarantee(function: str, name: str, value: float, advice: str = "") -> None:
    """Warn that nothing is guaranteed for an argument that R does not check."""
    advice = advice or f"{name} above 0 and finite"
    warn_privacy(
        f"{function} takes {name}={value:g} as R does, but nothing is proven then (epsilon is infinite). Use {advice}.",
        row="C8",
        use=function,
    )


def warn_large_model_delta(function: str, delta: float, epsilon: float, proven_delta: float) -> None:
    """Warn that a delta of 1 or more guarantees nothing, and state the delta that is proven."""
    truth = f"delta {proven_delta:.3g} is proven" if proven_delta < 1.0 else "no delta below 1 is proven"
    warn_privacy(
        f"{function} with delta={delta:g} promises nothing. For one replaced record and epsilon {epsilon:g} "
        f"{truth}. Use a delta far below 1/n.",
        row="C8",
        use=function,
    )


def warn_unclipped_validation(epsilon: float, guaranteed_epsilon: float, bias: bool) -> None:
    """Warn that records outside the bounds determine the selection, and state the guarantee for records inside them."""
    inside = f"epsilon {guaranteed_epsilon:.4g}" if math.isfinite(guaranteed_epsilon) else "no finite epsilon"
    reason = "" if bias else ", because without a bias predictions may lie outside the bounds of y"
    advice = "" if bias else " and add_bias=True"
    inside += reason if guaranteed_epsilon > epsilon else ""
    warn_privacy(
        "tune_linear_regression_model does not clip the validation records to the bounds: one record "
        "far outside decides which model is chosen, so its epsilon is infinite. If every record lies "
        f"inside the bounds, the choice satisfies {inside}. Clip X and y to the bounds before the "
        f"call{advice}.",
        row="C2",
        use="tune_linear_regression_model",
    )


def compute_gaussian_pair_delta(epsilon: float, shift: float, narrow: float, wide: float) -> float:
    """Compute the smallest delta between ``N(0, narrow^2)`` and ``N(shift, wide^2)``, the larger of both directions.

    Epsilon is at least 0, and `wide` larger than `narrow`. The absolute rounding error is about 1e-15.

    The logarithm of the ratio of densities is a quadratic function, so the set where it exceeds
    epsilon lies between two roots, and for the other direction outside two others.

    Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for differential privacy:
    analytical calibration and optimal denoising. ICML 2018, Theorem 5.

    >>> f"{compute_gaussian_pair_delta(1.0, 1.0, 4.224678889, 4.224678889 * 1000 / 999):.3g}"
    '1.41e-06'
    """
    # in units of `narrow`, whose square may underflow or overflow
    shift, wide, excess = shift / narrow, wide / narrow, (wide - narrow) / narrow
    # log(p / q) = level - (slope * x + curvature * x^2)
    slope = shift / wide**2
    curvature = 0.5 * excess * (wide + 1.0) / wide**2
    level = 0.5 * (shift / wide) ** 2 + math.log(wide)
    inside = 0.0
    if slope**2 + 4.0 * curvature * (level - epsilon) > 0.0:
        low, high = _solve_quadratic(curvature, slope, level - epsilon)
        inside = _compute_central_weight(low, high, 0.0) - _compute_central_weight(
            (low - shift) / wide, (high - shift) / wide, epsilon
        )
    low, high = _solve_quadratic(curvature, slope, level + epsilon)
    outside = _compute_tail_weight((low - shift) / wide, (high - shift) / wide, 0.0) - _compute_tail_weight(
        low, high, epsilon
    )
    return min(1.0, max(inside, outside, 0.0))


def _solve_quadratic(a: float, b: float, c: float) -> tuple[float, float]:
    """Return the roots of ``a x^2 + b x = c`` for a > 0 and b > 0, without cancellation."""
    half_sum = -0.5 * (b + math.sqrt(b * b + 4.0 * a * c))
    roots = (half_sum / a, -c / half_sum)
    return min(roots), max(roots)


def _compute_central_weight(low: float, high: float, log_factor: float) -> float:
    """Return exp(log_factor) times the standard normal probability between two points."""
    if low > 0.0:
        low, high = -high, -low
    return _compute_lower_tail(high, log_factor) - _compute_lower_tail(low, log_factor)


def _compute_tail_weight(low: float, high: float, log_factor: float) -> float:
    return _compute_lower_tail(low, log_factor) + _compute_lower_tail(-high, log_factor)


def _compute_lower_tail(z: float, log_factor: float) -> float:
    from scipy.special import log_ndtr

    # the product overflows only if the difference has no meaning
    return math.exp(min(700.0, log_factor + float(log_ndtr(z))))
