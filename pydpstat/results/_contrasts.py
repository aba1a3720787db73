"""Linear combinations of coefficients: tests of hypotheses and predicted means."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from pydpstat._checks import check_alpha
from pydpstat._frozen import ReadOnlyArrays
from pydpstat._lazy import pd
from pydpstat.privacy import Guarantee
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._call import Call
from pydpstat.results._intervals import CONFIDENCE, check_interval_kind
from pydpstat.results._numbers import format_pvalue, format_pvalue_cells
from pydpstat.results._population import NO_COST_NOTE
from pydpstat.results._report import (
    MAX_PAGE_ROWS,
    Facts,
    GuaranteedReport,
    NoTruthValue,
    Plottable,
    Rows,
    format_cell_value,
    make_omission_note,
)
from pydpstat.results._words import describe_mechanism


class Combination(Protocol):
    """Inference for a linear combination of coefficients."""

    @property
    def estimate(self) -> float:
        """Estimate of the combination."""

    @property
    def standard_error(self) -> float:
        """Standard error of the estimate; infinite if the release is uninformative."""

    def compute_pvalue(self, value: float) -> float:
        """Return the two-sided p-value of the hypothesis that the combination equals `value`."""

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the confidence interval."""


class Combinations(Protocol):
    """Factory of linear combinations of the coefficients, in the data's units."""

    def make_combination(self, weights: Floats) -> Combination:
        """Return the combination with these weights."""


