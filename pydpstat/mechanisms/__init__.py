"""Mechanisms: noise distributions, calibrations and exact privacy curves."""

from pydpstat._lazy import explain_missing_names as _answer_names
from pydpstat.mechanisms.bounded_laplace import BoundedLaplace, BoundedLaplaceNoise
from pydpstat.mechanisms.cross_products import CrossProductNoise
from pydpstat.mechanisms.cube import Cube, CubeNoise
from pydpstat.mechanisms.discrete_gaussian import DiscreteGaussian, DiscreteGaussianNoise, calibrate_discrete_gaussian
from pydpstat.mechanisms.gaussian import Gaussian, GaussianNoise
from pydpstat.mechanisms.gaussian_calibration import calibrate_gaussian
from pydpstat.mechanisms.geometric import Geometric, SignGeometricNoise, SymmetricGeometricNoise
from pydpstat.mechanisms.laplace import (
    Laplace,
    LaplaceNoise,
    calibrate_laplace,
    scale_for,
    truncated_positive_delta,
    truncated_positive_epsilon,
)
from pydpstat.mechanisms.mechanism import Mechanism, Noise
from pydpstat.mechanisms.staircase import Staircase, StaircaseNoise

__all__ = [
    "BoundedLaplace",
    "BoundedLaplaceNoise",
    "CrossProductNoise",
    "Cube",
    "CubeNoise",
    "DiscreteGaussian",
    "DiscreteGaussianNoise",
    "Gaussian",
    "GaussianNoise",
    "Geometric",
    "Laplace",
    "LaplaceNoise",
    "Mechanism",
    "Noise",
    "SignGeometricNoise",
    "Staircase",
    "StaircaseNoise",
    "SymmetricGeometricNoise",
    "calibrate_discrete_gaussian",
    "calibrate_gaussian",
    "calibrate_laplace",
    "scale_for",
    "truncated_positive_delta",
    "truncated_positive_epsilon",
]

_answer_names(globals())
del _answer_names
