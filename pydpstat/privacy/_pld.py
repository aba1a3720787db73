"""Composition by privacy loss distributions, with the package dp-accounting."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from types import ModuleType

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._frozen import freeze_array
from pydpstat._grid import round_up_to_float, round_up_total
from pydpstat._search import bisect_up
from pydpstat.errors import MissingExtraError, PydpstatError
from pydpstat.privacy._convolution import LossSum, Masses, split_masses, trim_zeros
from pydpstat.privacy._curves import SMALLEST_DELTA, Floats
from pydpstat.privacy.losses import (
    DiscreteGaussianLoss,
    GaussianLoss,
    GeometricLoss,
    LaplaceLoss,
    PrivacyLoss,
    ResponseLoss,
)
from pydpstat.privacy.subsampling import SubsampledLoss
from pydpstat.r_arithmetic.elementary import exp, expm1

# interval of the grid on which privacy losses are discretized
INTERVAL = 1e-4
# the finest interval for responses alone, the number of places that is cheap, and the largest window
_FINEST, _MAX_CHEAP_PLACES, _MAX_WINDOW = INTERVAL * 2.0**-20, 2.0**18, 2.0**20
# approximate number of points of a sampled release's curve, and its end: at a negligible delta or at this epsilon
_MAX_POINTS, _NEGLIGIBLE_DELTA, _MAX_EPSILON = 10_000, 1e-20, 64.0


class _Counts(tuple[tuple[PrivacyLoss, int], ...]):
    """Losses with their multiplicities, whose hash is computed once: a search evaluates delta many times."""

    _hash: int | None = None

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = super().__hash__()
        return self._hash

    def __reduce__(self) -> tuple[type[_Counts], tuple[tuple[tuple[PrivacyLoss, int], ...]]]:
        # hashes of texts differ between processes
        return _Counts, (tuple(self),)


@dataclass(frozen=True, slots=True)
class DistributionLoss(PrivacyLoss):
    """Loss of several mechanisms together, by their privacy loss distributions; requires dp-accounting.

    Every loss is divided between two multiples of an interval, so that the curve is an upper bound. The interval is
    1e-4, a smaller number if all parts are randomized responses, or a larger one if their sum has a wide distribution.
    The rounding error of the Fourier transform is bounded and added (see `LossSum`), in proportion to delta. The order
    of the parts does not matter.

    (Doroshenko, V., Ghazi, B., Kamath, P., Kumar, R. and Manurangsi, P. (2022). Connect the dots: tighter discrete
    approximations of privacy loss distributions. PoPETs 2022.)
    """

    parts: tuple[PrivacyLoss, ...]
    _counts: _Counts = field(init=False, repr=False, compare=False)
    _pure: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        losses = self.parts
        if not isinstance(losses, tuple) or not losses or not all(isinstance(loss, LOSS_TYPES) for loss in losses):
            raise PydpstatError(
                "parts must be a tuple of at least one privacy loss that has a distribution; got "
                f"{checks.describe_value(losses)}. Use compose(guarantees, 'pld')."
            )
        counts: Counter[PrivacyLoss] = Counter()
        for loss, times in Counter(losses).items():
            for component, often in _expand_components(loss):
                counts[component] += times * often
        # sorted and counted once, because delta is evaluated many times
        object.__setattr__(self, "_counts", _Counts(sorted(counts.items(), key=repr)))
        object.__setattr__(self, "_pure", _sum_pure_epsilons(self._counts))

    def delta(self, epsilon: float) -> float:
        """Return the smallest delta at an epsilon; 0 from the pure epsilon on."""
        if epsilon >= self._pure:
            return 0.0
        return max(SMALLEST_DELTA, max(order.compute_delta(epsilon) for order in _make_loss_sums(self._counts)))

    @property
    def rho(self) -> float | None:
        """Sum of the parts' rhos; None if a part has none."""
        each = [loss.rho for loss in self.parts]
        return None if None in each else round_up_total(each)  # type: ignore[arg-type]

    @property
    def without_rho(self) -> str:
        """Reason why a part has no rho."""
        return next((loss.without_rho for loss in self.parts if loss.rho is None), "")

    @property
    def pure(self) -> float:
        """Sum of the parts' pure epsilons."""
        return self._pure

    def group(self, size: int) -> PrivacyLoss | None:
        """Return the loss of the parts for a group; None if that of a part is unknown."""
        return _combine_losses(loss.group(size) for loss in self.parts)

    def replaced(self) -> PrivacyLoss | None:
        """Return the loss of the parts for the replacement of a record; None if that of a part is unknown."""
        return _combine_losses(loss.replaced() for loss in self.parts)


