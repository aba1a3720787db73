"""The interface of a source of randomness, the operating system's source, and conversion of `rng`."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pydpstat._checks import as_integer, describe_value
from pydpstat.errors import PydpstatError
from pydpstat.random import secure
from pydpstat.random.secure.continuous import Scale


class Source(Protocol):
    """Interface of a source of randomness for noise.

    The operating system, R's stream and NumPy generators are sources.

    The operating system's draws are exact; Laplace and normal noise from it are integers of units of
    `grid`. A seeded source draws in floating point and has no grid.

    Attributes
    ----------
    reproducible : bool
        True if the draws depend on a seed: such a release is for checking and study only.

    See Also
    --------
    source_from : creates it.
    """

    reproducible: bool

    def laplace(self, size: int, scale: Scale, grid: float | None = None) -> np.ndarray:
        """Draw Laplace noise."""

    def normal(self, size: int, sd: Scale, grid: float | None = None) -> np.ndarray:
        """Draw normal noise."""

    def uniform(self, size: int) -> np.ndarray:
        """Draw uniform variables in (0, 1), correct up to rounding only."""

    def gamma(self, shape: int, rate: float) -> float:
        """Draw one Gamma variable, correct up to rounding only."""

    def symmetric_geometric(self, size: int, rate: float | Fraction) -> np.ndarray:
        """Draw integers with P(k) proportional to exp(-rate |k|)."""

    def sign_geometric(self, size: int, rate: float | Fraction) -> np.ndarray:
        """Draw a random sign times a geometric variable, P(k) proportional to exp(-rate k) for k >= 0."""

    def discrete_gaussian(self, size: int, sd: float) -> np.ndarray:
        """Draw integers with P(k) proportional to exp(-k^2 / (2 sd^2))."""

    def integers(self, size: int, bound: int) -> npt.NDArray[np.int64]:
        """Draw integers from 0 to bound - 1, all equally likely."""

    def bernoulli_exp(self, exponents: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Draw one trial for each exponent x >= 0, true with the probability exp(-x)."""


class SystemSource:
    """Noise from the operating system's generator, each draw exactly from its distribution."""

    reproducible = False

    def laplace(self, size: int, scale: Scale, grid: float | None = None) -> np.ndarray:
        """Draw Laplace noise, rounded to integers of grid units."""
        return secure.laplace(size, scale, _require_grid(grid))

    def normal(self, size: int, sd: Scale, grid: float | None = None) -> np.ndarray:
        """Draw normal noise, rounded to integers of grid units."""
        return secure.normal(size, sd, _require_grid(grid))

    def uniform(self, size: int) -> np.ndarray:
        """Draw uniform variables in (0, 1), correct up to rounding only."""
        return secure.uniform(size)

    def gamma(self, shape: int, rate: float) -> float:
        """Draw one Gamma variable, correct up to rounding only."""
        return secure.gamma(shape, rate)

    def symmetric_geometric(self, size: int, rate: float | Fraction) -> np.ndarray:
        """Draw integers with P(k) proportional to exp(-rate |k|)."""
        return secure.symmetric_geometric(size, rate)

    def sign_geometric(self, size: int, rate: float | Fraction) -> np.ndarray:
        """Draw a random sign times a geometric variable."""
        return secure.sign_geometric(size, rate)

    def discrete_gaussian(self, size: int, sd: float) -> np.ndarray:
        """Draw integers with P(k) proportional to exp(-k^2 / (2 sd^2))."""
        return secure.discrete_gaussian(size, sd)

    def integers(self, size: int, bound: int) -> npt.NDArray[np.int64]:
        """Draw integers from 0 to bound - 1, all equally likely."""
        return secure.integers(size, bound)

    def bernoulli_exp(self, exponents: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Draw one trial for each exponent x >= 0, true with the probability exp(-x)."""
        return secure.bernoulli_exp(exponents)


SYSTEM = SystemSource()


def _require_grid(grid: float | None) -> float:
    if grid is None:
        raise ValueError("noise from the operating system lies on a grid; none was given")
    return grid


def source_from(rng: object, *, int_seeds_r: bool = False, name: str = "rng") -> Source:
    """Convert the argument `rng` to a source of randomness.

    Parameters
    ----------
    rng : None, int, numpy.random.Generator or RRandom
        None is the operating system's generator, an int a seed, as is a float with an integer value. A `Source`
        is returned unchanged.
    int_seeds_r : bool, default False
        Whether an int seeds R's stream (the mirrors) instead of NumPy's (pydpstat's functions).
    name : str, default "rng"
        Name of the argument in the error.

    Returns
    -------
    Source
        Draws from the operating system are exact, and its noise lies on a grid (`pydpstat.random.secure`).

    Raises
    ------
    PydpstatError
        If `rng` is something else.

    See Also
    --------
    RRandom : R's stream.

    Examples
    --------
    >>> from pydpstat.random import source_from
    >>> source_from(None).reproducible
    False
    >>> source_from(123, int_seeds_r=True).reproducible
    True
    """
    if rng is None or rng is SYSTEM:
        return SYSTEM
    # imported from one module because a package's lazy attributes would cost a microsecond per release
    from pydpstat.random._seeded import NumpySource, RRandom, RSource

    if isinstance(rng, (NumpySource, RSource)):
        return rng
    if isinstance(rng, RRandom):
        return RSource(rng)
    seed = as_integer(rng)
    if seed is not None:
        if int_seeds_r:
            return RSource(RRandom(seed))
        if seed >= 0:
            rng = np.random.default_rng(seed)
    if isinstance(rng, np.random.Generator):
        return NumpySource(rng)
    raise PydpstatError(
        f"{name} must be None, an int, a numpy.random.Generator or an RRandom; got {describe_value(rng)}. "
        f"{'' if seed is None else 'An int is from 0 on. '}Leave it out for a release; give RRandom(123) for "
        "R's numbers after set.seed(123)."
    )
