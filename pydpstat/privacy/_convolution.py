"""Sums of independent privacy losses on a grid: their delta curve, with a proven bound on every rounding.

A loss has masses on the multiples of an interval, and one at infinity. The delta of a sum,

    delta(epsilon) = sum over losses L > epsilon of P(L) (1 - exp(epsilon - L)),

is a small tail, and a Fourier transform has the same absolute error everywhere. The transform is therefore
applied to exponentially tilted masses ``q(L) = P(L) exp(lambda L - K)``, where exp(K) normalizes their sum to
1 and lambda makes the losses near epsilon the most probable ones. An error eta in q is an error of
``eta exp(K - lambda L)`` in P, which is in proportion to delta.

Bounds. Let u = 2^-53. A transform of N values by butterflies multiplies each input by a number of modulus 1
at each of log2(N) levels, and every value that it computes is a sum of some of them: with at most `_LEVEL_ROUNDINGS` u
for the roundings of a level (a complex product sqrt(5) u, its factor u, a sum u), the error of each output
is at most ``e = _LEVEL_ROUNDINGS u log2(N)`` times the sum of the inputs' moduli (Higham 2002, chapter 24, has the
Euclidean norm). That sum is 1 for q. In a product of powers F_i^n_i whose factors have an error of e, neither
the computed nor the true factors exceed b_i = |F_i| + e, so that the error is at most
``U sum of n_i (e / b_i + 3u)``, where U is the product of all b_i^n_i: a multiplication has a relative error
of sqrt(5) u, and a power n by repeated squaring has the error of
n - 1 of them. The way back has the mean of these errors over the frequencies, and its own e times the mean
modulus. All of it, `noise`, is added to every q; delta rises with every mass, as all weights are positive.

Losses outside the window of N multiples are wrapped around by the transform's period, and increase masses
inside. The contribution of those above is at most their probability under q, by Chernoff's bound, times the
weight at the window's end.

Gopi, S., Lee, Y. T. and Wutschitz, L. (2021). Numerical composition of differential privacy. NeurIPS 2021.
Koskela, A. and Honkela, A. (2021). Computing differential privacy guarantees for heterogeneous
compositions using FFT. arXiv:2102.12412.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import freeze_array
from pydpstat.privacy._curves import Floats
from pydpstat.r_arithmetic.elementary import exp, expm1, log

_UNIT_ROUNDOFF = 2.0**-53
# roundings of one level of the transform, in units of u
_LEVEL_ROUNDINGS = 6.0
# half width of a window in standard deviations of the tilted sum, and its largest size
_WINDOW_SDS, _MAX_WINDOW = 9.5, 2**22
# standard deviations by which the mean moves from one tilt to the next
_TILT_STRIDE = 3.0
# orders tried for Chernoff's bound, in units of 1 / distance from the mean; target for the mass outside a window
_CHERNOFF_ORDERS = (12.0, 25.0, 50.0, 90.0, 180.0, 360.0)
_MAX_TAIL = 2.0**-50
_MAX_LEVELS = 400
_Complex = npt.NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class Masses:
    """Masses of a loss on consecutive multiples of an interval, starting at the multiple `first`."""

    first: int
    values: Floats
    infinite: float = 0.0

    @property
    def last(self) -> int:
        """The largest multiple."""
        return self.first + self.values.size - 1

    def get_losses(self, interval: float) -> Floats:
        """Return the losses of the masses."""
        return np.arange(float(self.first), self.last + 1.0) * interval


def split_masses(losses: Floats, masses: Floats, interval: float, infinite: float = 0.0) -> Masses:
    """Return masses on the grid whose delta is at least that of the given masses at every epsilon.

    Each mass is divided between the two multiples around its loss such that its mass with the other neighbor, ``mass *
    exp(-loss)``, stays the same as well ("connect the dots"). Rounding is in favor of the upper multiple.

    Doroshenko, V., Ghazi, B., Kamath, P., Kumar, R. and Manurangsi, P. (2022). Connect the dots: tighter discrete
    approximations of privacy loss distributions. PoPETs 2022.
    """
    positions = losses / interval
    below = np.floor(positions)
    # bound of the rounding errors of the quotient and of the two exponentials, relative to an interval
    slack = 2.0**-50 * (1.0 + np.abs(positions)) + 2.0**-48
    upper = np.minimum(expm1(-(positions - below) * interval) / math.expm1(-interval) + slack, 1.0)
    first = int(below.min())
    indices = (below - first).astype(np.int64)
    values = np.zeros(int(indices.max()) + 2)
    np.add.at(values, indices, masses * (1.0 - upper))
    np.add.at(values, indices + 1, masses * upper)
    return trim_zeros(first, values, infinite)


def trim_zeros(first: int, values: Floats, infinite: float) -> Masses:
    """Return masses without the zeros at both ends, since a tilt is normalized at an end."""
    indices = np.flatnonzero(values)
    low, high = (int(indices[0]), int(indices[-1])) if indices.size else (0, 0)
    return Masses(first + low, freeze_array(values[low : high + 1]), infinite)


@dataclass(frozen=True, eq=False)
class _Tilt:
    """Parameters of the sum under a tilt: lambda, K, mean and standard deviation, in units of losses."""

    order: float
    log_mass: float
    mean: float
    sd: float


class LossSum:
    """The sum of independent losses, each with its multiplicity."""

    def __init__(self, parts: Sequence[tuple[Masses, int]], interval: float) -> None:
        self._parts, self._interval = tuple(parts), interval
        self._lowest = sum(times * masses.first for masses, times in parts)
        self._highest = sum(times * masses.last for masses, times in parts)
        self._count = sum(times for _, times in parts)
        self._far = max(max(abs(masses.first), abs(masses.last)) for masses, _ in parts) * interval
        finite = math.fsum(times * math.log1p(-min(masses.infinite, 1.0 - _UNIT_ROUNDOFF)) for masses, times in parts)
        self._infinite = max(0.0, min(1.0, -math.expm1(finite) * (1.0 + 2.0**-48)))
        self._tilts: list[_Tilt] = [self._make_tilt(0.0)]
        self._curves: dict[int, _Curve] = {}

    @property
    def sd(self) -> float:
        """Standard deviation of the sum."""
        return self._tilts[0].sd

    def compute_delta(self, epsilon: float) -> float:
        """Return delta at an epsilon, at least that of the masses."""
        if epsilon >= self._highest * self._interval:
            return self._infinite
        level = self._find_level(epsilon)
        if level not in self._curves:
            self._curves[level] = _Curve(self, self._tilts[level])
        return min(1.0, (self._infinite + self._curves[level].compute_delta(epsilon)) * (1.0 + 2.0**-50))

    def _find_level(self, epsilon: float) -> int:
        """Return the index of the first tilt under which epsilon is not far above the mean."""
        level = 0
        while level < _MAX_LEVELS:
            tilt = self._tilts[level]
            if epsilon <= tilt.mean + 0.5 * _TILT_STRIDE * tilt.sd or not tilt.sd > 0.0:
                break
            if level + 1 == len(self._tilts):
                self._tilts.append(self._make_next_tilt(tilt))
            following = self._tilts[level + 1]
            if not following.mean > tilt.mean:
                break
            level += 1
        return level

    def _make_next_tilt(self, here: _Tilt) -> _Tilt:
        """Return the next tilt, whose mean is within a few standard deviations of the current one."""
        step = _TILT_STRIDE / here.sd
        while True:
            candidate = self._make_tilt(here.order + step)
            if candidate.mean - here.mean <= 2.0 * _TILT_STRIDE * max(here.sd, candidate.sd, self._interval):
                return candidate
            step *= 0.5

    def _make_tilt(self, order: float) -> _Tilt:
        log_mass = mean = variance = 0.0
        for masses, times in self._parts:
            weights, reference = self.compute_weights(masses, order)
            total = float(weights.sum())
            losses = np.arange(masses.first - reference, masses.last - reference + 1.0) * self._interval
            center = float((weights * losses).sum()) / total
            variance += times * float((weights * (losses - center) ** 2).sum()) / total
            mean += times * (center + reference * self._interval)
            log_mass += times * (math.log(total) + order * reference * self._interval)
        return _Tilt(order, log_mass, mean, math.sqrt(variance))

    def compute_weights(self, part: Masses, order: float) -> tuple[Floats, int]:
        """Return tilted masses, up to a factor, and the multiple at which the tilt's factor has its maximum, 1."""
        reference = part.last if order >= 0.0 else part.first
        exponents = np.arange(part.first - reference, part.last - reference + 1.0) * (order * self._interval)
        with np.errstate(under="ignore"):
            return part.values * exp(exponents), reference

    def bound_tail(self, tilt: _Tilt, place: float) -> float:
        """Return a bound on the tilted probability of losses at or beyond `place`, away from the mean."""
        minimum = 0.0
        for order in _CHERNOFF_ORDERS:
            step = order / (place - tilt.mean)
            shifted = self._make_tilt(tilt.order + step)
            error = self.bound_roundings(tilt.order + step)
            minimum = min(minimum, shifted.log_mass - tilt.log_mass - step * place + error)
        return math.exp(minimum)

    def bound_roundings(self, order: float) -> float:
        """Return a bound on the rounding errors of K and of the logarithms of tilted weights, over all parts."""
        return 2.0**-50 * self._count * (4.0 + abs(order) * self._far) + 2.0**-48

    def choose_window(self, tilt: _Tilt) -> tuple[int, int]:
        """Return the first multiple and the size of a window around the mean; the size is a power of two."""
        support_size, size = self._highest - self._lowest + 1, 64
        while size < min(support_size, 2.0 * _WINDOW_SDS * tilt.sd / self._interval + 8.0) and size < _MAX_WINDOW:
            size *= 2
        while (
            size < support_size
            and size < _MAX_WINDOW
            and max(self.bound_outside(tilt, self._get_first(tilt, size), size)) > _MAX_TAIL
        ):
            size *= 2
        return self._get_first(tilt, size), size

    def _get_first(self, tilt: _Tilt, size: int) -> int:
        middle = round(tilt.mean / self._interval) - size // 2
        return max(self._lowest, min(middle, self._highest + 1 - size))

    def bound_outside(self, tilt: _Tilt, first: int, size: int) -> tuple[float, float]:
        """Return bounds on the tilted probabilities below and above a window."""
        h, last = self._interval, first + size - 1
        below = self.bound_tail(tilt, (first - 1) * h) if first > self._lowest else 0.0
        return below, self.bound_tail(tilt, (last + 1) * h) if last < self._highest else 0.0

    def compute_convolution(self, tilt: _Tilt, size: int) -> tuple[Floats, float]:
        """Return the tilted masses, each at its multiple modulo the size, and a bound on their errors."""
        step = _LEVEL_ROUNDINGS * _UNIT_ROUNDOFF * math.log2(size)
        product: _Complex | None = None
        log_bound, relative = np.zeros(size // 2 + 1), np.zeros(size // 2 + 1)
        for masses, times in self._parts:
            weights, _ = self.compute_weights(masses, tilt.order)
            weights /= weights.sum()
            folded = np.zeros(size)
            for start in range(0, weights.size, size):
                piece = weights[start : start + size]
                folded[: piece.size] += piece
            transformed = np.fft.rfft(np.roll(folded, masses.first % size))
            bound = np.abs(transformed) * (1.0 + 4.0 * _UNIT_ROUNDOFF) + step
            with np.errstate(under="ignore"):
                log_bound += times * log(bound)
                relative += times * (step / bound + 3.0 * _UNIT_ROUNDOFF)
                power = _compute_power(transformed, times)
                product = power if product is None else product * power
        assert product is not None
        with np.errstate(under="ignore"):
            # the rounding errors of the logarithms are below those in `relative`
            errors = exp(log_bound) * (1.0 + 2.0**-40) * relative + step * np.abs(product)
        errors[1:-1] *= 2.0
        noise = float(errors.sum()) / size * (1.0 + 2.0**-30)
        return np.fft.irfft(product, size), noise


class _Curve:
    """The delta curve of a sum, computed from one tilt."""

    def __init__(self, loss_sum: LossSum, tilt: _Tilt) -> None:
        first, size = loss_sum.choose_window(tilt)
        tilted, noise = loss_sum.compute_convolution(tilt, size)
        tilted = np.roll(tilted, -(first % size))
        tilted = np.maximum(tilted, 0.0) + noise
        self._interval, self._first, self._tilt = loss_sum._interval, first, tilt
        self._center = tilt.mean
        last = first + size - 1
        h = self._interval
        self._below, self._above = loss_sum.bound_outside(tilt, first, size)
        n_masses = min(last, loss_sum._highest) - first + 1
        reversed_losses = (np.arange(first, first + n_masses) * h - self._center)[::-1]
        with np.errstate(under="ignore", over="ignore"):
            masses = tilted[:n_masses][::-1] * exp(-tilt.order * reversed_losses)
            self._masses = freeze_array(np.cumsum(masses)[::-1])
            self._others = freeze_array(np.cumsum(masses * exp(-reversed_losses))[::-1])
        # exp(K - lambda L) is evaluated relative to the mean
        self._log_factor = tilt.log_mass - tilt.order * self._center
        self._slack = loss_sum.bound_roundings(tilt.order) + 2.0**-50 * (abs(tilt.log_mass) + 1.0)
        self._sums = (n_masses + 4.0 * (1.0 + np.abs(reversed_losses).max() * (tilt.order + 1.0))) * _UNIT_ROUNDOFF
        self._end = (last + 1) * h

    def compute_delta(self, epsilon: float) -> float:
        """Return delta at an epsilon, at least that of the masses, without the mass at infinity."""
        index = max(math.floor(epsilon / self._interval) + 1 - self._first, 0)
        delta = 0.0
        if index < self._masses.size:
            mass = float(self._masses[index])
            neighbor_mass = float(self._others[index]) * math.exp(epsilon - self._center)
            # the first loss may round to epsilon or below: its contribution is then 0, as here
            delta = max(mass - neighbor_mass, 0.0) + 2.0 * self._sums * mass
        order, center = self._tilt.order, self._center
        if self._above:
            delta += self._above * math.exp(-order * (self._end - center))
        if self._below and epsilon < self._first * self._interval:
            delta += self._below * math.exp(min(700.0, -order * (epsilon - center)))
        if delta <= 0.0:
            return 0.0
        return math.exp(min(0.0, math.log(delta) + self._log_factor + self._slack))


def _compute_power(base: _Complex, times: int) -> _Complex:
    """Return a power by repeated squaring."""
    result: _Complex | None = None
    while True:
        if times & 1:
            result = base if result is None else result * base
        times >>= 1
        if not times:
            assert result is not None
            return result
        base = base * base
