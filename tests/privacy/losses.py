"""A privacy loss of every kind, that of a sample among them."""

from pydpstat.privacy import (
    ConcentratedLoss,
    DiscreteGaussianLoss,
    GaussianLoss,
    GeometricLoss,
    LaplaceLoss,
    ResponseLoss,
    SubsampledLoss,
)

LOSSES = [
    GaussianLoss(0.7),
    LaplaceLoss(1.3),
    GeometricLoss(0.9, 2),
    ResponseLoss(0.2, 30),
    ResponseLoss(0.5, 1, 1e-5),
    ConcentratedLoss(0.3),
    DiscreteGaussianLoss(1.5),
    DiscreteGaussianLoss(2.0, 1, 2),
    SubsampledLoss(LaplaceLoss(1.0), 0.5),
]
