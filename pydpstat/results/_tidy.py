"""Frames of tests and models under the names of R's broom: `tidy` and `glance`."""

from __future__ import annotations

import math
from typing import Any

from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import exp

# columns of `to_frame`, and their names in broom with _ in place of the dot
_BROOM_NAMES = {
    "coef": "estimate",
    "std err": "std_error",
    "difference": "estimate",
    "p-value": "p_value",
    "unadjusted p-value": "p_value",
    "lower": "conf_low",
    "upper": "conf_high",
}
_FIT_NAMES = {"rsquared": "r_squared", "rsquared_adj": "adj_r_squared"}


def tidy_regression(self: Any, alpha: float = 0.05, *, exponentiate: bool = False) -> pd.DataFrame:
    """Return a row for each coefficient, with the columns of R's broom.

    It is post-processing, at no additional privacy cost.

    Parameters
    ----------
    alpha : float, default 0.05
        Probability that an interval misses its coefficient.
    exponentiate : bool, default False
        Whether estimates and intervals of a logistic regression are odds ratios. Standard errors remain
        those of the coefficients, as in broom.

    Returns
    -------
    DataFrame
        Columns ``term``, ``estimate``, ``std_error``, ``statistic``, ``p_value``, ``conf_low`` and
        ``conf_high``: broom's with ``_`` in place of the dot. Of a release for tests alone ``term``,
        ``statistic`` and ``p_value``.

    Raises
    ------
    PydpstatError
        If `alpha` is not in its range, or `exponentiate` is not for this model.

    See Also
    --------
    RegressionResults.glance : the fit in one row.
    RegressionResults.to_frame : the same numbers under statsmodels' names.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> x = np.linspace(0, 1, 5000)
    >>> r = pydpstat.ols(0.2 + 0.5 * x, x, 5.0, bounds=[(-1, 2), (0, 1)], rng=1)
    >>> r.tidy()[["term", "estimate"]].round(1)
        term  estimate
    0  const       0.2
    1     x1       0.5
    """
    frame = _rename(self.to_frame(alpha).drop(columns="p"))
    frame.insert(0, "term", frame.index.map(str))
    if exponentiate:
        if self._link != "logit" or self._coef is None:
            raise PydpstatError(
                f"exponentiate must be False for {self.model} with method {self.method!r}: odds ratios are those of a "
                "logistic regression, logit(...).tidy(exponentiate=True)."
            )
        for name in ("estimate", "conf_low", "conf_high"):
            frame[name] = exp(frame[name].to_numpy())
    return frame.reset_index(drop=True)


def glance_regression(self: Any) -> pd.DataFrame:
    """Return the fit and the guarantee in one row, with the columns of R's broom.

    Returns
    -------
    DataFrame
        Columns ``r_squared``, ``adj_r_squared`` and ``sigma``, the residual standard deviation, where the
        model has them, and ``nobs`` (NA if the number of records is private), ``epsilon`` and ``delta``.

    See Also
    --------
    RegressionResults.tidy : a row for each coefficient.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> x = np.linspace(0, 1, 5000)
    >>> r = pydpstat.ols(0.2 + 0.5 * x, x, 5.0, bounds=[(-1, 2), (0, 1)], rng=1)
    >>> list(r.glance().columns)
    ['r_squared', 'adj_r_squared', 'sigma', 'nobs', 'epsilon', 'delta']
    """
    fit = dict(self._fit)
    numbers: dict[str, Any] = {_FIT_NAMES[name]: fit[name] for name in _FIT_NAMES if name in fit}
    if "scale" in fit:
        numbers["sigma"] = math.sqrt(fit["scale"])
    return pd.DataFrame([{**numbers, **_describe_release(self)}]).astype({"nobs": "Int64"})


