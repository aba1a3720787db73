"""Maps from predictors and coefficients to predictions, and their gradients, as DPpack computes them."""

from __future__ import annotations

import numpy as np

from pydpstat import r_arithmetic as r
from pydpstat.models.linear_algebra import Floats, matrix_vector


def sigmoid(x: Floats) -> Floats:
    """Return 1 / (1 + exp(-x)).

    Examples
    --------
    >>> from pydpstat.models.maps import sigmoid
    >>> sigmoid(np.array([0.0]))
    array([0.5])
    """
    value = np.asarray(r.exp(-x))
    value += 1.0
    return np.divide(1.0, value, out=value)


def linear(X: Floats, coeff: Floats) -> Floats:
    """Return the linear predictor, shape (n,)."""
    return matrix_vector(X, coeff)


def linear_gradient(X: Floats, coeff: Floats) -> Floats:
    """Return the linear predictor's derivatives, shape (d, n)."""
    return X.T


def logistic(X: Floats, coeff: Floats) -> Floats:
    """Return the probabilities of a logistic model, shape (n,)."""
    return sigmoid(matrix_vector(X, coeff))


def logistic_gradient_recycled(X: Floats, coeff: Floats) -> Floats:
    """Return what DPpack takes for the probabilities' derivatives, shape (d, n).

    R multiplies the matrix X', column by column, by a vector of n slopes that it starts again
    after each n elements. With one column this is the derivative; with more it is not.
    """
    probability = logistic(X, coeff)
    slopes = probability * (1.0 - probability)
    rows, columns = X.shape
    return np.resize(slopes, rows * columns).reshape((columns, rows), order="F") * X.T