def _combine_losses(parts: Iterable[PrivacyLoss | None]) -> DistributionLoss | None:
    """Return the loss of several parts together; None if one is unknown."""
    every = tuple(parts)
    losses = tuple(loss for loss in every if loss is not None)
    return DistributionLoss(losses) if len(losses) == len(every) else None


def import_pld() -> ModuleType:
    """Return dp-accounting's module of privacy loss distributions, or raise an error with the command to install it."""
    try:
        from dp_accounting.pld import privacy_loss_distribution
    except ImportError as error:
        raise MissingExtraError("compose(method='pld')", "dp-accounting", "accounting") from error
    return privacy_loss_distribution


def _expand_components(loss: PrivacyLoss) -> tuple[tuple[PrivacyLoss, int], ...]:
    """Return the components of a loss with their multiplicities."""
    match loss:
        case DistributionLoss():
            return loss._counts
        case SubsampledLoss(base=base, rate=1.0) if isinstance(base, LOSS_TYPES):
            return _expand_components(base)
        case DiscreteGaussianLoss(sd=sd, sensitivity=shift, cells=2):
            return ((DiscreteGaussianLoss(sd, shift), 2),)
    return ((loss, 1),)


def _sum_pure_epsilons(counts: tuple[tuple[PrivacyLoss, int], ...]) -> float:
    """Return the sum of the parts' pure epsilons, rounded up."""
    if any(math.isinf(loss.pure) for loss, _ in counts):
        return math.inf
    return round_up_to_float(sum((times * Fraction(loss.pure) for loss, times in counts), Fraction(0)))


@functools.lru_cache(maxsize=8)
def _make_loss_sums(counts: tuple[tuple[PrivacyLoss, int], ...]) -> tuple[LossSum, ...]:
    """Return the sum of the losses, for each order of the neighbors if these differ."""
    responses = [(loss, times) for loss, times in counts if isinstance(loss, ResponseLoss)]
    others = [(loss, times) for loss, times in counts if not isinstance(loss, (ResponseLoss, GaussianLoss))]
    means = [loss.mu for loss, times in counts if isinstance(loss, GaussianLoss) for _ in range(times)]
    if means:
        # several Gaussian losses are exactly one; the error of hypot is below one unit in the last place
        mu = means[0] if len(means) == 1 else math.nextafter(math.hypot(*means), math.inf)
        others.append((GaussianLoss(mu), 1))
    interval = INTERVAL if others else _choose_fine_interval(responses)
    pairs = [(_get_masses(loss), times) for loss, times in others]
    alike = all(forward is backward for (forward, backward), _ in pairs)
    answers = [term for loss, times in responses for term in _make_response_masses(loss, times, interval)]
    directions = (0,) if alike else (0, 1)
    orders = [[*((pair[i], times) for pair, times in pairs), *answers] for i in directions]
    return tuple(_make_loss_sum(terms, interval) for terms in orders)


def _choose_fine_interval(responses: list[tuple[ResponseLoss, int]]) -> float:
    """Return the interval for responses alone: the default divided by a power of two, as fine as is cheap."""
    sd = math.sqrt(sum(times * response.count * response.epsilon * response.epsilon for response, times in responses))
    width = max(20.0 * sd, 2.0 * max(response.epsilon for response, _ in responses))
    interval = INTERVAL
    while interval > _FINEST and len(responses) * width <= _MAX_CHEAP_PLACES * interval:
        interval /= 2.0
    return interval


