"""Warnings about DPpack's models: their texts and figures."""

from __future__ import annotations

import math

from pydpstat.privacy_warnings.warn import warn


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


def no_noise(function: str, name: str, value: float) -> None:
    """Warn that an argument that R does not check leaves nothing of the promise."""
    warn(
        f"{function} takes {name}={value:g} as R does, but nothing is proven then (epsilon infinite). "
        f"Use {name} above 0 and finite.",
        row="C8",
        use=function,
    )
