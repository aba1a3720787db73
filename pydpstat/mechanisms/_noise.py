"""What noise distributions with a scale share, and checks of their parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Self

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._frozen import frozen
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.r_arithmetic.elementary import Numbers

Floats = npt.NDArray[np.float64]


class ContinuousNoise(Noise):
    """Noise around 0 that is a scale times a standard variable.

    The scale 0, no noise at all, comes from `mirrored` alone.
    """

    @classmethod
    def mirrored(cls, scale: npt.ArrayLike) -> Self:
        """Return the noise of a mirror, whose scale can be 0 where R's arithmetic comes to that."""
        self = object.__new__(cls)
        # the only field; asking for the fields takes longer
        (name,) = cls.__match_args__  # type: ignore[attr-defined]
        object.__setattr__(self, name, _scales_from_0(scale, name))
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return type(self).mirrored, (self._scale,)

    @property
    def _scale(self) -> Numbers:
        raise NotImplementedError

    def in_shape(self, shape: tuple[int, ...]) -> Self:
        """Return the noise with a scale for each element in the elements' shape."""
        if len(shape) > 1 and isinstance(self._scale, np.ndarray):
            return self.mirrored(self._scale.reshape(shape, order="F"))
        return self

    @staticmethod
    def _density(z: Floats) -> Floats:
        raise NotImplementedError

    @staticmethod
    def _lower_tail(z: Floats) -> Floats:
        raise NotImplementedError

    @staticmethod
    def _quantile(p: Floats, complement: Floats) -> Floats:
        raise NotImplementedError

    def pdf(self, x: npt.ArrayLike) -> Numbers:
        """Density at `x`: a float, or an array of the broadcast shape."""
        values = np.asarray(x, dtype=np.float64)
        with np.errstate(all="ignore"):
            density = self._density(values / self._scale) / self._scale
        none = np.where(values == 0.0, np.inf, 0.0 * values)
        return unwrap(np.where(np.equal(self._scale, 0.0), none, density))

    def cdf(self, x: npt.ArrayLike) -> Numbers:
        """Probability of at most `x`."""
        values = np.asarray(x, dtype=np.float64)
        with np.errstate(all="ignore"):
            z = np.where(np.equal(self._scale, 0.0) & (values >= 0.0), np.inf, values / self._scale)
            return unwrap(self._lower_tail(z))

    def ppf(self, q: npt.ArrayLike) -> Numbers:
        """Quantile of the probability `q`; NaN outside [0, 1], as in scipy.stats."""
        p, complement = tail_pair(q)
        with np.errstate(all="ignore"):
            quantile = self._scale * self._quantile(p, complement)
        return unwrap(np.where(np.equal(self._scale, 0.0), 0.0 * p, quantile))


def positive_values(value: npt.ArrayLike, name: str, hint: str) -> Numbers:
    """Check that a number, or every number of an array, is finite and above 0.

    Returns a float for a scalar and otherwise a read-only copy as float64.
    """
    if type(value) is float and 0.0 < value < math.inf:
        return value
    array = checks.array_of(value)
    if array.ndim == 0:
        return checks.positive(unwrap(value), name, hint)  # type: ignore[arg-type]
    if array.dtype.kind not in "iuf" or not np.all((array > 0) & np.isfinite(array)):
        raise PydpstatError(f"{name} must be positive finite numbers; got {checks.shown(value)}. {hint}")
    return frozen(array, np.float64)


def _scales_from_0(value: npt.ArrayLike, name: str) -> Numbers:
    if type(value) is float and 0.0 <= value < math.inf:
        return value
    array = np.asarray(value)
    if array.dtype.kind not in "iuf" or not np.all((array >= 0) & np.isfinite(array)):
        raise PydpstatError(f"{name} must be at least 0 and finite; got {checks.shown(value)}.")
    return frozen(array, np.float64) if array.ndim else float(array)


def density_of(noise: Noise) -> Callable[[npt.ArrayLike], Numbers] | None:
    """Return the density of noise, on the integers its probabilities; None where it has none."""
    return getattr(noise, "pmf" if noise.integer else "pdf", None)


def unwrap(values: Numbers) -> Numbers:
    """Return a zero-dimensional result as a Python float, an array as it is."""
    if isinstance(values, (np.ndarray, np.generic)) and values.ndim == 0:
        return values.item()
    return values


def tail_pair(q: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return a probability (NaN where it is none) and its complement, which is exact from 1/2 on."""
    p = np.asarray(q, dtype=np.float64)
    p = np.where((p >= 0.0) & (p <= 1.0), p, np.nan)
    return p, 1.0 - p
