"""R's densities, distribution functions and quantile functions, under R's names and with R's arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from inspect import Parameter, Signature

import numpy as np

from pydpstat import r_arithmetic
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._shapes import Array, to_vector
from pydpstat.porting.r._values import Value
from pydpstat.r_arithmetic.elementary import exp

_SQRT_2PI_INVERSE = 0.398942280401432677939946059934
# from here on the normal density is 0
_MAX_NORMAL = math.sqrt(-2 * math.log(2) * (-1021 + 1 - 53))

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
_FLAG_DEFAULTS = {
    "d": {"log": False},
    "p": {"lower_tail": True, "log_p": False},
    "q": {"lower_tail": True, "log_p": False},
}
_FUNCTION_DESCRIPTIONS = {"d": "density", "p": "distribution function", "q": "quantile function"}


def _compute_log_probability(probability: Array, complement: Array, x: Array, support_minimum: Array) -> Array:
    """Return the logarithm of a probability, computed from the complement where that is more accurate."""
    with np.errstate(divide="ignore"):
        result = np.where(probability < 0.5, np.log(probability), np.log1p(-np.minimum(complement, 1.0)))
    if (lost := (probability == 0.0) & np.isfinite(x) & (x > support_minimum)).any():
        raise PydpstatError(f"q must have a probability above 1e-308 for its logarithm; {x[lost][0]} has not")
    return result


def _evaluate_distribution(
    kind: str, distribution: Value, shapes: tuple[Value, ...], x: Array, flags: dict[str, bool]
) -> Array:
    if kind == "d":
        discrete = hasattr(distribution, "pmf")
        return getattr(distribution, ("log" if flags["log"] else "") + ("pmf" if discrete else "pdf"))(x, *shapes)
    lower = flags["lower_tail"]
    if kind == "p":
        low, high = distribution.cdf(x, *shapes), distribution.sf(x, *shapes)
        if not flags["log_p"]:
            return low if lower else high
        ends = distribution.support(*shapes)
        return (
            _compute_log_probability(low, high, x, ends[0])
            if lower
            else _compute_log_probability(high, low, -x, -np.asarray(ends[1]))
        )
    p = np.exp(x) if flags["log_p"] else x
    if distribution.name == "t":
        return compute_t_quantile(p, shapes[0]) * (1 if lower else -1)
    found = distribution.ppf(p, *shapes) if lower else distribution.isf(p, *shapes)
    if distribution.name == "poisson":
        found = np.where(np.asarray(shapes[0]) == 0, 0 * p, found)
    return np.maximum(found, distribution.support(*shapes)[0]) if hasattr(distribution, "pmf") else found


def compute_t_quantile(p: Value, df: Value) -> Array:
    """Return quantiles of the t distribution, of which SciPy before 1.12 has nine digits only."""
    from scipy.stats import t

    p = np.asarray(p, dtype=np.float64)
    x = np.asarray(t.ppf(p, df), dtype=np.float64)
    excess = np.where(p < 0.5, t.cdf(x, df) - p, (1.0 - p) - t.sf(x, df))
    # one step of Newton's method
    is_inexact = np.isfinite(x) & (np.abs(excess) > 1e-13 * np.minimum(p, 1.0 - p))
    return np.where(is_inexact, x - excess / np.maximum(t.pdf(x, df), 1e-300), x)


def _compute_normal_density(x: Array, sd: Array) -> Array:
    """Return the normal density at standardized values, as two factors in the tails, as in R."""
    x = np.abs(x)
    near = np.where(x < 5, x, 0.0)
    far = np.where((x >= 5) & (x < _MAX_NORMAL), x, 5.0)
    head = np.rint(far * 65536) / 65536
    rest = far - head
    inner = _SQRT_2PI_INVERSE * exp(-0.5 * near * near) / sd
    outer = _SQRT_2PI_INVERSE / sd * (exp(-0.5 * head * head) * exp((-0.5 * rest - head) * rest))
    found = np.where(x < 5, inner, np.where(x < _MAX_NORMAL, outer, 0.0))
    return np.where(np.isnan(x) | (sd <= 0), math.nan, found)


def _make_distribution_function(kind: str, name: str) -> Callable[..., Value]:
    scipy_name, defaults, shaped = _FAMILIES[name]
    first = {"d": "x", "p": "q", "q": "p"}[kind]
    known = [Parameter(first, Parameter.POSITIONAL_OR_KEYWORD)]
    for key, default in {**defaults, **_FLAG_DEFAULTS[kind]}.items():
        given = Parameter.empty if default is None else default
        known.append(Parameter(key, Parameter.POSITIONAL_OR_KEYWORD, default=given))
    signature = Signature(known)

    def evaluate_arguments(*args: Value, **named: Value) -> Value:
        bound = signature.bind(*args, **named)
        bound.apply_defaults()
        values = bound.arguments
        flags = {key: bool(values.pop(key)) for key in _FLAG_DEFAULTS[kind]}
        parts = [to_vector(each, key).astype(np.float64) for key, each in values.items()]
        plain = name == "norm" and not flags.get("log_p") and not flags.get("log")
        if plain and kind == "d":
            x, mean, sd = _expand_to_longest(parts)
            done = _compute_normal_density((x - mean) / sd, sd)
        elif plain and kind == "p":
            x, mean, sd = _expand_to_longest(parts)
            # R computes both tails from the same sum
            done = r_arithmetic.pnorm((x - mean) / sd * (1 if flags["lower_tail"] else -1))
        elif plain and flags["lower_tail"]:
            x, mean, sd = _expand_to_longest(parts)
            done = mean + sd * r_arithmetic.qnorm(x)
        else:
            from scipy import stats

            x, *parameters = _expand_to_longest(parts)
            with np.errstate(all="ignore"):
                done = _evaluate_distribution(kind, getattr(stats, scipy_name), shaped(*parameters), x, flags)
        return done if any(np.ndim(each) for each in values.values()) else float(np.asarray(done).ravel()[0])

    evaluate_arguments.__name__ = evaluate_arguments.__qualname__ = kind + name
    evaluate_arguments.__signature__ = signature  # type: ignore[attr-defined]
    evaluate_arguments.__doc__ = (
        f"Return the {_FUNCTION_DESCRIPTIONS[kind]}, as R's ``{kind}{name}``: by SciPy, to about 1e-12 of R's values."
    )
    return evaluate_arguments


def _expand_to_longest(parts: list[Array]) -> list[Array]:
    n = max(map(len, parts)) if all(map(len, parts)) else 0
    return [np.resize(each, n) for each in parts]


dnorm, pnorm, qnorm = (_make_distribution_function(kind, "norm") for kind in "dpq")
dunif, punif, qunif = (_make_distribution_function(kind, "unif") for kind in "dpq")
dexp, pexp, qexp = (_make_distribution_function(kind, "exp") for kind in "dpq")
dbinom, pbinom, qbinom = (_make_distribution_function(kind, "binom") for kind in "dpq")
dpois, ppois, qpois = (_make_distribution_function(kind, "pois") for kind in "dpq")
dgamma, pgamma, qgamma = (_make_distribution_function(kind, "gamma") for kind in "dpq")
dbeta, pbeta, qbeta = (_make_distribution_function(kind, "beta") for kind in "dpq")
dt, pt, qt = (_make_distribution_function(kind, "t") for kind in "dpq")
dchisq, pchisq, qchisq = (_make_distribution_function(kind, "chisq") for kind in "dpq")
df, pf, qf = (_make_distribution_function(kind, "f") for kind in "dpq")
dgeom, pgeom, qgeom = (_make_distribution_function(kind, "geom") for kind in "dpq")
dlnorm, plnorm, qlnorm = (_make_distribution_function(kind, "lnorm") for kind in "dpq")
dweibull, pweibull, qweibull = (_make_distribution_function(kind, "weibull") for kind in "dpq")
