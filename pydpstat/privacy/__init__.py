"""Guarantees of releases, exact privacy losses, and composition."""

from pydpstat._lazy import explain_missing_names as _answer_names
from pydpstat.privacy.bounded_range import BoundedRangeLoss
from pydpstat.privacy.composition import compose, compose_basic
from pydpstat.privacy.guarantee import NEIGHBORS, Guarantee
from pydpstat.privacy.losses import (
    ConcentratedLoss,
    DiscreteGaussianLoss,
    GaussianLoss,
    GeometricLoss,
    LaplaceLoss,
    PrivacyLoss,
    ResponseLoss,
)
from pydpstat.privacy.subsampling import SubsampledLoss, before_sampling

__all__ = [
    "BoundedRangeLoss",
    "ConcentratedLoss",
    "DiscreteGaussianLoss",
    "GaussianLoss",
    "GeometricLoss",
    "Guarantee",
    "LaplaceLoss",
    "NEIGHBORS",
    "PrivacyLoss",
    "ResponseLoss",
    "SubsampledLoss",
    "before_sampling",
    "compose",
    "compose_basic",
]

_answer_names(globals())
del _answer_names
