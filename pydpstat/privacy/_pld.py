"""Composition by privacy loss distributions, through the package dp-accounting."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._frozen import frozen
from pydpstat._grid import total_above
from pydpstat._search import bisect_up
from pydpstat.errors import MissingExtraError, PydpstatError
from pydpstat.privacy._curves import Floats
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


class Distribution(Protocol):
    """What dp-accounting has of a privacy loss distribution."""

    def self_compose(self, num_times: int) -> Distribution: ...

    def compose(self, other: Distribution) -> Distribution: ...

    def get_delta_for_epsilon(self, epsilon: float) -> float: ...


# width of the intervals into which privacy losses are rounded up
INTERVAL = 1e-4
# about how many points of a sampled release's curve are taken, and where they end: at a delta that counts
# for nothing, or at an epsilon that does
_POINTS, _NOTHING, _FARTHEST = 10_000, 1e-20, 64.0


@dataclass(frozen=True, slots=True)
class DistributionLoss(PrivacyLoss):
    """Loss of several mechanisms together, by their privacy loss distributions; needs dp-accounting.

    Every loss is rounded up to a multiple of 1e-4, so that the curve is an upper bound; what its
    Fourier transforms round (about 1e-15 in delta) is added.

    (Doroshenko, V., Ghazi, B., Kamath, P., Kumar, R. and Manurangsi, P. (2022). Connect the dots: tighter
    discrete approximations of privacy loss distributions. PoPETs 2022.)
    """

    parts: tuple[PrivacyLoss, ...]

    def __post_init__(self) -> None:
        parts = self.parts
        if not isinstance(parts, tuple) or not parts or not all(isinstance(each, KINDS) for each in parts):
            raise PydpstatError(
                "parts must be a tuple of at least one privacy loss that has a distribution; got "
                f"{checks.shown(parts)}. Use compose(guarantees, 'pld')."
            )

    def delta(self, epsilon: float) -> float:
        """Smallest delta at an epsilon; 0 from the pure one on."""
        if epsilon >= self.pure:
            return 0.0
        return min(1.0, float(_distribution(self.parts).get_delta_for_epsilon(epsilon)) + 1e-14)

    @property
    def rho(self) -> float | None:
        """Sum of the parts'; None where one has none."""
        each = [part.rho for part in self.parts]
        return None if None in each else total_above(each)  # type: ignore[arg-type]

    @property
    def without_rho(self) -> str:
        """Why a part has no rho."""
        return next((part.without_rho for part in self.parts if part.rho is None), "")

    @property
    def pure(self) -> float:
        """Sum of the parts'."""
        return total_above(part.pure for part in self.parts)

    def group(self, size: int) -> PrivacyLoss | None:
        """Return the loss of the parts for a group; None where it is not known of one."""
        return _together(part.group(size) for part in self.parts)

    def replaced(self) -> PrivacyLoss | None:
        """Return the loss of the parts where one record takes another's place; None where one has none."""
        return _together(part.replaced() for part in self.parts)


def _together(parts: Iterable[PrivacyLoss | None]) -> DistributionLoss | None:
    """Return the loss of several; None where that of one is not known."""
    every = tuple(parts)
    known = tuple(part for part in every if part is not None)
    return DistributionLoss(known) if len(known) == len(every) else None


def require() -> ModuleType:
    """Return dp-accounting's module of privacy loss distributions; an error where it is missing."""
    try:
        from dp_accounting.pld import privacy_loss_distribution
    except ImportError as error:
        raise MissingExtraError("compose(method='pld')", "dp-accounting", "accounting") from error
    return privacy_loss_distribution


@functools.lru_cache(maxsize=8)
def _distribution(parts: tuple[PrivacyLoss, ...]) -> Distribution:
    several = (_several(_of(part), times) for part, times in Counter(parts).items())
    return _frozen(functools.reduce(lambda whole, each: whole.compose(each), several))


def _several(each: Distribution, times: int) -> Distribution:
    return each.self_compose(times) if times > 1 else each


def _frozen(distribution: Distribution) -> Distribution:
    """Give a distribution arrays that nobody can write to: it is kept for further questions."""
    for part in vars(distribution).values():
        for name, value in getattr(part, "__dict__", {}).items():
            if isinstance(value, np.ndarray):
                setattr(part, name, frozen(value))
    return distribution


