"""Summaries and analyses of variance of models, with R's printed output."""

from __future__ import annotations

import copy
import math
from types import SimpleNamespace

import numpy as np
import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._coefficients import format_coefficients, format_numbers, format_p_values
from pydpstat.porting.r._fits import Model, residuals
from pydpstat.porting.r._formats import round_to_largest
from pydpstat.porting.r._formulas import format_expression
from pydpstat.porting.r._order_statistics import quantile
from pydpstat.porting.r._shapes import Array, refuse_unknown, with_dimnames
from pydpstat.porting.r._values import Value

_SIGNIFICANT_DIGITS = 4
_QUARTILE_LABELS = ["Min", "1Q", "Median", "3Q", "Max"]


def _format_significant(value: float, digits: int = _SIGNIFICANT_DIGITS) -> str:
    return format_numbers(float(f"{value:.{digits}g}"), 7)[0]


def _format_right_aligned(value: float) -> str:
    return f"{value:>5.4g}".replace("nan", "NaN")


def _format_named_cells(names: list[str], values: list[str], gap: int) -> list[str]:
    """Return the lines of a named vector, with a gap after each cell."""
    wide = max(map(len, [*names, *values]))
    count = max(1, 80 // (wide + gap))
    return [
        "".join(f"{each:>{wide}}{'':{gap}}" for each in row[k : k + count])
        for k in range(0, len(names), count)
        for row in (names, values)
    ]


def _format_call(fit: Model, before: str) -> list[str]:
    family = f", family = {fit.family}" if fit.family not in (None, "gaussian") else ""
    called = f"{'glm' if fit.family else 'lm'}(formula = {fit._design.formula_text}{family})"
    return ["", *f"Call:{before}{called}".split("\n"), ""]


def _format_omitted_count(fit: Model) -> list[str]:
    n = int((~fit._design.complete_rows).sum())
    return [f"  ({n} observation{'s' * (n > 1)} deleted due to missingness)"] * (n > 0)


def format_model(fit: Model) -> str:
    """Return R's printed output for a model."""
    lines = _format_call(fit, "  " if fit.family else "\n")
    lines += [
        "Coefficients:",
        *_format_named_cells(fit.names, format_numbers(fit._beta, _SIGNIFICANT_DIGITS), 2),
        "",
    ]
    if fit.family:
        lines += [
            f"Degrees of Freedom: {fit.df_null} Total (i.e. Null);  {fit.df_residual} Residual",
            *_format_omitted_count(fit),
            f"Null Deviance:\t    {_format_significant(fit.null_deviance)} ",
            f"Residual Deviance: {_format_significant(fit.deviance)} \tAIC: {_format_significant(fit.aic)}",
        ]
    return "\n".join(lines)


class Summary(SimpleNamespace):
    """R's summary of a model: `coefficients` is a matrix with row and column names."""

    def __init__(self, fit: Model) -> None:
        from scipy.stats import f, norm, t

        n, p, df = fit._y.size, fit.rank, fit.df_residual
        errors = np.sqrt(np.diag(fit._unscaled_covariance) * fit._dispersion)
        ratio = fit._beta / errors
        known = fit.family in ("binomial", "poisson")
        tails = 2 * (norm.sf(np.abs(ratio)) if known else t.sf(np.abs(ratio), df))
        words = ("z value", "Pr(>|z|)") if known else ("t value", "Pr(>|t|)")
        table = np.column_stack([fit._beta, errors, ratio, tails])
        super().__init__(
            coefficients=with_dimnames(table, (fit.names, ["Estimate", "Std. Error", *words])),
            df=np.array([p, df, p]),
            residuals=residuals(fit) * (1 if fit.family else np.sqrt(fit._w)),
            cov_unscaled=with_dimnames(fit._unscaled_covariance, (fit.names, fit.names)),
            deviance=fit.deviance,
            dispersion=fit._dispersion, formula=fit.formula,
        )  # fmt: skip
        self._fit = fit
        if fit.family:
            self.aic, self.null_deviance = fit.aic, fit.null_deviance
            self.df_residual, self.df_null = df, fit.df_null
            return
        self.sigma = math.sqrt(fit._dispersion)
        mu, w, one = fit.fitted_values.to_numpy(), fit._w, int(fit._design.intercept)
        explained = float((w * (mu - (np.average(mu, weights=w) if one else 0.0)) ** 2).sum())
        self.r_squared = self.adj_r_squared = 0.0
        if p > one:
            self.r_squared = explained / (explained + fit.deviance)
            self.adj_r_squared = 1 - (1 - self.r_squared) * ((n - one) / df) if df else math.nan
            value = explained / (p - one) / fit._dispersion
            self.fstatistic = pd.Series([value, p - one, df], ["value", "numdf", "dendf"])
            self._f_pvalue = float(f.sf(value, p - one, df))

    def _format_residuals(self) -> list[str]:
        """Return the lines of the residuals, or of their quartiles if there are many."""
        fit, gap = self._fit, 2 if self._fit.family else 1
        if not fit.df_residual:
            return [f"ALL {fit.rank} residuals are 0: no residual degrees of freedom!"]
        names, values = [str(each) for each in self.residuals.index], self.residuals.to_numpy()
        if many := fit.df_residual > 5:
            names, values = _QUARTILE_LABELS, quantile(values, names=False)
        if many or fit.family:
            values = round_to_largest(values, _SIGNIFICANT_DIGITS + 1)
        return _format_named_cells(names, format_numbers(values, _SIGNIFICANT_DIGITS), gap)

    def __str__(self) -> str:
        fit = self._fit
        rows, columns = self.coefficients.dimnames
        table = format_coefficients(self.coefficients, rows, columns, _SIGNIFICANT_DIGITS, 2, [2], missing_text="NaN")
        if not fit.family:
            weighted = "Weighted " * bool(np.ptp(fit._w))
            error = _format_significant(self.sigma) if fit.df_residual else "NaN"
            lines = [f"{weighted}Residuals:", *self._format_residuals(), "", "Coefficients:", *table, ""]
            lines += [
                f"Residual standard error: {error} on {fit.df_residual} degrees of freedom",
                *_format_omitted_count(fit),
            ]
            if hasattr(self, "fstatistic"):
                value, first, second = self.fstatistic
                adjusted = f"Adjusted R-squared:  {_format_right_aligned(self.adj_r_squared)} "
                lines.append(f"Multiple R-squared:  {_format_right_aligned(self.r_squared)},\t{adjusted}")
                p = format_p_values([self._f_pvalue])[0] if fit.df_residual else "NA"
                lines.append(
                    f"F-statistic: {_format_right_aligned(value)} on {first:g} and {second:g} DF,  p-value: {p}"
                )
            return "\n".join([*_format_call(fit, "\n"), *lines, ""])
        deviances = format_numbers([fit.null_deviance, fit.deviance], 5)
        degrees = format_numbers([fit.df_null, fit.df_residual], 7)
        words = ["    Null deviance:", "Residual deviance:"]
        spread = format_numbers(fit._dispersion, 7)[0]
        lines = ["Deviance Residuals: ", *self._format_residuals(), "", "Coefficients:", *table, ""]
        lines += [f"(Dispersion parameter for {fit.family} family taken to be {spread})", ""]
        lines += [f"{a} {b}  on {c}  degrees of freedom" for a, b, c in zip(words, deviances, degrees)]
        lines += [*_format_omitted_count(fit), f"AIC: {format_numbers(fit.aic, 5)[0]}", ""]
        return "\n".join([*_format_call(fit, "\n"), *lines, f"Number of Fisher Scoring iterations: {fit.iter}", ""])


class Anova(pd.DataFrame):
    """An analysis of variance or deviance table: a data frame with R's names."""

    _metadata = ["heading"]

    def lines(self) -> list[str]:
        """Return R's printed lines."""
        names = [str(each) for each in self.columns]
        tests = [k for k, name in enumerate(names) if name in ("F value", "F")]
        zap = [k for k, name in enumerate(names) if k not in tests and not name.endswith("Df") and name[:2] != "Pr"]
        rows = [str(each) for each in self.index]
        return [*self.heading, *format_coefficients(self.to_numpy(), rows, names, 5, 0, tests, zap, "")]


def _make_anova(heading: str, rows: Value, **columns: Value) -> Anova:
    table = Anova(columns, index=pd.Index(list(rows), dtype=object))
    table.heading = heading.split("\n")
    return table


def anova(object: Model, *others: Model, test: str | None = None) -> Anova:
    """Return the analysis of variance of a linear model's terms, or of nested models, as R's ``anova``.

    For generalized linear models, it is the analysis of deviance, with p-values for ``test="Chisq"``.

    Examples
    --------
    >>> from pydpstat.porting.r import lm
    >>> anova(lm("y ~ x", {"x": [1, 2, 3], "y": [1.0, 3.0, 6.0]}))["Df"].tolist()
    [1, 1]
    """
    models = (object, *others)
    if any(not isinstance(each, Model) or each.family != object.family for each in models):
        raise PydpstatError("the models must be all of lm, or all of glm with one family")
    if len({each._y.size for each in models}) > 1:
        raise PydpstatError("the models must have been fitted to the same rows")
    refuse_unknown("test", test, (None, "Chisq", "LRT") if object.family else (None, "F"))
    return _compare_models(models, test) if others else _test_terms(object, test)


def _compare_models(models: tuple[Model, ...], test: str | None) -> Anova:
    from scipy.stats import chi2, f

    df = np.array([each.df_residual for each in models], dtype=np.float64)
    deviance = np.array([each.deviance for each in models])
    lost, gained = np.append(np.nan, -np.diff(df)), np.append(np.nan, -np.diff(deviance))
    largest = models[int(np.argsort(df, kind="stable")[0])]
    kind = "Deviance" if largest.family else "Variance"
    formulas = [f"Model {i}: {each._design.formula_text}" for i, each in enumerate(models, 1)]
    heading = "\n".join([f"Analysis of {kind} Table", "", *formulas])
    rows = range(1, len(models) + 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(lost == 0, np.nan, gained / largest._dispersion)
        if not largest.family:
            ratio = np.where(ratio / lost < 0, np.nan, ratio / lost)
            tail = f.sf(ratio, np.abs(lost), largest.df_residual)
            columns = {"Res.Df": df, "RSS": deviance, "Df": lost, "Sum of Sq": gained, "F": ratio}
            return _make_anova(heading, rows, **columns, **{"Pr(>F)": tail})
        columns = {"Resid. Df": df, "Resid. Dev": deviance, "Df": lost, "Deviance": gained}
        tail = chi2.sf(ratio * np.sign(lost), np.abs(lost))
    return _make_anova(heading, rows, **columns, **({"Pr(>Chi)": tail} if test else {}))


def _test_terms(fit: Model, test: str | None) -> Anova:
    from scipy.stats import chi2, f

    terms = np.array(fit._design.term_indices)
    order = range(1, int(terms.max(initial=0)) + 1)
    names = [":".join(each) for each in fit._design.terms]
    counts = np.array([(terms == k).sum() for k in order], dtype=np.float64)
    response = format_expression(fit._design.left)  # type: ignore[arg-type]
    if not fit.family:
        squares = np.array([*((fit._effects[: terms.size][terms == k] ** 2).sum() for k in order), fit.deviance])
        df = np.array([*counts.astype(int), fit.df_residual])
        means = squares / df
        value = np.append(means[:-1] / means[-1], np.nan)
        heading = f"Analysis of Variance Table\n\nResponse: {response}"
        columns = {"Df": df, "Sum Sq": squares, "Mean Sq": means, "F value": value}
        tail = f.sf(value, df, fit.df_residual)
        return _make_anova(heading, [*names, "Residuals"], **columns, **{"Pr(>F)": tail})
    deviances, left = [fit.null_deviance], fit._y.size - np.cumsum([fit._design.intercept, *counts])
    for k in order:
        deviances.append(_fit_columns(fit, terms <= k).deviance if k < len(order) else fit.deviance)
    gained, df = np.append(np.nan, -np.diff(deviances)), np.append(np.nan, counts)
    link = {"binomial": "logit", "poisson": "log", "gaussian": "identity"}[str(fit.family)]
    heading = (
        f"Analysis of Deviance Table\n\nModel: {fit.family}, link: {link}\n\nResponse: {response}\n\n"
        "Terms added sequentially (first to last)\n\n"
    )
    columns = {"Df": df, "Deviance": gained, "Resid. Df": left.astype(float), "Resid. Dev": deviances}
    tail = {"Pr(>Chi)": chi2.sf(gained / fit._dispersion, df)} if test else {}
    return _make_anova(heading, ["NULL", *names], **columns, **tail)


def _fit_columns(fit: Model, columns: Array) -> Model:
    """Fit the model with a subset of the columns."""
    smaller = copy.copy(fit)
    smaller._x, smaller.names = fit._x[:, columns], [n for n, kept in zip(fit.names, columns) if kept]
    smaller._fit_iteratively()
    smaller.deviance = smaller._compute_deviance(smaller._invert_link(smaller._x @ smaller._beta))
    return smaller
