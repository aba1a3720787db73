"""Warnings about diffpriv's mechanisms: their texts and figures."""

from __future__ import annotations

from pydpstat._warn import warn


def exact_value(cause: str, use: str) -> None:
    """Warn that no noise is added."""
    warn(
        f"releaseResponse adds no noise with {cause}: the exact value is published and epsilon is infinite. "
        f"Give a finite epsilon and a proven sensitivity above 0, as {use} asks for.",
        row="delta",
        use=use,
    )


def classical_gaussian(epsilon: float, delta: float, exact: float) -> None:
    """Warn that the classical Gaussian formula fails at a large epsilon."""
    warn(
        f"DPMechGaussian's formula is proven for epsilon below 1. At epsilon {epsilon:g} its exact delta is "
        f"{exact:.4g}, not {delta:g}. Use GaussianMechanism with analytic=True, or calibrate_gaussian.",
        row="6",
        use="GaussianMechanism",
    )


def proportional_choice(epsilon: float) -> None:
    """Warn that epsilon and the sensitivity cancel in diffpriv's exponential mechanism."""
    warn(
        "DPMechExponential chooses with probabilities proportional to the qualities: epsilon "
        f"({epsilon:g} here) and the sensitivity cancel, and a response of quality 0 is never chosen. "
        "Its epsilon is infinite. Use pydpstat.choose, or ExponentialMechanism.",
        row="3",
        use="choose",
    )


def sampled_sensitivity(gamma: float | None, use: str) -> None:
    """Warn that a sampled sensitivity gives random differential privacy only."""
    share = "an unknown share" if gamma is None else f"a share of up to {gamma:.4g}"
    name = "choose" if use == "ExponentialMechanism" else "mean"
    own = (
        "pydpstat.choose" if name == "choose" else "a statistic with bounds of its own, such as pydpstat.mean"
    )
    warn(
        "The sensitivity was sampled. This is random differential privacy: it speaks of data whose records "
        f"are drawn independently from the oracle, and for {share} of those data sets nothing holds. For "
        f"other data epsilon is infinite. Use {own}, or prove a sensitivity and use {use}.",
        row="14",
        use=name,
    )


def random_privacy(gamma: float, use: str) -> None:
    """Warn that the parameters ask for random differential privacy only."""
    warn(
        f"DPParamsGam asks for random differential privacy: for a share of up to {gamma:.4g} of the data "
        "sets nothing is promised. (epsilon, delta) holds where the sensitivity given is a proven bound, and "
        f"nothing otherwise. Use DPParamsEps or DPParamsDel with a proven bound, or {use}.",
        row="14",
        use=use,
    )
