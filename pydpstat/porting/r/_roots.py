"""Roots of functions of one variable."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._shapes import to_vector
from pydpstat.porting.r._values import Value

_DOUBLE_EPSILON = float(np.finfo(np.float64).eps)


def uniroot(
    f: Callable[[float], Value], interval: Value = None, lower: Value = None, upper: Value = None,
    tol: float = _DOUBLE_EPSILON**0.25, maxiter: int = 1000,
) -> dict[str, float]:  # fmt: skip
    """Find a root of a function between points of different signs, by the steps of R's ``uniroot``.

    Examples
    --------
    >>> round(uniroot(lambda x: x * x - 2, [0, 2])["root"], 4)
    1.4142
    """
    ends = [lower, upper] if interval is None else to_vector(interval).tolist()
    # Brent's names: b is the best point, a the previous one, and the root is between b and c
    a, b = map(float, ends)
    fa, fb = (float(np.ravel(f(x))[0]) for x in (a, b))
    if not a < b or fa * fb > 0 or fa != fa or fb != fb:
        raise PydpstatError(f"f must have different signs at {ends}; got {fa:.4g} and {fb:.4g}")
    c, fc, count = a, fa, 0
    if fa * fb == 0:
        return {"root": b if fa else a, "f.root": 0.0, "iter": 0, "init.it": math.nan, "estim.prec": 0.0}
    while True:
        before = b - a
        if abs(fc) < abs(fb):
            a, b, c, fa, fb, fc = b, c, b, fb, fc, fb
        least = 2 * _DOUBLE_EPSILON * abs(b) + tol / 2
        step = (c - b) / 2
        if abs(step) <= least or fb == 0:
            return {"root": b, "f.root": fb, "iter": count, "init.it": math.nan, "estim.prec": abs(c - b)}
        if count >= maxiter:
            raise PydpstatError(f"f has no root found in {maxiter} iterations: R warns of it")
        if abs(before) >= least and abs(fa) > abs(fb):
            ratio = fb / fa
            if a == c:
                p, q = (c - b) * ratio, 1 - ratio
            else:
                q, t = fa / fc, fb / fc
                p = ratio * ((c - b) * q * (q - t) - (b - a) * (t - 1))
                q = (q - 1) * (t - 1) * (ratio - 1)
            p, q = (p, -q) if p > 0 else (-p, q)
            if p < 0.75 * (c - b) * q - abs(least * q) / 2 and p < abs(before * q / 2):
                step = p / q
        a, fa = b, fb
        b += step if abs(step) >= least else least if step > 0 else -least
        fb, count = float(np.ravel(f(b))[0]), count + 1
        if fb * fc > 0:
            c, fc = a, fa
