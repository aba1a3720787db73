"""Noise of counts: geometric, Tulap, with a normal variable, and the tails of sums."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import freeze_array
from pydpstat.r_arithmetic.elementary import Floats, exp, expm1, log


@dataclass(frozen=True)
class Tulap:
    """The distribution of G + U: P(G = k) proportional to exp(-rate |k|), U uniform on (-1/2, 1/2).

    A count plus this noise is what the uniformly most powerful private tests of a proportion rest on. Awan,
    J. and Slavkovic, A. (2018). Differentially private uniformly most powerful tests for binomial data.
    NeurIPS 2018.

    With b = exp(-rate) and r the integer nearest to y >= 0, P(X <= -y) is ``b^r (b + (r - y + 1/2) (1 - b)) /
    (1 + b)``: the mass b^(r+1) / (1 + b) of the integers beyond -r, and the part of the cell around -r that
    lies below -y. The distribution is symmetric.
    """

    rate: float

    def cdf(self, x: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return P(X <= x)."""
        return self.compute_tail(-np.asarray(x, dtype=np.float64))

    def compute_tail(self, x: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return P(X >= x)."""
        values = np.asarray(x, dtype=np.float64)
        y = np.abs(values)
        nearest = np.rint(y)
        b, rest = math.exp(-self.rate), -math.expm1(-self.rate)
        far = np.asarray(exp(-self.rate * nearest)) * ((b + (nearest - y + 0.5) * rest) / (1.0 + b))
        return np.where(values >= 0.0, far, 1.0 - far)

    def ppf(self, u: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the quantiles of shares above 0 and below 1."""
        share = np.asarray(u, dtype=np.float64)
        b, rest = math.exp(-self.rate), -math.expm1(-self.rate)
        mass: Floats = np.minimum(share, 1.0 - share) * (1.0 + b)
        nearest = np.floor(np.maximum(-np.asarray(log(mass)) / self.rate, 0.0))
        within = mass * np.asarray(exp(self.rate * nearest))
        y = nearest + 0.5 - (within - b) / rest
        return np.where(share < 0.5, -y, y)


# as far as the tails are followed: standard deviations, and units of 1 / rate
_SUPPORT_DEVIATIONS, _SUPPORT_DECAYS = 12.0, 40.0
# of more values than these to either side, those at a distance of a step are looked at
_MAX_LATTICE_POINTS = 2**16
# with a noise of more than a thousand million records nothing is looked at
SMALLEST_RATE = 1e-9


def compute_geometric_tail(k: npt.ArrayLike, rate: float) -> npt.NDArray[np.float64]:
    """Return P(G >= k) at integers k, with P(G = k) proportional to exp(-rate |k|)."""
    at, ratio = np.asarray(k, dtype=np.float64), math.exp(-rate)
    far = np.exp(-rate * np.where(at > 0.0, at, 1.0 - at)) / (1.0 + ratio)
    return np.where(at > 0.0, far, 1.0 - far)


@dataclass(frozen=True)
class GeometricNoise:
    """Symmetric geometric noise of any rate, as a distribution with a tail."""

    rate: float

    def compute_tail(self, x: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return P(G >= x)."""
        return compute_geometric_tail(np.ceil(np.asarray(x, dtype=np.float64)), self.rate)


@dataclass(frozen=True, eq=False)
class GeometricSum:
    """The distribution of a sum of independent symmetric geometric variables, on multiples of a step."""

    pmf: npt.NDArray[np.float64]
    tails: npt.NDArray[np.float64]
    step: int = 1

    @property
    def support_radius(self) -> int:
        """The largest multiple that is looked at."""
        return self.pmf.size // 2

    def compute_tail(self, x: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return P(X >= x)."""
        places = np.asarray(x, dtype=np.float64) / self.step + self.support_radius
        if self.step > 1:
            ends = np.arange(self.tails.size + 1.0) - 0.5
            return np.interp(places, ends, np.append(self.tails, 0.0))
        whole = np.ceil(places)
        inside = self.tails[np.clip(whole, 0.0, self.pmf.size - 1.0).astype(np.intp)]
        return np.where(whole < self.pmf.size, inside, 0.0)

    def compute_quantile(self, tail_probability: float) -> int:
        """Return a q with P(X > q) <= share, a share above 0: the smallest where the step is 1."""
        # the tails fall from 1 on
        return (
            int(np.count_nonzero(self.tails > tail_probability)) - (self.step == 1) - self.support_radius
        ) * self.step


@lru_cache(maxsize=64)
def make_geometric_sum(rate: float, n_terms: int) -> GeometricSum:
    """Return the distribution of a sum of so many variables with P(k) proportional to exp(-rate |k|).

    The probabilities are the Fourier inverse of the characteristic function's power, on as many integers as
    leave out less than 1e-15; what rounding makes negative is 0. Each is right to about 1e-16. Where these
    are more than 131,073, as for rates below 0.001, a coarser lattice takes their place; a step is then 0.001
    of the noise's scale or less, and tails are right to about 1e-7.
    """
    reach = compute_support_radius(rate, n_terms)
    step = -(-reach // _MAX_LATTICE_POINTS)
    pmf = compute_geometric_pmf(rate, -(-reach // step), step)
    if n_terms > 1:
        from scipy import fft

        size, half = fft.next_fast_len(pmf.size, real=True), pmf.size // 2
        spectrum = fft.rfft(np.roll(np.append(pmf, np.zeros(size - pmf.size)), -half)).real ** n_terms
        pmf = np.roll(fft.irfft(spectrum, size), half)[: pmf.size].clip(min=0.0)
    # the two halves are the same but for rounding
    pmf = pmf + pmf[::-1]
    pmf /= pmf.sum()
    tails = pmf[::-1].cumsum()[::-1]
    return GeometricSum(freeze_array(pmf), freeze_array(tails), step)


def compute_noise_variance(rate: float) -> float:
    """Return the variance of one symmetric geometric variable."""
    # beyond all floats for rates below 1e-150
    return 2.0 * math.exp(-rate) / max(math.expm1(-rate) ** 2, 5e-324)


def evaluate_noise_spectrum(rate: float, angles: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the characteristic function of one symmetric geometric variable."""
    ratio = math.exp(-rate)
    return (1.0 - ratio) ** 2 / (1.0 - 2.0 * ratio * np.cos(angles) + ratio * ratio)


def count_below_edges(cell_counts: Sequence[int], total: int) -> list[tuple[int, int]]:
    """Return the numbers below the edges between noisy cells, each from the side with fewer noises."""
    sums = np.cumsum(cell_counts).tolist()
    half, size = len(cell_counts) // 2, len(cell_counts)
    return [
        (count if place <= half else total - (sums[-1] - count), min(place, size - place))
        for place, count in enumerate(sums[:-1], start=1)
    ]


def compute_support_radius(rate: float, n_terms: int) -> int:
    """Return how far a sum of so many variables is followed, for rates that are looked at."""
    rate = max(rate, SMALLEST_RATE)
    return math.ceil(_SUPPORT_DEVIATIONS * math.sqrt(n_terms * compute_noise_variance(rate)) + _SUPPORT_DECAYS / rate)


def compute_geometric_pmf(rate: float, radius: int, step: int = 1) -> npt.NDArray[np.float64]:
    """Return the probabilities of the multiples of a step, from -reach to reach, for one variable.

    With b = exp(-rate) and h the step, that of m h != 0 is ``b (1 - b^h)^2 / (h (1 - b^2)) b^(h (|m| - 1))``:
    the sum of ``(1 - b) / (1 + b) b^|k|`` times ``1 - |k - m h| / h`` over the k next to m h.
    """
    gap = -math.expm1(-rate * step)
    first = math.exp(-rate) * gap * gap / (step * -math.expm1(-2.0 * rate))
    side = first * np.asarray(exp(-rate * step * np.arange(float(radius))))
    side[-1:] /= gap
    return np.concatenate([side[::-1], [1.0 - 2.0 * first / gap], side])


_ROOT_TWO = math.sqrt(2.0)


def compute_normal_laplace_tail(x: npt.ArrayLike, sd: float, scale: float) -> npt.NDArray[np.float64]:
    """Return P(sd N + L >= x), N standard normal, L Laplace noise of that scale.

    Reed, W. J. (2006). The normal-Laplace distribution and its relatives. In Advances in distribution theory,
    order statistics, and inference. Birkhauser.

    With u = x / sd and r = sd / scale it is Phi(-u) + A / 2 - B / 2, where A = exp(r^2/2 - ru) Phi(u - r)
    and B = exp(r^2/2 + ru) Phi(-u - r). As Phi(-z) = exp(-z^2/2) erfcx(z / sqrt(2)) / 2, they are
    exp(-u^2/2) / 2 times erfcx((r - u) / sqrt(2)) and erfcx((r + u) / sqrt(2)): no large exponents meet. For
    u > r the exponent of A is negative as it stands. For x >= 0, B is at most Phi(-u), so that nothing
    cancels; for x < 0 the tail is 1 minus that of -x.
    """
    from scipy.special import erfcx, ndtr

    values = np.asarray(x, dtype=np.float64)
    size = np.abs(values)
    if scale == 0.0:
        return np.asarray(ndtr(-values / sd))
    if sd == 0.0:
        upper = 0.5 * np.asarray(exp(-size / scale))
        return np.where(values >= 0.0, upper, 1.0 - upper)
    with np.errstate(all="ignore"):
        u, r = size / sd, sd / scale
        density = 0.5 * np.asarray(exp(-0.5 * u * u))
        beyond = density * erfcx((u + r) / _ROOT_TWO)
        # the larger argument of erfcx that is not used must not overflow
        near = density * erfcx(np.maximum(r - u, 0.0) / _ROOT_TWO)
        far = np.asarray(exp(r * np.minimum(0.5 * r - u, 0.0))) * ndtr(u - r)
        upper = ndtr(-u) + 0.5 * np.where(u <= r, near, far) - 0.5 * beyond
    upper = np.where(np.isinf(size), 0.0, upper)
    return np.where(values >= 0.0, upper, 1.0 - upper)


Cumulants = tuple[float, float, float]

# the approximation is up to 6 % off for a single Laplace variable
_SURCHARGE = 1.05
# of vectors that move the sum by less of its standard deviation only the variance matters
_SMALL_MOVE = 0.05
_QUADRATURE_NODES = 32
# the smallest p-value of a coefficient, near to where floating-point numbers end
SMALLEST_PVALUE = 1e-300


class BinomialTerms(NamedTuple):
    """Binomial counts less their means, each times a weight."""

    sizes: Floats
    probabilities: Floats
    weights: Floats

    @property
    def variance(self) -> float:
        """Their variance."""
        return float(self.sizes @ (self.weights**2 * self.probabilities * (1.0 - self.probabilities)))

    @property
    def max_argument(self) -> float:
        """Every argument has cumulants; beyond this one the count with the largest weight is full."""
        return 500.0 / max(float(np.abs(self.weights).max(initial=0.0)), 1e-300)

    def evaluate_cumulants(self, t: float) -> Cumulants:
        """Return the cumulants."""
        w, p = self.weights, self.probabilities
        grown = p * np.asarray(exp(t * w))
        whole = 1.0 - p + grown
        tilted = grown / whole
        first = self.sizes @ (np.asarray(log(whole)) - t * w * p)
        return (
            float(first),
            float(self.sizes @ (w * (tilted - p))),
            float(self.sizes @ (w * w * tilted * (1.0 - tilted))),
        )


class GeometricTerms(NamedTuple):
    """Symmetric geometric variables of one rate, each times a weight."""

    rate: float
    weights: Floats

    @property
    def variance(self) -> float:
        """Their variance."""
        return compute_noise_variance(self.rate) * float(self.weights @ self.weights)

    @property
    def max_argument(self) -> float:
        """Up to which argument they have cumulants."""
        return self.rate / max(float(np.abs(self.weights).max(initial=0.0)), 1e-300)

    def evaluate_cumulants(self, t: float) -> Cumulants:
        """Return the cumulants."""
        w = np.abs(self.weights)
        down, up = np.asarray(exp(-self.rate - t * w)), np.asarray(exp(t * w - self.rate))
        whole = 2.0 * w.size * math.log(-math.expm1(-self.rate))
        falls, rises = down / (1.0 - down), up / (1.0 - up)
        value = whole - float(np.sum(log(1.0 - down)) + np.sum(log(1.0 - up)))
        second = (w * w) @ (falls * (1.0 + falls) + rises * (1.0 + rises))
        return value, float(w @ (rises - falls)), float(second)


class CubeTerms(NamedTuple):
    """Vectors whose density falls with the largest element over the scale, each times a vector of weights.

    The weights have the scale in them already; of vectors of one element they are Laplace variables.
    """

    weights: Floats

    @property
    def variance(self) -> float:
        """Their variance."""
        columns = self.weights.shape[1]
        return (columns + 1.0) * (columns + 2.0) / 3.0 * float(np.square(self.weights).sum())

    @property
    def max_argument(self) -> float:
        """Up to which argument they have cumulants."""
        return 1.0 / max(float(np.abs(self.weights).sum(axis=1).max(initial=0.0)), 1e-300)

    def evaluate_cumulants(self, t: float) -> Cumulants:
        """Return the cumulants: a Gamma radius times uniform elements, over the radius by quadrature."""
        w = np.abs(self.weights)
        nodes, masses = compute_radius_quadrature(w.shape[1])
        left = 1.0 - t * w.sum(axis=1)
        radius = nodes / left[:, None]
        reach = np.maximum(w[:, :, None] * radius[:, None, :], 1e-100)
        x = t * reach
        small = x < 1e-3
        far = np.maximum(x, 1e-3)
        fall = -np.asarray(expm1(-2.0 * far))
        size = np.where(small, 1.0 - x, 0.5 * fall / far)
        rest = 1.0 - fall
        slope = np.where(small, x / 3.0, (1.0 + rest) / fall - 1.0 / far)
        bend = np.where(small, 1.0 / 3.0, 1.0 / far**2 - 4.0 * rest / fall**2)
        weights = masses * np.prod(size, axis=1)
        whole = weights.sum(axis=1)
        weights = weights / whole[:, None]
        first = (reach * slope).sum(axis=1)
        mean = (weights * first).sum(axis=1)
        spread = (weights * (first**2 + (reach**2 * bend).sum(axis=1))).sum(axis=1) - mean**2
        value = np.asarray(log(whole)) - (w.shape[1] + 1.0) * np.asarray(log(left))
        return float(value.sum()), float(mean.sum()), float(spread.sum())


@lru_cache(maxsize=16)
def compute_radius_quadrature(columns: int) -> tuple[Floats, Floats]:
    """Return nodes and masses of the Gamma distribution of shape columns + 1."""
    from scipy.special import roots_genlaguerre

    nodes, masses = roots_genlaguerre(_QUADRATURE_NODES, columns)
    return freeze_array(nodes), freeze_array(masses / masses.sum())


def split_large_terms(cubes: CubeTerms, variance: float) -> tuple[CubeTerms, float]:
    """Return the vectors that matter in a sum of so large a variance, and the variance of the others."""
    reach = np.abs(cubes.weights).sum(axis=1)
    kept = reach > _SMALL_MOVE * math.sqrt(variance)
    return CubeTerms(cubes.weights[kept]), CubeTerms(cubes.weights[~kept]).variance


# independent variables of mean 0, each with a weight
SumTerms = BinomialTerms | GeometricTerms | CubeTerms


@dataclass(frozen=True)
class WeightedSum:
    """A sum of independent variables: a normal one of this variance, and others."""

    variance: float
    terms: Sequence[SumTerms]

    def _evaluate_cumulants(self, t: float) -> Cumulants:
        found = [part.evaluate_cumulants(t) for part in self.terms]
        value, first, second = (math.fsum(each) for each in zip(*found)) if found else (0.0, 0.0, 0.0)
        return value + 0.5 * self.variance * t * t, first + self.variance * t, second + self.variance

    def approximate_tail(self, x: float) -> float:
        """Return the probability of a sum of at least x, for x >= 0; 5 % are added."""
        from scipy.special import log_ndtr

        most = min([part.max_argument for part in self.terms], default=math.inf)
        variance = self.variance + math.fsum(part.variance for part in self.terms)
        if not x > 0.0 or variance <= 0.0:
            return 0.5 if not x > 0.0 else 0.0
        low, high = 0.0, most
        t = min(x / variance, 0.5 * most)
        value, first, second = 0.0, 0.0, variance
        for _ in range(60):
            value, first, second = self._evaluate_cumulants(t)
            if abs(first - x) < 1e-7 * x or high - low < 1e-13 * high:
                break
            low, high = (t, high) if first < x else (low, t)
            step = t + (x - first) / second if second > 0.0 else math.nan
            # Newton's step, or to the middle where it leads out
            t = step if low < step < high else (0.5 * (low + high) if high < math.inf else 2.0 * t)
        root, slope = math.sqrt(max(2.0 * (t * x - value), 0.0)), t * math.sqrt(max(second, 0.0))
        if root < 1e-3 or slope <= 0.0:
            return max(0.0, 0.5 - x / math.sqrt(2.0 * math.pi * variance))
        return min(0.5, _SURCHARGE * math.exp(float(log_ndtr(-(root + math.log(slope / root) / root)))))
