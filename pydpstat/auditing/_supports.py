"""The support of inverse-CDF noise: few bits of a uniform leave few places for a result.

Where a result publishes the distribution F of its noise, and the noise is F's quantile function at a
multiple of 2^-bits, F(result - center) is such a multiple for the true center. The center is found without
the data: an outermost draw has few possible places, each gives a candidate, and a dozen other draws test it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from pydpstat.auditing._bounds import Forecast
from pydpstat.auditing._events import Found, NumberEvent, Projection

# bits of the uniforms of common generators: single precision, C's rand, Mersenne Twister in R
BITS = (24, 30, 31, 32)
# places that are tried for one outermost draw
MOST_PLACES = 400_000
WITNESSES = 12


@runtime_checkable
class Distribution(Protocol):
    """The published distribution of a number's noise."""

    def cdf(self, x: npt.ArrayLike) -> npt.NDArray[np.float64]:
        ...

    def ppf(self, q: npt.ArrayLike) -> npt.NDArray[np.float64]:
        ...

    def std(self) -> float:
        ...


@dataclass(frozen=True, eq=False)
class Support(NumberEvent):
    """A number lies where the published noise can put it when its uniform has few bits."""

    distribution: Distribution = field(repr=False)
    center: float
    bits: int
    tolerance: float = 1e-3

    @property
    def words(self) -> str:
        return (
            f"2^{self.bits} F({self.projection.name} - {self.center!r}) is within {self.tolerance:g} "
            "of a whole number, where F is the published law of the noise"
        )

    def includes(self, z: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            places = np.ldexp(self.distribution.cdf(z - self.center), self.bits)
            return np.abs(places - np.rint(places)) < self.tolerance


def support_events(
    projection: Projection, distribution: Distribution, a: np.ndarray, b: np.ndarray, forecast: Forecast
) -> Iterator[Found]:
    """Yield an event for each sample that lies on such a support.

    Parameters
    ----------
    projection : Projection
        Which number it is.
    distribution : Distribution
        The published distribution of the noise, for one number.
    a, b : ndarray
        The number under the data and under the neighbour.
    forecast : Forecast
    """
    for z in (a, b):
        for bits in BITS:
            event = _found(projection, distribution, z[np.isfinite(z)], bits)
            if event is not None:
                yield event, forecast.of(*(float(event.includes(each).sum()) for each in (a, b)))
                break


def _found(projection: Projection, distribution: Distribution, z: np.ndarray, bits: int) -> Support | None:
    spread = float(distribution.std())
    if z.size < 200 or not spread > 0.0 or np.unique(z[:200]).size < 150:
        return None
    middle = float(np.median(z))
    # with a density of about 1 / (2 sd) in the middle, three standard errors of the median
    error = 4.0 * spread / np.sqrt(z.size)
    tests = z[np.argsort(np.abs(z[:2000] - middle), kind="stable")[: 4 * WITNESSES : 4]]
    for extreme in (float(z.min()), float(z.max())):
        ends = np.ldexp(distribution.cdf(extreme - middle + np.array([-error, error])), bits)
        first, last = np.floor(ends[0]), np.ceil(ends[1])
        if not last - first <= MOST_PLACES:
            continue
        places = np.arange(max(first, 1.0), min(last, 2.0**bits - 1.0) + 1.0)
        centers = extreme - distribution.ppf(np.ldexp(places, -bits))
        for test in tests:
            here = np.ldexp(distribution.cdf(test - centers), bits)
            centers = centers[np.abs(here - np.rint(here)) < 1e-3]
        if centers.size:
            return Support(projection, distribution, float(np.median(centers)), bits)
    return None
