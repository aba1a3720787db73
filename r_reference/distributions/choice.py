"""Distributions of DPpack's choices: the exponential mechanism, quantiles, and the pooled statistics.

Here `factor` divides epsilon: it is as wrong as a noise scale that is too large or too small.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pydpstat.dppack._values import compute_rank_utility
from pydpstat.mechanisms._exponential import compute_choice_probabilities
from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.mechanisms.laplace import LaplaceNoise
from pydpstat.parity.distribution import Distribution, NoiseFactory, Stream
from r_reference.distributions._redrawn import Positive

# three, so that 10 % of epsilon moves a good share of the choices
UTILITY = (0.0, 2.0, 4.0)


@dataclass(frozen=True)
class Places:
    """Distribution of a place from 1 on with the given probabilities.

    Examples
    --------
    >>> float(Places((0.25, 0.75)).cdf(1))
    0.25
    """

    probabilities: tuple[float, ...]

    def cdf(self, k: npt.ArrayLike) -> np.ndarray:
        """Return the probability of at most k."""
        sums = np.concatenate([[0.0], np.cumsum(self.probabilities)])
        return sums[np.clip(np.floor(np.asarray(k)), 0, len(self.probabilities)).astype(int)]

    def ppf(self, q: npt.ArrayLike) -> np.ndarray:
        """Return the quantiles."""
        sums = np.cumsum(self.probabilities)
        return np.minimum(np.searchsorted(sums, np.asarray(q)), len(sums) - 1) + 1.0


@dataclass(frozen=True)
class Pieces:
    """Distribution of a point that is uniform within intervals that have the given probabilities.

    Examples
    --------
    >>> float(Pieces((0.0, 1.0, 3.0), (0.5, 0.5)).cdf(2.0))
    0.75
    """

    edges: tuple[float, ...]
    probabilities: tuple[float, ...]

    def _sums(self) -> np.ndarray:
        return np.concatenate([[0.0], np.cumsum(self.probabilities)])

    def cdf(self, y: npt.ArrayLike) -> np.ndarray:
        """Return the probability of at most y."""
        return np.interp(np.asarray(y), self.edges, self._sums())

    def ppf(self, q: npt.ArrayLike) -> np.ndarray:
        """Return the quantiles."""
        return np.interp(np.asarray(q), self._sums(), self.edges)


def _quantile_distribution(x: tuple[float, ...], quant: float, eps: float, lower: float, upper: float) -> Pieces:
    edges = (lower, *sorted(x), upper)
    utility = compute_rank_utility(0, len(x), quant, len(x))
    return Pieces(edges, tuple(compute_choice_probabilities(utility, eps, 1.0, np.diff(edges)).tolist()))


def _repeat(release: Callable[[Stream], npt.ArrayLike], n: int, rng: Stream) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.array([float(release(rng)) for _ in range(n)])


def _choice(
    name: str,
    r: str,
    release: Callable[[Stream], npt.ArrayLike],
    noise: NoiseFactory,
    discrete: bool = False,
) -> Distribution:
    expression = f"replicate(n, DPpack::{r})"
    return Distribution(name, "DPpack", expression, lambda n, rng: _repeat(release, n, rng), noise, discrete)


def _distributions() -> tuple[Distribution, ...]:
    from pydpstat import calibrate_gaussian, dppack

    records = tuple(float(i) for i in range(1, 9))
    x, first, second = np.array(records), np.arange(1.0, 7.0), np.arange(2.0, 6.0)
    within = (5 * np.var(first, ddof=1) + 3 * np.var(second, ddof=1)) / 8
    variance_scale = 36.0 * (1.0 - 1.0 / 6.0) / 8.0
    sd = calibrate_gaussian(0.9, 0.01, 36.0 * (1.0 - 1.0 / 6.0) / 8.0, method="classical")
    pairs1, pairs2 = np.column_stack([first, first]), np.column_stack([second, second])
    bounds = {"lower_bound1": 0, "upper_bound1": 6, "lower_bound2": 0, "upper_bound2": 6}
    return (
        _choice(
            "ExponentialMechanism",
            "ExponentialMechanism(c(0, 2, 4), 1, 1, c(4, 2, 1))",
            lambda rng: dppack.ExponentialMechanism(UTILITY, 1, 1, (4, 2, 1), rng=rng),
            lambda f: Places(tuple(compute_choice_probabilities(UTILITY, 1.0 / f, 1.0, (4, 2, 1)).tolist())),
            discrete=True,
        ),
        _choice(
            "quantileDP",
            "quantileDP(1:8, 0.25, 1, -10, 40)",
            lambda rng: dppack.quantileDP(x, 0.25, 1, -10, 40, rng=rng),
            lambda f: _quantile_distribution(records, 0.25, 1.0 / f, -10.0, 40.0),
        ),
        _choice(
            "medianDP",
            "medianDP(1:8, 2, -20, 30)",
            lambda rng: dppack.medianDP(x, 2, -20, 30, rng=rng),
            lambda f: _quantile_distribution(records, 0.5, 2.0 / f, -20.0, 30.0),
        ),
        _choice(
            "pooledVarDP",
            "pooledVarDP(1:6, 2:5, lower.bound = 0, upper.bound = 6)",
            lambda rng: dppack.pooledVarDP(first, second, lower_bound=0, upper_bound=6, rng=rng),
            lambda f: Positive(LaplaceNoise(variance_scale * f), float(within)),
        ),
        _choice(
            "pooledCovDP",
            "pooledCovDP(cbind(1:6, 1:6), cbind(2:5, 2:5), eps = 0.9, lower.bound1 = 0, upper.bound1 = 6, "
            f"lower.bound2 = 0, upper.bound2 = 6, mechanism = 'Gaussian', delta = 0.01) - {within}",
            lambda rng: (
                dppack.pooledCovDP(
                    pairs1, pairs2, eps=0.9, **bounds, mechanism="Gaussian", delta=0.01, rng=rng
                ).estimate  # type: ignore[union-attr]
                - within
            ),
            lambda f: GaussianNoise(sd * f),
        ),
    )


DISTRIBUTIONS = _distributions()
