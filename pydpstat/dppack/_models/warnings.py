"""Warnings about DPpack's models: their texts and figures."""

from __future__ import annotations

import math

from pydpstat._warn import warn


def other_gamma(epsilon: float, gamma: float, kept: float) -> None:
    """Warn that LogisticRegressionDP regularizes with 1 where its noise is made for gamma."""
    figure = f"up to epsilon {kept:.4g}" if math.isfinite(kept) else "infinite epsilon"
    warn(
        "LogisticRegressionDP regularizes with 1 whatever gamma is, but its noise is made for "
        f"gamma={gamma:g}: it can lose {figure}, not {epsilon:g}. Use gamma=1.",
        row="C1",
        use="LogisticRegressionDP",
    )


def saturation(function: str, epsilon: float, probability: float) -> None:
    """Warn that the noise of objective perturbation can drive a prediction to 1, where R's loss is NaN."""
    warn(
        f"{function} with objective perturbation cannot pass a linear predictor of 36.74 for a record in the "
        "data, because R's cross-entropy is NaN there: which coefficients can come out depends on the data "
        f"(epsilon infinite, not {epsilon:g}). The noise alone leads there with probability "
        f"{probability:.2g}. Use perturbation_method='output' with gamma=1, or svmDP.",
        row="C9",
        use="svmDP",
    )


def wrong_gradient(function: str) -> None:
    """Warn that mapXy_gr_sigmoid is no gradient where there are two columns or more."""
    warn(
        f"{function} got mapXy_gr_sigmoid, which is not the gradient of mapXy_sigmoid for two or more "
        "coefficients. The minimiser stops elsewhere than at the minimum, so nothing is proven (epsilon "
        "infinite). Use LogisticRegressionDP with gamma=1, or leave mapXy_gr out.",
        row="C3",
        use="LogisticRegressionDP",
    )


def long_records(function: str, norm: float, epsilon: float, kept: float) -> None:
    """Warn that the bounds allow records longer than 1."""
    figure = f"epsilon {kept:.4g}" if math.isfinite(kept) else "nothing (epsilon infinite)"
    warn(
        f"{function} needs records of length at most 1 and does not scale them; these bounds allow length "
        f"{norm:.4g}. It keeps {figure}, not {epsilon:g}. Divide the columns and their bounds by "
        "that length, or use LogisticRegressionDP or svmDP, which scale.",
        row="C4",
        use="LogisticRegressionDP",
    )


def replaced_record(function: str, epsilon: float, delta: float, kept: float) -> None:
    """Warn that the proof is about one record added or removed, and give what a replaced one keeps."""
    figure = f"epsilon {kept:.4g}" if math.isfinite(kept) else "no finite epsilon"
    at = f" (at delta {delta:g})" if delta else ""
    warn(
        f"{function} is proven for one record added or removed. For one replaced record it keeps "
        f"{figure}{at}, not {epsilon:g}. Use an eps that is smaller in proportion, or speak of added "
        "and removed records.",
        row="C5",
        use=function,
    )


def rough_minimum(function: str) -> None:
    """Warn that the proof is about the exact minimum, which the optimizer does not look for."""
    warn(
        f"{function} is proven for the exact minimum, but R's optimiser stops at a relative step of 1e-4 "
        "or after 100 evaluations, and nobody checks how far off it is: in 1,200 random fits up to 3 % "
        "of the largest coefficient. What that costs is not known; guarantee leaves it out. "
        "Use an eps with a margin.",
        row="C6",
        use=function,
    )


def no_promise(function: str, name: str, value: float, advice: str = "") -> None:
    """Warn that an argument that R does not check leaves nothing of the promise."""
    advice = advice or f"{name} above 0 and finite"
    warn(
        f"{function} takes {name}={value:g} as R does, but nothing is proven then (epsilon infinite). "
        f"Use {advice}.",
        row="C8",
        use=function,
    )


def large_delta(function: str, delta: float, epsilon: float, proven: float) -> None:
    """Warn that a delta of 1 or more promises nothing, and give the one that is proven."""
    truth = f"delta {proven:.3g} is proven" if proven < 1.0 else "no delta below 1 is proven"
    warn(
        f"{function} with delta={delta:g} promises nothing. For one replaced record and epsilon {epsilon:g} "
        f"{truth}. Use a delta far below 1/n.",
        row="C8",
        use=function,
    )


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
