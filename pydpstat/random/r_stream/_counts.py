"""R's distributions of counts as methods: rgeom, rpois, rbinom."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pydpstat.errors import NotSupportedError
from pydpstat.random.r_stream import _binomial as binomial
from pydpstat.random.r_stream import _poisson as poisson
from pydpstat.random.r_stream._stream import (
    R_LARGEST_INTEGER,
    SeededStream,
    check_nonnegative_integer,
    require_parameter,
    to_numbers,
)

Counts = npt.NDArray[np.int64 | np.float64]


def _as_counts(values: npt.ArrayLike) -> Counts:
    """Convert integer-valued floats to integers unless one exceeds R's integers, as R does."""
    array = np.asarray(values, dtype=np.float64)
    if array.size == 1:
        value = array.item()
        return array.reshape(1) if value > R_LARGEST_INTEGER else np.array([int(value)], dtype=np.int64)
    if array.size and array.max() > R_LARGEST_INTEGER:
        return array
    return array.astype(np.int64)


class CountDistributions(SeededStream):
    """Methods of `RRandom` that return counts."""

    def rgeom(self, n: int, prob: npt.ArrayLike) -> Counts:
        """Draw geometric variables, the failures before the first success, as R's ``rgeom``.

        Parameters
        ----------
        n : int
            Number of draws.
        prob : float or array_like
            The probability of success, above 0 and at most 1. Arrays are recycled.

        Returns
        -------
        ndarray of int64, shape (n,)
            Of float64 if a value is above 2147483647, as in R.

        Raises
        ------
        PydpstatError
            If R returns NaN.

        References
        ----------
        Devroye, L. (1986). Non-Uniform Random Variate Generation. Springer, page 480.

        Examples
        --------
        >>> from pydpstat.random.r_stream import RRandom
        >>> RRandom(123).rgeom(5, 0.3)
        array([3, 5, 0, 0, 1])
        """
        n = check_nonnegative_integer(n, "n")
        prob = to_numbers(prob, "prob")
        if n == 0:
            return np.empty(0, dtype=np.int64)
        if isinstance(prob, float):
            return _as_counts(poisson.draw_geometric(self._stream, n, _compute_odds(prob)))
        odds = [_compute_odds(p) for p in np.resize(prob, n).tolist()]
        return _as_counts([poisson.draw_one_geometric(self._stream.draw_one, value) for value in odds])

    def rpois(self, n: int, lam: npt.ArrayLike) -> Counts:
        """Draw Poisson variables, as R's ``rpois``.

        If the mean is 0, the value is 0 and nothing is drawn.

        Parameters
        ----------
        n : int
            Number of draws.
        lam : float or array_like
            The mean, R's ``lambda``, finite and at least 0. Arrays are recycled.

        Returns
        -------
        ndarray of int64, shape (n,)
            Of float64 if a value is above 2147483647, as in R.

        Raises
        ------
        PydpstatError
            If R returns NaN.

        References
        ----------
        Ahrens, J. H. and Dieter, U. (1982). Computer generation of Poisson deviates from modified
        normal distributions. ACM Transactions on Mathematical Software, 8, 163-179.

        Examples
        --------
        >>> from pydpstat.random.r_stream import RRandom
        >>> RRandom(123).rpois(5, 3)
        array([2, 4, 2, 5, 6])
        """
        n = check_nonnegative_integer(n, "n")
        mean = to_numbers(lam, "lam")
        if n == 0:
            return np.empty(0, dtype=np.int64)
        if isinstance(mean, float):
            require_parameter(0.0 <= mean < math.inf, "lam", mean, "finite and at least 0")
            if mean == 0.0:
                return np.zeros(n, dtype=np.int64)
            return _as_counts(poisson.draw_poisson(self._stream, n, mean))
        mean = np.resize(mean, n)
        require_parameter((mean >= 0.0) & np.isfinite(mean), "lam", mean, "finite and at least 0")
        if np.all(mean < poisson.LARGE_MEAN):
            result = np.zeros(n)
            drawn = np.flatnonzero(mean)
            result[drawn] = poisson.invert_small_means(self._stream.take_uniforms(drawn.size), mean[drawn])
            return _as_counts(result)
        return _as_counts([poisson.draw_one_poisson(self._stream.draw_one, value) for value in mean.tolist()])

    def rbinom(self, n: int, size: npt.ArrayLike, prob: npt.ArrayLike) -> Counts:
        """Draw binomial variables, as R's ``rbinom``.

        If `size` is 0 or `prob` is 0 or 1, nothing is drawn.

        Parameters
        ----------
        n : int
            Number of draws.
        size : int or array_like
            The number of trials, an integer from 0 to 2147483646. Arrays are recycled.
        prob : float or array_like
            The probability of success, from 0 to 1.

        Returns
        -------
        ndarray of int64, shape (n,)

        Raises
        ------
        PydpstatError
            If R returns NaN.
        NotSupportedError
            If `size` is larger than 2147483646.

        References
        ----------
        Kachitvichyanukul, V. and Schmeiser, B. W. (1988). Binomial random variate generation.
        Communications of the ACM, 31, 216-222.

        Examples
        --------
        >>> from pydpstat.random.r_stream import RRandom
        >>> RRandom(123).rbinom(5, 10, 0.5)
        array([4, 6, 5, 7, 7])
        """
        n = check_nonnegative_integer(n, "n")
        size, prob = to_numbers(size, "size"), to_numbers(prob, "prob")
        if n == 0:
            return np.empty(0, dtype=np.int64)
        if isinstance(size, float) and isinstance(prob, float):
            certain = _find_certain_binomial(size, prob)
            if certain is not None:
                return _as_counts(np.full(n, certain))
            return _as_counts(binomial.get_binomial_distribution(int(size), prob).draw_many(self._stream, n))
        pairs = list(zip(np.resize(size, n).tolist(), np.resize(prob, n).tolist()))
        certain_values = [_find_certain_binomial(k, p) for k, p in pairs]
        draw = self._stream.draw_one
        return _as_counts(
            [
                binomial.get_binomial_distribution(int(k), p).draw_one(draw) if sure is None else sure
                for (k, p), sure in zip(pairs, certain_values)
            ]
        )


def _compute_odds(prob: float) -> float:
    """Return the mean of a geometric variable."""
    require_parameter(0.0 < prob <= 1.0, "prob", prob, "above 0 and at most 1")
    odds = (1.0 - prob) / prob
    require_parameter(odds < 1e300, "prob", prob, "at least 1e-300")
    return odds


def _find_certain_binomial(size: float, prob: float) -> float | None:
    """Check the parameters and return the value if it requires no draw."""
    require_parameter(0.0 <= size < math.inf and size.is_integer(), "size", size, "a whole number of at least 0")
    require_parameter(0.0 <= prob <= 1.0, "prob", prob, "from 0 to 1")
    if size == 0.0 or prob == 0.0:
        return 0.0
    if prob == 1.0:
        return size
    if size >= R_LARGEST_INTEGER:
        raise NotSupportedError(
            f"size must be below 2147483647; got {size:.0f}. Take a normal approximation or draw it in R."
        )
    return None
