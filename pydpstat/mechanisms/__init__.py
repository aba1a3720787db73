"""How a statistic is protected: noise distributions, calibrations, exact privacy curves."""

from pydpstat.mechanisms.discrete_gaussian import DiscreteGaussianNoise, calibrate_discrete_gaussian
from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.mechanisms.gaussian_calibration import calibrate_gaussian
from pydpstat.mechanisms.geometric import SignGeometricNoise, SymmetricGeometricNoise
from pydpstat.mechanisms.laplace import (
    LaplaceNoise,
    calibrate_laplace,
    scale_for,
    truncated_positive_delta,
    truncated_positive_epsilon,
)

__all__ = [
    "DiscreteGaussianNoise",
    "GaussianNoise",
    "LaplaceNoise",
    "SignGeometricNoise",
    "SymmetricGeometricNoise",
    "calibrate_discrete_gaussian",
    "calibrate_gaussian",
    "calibrate_laplace",
    "scale_for",
    "truncated_positive_delta",
    "truncated_positive_epsilon",
]
