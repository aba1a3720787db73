"""How a fit of the family of Chaudhuri, Monteleoni and Sarwate is perturbed, and what that keeps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat.dppack._models.perturbation import objective_constants, objective_epsilon, output_epsilon
from pydpstat.dppack._models.records import Records
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee

# an epsilon or a length that is larger by rounding only is not worth a warning
ROUNDING = 1e-9


@dataclass(frozen=True)
class Plan:
    """The noise of a fit.

    Parameters
    ----------
    rate : float
        Rate of the noise's length.
    extra : float
        Added regularization.
    noisy : bool
        Whether anything is drawn.
    norm : float
        Largest length of a record, by the bounds.
    claim : Guarantee
        What is asked for.
    kept : float
        The epsilon that holds.
    """

    rate: float
    extra: float
    noisy: bool
    norm: float
    claim: Guarantee
    kept: float


def make_plan(eps: float, gamma: float, c: Any, method: str, strength: float, records: Records) -> Plan:
    """Work out the noise of a fit as R does.

    Parameters
    ----------
    eps, gamma : float
        As the model has them.
    c : float or None
        Bound on the loss's second derivative, for objective perturbation.
    method : {"objective", "output"}
    strength : float
        What the minimised objective times n is strongly convex by, without the records.
    records : Records
        For their number, their largest length and their weights' bound.

    Returns
    -------
    Plan

    Raises
    ------
    PydpstatError
        Where R stops, or where its coefficients are not finite.
    """
    if not eps > 0.0 or not math.isfinite(gamma):
        raise PydpstatError(
            f"eps must be above 0 and gamma finite; got {eps!r} and {gamma!r}, with which R's noise has no "
            "law. Give for example eps=1, gamma=1."
        )
    norm = math.sqrt(float(np.sum(records.limits * records.limits)))
    norm = 1.0 if abs(norm - 1.0) < ROUNDING else norm
    extra, noisy = 0.0, True
    if method == "output":
        with np.errstate(all="ignore"):
            rate = float(np.float64(gamma * eps) / (2.0 * records.weight))
        kept = output_epsilon(rate, strength, norm, records.weight)
    elif math.isinf(eps):
        rate, kept, noisy = math.inf, math.inf, False
    else:
        curvature = checks.scalar(c, "c")
        left, extra = objective_constants(eps, gamma, curvature, records.y.size)
        rate = left / 2.0
        kept = objective_epsilon(left, curvature, strength + records.y.size * extra, norm)
    if not rate > 0.0 or not math.isfinite(extra):
        raise PydpstatError(
            f"with eps={eps!r} and gamma={gamma!r} the noise has no law, and R stops, returns NaN or adds "
            "no noise. Use a gamma above 0, and a weights_upper_bound above 0 where there are weights."
        )
    return Plan(rate, extra, noisy, norm, Guarantee(eps), kept)