def _make_loss_sum(parts: list[tuple[Masses, int]], interval: float) -> LossSum:
    """Return the sum of losses, on a coarser grid if a window of the sum would be too large."""
    loss_sum = LossSum(parts, interval)
    wider = 1
    while 20.0 * loss_sum.sd > _MAX_WINDOW * wider * interval:
        wider *= 2
    if wider == 1:
        return loss_sum
    coarse = wider * interval
    coarse_masses = [
        split_masses(masses.get_losses(interval), masses.values, coarse, masses.infinite) for masses, _ in parts
    ]
    return LossSum([(masses, times) for masses, (_, times) in zip(coarse_masses, parts)], coarse)


def _make_response_masses(loss: ResponseLoss, times: int, interval: float) -> list[tuple[Masses, int]]:
    """Return the masses of randomized responses, and of their leak."""
    # rounded up, so that delta is at least the exact one
    larger = min(1.0, 1.0 / (1.0 + math.exp(-loss.epsilon)) * (1.0 + 2.0**-51))
    smaller = math.exp(-loss.epsilon) / (1.0 + math.exp(-loss.epsilon)) * (1.0 + 2.0**-50)
    losses = np.array([loss.epsilon, -loss.epsilon])
    terms = [(split_masses(losses, np.array([larger, smaller]), interval), times * loss.count)]
    if loss.leak:
        terms.append((Masses(0, freeze_array(np.array([1.0 - loss.leak])), loss.leak), times))
    return terms


def _convert_masses(pmf: object) -> Masses:
    """Return the masses for one order of the neighbors, rounded up.

    dp-accounting computes them from differences of deltas divided by the interval, so that the error of each is a few
    units in the last place of delta over the interval; delta is at most the probability of larger losses.
    """
    dense = pmf.to_dense_pmf()  # type: ignore[attr-defined]
    values = np.asarray(dense._probs, dtype=np.float64)
    above = np.cumsum(values[::-1])[::-1]
    values = values + above * (2.0**-50 / INTERVAL)
    return trim_zeros(int(dense._lower_loss), values, float(dense._infinity_mass))


@functools.lru_cache(maxsize=64)
def _get_masses(loss: PrivacyLoss) -> tuple[Masses, Masses]:
    """Return the masses for both orders of the neighbors; the same object if the orders do not differ."""
    distribution = _make_distribution(loss)
    forward = _convert_masses(distribution._pmf_remove)  # type: ignore[attr-defined]
    alike = distribution._symmetric  # type: ignore[attr-defined]
    return forward, forward if alike else _convert_masses(distribution._pmf_add)  # type: ignore[attr-defined]


def _make_distribution(loss: PrivacyLoss) -> object:
    """Return dp-accounting's privacy loss distribution of a loss."""
    pld = import_pld()
    options = {"value_discretization_interval": INTERVAL}
    match loss:
        case GaussianLoss():
            return pld.from_gaussian_mechanism(1.0 / loss.mu, **options)
        case LaplaceLoss():
            return pld.from_laplace_mechanism(1.0 / loss.epsilon, **options)
        case GeometricLoss():
            rate = loss.epsilon / loss.sensitivity
            return pld.from_discrete_laplace_mechanism(rate, loss.sensitivity, **options)
        case DiscreteGaussianLoss():
            return pld.from_discrete_gaussian_mechanism(loss.sd, loss.sensitivity, **options)
        case SubsampledLoss():
            return _make_subsampled_distribution(loss)
    raise TypeError(f"no privacy loss distribution of {loss!r}")


