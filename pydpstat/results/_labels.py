"""Public names of a released value's elements, and the shape they give it in pandas and in R."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pydpstat.errors import MissingExtraError, PydpstatError
from pydpstat.r_arithmetic.histogram import Histogram
from pydpstat.results._words import joined

if TYPE_CHECKING:
    import pandas as pd

# a float, a chosen value, an array, Series, DataFrame or Histogram; as a union it would have to be narrowed
# before anything is computed with it
Estimate: TypeAlias = Any
# what the quantiles of a variable without a name are called
_UNNAMED = "quantile"
# texts, or other plain values
_Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Labels:
    """How the elements of a released value are called.

    Parameters
    ----------
    name : str
        Name of a single number: the Series' name where there is one, else the statistic's.
    names : tuple of str or None
        Names of a vector's elements.
    dimnames : tuple of tuple, or None
        Levels of each dimension of a table: texts, or other plain values.
    dimension_names : tuple of str
        The dimensions' own names, empty where they have none.
    breaks, mids : tuple of float or None
        Bin edges and centers of a histogram.
    xname : str
        Name of the variable of a histogram.
    equidist : bool
        Whether a histogram's bins are equally wide.
    left_closed : bool
        Whether a histogram's bins hold their left edges, as NumPy's do; R's hold the right ones.
    """

    name: str
    names: tuple[str, ...] | None = None
    dimnames: tuple[_Row, ...] | None = None
    dimension_names: tuple[str, ...] = ()
    breaks: tuple[float, ...] | None = None
    mids: tuple[float, ...] = ()
    xname: str = "x"
    equidist: bool = True
    left_closed: bool = False

    def about(self, statistic: str) -> str:
        """Return variables in words; empty where none has a name but that of the statistic.

        Examples
        --------
        >>> Labels("mean", names=("age", "income")).about("mean"), Labels("mean").about("mean")
        ('age and income', '')
        """
        own = (self.xname,) if self.xname != "x" else (self.name,)
        if self.dimnames and len(self.dimnames) == 2 and self.dimnames[0] is self.dimnames[1]:
            # a matrix of variables, not a table
            own = self.dimnames[0]
        named = tuple(each for each in own if each != statistic)
        # a variable's quantiles have names, too
        return "" if named == (_UNNAMED,) else joined(named or self.names or self.dimension_names)

    def natural(self, value: np.ndarray) -> Any:
        """Return a value in the shape that a pandas user expects."""
        if value.dtype.kind in "iO":
            return self._chosen(value)
        value = value + 0.0  # R's noise can leave a zero with a minus sign, which pandas would show
        if self.breaks is not None:
            return self.histogram(value)
        if self.dimnames is not None:
            return self._table(value)
        if self.names is not None:
            import pandas as pd

            return pd.Series(value, index=list(self.names), name=self.name)
        return float(value) if value.ndim == 0 else value

    def histogram(self, counts: np.ndarray) -> Histogram:
        """Return counts as a histogram without a density."""
        return Histogram(
            breaks=np.array(self.breaks),
            counts=counts,
            density=None,
            mids=np.array(self.mids),
            xname=self.xname,
            equidist=self.equidist,
        )

    def _chosen(self, value: np.ndarray) -> object:
        """Return a chosen place or candidate as it is, with its name where it has one."""
        if self.names is None:
            return value.item()
        import pandas as pd

        return pd.Series([value.item()], index=list(self.names), name=self.name)

    def _table(self, value: np.ndarray) -> pd.Series | pd.DataFrame:
        import pandas as pd

        if value.ndim > 2:
            return pd.Series(value.ravel(order="F"), index=self.index(value), name=self.name)
        axes = [
            pd.Index(levels, name=name, dtype=object)
            for levels, name in zip(self.dimnames or (), self._axis_names())
        ]
        if value.ndim == 1:
            return pd.Series(value, index=axes[0], name=self.name)
        return pd.DataFrame(value, index=axes[0], columns=axes[1])

    def index(self, value: np.ndarray) -> pd.Index:
        """Return the pandas index of the value's elements, in R's order (first dimension fastest)."""
        import pandas as pd

        if self.breaks is not None:
            return pd.Index(self.elements(value), name=self.xname, dtype=object)
        if self.dimnames is not None and value.ndim > 1:
            rows = [tuple(reversed(row)) for row in _product(tuple(reversed(self.dimnames)))]
            return pd.MultiIndex.from_tuples(rows, names=self._axis_names())
        if self.dimnames is not None:
            return pd.Index(self.dimnames[0], name=self._axis_names()[0], dtype=object)
        return pd.Index(self.elements(value), dtype=object)

    def elements(self, value: np.ndarray) -> list[str]:
        """Return one text for each element, in R's order."""
        if self.breaks is not None:
            if self.left_closed:
                right = [")"] * (len(self.breaks) - 2) + ["]"]
                ends = zip(self.breaks[:-1], self.breaks[1:], right)
                return [f"[{low:.10g}, {high:.10g}{bracket}" for low, high, bracket in ends]
            left = ["["] + ["("] * (len(self.breaks) - 2)
            edges = zip(left, self.breaks[:-1], self.breaks[1:])
            return [f"{bracket}{low:.10g}, {high:.10g}]" for bracket, low, high in edges]
        if self.dimnames is not None:
            return [":".join(map(str, reversed(row))) for row in _product(tuple(reversed(self.dimnames)))]
        if self.names is not None:
            return list(self.names)
        if value.ndim == 0:
            return [self.name]
        positions = np.indices(value.shape).reshape(value.ndim, -1, order="F").T
        return [f"{self.name}[{','.join(str(i) for i in row)}]" for row in positions]

    def in_r(self, value: np.ndarray, missing_level: bool = False) -> object:
        """Return a value as the R object that the R original returns.

        With `missing_level` a level "NA" is R's missing value. Without rpy2 it is a MissingExtraError.
        """
        try:
            import rpy2.robjects as robjects
        except ImportError as error:
            raise MissingExtraError("to_r()", "rpy2", "r") from error
        if value.dtype.kind == "O":
            return _candidate(value.item())
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
            missing = {"NA": robjects.NA_Character} if missing_level else {}
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

    def _axis_names(self) -> list[str | None]:
        dimensions = len(self.dimnames or ())
        if self.dimension_names:
            return [name or None for name in self.dimension_names]
        return [None] * dimensions


