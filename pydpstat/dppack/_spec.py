"""How DPpack's releases are protected, as data: the mechanism by name, the claim, and what really holds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._release.calibration import Question
from pydpstat.dppack import _warnings
from pydpstat.dppack._noise import checked_delta, gaussian_noise, laplace_noise
from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.mechanisms.laplace import LaplaceNoise, truncated_positive_epsilon
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.privacy.guarantee import Guarantee
from pydpstat.privacy.losses import GaussianLoss, LaplaceLoss

# how far an exact delta may pass the claimed one before it is worth a warning
LOOSE = 1.01


@dataclass(frozen=True, slots=True)
class Spec:
    """How a mirror protects its statistic: by Laplace noise, with delta 0, or by Gaussian noise.

    `type_DP` and `analytic` say how Gaussian noise is calibrated, as R's function gets them. `neighbors`
    are those of the claim, `conditions` what the guarantee rests on, and `kept_for` the neighbors for
    which it holds, where they are others; if `void`, nothing is guaranteed. If `redrawn`, the draw is
    repeated until the value is positive, which costs Laplace noise more. `alloc_proportions` and `tol` are
    as `LaplaceMechanism` and `GaussianMechanism` got them.
    """

    function: str
    is_laplace: bool
    eps: float
    delta: float
    type_DP: object
    analytic: object
    neighbors: str
    conditions: tuple[str, ...] = ()
    kept_for: str | None = None
    void: bool = False
    redrawn: bool = False
    alloc_proportions: npt.ArrayLike | None = None
    tol: float = 1e-12

    def calibrate(self, question: Question, sensitivities: tuple[float, ...]) -> LaplaceNoise | GaussianNoise:
        """Return noise by R's calibration, with a scale for each share."""
        if self.is_laplace:
            return laplace_noise(question.size, self.eps, sensitivities, self.alloc_proportions)
        return gaussian_noise(
            question.size,
            self.eps,
            self.delta,
            sensitivities,
            self.type_DP,
            self.alloc_proportions,
            self.analytic,
            self.tol,
        )

    def account(self, question: Question, noise: Noise) -> tuple[Guarantee, Guarantee]:
        """Return what is claimed, and what the whole release keeps."""
        claim, kept = self.by_noise(question, noise)
        if self.void:
            return claim, Guarantee(math.inf, 0.0, kept.neighbors)
        neighbors = self.kept_for or kept.neighbors
        if self.redrawn:
            # drawn again until it is positive, the noise has another distribution
            epsilon = truncated_positive_epsilon(kept.epsilon) if self.is_laplace else kept.epsilon
            return claim, Guarantee(epsilon, kept.delta, neighbors, self.conditions)
        return claim, Guarantee(kept.epsilon, kept.delta, neighbors, self.conditions, kept.loss)

    def by_noise(self, question: Question, noise: Noise) -> tuple[Guarantee, Guarantee]:
        """Return the claim, and what the noise by itself keeps: the larger of claimed and exact delta."""
        claim = Guarantee(self.eps, min(self.delta, 1.0), self.neighbors)
        if not isinstance(noise, GaussianNoise):
            return claim, replace(claim, loss=LaplaceLoss(self.eps))
        # the closed formulas are proven for every delta below 1
        held = self.delta
        if self.delta >= 1.0:
            held = self.exact_delta(question, noise)
        elif self.analytic:
            # R's stopping rule lets the exact delta pass the claimed one by its tolerance
            held = max(held, self.exact_delta(question, noise))
        return claim, replace(claim, delta=held, loss=_gaussian_loss(noise, question.sensitivities))

    def warn(self, question: Question) -> None:
        """Warn where the noise by itself keeps less than is claimed."""
        if self.is_laplace or self.delta < 1.0 and not self.analytic:
            return
        noise = self.calibrate(question, question.sensitivities)
        exact = self.exact_delta(question, cast(GaussianNoise, noise))
        if self.delta >= 1.0:
            _warnings.large_delta(self.function, self.delta, self.eps, exact)
        elif exact > LOOSE * self.delta:
            _warnings.loose_calibration(self.delta, exact)

    def exact_delta(self, question: Question, noise: GaussianNoise) -> float:
        """Return the exact delta of Gaussian noise at the claimed epsilon.

        With shares it is the sum of what each value's noise keeps by its own.
        """
        if self.alloc_proportions is None:
            joint = math.sqrt(math.fsum(each * each for each in question.sensitivities))
            return float(noise.delta(self.eps, joint))
        shares = np.atleast_1d(np.asarray(self.alloc_proportions, dtype=np.float64))
        each = zip(np.atleast_1d(noise.sd), shares / shares.sum(), question.sensitivities)
        deltas = (float(GaussianNoise.mirrored(sd).delta(self.eps * share, s)) for sd, share, s in each)
        return min(1.0, math.fsum(deltas))


class AllocatedSpec(Spec):
    """The spec of a mechanism whose user may have given arrays: nothing is kept for the next call."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]


def statistic_spec(
    function: str,
    arguments: Mapping[str, object],
    neighbors: str,
    conditions: tuple[str, ...] = (),
    kept_for: str | None = None,
    void: bool = False,
    redrawn: bool = False,
) -> Spec:
    """Return the spec of a statistic with one of DPpack's three mechanisms, its parameters checked.

    The arguments are what the mirror got; `mechanism` was checked. R uses `delta` for Gaussian noise only,
    `type_DP` for ``"Gaussian"`` only.
    """
    eps, mechanism = checks.epsilon(arguments["eps"], "eps"), arguments["mechanism"]
    is_laplace, analytic = mechanism == "Laplace", mechanism == "analytic"
    delta = 0.0 if is_laplace else checked_delta(arguments["delta"])
    type_DP = "aDP" if analytic else arguments["type_DP"]
    kept = (conditions, kept_for, void, redrawn)
    return Spec(function, is_laplace, eps, delta, type_DP, analytic, neighbors, *kept)


def _gaussian_loss(noise: GaussianNoise, sensitivities: tuple[float, ...]) -> GaussianLoss | None:
    """Return the loss of noise with one sd, or with an sd for each sensitivity; None without noise."""
    sds = (noise.sd,) * len(sensitivities) if isinstance(noise.sd, float) else noise.sd.tolist()
    if not all(sds):
        return None
    mu = math.hypot(*(sensitivity / sd for sensitivity, sd in zip(sensitivities, sds)))
    # above what the roundings can have taken away
    mu *= 1.0 + 2.0**-50
    return GaussianLoss(mu) if 0.0 < mu < math.inf else None
