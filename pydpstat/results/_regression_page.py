"""Page of a regression: facts, rows and notes, and the content of `to_dict`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from pydpstat._lazy import pd
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._numbers import format_column, format_pvalue, format_pvalue_cells, is_at_floor, make_floor_note
from pydpstat.results._report import (
    MAX_PAGE_ROWS,
    Facts,
    GuaranteedReport,
    NoTruthValue,
    Rows,
    format_cell_value,
    make_omission_note,
)
from pydpstat.results._terms import label_terms
from pydpstat.results._words import describe_mechanism

if TYPE_CHECKING:
    from pydpstat.privacy import Guarantee
    from pydpstat.results._call import Call
    from pydpstat.results._contrasts import Combinations, PredictorDesign
    from pydpstat.results._intervals import Interval

_FIT_TITLES = {"rsquared": "R-squared", "rsquared_adj": "Adj. R-squared", "scale": "Scale"}
_MODEL_ADJECTIVES = {"Logit": "Logistic"}
_SCORE_TEST_NOTE = (
    "P-values are of score tests whose distribution includes the noise, not of the normal distribution of "
    "coef / std err."
)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class RegressionPage(NoTruthValue, GuaranteedReport):
    """Fields and page of `pydpstat.results.RegressionResults`."""

    model: str
    method: str
    response: str
    names: tuple[str, ...]
    _coef: Floats | None
    _errors: Floats
    null: float
    _tested: tuple[str, ...]
    _statistics: Floats
    _probabilities: Floats | None
    pvalue_floor: float = 0.0
    _intervals: tuple[Interval | None, ...]
    _labels: tuple[str, ...]
    _fit: tuple[tuple[str, float], ...] = ()
    _design: PredictorDesign
    _link: str = "identity"
    _combinations: Combinations | None = None
    assumptions: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    released: tuple[tuple[str, float], ...]
    mechanism: str
    noise_scale: float | Floats
    claim: Guarantee
    guarantee: Guarantee
    bounds: tuple[object, ...] | None
    nobs: int | None
    reproducible: bool
    record: Call

    # names of terms are not cut
    _max_name_length = 200
    _condition = "result.pvalues['x'] < 0.05 for a coefficient x"

    def _compute_pvalues(self) -> Floats:
        """Return the p-values of the tested coefficients."""
        raise NotImplementedError

    def conf_int(self, alpha: float = 0.05, kind: str | None = None) -> pd.DataFrame:
        """Return the confidence intervals of the coefficients."""
        raise NotImplementedError

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return estimates, standard errors, tests and intervals by coefficient.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability that an interval misses its coefficient.

        Returns
        -------
        DataFrame
            Columns ``coef``, ``std err``, ``statistic``, ``p-value``, ``lower`` and ``upper``, NaN where
            there is none, and ``p``, the p-value as the summary prints it, such as ``< 1e-06``; of a
            release for tests alone ``statistic``, ``p-value`` and ``p``.

        See Also
        --------
        RegressionResults.conf_int : the intervals alone.

        Examples
        --------
        >>> import numpy as np, pydpstat
        >>> x = np.linspace(0, 1, 500)
        >>> r = pydpstat.ols(0.5 * x, x, 1.0, bounds=[(0, 1), (0, 1)], method="rank", rng=1)
        >>> list(r.to_frame().columns)
        ['statistic', 'p-value', 'p']
        """
        tested = list(self._tested)
        frame = pd.DataFrame({"statistic": self._statistics + 0.0, "p-value": self._compute_pvalues()}, index=tested)
        if self._coef is not None:
            estimates = {"coef": self._coef + 0.0, "std err": self._errors}
            table = pd.DataFrame(estimates, index=list(self.names)).join(frame)
            frame = table.join(self.conf_int(alpha).set_axis(["lower", "upper"], axis=1))
        return frame.assign(p=format_pvalue_cells(frame["p-value"].tolist(), repeat(self.pvalue_floor)))

    def _format_heading(self) -> str:
        subject = self.record.describe_subject(self.response) or self.response
        return f"{_MODEL_ADJECTIVES.get(self.model, self.model)} regression of {subject}"

    def _collect_facts(self) -> Facts:
        return [
            ("Method:", self.method),
            ("No. Observations:", "private" if self.nobs is None else str(self.nobs)),
            *((f"{_FIT_TITLES.get(n, n)}:", format_cell_value(v)) for n, v in self._fit),
            ("Mechanism:", describe_mechanism(self.mechanism)),
        ]

    def _make_all_rows(self) -> Rows:
        return self._make_rows(max_rows=None)

    def _collect_omissions(self) -> list[str]:
        has_hidden = self._coef is None or bool(np.isnan(self._coef).any())
        return [*make_omission_note(len(self.names), where="params"), *(self.remarks if has_hidden else ())]

    def _make_rows(self, alpha: float = 0.05, max_rows: int | None = MAX_PAGE_ROWS) -> Rows:
        frame = self.to_frame(alpha)[:max_rows].drop(columns="p")
        if self._coef is not None:
            # a missing estimate has no standard error
            frame["std err"] = frame["std err"].where(frame["coef"].notna())
            frame[["lower", "upper"]] = frame[["lower", "upper"]].where(np.isfinite(frame["std err"]))
        columns = {name: format_column(values.tolist()) for name, values in frame.items()}
        pvalues = frame["p-value"].tolist()
        columns["p-value"] = [
            format_cell_value(pvalue) if math.isnan(pvalue) else format_pvalue(pvalue, self.pvalue_floor)
            for pvalue in pvalues
        ]
        labels = dict(zip(self.names, label_terms(self.names)))
        headers = {"p-value": "P>|stat|", "lower": f"[{alpha / 2:.4g}", "upper": f"{1 - alpha / 2:.4g}]"}
        rows = list(map(list, zip(*columns.values())))
        return Rows(tuple(headers.get(name, name) for name in columns), [labels[name] for name in frame.index], rows)

    def _collect_notes(self) -> list[str]:
        kinds = sorted(set(self._labels))
        lines = [
            *self._make_guarantee_notes(self.record.function),
            f"Validity: {', '.join(kinds)}; see the documentation.",
        ]
        if self.assumptions:
            lines.append(f"Assumptions: {'; '.join(self.assumptions)}.")
        if self.method != "rank":
            lines.append(_SCORE_TEST_NOTE)
        if any(is_at_floor(pvalue, self.pvalue_floor) for pvalue in self._compute_pvalues().tolist()):
            lines.append(make_floor_note(self.pvalue_floor))
        named = [name for name, label in zip(self.names, label_terms(self.names)) if name != label]
        if named:
            lines.append(f"Coefficients have statsmodels' names in params and hypotheses, such as {named[0]!r}.")
        return [
            *lines,
            *self.remarks,
            *make_omission_note(len(self.names), where="params"),
            f"Call: {self.call}",
        ]

    def _collect_content(self) -> dict[str, object]:
        tested = zip(self._tested, self._statistics.tolist(), self._compute_pvalues().tolist())
        return {
            **self._collect_attributes("model", "method", "response"),
            "params": None if self._coef is None else dict(zip(self.names, self._coef.tolist())),
            "bse": dict(zip(self.names, self._errors.tolist())),
            **self._collect_attributes("null", "pvalue_floor"),
            "tests": {name: {"statistic": s, "pvalue": p} for name, s, p in tested},
            "validity": dict(zip(self.names, self._labels)),
            **dict(self._fit),
            **self._collect_attributes("assumptions", "remarks"),
            "released": dict(self.released),
            **self._collect_attributes("mechanism", "noise_scale"),
            **self._collect_privacy(),
            **self._collect_attributes("bounds", "nobs", "reproducible", "call"),
        }
