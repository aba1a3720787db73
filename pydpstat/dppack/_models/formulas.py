"""Formulas of the models with R's operations in R's order: products, losses, links, penalties, objective.

Products are added as the reference BLAS adds them, which R uses: column by column, no FMA.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pydpstat import r_arithmetic as r
from pydpstat.errors import PydpstatError

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Slope = Callable[[Floats, npt.ArrayLike], Floats]

# with fewer rows one pass over all columns is faster than one for each
_FEW = 256


def matrix_vector(X: Floats, w: Floats) -> Floats:
    """Return X w, shape (n,): the columns' multiples added from first to last, fastest if column-major.

    >>> matrix_vector(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 10.0]))
    array([21., 43.])
    """
    with np.errstate(all="ignore"):
        if X.shape[0] < _FEW:
            return sums_of_rows(X * w)
        total = X[:, 0] * w[0]
        term = np.empty_like(total)
        for j in range(1, w.size):
            np.multiply(X[:, j], w[j], out=term)
            total += term
    return total


def sums_of_rows(terms: Floats) -> Floats:
    """Return each row's sum, added from first to last; `numpy.sum` adds in another order."""
    total: Floats = np.add.accumulate(terms, axis=1)[:, -1]
    return total


class RowProducts:
    """The products X' r for one matrix X and many vectors r, the rows' multiples added from first to last.

    X, of shape (n, d), is kept as it is where it is row-major.

    >>> RowProducts(np.array([[1.0, 2.0], [3.0, 4.0]]))(np.array([1.0, 10.0]))
    array([31., 42.])
    """

    def __init__(self, X: Floats) -> None:
        from scipy.sparse import bsr_matrix

        n, d = X.shape
        # a block a record: SciPy adds block after block, several times faster than NumPy row after row
        blocks = np.ascontiguousarray(X).reshape(n, d, 1)
        places = np.arange(n, dtype=np.int32), np.array([0, n], dtype=np.int32)
        self._blocks = bsr_matrix((blocks, *places), shape=(d, n))

    def __call__(self, r: Floats) -> Floats:
        """Return X' r, shape (d,), for `r` of shape (n,)."""
        product: Floats = self._blocks @ r
        return product