def _candidate(candidate: object) -> object:
    import rpy2.robjects as robjects

    kinds = {str: robjects.StrVector, bool: robjects.BoolVector, int: robjects.IntVector}
    if type(candidate) in kinds:
        return kinds[type(candidate)]([candidate])
    raise PydpstatError(
        f"to_r() has no R object for a candidate of type {type(candidate).__name__}. Use strings or "
        "numbers as candidates."
    )


def _product(lists: tuple[_Row, ...]) -> list[_Row]:
    rows: list[_Row] = [()]
    for levels in lists:
        rows = [row + (level,) for row in rows for level in levels]
    return rows


def unstacked(numbers: Any) -> pd.DataFrame | None:
    """Return numbers by several keys with a column for each level of the last one; None of anything else.

    Examples
    --------
    >>> import pandas as pd
    >>> keys = pd.MultiIndex.from_product([["b", "a"], ["m", "f"]])
    >>> unstacked(pd.Series([1.0, 2.0, 3.0, 4.0], index=keys)).to_numpy().tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    import pandas as pd

    if isinstance(numbers, pd.DataFrame):
        return numbers
    if not isinstance(numbers, pd.Series) or numbers.index.nlevels < 2:
        return None
    rows, columns = numbers.index.droplevel(-1).unique(), numbers.index.get_level_values(-1).unique()
    return numbers.unstack().reindex(index=rows, columns=columns)
