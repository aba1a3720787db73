"""Formulas of the models with R's operations in R's order: products, losses, links, penalties.

Products are summed as in the reference BLAS that R uses: column by column, without FMA.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pydpstat import r_arithmetic as r
from pydpstat.r_arithmetic.elementary import Floats

Mask = npt.NDArray[np.bool_]

# number of rows below which one pass over all columns is faster than one per column
_FEW_ROWS = 256


def compute_matrix_vector(X: Floats, w: Floats) -> Floats:
    """Return X w, shape (n,), summing multiples of the columns from first to last; fastest if column-major.

    >>> compute_matrix_vector(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 10.0]))
    array([21., 43.])
    """
    with np.errstate(all="ignore"):
        if X.shape[0] < _FEW_ROWS:
            return sum_rows(X * w)
        total = X[:, 0] * w[0]
        term = np.empty_like(total)
        for j in range(1, w.size):
            np.multiply(X[:, j], w[j], out=term)
            total += term
    return total


def sum_rows(terms: Floats) -> Floats:
    """Return the sum of each row, added from first to last; `numpy.sum` uses a different order."""
    total: Floats = np.add.accumulate(terms, axis=1)[:, -1]
    return total


def compute_dot_product(a: Floats, b: Floats) -> float:
    """Return the inner product of two vectors, summed from first to last.

    >>> compute_dot_product(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    total = 0.0
    for x, y in zip(a.tolist(), b.tolist()):
        total += x * y
    return total


def compute_cross_entropy(y_hat: Floats, y: Floats) -> Floats:
    """Return -(y log(y_hat) + (1 - y) log(1 - y_hat)), shape (n,)."""
    with np.errstate(all="ignore"):
        yes = y == 1.0
        if (yes | (y == 0.0)).all() and np.shape(y) == np.shape(y_hat):
            # one logarithm suffices, but 0 times the other one is NaN if that is infinite
            loss = np.negative(r.log(np.where(yes, y_hat, 1.0 - y_hat)))
            loss[y_hat == y] = np.nan
            return loss
        terms = np.asarray(r.log(y_hat))
        terms = y * terms
        log_complement = np.asarray(r.log(1.0 - y_hat))
        terms = terms + (1.0 - y) * log_complement
        return np.negative(terms)


def compute_cross_entropy_gradient(y_hat: Floats, y: Floats) -> Floats:
    """Return -y / y_hat + (1 - y) / (1 - y_hat), shape (n,)."""
    with np.errstate(all="ignore"):
        return -y / y_hat + (1.0 - y) / (1.0 - y_hat)


def compute_squared_error(y_hat: Floats, y: Floats) -> Floats:
    """Return (y_hat - y)^2 / 2, shape (n,)."""
    with np.errstate(over="ignore"):
        difference = y_hat - y
        return difference * difference / 2.0


def compute_squared_error_gradient(y_hat: Floats, y: Floats) -> Floats:
    """Return y_hat - y, shape (n,)."""
    return y_hat - y


def compute_huber_loss(y_hat: Floats, y: Floats, h: float, w: Floats | None = None) -> Floats:
    """Return the Huber-smoothed hinge loss, shape (n,).

    With z = y_hat y it is 0 above 1 + h, 1 - z below 1 - h, and a parabola between.

    Chapelle, O. (2007). Training a support vector machine in the primal. Neural Computation 19,
    1155-1178.
    """
    z, middle, low = _split_loss_regions(y_hat, y, h)
    with np.errstate(all="ignore"):
        shortfall = 1.0 + h - z[middle]
        z[middle] = _apply_weights(w, middle, shortfall * shortfall) / (4.0 * h)
        z[low] = _apply_weights(w, low, 1.0 - z[low])
    return z


def compute_huber_gradient(y_hat: Floats, y: Floats, h: float, w: Floats | None = None) -> Floats:
    """Return the derivative of `compute_huber_loss` with respect to the prediction, shape (n,)."""
    z, middle, low = _split_loss_regions(y_hat, y, h)
    with np.errstate(all="ignore"):
        z[middle] = _apply_weights(w, middle, -y[middle]) * (1.0 + h - z[middle]) / (2.0 * h)
        z[low] = _apply_weights(w, low, -y[low])
    return z


def _apply_weights(w: Floats | None, mask: Mask, values: Floats) -> Floats:
    return values if w is None else w[mask] * values


def _split_loss_regions(y_hat: Floats, y: Floats, h: float) -> tuple[Floats, Mask, Mask]:
    """Return y_hat y, set to 0 where the loss is flat, and masks of its quadratic and its linear part."""
    with np.errstate(all="ignore"):
        z = y_hat * y
        middle, low = np.abs(1.0 - z) <= h, z < 1.0 - h
        z[z > 1.0 + h] = 0.0
    return z, middle, low


def compute_l2_penalty(coeff: Floats) -> float:
    """Return half the squared norm of the coefficients."""
    return compute_dot_product(coeff, coeff) / 2.0


def compute_l2_gradient(coeff: Floats) -> Floats:
    """Return the derivative of `compute_l2_penalty`: the coefficients."""
    return coeff


def compute_sigmoid(x: Floats) -> Floats:
    """Return 1 / (1 + exp(-x)).

    >>> compute_sigmoid(np.array([0.0]))
    array([0.5])
    """
    value = np.asarray(r.exp(-x))
    value += 1.0
    return np.divide(1.0, value, out=value)


def compute_linear_gradient(X: Floats, coeff: object) -> Floats:
    """Return the derivatives of the linear predictor, shape (d, n)."""
    return X.T


def compute_logistic_probabilities(X: Floats, coeff: Floats) -> Floats:
    """Return the probabilities of a logistic model, shape (n,)."""
    return compute_sigmoid(compute_matrix_vector(X, coeff))


def compute_recycled_gradient(X: Floats, coeff: Floats) -> Floats:
    """Return DPpack's erroneous derivatives of the probabilities, shape (d, n).

    R multiplies the matrix X', column by column, by a vector of n slopes that is recycled after each n elements.
    With one column this is the derivative; with more it is not.
    """
    probability = compute_logistic_probabilities(X, coeff)
    slopes = probability * (1.0 - probability)
    rows, columns = X.shape
    return np.resize(slopes, rows * columns).reshape((columns, rows), order="F") * X.T