def dot(a: Floats, b: Floats) -> float:
    """Return the product of two vectors, added from first to last.

    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    total = 0.0
    for x, y in zip(a.tolist(), b.tolist()):
        total += x * y
    return total


def cross_entropy(y_hat: Floats, y: Floats) -> Floats:
    """Return -(y log(y_hat) + (1 - y) log(1 - y_hat)), shape (n,)."""
    with np.errstate(all="ignore"):
        yes = y == 1.0
        if (yes | (y == 0.0)).all() and np.shape(y) == np.shape(y_hat):
            # one logarithm is enough, but 0 times the other is NaN where that is infinite
            loss = np.negative(r.log(np.where(yes, y_hat, 1.0 - y_hat)))
            loss[y_hat == y] = np.nan
            return loss
        first = np.asarray(r.log(y_hat))
        first = y * first
        second = np.asarray(r.log(1.0 - y_hat))
        first = first + (1.0 - y) * second
        return np.negative(first)


def cross_entropy_gradient(y_hat: Floats, y: Floats) -> Floats:
    """Return -y / y_hat + (1 - y) / (1 - y_hat), shape (n,)."""
    with np.errstate(all="ignore"):
        return -y / y_hat + (1.0 - y) / (1.0 - y_hat)


def squared_error(y_hat: Floats, y: Floats) -> Floats:
    """Return (y_hat - y)^2 / 2, shape (n,)."""
    with np.errstate(over="ignore"):
        difference = y_hat - y
        return difference * difference / 2.0


def squared_error_gradient(y_hat: Floats, y: Floats) -> Floats:
    """Return y_hat - y, shape (n,)."""
    return y_hat - y


def huber(y_hat: Floats, y: Floats, h: float, w: Floats | None = None) -> Floats:
    """Return the Huber-smoothed hinge loss, shape (n,).

    With z = y_hat y it is 0 above 1 + h, 1 - z below 1 - h, and a parabola between.

    Chapelle, O. (2007). Training a support vector machine in the primal. Neural Computation 19,
    1155-1178.
    """
    z, middle, low = _regions(y_hat, y, h)
    with np.errstate(all="ignore"):
        rest = 1.0 + h - z[middle]
        z[middle] = _times(w, middle, rest * rest) / (4.0 * h)
        z[low] = _times(w, low, 1.0 - z[low])
    return z


def huber_gradient(y_hat: Floats, y: Floats, h: float, w: Floats | None = None) -> Floats:
    """Return the derivative of `huber` by the prediction, shape (n,)."""
    z, middle, low = _regions(y_hat, y, h)
    with np.errstate(all="ignore"):
        z[middle] = _times(w, middle, -y[middle]) * (1.0 + h - z[middle]) / (2.0 * h)
        z[low] = _times(w, low, -y[low])
    return z


def _times(w: Floats | None, mask: Mask, values: Floats) -> Floats:
    return values if w is None else w[mask] * values


def _regions(y_hat: Floats, y: Floats, h: float) -> tuple[Floats, Mask, Mask]:
    """Return y_hat y with 0 where the loss is flat, and masks of its parabola and of its slope."""
    with np.errstate(all="ignore"):
        z = y_hat * y
        middle, low = np.abs(1.0 - z) <= h, z < 1.0 - h
        z[z > 1.0 + h] = 0.0
    return z, middle, low


def l2(coeff: Floats) -> float:
    """Return half the squared length of the coefficients."""
    return dot(coeff, coeff) / 2.0


def l2_gradient(coeff: Floats) -> Floats:
    """Return the derivative of `l2`: the coefficients."""
    return coeff


def sigmoid(x: Floats) -> Floats:
    """Return 1 / (1 + exp(-x)).

    >>> sigmoid(np.array([0.0]))
    array([0.5])
    """
    value = np.asarray(r.exp(-x))
    value += 1.0
    return np.divide(1.0, value, out=value)


def linear_gradient(X: Floats, coeff: object) -> Floats:
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


@dataclass
class Objective:
    """Mean loss plus penalty plus noise: (sum(loss) + gamma penalty + b'w) / n + extra w'w / 2.

    `predict` takes coefficients to predictions, and `losses` these to losses, shape (n,). `loss_slope`
    is the gradient of the summed loss, shape (d,), by coefficients and predictions. `b` is the noise
    vector, shape (d,), zeros without noise. If `divided`, the added regularization is divided by n as
    well, and added before the noise.
    """

    n: int
    predict: Callable[[Floats], npt.ArrayLike]
    losses: Callable[[npt.ArrayLike], npt.ArrayLike]
    loss_slope: Slope | None
    penalty: Callable[[Floats], npt.ArrayLike]
    penalty_slope: Callable[[Floats], npt.ArrayLike] | None
    gamma: float
    extra: float
    b: Floats
    divided: bool = False

    def __post_init__(self) -> None:
        self._at: Floats | None = None
        self._predicted: npt.ArrayLike = self.b

    def value(self, w: Floats) -> float:
        """Return the objective."""
        total = float(r.sum(self.losses(self._prediction(w)))) / self.n
        penalty = float(np.asarray(self.penalty(w), dtype=np.float64).reshape(()))
        total += self.gamma * penalty / self.n
        # operations in R's order
        if self.divided:
            total += self.extra * dot(w, w) / (2.0 * self.n)
            return total + dot(self.b, w) / self.n
        total += dot(self.b, w) / self.n
        return total + self.extra * dot(w, w) / 2.0

    @property
    def gradient(self) -> Callable[[Floats], Floats] | None:
        """The gradient as a function; None where a part of it is not given."""
        if self.loss_slope is None or self.penalty_slope is None:
            return None
        loss_slope, penalty_slope = self.loss_slope, self.penalty_slope

        def gradient(w: Floats) -> Floats:
            slopes = loss_slope(w, self._prediction(w)) / self.n
            slopes = slopes + self.gamma * np.asarray(penalty_slope(w), dtype=np.float64) / self.n
            added = self.extra * w
            return slopes + self.b / self.n + (added / self.n if self.divided else added)

        return gradient

    def _prediction(self, w: Floats) -> npt.ArrayLike:
        # the minimizer asks for value and gradient at the same array, and numeric gradients change theirs
        if self.loss_slope is None or self.penalty_slope is None:
            return self.predict(w)
        if self._at is not w:
            self._at, self._predicted = w, self.predict(w)
        return self._predicted


def summed_slope(
    X: Floats,
    derivatives: Callable[[Floats], npt.ArrayLike] | None,
    slopes: Callable[[npt.ArrayLike], Floats],
    strict: bool = False,
) -> Slope:
    """Return the gradient of the summed loss as a function of coefficients and predictions.

    `derivatives` takes coefficients to the predictions' derivatives, shape (d, n), and is None where they
    are X transposed; `slopes` takes predictions to the losses' derivatives, shape (n,). If `strict`, a
    wrong shape is an error of the function that returns it.
    """
    products = RowProducts(X) if derivatives is None else None

    def slope(coeff: Floats, y_hat: npt.ArrayLike) -> Floats:
        by_record = slopes(y_hat)
        matrix = X.T if derivatives is None else np.asarray(derivatives(coeff), dtype=np.float64)
        if strict and (matrix.shape != X.shape[::-1] or by_record.size != X.shape[0]):
            raise PydpstatError(
                f"mapXy_gr must return an array of shape {X.shape[::-1]} and loss_gr {X.shape[0]} numbers; "
                f"got {matrix.shape} and {by_record.size}."
            )
        return (products or RowProducts(matrix.T))(by_record)

    return slope
