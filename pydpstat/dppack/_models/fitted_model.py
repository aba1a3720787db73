"""Base of DPpack's models: functions to minimize, fitted coefficients, predictions and copies."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import HelpfulErrors
from pydpstat.dppack._models.formulas import compute_matrix_vector, compute_sigmoid
from pydpstat.dppack._models.kernels import FourierFeatures
from pydpstat.dppack._models.maps import mapXy_gr_linear, mapXy_gr_sigmoid, regularizer_gr_l2, regularizer_l2
from pydpstat.dppack._models.minimizers import GradientFunction, make_summed_gradient
from pydpstat.dppack._models.records import FitRecords, read_predictors, read_response
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results.model_results import ModelResults

# map, loss, regularizer or the gradient of one, of the user or of this package
Function = Callable[..., npt.ArrayLike]


class FittedModel(HelpfulErrors):
    """Model with coefficients that minimize losses and a regularizer.

    Attributes
    ----------
    mapXy, mapXy_gr, loss, loss_gr, regularizer, regularizer_gr : callable or None
        As given; the functions of ``"l2"`` where that was given.
    coeff : ndarray of shape (d,) or None
        The released coefficients, after `fit`.
    results : ModelResults or None
        Result of the last `fit`.
    """

    coeff: Floats | None = None
    results: ModelResults | None = None

    def __init__(
        self,
        mapXy: Function,
        mapXy_gr: Function | None,
        loss: Function,
        loss_gr: Function | None,
        regularizer: str | Function,
        regularizer_gr: Function | None,
    ) -> None:
        self.mapXy, self.mapXy_gr = mapXy, mapXy_gr
        self.loss, self.loss_gr = loss, loss_gr
        if isinstance(regularizer, str) and regularizer == "l2":
            regularizer, regularizer_gr = regularizer_l2, regularizer_gr_l2
        if not callable(regularizer):
            raise PydpstatError(
                "regularizer must be one of {'l2'}, or a function; got "
                f"{checks.describe_option(regularizer)}. Give 'l2', or a function of the coefficients."
            )
        self.regularizer: Function = regularizer
        self.regularizer_gr = regularizer_gr

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: not fitted>" if self.results is None else repr(self.results)

    def __str__(self) -> str:
        return repr(self) if self.results is None else str(self.results)

    def predict(self, X: npt.ArrayLike, add_bias: bool = False) -> Floats:
        """Predict new records with the fitted coefficients: ``mapXy(X, coeff)``.

        Parameters
        ----------
        X : DataFrame or array_like of shape (m, p)
            New records; they are not clipped.
        add_bias : bool, default False
            Whether to put a column of ones in front; True if the model was fitted with one.

        Returns
        -------
        ndarray of shape (m,)

        Raises
        ------
        PydpstatError
            Before `fit`, and where the columns do not match the coefficients.

        Examples
        --------
        >>> from pydpstat import RRandom, dppack
        >>> model = dppack.EmpiricalRiskMinimizationDP_CMS(
        ...     dppack.mapXy_linear, dppack.loss_squared_error, "l2", 1.0, 1.0, "output"
        ... )
        >>> r = model.fit([[0.2], [0.4]], [0, 1], [1], [0], rng=RRandom(123))
        >>> model.predict([[0.0]])
        array([0.])
        """
        return np.asarray(
            self.mapXy(read_predictors(X, checks.check_boolean(add_bias, "add_bias")), self._require_coefficients())
        )

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Return the constructor's arguments by name, with the current values of the fields.

        scikit-learn's ``clone`` makes an unfitted model from them.

        Parameters
        ----------
        deep : bool, default True
            Has no effect: no argument has arguments.

        Returns
        -------
        dict

        Examples
        --------
        >>> from pydpstat import LogisticRegressionDP
        >>> model = LogisticRegressionDP("l2", 1.0, 1.0)
        >>> model.eps = 2.0
        >>> model.get_params()["regularizer"], model.get_params()["eps"]
        ('l2', 2.0)
        """
        fields = vars(self)
        names = inspect.signature(type(self)).parameters
        params: dict[str, object] = {name: fields.get(name, fields.get(f"_{name}")) for name in names}
        if self.regularizer is regularizer_l2 and self.regularizer_gr is regularizer_gr_l2:
            params |= {"regularizer": "l2", "regularizer_gr": None}
        return params

    def clone(self, deep: bool = False) -> Self:
        """Return a copy of the model; a later fit of one does not change the other.

        Parameters
        ----------
        deep : bool, default False
            Has no effect, as in R: the fields are values and functions.

        Examples
        --------
        >>> from pydpstat import dppack
        >>> dppack.LogisticRegressionDP("l2", 1.0, 1.0).clone().eps
        1.0
        """
        copied = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                setattr(copied, name, value.copy())
        return copied

    def _has_gradients(self) -> bool:
        return None not in (self.mapXy_gr, self.loss_gr, self.regularizer_gr)

    def _has_wrong_gradient(self, size: int) -> bool:
        return size > 1 and self.mapXy_gr is mapXy_gr_sigmoid and self._has_gradients()

    def _make_loss_gradient(
        self, records: FitRecords, loss_arguments: tuple[Floats | None, ...] = (), strict: bool = False
    ) -> GradientFunction | None:
        """Return the gradient of the summed loss; `loss_arguments` are further arguments of the loss."""
        mapXy_gr, loss_gr = self.mapXy_gr, self.loss_gr
        if mapXy_gr is None or loss_gr is None:
            return None
        gradient = loss_gr
        return make_summed_gradient(
            records.X,
            None if mapXy_gr is mapXy_gr_linear else partial(mapXy_gr, records.X),
            lambda y_hat: np.asarray(gradient(y_hat, records.y, *loss_arguments), dtype=np.float64).ravel(),
            strict,
        )

    def _require_coefficients(self) -> Floats:
        if self.coeff is None:
            raise PydpstatError(f"{type(self).__name__} has no coefficients yet; call fit first.")
        return np.asarray(self.coeff, dtype=np.float64)


