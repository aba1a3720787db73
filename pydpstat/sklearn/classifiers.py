"""Logistic regression for scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat._data.columns import GivenBounds
from pydpstat._lazy import pd
from pydpstat._records.groups import Keys
from pydpstat._warn import note_r_warning
from pydpstat.errors import PydpstatError
from pydpstat.inference.logistic.logit import logit
from pydpstat.sklearn._estimators import (
    ClassifierMixin,
    Floats,
    PrivateEstimator,
    check_classification_targets,
    get_logistic_coefficients,
)

if TYPE_CHECKING:
    from pydpstat._release.pipeline import Chargeable

ClassLabels = np.ndarray


class LogisticRegression(ClassifierMixin, PrivateEstimator):
    """Private logistic regression as a classifier of scikit-learn.

    `fit` is one release by `pydpstat.logit`. Everything else has no additional privacy cost.

    Parameters
    ----------
    epsilon : float, default 1.0
        Privacy parameter; positive and finite. It covers one fit.
    bounds : (float, float), list of pairs, or dict by name, keyword only
        Public bounds of the features, chosen without looking at them: one pair for all, one for each column,
        or by the names of a DataFrame's columns (x1, x2 and so on for an array). Values outside are clipped
        to them, by `fit` and by predictions. By default (-1, 1), with a warning.
    classes : (label, label), optional
        The two public classes; a value of `y` that is neither counts as the first of `classes_`. By default
        False and True if `y` is boolean, otherwise the values that occur in `y`, which are then assumed to be
        public, as is their number: a condition of the guarantee, with a warning.
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
    classes_ : ndarray of shape (2,)
        The classes, sorted; the second one counts as 1.
    coef_ : ndarray of shape (1, n_features)
        The coefficients of the features, in the data's units: those of `results_` if it has all of them.
        Otherwise a regularized estimate of all from the same released numbers, for
        predictions only.
    intercept_ : ndarray of shape (1,)
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
        By `fit`, if an argument is invalid, the number of classes is not two, or a value is not a number.
    MissingExtraError
        If scikit-learn is not installed: ``pip install 'pydpstat[sklearn]'``.

    Notes
    -----
    Guarantee: (epsilon, 0) for each fit, for the data passed to `fit`. It covers neither other steps of a
    pipeline that use the data nor scores of cross-validation, which are computed from the records
    themselves.

    Two classes only: for more, ``sklearn.multiclass.OneVsRestClassifier(LogisticRegression(epsilon / k))``
    fits one model for each of k classes. A record is in all of them, so their epsilons add up.

    See Also
    --------
    pydpstat.logit : the release itself, with formulas and categorical predictors.

    Examples
    --------
    >>> import numpy as np
    >>> from pydpstat.sklearn import LogisticRegression
    >>> draw = np.random.default_rng(2)
    >>> X = draw.uniform(0, 10, (5000, 1))
    >>> y = np.where(draw.logistic(size=5000) < 0.5 * X[:, 0] - 2, "yes", "no")
    >>> model = LogisticRegression(2.0, bounds=(0, 10), classes=("no", "yes"), random_state=1)
    >>> model.fit(X, y).predict([[0.0], [9.0]]).tolist()
    ['no', 'yes']
    >>> bool(model.score(X, y) > 0.7)
    True
    """

    @explain_wrong_calls
    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        bounds: GivenBounds | None = None,
        classes: tuple[object, object] | None = None,
        neighbors: str | None = None,
        budget: Chargeable | None = None,
        random_state: object = None,
    ) -> None:
        self.epsilon = epsilon
        self.bounds = bounds
        self.classes = classes
        self.neighbors = neighbors
        self.budget = budget
        self.random_state = random_state

    def __sklearn_tags__(self) -> object:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    @explain_wrong_calls
    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike, unit: Keys | None = None) -> Self:
        """Fit the model: one release.

        Parameters
        ----------
        X : DataFrame or array_like of shape (n, n_features)
            The features: numbers, none missing.
        y : array_like of shape (n,)
            The class of each record.
        unit : array_like of shape (n,), optional
            Unit of each record, such as a person's id. All records of a unit are protected together. One record of each
            unit is used, drawn at random. Required if the budget has a unit.

        Returns
        -------
        LogisticRegression
            The fitted estimator itself.

        Raises
        ------
        PydpstatError
            If an argument is invalid or the budget does not suffice.
        """
        features, target = self._read_data(X, y, unit, numeric=False)
        name, pairs = self._make_response_name(y), self._get_feature_bounds()
        classes, declared = _resolve_classes(self.classes, target)
        if declared:
            note_r_warning(
                f"{type(self).__name__} takes the classes from y, and treats them as public. Give the two "
                "that are possible, such as classes=('no', 'yes')."
            )
        results = logit(
            _encode_response(target, classes, name),
            dict(zip(self._feature_names, features.T)),
            self.epsilon,
            bounds=list(pairs),
            levels="declared" if declared else {name: classes.tolist()},
            neighbors=self.neighbors,
            unit=self._check_unit(unit),
            rng=self._make_source(),
            budget=self.budget,
        )
        coefficients = get_logistic_coefficients(results)
        self.classes_, self.bounds_, self.results_ = classes, pairs, results
        self.coef_, self.intercept_ = coefficients[None, 1:], coefficients[:1]
        return self

    def decision_function(self, X: npt.ArrayLike) -> Floats:
        """Return the log odds of the second class.

        Parameters
        ----------
        X : DataFrame or array_like of shape (m, n_features)
            New records, which are clipped to the bounds.

        Returns
        -------
        ndarray of float64, shape (m,)
        """
        return self._predict_linear(X)

    def predict_proba(self, X: npt.ArrayLike) -> Floats:
        """Return the probabilities of the classes.

        Parameters
        ----------
        X : DataFrame or array_like of shape (m, n_features)
            New records, which are clipped to the bounds.

        Returns
        -------
        ndarray of float64, shape (m, 2)
            In the order of `classes_`.
        """
        from scipy.special import expit

        odds = self.decision_function(X)
        return np.column_stack([expit(-odds), expit(odds)])

    def predict(self, X: npt.ArrayLike) -> ClassLabels:
        """Return the more probable class of each record.

        Parameters
        ----------
        X : DataFrame or array_like of shape (m, n_features)
            New records, which are clipped to the bounds.

        Returns
        -------
        ndarray of shape (m,)
        """
        is_second = self.decision_function(X) > 0.0
        return np.asarray(self.classes_[is_second.astype(np.intp)])


def _resolve_classes(declared_classes: object, target: ClassLabels) -> tuple[ClassLabels, bool]:
    """Return the two classes, sorted, and whether they are taken from the data and treated as public."""
    if declared_classes is None:
        check_classification_targets(target)
        truths = target.dtype.kind == "b"
        return (np.array([False, True]) if truths else _check_two_classes(np.unique(target), "y")), not truths
    labels = checks.to_array(declared_classes)
    if labels.ndim != 1 or labels.size != 2:
        raise PydpstatError(
            f"classes must be two labels; got {checks.describe_value(declared_classes)}. Give for example "
            "classes=('no', 'yes')."
        )
    return _check_two_classes(np.unique(labels), "classes"), False


def _check_two_classes(classes: ClassLabels, argument: str) -> ClassLabels:
    if classes.size > 2:
        raise PydpstatError(
            "Only binary classification is supported. The type of the target is multiclass. Use "
            "OneVsRestClassifier(LogisticRegression(...)) of scikit-learn, which spends epsilon for "
            "each class: divide epsilon by the number of classes."
        )
    if classes.size < 2:
        raise PydpstatError(
            f"{argument} must have two classes; got one class. Give both, for example classes=('no', 'yes')."
        )
    return classes


def _encode_response(target: ClassLabels, classes: ClassLabels, name: str) -> pd.Series:
    """Return the response as a Categorical; values that are neither class count as the first. Private."""
    codes = np.asarray(target == classes[1]).astype(np.int8)
    return pd.Series(pd.Categorical.from_codes(codes, categories=classes.tolist()), name=name)