class PredictorDesign(Protocol):
    """Design matrix builder for new records: names and public levels only."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coefficients, the constant first."""

    @property
    def source_columns(self) -> Sequence[Any]:
        """Columns of the predictors, each with its name as ``column``."""

    def build_matrix(self, data: object) -> Floats:
        """Return the design matrix of records, of shape (records, coefficients), the constant first."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class CombinationResults(Plottable, GuaranteedReport, ReadOnlyArrays):
    """Inference derived from a regression at no additional privacy cost."""

    claim: Guarantee
    guarantee: Guarantee
    mechanism: str
    reproducible: bool
    record: Call

    _result_name = ""
    # axis labels of the picture
    _axis_labels = "estimate", ""

    @property
    def params(self) -> pd.Series:
        """The estimates as a Series with their names."""
        raise NotImplementedError

    @property
    def estimate(self) -> pd.Series:
        """The estimates as a Series with their names: `params`."""
        return self.params

    def _format_heading(self) -> str:
        return self.record.format_heading(self._result_name)

    def _describe_picture(self, alpha: float) -> object:
        from pydpstat.results._inference_pictures import make_combinations_picture

        return make_combinations_picture(self, alpha)

    def _collect_facts(self) -> Facts:
        return [("Mechanism:", describe_mechanism(self.mechanism))]

    def _make_rows(self) -> Rows:
        frame = self.to_frame().drop(columns="p", errors="ignore")
        columns = {name: list(map(format_cell_value, column.tolist())) for name, column in frame.items()}
        if "p-value" in columns:
            floors = self._get_pvalue_floors()
            columns["p-value"] = [
                format_cell_value(p) if math.isnan(p) else format_pvalue(p, floor)
                for p, floor in zip(frame["p-value"].tolist(), floors)
            ]
        headers = {"lower": "[0.025", "upper": "0.975]"}
        rows = list(map(list, zip(*columns.values())))[:MAX_PAGE_ROWS]
        names = [*self._name_rows(), *map(str, frame.index[len(self.params) :])][:MAX_PAGE_ROWS]
        return Rows(tuple(headers.get(name, name) for name in columns), names, rows)

    def _name_rows(self) -> list[str]:
        """Return the names of the estimates for a picture."""
        return list(map(str, self.params.index))

    def _get_pvalue_floors(self) -> list[float]:
        """Return the smallest attainable p-value of each row's test."""
        raise NotImplementedError

    def _describe_intervals(self) -> str:
        """Describe the coverage of the intervals."""
        return "Each interval stands alone; it covers sampling and noise."

    def _collect_notes(self) -> list[str]:
        guarantee_notes = self._make_guarantee_notes(self.record.function)
        return [
            *guarantee_notes,
            NO_COST_NOTE,
            self._describe_intervals(),
            *make_omission_note(len(self.params)),
            f"Call: {self.call}",
        ]

    def _collect_content(self) -> dict[str, object]:
        frame = self.to_frame().drop(columns="p", errors="ignore")
        return {
            "names": list(map(str, frame.index)),
            **{name.replace(" ", "_").replace("-", ""): frame[name].to_numpy() for name in frame},
            "mechanism": self.mechanism,
            **self._collect_privacy(),
            **self._collect_attributes("reproducible", "call"),
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Contrasts(NoTruthValue, CombinationResults):
    """Individual tests of linear combinations of coefficients."""

    names: tuple[str, ...]
    effect: Floats
    sd: Floats
    null_value: Floats
    parts: tuple[Combination, ...]
    pvalue_floor: float

    _result_name = "Linear hypotheses"
    # texts of hypotheses are long
    _max_name_length = 64
    _condition = "(result.pvalue < 0.05).all()"
    _inner = (*ReadOnlyArrays._inner, "parts")

    @property
    def params(self) -> pd.Series:
        """The combinations' estimates, `effect`, as a Series with the hypotheses' names."""
        return pd.Series(np.array(self.effect), index=list(self.names), name="estimate")

    @property
    def statistic(self) -> Floats:
        """The estimates minus the tested values, divided by the standard errors."""
        return np.asarray((self.effect - self.null_value) / self.sd)

    @property
    def pvalue(self) -> Floats:
        """The two-sided p-values."""
        values = zip(self.parts, self.null_value.tolist())
        return np.array([combination.compute_pvalue(value) for combination, value in values])

    def conf_int(self, alpha: float = 0.05, kind: str | None = None) -> Floats:
        """Return an interval for each combination, of shape (q, 2).

        A limit that cannot be determined is infinite.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that an interval misses; above 0 and at most 0.5.
        kind : {"confidence", "population"}, optional
            The one that there is, by either name.
        """
        check_interval_kind(kind, CONFIDENCE, "a linear hypothesis")
        return _compute_intervals(self.parts, alpha)

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return `summary_frame`, and ``p``, the p-values as the summary prints them."""
        frame = self.summary_frame(alpha)
        return frame.assign(p=format_pvalue_cells(frame["p-value"].tolist(), self._get_pvalue_floors()))

    def summary_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return estimates, standard errors, tests and intervals, with a row for each hypothesis."""
        low, high = self.conf_int(alpha).T
        columns = {"coef": self.effect, "std err": self.sd, "statistic": self.statistic}
        columns |= {"p-value": self.pvalue, "lower": low, "upper": high}
        return pd.DataFrame(columns, index=list(self.names))

    def _get_pvalue_floors(self) -> list[float]:
        return [self.pvalue_floor] * len(self.names)

    def __repr__(self) -> str:
        count = _format_counted_noun(len(self.names), "hypothesis", "hypotheses")
        return f"<Contrasts of {count}, {self._format_guarantee()}>"


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class JointTest(NoTruthValue, CombinationResults):
    """Bonferroni joint test of several linear hypotheses."""

    parts: Contrasts

    _result_name = "Joint test of linear hypotheses"

    @property
    def params(self) -> pd.Series:
        """The combinations' estimates as a Series with the hypotheses' names."""
        return self.parts.params

    @property
    def pvalue(self) -> float:
        """The smallest p-value times the number of hypotheses, at most 1."""
        pvalues = self.parts.pvalue
        return min(1.0, float(pvalues.min()) * len(pvalues))

    @property
    def statistic(self) -> float:
        """The absolute statistic of the smallest p-value; NaN where all of them are uninformative."""
        return abs(float(self.parts.statistic[int(np.argmin(self.parts.pvalue))]))

    def conf_int(self, alpha: float = 0.05, kind: str | None = None) -> Floats:
        """Return Bonferroni intervals for all combinations together, of shape (q, 2).

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that any of them misses; above 0 and at most 0.5.
        kind : {"confidence", "population"}, optional
            The one that there is, by either name.
        """

        return self.parts.conf_int(check_alpha(alpha) / len(self.parts.names), kind)

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return the individual tests, the joint intervals and the joint test's row.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that any of the intervals misses.

        Returns
        -------
        DataFrame
            As in `Contrasts`; the last row, "joint test", has statistic and p-value of the test.
        """
        tests = self.parts.summary_frame(check_alpha(alpha) / len(self.parts.names))
        joint = pd.DataFrame(
            {"statistic": self.statistic, "p-value": self.pvalue}, index=["joint test"], columns=tests.columns
        )
        frame = pd.DataFrame(
            np.vstack([tests.to_numpy(), joint.to_numpy(dtype=np.float64)]),
            index=[*tests.index, "joint test"],
            columns=tests.columns,
        )
        return frame.assign(p=format_pvalue_cells(frame["p-value"].tolist(), self._get_pvalue_floors()))

    def _get_pvalue_floors(self) -> list[float]:
        floors = self.parts._get_pvalue_floors()
        return [*floors, min(1.0, self.parts.pvalue_floor * len(floors))]

    def _describe_intervals(self) -> str:
        return (
            "The joint p-value is the smallest one times the number of hypotheses (Bonferroni), which are "
            "solved for the coefficients that come first, and the intervals hold together."
        )

    def __repr__(self) -> str:
        numbers = f"statistic {self.statistic:.4g}, p-value {self.pvalue:.4g}"
        count = _format_counted_noun(len(self.parts.names), "hypothesis", "hypotheses")
        return f"<JointTest of {count}, Bonferroni: {numbers}, {self._format_guarantee()}>"


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Predictions(CombinationResults):
    """The mean response of new records, with its standard error and interval."""

    predicted_mean: Floats
    se_mean: Floats
    parts: tuple[Combination, ...]
    link: str
    # values of the new records in words
    labels: tuple[str, ...] = ()

    _result_name = "Predicted means"
    _axis_labels = "predicted mean", "new record"
    _max_name_length = 200
    _inner = (*ReadOnlyArrays._inner, "parts", "link", "labels")

    def _name_rows(self) -> list[str]:
        return list(self.labels) or list(map(str, self.params.index))

    @property
    def params(self) -> pd.Series:
        """The means, `predicted_mean`, as a Series by the records' indices, from 0."""
        return pd.Series(np.array(self.predicted_mean), name="mean")

    def conf_int(self, alpha: float = 0.05, kind: str | None = None) -> Floats:
        """Return individual intervals for the means, of shape (m, 2).

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that an interval misses its mean; above 0 and at most 0.5.
        kind : {"confidence", "population"}, optional
            The one that there is, by either name.
        """
        check_interval_kind(kind, CONFIDENCE, "a predicted mean")
        return get_inverse_link(self.link)(_compute_intervals(self.parts, alpha))

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return means, standard errors and intervals of each record, in this package's columns."""
        low, high = self.conf_int(alpha).T
        columns = {"estimate": self.predicted_mean, "std err": self.se_mean, "lower": low, "upper": high}
        return pd.DataFrame(columns).rename_axis("record")

    def summary_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return means, standard errors and intervals of each record, in statsmodels' columns."""
        low, high = self.conf_int(alpha).T
        columns = {"mean": self.predicted_mean, "mean_se": self.se_mean}
        return pd.DataFrame({**columns, "mean_ci_lower": low, "mean_ci_upper": high})

    def __repr__(self) -> str:
        return (
            f"<Predictions of {_format_counted_noun(len(self.parts), 'record', 'records')}, {self._format_guarantee()}>"
        )


def get_inverse_link(link: str) -> Callable[[Floats], Floats]:
    """Return the function that maps linear predictors to means."""
    return (lambda x: x) if link == "identity" else (lambda x: 0.5 * (1.0 + np.tanh(0.5 * x)))


def _format_counted_noun(count: int, singular: str, plural: str) -> str:
    return f"{count} {singular if count == 1 else plural}"


def _compute_intervals(parts: tuple[Combination, ...], alpha: float) -> Floats:

    level = check_alpha(alpha)
    return np.array([combination.compute_limits(level) for combination in parts], dtype=np.float64).reshape(
        len(parts), 2
    )
