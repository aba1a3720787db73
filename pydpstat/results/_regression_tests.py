"""Tests and predictions from a regression's coefficients, under statsmodels' names."""

from __future__ import annotations

from typing import Any

import numpy as np

from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._call import NamedArgument
from pydpstat.results._contrasts import Combination, Contrasts, JointTest, Predictions, get_inverse_link
from pydpstat.results._hypotheses import Hypotheses, parse_hypotheses, reduce_hypotheses
from pydpstat.results._regression_page import RegressionPage
from pydpstat.results._terms import label_records

_RECORDS_REASON = (
    "it has a number for each record, which would reveal the data. Use predict() and "
    "get_prediction() with public records, rsquared and scale, or tests of further terms"
)
_LIKELIHOOD_REASON = (
    "it needs the likelihood of all records, which was not released and cannot be computed from the "
    "noisy numbers. Compare models by t_test() or wald_test() of the terms in which they differ"
)
_REFUSED_NAMES = {
    **dict.fromkeys(
        ("fittedvalues", "resid", "wresid", "resid_pearson", "resid_response", "get_influence", "residuals")
        + ("fitted_values", "fitted", "augment"),
        _RECORDS_REASON,
    ),
    **dict.fromkeys(("aic", "bic", "llf", "llnull", "llr", "llr_pvalue", "prsquared"), _LIKELIHOOD_REASON),
}


