"""Reference draws: fixed points of a low-discrepancy sequence, drawn once for each public setting.

They repeat from call to call, and protect nobody.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, Union

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri, ndtri

from pydpstat._frozen import frozen
from pydpstat.mechanisms.cube import CubeNoise
from pydpstat.mechanisms.mechanism import Noise

# of noises: one distribution for all, one of each, or that of the vector whose first elements they are; these
# have the variance 1
NoiseLaw = Union[str, "tuple[Noise, ...]", CubeNoise]
Floats = npt.NDArray[np.float64]
POWER = 13
# the smallest p-value that is told, shown as "< 1e-06"
FLOOR = 9.9e-7


@lru_cache(maxsize=16)
def uniforms(dimension: int, power: int = POWER) -> Floats:
    """Return 2^power Sobol points in (0, 1)^dimension, shifted by fixed digits, of shape (dimension,
    points).
    """
    from scipy.stats import qmc

    plain = qmc.Sobol(dimension, scramble=False).random_base2(power)
    digits = np.round(plain * 2.0**30).astype(np.int64)
    # a digital shift keeps the points as even as they are, and takes them off the corner
    digits ^= np.random.RandomState(1).randint(0, 2**30, size=dimension).astype(np.int64)
    return frozen(((digits + 0.5) / 2.0**30).T)


def noise_quantiles(shares: Floats, law: NoiseLaw) -> Floats:
    """Return noises of scale 1 at uniform shares, a row a noise; a vector's norm has the first row."""
    if isinstance(law, CubeNoise):
        return law.at(shares.T).T
    if isinstance(law, tuple):
        return np.array([_quantiles(noise, row) for noise, row in zip(law, shares)])
    if law == "normal":
        return ndtri(shares)
    return np.sign(shares - 0.5) * -np.log1p(-2.0 * np.abs(shares - 0.5))


@lru_cache(maxsize=16)
def survival(noise: Noise) -> tuple[Floats, Floats]:
    """Return places from -40 to 40, and how probable a noise of variance 1 above each of them is."""
    grid = np.linspace(-40.0, 40.0, 6401)
    return frozen(grid), frozen(np.asarray(noise.cdf(-grid)))


def _quantiles(noise: Noise, shares: Floats) -> Floats:
    grid, above = survival(noise)
    upper = grid >= 0.0
    # tails are near to exponential
    sizes = np.interp(-np.log(np.minimum(shares, 1.0 - shares)), -np.log(above[upper]), grid[upper])
    return np.where(shares < 0.5, -sizes, sizes)


class Reference(NamedTuple):
    """Draws of what the sums of n records are made of, and of the noises."""

    normal: Floats
    chi2: Floats
    shares: Floats
    scores: Floats
    order: npt.NDArray[np.intp]
    noises: Floats


@lru_cache(maxsize=64)
def reference(n: int, law: NoiseLaw, noises: int, group: int = 0, groups: int = 1) -> Reference:
    """Return the draws for n records of one of several groups, whose draws are independent."""
    each = 3 + noises + isinstance(law, CubeNoise)
    points = uniforms(each * groups)[each * group : each * (group + 1)]
    normal, shares = ndtri(points[0]), points[2]
    chi2 = chdtri(n - 1, 1.0 - points[1]) if n > 1 else np.zeros_like(normal)
    drawn = _noises(law, each, group, groups)
    order = np.argsort(shares, kind="stable")
    shares = shares[order]
    parts = (normal, chi2, shares, ndtri(shares), order, drawn)
    return Reference(*map(frozen, parts))


@lru_cache(maxsize=64)
def _noises(law: NoiseLaw, each: int, group: int, groups: int) -> Floats:
    # the same for all numbers of records
    return frozen(noise_quantiles(uniforms(each * groups)[each * group + 3 : each * (group + 1)], law))
