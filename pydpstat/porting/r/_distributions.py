"""R's densities, distribution functions and quantile functions, under R's names and with R's arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from inspect import Parameter, Signature

import numpy as np

from pydpstat import r_arithmetic
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._shapes import Array, vector
from pydpstat.porting.r._values import Value

# by R's name: SciPy's name, R's parameters with their defaults, and SciPy's shapes, location and scale
_FAMILIES: dict[str, tuple[str, dict[str, float | None], Callable[..., tuple[Value, ...]]]] = {
    "norm": ("norm", {"mean": 0.0, "sd": 1.0}, lambda mean, sd: (mean, sd)),
    "unif": ("uniform", {"min": 0.0, "max": 1.0}, lambda min, max: (min, max - min)),
    "exp": ("expon", {"rate": 1.0}, lambda rate: (0, 1 / rate)),
    "binom": ("binom", {"size": None, "prob": None}, lambda size, prob: (size, prob, 0)),
    "pois": ("poisson", {"lambda_": None}, lambda mean: (mean, 0)),
    "gamma": ("gamma", {"shape": None, "rate": 1.0, "scale": math.nan}, lambda shape, rate, scale: (
        shape, 0, np.where(np.isnan(scale), 1 / rate, scale))),
    "beta": ("beta", {"shape1": None, "shape2": None}, lambda a, b: (a, b, 0, 1)),
    "t": ("t", {"df": None}, lambda df: (df, 0, 1)),
    "chisq": ("chi2", {"df": None}, lambda df: (df, 0, 1)),
    "f": ("f", {"df1": None, "df2": None}, lambda a, b: (a, b, 0, 1)),
    "geom": ("geom", {"prob": None}, lambda prob: (prob, -1)),
    "lnorm": ("lognorm", {"meanlog": 0.0, "sdlog": 1.0}, lambda mean, sd: (sd, 0, np.exp(mean))),
    "weibull": ("weibull_min", {"shape": None, "scale": 1.0}, lambda shape, scale: (shape, 0, scale)),
}  # fmt: skip
_FLAGS = {
    "d": {"log": False},
    "p": {"lower_tail": True, "log_p": False},
    "q": {"lower_tail": True, "log_p": False},
}
_SAID = {"d": "density", "p": "distribution function", "q": "quantile function"}


def _log_of(own: Array, other: Array, x: Array, lowest: Array) -> Array:
    """The logarithm of a probability, from the other tail where that is more exact."""
    with np.errstate(divide="ignore"):
        result = np.where(own < 0.5, np.log(own), np.log1p(-np.minimum(other, 1.0)))
    if (lost := (own == 0.0) & np.isfinite(x) & (x > lowest)).any():
        raise PydpstatError(f"q must have a probability above 1e-308 for its logarithm; {x[lost][0]} has not")
    return result


def _value(kind: str, of: Value, shapes: tuple[Value, ...], x: Array, flags: dict[str, bool]) -> Array:
    if kind == "d":
        discrete = hasattr(of, "pmf")
        return getattr(of, ("log" if flags["log"] else "") + ("pmf" if discrete else "pdf"))(x, *shapes)
    lower = flags["lower_tail"]
    if kind == "p":
        low, high = of.cdf(x, *shapes), of.sf(x, *shapes)
        if not flags["log_p"]:
            return low if lower else high
        ends = of.support(*shapes)
        return _log_of(low, high, x, ends[0]) if lower else _log_of(high, low, -x, -np.asarray(ends[1]))
    p = np.exp(x) if flags["log_p"] else x
    found = of.ppf(p, *shapes) if lower else of.isf(p, *shapes)
    if of.name == "poisson":
        found = np.where(np.asarray(shapes[0]) == 0, 0 * p, found)
    return np.maximum(found, of.support(*shapes)[0]) if hasattr(of, "pmf") else found


def _made(kind: str, name: str) -> Callable[..., Value]:
    scipy_name, defaults, shaped = _FAMILIES[name]
    first = {"d": "x", "p": "q", "q": "p"}[kind]
    known = [Parameter(first, Parameter.POSITIONAL_OR_KEYWORD)]
    for key, default in {**defaults, **_FLAGS[kind]}.items():
        given = Parameter.empty if default is None else default
        known.append(Parameter(key, Parameter.POSITIONAL_OR_KEYWORD, default=given))
    signature = Signature(known)

    def function(*args: Value, **named: Value) -> Value:
        bound = signature.bind(*args, **named)
        bound.apply_defaults()
        values = bound.arguments
        flags = {key: bool(values.pop(key)) for key in _FLAGS[kind]}
        parts = [vector(each, key).astype(np.float64) for key, each in values.items()]
        if name == "norm" and not flags.get("log_p") and flags.get("lower_tail"):
            x, mean, sd = _recycled(parts)
            done = r_arithmetic.pnorm((x - mean) / sd) if kind == "p" else mean + sd * r_arithmetic.qnorm(x)
        else:
            from scipy import stats

            x, *parameters = _recycled(parts)
            with np.errstate(all="ignore"):
                done = _value(kind, getattr(stats, scipy_name), shaped(*parameters), x, flags)
        return done if any(np.ndim(each) for each in values.values()) else float(np.asarray(done).ravel()[0])

    function.__name__ = function.__qualname__ = kind + name
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = (
        f"Return the {_SAID[kind]}, as R's ``{kind}{name}``: by SciPy, to about 1e-12 of R's values."
    )
    return function


def _recycled(parts: list[Array]) -> list[Array]:
    n = max(map(len, parts)) if all(map(len, parts)) else 0
    return [np.resize(each, n) for each in parts]


dnorm, pnorm, qnorm = (_made(kind, "norm") for kind in "dpq")
dunif, punif, qunif = (_made(kind, "unif") for kind in "dpq")
dexp, pexp, qexp = (_made(kind, "exp") for kind in "dpq")
dbinom, pbinom, qbinom = (_made(kind, "binom") for kind in "dpq")
dpois, ppois, qpois = (_made(kind, "pois") for kind in "dpq")
dgamma, pgamma, qgamma = (_made(kind, "gamma") for kind in "dpq")
dbeta, pbeta, qbeta = (_made(kind, "beta") for kind in "dpq")
dt, pt, qt = (_made(kind, "t") for kind in "dpq")
dchisq, pchisq, qchisq = (_made(kind, "chisq") for kind in "dpq")
df, pf, qf = (_made(kind, "f") for kind in "dpq")
dgeom, pgeom, qgeom = (_made(kind, "geom") for kind in "dpq")
dlnorm, plnorm, qlnorm = (_made(kind, "lnorm") for kind in "dpq")
dweibull, pweibull, qweibull = (_made(kind, "weibull") for kind in "dpq")
