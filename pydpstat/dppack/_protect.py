"""How DPpack's statistics are protected: the mechanism by name, the claim, and what really holds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat._release.additive import release
from pydpstat._release.calibration import Noise, prepare
from pydpstat._release.query import Query
from pydpstat.dppack import _warnings
from pydpstat.dppack._arguments import MECHANISMS
from pydpstat.dppack._noise import gaussian_noise, laplace_noise
from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.privacy import GaussianLoss, Guarantee, LaplaceLoss
from pydpstat.random import Source
from pydpstat.results._call import Call
from pydpstat.results.results import DPResults

# how far an exact delta may pass the claimed one before it is worth a warning
LOOSE = 1.01


def protect(
    function: str,
    query: Query,
    eps: Any,
    mechanism: str,
    delta: Any,
    type_DP: Any,
    source: Source | None,
    *,
    neighbors: str,
    record: Call,
    correct: Callable[[Guarantee, Noise], Guarantee],
    bounds: Any = None,
    **pipeline: Any,
) -> DPResults:
    """Release a statistic by one of DPpack's three mechanisms.

    Parameters
    ----------
    function : str
        The mirror's name, for warnings.
    query : Query
        The statistic.
    eps, mechanism, delta, type_DP
        As the mirror got them; `delta` and `type_DP` count only where R uses them.
    source : Source or None
        Source of the noise.
    neighbors : str
        The neighbors of the claim.
    record : Call
        The call, without data.
    correct : callable
        Turns what the mechanism keeps by its noise into what the whole release keeps; it may warn.
    bounds : tuple, optional
        Public bounds of the data.
    **pipeline
        `accept` and `publish` of `pydpstat._release.additive.release`.
    """
    size = query.value.size

    def calibrate(sens: tuple[float, ...]) -> Noise:
        if mechanism == "Laplace":
            return laplace_noise(size, eps, sens)
        if mechanism == "Gaussian":
            return gaussian_noise(size, eps, delta, sens, type_DP)
        return gaussian_noise(size, eps, delta, sens, analytic=True)

    def account(noise: Noise) -> tuple[Guarantee, Guarantee]:
        if isinstance(noise, GaussianNoise):
            claim, kept = gaussian_account(
                function, noise, eps, delta, query.sensitivities, neighbors, analytic=mechanism == "analytic"
            )
        else:
            claim, kept = laplace_account(eps, neighbors)
        return claim, correct(kept, noise)

    prepared = prepare(query.question, calibrate, account, source is not None)
    return release(query, prepared, source, record=record, bounds=bounds, **pipeline)


def check_mechanism(mechanism: Any) -> str:
    """Check the name of a mechanism."""
    return checks.one_of(mechanism, "mechanism", MECHANISMS)


def laplace_account(
    eps: Any, neighbors: str, conditions: tuple[str, ...] = ()
) -> tuple[Guarantee, Guarantee]:
    """Return claim and guarantee of Laplace noise."""
    claim = Guarantee(checks.epsilon(eps, "eps"), 0.0, neighbors)
    return claim, Guarantee(claim.epsilon, 0.0, neighbors, conditions, LaplaceLoss(claim.epsilon))


def gaussian_account(
    function: str,
    noise: GaussianNoise,
    eps: Any,
    delta: Any,
    sensitivities: tuple[float, ...],
    neighbors: str,
    conditions: tuple[str, ...] = (),
    alloc_proportions: Any = None,
    analytic: bool = False,
) -> tuple[Guarantee, Guarantee]:
    """Return claim and guarantee of Gaussian noise: the claimed delta, or the exact one if it is larger."""
    epsilon, claimed = checks.epsilon(eps, "eps"), checks.positive(delta, "delta")
    claim = Guarantee(epsilon, min(claimed, 1.0), neighbors)
    loss = _gaussian_loss(noise, sensitivities)
    if claimed < 1.0 and not analytic:
        # the closed formulas are proven for every delta below 1
        return claim, Guarantee(epsilon, claimed, neighbors, conditions, loss)
    exact = _exact_delta(noise, epsilon, sensitivities, alloc_proportions)
    if claimed >= 1.0:
        _warnings.large_delta(function, claimed, epsilon, exact)
        return claim, Guarantee(epsilon, exact, neighbors, conditions, loss)
    if exact > LOOSE * claimed:
        _warnings.loose_calibration(claimed, exact)
    # R's stopping rule lets the exact delta pass the claimed one by its tolerance
    return claim, Guarantee(epsilon, max(claimed, exact), neighbors, conditions, loss)


def _gaussian_loss(noise: GaussianNoise, sensitivities: tuple[float, ...]) -> GaussianLoss | None:
    """Return the loss of noise with one sd, or with an sd for each sensitivity; None without noise."""
    sds = (noise.sd,) * len(sensitivities) if isinstance(noise.sd, float) else noise.sd.tolist()
    if not all(sds):
        return None
    mu = math.hypot(*(sensitivity / sd for sensitivity, sd in zip(sensitivities, sds)))
    # above what the roundings can have taken away
    mu *= 1.0 + 2.0**-50
    return GaussianLoss(mu) if 0.0 < mu < math.inf else None


def _exact_delta(
    noise: GaussianNoise, epsilon: float, sensitivities: tuple[float, ...], alloc_proportions: Any
) -> float:
    if alloc_proportions is None:
        return float(noise.delta(epsilon, math.sqrt(math.fsum(s * s for s in sensitivities))))
    shares = np.atleast_1d(np.asarray(alloc_proportions, dtype=np.float64))
    each = zip(np.atleast_1d(noise.sd), shares / shares.sum(), sensitivities)
    return min(1.0, math.fsum(float(GaussianNoise.mirrored(sd).delta(epsilon * p, s)) for sd, p, s in each))
