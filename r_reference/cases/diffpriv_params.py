"""Comparisons of diffpriv's parameters, and of what the slots of its classes accept."""

from __future__ import annotations

from pydpstat.parity.case import Case, Level

UNCHECKED = "R does not check a slot that is set with @; Python checks every assignment"


def _case(name: str, r: str, python: str = "", level: Level = "exact", reason: str = "") -> Case:
    function = name.split("/")[0]
    return Case(name, function, "diffpriv", r, python, level=level, reason=reason)


def _made(function: str, special: str, slots: str) -> Case:
    """A constructor's call that stops."""
    return _case(f"{function}/{special}", f"diffpriv::{function}({slots})", level="error")


_PARAMS = (
    _case("DPParamsEps/default", "diffpriv::DPParamsEps()@epsilon"),
    _case("DPParamsEps/infinite", "diffpriv::DPParamsEps(epsilon = Inf)@epsilon"),
    _case("DPParamsEps/integer", "diffpriv::DPParamsEps(epsilon = 2L)@epsilon"),
    _made("DPParamsEps", "text", "epsilon = '1'"),
    _made("DPParamsEps", "TRUE", "epsilon = TRUE"),
    _made("DPParamsEps", "NA", "epsilon = NA"),
    _made("DPParamsEps", "NaN", "epsilon = NaN"),
    _made("DPParamsEps", "NULL", "epsilon = NULL"),
    _made("DPParamsEps", "two", "epsilon = c(1, 2)"),
    _made("DPParamsEps", "empty", "epsilon = numeric(0)"),
    _made("DPParamsEps", "zero", "epsilon = 0"),
    _made("DPParamsEps", "negative", "epsilon = -1"),
    _made("DPParamsEps", "without its name", "1"),
    _case("DPParamsDel/default", "p <- diffpriv::DPParamsDel()\nc(p@epsilon, p@delta)"),
    _case("DPParamsDel/given", "p <- diffpriv::DPParamsDel(epsilon = 0.3, delta = 0.999)\nc(p@epsilon, p@delta)"),
    _made("DPParamsDel", "delta one", "delta = 1"),
    _made("DPParamsDel", "delta negative", "delta = -0.1"),
    _made("DPParamsDel", "delta two", "delta = c(0.1, 0.2)"),
    _made("DPParamsDel", "delta NA", "delta = NA_real_"),
    _made("DPParamsDel", "delta text", "delta = 'a'"),
    _made("DPParamsDel", "epsilon zero", "epsilon = 0, delta = 0.1"),
    _case(
        "DPParamsDel/from an object",
        "diffpriv::DPParamsDel(diffpriv::DPParamsEps(epsilon = 2), delta = 0.1)@epsilon",
        level="refused",
        reason="R fills slots from an object of a base class; Python takes slots by name only",
    ),
    _case("DPParamsGam/default", "p <- diffpriv::DPParamsGam()\nc(p@epsilon, p@delta, p@gamma)"),
    _case("DPParamsGam/zero", "diffpriv::DPParamsGam(gamma = 0)@gamma"),
    _made("DPParamsGam", "gamma one", "gamma = 1"),
    _made("DPParamsGam", "gamma negative", "gamma = -1"),
    _made("DPParamsGam", "gamma two", "gamma = c(0, 0)"),
    _made("DPParamsGam", "gamma NaN", "gamma = NaN"),
)

# R exports neither the accessors nor the replacement functions; its help pages document them
_ACCESSORS = (
    _case(
        "DPParamsEps/accessors",
        "p <- diffpriv::DPParamsEps(epsilon = 2)\n"
        "v <- diffpriv:::getEpsilon(p)\n"
        "p <- diffpriv:::`setEpsilon<-`(p, 3)\n"
        "c(v, diffpriv:::getEpsilon(p))",
        "p = diffpriv.DPParamsEps(epsilon=2)\nv = p.getEpsilon()\np.setEpsilon(3)\n[v, p.getEpsilon()]",
    ),
    _case(
        "DPParamsDel/accessors",
        "p <- diffpriv::DPParamsDel(delta = 0.2)\n"
        "v <- diffpriv:::getDelta(p)\n"
        "p <- diffpriv:::`setDelta<-`(p, 0.3)\n"
        "c(v, diffpriv:::getDelta(p), diffpriv:::getEpsilon(p))",
        "p = diffpriv.DPParamsDel(delta=0.2)\nv = p.getDelta()\np.setDelta(0.3)\n[v, p.getDelta(), p.getEpsilon()]",
    ),
    _case(
        "DPParamsGam/accessors",
        "p <- diffpriv::DPParamsGam(gamma = 0.2)\n"
        "v <- diffpriv:::getGamma(p)\n"
        "p <- diffpriv:::`setGamma<-`(p, 0.3)\n"
        "c(v, diffpriv:::getGamma(p), diffpriv:::getDelta(p))",
        "p = diffpriv.DPParamsGam(gamma=0.2)\nv = p.getGamma()\np.setGamma(0.3)\n[v, p.getGamma(), p.getDelta()]",
    ),
    _case(
        "DPParamsEps/setEpsilon zero",
        "diffpriv:::`setEpsilon<-`(diffpriv::DPParamsEps(), 0)",
        "diffpriv.DPParamsEps().setEpsilon(0)",
        "error",
    ),
    _case(
        "DPParamsDel/setDelta one",
        "diffpriv:::`setDelta<-`(diffpriv::DPParamsDel(), 1)",
        "diffpriv.DPParamsDel().setDelta(1)",
        "error",
    ),
    _case(
        "DPParamsGam/setGamma one",
        "diffpriv:::`setGamma<-`(diffpriv::DPParamsGam(), 1)",
        "diffpriv.DPParamsGam().setGamma(1)",
        "error",
    ),
    _case(
        "DPParamsEps/toGamma",
        "p <- diffpriv:::toGamma(diffpriv::DPParamsEps(epsilon = 2), 0.1)\nc(p@epsilon, p@delta, p@gamma)",
        "p = diffpriv.DPParamsEps(epsilon=2).toGamma(0.1)\n[p.epsilon, p.delta, p.gamma]",
    ),
    _case(
        "DPParamsDel/toGamma",
        "p <- diffpriv:::toGamma(diffpriv::DPParamsDel(delta = 0.2), 0.1)\nc(p@epsilon, p@delta, p@gamma)",
        "p = diffpriv.DPParamsDel(delta=0.2).toGamma(0.1)\n[p.epsilon, p.delta, p.gamma]",
    ),
    _case(
        "DPParamsGam/toGamma",
        "p <- diffpriv:::toGamma(diffpriv::DPParamsGam(delta = 0.2), 0.1)\nc(p@epsilon, p@delta, p@gamma)",
        "p = diffpriv.DPParamsGam(delta=0.2).toGamma(0.1)\n[p.epsilon, p.delta, p.gamma]",
    ),
    _case(
        "DPParamsEps/epsilon set below 0",
        "p <- diffpriv::DPParamsEps()\np@epsilon <- -1\np@epsilon",
        level="refused",
        reason=UNCHECKED,
    ),
)