def _of(loss: PrivacyLoss) -> Distribution:
    pld = require()
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
            cell = pld.from_discrete_gaussian_mechanism(loss.sd, loss.sensitivity, **options)
            return _several(cell, loss.cells)
        case ResponseLoss():
            from dp_accounting.pld.common import DifferentialPrivacyParameters

            pair = pld.from_privacy_parameters(DifferentialPrivacyParameters(loss.epsilon, 0.0), **options)
            several = _several(pair, loss.count)
            if not loss.leak:
                return several
            leak = DifferentialPrivacyParameters(0.0, loss.leak)
            return several.compose(pld.from_privacy_parameters(leak, **options))
        case DistributionLoss():
            return _distribution(loss.parts)
        case SubsampledLoss():
            return _sampled(loss)
    raise TypeError(f"no privacy loss distribution of {loss!r}")


def _sampled(loss: SubsampledLoss) -> Distribution:
    """Return the distributions of both orders: dp-accounting's own, or one through points of the curve."""
    pld = require()
    options = {"value_discretization_interval": INTERVAL, "sampling_prob": loss.rate}
    match loss:
        case SubsampledLoss(base=base, rate=1.0) if isinstance(base, KINDS):
            return _of(base)
        case SubsampledLoss(base=GaussianLoss(mu=mu), symmetric=False):
            return pld.from_gaussian_mechanism(1.0 / mu, **options)
        case SubsampledLoss(base=LaplaceLoss(epsilon=epsilon), symmetric=False):
            return pld.from_laplace_mechanism(1.0 / epsilon, **options)
        case SubsampledLoss(base=GeometricLoss(epsilon=epsilon, sensitivity=shift), symmetric=False):
            return pld.from_discrete_laplace_mechanism(epsilon / shift, shift, **options)
        case SubsampledLoss(base=DiscreteGaussianLoss(sd=sd, sensitivity=shift, cells=1), symmetric=False):
            return pld.from_discrete_gaussian_mechanism(sd, shift, **options)
    return _connected(loss)


def _connected(loss: SubsampledLoss) -> Distribution:
    """Return the distributions whose deltas are on straight lines, as functions of exp(epsilon).

    There every delta is convex, and so at most the largest convex function below points that are on or
    above it. With both orders known from epsilon 0 on,
    ``H(-epsilon) = 1 - exp(-epsilon) + exp(-epsilon) H'(epsilon)`` gives the rest.
    """
    # what the curve never falls below, such as a leak, is the probability of an infinite loss
    floor = max(_NOTHING, loss.delta(_FARTHEST) * (1.0 + 1e-9))
    _, top = bisect_up(lambda epsilon: loss.delta(epsilon) > floor, high=_FARTHEST, steps=60)
    step = max(1, round(top / INTERVAL / _POINTS))
    places = np.arange(math.ceil(top / INTERVAL / step) + 1) * step
    epsilons = (places * INTERVAL).tolist()
    forward = np.array([loss.delta(epsilon) for epsilon in epsilons])
    kinds = require().PrivacyLossDistribution
    if loss.symmetric:
        return kinds(_lines(places, forward, forward))
    backward = np.array([loss.reverse_delta(epsilon) for epsilon in epsilons])
    return kinds(_lines(places, forward, backward), _lines(places, backward, forward))


def _lines(places: npt.NDArray[np.int_], here: Floats, there: Floats) -> object:
    """Return the masses of one order, from the deltas of both at these multiples of the interval."""
    from dp_accounting.pld import pld_pmf

    below = places[:0:-1] * -INTERVAL
    before = -expm1(below) + exp(below) * there[:0:-1]
    every = np.concatenate([-places[:0:-1], places])
    deltas = np.minimum(np.concatenate([before, here]), 1.0)
    corners = _corners(exp(every * INTERVAL).tolist(), deltas.tolist())
    return pld_pmf.create_pmf_pessimistic_connect_dots(INTERVAL, every[corners], deltas[corners])


def _corners(places: list[float], heights: list[float]) -> list[int]:
    """Return which points, in order, are corners of the largest convex function below them and (0, 1)."""
    kept: list[tuple[int, float]] = []
    for number, (place, height) in enumerate(zip(places, heights)):
        while True:
            last = kept[-1][0] if kept else None
            x, y = (0.0, 1.0) if last is None else (places[last], heights[last])
            slope = (height - y) / (place - x)
            if not kept or slope > kept[-1][1]:
                break
            kept.pop()
        kept.append((number, slope))
    return [number for number, _ in kept]


# what has a distribution
KINDS = (
    DiscreteGaussianLoss,
    DistributionLoss,
    GaussianLoss,
    GeometricLoss,
    LaplaceLoss,
    ResponseLoss,
    SubsampledLoss,
)
