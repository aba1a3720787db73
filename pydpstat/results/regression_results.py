"""Results of a private regression, under statsmodels' names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat._frozen import ReadOnlyArrays, freeze_array
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results import _shared_methods, _tidy
from pydpstat.results._contrasts import get_inverse_link
from pydpstat.results._intervals import CONFIDENCE, check_interval_kind, copy_release_fields, get_cached_limits
from pydpstat.results._regression_tests import RegressionTests
from pydpstat.results._report import Plottable

if TYPE_CHECKING:
    from pydpstat.results.results import DPResults

# private fields, which users read under statsmodels' names
_PRIVATE_FIELDS = frozenset(
    "coef errors tested statistics probabilities intervals labels fit design link combinations".split()
)
_FIT_NAMES = ("rsquared", "rsquared_adj", "scale")
_COMBINATION_METHODS = ("t_test", "wald_test", "f_test", "cov_params", "get_prediction")
_ESTIMATE_NAMES = ("params", "estimate", "bse", "conf_int", "plot")


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class RegressionResults(RegressionTests, Plottable, ReadOnlyArrays):
    """A private regression with its guarantee.

    `ols` and `logit` return it. It contains only what may be published: no record, residual, noise or seed.

    Parameters
    ----------
    model, method : str
        The model's name (``"OLS"``), and how it was released.
    response : str
        The response's name.
    names : tuple of str
        The coefficients' names, the constant first.
    null : float
        The value that the coefficients are tested for.
    pvalue_floor : float
        The smallest p-value that a test can return, as in `InferenceResults`.
    assumptions, remarks : tuple of str
        Assumptions of tests and intervals, and further remarks, in words.
    released : tuple of (str, float)
        The noisy numbers that all results are computed from.
    mechanism : str
        The noise's name.
    noise_scale : float or ndarray
        Its scale for each released number, in the number's unit.
    claim, guarantee : Guarantee
        Requested guarantee, and the guarantee that holds.
    bounds : tuple or None
        Public bounds of the variables, the response's first.
    nobs : int or None
        Number of records, where it is public.
    reproducible : bool
        True if a seed or a generator was given: then it is not for publication.
    record : Call
        The call, without data.

    See Also
    --------
    ols, logit, InferenceResults : what make it, and what tests return.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> x = np.linspace(0, 1, 5000)
    >>> y = 0.2 + 0.5 * x + 0.1 * np.sin(17.0 * np.arange(5000))
    >>> r = pydpstat.ols(y, x, 5.0, bounds=[(-1, 2), (0, 1)], rng=1)
    >>> list(r.params.index), r.validity["x1"]
    (['const', 'x1'], 'measured')
    """

    _inner = (*ReadOnlyArrays._inner, "of_several")

    def __post_init__(self) -> None:
        ReadOnlyArrays.__post_init__(self)
        for field in ("_coef", "_errors", "_statistics", "_probabilities"):
            if (value := getattr(self, field)) is not None:
                # hide the estimate of an uninformative coefficient, which looks like any other
                visible = np.where(np.isinf(self._errors), math.nan, value) if field == "_coef" else value
                object.__setattr__(self, field, freeze_array(visible, np.float64))

    @classmethod
    def of(cls, release: DPResults, **own: Any) -> RegressionResults:
        """Make the results of a regression from a release.

        The released numbers are the release's parameters where none are given. All fields that a release does
        not have are given by name, and those that it has may be; `pvalue_floor`, `fit`, `link`, `combinations`,
        `assumptions` and `remarks` may be left out. Those that are private are given without the underscore.

        Parameters
        ----------
        release : DPResults
            The released numbers.
        coef, errors : ndarray of float64, shape (d,)
            The estimates in the data's unit (None where none were released) and their standard errors;
            infinite errors hide the estimates.
        tested : tuple of str
            The names of the coefficients that have a test.
        statistics, probabilities : ndarray of float64, shape (len(tested),)
            The test statistics and the p-values. `probabilities` is None where the intervals have them for
            every value, and all coefficients are tested.
        intervals : tuple of (Interval or None), of length d
            Interval of each coefficient.
        labels : tuple of str, of length d
            The validity of each coefficient's test and interval.
        fit : tuple of (str, float)
            Further estimates: ``"rsquared"``, ``"rsquared_adj"`` and ``"scale"``, the error variance.
        design : PredictorDesign
            Design matrix builder for new records.
        link : {"identity", "logit"}
            Link function of the predictions.
        combinations : Combinations or None
            Factory of combinations of the coefficients; None if there are only individual intervals.
        **own
            Further fields.
        """
        if "released" not in own:
            own["released"] = tuple((str(name), float(value)) for name, value in release.params.items())
        fields = {f"_{name}" if name in _PRIVATE_FIELDS else name: value for name, value in own.items()}
        return cls(**{**copy_release_fields(release), **fields})

    @classmethod
    def of_several(cls, releases: Sequence[DPResults], prefixes: Sequence[str], **own: Any) -> RegressionResults:
        """Make results from several releases, with a prefix for each one's numbers."""
        numbers = [
            (f"{prefix}{name}", float(value))
            for prefix, release in zip(prefixes, releases)
            for name, value in release.params.items()
        ]
        scales = [np.broadcast_to(release.noise_scale, release.value.shape) for release in releases]
        combined = {"released": tuple(numbers), "noise_scale": freeze_array(np.concatenate(scales)), **own}
        return cls.of(releases[0], **combined)

    @property
    def _unavailable_names(self) -> tuple[str, ...]:
        statistics = dict(self._fit)
        names = [name for name in _FIT_NAMES if name not in statistics]
        if self._combinations is None:
            names += _COMBINATION_METHODS
        if self._coef is None:
            names += _ESTIMATE_NAMES
        if self._coef is None or self.names != self._design.names:
            names.append("predict")
        return tuple(names)

    @property
    def params(self) -> pd.Series:
        """The coefficients' estimates; NaN if the release is uninformative.

        The summary has the reason.

        Raises
        ------
        PydpstatError
            If the release was for tests alone.
        """
        if self._coef is None:
            raise PydpstatError(
                f"{self.model} with method {self.method!r} was released for tests and has no estimates. Use "
                "interval=True, which spends a part of epsilon on them, or method='moments'."
            )
        return self._make_series(self.names, self._coef + 0.0, "coef")

    @property
    def estimate(self) -> pd.Series:
        """The coefficients' estimates: `params`."""
        return self.params

    @property
    def bse(self) -> pd.Series:
        """Standard errors of the estimates; infinite where unknown.

        They cover sampling and noise.
        """
        return self._make_series(self.names, self._errors, "std err")

    @property
    def tvalues(self) -> pd.Series:
        """The test statistics.

        Coefficients minus `null`, divided by standard errors, or rank statistics.
        """
        return self._make_series(self._tested, self._statistics + 0.0, "statistic")

    @property
    def pvalues(self) -> pd.Series:
        """The p-values of the hypothesis that a coefficient is `null`, two-sided."""
        return self._make_series(self._tested, self._compute_pvalues(), "p-value")

    def _compute_pvalues(self) -> Floats:
        if self._probabilities is not None:
            return self._probabilities
        return np.array([self.test(name, self.null) for name in self._tested])

    def test(self, name: str, value: float) -> float:
        """Return the two-sided p-value of a hypothetical value of a coefficient.

        It is post-processing: any value can be tested at no additional privacy cost.

        Parameters
        ----------
        name : str
            The coefficient's name.
        value : float
            In the unit of `params`.

        Returns
        -------
        float

        Raises
        ------
        PydpstatError
            If there is no such coefficient, or it was released for a test of one value.

        See Also
        --------
        RegressionResults.t_test : tests of combinations, with intervals.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> x = np.linspace(0, 1, 5000)
        >>> r = pydpstat.ols(0.2 + 0.5 * x, x, 5.0, bounds=[(-1, 2), (0, 1)], rng=1)
        >>> r.test("x1", 0.5) > 0.05
        True
        """

        index = self.names.index(checks.check_choice(name, "name", self.names))
        tested_value = checks.check_number(value, "value", "a finite number", math.isfinite, "0 is usual.")
        compute_pvalue = getattr(self._intervals[index], "compute_pvalue", None)
        if compute_pvalue is not None:
            return float(compute_pvalue(tested_value))
        if self._probabilities is not None and name in self._tested and tested_value == self.null:
            return float(self._probabilities[self._tested.index(name)])
        raise PydpstatError(
            f"value must be the one that was tested; got {tested_value!r}, and {name} was tested for {self.null!r}. "
            "Release again with null=, or use method='moments', which tests every value."
        )

    @property
    def validity(self) -> pd.Series:
        """The validity of each coefficient's test, as in `InferenceResults`."""
        return pd.Series(list(self._labels), index=list(self.names), name="validity", dtype=object)

    @staticmethod
    def _make_series(names: tuple[str, ...], values: Floats, title: str) -> pd.Series:
        return pd.Series(np.array(values), index=list(names), name=title, dtype="float64")

    def conf_int(self, alpha: float = 0.05, kind: str | None = None) -> pd.DataFrame:
        """Return a confidence interval for each coefficient.

        It covers sampling and the privacy noise. It is post-processing: any level is available at no
        additional privacy cost. Each holds individually.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that an interval misses its coefficient; above 0 and at most 0.5.
        kind : {"confidence", "population"}, optional
            The one that there is, by either name.

        Returns
        -------
        DataFrame with columns 0 (lower) and 1 (upper), indexed as `params`
            Infinite where a limit cannot be determined.

        Raises
        ------
        PydpstatError
            If `alpha` is not in its range, `kind` is not available, or the release was for tests alone.

        See Also
        --------
        RegressionResults.t_test : intervals for combinations of coefficients.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> x = np.linspace(0, 1, 5000)
        >>> r = pydpstat.ols(0.2 + 0.5 * x, x, 5.0, bounds=[(-1, 2), (0, 1)], rng=1)
        >>> low, high = r.conf_int().loc["x1"]
        >>> bool(low < 0.5 < high)
        True
        """
        _ = self.params  # raises an error if there are no estimates
        check_interval_kind(kind, CONFIDENCE, f"{self.model} regression")
        limits = np.array(get_cached_limits(self, checks.check_alpha(alpha))).T
        return pd.DataFrame(limits, list(self.names), dtype="float64")

    def _compute_all_limits(self, alpha: float) -> tuple[Floats, Floats]:
        limits = [
            (-math.inf, math.inf) if interval is None else interval.compute_limits(alpha)
            for interval in self._intervals
        ]
        low, high = np.array(limits, dtype=np.float64).reshape(-1, 2).T
        return low, high

    def predict(self, exog: object) -> Floats:
        """Predict the response of new records.

        Parameters
        ----------
        exog : DataFrame, dict of columns, or array_like of shape (m, predictors)
            New records: by the predictors' names, or in their order.

        Returns
        -------
        ndarray of float64, shape (m,)
            The mean response; of a logistic regression the probability. NaN where an estimate is missing.

        Raises
        ------
        PydpstatError
            If the columns do not match the predictors, or the release was for tests alone.

        See Also
        --------
        RegressionResults.get_prediction : predictions with intervals.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> x = np.linspace(0, 1, 5000)
        >>> r = pydpstat.ols(0.2 + 0.5 * x, x, 5.0, bounds=[(-1, 2), (0, 1)], rng=1)
        >>> r.predict([[0.0], [1.0]]).round(1).tolist()
        [0.2, 0.7]
        """
        coefficients = self.params.to_numpy()
        if self.names != self._design.names:
            raise PydpstatError(
                f"{self.model} with method {self.method!r} estimates slopes without a constant. "
                "Use method='moments' for predictions."
            )
        matrix, is_missing = self._design.build_matrix(exog), np.isnan(coefficients)
        linear = np.asarray(matrix @ np.where(is_missing, 0.0, coefficients))
        linear[(matrix[:, is_missing] != 0.0).any(axis=1)] = math.nan
        return get_inverse_link(self._link)(linear)

    summary = _shared_methods.summary
    tidy, glance = _tidy.tidy_regression, _tidy.glance_regression

    def _describe_picture(self, alpha: float) -> object:
        from pydpstat.results._inference_pictures import make_coefficients_picture

        limits = self.conf_int(alpha).to_numpy().T
        scale = "log odds" if self._link == "logit" else self.response
        title, label = f"{self.model} regression of {self.response}", f"coefficient ({scale})"
        return make_coefficients_picture(title, self, (limits[0], limits[1]), "confidence", alpha, label)

    def __repr__(self) -> str:
        count = len(self.names)
        return f"<RegressionResults {self.model}: {count} coefficients, {self.method}, {self._format_guarantee()}>"
