"""Objective perturbation inside a domain: the constants of its noise, what it keeps, and its objective.

The objective is (sum of losses + gamma penalty + extra w'w / 2 + b'w) / n, minimised where the
domain's constraints hold. Up to n, which does not move the minimum, each record adds its gradient to
-b and its matrix of second derivatives, of rank one, to a determinant; that is what the guarantees count.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pydpstat import r_arithmetic as r
from pydpstat.dppack._models.linear_algebra import Floats, RowProducts, dot
from pydpstat.dppack._models.objective import Objective
from pydpstat.errors import PydpstatError

# largest distance of two records' gradients at one point, in units of zeta: in general, and for
# squared errors with |x|^2 <= d, |w|^2 <= d, |y| <= d. There it is half the width of the cardioid
# r = 1 + cos(t), or with d = 1 half the distance from its tip, 2, to the farthest point behind, -1/4.
PAIR, PAIR_SQUARES, PAIR_SQUARES_LINE = 2.0, 0.75 * math.sqrt(3.0), 1.125


def noise_variance(eps: float, delta: float, zeta: float) -> float:
    """Return the variance of each element of Gaussian noise in the objective, with R's operations.

    Parameters
    ----------
    eps, delta : float
        Privacy parameters, above 0.
    zeta : float
        Bound on the length of one record's gradient.

    Returns
    -------
    float
        Negative or NaN where `eps` and `delta` make no sense.

    References
    ----------
    Kifer, D., Smith, A. and Thakurta, A. (2012). Private convex empirical risk minimization and
    high-dimensional regression. Proceedings of the 25th Annual Conference on Learning Theory,
    Algorithm 1.

    Examples
    --------
    >>> from pydpstat.dppack._models.domain import noise_variance
    >>> round(noise_variance(1.0, 0.01, 2.0), 3)
    185.546
    """
    with np.errstate(all="ignore"):
        spread = 8.0 * np.float64(r.log(np.float64(2.0) / delta)) + 4.0 * eps
        return float(zeta * zeta * spread / (np.float64(eps) * eps))


def replaced_epsilon(
    eps: float, delta: float, added: float, lam: float, strength: float, pair: float, size: int
) -> float:
    """Return the epsilon, at the same delta, that holds for one replaced record.

    Parameters
    ----------
    eps, delta : float
        What the noise was made for; with delta 0 the noise has density exp(-eps |b| / (2 zeta)).
    added : float
        The delta to state the epsilon for; not used where `delta` is 0.
    lam : float
        Bound on one record's second derivative.
    strength : float
        What the objective times n is strongly convex by, without the records.
    pair : float
        Largest distance of two records' gradients, in units of zeta.
    size : int
        Number of coefficients.

    Returns
    -------
    float
        Infinity where nothing is proven.

    Notes
    -----
    The determinant changes by at most 1 + lam / strength, since a record that leaves only lowers it.
    Without delta the noise's density changes by at most exp(pair eps / 2). With delta let g be
    the change of b and s its standard deviation: the log density changes by
    |b'g| / s^2 + |g|^2 / (2 s^2). As each gradient has the direction of its record, b counts only in
    the span of two records, whose squared length over s^2 is chi-square with min(2, size) degrees
    of freedom; or only along each of the two, a normal variable each.

    Examples
    --------
    >>> from pydpstat.dppack._models.domain import replaced_epsilon
    >>> round(replaced_epsilon(1.0, 0.0, 0.0, 2.0, 4.0, 2.0, 2), 4)
    1.4055
    """
    grown = _determinant(lam, strength)
    if delta == 0.0:
        return pair * eps / 2.0 + grown
    unit = _gradient_in_sd(eps, delta)
    if not (math.isfinite(unit) and 0.0 < added < 1.0):
        return math.inf
    span = math.sqrt(-2.0 * math.log(added)) if size > 1 else _two_sided(added)
    along = min(pair * span, 2.0 * _two_sided(added / 2.0))
    return unit * along + (pair * unit) ** 2 / 2.0 + grown


def one_record_epsilon(eps: float, delta: float, lam: float, strength: float) -> float:
    """Return the epsilon, at the same delta, that holds for one record added or removed.

    Parameters are those of `replaced_epsilon`.

    Examples
    --------
    >>> from pydpstat.dppack._models.domain import one_record_epsilon
    >>> round(one_record_epsilon(1.0, 0.0, 2.0, 4.0), 4)
    0.9055
    """
    grown = _determinant(lam, strength)
    if delta == 0.0:
        return eps / 2.0 + grown
    unit = _gradient_in_sd(eps, delta)
    if not (math.isfinite(unit) and 0.0 < delta < 1.0):
        return math.inf
    return unit * _two_sided(delta) + unit**2 / 2.0 + grown


def smallest_delta(epsilon: Callable[[float], float], target: float) -> float:
    """Return a delta at which a falling function of delta is at most `target`; 1 where there is none.

    Examples
    --------
    >>> from pydpstat.dppack._models.domain import smallest_delta
    >>> round(smallest_delta(lambda delta: 1.0 - delta, 0.25), 6)
    0.75
    """
    if epsilon(1.0 - 1e-9) > target:
        return 1.0
    low, high = math.log(1e-300), math.log(1.0 - 1e-9)
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (low, middle) if epsilon(math.exp(middle)) <= target else (middle, high)
    return math.exp(high)


class DomainObjective(Objective):
    """`Objective` whose added regularization is divided by n as well, with R's operations in R's order."""

    def value(self, w: Floats) -> float:
        """Return the objective."""
        total = float(r.sum(self.losses(self._prediction(w)))) / self.n
        penalty = float(np.asarray(self.penalty(w), dtype=np.float64).reshape(()))
        total += self.gamma * penalty / self.n
        total += self.extra * dot(w, w) / (2.0 * self.n)
        return total + dot(self.b, w) / self.n

    @property
    def gradient(self) -> Callable[[Floats], Floats] | None:
        """The gradient as a function; None where a part of it is not given."""
        if self.loss_slope is None or self.penalty_slope is None:
            return None
        loss_slope, penalty_slope = self.loss_slope, self.penalty_slope

        def gradient(w: Floats) -> Floats:
            slopes = loss_slope(w, self._prediction(w)) / self.n
            slopes = slopes + self.gamma * np.asarray(penalty_slope(w), dtype=np.float64) / self.n
            return slopes + self.b / self.n + self.extra * w / self.n

        return gradient


def loss_slope(
    mapXy_gr: Callable[..., Any], loss_gr: Callable[..., Any], X: Floats, y: Floats, constant: bool
) -> Callable[[Floats, Floats], Floats]:
    """Return the gradient of the summed loss as a function of coefficients and predictions.

    Parameters
    ----------
    mapXy_gr, loss_gr : callable
        As a model has them.
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
    constant : bool
        Whether `mapXy_gr` is X transposed, wherever it is asked.
    """
    products = RowProducts(X) if constant else None

    def slope(coeff: Floats, y_hat: Floats) -> Floats:
        slopes = np.asarray(loss_gr(y_hat, y), dtype=np.float64).ravel()
        derivatives = X.T if constant else np.asarray(mapXy_gr(X, coeff), dtype=np.float64)
        if derivatives.shape != X.shape[::-1] or slopes.size != y.size:
            raise PydpstatError(
                f"mapXy_gr must return an array of shape {X.shape[::-1]} and loss_gr {y.size} numbers; "
                f"got {derivatives.shape} and {slopes.size}."
            )
        return (products or RowProducts(derivatives.T))(slopes)

    return slope


def _determinant(lam: float, strength: float) -> float:
    if lam == 0.0 and strength >= 0.0:
        return 0.0
    return math.log1p(lam / strength) if lam > 0.0 and strength > 0.0 else math.inf


def _gradient_in_sd(eps: float, delta: float) -> float:
    """Return zeta over the standard deviation of the noise; zeta cancels."""
    variance = noise_variance(eps, delta, 1.0)
    return 1.0 / math.sqrt(variance) if variance > 0.0 else math.inf


def _two_sided(delta: float) -> float:
    """Return what the size of a standard normal variable exceeds with probability delta."""
    from scipy.special import ndtri

    return float(-ndtri(delta / 2.0))
