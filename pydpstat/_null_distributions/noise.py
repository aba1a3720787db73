"""Noise distributions of counts: geometric, Tulap, normal-Laplace, and tails of weighted sums."""

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
    """Distribution of G + U: P(G = k) proportional to exp(-rate |k|), U uniform on (-1/2, 1/2).

    The uniformly most powerful private tests of a proportion are based on a count plus this noise. Awan,
    J. and Slavkovic, A. (2018). Differentially private uniformly most powerful tests for binomial data.
    NeurIPS 2018.

    With b = exp(-rate) and r the integer nearest to y >= 0, P(X <= -y) is ``b^r (b + (r - y + 1/2) (1 - b)) /
    (1 + b)``: the mass b^(r+1) / (1 + b) of the integers below -r, and the part of the cell around -r
    below -y. The distribution is symmetric.
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
        b, complement = math.exp(-self.rate), -math.expm1(-self.rate)
        tails = np.asarray(exp(-self.rate * nearest)) * ((b + (nearest - y + 0.5) * complement) / (1.0 + b))
        return np.where(values >= 0.0, tails, 1.0 - tails)

    def ppf(self, u: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the quantiles at probabilities in (0, 1)."""
        share = np.asarray(u, dtype=np.float64)
        b, complement = math.exp(-self.rate), -math.expm1(-self.rate)
        mass: Floats = np.minimum(share, 1.0 - share) * (1.0 + b)
        nearest = np.floor(np.maximum(-np.asarray(log(mass)) / self.rate, 0.0))
        scaled_mass = mass * np.asarray(exp(self.rate * nearest))
        y = nearest + 0.5 - (scaled_mass - b) / complement
        return np.where(share < 0.5, -y, y)


# truncation points of the tails, in standard deviations and in units of 1 / rate
_SUPPORT_DEVIATIONS, _SUPPORT_DECAYS = 12.0, 40.0
# largest number of values on either side; a wider distribution is tabulated with a larger step
_MAX_LATTICE_POINTS = 2**16
# smallest rate, at which the noise is about 10^9 records
SMALLEST_RATE = 1e-9


def compute_geometric_tail(k: npt.ArrayLike, rate: float) -> npt.NDArray[np.float64]:
    """Return P(G >= k) at integers k, with P(G = k) proportional to exp(-rate |k|)."""
    values, ratio = np.asarray(k, dtype=np.float64), math.exp(-rate)
    tails = np.exp(-rate * np.where(values > 0.0, values, 1.0 - values)) / (1.0 + ratio)
    return np.where(values > 0.0, tails, 1.0 - tails)


