"""Warnings about the models with objective perturbation inside a domain: their texts and figures."""

from __future__ import annotations

import math

from pydpstat.privacy_warnings.warn import warn


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
    """Warn that the proof is about the exact minimum, which the optimiser does not look for."""
    warn(
        f"{function} is proven for the exact minimum, but R's optimiser stops at a relative step of 1e-4 "
        "or after 100 evaluations, and nobody checks how far off it is: in 1,200 random fits up to 3 % "
        "of the largest coefficient. What that costs is not known; guarantee leaves it out. "
        "Use an eps with a margin.",
        row="C6",
        use=function,
    )


def no_promise(function: str, name: str, value: float) -> None:
    """Warn that an argument that R does not check leaves nothing of the promise."""
    advice = {"eps": "a finite eps", "gamma": "a gamma of at least 0"}.get(name, f"another {name}")
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
