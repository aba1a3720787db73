"""Names of released values and their conversion to pandas and R, with or without groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from pydpstat import _checks as checks
from pydpstat._lazy import pd
from pydpstat.errors import MissingExtraError, PydpstatError
from pydpstat.r_arithmetic.histogram import Histogram
from pydpstat.results._words import join_names

# a float, a chosen value, an array, Series, DataFrame or Histogram; a union would need narrowing before use
Estimate: TypeAlias = Any
# name of the quantiles of a variable without a name
_UNNAMED_QUANTILE = "quantile"
# largest number of names in a message
_MAX_LISTED = 20
# levels are strings or other plain values
_Levels = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Labels:
    """Names of the elements of a released value."""

    # name of the input Series, or else of the statistic
    name: str
    # names of a vector's elements
    names: tuple[str, ...] | None = None
    # levels of each dimension of a table, and names of the dimensions
    dimnames: tuple[_Levels, ...] | None = None
    dimension_names: tuple[str, ...] = ()
    # fields of a histogram
    breaks: tuple[float, ...] | None = None
    mids: tuple[float, ...] = ()
    xname: str = "x"
    equidist: bool = True
    # whether bins contain their left edges, as in NumPy, or the right ones, as in R
    left_closed: bool = False

    def describe_variables(self, statistic: str) -> str:
        """Describe the variables in words; empty if no name differs from the statistic's."""
        names: _Levels = (self.xname,) if self.xname != "x" else (self.name,)
        if self.dimnames and len(self.dimnames) == 2 and self.dimnames[0] is self.dimnames[1]:
            # equal dimension names: a matrix of variables, not a table
            names = self.dimnames[0]
        variables = tuple(name for name in names if name != statistic)
        # an unnamed variable's quantiles have names that are no variables
        return "" if variables == (_UNNAMED_QUANTILE,) else join_names(variables or self.names or self.dimension_names)

    def to_pandas(self, value: np.ndarray) -> Estimate:
        """Return a value as float, Series, DataFrame or Histogram."""
        if value.dtype.kind in "iO":
            return self._unwrap_choice(value)
        value = value + 0.0  # adding 0 turns negative zero into zero
        if self.breaks is not None:
            return self.make_histogram(value)
        if self.dimnames is not None:
            return self._make_table(value)
        if self.names is not None:
            return pd.Series(value, index=list(self.names), name=self.name)
        return float(value) if value.ndim == 0 else value

    def make_histogram(self, counts: np.ndarray) -> Histogram:
        """Return counts as a histogram without a density."""
        return Histogram(
            breaks=np.array(self.breaks),
            counts=counts,
            density=None,
            mids=np.array(self.mids),
            xname=self.xname,
            equidist=self.equidist,
        )

    def _unwrap_choice(self, value: np.ndarray) -> object:
        """Return a chosen index or candidate, as a named Series if it has a name."""
        if self.names is None:
            return value.item()
        return pd.Series([value.item()], index=list(self.names), name=self.name)

    def _make_table(self, value: np.ndarray) -> pd.Series | pd.DataFrame:
        if value.ndim > 2:
            return pd.Series(value.ravel(order="F"), index=self.make_element_index(value), name=self.name)
        axes = [
            pd.Index(levels, name=name, dtype=object)
            for levels, name in zip(self.dimnames or (), self._get_axis_names())
        ]
        if value.ndim == 1:
            return pd.Series(value, index=axes[0], name=self.name)
        return pd.DataFrame(value, index=axes[0], columns=axes[1])

    def make_element_index(self, value: np.ndarray) -> pd.Index:
        """Return the pandas index of the value's elements, in R's order (first dimension fastest)."""
        if self.breaks is not None:
            return pd.Index(self.name_elements(value), name=self.xname, dtype=object)
        if self.dimnames is not None and value.ndim > 1:
            rows = [row[::-1] for row in product(*self.dimnames[::-1])]
            return pd.MultiIndex.from_tuples(rows, names=self._get_axis_names())
        if self.dimnames is not None:
            return pd.Index(self.dimnames[0], name=self._get_axis_names()[0], dtype=object)
        return pd.Index(self.name_elements(value), dtype=object)

    def name_elements(self, value: np.ndarray) -> list[str]:
        """Return one text for each element, in R's order."""
        if self.breaks is not None:
            left, last = self.left_closed, len(self.breaks) - 2
            # the outermost edges are always included
            return [
                f"{'[' if left or i == 0 else '('}{low:.10g}, {high:.10g}{')' if left and i < last else ']'}"
                for i, (low, high) in enumerate(zip(self.breaks, self.breaks[1:]))
            ]
        if self.dimnames is not None:
            return [":".join(map(str, row[::-1])) for row in product(*self.dimnames[::-1])]
        if self.names is not None:
            return list(self.names)
        if value.ndim == 0:
            return [self.name]
        positions = np.indices(value.shape).reshape(value.ndim, -1, order="F").T
        return [f"{self.name}[{','.join(str(i) for i in row)}]" for row in positions]

    def to_r_object(self, value: np.ndarray, missing_level: bool = False) -> object:
        """Return a value as an R object; with `missing_level` a level "NA" is R's missing value."""
        try:
            import rpy2.robjects as robjects
        except ImportError as error:
            raise MissingExtraError("to_r()", "rpy2", "r") from error
        if value.dtype.kind == "O":
            return _convert_candidate_to_r(value.item())
        is_integer = value.dtype.kind == "i" and abs(int(value)) < 2**31
        flat = np.ravel(value, order="F").tolist()
        vector = robjects.IntVector(flat) if is_integer else robjects.FloatVector(flat)
        if self.breaks is not None:
            components = {
                "breaks": robjects.FloatVector(self.breaks),
                "counts": vector,
                "mids": robjects.FloatVector(self.mids),
                "xname": self.xname,
                "equidist": self.equidist,
            }
            make_object = robjects.r("function(x) structure(x, class = 'histogram')")
            return make_object(robjects.ListVector(components))
        if self.dimnames is not None:
            missing: dict[object, object] = {"NA": robjects.NA_Character} if missing_level else {}
            r_levels = [[missing.get(level, level) for level in levels] for levels in self.dimnames]
            names = [robjects.StrVector(levels) for levels in r_levels]
            axes = robjects.StrVector(self.dimension_names or ("",) * len(names))
            make_object = robjects.r(
                "function(x, dims, axes, ...) "
                "structure(array(x, dims, stats::setNames(list(...), axes)), class = 'table')"
            )
            return make_object(vector, robjects.IntVector(value.shape), axes, *names)
        if self.names is not None:
            make_object = robjects.r("function(x, names) stats::setNames(x, names)")
            return make_object(vector, robjects.StrVector(self.names))
        if value.ndim > 1:
            return robjects.r["array"](vector, dim=robjects.IntVector(value.shape))
        return vector

    def _get_axis_names(self) -> list[str | None]:
        return [name or None for name in self.dimension_names or [""] * len(self.dimnames or ())]


