"""From a test to an interval: the outermost value that is not rejected."""

from __future__ import annotations

from collections.abc import Callable


def outermost(
    accepts: Callable[[float], bool], center: float, error: float, side: float, end: float
) -> float:
    """Return the end of the accepted values on one side of a center, or the end of all of them.

    What is accepted need not be an interval: two steps beyond the first rejection are looked at, too. The
    end is a rejected value next to an accepted one, nearer than a fiftieth of the error.
    """
    step, last, inside, rejected = 1.5 * error, center, center, []
    while True:
        at = last + side * step
        if side * at >= end:
            if accepts(side * end):
                return side * end
            rejected.append(side * end)
            break
        if accepts(at):
            inside, rejected = at, []
            # beyond a few errors only few records or much noise keep means possible
            step *= 1.0 if abs(at - center) < 6.0 * error else 1.5
        else:
            rejected.append(at)
            if len(rejected) == 3:
                break
        last = at
    outside = rejected[0]
    while abs(outside - inside) > 0.02 * error:
        middle = 0.5 * (inside + outside)
        if accepts(middle):
            inside = middle
        else:
            outside = middle
    return outside
