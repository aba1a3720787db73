"""DPpack's regularizers, maps and kernel functions under R's names, and its losses from their module."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat.dppack._models import losses as maps
from pydpstat.dppack._models import losses as regularizers
from pydpstat.dppack._models.design import design_matrix
from pydpstat.dppack._models.kernels import cosine
from pydpstat.dppack._models.linear_algebra import Floats, dot
from pydpstat.dppack._models.loss_functions import (
    generate_loss_gr_huber,
    generate_loss_huber,
    loss_cross_entropy,
    loss_gr_cross_entropy,
    loss_gr_squared_error,
    loss_squared_error,
)
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic._arrays import doubles

__all__ = [
    "generate_loss_gr_huber",
    "generate_loss_huber",
    "generate_sampling",
    "loss_cross_entropy",
    "loss_gr_cross_entropy",
    "loss_gr_squared_error",
    "loss_squared_error",
    "mapXy_gr_linear",
    "mapXy_gr_sigmoid",
    "mapXy_linear",
    "mapXy_sigmoid",
    "phi_gaussian",
    "regularizer_gr_l2",
    "regularizer_l2",
    "whole_number",
]


def regularizer_l2(coeff: Any) -> float:
    """Half the squared length of the coefficients, as ``DPpack::regularizer.l2``.

    Parameters
    ----------
    coeff : array_like of shape (d,)

    Returns
    -------
    float

    Raises
    ------
    PydpstatError
        Where the coefficients are no numbers.

    References
    ----------
    Chaudhuri, K., Monteleoni, C. and Sarwate, A. D. (2011). Differentially private empirical risk
    minimization. Journal of Machine Learning Research 12, 1069-1109.

    Examples
    --------
    >>> from pydpstat.dppack import regularizer_l2
    >>> regularizer_l2([0.5, -1, 2])
    2.625
    """
    return regularizers.l2(doubles(coeff, "coeff"))


def regularizer_gr_l2(coeff: Any) -> Floats:
    """Gradient of `regularizer_l2`, the coefficients, as ``DPpack::regularizer.gr.l2``.

    Parameters
    ----------
    coeff : array_like of shape (d,)

    Returns
    -------
    ndarray of shape (d,)

    Raises
    ------
    PydpstatError
        Where the coefficients are no numbers.

    References
    ----------
    Chaudhuri, K., Monteleoni, C. and Sarwate, A. D. (2011). Differentially private empirical risk
    minimization. Journal of Machine Learning Research 12, 1069-1109.

    Examples
    --------
    >>> from pydpstat.dppack import regularizer_gr_l2
    >>> regularizer_gr_l2([0.5, -1, 2])
    array([ 0.5, -1. ,  2. ])
    """
    return regularizers.l2_gradient(doubles(coeff, "coeff"))


def mapXy_linear(X: Any, coeff: Any) -> Floats:
    """Linear predictor X coeff, as ``DPpack::mapXy.linear``.

    Parameters
    ----------
    X : array_like of shape (n, d)
    coeff : array_like of shape (d,)

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    PydpstatError
        Where the columns do not match the coefficients.

    References
    ----------
    Chaudhuri, K., Monteleoni, C. and Sarwate, A. D. (2011). Differentially private empirical risk
    minimization. Journal of Machine Learning Research 12, 1069-1109.

    Examples
    --------
    >>> from pydpstat.dppack import mapXy_linear
    >>> mapXy_linear([[1, 3, 5], [2, 4, 6]], [0.5, -1, 2])
    array([7.5, 9. ])
    """
    return maps.linear(*_product(X, coeff))


def mapXy_gr_linear(X: Any, coeff: Any) -> Floats:
    """Derivatives of the linear predictor, X transposed, as ``DPpack::mapXy.gr.linear``.

    Parameters
    ----------
    X : array_like of shape (n, d)
    coeff : array_like of shape (d,)
        Not used.

    Returns
    -------
    ndarray of shape (d, n)

    Raises
    ------
    PydpstatError
        Where X is no matrix of numbers.

    References
    ----------
    Chaudhuri, K., Monteleoni, C. and Sarwate, A. D. (2011). Differentially private empirical risk
    minimization. Journal of Machine Learning Research 12, 1069-1109.

    Examples
    --------
    >>> from pydpstat.dppack import mapXy_gr_linear
    >>> mapXy_gr_linear([[1, 3], [2, 4]], [0.5, -1])
    array([[1., 2.],
           [3., 4.]])
    """
    return maps.linear_gradient(design_matrix(X)[0], coeff)


def mapXy_sigmoid(X: Any, coeff: Any) -> Floats:
    """Probabilities of a logistic model, as ``DPpack::mapXy.sigmoid``.

    Parameters
    ----------
    X : array_like of shape (n, d)
    coeff : array_like of shape (d,)

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    PydpstatError
        Where the columns do not match the coefficients.

    References
    ----------
    Chaudhuri, K., Monteleoni, C. and Sarwate, A. D. (2011). Differentially private empirical risk
    minimization. Journal of Machine Learning Research 12, 1069-1109.

    Examples
    --------
    >>> from pydpstat.dppack import mapXy_sigmoid
    >>> mapXy_sigmoid([[1, 3, 5], [2, 4, 6]], [0.0, 0.0, 0.0])
    array([0.5, 0.5])
    """
    return maps.logistic(*_product(X, coeff))


def mapXy_gr_sigmoid(X: Any, coeff: Any) -> Floats:
    """What DPpack takes for the derivatives of `mapXy_sigmoid`, as ``DPpack::mapXy.gr.sigmoid``.

    R recycles the n slopes along the columns of X transposed. With one coefficient these are the
    derivatives; with more they are not, and a model that gets this function warns.

    Parameters
    ----------
    X : array_like of shape (n, d)
    coeff : array_like of shape (d,)

    Returns
    -------
    ndarray of shape (d, n)

    Raises
    ------
    PydpstatError
        Where the columns do not match the coefficients.

    References
    ----------
    Chaudhuri, K., Monteleoni, C. and Sarwate, A. D. (2011). Differentially private empirical risk
    minimization. Journal of Machine Learning Research 12, 1069-1109.

    Examples
    --------
    >>> from pydpstat.dppack import mapXy_gr_sigmoid
    >>> mapXy_gr_sigmoid([[1.0], [2.0]], [0.0])
    array([[0.25, 0.5 ]])
    """
    return maps.logistic_gradient_recycled(*_product(X, coeff))


def phi_gaussian(x: Any, theta: Any) -> float:
    """Feature cos(x'frequencies + phase) of the Gaussian kernel, as ``DPpack::phi.gaussian``.

    Parameters
    ----------
    x : array_like of shape (d,)
        A record.
    theta : array_like of shape (d + 1,)
        d frequencies, then the phase. What comes later is not used.

    Returns
    -------
    float

    Raises
    ------
    PydpstatError
        Where `theta` is too short.

    References
    ----------
    Rahimi, A. and Recht, B. (2007). Random features for large-scale kernel machines.
    Advances in Neural Information Processing Systems 20.

    Examples
    --------
    >>> from pydpstat.dppack import phi_gaussian
    >>> phi_gaussian([1, 2], [0.5, -0.25, 0.0])
    1.0
    """
    record, parameters = doubles(x, "x"), doubles(theta, "theta")
    if parameters.size < record.size + 1 or not record.size:
        raise PydpstatError(
            f"theta must have one element more than x, which must not be empty; got {parameters.size} "
            f"and {record.size}."
        )
    angle = dot(record, parameters[: record.size]) + parameters[record.size]
    if not math.isfinite(angle):
        raise PydpstatError(
            "x and theta must have a finite product, where R returns NaN with a warning; "
            f"got {checks.shown(float(angle))}. Scale x."
        )
    return float(cosine(np.array([angle]))[0])


def generate_sampling(kernel_param: float, *, rng: Any = None) -> Callable[..., Floats]:
    """Make the function that draws a random Fourier feature, as ``DPpack::generate.sampling``.

    Parameters
    ----------
    kernel_param : float
        The Gaussian kernel's gamma in ``exp(-gamma |x - x'|^2)``; at least 0.
    rng : None, int, numpy.random.Generator or RRandom, keyword only
        Source of its draws. None (default) is the operating system; an int seeds R's stream.

    Returns
    -------
    callable
        ``sampling(d, *, rng=None)`` returns d frequencies and a phase, an ndarray of shape (d + 1,).
        Its own `rng`, where it is given, goes before the one given here.

    Raises
    ------
    PydpstatError
        Where `kernel_param` is no number of at least 0.

    References
    ----------
    Rahimi, A. and Recht, B. (2007). Random features for large-scale kernel machines.
    Advances in Neural Information Processing Systems 20.

    Examples
    --------
    >>> from pydpstat import RRandom
    >>> from pydpstat.dppack import generate_sampling
    >>> generate_sampling(0.1)(2, rng=RRandom(123)).round(4)
    array([-0.2507, -0.1029,  2.7675])
    """
    from pydpstat.random import source_from

    width = checks.scalar(kernel_param, "kernel_param")
    if not 0.0 <= width < math.inf:
        raise PydpstatError(f"kernel_param must be at least 0 and finite; got {width!r}. 1/d is the default.")
    return _Sampling(width, source_from(rng, int_seeds_r=True))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Sampling:
    """Draws features of a Gaussian kernel; an object, as a closure has no pickle."""

    kernel_param: float
    source: Any

    __name__ = "sampling"

    def __call__(self, d: int, *, rng: Any = None) -> Floats:
        """Draw d frequencies and a phase, an ndarray of shape (d + 1,)."""
        from pydpstat.random import source_from
        from pydpstat.random._vectors import normals, phases

        source = self.source if rng is None else source_from(rng, int_seeds_r=True)
        size = whole_number(d, "d", 0)
        return np.append(normals(source, size, math.sqrt(2.0 * self.kernel_param)), phases(source, 1))

    def __repr__(self) -> str:
        return f"generate_sampling({self.kernel_param!r})"


def whole_number(value: Any, name: str, least: int) -> int:
    """Check a whole number of at least `least`."""
    number = checks.scalar(value, name)
    if not math.isfinite(number) or number != int(number) or number < least:
        raise PydpstatError(f"{name} must be a whole number of at least {least}; got {checks.shown(value)}.")
    return int(number)


def _product(X: Any, coeff: Any) -> tuple[Floats, Floats]:
    matrix = X if type(X) is np.ndarray and X.ndim == 2 and X.dtype == np.float64 else design_matrix(X)[0]
    weights = doubles(coeff, "coeff")
    if matrix.shape[1] != weights.size or not weights.size:
        raise PydpstatError(
            f"coeff must have one element for each column of X; got {weights.size} and {matrix.shape[1]}."
        )
    return matrix, weights