def _make_subsampled_distribution(loss: SubsampledLoss) -> object:
    """Return the distributions for both orders: dp-accounting's, or an approximation from points of the curve."""
    pld = import_pld()
    options = {"value_discretization_interval": INTERVAL, "sampling_prob": loss.rate}
    match loss:
        case SubsampledLoss(base=GaussianLoss(mu=mu), symmetric=False):
            return pld.from_gaussian_mechanism(1.0 / mu, **options)
        case SubsampledLoss(base=LaplaceLoss(epsilon=epsilon), symmetric=False):
            return pld.from_laplace_mechanism(1.0 / epsilon, **options)
        case SubsampledLoss(base=GeometricLoss(epsilon=epsilon, sensitivity=shift), symmetric=False):
            return pld.from_discrete_laplace_mechanism(epsilon / shift, shift, **options)
        case SubsampledLoss(base=DiscreteGaussianLoss(sd=sd, sensitivity=shift, cells=1), symmetric=False):
            return pld.from_discrete_gaussian_mechanism(sd, shift, **options)
    return _approximate_distribution(loss)


def _approximate_distribution(loss: SubsampledLoss) -> object:
    """Return the distributions whose delta curves are piecewise linear in exp(epsilon).

    As a function of exp(epsilon) delta is convex, and therefore at most the largest convex function below points that
    are on or above it. With both orders known from epsilon 0 on, ``H(-epsilon) = 1 - exp(-epsilon) + exp(-epsilon)
    H'(epsilon)`` gives the rest.
    """
    # the limit of the curve, such as a leak, is the probability of an infinite loss
    floor = max(_NEGLIGIBLE_DELTA, loss.delta(_MAX_EPSILON) * (1.0 + 1e-9))
    _, top = bisect_up(lambda epsilon: loss.delta(epsilon) > floor, high=_MAX_EPSILON, steps=60)
    step = max(1, round(top / INTERVAL / _MAX_POINTS))
    grid_points = np.arange(math.ceil(top / INTERVAL / step) + 1) * step
    epsilons = (grid_points * INTERVAL).tolist()
    forward = np.array([loss.delta(epsilon) for epsilon in epsilons])
    kinds = import_pld().PrivacyLossDistribution
    if loss.symmetric:
        return kinds(_make_curve_masses(grid_points, forward, forward))
    backward = np.array([loss.reverse_delta(epsilon) for epsilon in epsilons])
    return kinds(_make_curve_masses(grid_points, forward, backward), _make_curve_masses(grid_points, backward, forward))


def _make_curve_masses(places: npt.NDArray[np.int_], here: Floats, there: Floats) -> object:
    """Return the masses for one order, from the deltas of both orders at these multiples of the interval."""
    from dp_accounting.pld import pld_pmf

    below = places[:0:-1] * -INTERVAL
    before = -expm1(below) + exp(below) * there[:0:-1]
    every = np.concatenate([-places[:0:-1], places])
    deltas = np.minimum(np.concatenate([before, here]), 1.0)
    corners = _find_hull_corners(exp(every * INTERVAL).tolist(), deltas.tolist())
    return pld_pmf.create_pmf_pessimistic_connect_dots(INTERVAL, every[corners], deltas[corners])


def _find_hull_corners(places: list[float], heights: list[float]) -> list[int]:
    """Return the indices of the corners of the largest convex function below the points and (0, 1)."""
    corners: list[tuple[int, float]] = []
    for number, (x_next, height) in enumerate(zip(places, heights)):
        while True:
            last = corners[-1][0] if corners else None
            x, y = (0.0, 1.0) if last is None else (places[last], heights[last])
            slope = (height - y) / (x_next - x)
            if not corners or slope > corners[-1][1]:
                break
            corners.pop()
        corners.append((number, slope))
    return [number for number, _ in corners]


# losses with a distribution
LOSS_TYPES = (
    DiscreteGaussianLoss,
    DistributionLoss,
    GaussianLoss,
    GeometricLoss,
    LaplaceLoss,
    ResponseLoss,
    SubsampledLoss,
)
