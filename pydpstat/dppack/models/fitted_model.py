"""What every model of DPpack has: fitted coefficients, predictions, copies."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from pydpstat import checks
from pydpstat.errors import PydpstatError
from pydpstat.models.design import as_records
from pydpstat.models.linear_algebra import Floats
from pydpstat.results.model_results import ModelResults


class FittedModel:
    """A model with coefficients.

    Attributes
    ----------
    mapXy : callable
        Predictions of records and coefficients.
    coeff : ndarray of shape (d,) or None
        The released coefficients, after `fit`.
    results : ModelResults or None
        What the last `fit` returned.
    """

    mapXy: Callable[..., Any]
    coeff: Floats | None = None
    results: ModelResults | None = None

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

    def clone(self, deep: bool = False) -> Any:
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

    def _fitted(self) -> Floats:
        if self.coeff is None:
            raise PydpstatError(f"{type(self).__name__} has no coefficients yet; call fit first.")
        return np.asarray(self.coeff, dtype=np.float64)

    def _keep(self, result: ModelResults) -> ModelResults:
        self.coeff, self.results = result.coeff.copy(), result
        return result
