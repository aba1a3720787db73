"""How a released value calculates and compares, as the number that it is, and how its page shows it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import HelpfulErrors
from pydpstat._frozen import freeze_array
from pydpstat.errors import ArgumentError, ElementError, PydpstatError
from pydpstat.mechanisms._noise import get_summand
from pydpstat.results._group_pairs import GroupComparisons
from pydpstat.results._labels import GroupLabels
from pydpstat.results._numbers import format_rows
from pydpstat.results._population import COUNT_COLUMN
from pydpstat.results._postprocessing import DerivedValue, NoisyValue, ValueWithIntervals
from pydpstat.results._report import MAX_PAGE_ROWS, Facts, Rows, format_significant, make_omission_note, trim_name
from pydpstat.results._tables import SUM_LEVEL, TABLE_STATISTICS
from pydpstat.results._words import describe_mechanism, format_title, get_printed_name

# of plain numbers and arrays
_Operation = Callable[..., Any]


def _unwrap_release(value: object) -> Any:
    return value._to_plain_value() if isinstance(value, NumberOperators) else value


def _make_operator(operation: _Operation) -> _Operation:
    return lambda self, other: _apply_operation(operation, other, self._to_plain_value(), _unwrap_release(other))


def _make_reflected_operator(operation: _Operation) -> _Operation:
    return lambda self, other: _apply_operation(operation, other, _unwrap_release(other), self._to_plain_value())


def _apply_operation(operation: _Operation, other: object, *operands: object) -> Any:
    try:
        return operation(*operands)
    except TypeError:
        raise ArgumentError(
            "a release can be combined and compared with numbers and arrays only; got "
            f"{checks.describe_value(other)}. Convert it first, for example by float()."
        ) from None


def _make_unary_operator(operation: _Operation) -> _Operation:
    return lambda self: operation(self._to_plain_value())


class NumberOperators(GroupComparisons):
    """Operators of a result, which all use its value and return plain numbers or arrays."""

    __slots__ = ()

    def __float__(self) -> float:
        return float(self._get_single_value("a single number"))

    def __int__(self) -> int:
        return int(self._get_single_value("a single number"))

    def __bool__(self) -> bool:
        return bool(self._get_single_value("true or false"))

    def _get_single_value(self, what: str) -> np.ndarray:
        """Return the value, which must be one."""
        if self.value.size == 1:
            return self.value
        raise ArgumentError(
            f"the release of {self.statistic} is not {what}; it has {self.value.size} values. Choose "
            f"one by its name, result[{self._format_element_names(1)}], or use all, (result.params > 0).all()."
        )

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.value, dtype=dtype)

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self._to_plain_value())
        try:
            if self.value.ndim == 0:
                return format(self._to_plain_value(), spec)
            return self._make_series(self.value).map(lambda each: format(each, spec)).to_string()
        except ValueError:
            raise PydpstatError(
                f"the format of a release must be a number format; got {checks.format_public_value(spec)}. Write "
                "for example f'{result:.1f}', without decimals f'{result:.0f}'."
            ) from None

    def __round__(self, digits: int | None = None) -> Any:
        places = None if digits is None else checks.check_integer(digits, "digits", -300, 300, hint="Give 2.")
        plain = self._to_plain_value()
        return round(plain, places) if isinstance(plain, float) else plain.round(places or 0)

    def __len__(self) -> int:
        return len(self._get_elements())

    def __iter__(self) -> Iterator[object]:
        return iter(self._get_elements())

    def _get_elements(self) -> Any:
        if self.value.ndim:
            return self._to_plain_value()
        raise ArgumentError(f"the release of {self.statistic} has no elements; it is one number. Write float(result).")

    def __getitem__(self, key: object) -> Any:
        plain = self._get_elements()
        try:
            # as R has it, rows come first
            rows = isinstance(key, tuple) and getattr(plain, "ndim", 1) == 2 and hasattr(plain, "loc")
            return plain.loc[key] if rows else plain[key]
        except (KeyError, IndexError, TypeError, ValueError):
            name = ":".join(map(str, key)) if isinstance(key, tuple) else key
            named = list(self.labels.name_elements(self.value))
            if isinstance(name, str) and name in named:
                return np.ravel(self.value, order="F")[named.index(name)]
            several = list(key) if isinstance(key, tuple) and {*map(str, key)} <= {*named} else []
            way = f" Several are chosen by a list: result[{several!r}]." if several else ""
            raise ElementError(
                f"the release of {self.statistic} has no element {checks.describe_option(key)}. It has "
                f"{self._format_element_names(8)}.{way}"
            ) from None

    def _suggest_attribute(self, name: str) -> str:
        try:
            self[name]
        except PydpstatError:
            return HelpfulErrors._suggest_attribute(self, name)
        return f"write result[{name!r}]"

    def _format_element_names(self, max_names: int) -> str:
        """Return the names of some elements."""
        names = self.labels.name_elements(self.value)
        return ", ".join(map(repr, names[:max_names])) + ", ..." * (len(names) > max_names > 1)

    def _to_plain_value(self) -> Any:
        return self.value if self.labels.breaks is not None else self.labels.to_pandas(self.value)

    @property
    def __array_priority__(self) -> float:
        # NumPy leaves operators between an array and a result to the result
        return 1000.0

    __add__, __radd__ = _make_operator(operator.add), _make_reflected_operator(operator.add)
    __sub__, __rsub__ = _make_operator(operator.sub), _make_reflected_operator(operator.sub)
    __mul__, __rmul__ = _make_operator(operator.mul), _make_reflected_operator(operator.mul)
    __truediv__, __rtruediv__ = _make_operator(operator.truediv), _make_reflected_operator(operator.truediv)
    __floordiv__, __rfloordiv__ = (
        _make_operator(operator.floordiv),
        _make_reflected_operator(operator.floordiv),
    )
    __mod__, __rmod__ = _make_operator(operator.mod), _make_reflected_operator(operator.mod)
    __pow__, __rpow__ = _make_operator(operator.pow), _make_reflected_operator(operator.pow)
    __lt__ = _make_operator(operator.lt)
    __le__ = _make_operator(operator.le)
    __gt__ = _make_operator(operator.gt)
    __ge__ = _make_operator(operator.ge)
    __eq__ = _make_operator(operator.eq)
    __ne__ = _make_operator(operator.ne)
    __neg__ = _make_unary_operator(operator.neg)
    __pos__ = _make_unary_operator(operator.pos)
    __abs__ = _make_unary_operator(operator.abs)
    # a class that defines __eq__ loses its hash; a result keeps that of the object
    __hash__ = object.__hash__


_HIDDEN_NOTE = "A dash stands for what the noise hides: the noise interval is all that is possible."
_MATRIX_STATISTICS = ("corr", "cov")
# statistics that are chosen by default, and come with intervals where cells are counted instead
_CELL_STATISTICS = ("quantile", "quantiles", "median")
# of a table of two variables on a page
_MAX_WIDE_COLUMNS = 8


class ReleasePage(NumberOperators):
    """The part of `pydpstat.results.DPResults` that shows it."""

    __slots__ = ()

    @property
    def postprocessing(self) -> tuple[str, ...]:
        """What was done to the noisy value, in order."""
        return self.post.steps

    def _suggest_intervals(self) -> str:
        """Return the way to intervals of a statistic that has none here, if there is one."""
        if self.statistic not in _CELL_STATISTICS:
            return ""
        return (
            f"pydpstat.{self.statistic} has intervals with population=True, which counts in public "
            "cells (not with sample=)."
        )

    def _get_noisy_sizes(self) -> tuple[float, ...] | None:
        return self.post.sizes if isinstance(self.post, DerivedValue) else None

    def _format_heading(self) -> str:
        return format_title(
            get_printed_name(self.statistic),
            self.record.describe_subject(self.labels.describe_variables(self.statistic)),
        )

    def _get_value_heading(self) -> str:
        counted = self.statistic in (COUNT_COLUMN, "histogram", *TABLE_STATISTICS) and isinstance(self.post, NoisyValue)
        return COUNT_COLUMN if counted else self._column

    def _has_integer_counts(self) -> bool:
        return (
            self._get_value_heading() == COUNT_COLUMN
            and self.noise is not None
            and bool(get_summand(self.noise)[0].integer)
        )

    def _is_wide_table(self) -> bool:
        """Tell whether a page has the table as a table: one noise for all of its cells."""
        counts = (
            self._get_value_heading() == COUNT_COLUMN
            and self.labels.dimnames
            and self.value.ndim > 1
            and self.value.size
        )
        return bool(counts) and self.value.shape[-1] <= _MAX_WIDE_COLUMNS

    def _make_omission_notes(self) -> list[str]:
        if not self._is_wide_table():
            return GroupComparisons._make_omission_notes(self)
        return make_omission_note(self.value.size // self.value.shape[-1], where="wide()")

    def _get_row_positions(self) -> list[int]:
        places = GroupComparisons._get_row_positions(self)
        if self.statistic not in _MATRIX_STATISTICS or self.value.ndim != 2:
            return places
        # of a symmetric matrix each number once, and no correlation of a variable with itself
        size, least = len(self.value), 1 if self.statistic == "corr" else 0
        return [place for place in places if place // size - place % size >= least]

    def _make_hidden_notes(self) -> list[str]:
        why = " The group has few records, or none." if isinstance(self.labels, GroupLabels) else ""
        return [_HIDDEN_NOTE + why] if any(self._find_hidden_rows()) else []

    def _collect_omissions(self) -> list[str]:
        return [*GroupComparisons._collect_omissions(self), *self._make_hidden_notes()]

    def _find_hidden_rows(self) -> list[bool]:
        """Tell which values the noise hides, as it does means and shares of a group without records."""
        return _find_hidden_values(self)[self._get_row_positions()].tolist()

    def _make_rows(self, alpha: float = 0.05, max_rows: int | None = MAX_PAGE_ROWS) -> Rows:
        if not self._is_wide_table():
            rows = GroupComparisons._make_rows(self, alpha, max_rows)
            hidden = self._find_hidden_rows()
            # of a group that may be empty the estimate says nothing either
            kept = 0 if isinstance(self.labels, GroupLabels) else 2
            cells = [[*row[:kept], *["-"] * len(row[kept:])] if gone else row for row, gone in zip(rows.cells, hidden)]
            return rows._replace(cells=cells) if any(hidden) else rows
        assert self.labels.dimnames
        *first, last = (list(map(str, axis)) for axis in self.labels.dimnames)
        names, heads = [":".join(row) for row in product(*first)][:max_rows], list(map(trim_name, last))
        every = self.value.reshape(-1, len(heads))
        values = every[:max_rows]
        if dict(self.record.arguments).get("margins") and self.statistic == "table":
            values = _add_sums(every)[[*range(len(names)), -1]]
            names, heads = [*names, SUM_LEVEL], [*heads, SUM_LEVEL]
        return Rows(tuple(heads), names, format_rows(values.T.tolist()))

    def _collect_facts(self) -> Facts:
        facts = [("Mechanism:", describe_mechanism(self.mechanism))]
        if self.noise is not None:
            facts.append(("Noise sd:", _format_range(self.bse.to_numpy()[self._get_row_positions()])))
            if isinstance(self.post, NoisyValue):
                # elsewhere these are in the unit of what was released inside
                facts += [
                    ("Noise scale:", _format_range(self.noise_scale)),
                    ("Sensitivity:", _format_range(self.sensitivity)),
                ]
        if self.bounds is not None:
            facts.append(("Bounds:", _format_bounds(self.bounds)))
        return [*facts, ("No. Observations:", "private" if self.nobs is None else str(self.nobs))]

    def _collect_notes(self) -> list[str]:
        covered = "There is no additive noise with a public distribution, so there is no interval."
        covered = f"{covered} {self._suggest_intervals()}".rstrip()
        if self.noise is not None:
            covered = "The interval covers privacy noise only: not sampling, clipping or rounding."
        if self.post.population is not None:
            covered = self._describe_coverage()
        if self._is_wide_table():
            covered = f"to_frame() has a row for each cell, with its interval. {covered}"
        if isinstance(self.post, ValueWithIntervals) and self.statistic != "share":
            covered = f"Noise intervals end at edges of cells, whose width the noise sd leaves out. {covered}"
        steps = [f"Post-processing: {', '.join(self.postprocessing)}."] if self.postprocessing else []
        held = self._make_guarantee_notes(self.record.function)
        return [
            *held,
            *self._make_hidden_notes(),
            covered,
            *steps,
            *self._make_omission_notes(),
            f"Call: {self.call}",
        ]

    def _collect_content(self) -> dict[str, object]:
        value, errors = np.ravel(self.value, order="F"), self.bse.to_numpy()
        one, sizes = self.value.ndim == 0, self._get_noisy_sizes()
        return {
            "statistic": self.statistic,
            "estimate": value[0] if one else value,
            "shape": self.value.shape,
            "names": self.labels.name_elements(self.value),
            "breaks": self.labels.breaks,
            "noise_sd": errors[0] if one else errors,
            **self._collect_attributes("noise_scale", "mechanism", "sensitivity"),
            **self._collect_privacy(),
            **self._collect_attributes("bounds", "nobs"),
            **({} if sizes is None else {"noisy_nobs": sizes[0] if one else sizes}),
            **self._collect_attributes("postprocessing", "reproducible", "grid", "call", "r_call"),
        }


@lru_cache(maxsize=64)
def _find_hidden_values(result: ReleasePage) -> npt.NDArray[np.bool_]:
    """Tell which values of a release the noise hides; it never changes, and intervals may take time."""
    within = result.post.within
    if result.noise is None or within is None or result._is_wide_table():
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
