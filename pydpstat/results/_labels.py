"""Names of what was released, and the shape that a user gets it in; also of values for each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from pydpstat._lazy import pd
from pydpstat.errors import MissingExtraError, PydpstatError
from pydpstat.r_arithmetic.histogram import Histogram
from pydpstat.results._words import join_names

# a float, a chosen value, an array, Series, DataFrame or Histogram; as a union it would have to be narrowed
# before anything is computed with it
Estimate: TypeAlias = Any
# what the quantiles of a variable without a name are called
_UNNAMED_QUANTILE = "quantile"
# texts, or other plain values
_Levels = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Labels:
    """How the elements of a released value are called."""

    # a Series' name where there is one, else the statistic's
    name: str
    # of a vector's elements
    names: tuple[str, ...] | None = None
    # levels of each dimension of a table, and the dimensions' own names
    dimnames: tuple[_Levels, ...] | None = None
    dimension_names: tuple[str, ...] = ()
    # of a histogram
    breaks: tuple[float, ...] | None = None
    mids: tuple[float, ...] = ()
    xname: str = "x"
    equidist: bool = True
    # whether bins hold their left edges, as NumPy's do; R's hold the right ones
    left_closed: bool = False

    def describe_variables(self, statistic: str) -> str:
        """Return variables in words; empty where none has a name but that of the statistic."""
        own: _Levels = (self.xname,) if self.xname != "x" else (self.name,)
        if self.dimnames and len(self.dimnames) == 2 and self.dimnames[0] is self.dimnames[1]:
            # a matrix of variables, not a table
            own = self.dimnames[0]
        named = tuple(each for each in own if each != statistic)
        # a variable's quantiles have names, too
        return "" if named == (_UNNAMED_QUANTILE,) else join_names(named or self.names or self.dimension_names)

    def to_pandas(self, value: np.ndarray) -> Estimate:
        """Return a value in the shape that a pandas user expects."""
        if value.dtype.kind in "iO":
            return self._unwrap_choice(value)
        value = value + 0.0  # R's noise can leave a zero with a minus sign, which pandas would show
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
        """Return a chosen place or candidate as it is, with its name where it has one."""
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
            # the outer edges are in their bins
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
        """Return a value as R's object; with `missing_level` a level "NA" is R's missing value."""
        try:
            import rpy2.robjects as robjects
        except ImportError as error:
            raise MissingExtraError("to_r()", "rpy2", "r") from error
        if value.dtype.kind == "O":
            return _convert_candidate_to_r(value.item())
        integer = value.dtype.kind == "i" and abs(int(value)) < 2**31
        flat = np.ravel(value, order="F").tolist()
        vector = robjects.IntVector(flat) if integer else robjects.FloatVector(flat)
        if self.breaks is not None:
            parts = {
                "breaks": robjects.FloatVector(self.breaks),
                "counts": vector,
                "mids": robjects.FloatVector(self.mids),
                "xname": self.xname,
                "equidist": self.equidist,
            }
            made = robjects.r("function(x) structure(x, class = 'histogram')")
            return made(robjects.ListVector(parts))
        if self.dimnames is not None:
            missing: dict[object, object] = {"NA": robjects.NA_Character} if missing_level else {}
            shown = [[missing.get(level, level) for level in levels] for levels in self.dimnames]
            names = [robjects.StrVector(levels) for levels in shown]
            axes = robjects.StrVector(self.dimension_names or ("",) * len(names))
            made = robjects.r(
                "function(x, dims, axes, ...) "
                "structure(array(x, dims, stats::setNames(list(...), axes)), class = 'table')"
            )
            return made(vector, robjects.IntVector(value.shape), axes, *names)
        if self.names is not None:
            made = robjects.r("function(x, names) stats::setNames(x, names)")
            return made(vector, robjects.StrVector(self.names))
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
    """Return numbers by several keys with a column for each level of the last one; None of anything else."""
    if isinstance(numbers, pd.DataFrame):
        return numbers
    if not isinstance(numbers, pd.Series) or numbers.index.nlevels < 2:
        return None
    rows, columns = numbers.index.droplevel(-1).unique(), numbers.index.get_level_values(-1).unique()
    return numbers.unstack().reindex(index=rows, columns=columns)


@dataclass(frozen=True, slots=True)
class GroupLabels(Labels):
    """How the elements of a value are called that has a group in each place of its first dimension."""

    # the keys' levels of each group, and the keys' names; the other fields are those of one group's value
    rows: tuple[tuple[object, ...], ...] = ()
    keys: tuple[str, ...] = ()

    @classmethod
    def from_labels(cls, labels: Labels, rows: tuple[tuple[object, ...], ...], keys: tuple[str, ...]) -> GroupLabels:
        """Return the labels of groups of which each has a value with its own labels."""
        own = {item.name: getattr(labels, item.name) for item in fields(Labels)}
        return cls(**own, rows=rows, keys=keys)

    def describe_variables(self, statistic: str) -> str:
        """Return variables, and the keys by which there are groups, in words."""
        # slots: a class made again is not the one that super() without arguments means
        named, keys = Labels.describe_variables(self, statistic), join_names(self.keys)
        return " ".join(filter(None, (named, keys and f"by {keys}")))

    def to_pandas(self, value: np.ndarray) -> Estimate:
        """Return a Series by group, or a frame with a row for each group, or each group and variable."""
        value = value + 0.0
        if value.ndim == 1:
            return pd.Series(value, index=self._make_index(self.rows, self.keys), name=self.name)
        if value.ndim == 2:
            return pd.DataFrame(
                value, index=self._make_index(self.rows, self.keys), columns=list(self._get_inner_names())
            )
        first, second = self.dimnames or ((), ())
        rows = [(*row, variable) for row in self.rows for variable in first]
        index = self._make_index(rows, (*self.keys, ""))
        return pd.DataFrame(value.reshape(len(rows), -1), index=index, columns=list(second))

    def has_wide_form(self, value: np.ndarray) -> bool:
        """Tell whether there are several keys, or several numbers of each group."""
        return value.ndim > 1 or len(self.keys) > 1

    def make_element_index(self, value: np.ndarray) -> pd.Index:
        """Return the index of the value's elements: the groups change fastest."""
        if value.ndim == 1:
            return self._make_index(self.rows, self.keys)
        return self._make_index(self._collect_elements(value), (*self.keys, *[""] * (value.ndim - 1)))

    def name_elements(self, value: np.ndarray) -> list[str]:
        """Return one text for each element."""
        return [":".join(map(str, row)) for row in self._collect_elements(value)]

    def find_group(self, group: object, argument: str) -> int:
        """Return in which place a group is, which is given by its level, or a tuple of levels."""
        row = group if isinstance(group, tuple) else (group,)
        for place, each in enumerate(self.rows):
            # as it is given, or as it is printed
            if tuple(map(str, each)) == tuple(map(str, row)) or ":".join(map(str, each)) == group:
                return place
        raise PydpstatError(
            f"{argument} must be one of the release's groups ({self.format_groups()}); got {group!r}. Give its "
            "level, or a tuple of levels for several keys."
        )

    def format_groups(self, omitted: int = -1) -> str:
        """Return the first groups for a message, without the one in a place."""
        rest = [":".join(map(str, each)) for place, each in enumerate(self.rows) if place != omitted]
        return ", ".join(rest[:9])

    def find_variable(self, variable: object) -> int:
        """Return in which place of every group's values a variable is, which need not be said of one."""
        names = self.series or (self.name,)
        if variable is None and len(names) == 1:
            return 0
        if variable is not None and str(variable) in names:
            return names.index(str(variable))
        raise PydpstatError(
            f"variable must be one of those that were released ({', '.join(names[:9])}); got "
            f"{variable!r}. Choose the variable in which the groups are compared."
        )

    def find_keys(self, names: object) -> tuple[int, ...]:
        """Return in which places of a group's levels keys are, given by one name, by several, or by None."""
        found = () if names is None else tuple(names) if isinstance(names, (list, tuple)) else (names,)
        for each in found:
            if each not in self.keys:
                raise PydpstatError(
                    f"within must be of the release's keys ({', '.join(map(str, self.keys))}); got {each!r}. "
                    "Give one of them, or leave within out to compare all groups."
                )
        return tuple(map(self.keys.index, found))

    def to_r_object(self, value: np.ndarray, missing_level: bool = False) -> object:
        """Return the elements as a named vector of R."""
        plain = Labels(self.name, names=tuple(self.name_elements(value)))
        return plain.to_r_object(np.ravel(value, order="F"))

    def to_plot_matrix(self, values: np.ndarray) -> np.ndarray:
        """Return values as a matrix with a row for each group and a column for each of `series`."""
        if values.ndim < 3:
            return values.reshape(values.shape[0], -1)
        return values[:, *np.triu_indices(values.shape[1], self._diagonal_offset)]

    @property
    def series(self) -> tuple[str, ...]:
        """The names of what each group has several of; empty where it has one number."""
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
            first, second = self.dimnames or ((), ())
            inner = [(row, column) for column, row in product(second, first)]
        return [(*row, *each) for each in inner for row in self.rows]

    def _get_inner_names(self) -> tuple[str, ...]:
        """Return the names of one group's vector, or of its bins."""
        if self.breaks is None:
            return self.names or ()
        own = Labels(self.name, breaks=self.breaks, left_closed=self.left_closed)
        return tuple(own.name_elements(np.empty(len(self.breaks) - 1)))

    @staticmethod
    def _make_index(rows: Sequence[tuple[object, ...]], names: tuple[str, ...]) -> pd.Index:
        shown = [name or None for name in names]
        if len(shown) > 1:
            return pd.MultiIndex.from_tuples(rows, names=shown)
        return pd.Index([row[0] for row in rows], name=shown[0], dtype=object)
