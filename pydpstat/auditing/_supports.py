"""The support of inverse-CDF noise: few bits of a uniform leave few places for a result.

Where a result publishes the law F of its noise, and the noise is F's quantile function at a multiple of
2^-bits, F(result - center) is such a multiple for the true center. The center is found without the data:
an outermost draw has few possible places, each gives a candidate, and a dozen other draws test it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pydpstat.auditing._bounds import Forecast
from pydpstat.auditing._events import Projection, Support

# bits of the uniforms of common generators: single precision, C's rand, Mersenne Twister in R
BITS = (24, 30, 31, 32)
# places that are tried for one outermost draw
MOST_PLACES = 400_000
WITNESSES = 12


def support_events(
    projection: Projection, law: Any, a: np.ndarray, b: np.ndarray, forecast: Forecast
) -> Iterator[tuple[Support, tuple[float, float]]]:
    """Yield an event for each sample that lies on such a support.

    Parameters
    ----------
    projection : Projection
        Which number it is.
    law : distribution
        The published law of the noise, with ``cdf``, ``ppf`` and ``std``, for one number.
    a, b : ndarray
        The number under the data and under the neighbour.
    forecast : Forecast
    """
    for z in (a, b):
        for bits in BITS:
            event = _found(projection, law, z[np.isfinite(z)], bits)
            if event is not None:
                counts = [np.array([np.count_nonzero(event.on_support(each))]) for each in (a, b)]
                more, less = forecast.both(counts[0], counts[1])
                yield event, (float(more[0]), float(less[0]))
                break


def _found(projection: Projection, law: Any, z: np.ndarray, bits: int) -> Support | None:
    spread = float(law.std())
    if z.size < 200 or not spread > 0.0 or np.unique(z[:200]).size < 150:
        return None
    middle = float(np.median(z))
    # of a law with density about 1 / (2 sd) in the middle, three standard errors of the median
    error = 4.0 * spread / np.sqrt(z.size)
    tests = z[np.argsort(np.abs(z[:2000] - middle), kind="stable")[: 4 * WITNESSES : 4]]
    for extreme in (float(z.min()), float(z.max())):
        ends = np.ldexp(law.cdf(extreme - middle + np.array([-error, error])), bits)
        first, last = np.floor(ends[0]), np.ceil(ends[1])
        if not last - first <= MOST_PLACES:
            continue
        places = np.arange(max(first, 1.0), min(last, 2.0**bits - 1.0) + 1.0)
        centers = extreme - law.ppf(np.ldexp(places, -bits))
        for test in tests:
            here = np.ldexp(law.cdf(test - centers), bits)
            centers = centers[np.abs(here - np.rint(here)) < 1e-3]
        if centers.size:
            return Support(projection, law, float(np.median(centers)), bits)
    return None
