"""From a test to an interval: the outermost value that is not rejected."""

from __future__ import annotations

from collections.abc import Callable

from scipy.special import ndtri

# of an error: how near the ends are
_NEAR = 0.02


def outermost(
    pvalue: Callable[[float], float], alpha: float, center: float, error: float, side: float, end: float
) -> float:
    """Return the end of the values on one side of a center that are not rejected, or the end of all
    values.
    """
    step, last = 1.5 * error, center
    inside = center, 1.0
    rejected: list[tuple[float, float]] = []
    while len(rejected) < 3:
        at = last + side * step
        beyond = side * at >= end
        at = side * end if beyond else at
        p = pvalue(at)
        if p > alpha:
            if beyond:
                return at
            inside, rejected = (at, p), []
            # beyond a few errors only few records or much noise keep means possible
            step *= 1.0 if abs(at - center) < 6.0 * error else 1.5
        else:
            rejected.append((at, p))
            if beyond:
                break
        last = at
    return _between(pvalue, alpha, inside, rejected[0], _NEAR * error)


def _between(
    pvalue: Callable[[float], float],
    alpha: float,
    inside: tuple[float, float],
    outside: tuple[float, float],
    near: float,
) -> float:
    """Return a rejected value near one that is not, between such values with their p-values."""
    middle = False
    while (gap := abs(outside[0] - inside[0])) > near:
        share = 0.5
        if not middle and 0.0 < outside[1] and inside[1] > outside[1]:
            first, wanted, second = (float(ndtri(0.5 * p)) for p in (inside[1], alpha, outside[1]))
            # a little before it, or a little beyond where what is before is near
            share = (wanted - first) / (second - first) - 0.4 * near / gap
            share = min(share if share > 0.1 * near / gap else 0.8 * near / gap, 1.0 - 0.1 * near / gap)
        at = inside[0] + share * (outside[0] - inside[0])
        p = pvalue(at)
        if p > alpha:
            inside = at, p
        else:
            outside = at, p
        middle = abs(outside[0] - inside[0]) > 0.5 * gap
    return outside[0]
