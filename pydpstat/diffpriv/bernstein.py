"""Bernstein polynomials: approximation of a function on the unit cube, and its evaluation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat import r_arithmetic as r
from pydpstat._answering import explain_wrong_calls
from pydpstat._data.containers import has_columns
from pydpstat._frozen import ReadOnlyArrays
from pydpstat.diffpriv._given import Function, check_natural_number, check_returned_number
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.distributions import dbinom
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.r_arithmetic.moments import HAS_80_BIT

# largest number of values of basis polynomials that are computed at a time
_CHUNK_SIZE = 2_000_000
# largest lattice: each point is one call of the function, and takes 16 bytes per coordinate
_MAX_LATTICE_POINTS = 10_000_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Bernstein(ReadOnlyArrays):
    """Polynomial in Bernstein form, made by `bernstein` or released by a `DPMechBernstein`.

    Parameters
    ----------
    dims : int
        Number of coordinates.
    k : int
        Degree in each coordinate.
    coeffs : ndarray of shape ((k + 1) ** dims,)
        Coefficients at the points of the lattice, the first coordinate fastest.

    Examples
    --------
    >>> from pydpstat import bernstein
    >>> b = bernstein(lambda x: x * x, dims=1, k=2)
    >>> b.coeffs
    array([0.  , 0.25, 1.  ])
    >>> b(0.5)
    0.375
    """

    dims: int
    k: int
    coeffs: Floats

    def predict(self, D: npt.ArrayLike) -> float | Floats:
        """Evaluate the polynomial: see `pydpstat.diffpriv.predict`."""
        return predict(self, D)

    __call__ = predict

    def __repr__(self) -> str:
        return f"Bernstein(dims={self.dims}, k={self.k}, {self.coeffs.size} coefficients)"


@explain_wrong_calls
def bernstein(f: Function, dims: int, k: int = 10) -> Bernstein:
    """Approximate a function on the unit cube by a Bernstein polynomial.

    R's function is ``diffpriv::bernstein``.

    Parameters
    ----------
    f : callable
        Function of a point: a float if `dims` is 1, else an array of `dims` numbers.
    dims : int
        Number of coordinates; at least 1.
    k : int, default 10
        Degree in each coordinate; at least 1. The function is evaluated at (k + 1) ** dims points.

    Returns
    -------
    Bernstein
        Call it, or its ``predict``, with points.

    Raises
    ------
    PydpstatError
        If an argument is invalid, or `f` does not return one number.

    See Also
    --------
    DPMechBernstein : its private release.
    pydpstat.diffpriv.predict : evaluation of the polynomial.

    Notes
    -----
    The result is not private: the coefficients are values of the function.

    References
    ----------
    Alda, F. and Rubinstein, B. I. P. (2017). The Bernstein mechanism: function release under
    differential privacy. AAAI 2017.

    Examples
    --------
    >>> from pydpstat import bernstein
    >>> b = bernstein(lambda y: y[0] * y[1], dims=2, k=3)
    >>> round(b.predict([0.5, 0.2]), 12)
    0.1
    """
    if not callable(f):
        raise PydpstatError(f"f must be a function; got {checks.describe_value(f)}. Give for example math.sin.")
    dims, k = check_natural_number(dims, "dims"), check_natural_number(k, "k")
    check_lattice_size(dims, k, "k")
    return Bernstein(dims, k, evaluate_on_lattice(f, dims, k))


@explain_wrong_calls
def predict(object: Bernstein, D: npt.ArrayLike) -> float | Floats:
    """Evaluate a Bernstein polynomial, as R's ``predict`` on a bernstein object.

    Parameters
    ----------
    object : Bernstein
        The polynomial.
    D : float or array_like
        Points in the unit cube: a number or a vector of numbers if `dims` is 1; one point of
        `dims` numbers, or a matrix with a point in each row.

    Returns
    -------
    float or ndarray of shape (n,)
        A float for one point that is not a row of a matrix; otherwise a value for each point.

    Raises
    ------
    PydpstatError
        If `object` is something else, or a point is not in the unit cube.

    See Also
    --------
    bernstein : the polynomial.

    References
    ----------
    Lorentz, G. G. (1986). Bernstein polynomials. Chelsea, second edition.

    Examples
    --------
    >>> from pydpstat.diffpriv import bernstein, predict
    >>> predict(bernstein(lambda x: x * x, dims=1, k=2), [0.0, 0.5, 1.0])
    array([0.   , 0.375, 1.   ])
    """
    if not isinstance(object, Bernstein):
        raise PydpstatError(
            f"object must be a Bernstein polynomial; got {type(object).__name__}. Create one with bernstein()."
        )
    points, single = _read_points(D, object.dims)
    step = max(1, _CHUNK_SIZE // object.coeffs.size)
    values = np.concatenate(
        [np.empty(0)] + [_evaluate_polynomial(object, points[i : i + step]) for i in range(0, len(points), step)]
    )
    return float(values[0]) if single else values


def check_lattice_size(dims: int, k: int, name: str) -> None:
    """Check that a lattice of degree `k`, the argument `name`, is small enough to be evaluated."""
    # a product with a float would overflow for a huge number of dimensions
    if dims > math.log2(_MAX_LATTICE_POINTS) / math.log2(k + 1):
        raise PydpstatError(
            f"{name} and dims must yield at most {_MAX_LATTICE_POINTS:g} lattice points, ({name} + 1)^dims; "
            f"got {name}={checks.describe_value(k)} and dims={checks.describe_value(dims)}. Give smaller ones."
        )


def evaluate_on_lattice(f: Function, dims: int, k: int) -> Floats:
    """Evaluate a function at the points of a lattice of checked size, the first coordinate fastest."""
    if dims == 1:
        return np.array([_check_function_value(f(i / k)) for i in range(k + 1)])
    return np.array([_check_function_value(f(point)) for point in _build_lattice(dims, k) / k])


def _build_lattice(dims: int, k: int) -> npt.NDArray[np.int64]:
    """Return the coordinates of the points in steps, shape ((k + 1) ** dims, dims)."""
    return np.indices((k + 1,) * dims).reshape(dims, -1)[::-1].T


def _check_function_value(value: object) -> float:
    wrong = "the function must return one number at each point; it returned"
    return check_returned_number(value, wrong, "R would recycle several numbers.")


def _read_points(D: object, dims: int) -> tuple[Floats, bool]:
    """Read points as rows, and return whether it is one point that was not given as a row."""
    values = checks.to_array(D)
    if values.dtype.kind not in "fiu" or has_columns(D) or values.ndim > 2:
        raise PydpstatError(
            f"D must be numbers in [0, 1]; got {type(D).__name__}. Give a number, a vector or a matrix."
        )
    if not ((values >= 0) & (values <= 1)).all():
        raise PydpstatError("D must have numbers in [0, 1], none missing. Rescale it.")
    values = values.astype(np.float64)
    if values.ndim == 2:
        if values.shape[1] != dims:
            raise PydpstatError(f"D must have {dims} columns, one for each coordinate; got {values.shape[1]}.")
        return values, False
    if dims == 1:
        return values.reshape(-1, 1), values.ndim == 0
    if values.size != dims:
        raise PydpstatError(f"D must be one point of {dims} numbers, or a matrix of {dims} columns; got {values.size}.")
    return values.reshape(1, dims), True


def _evaluate_polynomial(polynomial: Bernstein, points: Floats) -> Floats:
    """Return the sums of coefficients times basis polynomials, in R's order and precision."""
    weights = dbinom(polynomial.k, points[:, 0])
    if polynomial.dims > 1:
        steps = _build_lattice(polynomial.dims, polynomial.k)
        product = np.ones((len(steps), len(points)), dtype=np.longdouble)
        for i in range(polynomial.dims):
            product *= dbinom(polynomial.k, points[:, i])[steps[:, i]]
        weights = product.astype(np.float64)
    weights *= polynomial.coeffs[:, np.newaxis]
    if not HAS_80_BIT or weights.shape[0] > weights.shape[1]:
        return np.array([r.sum(column) for column in np.ascontiguousarray(weights.T)])
    total = np.zeros(len(points), dtype=np.longdouble)
    for row in weights:
        total += row
    return total.astype(np.float64)
