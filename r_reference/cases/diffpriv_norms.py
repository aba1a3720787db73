"""Comparisons of the norms that diffpriv's sensitivity sampler takes."""

from __future__ import annotations

from pydpstat.parity.case import Case, Level
from r_reference.cases.diffpriv_bernstein import LINE_R, PLANE_R
from r_reference.cases.diffpriv_mechanisms import case

_TWO = "c(1.1, 2.7, 3.3), c(1.2, 2.5, 9.1)"


def _norm(name: str, r: str, level: Level = "exact") -> Case:
    return case(f"sensitivityNorm/{name}", f"diffpriv::sensitivityNorm(diffpriv::{r}, {_TWO})", level=level)


CASES = (
    _norm("Laplace", "DPMechLaplace(target = mean, dims = 1)"),
    _norm("Laplace, vector", "DPMechLaplace(target = function(X) X, dims = 3)"),
    _norm("Gaussian, vector", "DPMechGaussian(target = function(X) X, dims = 3)"),
    _norm("dims not set", "DPMechGaussian(target = sum)"),
    _norm("another length than dims", "DPMechLaplace(target = sum, dims = 2)"),
    _norm("no values", "DPMechLaplace(target = function(X) numeric(0), dims = 0)"),
    _norm(
        "exponential",
        "DPMechExponential(target = function(X) function(r) r * sum(X), responseSet = list(1, -3, 2))",
    ),
    _norm("Bernstein", f"DPMechBernstein(target = {LINE_R}, latticeK = 7, dims = 1)"),
    _norm("Bernstein, two coordinates", f"DPMechBernstein(target = {PLANE_R}, latticeK = 3, dims = 2)"),
    _norm(
        "different lengths",
        "DPMechLaplace(target = function(X) X[X > 2.6], dims = 2)",
        "error",
    ),
    _norm("text", "DPMechLaplace(target = function(X) 'a', dims = 1)", level="error"),
    _norm("logical", "DPMechLaplace(target = function(X) TRUE, dims = 1)", level="error"),
    _norm("no closure", "DPMechExponential(target = sum, responseSet = list(1))", level="error"),
    _norm("no closure, Bernstein", "DPMechBernstein(target = sum, latticeK = 2, dims = 1)", level="error"),
)
