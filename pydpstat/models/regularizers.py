"""Penalties on the coefficients."""

from __future__ import annotations

from pydpstat.models.linear_algebra import Floats, dot


def l2(coeff: Floats) -> float:
    """Return half the squared length of the coefficients."""
    return dot(coeff, coeff) / 2.0


def l2_gradient(coeff: Floats) -> Floats:
    """Return the derivative of `l2`: the coefficients."""
    return coeff