_MECHANISMS = (
    _case(
        "DPMechLaplace/default",
        "m <- diffpriv::DPMechLaplace()\nc(m@sensitivity, m@gammaSensitivity, m@dims, m@target(1))",
    ),
    _case("DPMechGaussian/default", "diffpriv::DPMechGaussian()@sensitivity"),
    _case(
        "DPMechLaplace/odd dims",
        "c(diffpriv::DPMechLaplace(dims = 0)@dims, diffpriv::DPMechLaplace(dims = -1L)@dims)",
    ),
    _case(
        "DPMechLaplace/sensitivity set below 0",
        "m <- diffpriv::DPMechLaplace()\nm@sensitivity <- -1\nm@sensitivity",
        level="refused",
        reason=UNCHECKED,
    ),
    _made("DPMechLaplace", "without a name", "1"),
    _made("DPMechLaplace", "sensitivity negative", "sensitivity = -1"),
    _made("DPMechLaplace", "sensitivity two", "sensitivity = c(1, 2)"),
    _made("DPMechLaplace", "sensitivity NA", "sensitivity = NA_real_"),
    _made("DPMechLaplace", "sensitivity text", "sensitivity = '1'"),
    _made("DPMechLaplace", "sensitivity TRUE", "sensitivity = TRUE"),
    _made("DPMechLaplace", "target text", "target = 'mean'"),
    _made("DPMechLaplace", "dims 1.5", "dims = 1.5"),
    _made("DPMechLaplace", "dims infinite", "dims = Inf"),
    _made("DPMechLaplace", "dims text", "dims = '1'"),
    _made("DPMechGaussian", "dims two", "dims = c(1, 2)"),
    _made("DPMechGaussian", "sensitivity negative", "sensitivity = -1"),
    _made("DPMechGaussian", "gammaSensitivity one", "gammaSensitivity = 1"),
    _made("DPMechGaussian", "gammaSensitivity below 0", "gammaSensitivity = -1"),
    _made("DPMechGaussian", "gammaSensitivity two", "gammaSensitivity = c(0, 0)"),
    _made("DPMechNumeric", "virtual", ""),
    _made("DPMechNumeric", "virtual with slots", "sensitivity = 1, dims = 1"),
    _case("DPMechExponential/empty object", "length(diffpriv::DPMechExponential()@responseSet)"),
    _case("DPMechExponential/responses", "diffpriv::DPMechExponential(responseSet = list('a', 2))@responseSet"),
    _made("DPMechExponential", "no responses", "responseSet = list()"),
    _made("DPMechExponential", "no responses with others", "sensitivity = 1"),
    _made("DPMechExponential", "responses no list", "responseSet = c('a', 'b')"),
    _case("DPMechBernstein/empty object", "m <- diffpriv::DPMechBernstein()\nc(m@latticeK, m@dims)"),
    _case(
        "DPMechBernstein/given",
        "m <- diffpriv::DPMechBernstein(latticeK = 5, dims = 2L)\nc(m@latticeK, m@dims, m@sensitivity)",
    ),
    _made("DPMechBernstein", "no dims", "latticeK = 5"),
    _made("DPMechBernstein", "no latticeK", "dims = 1"),
    _made("DPMechBernstein", "neither", "sensitivity = 1"),
    _made("DPMechBernstein", "latticeK zero", "latticeK = 0, dims = 1"),
    _made("DPMechBernstein", "latticeK 1.5", "latticeK = 1.5, dims = 1"),
    _made("DPMechBernstein", "dims zero", "latticeK = 2, dims = 0"),
    _made("DPMechBernstein", "dims two", "latticeK = 2, dims = c(1, 2)"),
)

CASES = (*_PARAMS, *_ACCESSORS, *_MECHANISMS)