class RegressionTests(RegressionPage):
    """Methods of `pydpstat.results.RegressionResults` on combinations of coefficients."""

    __slots__ = ()

    def predict(self, exog: object) -> Floats:
        """Return predictions."""
        raise NotImplementedError

    def _suggest_attribute(self, name: str) -> str:
        return _REFUSED_NAMES.get(name, "")

    @property
    def rsquared(self) -> float:
        """The share of the response's variance that the model explains, from 0 to 1.

        NaN where the noise is larger than the residuals.

        Raises
        ------
        PydpstatError
            If nothing was released that it could be computed from.
        """
        return self._get_fit_statistic("rsquared")

    @property
    def scale(self) -> float:
        """The estimate of the error variance, in the response's unit squared.

        NaN where the noise is larger than the residuals.

        Raises
        ------
        PydpstatError
            If nothing was released that it could be computed from.
        """
        return self._get_fit_statistic("scale")

    def _get_fit_statistic(self, name: str) -> float:
        statistics = dict(self._fit)
        if name not in statistics:
            raise PydpstatError(
                f"{self.model} with method {self.method!r} has no {name}. Use method='moments' with ols."
            )
        return statistics[name]

    @property
    def rsquared_adj(self) -> float:
        """Adjusted R-squared, at least 0; NaN if n is too small.

        A private number of records is the noisy one.

        Raises
        ------
        PydpstatError
            If nothing was released that it could be computed from.
        """
        return self._get_fit_statistic("rsquared_adj")

    def _combine_coefficients(self, rows: Floats) -> tuple[tuple[Combination, ...], Floats, Floats]:
        """Return combinations, their estimates and their standard errors."""
        combinations = self._combinations
        if combinations is None:
            raise PydpstatError(
                f"{self.model} with method {self.method!r} has an interval for each coefficient, but "
                "no linear combinations. Use ols with method='moments' and cov_type='nonrobust', or "
                "test with conf_int() by coefficient."
            )
        results = tuple(combinations.make_combination(row) for row in rows)
        errors = np.array([result.standard_error for result in results])
        # a combination with an uninformative coefficient has no estimate
        errors[((rows != 0.0) & np.isinf(self._errors)).any(axis=1)] = np.inf
        estimates = np.array([result.estimate for result in results])
        return results, np.where(np.isinf(errors), np.nan, estimates), errors

    def t_test(self, r_matrix: object) -> Contrasts:
        """Test linear combinations of coefficients individually.

        It is post-processing, at no additional privacy cost: a combination is treated like a coefficient,
        which it is in another basis.

        Parameters
        ----------
        r_matrix : str, list of str, array_like of shape (q, d), or tuple
            ``"x1 = x2"`` or ``"x1 + x2 = 1, x3 = 0"``; or a matrix with a column for each of `params`, alone
            or with the values that the combinations are tested for.

        Returns
        -------
        Contrasts
            With ``effect``, ``sd``, ``statistic``, ``pvalue``, ``conf_int()`` and ``summary_frame()``. The
            p-values are those of the score test, not of the statistic, which is the effect less the value
            over its standard error.

        Raises
        ------
        PydpstatError
            If a hypothesis cannot be read, or the method has no combinations (``"rank"``).

        See Also
        --------
        RegressionResults.wald_test : all hypotheses jointly.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> draw = np.random.default_rng(1)
        >>> x = draw.uniform(size=(5000, 2))
        >>> y = x.sum(axis=1) + draw.normal(0, 0.1, 5000)
        >>> r = pydpstat.ols(y, x, 5.0, bounds=[(-1, 3), (0, 1), (0, 1)], rng=1)
        >>> test = r.t_test("x1 = x2")
        >>> low, high = test.conf_int()[0]
        >>> bool(low < 0.0 < high), bool(r.t_test("x1 + x2 = 1").pvalue[0] < 0.01)
        (True, True)
        """
        return self._make_contrasts(parse_hypotheses(r_matrix, self.names), r_matrix)

    def _make_contrasts(self, found: Hypotheses, given: object) -> Contrasts:
        combinations, effect, errors = self._combine_coefficients(found.matrix)
        return Contrasts(
            names=found.labels,
            effect=effect,
            sd=errors,
            null_value=found.values,
            parts=combinations,
            pvalue_floor=self.pvalue_floor,
            **self._copy_shared_fields("t_test", given),
        )

    def _copy_shared_fields(self, method: str, given: object) -> dict[str, Any]:
        """Return the fields that a method's result shares, with the call extended by the method."""
        names = ("claim", "guarantee", "mechanism", "reproducible")
        texts = given if isinstance(given, (list, tuple)) else [given]
        is_plain = all(isinstance(text, (str, NamedArgument)) for text in texts)
        record = self.record.add_method_call(method, given if is_plain else NamedArgument("r_matrix"))
        return {**{name: getattr(self, name) for name in names}, "record": record}

    def wald_test(self, r_matrix: object) -> JointTest:
        """Test several linear hypotheses at once.

        Each is tested individually, and the p-value is the smallest one times their number (Bonferroni).
        The test is valid whenever the single ones are; no joint statistic is used. The hypotheses are first
        solved for the coefficients that come first in `params` (reduced row echelon form), so that the test
        does not depend on how they are written: ``"x1 = x2 = 0"`` is ``"x1 = 0, x2 = 0"``. Of a factor these
        are the comparisons of each level with the reference.

        Parameters
        ----------
        r_matrix : str, list of str, array_like of shape (q, d), or tuple
            As in `t_test`.

        Returns
        -------
        JointTest
            With ``statistic``, the largest absolute one, ``pvalue``, and ``parts``, the single tests.

        Raises
        ------
        PydpstatError
            As in `t_test`, or if the hypotheses contradict each other.

        See Also
        --------
        RegressionResults.t_test : each hypothesis individually.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> draw = np.random.default_rng(1)
        >>> x = draw.uniform(size=(5000, 2))
        >>> y = x.sum(axis=1) + draw.normal(0, 0.1, 5000)
        >>> r = pydpstat.ols(y, x, 5.0, bounds=[(-1, 3), (0, 1), (0, 1)], rng=1)
        >>> r.wald_test("x1 = 0, x2 = 0").pvalue < 0.01
        True
        """
        return self._make_joint_test("wald_test", r_matrix)

    def f_test(self, r_matrix: object) -> JointTest:
        """Test several linear hypotheses at once, as `wald_test` does.

        There is no F statistic.

        See Also
        --------
        RegressionResults.t_test : each hypothesis individually.
        """
        return self._make_joint_test("f_test", r_matrix)

    def _make_joint_test(self, method: str, r_matrix: object) -> JointTest:
        hypotheses = reduce_hypotheses(parse_hypotheses(r_matrix, self.names), self.names)
        return JointTest(parts=self._make_contrasts(hypotheses, r_matrix), **self._copy_shared_fields(method, r_matrix))

    def cov_params(self) -> pd.DataFrame:
        """Return the covariance matrix of the estimates.

        It covers sampling and noise. Its diagonal has the squares of `bse`; the others follow from the
        standard errors of sums and differences of two coefficients. NaN for coefficients without an estimate.

        Returns
        -------
        DataFrame of shape (d, d)

        Raises
        ------
        PydpstatError
            If the method has no combinations of coefficients (``"rank"``).

        See Also
        --------
        RegressionResults.conf_int : the intervals.
        RegressionResults.t_test : combinations of coefficients.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> x = np.linspace(0, 1, 5000)
        >>> r = pydpstat.ols(0.2 + 0.5 * x, x, 5.0, bounds=[(-1, 2), (0, 1)], rng=1)
        >>> bool(r.cov_params().loc["const", "x1"] < 0.0)
        True
        """
        width = len(self.names)
        # scale by standard errors, so that a small coefficient is not lost to rounding
        units = np.where(np.isinf(self._errors), 1.0, self._errors)
        correlations = np.diag(np.where(np.isinf(self._errors), np.nan, 1.0))
        for i in range(width):
            for j in range(i):
                rows = np.zeros((2, width))
                rows[:, i], rows[:, j] = 1.0 / units[i], np.array([1.0, -1.0]) / units[j]
                _, _, (sum_error, difference_error) = self._combine_coefficients(rows)
                are_finite = np.isfinite([sum_error, difference_error]).all()
                correlations[i, j] = correlations[j, i] = (
                    0.25 * (sum_error**2 - difference_error**2) if are_finite else np.nan
                )
        return pd.DataFrame(correlations * np.outer(units, units), index=list(self.names), columns=list(self.names))

    def get_prediction(self, exog: object) -> Predictions:
        """Predict the mean response of new records, with intervals.

        Parameters
        ----------
        exog : DataFrame, dict of columns, or array_like of shape (m, predictors)
            New records, which must be public, as in `predict`.

        Returns
        -------
        Predictions
            With ``predicted_mean``, ``se_mean``, ``conf_int()`` and ``summary_frame()``. Intervals are for
            the mean response, hold individually, and cover sampling and noise; they take about a tenth of a
            second a record.

        Raises
        ------
        PydpstatError
            If the columns do not match the predictors, or the method has no combinations (``"rank"``).

        See Also
        --------
        RegressionResults.predict : predictions alone.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> x = np.linspace(0, 1, 5000)
        >>> y = 0.2 + 0.5 * x + 0.1 * np.sin(17.0 * np.arange(5000))
        >>> r = pydpstat.ols(y, x, 5.0, bounds=[(-1, 2), (0, 1)], rng=1)
        >>> frame = r.get_prediction([[0.5]]).summary_frame()
        >>> bool(frame["mean_ci_lower"][0] < 0.45 < frame["mean_ci_upper"][0])
        True
        """
        mean = self.predict(exog)
        combinations, _, errors = self._combine_coefficients(self._design.build_matrix(exog))
        inverse_link = get_inverse_link(self._link)
        linear = np.array([combination.estimate for combination in combinations])
        slope = 1.0 if self._link == "identity" else inverse_link(linear) * (1.0 - inverse_link(linear))
        return Predictions(
            predicted_mean=mean,
            se_mean=errors * slope,
            parts=combinations,
            link=self._link,
            labels=label_records(exog, [each.column for each in self._design.source_columns]),
            **self._copy_shared_fields("get_prediction", NamedArgument("exog")),
        )