def _convert_candidate_to_r(candidate: object) -> object:
    import rpy2.robjects as robjects

    kinds = {str: robjects.StrVector, bool: robjects.BoolVector, int: robjects.IntVector}
    if type(candidate) in kinds:
        return kinds[type(candidate)]([candidate])
    raise PydpstatError(
        f"to_r() has no R object for a candidate of type {type(candidate).__name__}. Use strings or "
        "numbers as candidates."
    )


def make_wide_frame(numbers: object) -> pd.DataFrame | None:
    """Return a Series with several keys as a frame with a column per level of the last key, else None."""
    if isinstance(numbers, pd.DataFrame):
        return numbers
    if not isinstance(numbers, pd.Series) or numbers.index.nlevels < 2:
        return None
    rows, columns = numbers.index.droplevel(-1).unique(), numbers.index.get_level_values(-1).unique()
    return numbers.unstack().reindex(index=rows, columns=columns)


@dataclass(frozen=True, slots=True)
class GroupLabels(Labels):
    """Names of the elements of a value whose first dimension indexes groups."""

    # key levels of each group, and names of the keys; the other fields describe one group's value
    rows: tuple[tuple[object, ...], ...] = ()
    keys: tuple[str, ...] = ()

    @classmethod
    def from_labels(cls, labels: Labels, rows: tuple[tuple[object, ...], ...], keys: tuple[str, ...]) -> GroupLabels:
        """Return labels of groups whose values each have the given labels."""
        values = {field.name: getattr(labels, field.name) for field in fields(Labels)}
        return cls(**values, rows=rows, keys=keys)

    def describe_variables(self, statistic: str) -> str:
        """Describe the variables and the keys of the groups in words."""
        # slots=True creates a new class, to which super() without arguments does not refer
        variables, keys = Labels.describe_variables(self, statistic), join_names(self.keys)
        return " ".join(filter(None, (variables, keys and f"by {keys}")))

    def to_pandas(self, value: np.ndarray) -> Estimate:
        """Return a Series by group, or a frame with a row for each group, or each group and variable."""
        value = value + 0.0
        if value.ndim == 1:
            return pd.Series(value, index=self._make_index(self.rows, self.keys), name=self.name)
        if value.ndim == 2:
            return pd.DataFrame(
                value, index=self._make_index(self.rows, self.keys), columns=list(self._get_inner_names())
            )
        row_names, column_names = self.dimnames or ((), ())
        rows = [(*row, variable) for row in self.rows for variable in row_names]
        index = self._make_index(rows, (*self.keys, ""))
        return pd.DataFrame(value.reshape(len(rows), -1), index=index, columns=list(column_names))

    def has_wide_form(self, value: np.ndarray) -> bool:
        """Return whether there are several keys, or several numbers per group."""
        return value.ndim > 1 or len(self.keys) > 1

    def make_element_index(self, value: np.ndarray) -> pd.Index:
        """Return the pandas index of the value's elements, in which groups change fastest."""
        if value.ndim == 1:
            return self._make_index(self.rows, self.keys)
        return self._make_index(self._collect_elements(value), (*self.keys, *[""] * (value.ndim - 1)))

    def name_elements(self, value: np.ndarray) -> list[str]:
        """Return one text for each element."""
        return [":".join(map(str, row)) for row in self._collect_elements(value)]

    def find_group(self, group: object, argument: str) -> int:
        """Return the index of a group that is given by its level or a tuple of levels."""
        row = group if isinstance(group, tuple) else (group,)
        for index, levels in enumerate(self.rows):
            # match the levels, or the printed name
            if tuple(map(str, levels)) == tuple(map(str, row)) or ":".join(map(str, levels)) == group:
                return index
        near = checks.suggest_spelling(str(group), self._name_groups())
        hint = near if near.startswith("Did") else "Give its level, or a tuple of levels for several keys."
        raise PydpstatError(
            f"{argument} must be one of the release's groups ({self.format_groups()}); got {group!r}. {hint}"
        )

    def format_groups(self, omitted: int = -1) -> str:
        """Return the names of the groups for a message, all or the first, without the one at index `omitted`."""
        return _join_first([name for index, name in enumerate(self._name_groups()) if index != omitted])

    def _name_groups(self) -> list[str]:
        return [":".join(map(str, levels)) for levels in self.rows]

    def find_variable(self, variable: object) -> int:
        """Return the index of a variable within each group's values; None selects a single variable."""
        names = self.series or (self.name,)
        if variable is None and len(names) == 1:
            return 0
        if variable is not None and str(variable) in names:
            return names.index(str(variable))
        raise PydpstatError(
            f"variable must be one of those that were released ({_join_first(names)}); got "
            f"{variable!r}. Choose the variable in which the groups are compared."
        )

    def find_keys(self, names: object) -> tuple[int, ...]:
        """Return the positions of keys that are given by one name, several names, or None."""
        keys = () if names is None else tuple(names) if isinstance(names, (list, tuple)) else (names,)
        for key in keys:
            if key not in self.keys:
                raise PydpstatError(
                    f"within must be of the release's keys ({', '.join(map(str, self.keys))}); got {key!r}. "
                    "Give one of them, or leave within out to compare all groups."
                )
        return tuple(map(self.keys.index, keys))

    def to_r_object(self, value: np.ndarray, missing_level: bool = False) -> object:
        """Return the elements as a named R vector."""
        plain = Labels(self.name, names=tuple(self.name_elements(value)))
        return plain.to_r_object(np.ravel(value, order="F"))

    def to_plot_matrix(self, values: np.ndarray) -> np.ndarray:
        """Return values as a matrix of shape (groups, series)."""
        if values.ndim < 3:
            return values.reshape(values.shape[0], -1)
        return values[:, *np.triu_indices(values.shape[1], self._diagonal_offset)]

    @property
    def series(self) -> tuple[str, ...]:
        """Names of the values within each group; empty for a single number."""
        if self.dimnames is None:
            return self._get_inner_names()
        names = self.dimnames[0]
        return tuple(f"{names[i]} : {names[j]}" for i, j in zip(*np.triu_indices(len(names), self._diagonal_offset)))

    @property
    def _diagonal_offset(self) -> int:
        return int(self.name == "corr")

    def _collect_elements(self, value: np.ndarray) -> list[tuple[object, ...]]:
        if value.ndim == 1:
            return list(self.rows)
        inner: list[tuple[object, ...]] = [(name,) for name in self._get_inner_names()]
        if value.ndim == 3:
            row_names, column_names = self.dimnames or ((), ())
            inner = [(row, column) for column, row in product(column_names, row_names)]
        return [(*row, *element) for element in inner for row in self.rows]

    def _get_inner_names(self) -> tuple[str, ...]:
        """Return the element names of one group's vector, or its bins."""
        if self.breaks is None:
            return self.names or ()
        labels = Labels(self.name, breaks=self.breaks, left_closed=self.left_closed)
        return tuple(labels.name_elements(np.empty(len(self.breaks) - 1)))

    @staticmethod
    def _make_index(rows: Sequence[tuple[object, ...]], names: tuple[str, ...]) -> pd.Index:
        level_names = [name or None for name in names]
        if len(level_names) > 1:
            return pd.MultiIndex.from_tuples(rows, names=level_names)
        return pd.Index([row[0] for row in rows], name=level_names[0], dtype=object)


def _join_first(names: Sequence[str]) -> str:
    """Join names for a message; of many the first, and how many there are."""
    if len(names) <= _MAX_LISTED:
        return ", ".join(names)
    return f"{', '.join(names[: _MAX_LISTED - 2])}, ... {len(names)} in all"
