"""Base classes of mechanisms, which calibrate noise, and of noise distributions, which draw it.

Users can define their own mechanisms by subclasses of both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat.privacy.losses import PrivacyLoss
from pydpstat.r_arithmetic.elementary import Floats

if TYPE_CHECKING:
    from pydpstat.random import Source


class Noise:
    """Base of noise distributions around 0, with public parameters only.

    A subclass is a frozen dataclass of its parameters. It compares and hashes by value.

    Attributes
    ----------
    name : str
        Its name in summaries.
    integer : bool
        Whether its values are integers. Other noise lies on a public grid that the release chooses.
    scale : float or ndarray
        Its scale parameter in the statistic's unit, reported by results as `noise_scale`.

    See Also
    --------
    Mechanism : the mechanism that calibrates it.

    Examples
    --------
    >>> from pydpstat.mechanisms import LaplaceNoise, Noise
    >>> isinstance(LaplaceNoise(2.0), Noise), LaplaceNoise(2.0).scale
    (True, 2.0)
    """

    name: ClassVar[str]
    integer: ClassVar[bool] = False
    scale: float | Floats

    def std(self) -> float | Floats:
        """Return the standard deviation, by element if the elements differ."""
        raise _make_undefined_error(self, "std")

    def var(self) -> float | Floats:
        """Return the variance."""
        deviation = self.std()
        return deviation * deviation

    def cdf(self, x: npt.ArrayLike) -> float | Floats:
        """Return the probability of at most `x`."""
        raise _make_undefined_error(self, "cdf")

    def ppf(self, q: npt.ArrayLike) -> float | Floats:
        """Return the quantile of the probability `q`."""
        raise _make_undefined_error(self, "ppf")

    def draw(self, source: Source, size: int, grid: float | None) -> np.ndarray:
        """Draw noise for `size` elements.

        Parameters
        ----------
        source : Source
            Source of randomness (`pydpstat.random.Source`).
        size : int
            Number of elements.
        grid : float or None
            Unit of the public grid, a power of two; None for a seeded source.

        Returns
        -------
        ndarray of shape (size,)
            Noise values; with a grid, in its units: integers, as floats or Python integers.
            Anything else raises an error, and nothing is released.
        """
        raise _make_undefined_error(self, "draw")

    def rvs(self, size: int | tuple[int, ...] | None = None, random_state: object = None) -> Any:
        """Draw from the distribution, for simulation: there are no data, so no guarantee.

        Parameters
        ----------
        size : int or tuple of int, optional
            Number of draws, or shape of the array; one number by default. If the elements
            have different parameters, the last axis is that of the elements; by default one draw for each.
        random_state : None, int, numpy.random.Generator or RRandom
            Source of randomness. None (default) is the operating system, an int seeds NumPy's
            generator, and an `RRandom` is R's stream.

        Returns
        -------
        int or float, or ndarray of shape `size`
            In the statistic's unit. Noise on the integers gives integers (Python's, in an array of
            objects, where one is beyond 2^53).

        Raises
        ------
        PydpstatError
            If an argument is invalid.

        Notes
        -----
        From the operating system each draw has exactly its distribution. Real numbers are rounded to a grid:
        the multiples of the largest power of two that is at most 2^-32 of the (smallest) scale. This is far
        finer than a release's grid, and not detectable from any sample. Seeded draws are in floating point
        without a grid. Releases never use this method.

        The names are those of SciPy's frozen distributions, where None is NumPy's global generator.

        References
        ----------
        Mironov, I. (2012). On significance of the least significant bits for differential privacy. CCS
        2012 (why a release needs a grid).

        Examples
        --------
        >>> from pydpstat.mechanisms import LaplaceNoise, SymmetricGeometricNoise
        >>> LaplaceNoise(2.0).rvs(3, random_state=1).round(3).tolist()
        [0.048, 4.624, -2.487]
        >>> SymmetricGeometricNoise(1.0).rvs((2, 3)).shape
        (2, 3)
        """
        from pydpstat.mechanisms._variates import draw_variates

        return draw_variates(self, size, random_state)

    def simultaneous(self, alpha: float, size: int) -> float:
        """Return the tail probability of each element's interval for which all intervals hold simultaneously.

        With probability ``1 - alpha``, none of `size` elements is outside its quantiles for half of that probability in
        each tail. By default elements are independent.
        """
        return -math.expm1(math.log1p(-alpha) / max(size, 1))

    def accepts(self, value: npt.NDArray[np.float64]) -> bool:
        """Return whether a noisy value is accepted, by default True; otherwise all of its noise is redrawn."""
        return True

    def covering(self, sensitivity: float, epsilon: float) -> Noise:
        """Return noise enlarged to cover rounding errors of a floating-point calibration; by default unchanged."""
        return self

    def times(self, units: Floats) -> Noise:
        """Return the distribution of elements multiplied by positive units."""
        raise _make_undefined_error(self, "times")

    def in_shape(self, shape: tuple[int, ...]) -> Noise:
        """Return the noise with its parameters arranged in the shape of the elements; by default unchanged."""
        return self

    def _get_key(self) -> tuple[object, ...]:
        values = (getattr(self, item.name) for item in fields(self))  # type: ignore[arg-type]
        return tuple((v.shape, v.tobytes()) if isinstance(v, np.ndarray) else v for v in values)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self._get_key() == other._get_key()  # type: ignore[attr-defined,no-any-return]

    def __hash__(self) -> int:
        return hash((type(self), self._get_key()))

    def __reduce__(self) -> tuple[object, ...]:
        # via the constructor because a pickled array would be writable again
        return type(self), tuple(getattr(self, item.name) for item in fields(self))  # type: ignore[arg-type]


class Mechanism:
    """Base of mechanisms, for the argument ``mechanism=``.

    Attributes
    ----------
    name : str
        Its name in calls and messages.
    norm : {1, 2, inf}
        Norm in which the sensitivity is measured. Default 1.
    approximate : bool
        Whether it requires a delta above 0. Default False.
    integer : bool
        Whether its noise is for counts only. Default False.
    joint : bool
        Whether noise for the sensitivity of a vector protects the vector, when each element gets its
        own draw: so for losses that grow in proportion to the change. Default False: then epsilon is
        divided among the elements.

    See Also
    --------
    Laplace, Gaussian, Geometric : common mechanisms.
    Noise : the result.

    Examples
    --------
    >>> import pydpstat
    >>> from pydpstat.mechanisms import Laplace
    >>> ages = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17]
    >>> pydpstat.mean(ages, 1.0, bounds=(0, 100), mechanism=Laplace()).noise_scale > 10.0
    True
    """

    name: ClassVar[str]
    norm: ClassVar[float] = 1
    approximate: ClassVar[bool] = False
    integer: ClassVar[bool] = False
    joint: ClassVar[bool] = False

    @explain_wrong_calls
    def __init__(self) -> None:
        """Create the mechanism without arguments; epsilon is given to the release."""

    def calibrate(self, epsilon: float, delta: float, sensitivity: float) -> Noise:
        """Return noise for (epsilon, delta), given the change by one record.

        Parameters
        ----------
        epsilon : float
            Privacy parameter; positive and finite.
        delta : float
            Privacy parameter; above 0 and below 1 for a mechanism that requires it, such as ``"gaussian"``, otherwise
            0.
        sensitivity : float
            Sensitivity in the mechanism's norm, of one number or of a vector; above 0. For a release on a
            grid the method is called again with the sensitivity that includes rounding to the grid.
        """
        raise _make_undefined_error(self, "calibrate")

    def calibrate_vector(
        self,
        epsilon: float,
        delta: float,
        sensitivity: float,
        size: int,
        integer: bool,
        vector_shape: tuple[int, int] | None = None,
    ) -> Noise:
        """Return noise for the elements of a vector that has one sensitivity.

        Parameters
        ----------
        epsilon, delta, sensitivity
            As in `calibrate`; the sensitivity is that of the vector.
        size : int
            Number of elements.
        integer : bool
            Whether the elements are counts.
        vector_shape : (int, int), optional
            For the maximum norm: the vector consists of vectors with this number of columns and of parts per column.

        Notes
        -----
        If the mechanism is not joint: counts that change by s in total, in integer steps, cost as much as s
        steps of 1, so that each step gets epsilon / s; of other elements each may change by the full
        sensitivity, and each gets epsilon / size.
        """
        if self.joint or size <= 1:
            return self.calibrate(epsilon, delta, sensitivity)
        if integer:
            steps = round(sensitivity**self.norm)
            return self.calibrate(split_equally(epsilon, steps), split_equally(delta, steps), 1.0)
        return self.calibrate(split_equally(epsilon, size), split_equally(delta, size), sensitivity)

    def calibrate_each(self, epsilon: float, delta: float, sensitivities: Sequence[float]) -> Noise:
        """Return noise for several numbers with a sensitivity each; by default epsilon is divided equally."""
        count = len(sensitivities)
        share, leak = split_equally(epsilon, count), split_equally(delta, count)
        return SeparateNoise(
            tuple(self.calibrate(share, leak, sensitivity) for sensitivity in sensitivities), (1,) * count
        )

    def loss(self, noise: Any, epsilon: float, sensitivities: Sequence[Any]) -> PrivacyLoss | None:
        """Return the exact privacy loss of a noise that this mechanism calibrated; None by default.

        Without it a release still satisfies (epsilon, delta), but its composition with others is based on that pair
        alone.
        """
        return None

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), *sorted(vars(self).items())))

    def __repr__(self) -> str:
        attributes = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({attributes})"


def split_equally(total: float, parts: int) -> float:
    """Return the largest float whose exact multiple by `parts` is at most a total."""
    share = total / parts
    top, bottom = share.as_integer_ratio()
    numerator, denominator = total.as_integer_ratio()
    return share if parts * top * denominator <= numerator * bottom else math.nextafter(share, 0.0)


def split_by_shares(total: float, shares: tuple[float, ...]) -> tuple[float, ...]:
    """Return parts of a total whose exact sum is at most the total; the first part is the remainder."""
    later = [total * share for share in shares[1:]]
    exact = Fraction(total) - sum(map(Fraction, later))
    nearest = float(exact)
    return (nearest if nearest <= exact else math.nextafter(nearest, 0.0), *later)


@dataclass(frozen=True, eq=False)
class SeparateNoise(Noise):
    """Independent noises for consecutive blocks of elements."""

    noises: tuple[Noise, ...]
    sizes: tuple[int, ...]

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name of the first noise."""
        return self.noises[0].name if self.noises else "none"

    @property
    def integer(self) -> bool:  # type: ignore[override]
        """Whether all noises are on the integers."""
        return all(noise.integer for noise in self.noises)

    @property
    def scale(self) -> Floats:  # type: ignore[override]
        """Scale of each element's noise."""
        return self._expand_values([noise.scale for noise in self.noises])

    def std(self) -> Floats:
        """Return the standard deviation of each element's noise."""
        return self._expand_values([noise.std() for noise in self.noises])

    def var(self) -> Floats:
        """Return the variance of each element's noise."""
        return self._expand_values([noise.var() for noise in self.noises])

    def cdf(self, x: npt.ArrayLike) -> Floats:
        """Return the probability of at most `x`, with elements along the last axis."""
        return self._map_blocks(lambda noise, values: noise.cdf(values), x)

    def ppf(self, q: npt.ArrayLike) -> Floats:
        """Return the quantile of the probability `q`, with elements along the last axis."""
        return self._map_blocks(lambda noise, values: noise.ppf(values), q)

    def draw(self, source: Source, size: int, grid: float | None) -> npt.NDArray[np.generic]:
        """Draw noise for all elements, block by block."""
        blocks = [
            checks.check_noise_draw(noise.draw(source, n, grid), n, grid, type(noise).__name__)
            for noise, n in zip(self.noises, self.sizes)
        ]
        return np.concatenate([np.empty(0), *blocks])

    def accepts(self, value: npt.NDArray[np.float64]) -> bool:
        """Return whether every block is accepted."""
        blocks = np.split(value, np.cumsum(self.sizes)[:-1])
        return all(noise.accepts(block) for noise, block in zip(self.noises, blocks))

    def _expand_values(self, values: Sequence[npt.ArrayLike]) -> Floats:
        # each element of a block may have its own value
        blocks = [np.resize(np.asarray(value, dtype=np.float64), size) for value, size in zip(values, self.sizes)]
        return np.concatenate([np.empty(0), *blocks])

    def _map_blocks(self, evaluate: Callable[[Noise, Floats], npt.ArrayLike], values: npt.ArrayLike) -> Floats:
        array = np.asarray(values, dtype=np.float64)
        wide = np.broadcast_to(array, np.broadcast_shapes(array.shape, (sum(self.sizes),)))
        block_ends = np.cumsum(self.sizes)[:-1]
        blocks = zip(self.noises, np.split(wide, block_ends, axis=-1))
        return np.concatenate([np.asarray(evaluate(noise, block)) for noise, block in blocks], axis=-1)


def _make_undefined_error(instance: object, method: str) -> NotImplementedError:
    return NotImplementedError(f"{type(instance).__name__} must define {method}(); its base class does not.")