class Classifier(FittedModel):
    """Model whose predictions are labels 0 and 1."""

    def score(self, X: npt.ArrayLike, y: npt.ArrayLike, add_bias: bool = False) -> float:
        """Return the share of records whose label is predicted correctly.

        It is computed from the records themselves: it is not private, and not part of the guarantee. R has no
        such method; it exists for scikit-learn.

        Parameters
        ----------
        X : DataFrame or array_like of shape (m, p)
            Records, as for `predict`.
        y : array_like of shape (m,)
            Their labels, 0 and 1.
        add_bias : bool, default False
            As for `predict`.

        Returns
        -------
        float
            From 0 to 1.

        Raises
        ------
        PydpstatError
            Before `fit`, and where the columns or the numbers of records do not match.

        Examples
        --------
        >>> from pydpstat import LogisticRegressionDP, RRandom
        >>> model = LogisticRegressionDP("l2", 2.0, 1.0)
        >>> X, y = [[0.2], [0.4], [0.7], [0.9]], [0, 0, 1, 1]
        >>> r = model.fit(X, y, [1], [0], rng=RRandom(123))
        >>> model.score(X, y)
        0.5
        """
        return float(np.mean(np.equal(*check_predictions(self.predict(X, add_bias), y))))


def check_predictions(predicted: Floats, y: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return predictions and responses, checked to have equal lengths."""
    response = read_response(y)
    if response.size != predicted.size:
        raise PydpstatError(f"X and y must have the same number of records; got {predicted.size} and {response.size}.")
    return predicted, response


@dataclass(frozen=True, slots=True)
class Prediction:
    """Map from records, or from their features, and coefficients to predictions.

    `link` is "linear" or "sigmoid". `decision` determines labels 0 and 1: "round" rounds the value, half
    to even, and "sign" takes its sign (a score of exactly 0 is label 0); None for no labels.

    >>> Prediction("linear", "sign")([[1.0, -2.0], [3.0, 1.0]], np.array([1.0, 1.0]))
    array([0., 1.])
    """

    link: str
    decision: str | None = None
    features: FourierFeatures | None = None

    def __call__(self, X: npt.ArrayLike, coeff: Floats, *, add_bias: bool = False, raw_value: bool = False) -> Floats:
        """Return the predictions, shape (m,)."""
        records = read_predictors(X, add_bias)
        if self.features is not None:
            records = self.features.compute_features(records)
        if records.shape[1] != coeff.size:
            raise PydpstatError(
                f"X must have {coeff.size} columns, including the bias, one for each coefficient; got "
                f"{records.shape[1]}. Set add_bias as in fit."
            )
        value = compute_matrix_vector(records, coeff)
        if self.link == "sigmoid":
            value = compute_sigmoid(value)
        if raw_value or self.decision is None:
            return value
        if self.decision == "round":
            return np.rint(value)
        return np.where(np.isnan(value), np.nan, value > 0.0).astype(np.float64)
