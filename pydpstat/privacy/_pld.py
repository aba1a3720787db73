"""Composition by privacy loss distributions, through the package dp-accounting."""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import dataclass
from types import ModuleType
from typing import Protocol

import numpy as np

from pydpstat import _checks as checks
from pydpstat._frozen import frozen
from pydpstat._grid import total_above
from pydpstat.errors import MissingExtraError, PydpstatError
from pydpstat.privacy.losses import (
    DiscreteGaussianLoss,
    GaussianLoss,
    GeometricLoss,
    LaplaceLoss,
    PrivacyLoss,
    ResponseLoss,
)


class Distribution(Protocol):
    """What dp-accounting has of a privacy loss distribution."""

    def self_compose(self, num_times: int) -> Distribution: ...

    def compose(self, other: Distribution) -> Distribution: ...

    def get_delta_for_epsilon(self, epsilon: float) -> float: ...


# width of the intervals into which privacy losses are rounded up
INTERVAL = 1e-4


@dataclass(frozen=True, slots=True)
class DistributionLoss(PrivacyLoss):
    """Loss of several mechanisms together, by their privacy loss distributions; needs dp-accounting.

    Every loss is rounded up to a multiple of 1e-4, so that the curve is an upper bound; what its
    Fourier transforms round (about 1e-15 in delta) is added.

    References
    ----------
    Doroshenko, V., Ghazi, B., Kamath, P., Kumar, R. and Manurangsi, P. (2022). Connect the dots:
    tighter discrete approximations of privacy loss distributions. PoPETs 2022.

    Examples
    --------
    >>> from pydpstat.privacy import LaplaceLoss
    >>> DistributionLoss((LaplaceLoss(0.5), LaplaceLoss(0.5))).pure
    1.0
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
    def pure(self) -> float:
        """Sum of the parts'."""
        return total_above(part.pure for part in self.parts)

    def group(self, size: int) -> PrivacyLoss | None:
        """Return the loss of the parts for a group; None where it is not known of one."""
        parts = [part.group(size) for part in self.parts]
        known = tuple(part for part in parts if part is not None)
        return DistributionLoss(known) if len(known) == len(parts) else None


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
    raise TypeError(f"no privacy loss distribution of {loss!r}")


# what has a distribution
KINDS = (
    DiscreteGaussianLoss,
    DistributionLoss,
    GaussianLoss,
    GeometricLoss,
    LaplaceLoss,
    ResponseLoss,
)
