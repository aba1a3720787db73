"""R's continuous distributions as methods: runif, rnorm, rexp, rgamma, and two algorithms for Laplace variables."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pydpstat._checks import describe_value
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats, Numbers
from pydpstat.random.r_stream import _gamma as gamma
from pydpstat.random.r_stream._standard import draw_exponential, draw_laplace, draw_normal
from pydpstat.random.r_stream._stream import (
    SeededStream,
    UniformStream,
    check_nonnegative_integer,
    expand_to_length,
    make_argument_error,
    require_parameter,
    to_numbers,
)


class ContinuousDistributions(SeededStream):
    """Methods of `RRandom` that return real numbers."""

    def runif(self, n: int, min: npt.ArrayLike = 0.0, max: npt.ArrayLike = 1.0) -> Floats:
        """Draw uniform variables, as R's ``runif``.

        If `min` equals `max`, the value is `min` and nothing is drawn.

        Parameters
        ----------
        n : int
            Number of draws.
        min, max : float or array_like, default 0.0 and 1.0
            The ends, finite. Arrays are recycled.

        Returns
        -------
        ndarray of float64, shape (n,)

        Raises
        ------
        PydpstatError
            If R returns NaN.

        References
        ----------
        Matsumoto, M. and Nishimura, T. (1998). Mersenne Twister. ACM Transactions on Modeling and
        Computer Simulation, 8, 3-30.

        Examples
        --------
        >>> from pydpstat.random.r_stream import RRandom
        >>> RRandom(123).runif(2)
        array([0.28757752, 0.78830514])
        """
        n = check_nonnegative_integer(n, "n")
        low, high = expand_to_length(to_numbers(min, "min"), n), expand_to_length(to_numbers(max, "max"), n)
        if n == 0:
            return np.empty(0)
        if isinstance(low, float) and isinstance(high, float):
            require_parameter(-math.inf < low <= high < math.inf, "min and max", (low, high), "finite, with min <= max")
            return self._scale_draws(UniformStream.draw_uniforms, n, low, high - low)
        require_parameter(np.isfinite(low), "min", low, "finite")
        require_parameter(np.isfinite(high) & (high >= low), "max", high, "finite and at least min")
        with np.errstate(over="ignore"):
            return self._scale_draws(UniformStream.draw_uniforms, n, low, high - low)

    def _scale_draws(
        self, draw: Callable[[UniformStream, int], Floats], n: int, location: Numbers, scale: Numbers
    ) -> Floats:
        """Return location + scale * variable; the location if it is infinite or the scale is 0.

        In the latter case nothing is drawn.
        """
        if isinstance(location, float) and isinstance(scale, float):
            if scale == 0.0 or math.isinf(location):
                return np.full(n, location)
            result = draw(self._stream, n)
            if n == 1:
                # plain Python numbers are faster for a single draw
                return np.array([location + scale * result.item()])
            if location != 0.0 or scale != 1.0:
                with np.errstate(over="ignore"):
                    result *= scale
                    result += location
            return result
        result, scale = np.resize(location, n), np.resize(scale, n)
        drawn = np.flatnonzero((scale > 0.0) & np.isfinite(result))
        with np.errstate(over="ignore"):
            result[drawn] += scale[drawn] * draw(self._stream, drawn.size)
        return result

    def rnorm(self, n: int, mean: npt.ArrayLike = 0.0, sd: npt.ArrayLike = 1.0) -> Floats:
        """Draw normal variables, as R's ``rnorm`` with its default method, inversion.

        A variable uses two uniforms. If `sd` is 0 or `mean` is infinite, the value is `mean` and
        nothing is drawn.

        Parameters
        ----------
        n : int
            Number of draws.
        mean : float or array_like, default 0.0
            The mean. Arrays are recycled.
        sd : float or array_like, default 1.0
            The standard deviation, finite and at least 0.

        Returns
        -------
        ndarray of float64, shape (n,)

        Raises
        ------
        PydpstatError
            If R returns NaN.

        References
        ----------
        Wichura, M. J. (1988). Algorithm AS 241: The percentage points of the normal distribution.
        Applied Statistics, 37, 477-484.

        Examples
        --------
        >>> from pydpstat.random.r_stream import RRandom
        >>> RRandom(123).rnorm(2)
        array([-0.56047565, -0.23017749])
        """
        n = check_nonnegative_integer(n, "n")
        mean, sd = expand_to_length(to_numbers(mean, "mean"), n), expand_to_length(to_numbers(sd, "sd"), n)
        if n == 0:
            return np.empty(0)
        require_parameter(mean == mean, "mean", mean, "a number")
        require_parameter((sd >= 0.0) & (sd < math.inf), "sd", sd, "finite and at least 0")
        return self._scale_draws(draw_normal, n, mean, sd)

    def rexp(self, n: int, rate: npt.ArrayLike = 1.0) -> Floats:
        """Draw exponential variables, as R's ``rexp``.

        A variable uses one uniform, or three or more. If `rate` is infinite, the value is 0 and
        nothing is drawn.

        Parameters
        ----------
        n : int
            Number of draws.
        rate : float or array_like, default 1.0
            Reciprocal of the mean, above 0. Arrays are recycled.

        Returns
        -------
        ndarray of float64, shape (n,)

        Raises
        ------
        PydpstatError
            If R returns NaN.

        References
        ----------
        Ahrens, J. H. and Dieter, U. (1972). Computer methods for sampling from the exponential and
        normal distributions. Communications of the ACM, 15, 873-882.

        Examples
        --------
        >>> from pydpstat.random.r_stream import RRandom
        >>> RRandom(123).rexp(2)
        array([0.84345726, 0.57661027])
        """
        n = check_nonnegative_integer(n, "n")
        rate = expand_to_length(to_numbers(rate, "rate"), n)
        if n == 0:
            return np.empty(0)
        scale = _invert_rate(rate)
        require_parameter((scale >= 0.0) & (scale < math.inf), "rate", rate, "above 0, and 1 / rate finite")
        return self._scale_draws(draw_exponential, n, 0.0, scale)

    def rgamma(
        self, n: int, shape: npt.ArrayLike, rate: npt.ArrayLike = 1.0, scale: npt.ArrayLike | None = None
    ) -> Floats:
        """Draw gamma variables, as R's ``rgamma``.

        If `shape` or `scale` is 0 the value is 0, if one is infinite it is infinite, and nothing
        is drawn.

        Parameters
        ----------
        n : int
            Number of draws.
        shape : float or array_like
            The shape, at least 0. Arrays are recycled.
        rate : float or array_like, default 1.0
            Reciprocal of the scale, at least 0.
        scale : float or array_like, optional
            The scale, instead of `rate`.

        Returns
        -------
        ndarray of float64, shape (n,)

        Raises
        ------
        PydpstatError
            If R returns NaN, or `rate` and `scale` contradict each other.

        References
        ----------
        Ahrens, J. H. and Dieter, U. (1982). Generating gamma variates by a modified rejection
        technique. Communications of the ACM, 25, 47-54. Below shape 1: the same authors (1974),
        Computer methods for sampling from gamma, beta, Poisson and binomial distributions. Computing,
        12, 223-246.

        Examples
        --------
        >>> from pydpstat.random.r_stream import RRandom
        >>> RRandom(123).rgamma(2, shape=2)
        array([0.89209356, 3.31184742])
        """
        n = check_nonnegative_integer(n, "n")
        shape = to_numbers(shape, "shape")
        scale = _resolve_scale(to_numbers(rate, "rate"), scale)
        if n == 0:
            return np.empty(0)
        if isinstance(shape, float) and isinstance(scale, float):
            certain = _find_certain_gamma(shape, scale)
            if certain is not None:
                return np.full(n, certain)
            with np.errstate(over="ignore"):
                return gamma.get_gamma_distribution(shape).draw_many(self._stream, n, scale)
        pairs = list(zip(np.resize(shape, n).tolist(), np.resize(scale, n).tolist()))
        certain_values = [_find_certain_gamma(a, b) for a, b in pairs]
        draw = self._stream.draw_one
        return np.array(
            [
                gamma.get_gamma_distribution(a).draw_one(draw, b) if sure is None else sure
                for (a, b), sure in zip(pairs, certain_values)
            ]
        )

    def rlaplace(self, n: int = 1, m: npt.ArrayLike = 0.0, s: npt.ArrayLike = 1.0) -> Floats:
        """Draw Laplace variables, as ``rmutil::rlaplace``: the quantile of one uniform each.

        Parameters
        ----------
        n : int, default 1
            Number of draws.
        m : float or array_like, default 0.0
            The location. Arrays are recycled.
        s : float or array_like, default 1.0
            The scale, above 0. If it is infinite, so are the values.

        Returns
        -------
        ndarray of float64, shape (n,)

        Raises
        ------
        PydpstatError
            If R stops or returns NaN.

        References
        ----------
        Swihart, B. and Lindsey, J. (2022). rmutil: Utilities for nonlinear regression and repeated
        measurements models. R package.

        Examples
        --------
        >>> from pydpstat.random.r_stream import RRandom
        >>> RRandom(123).rlaplace(2)
        array([-0.55311564,  0.85946218])
        """
        n = check_nonnegative_integer(n, "n")
        location, scale = to_numbers(m, "m"), to_numbers(s, "s")
        if isinstance(location, float) and isinstance(scale, float):
            if not scale > 0.0:
                raise make_argument_error("s", scale, "above 0")
        else:
            if not np.all(scale > 0.0):
                raise make_argument_error("s", s, "above 0 for every element")
            location, scale = np.resize(location, n), np.resize(scale, n)
        require_parameter(location == location, "m", location, "a number")
        finite = (scale < math.inf) | (np.abs(location) < math.inf)
        require_parameter(finite, "m", location, "finite if s is infinite")
        return draw_laplace(self._stream, n, location, scale)

    def rlap(self, n: int, location: npt.ArrayLike = 0.0, scale: npt.ArrayLike = 1.0) -> Floats:
        """Draw Laplace variables as diffpriv does: n exponential variables minus n others.

        If `scale` is 0, the value is `location` and nothing is drawn.

        Parameters
        ----------
        n : int
            Number of draws.
        location : float, default 0.0
            The center.
        scale : float, default 1.0
            The scale, finite and at least 0.

        Returns
        -------
        ndarray of float64, shape (n,)

        Raises
        ------
        PydpstatError
            If R stops or returns NaN.

        References
        ----------
        Rubinstein, B. I. P. and Alda, F. (2017). diffpriv: An R package for easy differential
        privacy. Journal of Machine Learning Research, 18.

        Examples
        --------
        >>> from pydpstat.random.r_stream import RRandom
        >>> RRandom(123).rlap(2)
        array([-0.48559761,  0.54503291])
        """
        n = check_nonnegative_integer(n, "n")
        location, scale = to_numbers(location, "location"), to_numbers(scale, "scale")
        if not isinstance(location, float) or location != location:
            raise make_argument_error("location", location, "one number")
        if not isinstance(scale, float) or not 0.0 <= scale < math.inf:
            raise make_argument_error("scale", scale, "one finite number of at least 0")
        rate = 1.0 / scale if scale else math.inf
        result = location + self.rexp(n, rate)
        result -= self.rexp(n, rate)
        return result


def _invert_rate(rate: Numbers) -> Numbers:
    if isinstance(rate, float):
        return 1.0 / rate if rate else math.copysign(math.inf, rate)
    with np.errstate(all="ignore"):
        return 1.0 / rate


def _resolve_scale(rate: Numbers, scale: npt.ArrayLike | None) -> Numbers:
    """Return the scale from the arguments rate and scale."""
    if scale is None:
        return _invert_rate(rate)
    scales = to_numbers(scale, "scale")
    if np.any(rate != 1.0) and not np.all(np.abs(rate * scales - 1.0) < 1e-15):
        raise PydpstatError(
            f"rate and scale must be inverses of each other; got {describe_value(rate)} and {describe_value(scales)}. "
            "Give one of them."
        )
    return scales


def _find_certain_gamma(shape: float, scale: float) -> float | None:
    """Check the parameters and return the value if it requires no draw.

    Parameters for which R returns NaN raise an error, except that a zero takes precedence over a negative value, as in
    R.
    """
    if scale == scale and shape == shape and (shape == 0.0 or scale == 0.0):
        return 0.0
    require_parameter(shape > 0.0, "shape", shape, "at least 0")
    require_parameter(scale > 0.0, "rate or scale", scale, "at least 0")
    return math.inf if math.isinf(shape) or math.isinf(scale) else None
