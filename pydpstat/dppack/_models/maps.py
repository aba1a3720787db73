"""DPpack's regularizers and prediction maps under R's names."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pydpstat._answering import explain_wrong_calls
from pydpstat.dppack._models import formulas
from pydpstat.dppack._models.records import build_design_matrix
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic._arrays import to_doubles
from pydpstat.r_arithmetic.elementary import Floats


@explain_wrong_calls
def regularizer_l2(coeff: npt.ArrayLike) -> float:
    """Return half the squared norm of the coefficients.

    Parameters
    ----------
    coeff : array_like of shape (d,)

    Returns
    -------
    float

    Raises
    ------
    PydpstatError
        If the coefficients are not numbers.

    See Also
    --------
    regularizer_gr_l2 : its gradient.
    LogisticRegressionDP, LinearRegressionDP : models that use it.

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
    return formulas.compute_l2_penalty(to_doubles(coeff, "coeff"))


@explain_wrong_calls
def regularizer_gr_l2(coeff: npt.ArrayLike) -> Floats:
    """Return the gradient of `regularizer_l2`, the coefficients.

    R's function is ``DPpack::regularizer.gr.l2``.

    Parameters
    ----------
    coeff : array_like of shape (d,)

    Returns
    -------
    ndarray of shape (d,)

    Raises
    ------
    PydpstatError
        If the coefficients are not numbers.

    See Also
    --------
    regularizer_l2 : the regularizer.
    LogisticRegressionDP, LinearRegressionDP : models that use it.

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
    return formulas.compute_l2_gradient(to_doubles(coeff, "coeff"))


@explain_wrong_calls
def mapXy_linear(X: npt.ArrayLike, coeff: npt.ArrayLike) -> Floats:
    """Return the linear predictor X coeff, as ``DPpack::mapXy.linear``.

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
        If the columns do not match the coefficients.

    See Also
    --------
    mapXy_gr_linear : its gradient.
    LinearRegressionDP : the model that uses it.

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
    return formulas.compute_matrix_vector(*_read_matrix_and_coeff(X, coeff))


@explain_wrong_calls
def mapXy_gr_linear(X: npt.ArrayLike, coeff: npt.ArrayLike) -> Floats:
    """Return the derivatives of the linear predictor, X transposed.

    R's function is ``DPpack::mapXy.gr.linear``.

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
        If X is not a matrix of numbers.

    See Also
    --------
    mapXy_linear : the map.
    LinearRegressionDP : the model that uses it.

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
    return formulas.compute_linear_gradient(build_design_matrix(X)[0], coeff)


@explain_wrong_calls
def mapXy_sigmoid(X: npt.ArrayLike, coeff: npt.ArrayLike) -> Floats:
    """Return the probabilities of a logistic model, as ``DPpack::mapXy.sigmoid``.

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
        If the columns do not match the coefficients.

    See Also
    --------
    mapXy_gr_sigmoid : its gradient.
    LogisticRegressionDP : the model that uses it.

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
    return formulas.compute_logistic_probabilities(*_read_matrix_and_coeff(X, coeff))


@explain_wrong_calls
def mapXy_gr_sigmoid(X: npt.ArrayLike, coeff: npt.ArrayLike) -> Floats:
    """Return DPpack's derivatives of `mapXy_sigmoid`, wrong for several columns.

    R's function is ``DPpack::mapXy.gr.sigmoid``.

    R recycles the n slopes along the columns of X transposed. With one coefficient these are the
    derivatives; with more they are not, and a model that is given this function warns.

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
        If the columns do not match the coefficients.

    See Also
    --------
    mapXy_sigmoid : the map.
    LogisticRegressionDP : the model that uses it.

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
    return formulas.compute_recycled_gradient(*_read_matrix_and_coeff(X, coeff))


def _read_matrix_and_coeff(X: npt.ArrayLike, coeff: npt.ArrayLike) -> tuple[Floats, Floats]:
    matrix = X if type(X) is np.ndarray and X.ndim == 2 and X.dtype == np.float64 else build_design_matrix(X)[0]
    weights = to_doubles(coeff, "coeff")
    if matrix.shape[1] != weights.size or not weights.size:
        raise PydpstatError(
            f"coeff must have one element for each column of X; got {weights.size} and {matrix.shape[1]}."
        )
    return matrix, weights


# counterparts for checked arrays; keys are identities, as a user's callable may be unhashable
UNCHECKED_MAPS: dict[int, Callable[[Floats, Floats], Floats]] = {
    id(mapXy_linear): formulas.compute_matrix_vector,
    id(mapXy_gr_linear): formulas.compute_linear_gradient,
    id(mapXy_sigmoid): formulas.compute_logistic_probabilities,
    id(mapXy_gr_sigmoid): formulas.compute_recycled_gradient,
}
UNCHECKED_REGULARIZERS: dict[int, Callable[[Floats], npt.ArrayLike]] = {
    id(regularizer_l2): formulas.compute_l2_penalty,
    id(regularizer_gr_l2): formulas.compute_l2_gradient,
}
