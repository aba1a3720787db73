"""The page of a release: its facts, rows and notes, and what `to_dict` has."""

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

# sums are called so in frames
SUM_LEVEL = "All"
_HIDDEN_NOTE = "A dash stands for what the noise hides: the noise interval is all that is possible."
_MORE_INTERVALS_NOTE = "Confidence intervals for the population are in to_frame() and conf_int(kind='population')."
_MATRIX_STATISTICS = ("corr", "cov")
# of a table of two variables on a page
_MAX_WIDE_COLUMNS = 8


@dataclass(frozen=True, slots=True)
class ReleasePage:
    """What a page says of a release."""

    result: ReleasedValue

    def format_heading(self) -> str:
        """Return what was released, of which variables."""
        result = self.result
        return format_title(
            get_printed_name(result.statistic),
            result.record.describe_subject(result.labels.describe_variables(result.statistic)),
        )

    def format_line(self) -> str:
        """Return a single number in a line, with its noise and its guarantee."""
        result = self.result
        sd = "" if result.noise is None else f", noise sd {format_cell_value(float(result.bse.iloc[0]))}"
        shown = format_column([result.value.item()])[0]
        line = f"{result._format_heading()}: {shown}{sd}, {result._format_guarantee()}"
        return "\n".join([line, *result._make_contribution_notes(brief=True)])

    def get_value_heading(self) -> str:
        """Return what the values' column is called."""
        result = self.result
        counted = result.statistic in (COUNT_COLUMN, "histogram", *TABLE_STATISTICS)
        return COUNT_COLUMN if counted and isinstance(result.post, NoisyValue) else "estimate"

    def has_integer_counts(self) -> bool:
        """Tell whether the values are counts that noise leaves whole."""
        noise = self.result.noise
        return self.get_value_heading() == COUNT_COLUMN and noise is not None and bool(get_summand(noise)[0].integer)

    def is_wide_table(self) -> bool:
        """Tell whether the page has the table as a table: one noise for all of its cells."""
        value = self.result.value
        counts = (
            self.get_value_heading() == COUNT_COLUMN and self.result.labels.dimnames and value.ndim > 1 and value.size
        )
        return bool(counts) and value.shape[-1] <= _MAX_WIDE_COLUMNS

    def get_row_positions(self) -> list[int]:
        """Return the places of the values that the page has rows for."""
        value, statistic = self.result.value, self.result.statistic
        places = list(range(value.size))
        if statistic not in _MATRIX_STATISTICS or value.ndim != 2:
            return places
        # of a symmetric matrix each number once, and no correlation of a variable with itself
        size, least = len(value), 1 if statistic == "corr" else 0
        return [place for place in places if place // size - place % size >= least]

    def _make_omission_notes(self) -> list[str]:
        if not self.is_wide_table():
            return make_omission_note(len(self.get_row_positions()))
        value = self.result.value
        return make_omission_note(value.size // value.shape[-1], where="wide()")

    def _make_hidden_notes(self) -> list[str]:
        why = " The group has few records, or none." if isinstance(self.result.labels, GroupLabels) else ""
        return [_HIDDEN_NOTE + why] if any(self._find_hidden_rows()) else []

    def collect_omissions(self) -> list[str]:
        """Return notes on what the page has no place for."""
        more = self.result.post.population is not None and len(self.get_row_positions()) > MAX_PAGE_INTERVALS
        return [*self._make_omission_notes(), *([_MORE_INTERVALS_NOTE] if more else []), *self._make_hidden_notes()]

    def _find_hidden_rows(self) -> list[bool]:
        """Tell which values the noise hides, as it does means and shares of a group without records."""
        return _find_hidden_values(self.result)[self.get_row_positions()].tolist()

    def make_noise_frame(self, alpha: float) -> pd.DataFrame:
        """Return values with the intervals of the noise."""
        result = self.result
        limits = None if result.noise is None else result._compute_interval(alpha)
        return make_noise_frame("estimate", result.params, result.bse, limits, self.has_integer_counts())

    def add_population_intervals(self, frame: pd.DataFrame, alpha: float) -> pd.DataFrame:
        """Return a frame with the intervals for the population, too."""
        low, high = (np.ravel(end, order="F") for end in self.result._compute_population_interval(alpha))
        if self.get_value_heading() == COUNT_COLUMN:
            # of counts the population has shares
            return frame.assign(**{"share": self.get_shares(), "share lower": low, "share upper": high})
        return frame.assign(lower=low, upper=high)

    def make_rows(self, alpha: float, max_rows: int | None) -> Rows:
        """State the columns' heads, the rows' names and their cells."""
        if self.is_wide_table():
            return self._make_wide_rows(max_rows)
        rows = self._make_value_rows(alpha, max_rows)
        hidden = self._find_hidden_rows()
        # of a group that may be empty the estimate says nothing either
        kept = 0 if isinstance(self.result.labels, GroupLabels) else 2
        cells = [[*row[:kept], *["-"] * len(row[kept:])] if gone else row for row, gone in zip(rows.cells, hidden)]
        return rows._replace(cells=cells) if any(hidden) else rows

    def _make_value_rows(self, alpha: float, max_rows: int | None) -> Rows:
        result, every = self.result, self.get_row_positions()
        places = every[:max_rows]
        names, by_row = result.labels.name_elements(result.value), has_unlike_scales(result.bse)
        frame = self.make_noise_frame(alpha).iloc[places]
        rows = make_noise_rows(frame, self.get_value_heading(), [names[place] for place in places], alpha, by_row)
        if result.post.population is None or max_rows is not None and len(every) > MAX_PAGE_INTERVALS:
            return rows
        low, high = f"[{alpha / 2:.4g}", f"{1 - alpha / 2:.4g}]"
        found = [np.ravel(end, order="F") for end in result._compute_population_interval(alpha)]
        more = (*rows.headers, f"population {low}", high)
        if self.get_value_heading() == COUNT_COLUMN:
            # of counts the population has shares
            found.insert(0, self.get_shares())
            more = (*rows.headers, "share", low, high)
        added = format_rows([each[every].tolist() for each in found], by_row)
        return Rows(more, rows.names, [[*row, *each] for row, each in zip(rows.cells, added)])

    def get_shares(self) -> npt.NDArray[np.float64]:
        """Return the shares of counts, whose intervals are those of the population."""
        known: Any = self.result.post.population
        return np.ravel(known.estimates, order="F")

    def _make_wide_rows(self, max_rows: int | None) -> Rows:
        result = self.result
        assert result.labels.dimnames
        *first, last = (list(map(str, axis)) for axis in result.labels.dimnames)
        names, heads = [":".join(row) for row in product(*first)][:max_rows], list(map(trim_name, last))
        every = result.value.reshape(-1, len(heads))
        values = every[:max_rows]
        if dict(result.record.arguments).get("margins") and result.statistic == "table":
            values = _add_sums(every)[[*range(len(names)), -1]]
            names, heads = [*names, SUM_LEVEL], [*heads, SUM_LEVEL]
        return Rows(tuple(heads), names, format_rows(values.T.tolist()))

    def collect_facts(self) -> Facts:
        """State the names and values below the numbers."""
        result = self.result
        facts = [("Mechanism:", describe_mechanism(result.mechanism))]
        if result.noise is not None:
            facts.append(("Noise sd:", _format_range(result.bse.to_numpy()[self.get_row_positions()])))
            if isinstance(result.post, NoisyValue):
                # elsewhere these are in the unit of what was released inside
                facts += [
                    ("Noise scale:", _format_range(result.noise_scale)),
                    ("Sensitivity:", _format_range(result.sensitivity)),
                ]
        if result.bounds is not None:
            facts.append(("Bounds:", _format_bounds(result.bounds)))
        return [*facts, ("No. Observations:", "private" if result.nobs is None else str(result.nobs))]

    def collect_notes(self) -> list[str]:
        """State the lines below the table."""
        result = self.result
        covered = "There is no additive noise with a public distribution, so there is no interval."
        covered = f"{covered} {suggest_intervals(result.statistic)}".rstrip()
        if result.noise is not None:
            covered = "The interval covers privacy noise only: not sampling, clipping or rounding."
        if result.post.population is not None:
            covered = self._describe_coverage()
        if self.is_wide_table():
            covered = f"to_frame() has a row for each cell, with its interval. {covered}"
        if isinstance(result.post, ValueWithIntervals) and result.statistic != "share":
            covered = f"Noise intervals end at edges of cells, whose width the noise sd leaves out. {covered}"
        steps = [f"Post-processing: {', '.join(result.postprocessing)}."] if result.postprocessing else []
        held = result._make_guarantee_notes(result.record.function)
        omitted = self._make_omission_notes()
        return [*held, *self._make_hidden_notes(), covered, *steps, *omitted, f"Call: {result.call}"]

    def _describe_coverage(self) -> str:
        """Return what the two kinds of intervals cover, and how far the second can be trusted."""
        population: Any = self.result.post.population
        what = population.subject if isinstance(population, HasSubject) else ""
        told = (
            "Noise intervals cover privacy noise only. Confidence intervals for "
            f"{what or 'the population'} cover sampling as well: {VALIDITY_MEANINGS[population.validity]}."
        )
        if len(self.get_row_positions()) > MAX_PAGE_INTERVALS:
            told += f" {_MORE_INTERVALS_NOTE}"
        if population.assumptions:
            told += f" Assumptions: {'; '.join(population.assumptions)}."
        return told

    def collect_content(self) -> dict[str, object]:
        """State what `to_dict` has, by name and in order."""
        result = self.result
        value, errors = np.ravel(result.value, order="F"), result.bse.to_numpy()
        one, sizes = result.value.ndim == 0, get_noisy_sizes(result)
        return {
            "statistic": result.statistic,
            "estimate": value[0] if one else value,
            "shape": result.value.shape,
            "names": result.labels.name_elements(result.value),
            "breaks": result.labels.breaks,
            "noise_sd": errors[0] if one else errors,
            **result._collect_attributes("noise_scale", "mechanism", "sensitivity"),
            **result._collect_privacy(),
            **result._collect_attributes("bounds", "nobs"),
            **({} if sizes is None else {"noisy_nobs": sizes[0] if one else sizes}),
            **result._collect_attributes("postprocessing", "reproducible", "grid", "call", "r_call"),
        }


def get_noisy_sizes(result: ReleasedValue) -> tuple[float, ...] | None:
    """Return the noisy numbers of records behind values; None where the release has none."""
    return result.post.sizes if isinstance(result.post, DerivedValue) else None


@lru_cache(maxsize=64)
def _find_hidden_values(result: ReleasedValue) -> npt.NDArray[np.bool_]:
    """Tell which values of a release the noise hides; it never changes, and intervals may take time."""
    within = result.post.within
    if result.noise is None or within is None or ReleasePage(result).is_wide_table():
        return freeze_array(np.zeros(result.value.size, dtype=bool))
    low, high = result._compute_interval(0.05)
    every = (low <= within.low) & (high >= within.high) & np.isfinite(within.high)
    return freeze_array(np.ravel(every, order="F"))


def _add_sums(table: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return a table of two variables with a row and a column of sums."""
    wider = np.column_stack([table, table.sum(axis=1)])
    return np.vstack([wider, wider.sum(axis=0)])


def _format_range(values: npt.ArrayLike) -> str:
    """Return one number, or the smallest and the largest of several."""
    found = np.unique(np.atleast_1d(values))
    found = found[~np.isnan(found)]
    if not found.size:
        return "-"
    return (
        format_significant(found[0])
        if found.size == 1
        else f"{format_significant(found.min())} to {format_significant(found.max())}"
    )


def _format_bounds(bounds: tuple[Any, ...]) -> str:
    if isinstance(bounds[0], tuple):
        return " x ".join(_format_bounds(pair) for pair in bounds)
    return f"[{format_significant(bounds[0])}, {format_significant(bounds[1])}]"
