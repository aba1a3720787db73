"""What every model of DPpack has: functions to minimise, fitted coefficients, predictions, copies."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from pydpstat import _checks as checks
from pydpstat.dppack._models.design import as_records
from pydpstat.dppack._models.helpers import mapXy_gr_sigmoid, mapXy_linear, regularizer_gr_l2, regularizer_l2
from pydpstat.dppack._models.linear_algebra import Floats
from pydpstat.dppack._models.prediction import Prediction
from pydpstat.errors import PydpstatError
from pydpstat.results.model_results import ModelResults


class FittedModel:
    """A model with coefficients that minimise losses and a regularizer.

    Attributes
    ----------
    mapXy, mapXy_gr, loss, loss_gr, regularizer, regularizer_gr : callable or None
        As given; the functions of ``"l2"`` where that was given.
    coeff : ndarray of shape (d,) or None
        The released coefficients, after `fit`.
    results : ModelResults or None
        What the last `fit` returned.
    """

    coeff: Floats | None = None
    results: ModelResults | None = None
    # what the guarantee needs of an own regularizer
    _penalty: str

    def __init__(
        self,
        mapXy: Callable[..., Any],
        mapXy_gr: Callable[..., Any] | None,
        loss: Callable[..., Any],
        loss_gr: Callable[..., Any] | None,
        regularizer: str | Callable[..., Any],
        regularizer_gr: Callable[..., Any] | None,
    ) -> None:
        self.mapXy, self.mapXy_gr = mapXy, mapXy_gr
        self.loss, self.loss_gr = loss, loss_gr
        if isinstance(regularizer, str) and regularizer == "l2":
            regularizer, regularizer_gr = regularizer_l2, regularizer_gr_l2
        if not callable(regularizer):
            raise PydpstatError(
                f"regularizer must be one of {{'l2'}}, or a function; got {checks.shown_option(regularizer)}."
            )
        self.regularizer: Callable[..., Any] = regularizer
        self.regularizer_gr = regularizer_gr

    def predict(self, X: Any, add_bias: bool = False) -> Floats:
        """Predict new records with the fitted coefficients: ``mapXy(X, coeff)``.

        Parameters
        ----------
        X : DataFrame or array_like of shape (m, p)
            New records; they are not clipped.
        add_bias : bool, default False
            Whether to put a column of ones in front; True where the model was fitted so.

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
        return np.asarray(self.mapXy(as_records(X, checks.flag(add_bias, "add_bias")), self._fitted()))

    def clone(self, deep: bool = False) -> Self:
        """Return a copy of the model; a later fit of one leaves the other as it is.

        Parameters
        ----------
        deep : bool, default False
            Makes no difference here, as in R: the fields are values and functions.

        Examples
        --------
        >>> from pydpstat import dppack
        >>> dppack.LogisticRegressionDP("l2", 1.0, 1.0).clone().eps
        1.0
        """
        other = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                setattr(other, name, value.copy())
        return other

    @property
    def _l2(self) -> bool:
        return self.regularizer is regularizer_l2

    def _regularizer(self) -> Any:
        return "l2" if self._l2 else self.regularizer

    def _own_gradient(self) -> tuple[tuple[str, Any], ...]:
        """Return the argument regularizer_gr, which "l2" does not need."""
        return () if self._l2 else (("regularizer_gr", self.regularizer_gr),)

    def _penalty_condition(self) -> tuple[str, ...]:
        return () if self._l2 else (self._penalty,)

    def _smooth(self) -> bool:
        return None not in (self.mapXy_gr, self.loss_gr, self.regularizer_gr)

    def _wrong_gradient(self, size: int) -> bool:
        return size > 1 and self.mapXy_gr is mapXy_gr_sigmoid and self._smooth()

    def _prediction(self) -> Prediction | None:
        # an own function might refer to data, so a result does not keep it
        return Prediction("linear") if self.mapXy is mapXy_linear else None

    def _fitted(self) -> Floats:
        if self.coeff is None:
            raise PydpstatError(f"{type(self).__name__} has no coefficients yet; call fit first.")
        return np.asarray(self.coeff, dtype=np.float64)

    def _keep(self, result: ModelResults) -> ModelResults:
        self.coeff, self.results = result.coeff.copy(), result
        return result
