"""How a release is shown: its page of numbers, facts and notes, and what `to_dict` has."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import frozen
from pydpstat.mechanisms._noise import summand
from pydpstat.results._columns import table
from pydpstat.results._group_labels import GroupLabels
from pydpstat.results._group_pairs import FurtherResults
from pydpstat.results._population import COUNT
from pydpstat.results._postprocessing import AsDrawn, BetweenEdges, PostProcessing
from pydpstat.results._report import MOST_ROWS, Facts, Rows, left_out, number, one_line
from pydpstat.results._tables import ALL, TABLES
from pydpstat.results._words import mechanism_words, printed, titled

_GONE = "A dash stands for what the noise hides: the noise interval is all that is possible."
_MATRICES = ("corr", "cov")
# of a table of two variables on a page
_MOST_COLUMNS = 8


class ReleasePage(FurtherResults):
    """The part of `pydpstat.results.DPResults` that shows it."""

    __slots__ = ()

    noise_scale: float | npt.NDArray[np.float64]
    sensitivity: float | tuple[float, ...]
    bounds: tuple[object, ...] | None
    post: PostProcessing
    reproducible: bool
    grid: float | None

    @property
    def postprocessing(self) -> tuple[str, ...]:
        """What was done to the noisy value, in order."""
        raise NotImplementedError

    def _way(self) -> str:
        """Return the way to intervals of a statistic that has none here, if there is one."""
        raise NotImplementedError

    def _sizes(self) -> tuple[float, ...] | None:
        raise NotImplementedError

    def _heading(self) -> str:
        return titled(printed(self.statistic), self.record.about(self.labels.about(self.statistic)))

    def _head(self) -> str:
        counted = self.statistic in (COUNT, "histogram", *TABLES) and isinstance(self.post, AsDrawn)
        return COUNT if counted else self._column

    def _counts_units(self) -> bool:
        return self._head() == COUNT and self.noise is not None and bool(summand(self.noise)[0].integer)

    def _wide(self) -> bool:
        """Tell whether a page has the table as a table: one noise for all of its cells."""
        counts = self._head() == COUNT and self.labels.dimnames and self.value.ndim > 1 and self.value.size
        return bool(counts) and self.value.shape[-1] <= _MOST_COLUMNS

    def _left_out(self) -> list[str]:
        if not self._wide():
            return FurtherResults._left_out(self)
        return left_out(self.value.size // self.value.shape[-1], where="wide()")

    def _places(self) -> list[int]:
        places = FurtherResults._places(self)
        if self.statistic not in _MATRICES or self.value.ndim != 2:
            return places
        # of a symmetric matrix each number once, and no correlation of a variable with itself
        size, least = len(self.value), 1 if self.statistic == "corr" else 0
        return [place for place in places if place // size - place % size >= least]

    def _gone(self) -> list[str]:
        why = " The group has few records, or none." if isinstance(self.labels, GroupLabels) else ""
        return [_GONE + why] if any(self._hidden()) else []

    def _omitted(self) -> list[str]:
        return [*FurtherResults._omitted(self), *self._gone()]

    def _hidden(self) -> list[bool]:
        """Tell which values the noise hides, as it does means and shares of a group without records."""
        return _hidden_values(self)[self._places()].tolist()

    def _rows(self, alpha: float = 0.05, most: int | None = MOST_ROWS) -> Rows:
        if not self._wide():
            rows = FurtherResults._rows(self, alpha, most)
            hidden = self._hidden()
            # of a group that may be empty the estimate says nothing either
            kept = 0 if isinstance(self.labels, GroupLabels) else 2
            cells = [
                [*row[:kept], *["-"] * len(row[kept:])] if gone else row
                for row, gone in zip(rows.cells, hidden)
            ]
            return rows._replace(cells=cells) if any(hidden) else rows
        assert self.labels.dimnames
        *first, last = (list(map(str, axis)) for axis in self.labels.dimnames)
        names, heads = [":".join(row) for row in product(*first)][:most], list(map(one_line, last))
        every = self.value.reshape(-1, len(heads))
        values = every[:most]
        if dict(self.record.arguments).get("margins") and self.statistic == "table":
            values = _with_sums(every)[[*range(len(names)), -1]]
            names, heads = [*names, ALL], [*heads, ALL]
        return Rows(tuple(heads), names, table(values.T.tolist()))

    def _facts(self) -> Facts:
        facts = [("Mechanism:", mechanism_words(self.mechanism))]
        if self.noise is not None:
            facts.append(("Noise sd:", _span(self.bse.to_numpy()[self._places()])))
            if isinstance(self.post, AsDrawn):
                # elsewhere these are in the unit of what was released inside
                facts += [
                    ("Noise scale:", _span(self.noise_scale)),
                    ("Sensitivity:", _span(self.sensitivity)),
                ]
        if self.bounds is not None:
            facts.append(("Bounds:", _bounds(self.bounds)))
        return [*facts, ("No. Observations:", "private" if self.nobs is None else str(self.nobs))]

    def _notes(self) -> list[str]:
        covered = (
            f"There is no additive noise with a public distribution, so there is no interval. {self._way()}"
        ).rstrip()
        if self.noise is not None:
            covered = "The interval covers privacy noise only: not sampling, clipping or rounding."
        if self.post.population is not None:
            covered = self._covered()
        if self._wide():
            covered = f"to_frame() has a row for each cell, with its interval. {covered}"
        if isinstance(self.post, BetweenEdges) and self.statistic != "share":
            covered = f"Noise intervals end at edges of cells, whose width the noise sd leaves out. {covered}"
        steps = [f"Post-processing: {', '.join(self.postprocessing)}."] if self.postprocessing else []
        held = self._held(self.record.function)
        return [*held, *self._gone(), covered, *steps, *self._left_out(), f"Call: {self.call}"]

    def _content(self) -> dict[str, object]:
        value, errors = np.ravel(self.value, order="F"), self.bse.to_numpy()
        one, sizes = self.value.ndim == 0, self._sizes()
        return {
            "statistic": self.statistic,
            "estimate": value[0] if one else value,
            "shape": self.value.shape,
            "names": self.labels.elements(self.value),
            "breaks": self.labels.breaks,
            "noise_sd": errors[0] if one else errors,
            "noise_scale": self.noise_scale,
            "mechanism": self.mechanism,
            "sensitivity": self.sensitivity,
            **self._privacy(),
            "bounds": self.bounds,
            "nobs": self.nobs,
            **({} if sizes is None else {"noisy_nobs": sizes[0] if one else sizes}),
            "postprocessing": self.postprocessing,
            "reproducible": self.reproducible,
            "grid": self.grid,
            "call": self.call,
            "r_call": self.r_call,
        }


@lru_cache(maxsize=64)
def _hidden_values(result: ReleasePage) -> npt.NDArray[np.bool_]:
    """Tell which values of a release the noise hides; it never changes, and intervals may take time."""
    within = result.post.within
    if result.noise is None or within is None or result._wide():
        return frozen(np.zeros(result.value.size, dtype=bool))
    low, high = result._interval(0.05)
    every = (low <= within.low) & (high >= within.high) & np.isfinite(within.high)
    return frozen(np.ravel(every, order="F"))


def _with_sums(table: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return a table of two variables with a row and a column of sums."""
    wider = np.column_stack([table, table.sum(axis=1)])
    return np.vstack([wider, wider.sum(axis=0)])


def _span(values: npt.ArrayLike) -> str:
    """Return one number, or the smallest and the largest of several."""
    found = np.unique(np.atleast_1d(values))
    found = found[~np.isnan(found)]
    if not found.size:
        return "-"
    return number(found[0]) if found.size == 1 else f"{number(found.min())} to {number(found.max())}"


def _bounds(bounds: tuple[Any, ...]) -> str:
    if isinstance(bounds[0], tuple):
        return " x ".join(_bounds(pair) for pair in bounds)
    return f"[{number(bounds[0])}, {number(bounds[1])}]"
