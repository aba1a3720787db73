"""p-values by simulation, where a null hypothesis may leave something unknown."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_SEED = 1_908
# what is equal but for rounding counts as equal
_TOLERANCE = 1e-9


def generator(*place: int) -> np.random.Generator:
    """Return the generator of reference draws for a place in the simulation: always the same stream."""
    return np.random.default_rng((_SEED, *place))


def exceedance(reference: Floats, statistic: float) -> float:
    """Return the p-value of a statistic among simulated ones: (1 + those at least as large) / (1 + all)."""
    least = statistic - _TOLERANCE * max(1.0, abs(statistic))
    return float((1 + np.count_nonzero(reference >= least)) / (1 + reference.size))


def largest(references: Iterable[Floats], statistic: float, slack: float = 0.0) -> float:
    """Return the largest p-value over the points of a nuisance, and at most 1.

    `slack` is added: the probability that the true nuisance is outside what the points stand for. Berger, R.
    L. and Boos, D. D. (1994). P values maximized over a confidence set for the nuisance parameter. JASA 89.
    """
    return min(1.0, slack + max(exceedance(reference, statistic) for reference in references))


def geometric_draws(rng: np.random.Generator, rate: float, shape: tuple[int, ...]) -> Floats:
    """Draw noise with P(k) proportional to exp(-rate |k|), for simulation only.

    The whole part of an exponential variable over the rate is geometric.
    """
    first, second = rng.standard_exponential((2, *shape))
    return np.floor(first / rate) - np.floor(second / rate)


def geometric_reference(rate: float, shape: tuple[int, ...], stream: int = 0) -> Floats:
    """Return noise for simulated releases, the same for every point of a nuisance."""
    return geometric_draws(generator(1, stream), rate, shape)
