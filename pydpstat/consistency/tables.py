"""Reading of tables (arrays, frames, Series, releases) with the labels of their axes, and fitted tables."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._answering import explain_frozen_changes
from pydpstat._checks import to_array
from pydpstat._data.containers import find_library, has_columns, is_frame, is_series, to_floats
from pydpstat._data.native import to_pandas_or_numpy
from pydpstat._data.values import fill_masked
from pydpstat._frozen import ReadOnlyArrays
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError
from pydpstat.results._labels import Labels
from pydpstat.results._report import Facts, Report, Rows, format_significant
from pydpstat.results.results import DPResults

NO_PRIVACY_COST = "post-processing of the given numbers: it costs no privacy budget"


@dataclass(frozen=True)
class TableForm(ReadOnlyArrays):
    """Form in which a table was given, so that results are returned in the same form.

    It has the `labels` of a release, or the index of pandas objects; `codes` are the positions of a Series' cells.
    """

    names: tuple[Hashable, ...]
    levels: tuple[object, ...]
    labels: Labels | None = None
    index: pd.Index | None = None
    columns: pd.Index | None = None
    name: Hashable = None
    codes: tuple[np.ndarray, ...] | None = None

    def wrap_values(self, values: np.ndarray) -> np.ndarray | pd.Series | pd.DataFrame:
        """Return an array of the table's shape in the table's form."""
        if self.labels is None and self.index is None:
            return values.copy()

        if self.labels is not None:
            table = self.labels.to_pandas(values.astype(np.float64))
            if values.dtype.kind != "i":
                return table
            return table.astype(np.int64) if hasattr(table, "astype") else replace(table, counts=values.copy())
        if self.columns is not None:
            return pd.DataFrame(values.copy(), index=self.index, columns=self.columns)
        cells = values.copy() if self.codes is None else values[self.codes]
        return pd.Series(cells, index=self.index, name=self.name)


def read_table(
    table: object, name: str = "table", *, allow_missing_cells: bool = False
) -> tuple[np.ndarray, TableForm]:
    """Read a table of finite numbers: a copy in C order, and its form.

    A Series has one dimension for each index level; with `allow_missing_cells`, missing combinations count as 0.
    """
    if isinstance(table, DPResults):
        return _read_release(table, name)
    table = to_pandas_or_numpy(table, name)
    # a Dask frame does not have its rows in memory
    if is_frame(table) and not find_library(table):
        _check_single_level(table.index, name)
        _check_single_level(table.columns, name)
        form = TableForm(
            (table.index.name, table.columns.name),
            (table.index, table.columns),
            index=table.index,
            columns=table.columns,
        )
        return read_numbers(table, name), form
    if is_series(table) and not find_library(table):
        return _read_series(table, name, allow_missing_cells)
    values = read_numbers(table, name)
    return values, TableForm((None,) * values.ndim, (None,) * values.ndim)


def read_numbers(table: Any, name: str, min_dimensions: int = 1, *, private: bool = False) -> np.ndarray:
    """Return finite numbers as a new array of floats, in C order; messages have no counts if `private`."""
    table = to_pandas_or_numpy(table, name)
    if find_library(table):
        array = np.array([""])
    elif hasattr(table, "to_numpy") and (hasattr(table, "dtypes") or hasattr(table, "dtype")):
        kinds = {dtype.kind for dtype in (table.dtypes if has_columns(table) else [table.dtype])}
        array = to_floats(table) if kinds <= set("iuf") else np.array([""])
    else:
        array = to_array(fill_masked(table))
    if array.dtype.kind not in "iuf" or array.ndim < min_dimensions or not array.size:
        shape = f" of shape {array.shape}" if array.dtype.kind in "iuf" else ", not numeric"
        raise PydpstatError(
            f"{name} must be numbers: an array, a DataFrame, a Series or a release's result; "
            f"got {type(table).__name__}{shape}. Counts have an integer or a float type."
        )
    values = np.array(array, dtype=np.float64, order="C")
    unfit = values.size - int(np.isfinite(values).sum())
    if unfit:
        some = "some" if private else f"{unfit} of {values.size}"
        raise PydpstatError(
            f"{name} must have finite numbers only; {some} are missing or infinite. Fill or drop them first."
        )
    return values


def check_not_negative(
    values: np.ndarray, name: str, hint: str = "Set them to 0, or use least_squares, which takes them."
) -> None:
    """Check that no number is negative."""
    negative = int((values < 0.0).sum())
    if negative:
        raise PydpstatError(f"{name} must not be negative; {negative} of {values.size} values are. {hint}")


def _read_release(result: DPResults, name: str) -> tuple[np.ndarray, TableForm]:
    labels = result.labels
    values = np.array(result.value, dtype=np.float64, order="C")
    if values.ndim == 0 and labels.names is None:
        raise PydpstatError(
            f"{name} must be a table; got a release of one number, {result.statistic}. Release a crosstab."
        )
    levels: tuple[object, ...] = labels.dimnames or (labels.names,) * values.ndim
    names: tuple[Hashable, ...] = labels.dimension_names or (None,) * values.ndim
    return values, TableForm(tuple(axis_name or None for axis_name in names), levels, labels=labels)


def _check_single_level(index: pd.Index, name: str) -> None:
    if index.nlevels > 1:
        raise PydpstatError(
            f"{name} must be a DataFrame with one index level on each side, or a Series with several; "
            f"got a DataFrame with {index.nlevels} on one. Use .stack() to make it a Series."
        )


def _read_series(table: pd.Series, name: str, allow_missing_cells: bool) -> tuple[np.ndarray, TableForm]:
    cells, index = read_numbers(table, name), table.index
    if index.nlevels == 1:
        return cells, TableForm((index.name,), (index,), index=index, name=table.name)
    used = index.remove_unused_levels()
    codes = tuple(np.asarray(axis_codes, dtype=np.int64) for axis_codes in used.codes)
    shape = tuple(len(level) for level in used.levels)
    if any((axis_codes < 0).any() for axis_codes in codes):
        raise PydpstatError(f"{name} must have no missing labels in its index. Give them a name.")
    cell_codes = np.ravel_multi_index(codes, shape)
    size = int(np.prod(shape))
    if np.unique(cell_codes).size < cell_codes.size:
        raise PydpstatError(f"{name} must have each combination of labels once; some occur twice. Add them up.")
    if cell_codes.size < size and not allow_missing_cells:
        raise PydpstatError(
            f"{name} must have every combination of labels; {size - cell_codes.size} of {size} are "
            "missing. Add them, with 0 for empty ones."
        )
    values = np.zeros(size)
    values[cell_codes] = cells
    form = TableForm(tuple(index.names), tuple(used.levels), index=index, name=table.name, codes=codes)
    return values.reshape(shape), form


class ConvergenceWarning(UserWarning):
    """Warning that a fit ended before its margins were met.

    The message has the remaining gap and the reason.

    See Also
    --------
    ipf : may issue it.
    """


@explain_frozen_changes
@dataclass(frozen=True, eq=False, repr=False)
class TableFit(Report, ReadOnlyArrays):
    """Table fitted to margins.

    It contains only the fitted table, not the original one.

    Parameters
    ----------
    method : str
        ``"iterative proportional fitting"``, ``"least squares"`` or ``"controlled rounding"``.
    values : ndarray of float64 or int64
        The fitted table.
    form : TableForm
        Form in which the table was given.
    margins : tuple of str
        The margins' names.
    gaps : tuple of float
        For each margin the largest difference between the table's sums and the given margin; not 0 in
        general for a noisy one.
    iterations : int
        Number of passes over all margins; 0 for a closed-form solution.
    converged : bool
        Whether the exact margins are met, to the tolerance.
    status : str
        How the fit ended, in words.
    steps : tuple of str
        The steps of the fit, in order.
    spread : ndarray or float
        Standard deviation of each cell's remaining noise; NaN if it is not known.

    See Also
    --------
    ipf, least_squares, controlled_rounding : create it.

    Examples
    --------
    >>> from pydpstat.consistency import ipf
    >>> fitted = ipf([[1, 2], [3, 4]], {0: [5, 5], 1: [4, 6]})
    >>> fitted.converged, fitted.estimate.sum(axis=0).round(9)
    (True, array([4., 6.]))
    """

    method: str
    values: np.ndarray
    form: TableForm
    margins: tuple[str, ...]
    gaps: tuple[float, ...]
    iterations: int
    converged: bool
    status: str
    steps: tuple[str, ...]
    spread: npt.ArrayLike = np.nan

    _title = "Consistent table"

    @property
    def estimate(self) -> np.ndarray | pd.Series | pd.DataFrame:
        """The fitted table, in the form of the one that was given."""
        return self.form.wrap_values(self.values)

    @property
    def bse(self) -> np.ndarray | pd.Series | pd.DataFrame:
        """Standard deviation of each cell's remaining noise, in the table's form; NaN if unknown."""
        return self.form.wrap_values(np.broadcast_to(np.asarray(self.spread, dtype=np.float64), self.values.shape))

    @property
    def largest_gap(self) -> float:
        """The largest of `gaps`."""
        return max(self.gaps, default=0.0)

    @property
    def postprocessing(self) -> tuple[str, ...]:
        """Description of the post-processing, which costs no privacy."""
        return (*self.steps, NO_PRIVACY_COST)

    def to_frame(self) -> pd.DataFrame:
        """Return the convergence report as a frame, with a row for each margin."""
        return pd.DataFrame({"largest gap": list(self.gaps)}, index=pd.Index(self.margins, name="margin"))

    def _collect_facts(self) -> Facts:
        return [
            ("Method:", self.method),
            ("Table:", self._size),
            ("Total:", format_significant(self.values.sum())),
            ("Converged:", "yes" if self.converged else "NO"),
            ("Iterations:", str(self.iterations)),
            ("Largest gap:", format_significant(self.largest_gap)),
        ]

    @property
    def _size(self) -> str:
        return " x ".join(map(str, self.values.shape))

    def _make_rows(self) -> Rows:
        return Rows(("largest gap",), list(self.margins), [[format_significant(gap)] for gap in self.gaps])

    def _collect_notes(self) -> list[str]:
        return [f"Status: {self.status}.", f"Post-processing: {', '.join(self.postprocessing)}."]

    def __repr__(self) -> str:
        return f"<TableFit {self.method}: {self._size}, {self.status}>"

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype)
