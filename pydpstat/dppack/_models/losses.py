"""DPpack's losses and their derivatives under R's names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat.dppack._models import formulas
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic._arrays import to_doubles
from pydpstat.r_arithmetic.elementary import Floats


@explain_wrong_calls
def loss_cross_entropy(y_hat: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
    """Return the cross entropy of predicted probabilities.

    R's function is ``DPpack::loss.cross.entropy``.

    Parameters
    ----------
    y_hat : array_like of shape (n,)
        Predicted probabilities of label 1.
    y : array_like of shape (n,)
        Labels 0 or 1.

    Returns
    -------
    ndarray of shape (n,)
        One loss per record; NaN where a certain prediction meets 0 times infinity, as in R.

    Raises
    ------
    PydpstatError
        If the two are not numbers of the same length.

    See Also
    --------
    loss_gr_cross_entropy : its gradient.
    LogisticRegressionDP : the model that uses it.

    References
    ----------
    Chaudhuri, K., Monteleoni, C. and Sarwate, A. D. (2011). Differentially private empirical risk
    minimization. Journal of Machine Learning Research 12, 1069-1109.

    Examples
    --------
    >>> from pydpstat.dppack import loss_cross_entropy
    >>> loss_cross_entropy([0.1, 0.88], [0, 1]).round(4)
    array([0.1054, 0.1278])
    """
    return formulas.compute_cross_entropy(*_read_predictions_and_labels(y_hat, y))


@explain_wrong_calls
def loss_gr_cross_entropy(y_hat: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
    """Return the derivative of the cross entropy with respect to the prediction.

    R's function is ``DPpack::loss.gr.cross.entropy``.

    Parameters
    ----------
    y_hat : array_like of shape (n,)
        Predicted probabilities of label 1.
    y : array_like of shape (n,)
        Labels 0 or 1.

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    PydpstatError
        If the two are not numbers of the same length.

    See Also
    --------
    loss_cross_entropy : the loss.
    LogisticRegressionDP : the model that uses it.

    References
    ----------
    Chaudhuri, K., Monteleoni, C. and Sarwate, A. D. (2011). Differentially private empirical risk
    minimization. Journal of Machine Learning Research 12, 1069-1109.

    Examples
    --------
    >>> from pydpstat.dppack import loss_gr_cross_entropy
    >>> loss_gr_cross_entropy([0.5, 0.5], [0, 1])
    array([ 2., -2.])
    """
    return formulas.compute_cross_entropy_gradient(*_read_predictions_and_labels(y_hat, y))


@explain_wrong_calls
def loss_squared_error(y_hat: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
    """Return half the squared error, as ``DPpack::loss.squared.error``.

    Parameters
    ----------
    y_hat, y : array_like of shape (n,)
        Predictions and values.

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    PydpstatError
        If the two are not numbers of the same length.

    See Also
    --------
    loss_gr_squared_error : its gradient.
    LinearRegressionDP : the model that uses it.

    References
    ----------
    Kifer, D., Smith, A. and Thakurta, A. (2012). Private convex empirical risk minimization and
    high-dimensional regression. Proceedings of the 25th Annual Conference on Learning Theory.

    Examples
    --------
    >>> from pydpstat.dppack import loss_squared_error
    >>> loss_squared_error([1.0, 3.0], [0.0, 1.0])
    array([0.5, 2. ])
    """
    return formulas.compute_squared_error(*_read_predictions_and_labels(y_hat, y))


@explain_wrong_calls
def loss_gr_squared_error(y_hat: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
    """Return the derivative of half the squared error in the prediction.

    R's function is ``DPpack::loss.gr.squared.error``.

    Parameters
    ----------
    y_hat, y : array_like of shape (n,)
        Predictions and values.

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    PydpstatError
        If the two are not numbers of the same length.

    See Also
    --------
    loss_squared_error : the loss.
    LinearRegressionDP : the model that uses it.

    References
    ----------
    Kifer, D., Smith, A. and Thakurta, A. (2012). Private convex empirical risk minimization and
    high-dimensional regression. Proceedings of the 25th Annual Conference on Learning Theory.

    Examples
    --------
    >>> from pydpstat.dppack import loss_gr_squared_error
    >>> loss_gr_squared_error([1.0, 3.0], [0.0, 1.0])
    array([1., 2.])
    """
    return formulas.compute_squared_error_gradient(*_read_predictions_and_labels(y_hat, y))


@explain_wrong_calls
def generate_loss_huber(h: float) -> Callable[..., Floats]:
    """Return the Huber-smoothed hinge loss with half-width h.

    R's function is ``DPpack::generate.loss.huber``.

    Parameters
    ----------
    h : float
        Half-width of the parabola that replaces the hinge's corner.

    Returns
    -------
    callable
        ``huber(y_hat, y, w=None)`` with predictions, labels -1 and 1, and weights (1 by default);
        returns an ndarray of shape (n,).

    Raises
    ------
    PydpstatError
        If `h` is not a number; by the returned function, if lengths differ.

    See Also
    --------
    generate_loss_gr_huber : its gradient.
    svmDP : the model that uses it.

    References
    ----------
    Chapelle, O. (2007). Training a support vector machine in the primal. Neural Computation 19,
    1155-1178.

    Examples
    --------
    >>> from pydpstat.dppack import generate_loss_huber
    >>> generate_loss_huber(0.5)([-0.5, 1.2], [-1, 1])
    array([0.5  , 0.045])
    """
    return _HuberFunction("generate_loss_huber", formulas.compute_huber_loss, checks.check_scalar(h, "h"))


@explain_wrong_calls
def generate_loss_gr_huber(h: float) -> Callable[..., Floats]:
    """Return the derivative of the Huber-smoothed hinge loss.

    R's function is ``DPpack::generate.loss.gr.huber``.

    Parameters
    ----------
    h : float
        Half-width of the parabola that replaces the hinge's corner.

    Returns
    -------
    callable
        ``huber(y_hat, y, w=None)``, as for `generate_loss_huber`: the derivative with respect to the
        prediction.

    Raises
    ------
    PydpstatError
        If `h` is not a number; by the returned function, if lengths differ.

    See Also
    --------
    generate_loss_huber : the loss.
    svmDP : the model that uses it.

    References
    ----------
    Chapelle, O. (2007). Training a support vector machine in the primal. Neural Computation 19,
    1155-1178.

    Examples
    --------
    >>> from pydpstat.dppack import generate_loss_gr_huber
    >>> generate_loss_gr_huber(1)([-0.5, 3.0], [-1, 1])
    array([0.75, 0.  ])
    """
    return _HuberFunction("generate_loss_gr_huber", formulas.compute_huber_gradient, checks.check_scalar(h, "h"))


def _read_predictions_and_labels(y_hat: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Floats, Floats]:
    predicted, labels = to_doubles(y_hat, "y_hat"), to_doubles(y, "y")
    if predicted.size != labels.size:
        raise PydpstatError(f"y_hat and y must have the same length; got {predicted.size} and {labels.size}.")
    return predicted, labels


@dataclass(frozen=True, slots=True, repr=False)
class _HuberFunction:
    """Huber loss or its derivative with a half-width; a class, since closures cannot be pickled."""

    generator: str
    function: Callable[..., Floats]
    h: float

    __name__ = "huber"

    def __call__(self, y_hat: npt.ArrayLike, y: npt.ArrayLike, w: npt.ArrayLike | None = None) -> Floats:
        """Return one number per record, shape (n,)."""
        predicted, labels = _read_predictions_and_labels(y_hat, y)
        weights = None if w is None else to_doubles(w, "w")
        if weights is not None and weights.size != labels.size:
            raise PydpstatError(
                f"Weight vector w must be same length as label vector y; got {weights.size} and {labels.size}."
            )
        return self.function(predicted, labels, self.h, weights)

    def __repr__(self) -> str:
        return f"{self.generator}({self.h!r})"


# counterparts for checked arrays; keys are identities, as a user's callable may be unhashable
UNCHECKED_LOSSES: dict[int, Callable[[Floats, Floats], Floats]] = {
    id(loss_cross_entropy): formulas.compute_cross_entropy,
    id(loss_gr_cross_entropy): formulas.compute_cross_entropy_gradient,
    id(loss_squared_error): formulas.compute_squared_error,
    id(loss_gr_squared_error): formulas.compute_squared_error_gradient,
}