def tidy_test(self: Any, alpha: float = 0.05) -> pd.DataFrame:
    """Return the test in one row, with the columns of R's broom.

    It is post-processing, at no additional privacy cost.

    Parameters
    ----------
    alpha : float, default 0.05
        Probability that the interval misses the parameter.

    Returns
    -------
    DataFrame
        Columns ``estimate``, the parameter that is tested, and further estimates ``estimate1``, ``estimate2``,
        ...; ``statistic`` and ``p_value``; ``parameter``, the degrees of freedom of a chi-square statistic;
        ``conf_low`` and ``conf_high``; ``method`` and ``alternative``: broom's with ``_`` in place of the dot,
        where the test has them.

    See Also
    --------
    InferenceResults.to_frame : the same numbers with the names of the estimates.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> r = pydpstat.binomtest(np.repeat([True, False], [60, 40]), 5.0, rng=1)
    >>> r.tidy().columns.tolist()
    ['estimate', 'statistic', 'p_value', 'conf_low', 'conf_high', 'method', 'alternative']
    """
    estimates = dict(self.estimates)
    row: dict[str, Any] = {"estimate": estimates.pop(self.parameter)} if self.parameter in estimates else {}
    row |= {f"estimate{number}": value for number, value in enumerate(estimates.values(), 1)}
    row |= _describe_test(self)
    if self.interval is not None:
        limits = self.conf_int(alpha)
        row |= {"conf_low": limits.low, "conf_high": limits.high}
    return pd.DataFrame([{**row, **_describe_method(self)}])


def glance_test(self: Any) -> pd.DataFrame:
    """Return the test and the guarantee in one row, with the columns of R's broom.

    Returns
    -------
    DataFrame
        Columns ``statistic`` and ``p_value``, ``parameter``, ``method`` and ``alternative`` as in `tidy`, where
        the test has them; ``nobs`` (NA if the number of records is private), ``epsilon`` and ``delta``.

    See Also
    --------
    InferenceResults.tidy : estimates and intervals as well.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> r = pydpstat.binomtest(np.repeat([True, False], [60, 40]), 5.0, rng=1)
    >>> r.glance()[["method", "nobs", "epsilon"]].values.tolist()
    [['Binomial test', 100, 5.0]]
    """
    row = {**_describe_test(self), **_describe_method(self), **_describe_release(self)}
    return pd.DataFrame([row]).astype({"nobs": "Int64"})


def tidy_pairs(self: Any, alpha: float = 0.05) -> pd.DataFrame:
    """Return a row for each pair, with the columns of R's broom.

    Parameters
    ----------
    alpha : float, default 0.05
        Probability that an interval misses, as in `conf_int`.

    Returns
    -------
    DataFrame
        Columns ``group1``, ``group2``, ``estimate`` (the first group minus the second), ``statistic``,
        ``adj_p_value``, ``p_value`` (as if the pair were the only one), ``conf_low`` and ``conf_high``:
        broom's with ``_`` in place of the dot.

    See Also
    --------
    PairwiseResults.to_frame : the same numbers with the pairs as index.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> answers = np.tile([True, False], 600)
    >>> r = pydpstat.proportion(answers, 1.0, by=np.repeat(["a", "b", "c"], 400), levels=["a", "b", "c"])
    >>> r.pairs().tidy()[["group1", "group2"]].values.tolist()
    [['a', 'b'], ['a', 'c'], ['b', 'c']]
    """
    frame = _rename(self.to_frame(alpha).drop(columns="p").rename(columns={"p-value": "adj_p_value"}))
    return frame.rename_axis(["group1", "group2"]).reset_index()


def _rename(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.rename(columns=_BROOM_NAMES)


def _describe_test(result: Any) -> dict[str, Any]:
    numbers = {"statistic": result.statistic, "p_value": result.pvalue, "parameter": result._df}
    return {name: float(value) for name, value in numbers.items() if value is not None}


def _describe_method(result: Any) -> dict[str, Any]:
    return {"method": result.test} | ({} if result.alternative is None else {"alternative": result.alternative})


def _describe_release(result: Any) -> dict[str, Any]:
    return {"nobs": result.nobs, "epsilon": result.epsilon, "delta": result.delta}
