"""diffpriv's classes and functions under their own names, with R's arguments, defaults and numbers.

Slots become attributes, and ``releaseResponse(...)$response`` is ``releaseResponse(...).response``.
``rng=RRandom(123)`` or ``rng=123`` returns what R returns after ``set.seed(123)``.
"""

from pydpstat._lazy import explain_missing_names as _answer_names
from pydpstat.diffpriv.bernstein import bernstein, predict
from pydpstat.diffpriv.mechanisms import (
    DPMech,
    DPMechBernstein,
    DPMechExponential,
    DPMechGaussian,
    DPMechLaplace,
    DPMechNumeric,
)
from pydpstat.diffpriv.params import DPParamsDel, DPParamsEps, DPParamsGam
from pydpstat.diffpriv.release_response import releaseResponse
from pydpstat.diffpriv.sensitivity import sensitivityNorm, sensitivitySampler, sensitivitySamplerManual

__all__ = [
    "DPMech",
    "DPMechBernstein",
    "DPMechExponential",
    "DPMechGaussian",
    "DPMechLaplace",
    "DPMechNumeric",
    "DPParamsDel",
    "DPParamsEps",
    "DPParamsGam",
    "bernstein",
    "predict",
    "releaseResponse",
    "sensitivityNorm",
    "sensitivitySampler",
    "sensitivitySamplerManual",
]

_answer_names(globals())
del _answer_names
