"""Linear regression for scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy.typing as npt

from pydpstat._answering import explain_wrong_calls
from pydpstat._data.columns import GivenBounds, check_bounds
from pydpstat._lazy import pd
from pydpstat._records.groups import Keys
from pydpstat.inference.regression.ols import ols
from pydpstat.sklearn._estimators import Floats, PrivateEstimator, RegressorMixin, get_linear_coefficients

if TYPE_CHECKING:
    from pydpstat._release.pipeline import Chargeable
    from pydpstat.mechanisms.mechanism import Mechanism


class LinearRegression(RegressorMixin, PrivateEstimator):
    """Private linear regression as a regressor of scikit-learn.

    `fit` is one release by `pydpstat.ols`. Everything else has no additional privacy cost.

    Parameters
    ----------
    epsilon : float, default 1.0
        Privacy parameter; positive and finite. It covers one fit.
    bounds : (float, float), list of pairs, or dict by name, keyword only
        Public bounds of the features, chosen without looking at them: one pair for all, one for each column,
        or by the names of a DataFrame's columns (x1, x2 and so on for an array). Values outside are clipped
        to them, by `fit` and by predictions. By default (-1, 1), with a warning.
    y_bounds : (float, float), keyword only
        Public bounds of the response, to which it is clipped. By default (-1, 1), with a warning.
    delta : float, default 0
        Privacy parameter; above 0 and below 1 for a mechanism that requires it, such as ``"gaussian"``, otherwise 0.
    mechanism : {"laplace", "gaussian", "linf"} or Mechanism, optional
        Noise mechanism. It adds the noise of the moments, as in `pydpstat.ols`.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is added
        or removed, and the number of records is private. The default is that of `budget`, or ``"bounded"`` without it.
    budget : Budget, optional
        Budget to which the release is charged. Each fit is a release, including fits of clones, which share the budget.
    random_state : None, int, numpy.random.RandomState or Generator, or RRandom, optional
        Source of the noise. None (default) is the operating system. With a seed, anyone who knows it can
        remove the noise: for checking and study only.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The coefficients of the features, in the data's units: those of `results_` if it has all of them.
        Otherwise a regularized estimate of all from the same released numbers, for
        predictions only.
    intercept_ : float
        The constant.
    results_ : RegressionResults
        The publishable results: standard errors, intervals, tests, and the guarantee.
    bounds_ : tuple of (float, float)
        The bounds of each feature.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        The names of a DataFrame's columns.

    Raises
    ------
    PydpstatError
        By `fit`, if an argument is invalid or a value is not a number.
    MissingExtraError
        If scikit-learn is not installed: ``pip install 'pydpstat[sklearn]'``.

    Notes
    -----
    Guarantee: (epsilon, delta) for each fit, for the data passed to `fit`. It covers neither other steps of a
    pipeline that use the data nor scores of cross-validation, which are computed from the records
    themselves.

    See Also
    --------
    pydpstat.ols : the release itself, with formulas and categorical predictors.

    Examples
    --------
    >>> import numpy as np
    >>> from pydpstat.sklearn import LinearRegression
    >>> draw = np.random.default_rng(2)
    >>> X = draw.uniform(0, 10, (5000, 1))
    >>> y = 1 + 0.5 * X[:, 0] + draw.normal(size=5000)
    >>> model = LinearRegression(2.0, bounds=(0, 10), y_bounds=(-2, 9), random_state=1)
    >>> model.fit(X, y).coef_.round(1), model.results_.conf_int().shape
    (array([0.5]), (2, 2))
    """

    @explain_wrong_calls
    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        bounds: GivenBounds | None = None,
        y_bounds: tuple[float, float] | None = None,
        delta: float = 0,
        mechanism: str | Mechanism | None = None,
        neighbors: str | None = None,
        budget: Chargeable | None = None,
        random_state: object = None,
    ) -> None:
        self.epsilon = epsilon
        self.bounds = bounds
        self.y_bounds = y_bounds
        self.delta = delta
        self.mechanism = mechanism
        self.neighbors = neighbors
        self.budget = budget
        self.random_state = random_state

    def __sklearn_tags__(self) -> object:
        tags = super().__sklearn_tags__()
        # scikit-learn's checks use 200 records of 10 features: at the default epsilon the noise dominates
        tags.regressor_tags.poor_score = True
        return tags

    @explain_wrong_calls
    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike, unit: Keys | None = None) -> Self:
        """Fit the model: one release.

        Parameters
        ----------
        X : DataFrame or array_like of shape (n, n_features)
            The features: numbers, none missing.
        y : array_like of shape (n,)
            The response: numbers, none missing.
        unit : array_like of shape (n,), optional
            Unit of each record, such as a person's id. All records of a unit are protected together. One record of each
            unit is used, drawn at random. Required if the budget has a unit.

        Returns
        -------
        LinearRegression
            The fitted estimator itself.

        Raises
        ------
        PydpstatError
            If an argument is invalid or the budget does not suffice.
        """
        features, target = self._read_data(X, y, unit, numeric=True)
        response_bounds = self._resolve_bounds(self.y_bounds, "y_bounds", "the response", "a pair")
        pairs, response = self._get_feature_bounds(), check_bounds(response_bounds, "y_bounds")
        results = ols(
            pd.Series(target, name=self._make_response_name(y)),
            dict(zip(self._feature_names, features.T)),
            self.epsilon,
            bounds=[response, *pairs],
            delta=self.delta,
            mechanism=self.mechanism,
            neighbors=self.neighbors,
            unit=self._check_unit(unit),
            rng=self._make_source(),
            budget=self.budget,
        )
        coefficients = get_linear_coefficients(results)
        self.bounds_, self.results_ = pairs, results
        self.coef_, self.intercept_ = coefficients[1:], float(coefficients[0])
        return self

    def predict(self, X: npt.ArrayLike) -> Floats:
        """Predict the mean response of new records.

        Parameters
        ----------
        X : DataFrame or array_like of shape (m, n_features)
            New records, which are clipped to the bounds.

        Returns
        -------
        ndarray of float64, shape (m,)
        """
        return self._predict_linear(X)
