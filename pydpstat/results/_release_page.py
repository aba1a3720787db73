"""Page of a release: facts, rows and notes, and the content of `to_dict`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import freeze_array
from pydpstat.mechanisms._noise import get_summand
from pydpstat.results._estimates import has_unlike_scales, make_noise_frame, make_noise_rows
from pydpstat.results._intervals import VALIDITY_MEANINGS
from pydpstat.results._labels import GroupLabels
from pydpstat.results._numbers import Rows, format_column, format_rows
from pydpstat.results._population import COUNT_COLUMN, MAX_PAGE_INTERVALS, HasSubject
from pydpstat.results._postprocessing import DerivedValue, NoisyValue, ValueWithIntervals
from pydpstat.results._release_intervals import suggest_intervals
from pydpstat.results._released import ReleasedValue
from pydpstat.results._report import Facts, format_cell_value, format_significant, make_omission_note, trim_name
from pydpstat.results._shapes import TABLE_STATISTICS
from pydpstat.results._words import describe_mechanism, format_title, get_printed_name

if TYPE_CHECKING:
    import pandas as pd

# name of the level of sums in frames
SUM_LEVEL = "All"
_HIDDEN_NOTE = "A dash stands for what the noise hides: the noise interval is all that is possible."
_MORE_INTERVALS_NOTE = "Confidence intervals for the population are in to_frame() and conf_int(kind='population')."
_MATRIX_STATISTICS = ("corr", "cov")
# maximum number of columns of a table in wide form
_MAX_WIDE_COLUMNS = 8


@dataclass(frozen=True, slots=True)
class ReleasePage:
    """Facts, rows and notes of a release's page."""

    result: ReleasedValue

    def format_heading(self) -> str:
        """Return the name of the statistic with its variables."""
        result = self.result
        return format_title(
            get_printed_name(result.statistic),
            result.record.describe_subject(result.labels.describe_variables(result.statistic)),
        )

    def format_line(self) -> str:
        """Return a single number on one line, with its noise and its guarantee."""
        result = self.result
        sd = "" if result.noise is None else f", noise sd {format_cell_value(float(result.bse.iloc[0]))}"
        shown = format_column([result.value.item()])[0]
        line = f"{result._format_heading()}: {shown}{sd}, {result._format_guarantee()}"
        return "\n".join([line, *result._make_contribution_notes(brief=True)])

    def get_value_heading(self) -> str:
        """Return the heading of the values' column."""
        result = self.result
        is_count = result.statistic in (COUNT_COLUMN, "histogram", *TABLE_STATISTICS)
        return COUNT_COLUMN if is_count and isinstance(result.post, NoisyValue) else "estimate"

    def has_integer_counts(self) -> bool:
        """Return whether the values are counts with integer noise."""
        noise = self.result.noise
        return self.get_value_heading() == COUNT_COLUMN and noise is not None and bool(get_summand(noise)[0].integer)

    def is_wide_table(self) -> bool:
        """Return whether the page shows counts in wide form, a column per level of the last variable."""
        value = self.result.value
        has_cells = (
            self.get_value_heading() == COUNT_COLUMN and self.result.labels.dimnames and value.ndim > 1 and value.size
        )
        return bool(has_cells) and value.shape[-1] <= _MAX_WIDE_COLUMNS

    def get_row_positions(self) -> list[int]:
        """Return the indices of the values that have a row on the page."""
        value, statistic = self.result.value, self.result.statistic
        positions = list(range(value.size))
        if statistic not in _MATRIX_STATISTICS or value.ndim != 2:
            return positions
        # the lower triangle of a symmetric matrix, without the diagonal of correlations
        size, offset = len(value), 1 if statistic == "corr" else 0
        return [position for position in positions if position // size - position % size >= offset]

    def _make_omission_notes(self) -> list[str]:
        if not self.is_wide_table():
            return make_omission_note(len(self.get_row_positions()))
        value = self.result.value
        return make_omission_note(value.size // value.shape[-1], where="wide()")

    def _make_hidden_notes(self) -> list[str]:
        reason = " The group has few records, or none." if isinstance(self.result.labels, GroupLabels) else ""
        return [_HIDDEN_NOTE + reason] if any(self._find_hidden_rows()) else []

    def collect_omissions(self) -> list[str]:
        """Return notes on rows and intervals that the page omits."""
        has_more = self.result.post.population is not None and len(self.get_row_positions()) > MAX_PAGE_INTERVALS
        return [*self._make_omission_notes(), *([_MORE_INTERVALS_NOTE] if has_more else []), *self._make_hidden_notes()]

    def _find_hidden_rows(self) -> list[bool]:
        """Return which rows are hidden by the noise, such as means of a group without records."""
        return _find_hidden_values(self.result)[self.get_row_positions()].tolist()

    def make_noise_frame(self, alpha: float) -> pd.DataFrame:
        """Return a frame of values with their noise intervals."""
        result = self.result
        limits = None if result.noise is None else result._compute_interval(alpha)
        return make_noise_frame("estimate", result.params, result.bse, limits, self.has_integer_counts())

    def add_population_intervals(self, frame: pd.DataFrame, alpha: float) -> pd.DataFrame:
        """Return a frame extended by the population intervals."""
        low, high = (np.ravel(limit, order="F") for limit in self.result._compute_population_interval(alpha))
        if self.get_value_heading() == COUNT_COLUMN:
            # population intervals of counts are intervals of shares
            return frame.assign(**{"share": self.get_shares(), "share lower": low, "share upper": high})
        return frame.assign(lower=low, upper=high)

    def make_rows(self, alpha: float, max_rows: int | None) -> Rows:
        """Return the column headers, row names and cells of the table."""
        if self.is_wide_table():
            return self._make_wide_rows(max_rows)
        rows = self._make_value_rows(alpha, max_rows)
        hidden = self._find_hidden_rows()
        # the estimate of a group that may be empty is hidden as well
        n_shown = 0 if isinstance(self.result.labels, GroupLabels) else 2
        cells = [
            [*row[:n_shown], *["-"] * len(row[n_shown:])] if is_hidden else row
            for row, is_hidden in zip(rows.cells, hidden)
        ]
        return rows._replace(cells=cells) if any(hidden) else rows

    def _make_value_rows(self, alpha: float, max_rows: int | None) -> Rows:
        result, positions = self.result, self.get_row_positions()
        shown = positions[:max_rows]
        names, by_row = result.labels.name_elements(result.value), has_unlike_scales(result.bse)
        frame = self.make_noise_frame(alpha).iloc[shown]
        rows = make_noise_rows(frame, self.get_value_heading(), [names[position] for position in shown], alpha, by_row)
        if result.post.population is None or max_rows is not None and len(positions) > MAX_PAGE_INTERVALS:
            return rows
        low, high = f"[{alpha / 2:.4g}", f"{1 - alpha / 2:.4g}]"
        columns = [np.ravel(limit, order="F") for limit in result._compute_population_interval(alpha)]
        headers = (*rows.headers, f"population {low}", high)
        if self.get_value_heading() == COUNT_COLUMN:
            # population intervals of counts are intervals of shares
            columns.insert(0, self.get_shares())
            headers = (*rows.headers, "share", low, high)
        cells = format_rows([column[positions].tolist() for column in columns], by_row)
        return Rows(headers, rows.names, [[*row, *added] for row, added in zip(rows.cells, cells)])

    def get_shares(self) -> npt.NDArray[np.float64]:
        """Return the estimated shares that the population intervals of counts cover."""
        population: Any = self.result.post.population
        return np.ravel(population.estimates, order="F")

    def _make_wide_rows(self, max_rows: int | None) -> Rows:
        result = self.result
        assert result.labels.dimnames
        *row_levels, column_levels = (list(map(str, axis)) for axis in result.labels.dimnames)
        names, headers = [":".join(row) for row in product(*row_levels)][:max_rows], list(map(trim_name, column_levels))
        table = result.value.reshape(-1, len(headers))
        values = table[:max_rows]
        if dict(result.record.arguments).get("margins") and result.statistic == "table":
            values = _add_sums(table)[[*range(len(names)), -1]]
            names, headers = [*names, SUM_LEVEL], [*headers, SUM_LEVEL]
        return Rows(tuple(headers), names, format_rows(values.T.tolist()))

    def collect_facts(self) -> Facts:
        """Return the facts below the numbers, as pairs of name and value."""
        result = self.result
        facts = [("Mechanism:", describe_mechanism(result.mechanism))]
        if result.noise is not None:
            facts.append(("Noise sd:", _format_range(result.bse.to_numpy()[self.get_row_positions()])))
            if isinstance(result.post, NoisyValue):
                # otherwise these are in the units of the noisy quantities
                facts += [
                    ("Noise scale:", _format_range(result.noise_scale)),
                    ("Sensitivity:", _format_range(result.sensitivity)),
                ]
        if result.bounds is not None:
            facts.append(("Bounds:", _format_bounds(result.bounds)))
        return [*facts, ("No. Observations:", "private" if result.nobs is None else str(result.nobs))]

    def collect_notes(self) -> list[str]:
        """Return the notes below the table."""
        result = self.result
        coverage = "There is no additive noise with a public distribution, so there is no interval."
        coverage = f"{coverage} {suggest_intervals(result.statistic)}".rstrip()
        if result.noise is not None:
            coverage = "The interval covers privacy noise only: not sampling, clipping or rounding."
        if result.post.population is not None:
            coverage = self._describe_coverage()
        if self.is_wide_table():
            coverage = f"to_frame() has a row for each cell, with its interval. {coverage}"
        if isinstance(result.post, ValueWithIntervals) and result.statistic != "share":
            coverage = f"Noise intervals end at edges of cells, whose width the noise sd leaves out. {coverage}"
        steps = [f"Post-processing: {', '.join(result.postprocessing)}."] if result.postprocessing else []
        guarantee_notes = result._make_guarantee_notes(result.record.function)
        omission_notes = self._make_omission_notes()
        return [*guarantee_notes, *self._make_hidden_notes(), coverage, *steps, *omission_notes, f"Call: {result.call}"]

    def _describe_coverage(self) -> str:
        """Describe the coverage of both kinds of intervals, and the validity of the second."""
        population: Any = self.result.post.population
        subject = population.subject if isinstance(population, HasSubject) else ""
        text = (
            "Noise intervals cover privacy noise only. Confidence intervals for "
            f"{subject or 'the population'} cover sampling as well: {VALIDITY_MEANINGS[population.validity]}."
        )
        if len(self.get_row_positions()) > MAX_PAGE_INTERVALS:
            text += f" {_MORE_INTERVALS_NOTE}"
        if population.assumptions:
            text += f" Assumptions: {'; '.join(population.assumptions)}."
        return text

    def collect_content(self) -> dict[str, object]:
        """Return the content of `to_dict`, in order."""
        result = self.result
        value, errors = np.ravel(result.value, order="F"), result.bse.to_numpy()
        is_scalar, sizes = result.value.ndim == 0, get_noisy_sizes(result)
        return {
            "statistic": result.statistic,
            "estimate": value[0] if is_scalar else value,
            "shape": result.value.shape,
            "names": result.labels.name_elements(result.value),
            "breaks": result.labels.breaks,
            "noise_sd": errors[0] if is_scalar else errors,
            **result._collect_attributes("noise_scale", "mechanism", "sensitivity"),
            **result._collect_privacy(),
            **result._collect_attributes("bounds", "nobs"),
            **({} if sizes is None else {"noisy_nobs": sizes[0] if is_scalar else sizes}),
            **result._collect_attributes("postprocessing", "reproducible", "grid", "call", "r_call"),
        }


def get_noisy_sizes(result: ReleasedValue) -> tuple[float, ...] | None:
    """Return the noisy number of records of each value, or None if there are none."""
    return result.post.sizes if isinstance(result.post, DerivedValue) else None


@lru_cache(maxsize=64)
def _find_hidden_values(result: ReleasedValue) -> npt.NDArray[np.bool_]:
    """Return which values have a noise interval that covers the parameter's range; cached by release."""
    within = result.post.within
    if result.noise is None or within is None or ReleasePage(result).is_wide_table():
        return freeze_array(np.zeros(result.value.size, dtype=bool))
    low, high = result._compute_interval(0.05)
    hidden = (low <= within.low) & (high >= within.high) & np.isfinite(within.high)
    return freeze_array(np.ravel(hidden, order="F"))


def _add_sums(table: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return a table of two variables with a row and a column of sums."""
    extended = np.column_stack([table, table.sum(axis=1)])
    return np.vstack([extended, extended.sum(axis=0)])


def _format_range(values: npt.ArrayLike) -> str:
    """Format one number, or the range of several."""
    distinct = np.unique(np.atleast_1d(values))
    distinct = distinct[~np.isnan(distinct)]
    if not distinct.size:
        return "-"
    return (
        format_significant(distinct[0])
        if distinct.size == 1
        else f"{format_significant(distinct.min())} to {format_significant(distinct.max())}"
    )


def _format_bounds(bounds: tuple[Any, ...]) -> str:
    if isinstance(bounds[0], tuple):
        return " x ".join(_format_bounds(pair) for pair in bounds)
    return f"[{format_significant(bounds[0])}, {format_significant(bounds[1])}]"
