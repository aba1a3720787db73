"""What distinguishes the models of a family from each other, as data: the two families of DPpack."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from pydpstat.dppack._models import warnings
from pydpstat.dppack._models.fitted_model import Prediction
from pydpstat.dppack._models.kst_noise import PAIR

_PUBLIC = ("the number of records is public", "no value is missing, and everybody knows it")
CMS_FIXED = (
    *_PUBLIC,
    "the minimiser is taken as exact; R's stops at a relative change of 1.5e-8 or after 100 gradients",
)
CMS_LOSS = "the loss is convex by the linear predictor, its first derivative at most 1, its second at most c"
BINARY = "every label is 0 or 1, and everybody knows it"
SATURATING = (
    "no linear predictor of a record passes 36.74, where R's cross-entropy is NaN and its optimiser "
    "turns back"
)
CMS_PENALTY = "the regularizer is differentiable and 1-strongly convex"
KST_FIXED = (
    *_PUBLIC,
    "the minimiser is taken as exact; R's stops at a relative step of 1e-4 or after 100 evaluations",
)
KST_LOSS = (
    "the loss is convex by the linear predictor; inside the domain zeta bounds the length of a record's "
    "gradient and lambda its second derivative"
)
KST_PENALTY = "the regularizer is differentiable and convex"
# the constructors' arguments, without the gradients
_CMS = ("mapXy", "loss", "regularizer", "eps", "gamma", "perturbation_method", "c")
_KST = ("mapXy", "loss", "regularizer", "eps", "delta", "domain", "zeta", "lambda_", "gamma")
_GRADIENTS = ("mapXy_gr", "loss_gr", "regularizer_gr")


class Shortfall(NamedTuple):
    """A fit that keeps less than is claimed, and what may be the cause.

    Parameters
    ----------
    function : str
        The model's name.
    epsilon, kept : float
        What is claimed, and what holds.
    norm : float
        Largest length of a record, by the bounds.
    gamma, c : float
        As the model has them.
    recycled : bool
        Whether the map's gradient is `mapXy_gr_sigmoid`.
    """

    function: str
    epsilon: float
    kept: float
    norm: float
    gamma: float
    c: float | None
    recycled: bool


def _explain(fit: Shortfall) -> None:
    if fit.norm > 1.0:
        warnings.long_records(fit.function, fit.norm, fit.epsilon, fit.kept)
    if fit.recycled and math.isinf(fit.kept):
        warnings.wrong_gradient(fit.function)
    elif not fit.gamma > 0.0:
        warnings.no_noise(fit.function, "gamma", fit.gamma)
    elif fit.norm <= 1.0:
        warnings.no_noise(fit.function, "c", float(fit.c or 0.0))


@dataclass(frozen=True, slots=True)
class CmsKind:
    """What a model of Chaudhuri, Monteleoni and Sarwate's family is, apart from its public fields.

    Parameters
    ----------
    arguments : tuple of str
        The constructor's arguments, in their order: the fields that have their values.
    labels : (float, float) or None
        What labels 0 and 1 stand for; None where responses are any numbers.
    scaled : bool
        Whether records are divided to length at most 1.
    features : (int, float) or None
        Number of a Gaussian kernel's features and their frequencies' standard deviation.
    weighted : bool
        Whether the losses take weights.
    strength : float or None
        What the regularizer is multiplied by; None for gamma.
    residual : bool
        Whether the losses' derivatives by the linear predictor are y_hat - y.
    proven : bool or None
        Whether the noise counts; None where that depends on the gradients.
    explain : callable
        Warns that a fit keeps less than is claimed.
    prediction : Prediction or None
        How coefficients become predictions; None where the map decides.
    facts : tuple of (str, str) or None
        Settings for the summary; None for the bound c.
    """

    arguments: tuple[str, ...] = (*_CMS, *_GRADIENTS)
    labels: tuple[float, float] | None = None
    scaled: bool = False
    features: tuple[int, float] | None = None
    weighted: bool = False
    strength: float | None = None
    residual: bool = False
    proven: bool | None = None
    explain: Callable[[Shortfall], None] = _explain
    prediction: Prediction | None = None
    facts: tuple[tuple[str, str], ...] | None = None


@dataclass(frozen=True, slots=True)
class KstKind:
    """What a model of Kifer, Smith and Thakurta's family is, apart from its public fields.

    Parameters
    ----------
    arguments : tuple of str
        The constructor's arguments, in their order: the fields that have their values.
    scaled : bool
        Whether columns and response are divided by their bounds, and zeta and lambda follow from that.
    pairs : (float, float)
        Largest distance of two records' gradients, in units of zeta: with one coefficient, with more.
    conditions : tuple of str
        What the guarantee rests on, apart from the regularizer.
    """

    arguments: tuple[str, ...] = (*_KST, *_GRADIENTS)
    scaled: bool = False
    pairs: tuple[float, float] = (PAIR, PAIR)
    conditions: tuple[str, ...] = (*KST_FIXED, KST_LOSS)