@dataclass(frozen=True)
class GeometricNoise:
    """Symmetric geometric noise of any rate, with its tail probabilities."""

    rate: float

    def compute_tail(self, x: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return P(G >= x)."""
        return compute_geometric_tail(np.ceil(np.asarray(x, dtype=np.float64)), self.rate)


@dataclass(frozen=True, eq=False)
class GeometricSum:
    """Distribution of a sum of independent symmetric geometric variables, tabulated at multiples of a step."""

    pmf: npt.NDArray[np.float64]
    tails: npt.NDArray[np.float64]
    step: int = 1

    @property
    def support_radius(self) -> int:
        """Largest tabulated multiple of the step."""
        return self.pmf.size // 2

    def compute_tail(self, x: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return P(X >= x)."""
        positions = np.asarray(x, dtype=np.float64) / self.step + self.support_radius
        if self.step > 1:
            edges = np.arange(self.tails.size + 1.0) - 0.5
            return np.interp(positions, edges, np.append(self.tails, 0.0))
        indices = np.ceil(positions)
        tails_inside = self.tails[np.clip(indices, 0.0, self.pmf.size - 1.0).astype(np.intp)]
        return np.where(indices < self.pmf.size, tails_inside, 0.0)

    def compute_quantile(self, tail_probability: float) -> int:
        """Return a q with P(X > q) <= `tail_probability` > 0: the smallest such integer if the step is 1."""
        # tails are decreasing from 1
        return (
            int(np.count_nonzero(self.tails > tail_probability)) - (self.step == 1) - self.support_radius
        ) * self.step


@lru_cache(maxsize=64)
def make_geometric_sum(rate: float, n_terms: int) -> GeometricSum:
    """Return the distribution of a sum of `n_terms` variables with P(k) proportional to exp(-rate |k|).

    The probabilities are the inverse Fourier transform of a power of the characteristic function, on an integer
    range that leaves out less than 1e-15; negative rounding errors are set to 0. Each is accurate to about
    1e-16. If the range has more than 131,073 integers, as for rates below 0.001, a coarser lattice is used; its
    step is at most 0.001 of the noise scale, and tails are accurate to about 1e-7.
    """
    radius = compute_support_radius(rate, n_terms)
    step = -(-radius // _MAX_LATTICE_POINTS)
    pmf = compute_geometric_pmf(rate, -(-radius // step), step)
    if n_terms > 1:
        from scipy import fft

        size, half = fft.next_fast_len(pmf.size, real=True), pmf.size // 2
        spectrum = fft.rfft(np.roll(np.append(pmf, np.zeros(size - pmf.size)), -half)).real ** n_terms
        pmf = np.roll(fft.irfft(spectrum, size), half)[: pmf.size].clip(min=0.0)
    # both halves are equal up to rounding
    pmf = pmf + pmf[::-1]
    pmf /= pmf.sum()
    tails = pmf[::-1].cumsum()[::-1]
    return GeometricSum(freeze_array(pmf), freeze_array(tails), step)


def compute_noise_variance(rate: float) -> float:
    """Return the variance of a symmetric geometric variable."""
    # avoids a division by 0 if the square underflows
    return 2.0 * math.exp(-rate) / max(math.expm1(-rate) ** 2, 5e-324)


def evaluate_noise_spectrum(rate: float, angles: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the characteristic function of a symmetric geometric variable."""
    ratio = math.exp(-rate)
    return (1.0 - ratio) ** 2 / (1.0 - 2.0 * ratio * np.cos(angles) + ratio * ratio)


def count_below_edges(cell_counts: Sequence[int], total: int) -> list[tuple[int, int]]:
    """Return the counts below the inner edges of noisy cells, and the numbers of noises in them.

    Each is summed over the cells on the side with fewer noises.
    """
    sums = np.cumsum(cell_counts).tolist()
    half, size = len(cell_counts) // 2, len(cell_counts)
    return [
        (count if index <= half else total - (sums[-1] - count), min(index, size - index))
        for index, count in enumerate(sums[:-1], start=1)
    ]


def compute_support_radius(rate: float, n_terms: int) -> int:
    """Return the truncation point of a sum of `n_terms` variables; rates below `SMALLEST_RATE` are raised to it."""
    rate = max(rate, SMALLEST_RATE)
    return math.ceil(_SUPPORT_DEVIATIONS * math.sqrt(n_terms * compute_noise_variance(rate)) + _SUPPORT_DECAYS / rate)


def compute_geometric_pmf(rate: float, radius: int, step: int = 1) -> npt.NDArray[np.float64]:
    """Return the probabilities of the multiples of a step, from -radius to radius, for one variable.

    With b = exp(-rate) and h the step, that of m h != 0 is ``b (1 - b^h)^2 / (h (1 - b^2)) b^(h (|m| - 1))``:
    the sum of ``(1 - b) / (1 + b) b^|k|`` times ``1 - |k - m h| / h`` over the k next to m h.
    """
    gap = -math.expm1(-rate * step)
    first_term = math.exp(-rate) * gap * gap / (step * -math.expm1(-2.0 * rate))
    upper_half = first_term * np.asarray(exp(-rate * step * np.arange(float(radius))))
    upper_half[-1:] /= gap
    return np.concatenate([upper_half[::-1], [1.0 - 2.0 * first_term / gap], upper_half])


_ROOT_TWO = math.sqrt(2.0)


def compute_normal_laplace_tail(x: npt.ArrayLike, sd: float, scale: float) -> npt.NDArray[np.float64]:
    """Return P(sd N + L >= x) for a standard normal N and Laplace noise L of the given scale.

    Reed, W. J. (2006). The normal-Laplace distribution and its relatives. In Advances in distribution theory,
    order statistics, and inference. Birkhauser.

    With u = x / sd and r = sd / scale it is Phi(-u) + A / 2 - B / 2, where A = exp(r^2/2 - ru) Phi(u - r)
    and B = exp(r^2/2 + ru) Phi(-u - r). As Phi(-z) = exp(-z^2/2) erfcx(z / sqrt(2)) / 2, they are
    exp(-u^2/2) / 2 times erfcx((r - u) / sqrt(2)) and erfcx((r + u) / sqrt(2)), which avoids large exponents. For
    u > r the exponent of A is already negative. For x >= 0, B is at most Phi(-u), so that there is no
    cancellation; for x < 0 the tail is 1 minus that of -x.
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
        # clipped because erfcx overflows at the negative arguments that are not used
        near = density * erfcx(np.maximum(r - u, 0.0) / _ROOT_TWO)
        far = np.asarray(exp(r * np.minimum(0.5 * r - u, 0.0))) * ndtr(u - r)
        upper = ndtr(-u) + 0.5 * np.where(u <= r, near, far) - 0.5 * beyond
    upper = np.where(np.isinf(size), 0.0, upper)
    return np.where(values >= 0.0, upper, 1.0 - upper)


Cumulants = tuple[float, float, float]

# relative increase of tail probabilities; the error is up to 6 % for a single Laplace variable
_SURCHARGE = 1.05
# vectors with weights below this fraction of the standard deviation enter by their variance only
_SMALL_MOVE = 0.05
_QUADRATURE_NODES = 32
# smallest p-value of a coefficient, near the smallest normal float
SMALLEST_PVALUE = 1e-300


class BinomialTerms(NamedTuple):
    """Weighted binomial counts minus their means."""

    sizes: Floats
    probabilities: Floats
    weights: Floats

    @property
    def variance(self) -> float:
        """Variance of the sum."""
        return float(self.sizes @ (self.weights**2 * self.probabilities * (1.0 - self.probabilities)))

    @property
    def max_argument(self) -> float:
        """Largest argument of the cumulant generating function, chosen to avoid overflow."""
        return 500.0 / max(float(np.abs(self.weights).max(initial=0.0)), 1e-300)

    def evaluate_cumulants(self, t: float) -> Cumulants:
        """Return the cumulant generating function at `t` and its first two derivatives."""
        w, p = self.weights, self.probabilities
        grown_masses = p * np.asarray(exp(t * w))
        normalizer = 1.0 - p + grown_masses
        tilted = grown_masses / normalizer
        value = self.sizes @ (np.asarray(log(normalizer)) - t * w * p)
        return (
            float(value),
            float(self.sizes @ (w * (tilted - p))),
            float(self.sizes @ (w * w * tilted * (1.0 - tilted))),
        )


class GeometricTerms(NamedTuple):
    """Weighted symmetric geometric variables of one rate."""

    rate: float
    weights: Floats

    @property
    def variance(self) -> float:
        """Variance of the sum."""
        return compute_noise_variance(self.rate) * float(self.weights @ self.weights)

    @property
    def max_argument(self) -> float:
        """Upper limit of the arguments at which the cumulant generating function is finite."""
        return self.rate / max(float(np.abs(self.weights).max(initial=0.0)), 1e-300)

    def evaluate_cumulants(self, t: float) -> Cumulants:
        """Return the cumulant generating function at `t` and its first two derivatives."""
        w = np.abs(self.weights)
        down, up = np.asarray(exp(-self.rate - t * w)), np.asarray(exp(t * w - self.rate))
        constant = 2.0 * w.size * math.log(-math.expm1(-self.rate))
        falls, rises = down / (1.0 - down), up / (1.0 - up)
        value = constant - float(np.sum(log(1.0 - down)) + np.sum(log(1.0 - up)))
        curvature = (w * w) @ (falls * (1.0 + falls) + rises * (1.0 + rises))
        return value, float(w @ (rises - falls)), float(curvature)


class CubeTerms(NamedTuple):
    """Scalar products of weights and vectors of cube noise, whose density decreases with the maximum norm.

    The weights include the noise scale; vectors of one element are Laplace variables.
    """

    weights: Floats

    @property
    def variance(self) -> float:
        """Variance of the sum."""
        columns = self.weights.shape[1]
        return (columns + 1.0) * (columns + 2.0) / 3.0 * float(np.square(self.weights).sum())

    @property
    def max_argument(self) -> float:
        """Upper limit of the arguments at which the cumulant generating function is finite."""
        return 1.0 / max(float(np.abs(self.weights).sum(axis=1).max(initial=0.0)), 1e-300)

    def evaluate_cumulants(self, t: float) -> Cumulants:
        """Return the cumulant generating function at `t` and its first two derivatives.

        A vector is a Gamma radius times uniform elements; the radius is integrated by quadrature.
        """
        w = np.abs(self.weights)
        nodes, masses = compute_radius_quadrature(w.shape[1])
        remaining = 1.0 - t * w.sum(axis=1)
        radius = nodes / remaining[:, None]
        half_widths = np.maximum(w[:, :, None] * radius[:, None, :], 1e-100)
        x = t * half_widths
        small = x < 1e-3
        large_x = np.maximum(x, 1e-3)
        fall = -np.asarray(expm1(-2.0 * large_x))
        size = np.where(small, 1.0 - x, 0.5 * fall / large_x)
        decay = 1.0 - fall
        slope = np.where(small, x / 3.0, (1.0 + decay) / fall - 1.0 / large_x)
        bend = np.where(small, 1.0 / 3.0, 1.0 / large_x**2 - 4.0 * decay / fall**2)
        weights = masses * np.prod(size, axis=1)
        integrals = weights.sum(axis=1)
        weights = weights / integrals[:, None]
        slopes = (half_widths * slope).sum(axis=1)
        mean = (weights * slopes).sum(axis=1)
        variance = (weights * (slopes**2 + (half_widths**2 * bend).sum(axis=1))).sum(axis=1) - mean**2
        value = np.asarray(log(integrals)) - (w.shape[1] + 1.0) * np.asarray(log(remaining))
        return float(value.sum()), float(mean.sum()), float(variance.sum())


@lru_cache(maxsize=16)
def compute_radius_quadrature(columns: int) -> tuple[Floats, Floats]:
    """Return nodes and masses of Gauss-Laguerre quadrature for the Gamma distribution of shape columns + 1."""
    from scipy.special import roots_genlaguerre

    nodes, masses = roots_genlaguerre(_QUADRATURE_NODES, columns)
    return freeze_array(nodes), freeze_array(masses / masses.sum())


def split_large_terms(cubes: CubeTerms, variance: float) -> tuple[CubeTerms, float]:
    """Return the vectors with large weights relative to the standard deviation, and the variance of the others."""
    total_weights = np.abs(cubes.weights).sum(axis=1)
    is_large = total_weights > _SMALL_MOVE * math.sqrt(variance)
    return CubeTerms(cubes.weights[is_large]), CubeTerms(cubes.weights[~is_large]).variance


# weighted independent variables of mean 0
SumTerms = BinomialTerms | GeometricTerms | CubeTerms


@dataclass(frozen=True)
class WeightedSum:
    """Sum of independent variables: a normal one with the given variance, and others."""

    variance: float
    terms: Sequence[SumTerms]

    def _evaluate_cumulants(self, t: float) -> Cumulants:
        cumulants = [term.evaluate_cumulants(t) for term in self.terms]
        value, first, second = (math.fsum(terms) for terms in zip(*cumulants)) if cumulants else (0.0, 0.0, 0.0)
        return value + 0.5 * self.variance * t * t, first + self.variance * t, second + self.variance

    def approximate_tail(self, x: float) -> float:
        """Return a saddlepoint approximation of P(sum >= x) for x >= 0, increased by 5 % and at most 0.5."""
        from scipy.special import log_ndtr

        max_argument = min([term.max_argument for term in self.terms], default=math.inf)
        variance = self.variance + math.fsum(term.variance for term in self.terms)
        if not x > 0.0 or variance <= 0.0:
            return 0.5 if not x > 0.0 else 0.0
        low, high = 0.0, max_argument
        t = min(x / variance, 0.5 * max_argument)
        value, tilted_mean, tilted_variance = 0.0, 0.0, variance
        for _ in range(60):
            value, tilted_mean, tilted_variance = self._evaluate_cumulants(t)
            if abs(tilted_mean - x) < 1e-7 * x or high - low < 1e-13 * high:
                break
            low, high = (t, high) if tilted_mean < x else (low, t)
            step = t + (x - tilted_mean) / tilted_variance if tilted_variance > 0.0 else math.nan
            # Newton's step, or bisection if it leaves the bracket
            t = step if low < step < high else (0.5 * (low + high) if high < math.inf else 2.0 * t)
        root, slope = math.sqrt(max(2.0 * (t * x - value), 0.0)), t * math.sqrt(max(tilted_variance, 0.0))
        if root < 1e-3 or slope <= 0.0:
            return max(0.0, 0.5 - x / math.sqrt(2.0 * math.pi * variance))
        return min(0.5, _SURCHARGE * math.exp(float(log_ndtr(-(root + math.log(slope / root) / root)))))
