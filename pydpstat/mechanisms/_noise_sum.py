"""The distribution of a sum of independent draws of integer noise, such as that of a table's margin."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import frozen
from pydpstat.mechanisms._noise import density_of, tail_pair, unwrap
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.r_arithmetic.elementary import Numbers

if TYPE_CHECKING:
    from pydpstat.random import Source

Floats = npt.NDArray[np.float64]
# as far as the tails are followed, in standard deviations of the sum beyond a tail of one draw
_SPREADS, _TAIL = 12.0, 1e-15
# of more values than these to either side, those at a distance of a step are looked at
_MOST = 2**16


@dataclass(frozen=True, eq=False)
class NoiseSum(Noise):
    """The distribution of a sum of so many independent draws of one noise on the integers.

    The noise is symmetric. The probabilities are the Fourier inverse of the characteristic function's power,
    on as many integers as leave out less than 1e-15; each is right to about 1e-16. Where these are more than
    131,073, they are gathered at multiples of a step below a thousandth of the standard deviation.
    """

    each: Noise
    terms: int

    integer: ClassVar[bool] = True

    @property
    def name(self) -> str:  # type: ignore[override]
        """What summaries call the noise of each summand."""
        return self.each.name

    @property
    def scale(self) -> Any:  # type: ignore[override]
        """The scale of each summand's noise."""
        return self.each.scale

    def std(self) -> float:
        """Standard deviation."""
        return math.sqrt(self.terms) * float(self.each.std())

    def cdf(self, x: npt.ArrayLike) -> Numbers:
        """Probability of at most `x`."""
        step, below = _lattice(self.each, self.terms)
        places = np.floor(np.asarray(x, dtype=np.float64) / step) + below.size // 2
        inside = below[np.clip(np.nan_to_num(places), 0, below.size - 1).astype(np.intp)]
        return unwrap(np.where(np.isnan(places), np.nan, np.where(places < 0.0, 0.0, inside)))

    def ppf(self, q: npt.ArrayLike) -> Numbers:
        """Smallest value with a distribution function of at least `q`, as a float; NaN outside [0, 1]."""
        step, below = _lattice(self.each, self.terms)
        p, _ = tail_pair(q)
        places = np.minimum(np.searchsorted(below, p), below.size - 1) - below.size // 2
        k = np.where(p == 0.0, -np.inf, np.where(p == 1.0, np.inf, step * places + 0.0))
        return unwrap(np.where(np.isnan(p), np.nan, k))

    def draw(self, source: Source, size: int, grid: float | None) -> npt.NDArray[np.generic]:
        """Draw so many sums."""
        drawn = np.asarray(self.each.draw(source, size * self.terms, grid))
        total: npt.NDArray[np.generic] = drawn.reshape(self.terms, size).sum(axis=0)
        return total


def summed(noise: Noise, terms: int) -> Noise | None:
    """Return the noise of a sum of so many values with this noise; None where its distribution is unknown."""
    if terms == 1:
        return noise
    each, already = summand(noise)
    known = each.integer and density_of(each) is not None and np.ndim(each.scale) == 0
    return NoiseSum(each, already * terms) if known else None


def summand(noise: Noise) -> tuple[Noise, int]:
    """Return the noise of which there are so many in a noise: one where it is no sum."""
    return (noise.each, noise.terms) if isinstance(noise, NoiseSum) else (noise, 1)


@lru_cache(maxsize=256)
def _lattice(each: Noise, terms: int) -> tuple[int, Floats]:
    """Return the step and the distribution function at its multiples, as many below 0 as above."""
    from scipy import fft

    reach = math.ceil(_SPREADS * math.sqrt(terms) * float(each.std()) + float(each.ppf(1.0 - _TAIL)))
    step = -(-reach // _MOST)
    half = -(-reach // step)
    k = step * np.arange(-half, half + 1.0)
    if step == 1:
        pmf = np.asarray(density_of(each)(k))  # type: ignore[misc]
    else:
        # what lies nearest to a multiple; half of it where two are as near
        ends = np.append(k - 0.5 * step, k[-1] + 0.5 * step)
        pmf = np.diff(0.5 * (np.asarray(each.cdf(ends)) + np.asarray(each.cdf(np.ceil(ends) - 1.0))))
    size = fft.next_fast_len(k.size, real=True)
    spectrum = fft.rfft(np.roll(np.append(pmf, np.zeros(size - k.size)), -half)).real ** terms
    pmf = np.roll(fft.irfft(spectrum, size), half)[: k.size].clip(min=0.0)
    # the two halves are the same but for rounding
    pmf = pmf + pmf[::-1]
    below = pmf.cumsum()
    return step, frozen(below / below[-1])
