"""The noise of a fit by the method of Kifer, Smith and Thakurta, and what it keeps."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat.dppack._models import warnings
from pydpstat.dppack._models.domain import (
    noise_variance,
    one_record_epsilon,
    replaced_epsilon,
    smallest_delta,
)
from pydpstat.dppack._models.linear_algebra import Floats
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee
from pydpstat.random import Source
from pydpstat.random._vectors import normals, spherical

FIXED = (
    "the number of records is public",
    "no value is missing, and everybody knows it",
    "the minimiser is taken as exact; R's stops at a relative step of 1e-4 or after 100 evaluations",
)
LOSS = (
    "the loss is convex by the linear predictor; inside the domain zeta bounds the length of a record's "
    "gradient and lambda its second derivative"
)
ADDED = "for one record added or removed epsilon is"
# an epsilon that is larger by rounding only is not worth a warning
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Settings:
    """What a model was made with, unchecked.

    Parameters
    ----------
    name : str
        The model's name.
    eps, delta, zeta, lam, gamma : number
        Its arguments.
    l2 : bool
        Whether the regularizer is half the squared length.
    pair : float
        Largest distance of two records' gradients, in units of zeta.
    wrong_gradient : bool
        Whether the minimiser is misled, so that nothing is proven.
    conditions : tuple of str
        What the guarantee rests on.
    """

    name: str
    eps: Any
    delta: Any
    zeta: Any
    lam: Any
    gamma: Any
    l2: bool
    pair: float
    wrong_gradient: bool
    conditions: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """Added regularization, how to draw the noise, what was asked for and what holds."""

    extra: float
    draw: Callable[[Source | None], Floats]
    claim: Guarantee
    guarantee: Guarantee


def plan_fit(settings: Settings, size: int) -> Plan:
    """Work out the noise as R does, and say what it keeps; it warns.

    Raises
    ------
    PydpstatError
        Where R stops, or promises nothing that has a meaning.
    """
    # R takes NULL for infinity here
    eps = math.inf if settings.eps is None else checks.scalar(settings.eps, "eps")
    delta = checks.scalar(settings.delta, "delta")
    zeta, lam = checks.scalar(settings.zeta, "zeta"), checks.scalar(settings.lam, "lambda_")
    gamma = checks.scalar(settings.gamma, "gamma")
    if not eps > 0.0 or not delta >= 0.0 or not math.isfinite(gamma):
        raise PydpstatError(
            f"eps must be above 0, delta at least 0 and gamma finite; got {eps!r}, {delta!r} and "
            f"{gamma!r}, with which nothing is promised. Give for example eps=1, delta=0, gamma=1."
        )
    extra = 2.0 * lam / eps
    if not math.isfinite(extra):
        raise PydpstatError(f"lambda_ must be finite, and eps not too small for it; got {lam!r}, {eps!r}.")
    draw, claim = _noise(eps, delta, zeta, size), Guarantee(eps, min(delta, 1.0))
    return Plan(extra, draw, claim, _kept(settings, claim, delta, lam, gamma, extra, size))


def _noise(eps: float, delta: float, zeta: float, size: int) -> Callable[[Source | None], Floats]:
    if delta > 0.0:
        variance = noise_variance(eps, delta, zeta)
        if not 0.0 <= variance < math.inf:
            raise PydpstatError(
                f"the noise has no variance with eps={eps!r}, delta={delta!r}, zeta={zeta!r}, and R stops. "
                "Give a finite eps and a delta below 1, or delta=0."
            )
        return partial(_turned, size=size, sd=math.sqrt(variance))
    with np.errstate(all="ignore"):
        rate = float(np.float64(eps) / (2.0 * zeta))
    if not rate > 0.0:
        raise PydpstatError(
            f"zeta must be at least 0 and finite where delta is 0; got {zeta!r}, for which R stops. "
            "Give a bound on the length of a record's gradient."
        )
    # with an infinite eps R draws the direction, and then takes no noise
    return partial(spherical, size=size, rate=rate)


def _turned(source: Source | None, size: int, sd: float) -> Floats:
    """Draw Gaussian noise in the order of R's mvrnorm, whose eigenvectors turn the draws round."""
    drawn = normals(source, size, 1.0)
    if size == 2:
        return sd * np.array([-drawn[1], drawn[0]])
    return sd * drawn[::-1]


def _kept(
    settings: Settings, claim: Guarantee, delta: float, lam: float, gamma: float, extra: float, size: int
) -> Guarantee:
    """Return what holds for one replaced record, and warn where it is less than the claim."""
    name, eps = settings.name, claim.epsilon
    warnings.rough_minimum(name)
    # of an own regularizer only convexity is known
    strength = extra + (gamma if settings.l2 else 0.0)
    for argument, value, bad in (
        ("eps", eps, math.isinf(eps)),
        ("gamma", gamma, gamma < 0.0 and (strength <= 0.0 or not settings.l2)),
        ("lambda_", lam, lam < 0.0),
    ):
        if bad:
            warnings.no_promise(name, argument, value)
            return Guarantee(math.inf, 0.0, "bounded", settings.conditions)
    if settings.wrong_gradient:
        warnings.wrong_gradient(name)
        return Guarantee(math.inf, 0.0, "bounded", settings.conditions)

    def epsilon(at: float) -> float:
        return replaced_epsilon(eps, delta, at, lam, strength, settings.pair, size)

    if delta >= 1.0:
        proven = smallest_delta(epsilon, eps)
        warnings.large_delta(name, delta, eps, proven)
        return Guarantee(eps, proven, "bounded", settings.conditions)
    kept = epsilon(delta)
    if kept > eps * (1.0 + _ROUNDING):
        warnings.replaced_record(name, eps, delta, kept)
    added = f"{ADDED} {one_record_epsilon(eps, delta, lam, strength):.6g}"
    return Guarantee(max(kept, eps), delta, "bounded", (*settings.conditions, added))
