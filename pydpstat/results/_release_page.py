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
from pydpstat._answering import Answering
from pydpstat._frozen import frozen
from pydpstat.errors import ArgumentError, ElementError, PydpstatError
from pydpstat.mechanisms._noise import summand
from pydpstat.results._group_pairs import FurtherResults
from pydpstat.results._labels import GroupLabels
from pydpstat.results._numbers import table
from pydpstat.results._population import COUNT
from pydpstat.results._postprocessing import AsDrawn, BetweenEdges, Derived
from pydpstat.results._report import MOST_ROWS, Facts, Rows, left_out, number, one_line
from pydpstat.results._tables import ALL, TABLES
from pydpstat.results._words import mechanism_words, printed, titled

# of plain numbers and arrays
_Operation = Callable[..., Any]


def _plain(value: object) -> Any:
    return value._plain() if isinstance(value, NumberOperators) else value


def _forward(operation: _Operation) -> _Operation:
    return lambda self, other: _computed(operation, other, self._plain(), _plain(other))


def _backward(operation: _Operation) -> _Operation:
    return lambda self, other: _computed(operation, other, _plain(other), self._plain())


def _computed(operation: _Operation, other: object, *operands: object) -> Any:
    try:
        return operation(*operands)
    except TypeError:
        raise ArgumentError(
            "a release can be combined and compared with numbers and arrays only; got "
            f"{checks.shown(other)}. Convert it first, for example by float()."
        ) from None


def _alone(operation: _Operation) -> _Operation:
    return lambda self: operation(self._plain())


class NumberOperators(FurtherResults):
    """Operators of a result, which all use its value and return plain numbers or arrays."""

    __slots__ = ()

    def __float__(self) -> float:
        return float(self._one("a single number"))

    def __int__(self) -> int:
        return int(self._one("a single number"))

    def __bool__(self) -> bool:
        return bool(self._one("true or false"))

    def _one(self, what: str) -> np.ndarray:
        """Return the value, which must be one."""
        if self.value.size == 1:
            return self.value
        raise ArgumentError(
            f"the release of {self.statistic} is not {what}; it has {self.value.size} values. Choose "
            f"one by its name, result[{self._names(1)}], or use all, (result.params > 0).all()."
        )

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.value, dtype=dtype)

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self._plain())
        try:
            if self.value.ndim == 0:
                return format(self._plain(), spec)
            return self._series(self.value).map(lambda each: format(each, spec)).to_string()
        except ValueError:
            raise PydpstatError(
                f"the format of a release must be a number format; got {checks.excerpt(spec)}. Write "
                "for example f'{result:.1f}', without decimals f'{result:.0f}'."
            ) from None

    def __round__(self, digits: int | None = None) -> Any:
        places = None if digits is None else checks.integer(digits, "digits", -300, 300, hint="Give 2.")
        plain = self._plain()
        return round(plain, places) if isinstance(plain, float) else plain.round(places or 0)

    def __len__(self) -> int:
        return len(self._many())

    def __iter__(self) -> Iterator[object]:
        return iter(self._many())

    def _many(self) -> Any:
        if self.value.ndim:
            return self._plain()
        raise ArgumentError(
            f"the release of {self.statistic} has no elements; it is one number. Write float(result)."
        )

    def __getitem__(self, key: object) -> Any:
        plain = self._many()
        try:
            # as R has it, rows come first
            rows = isinstance(key, tuple) and getattr(plain, "ndim", 1) == 2 and hasattr(plain, "loc")
            return plain.loc[key] if rows else plain[key]
        except (KeyError, IndexError, TypeError, ValueError):
            name = ":".join(map(str, key)) if isinstance(key, tuple) else key
            named = list(self.labels.elements(self.value))
            if isinstance(name, str) and name in named:
                return np.ravel(self.value, order="F")[named.index(name)]
            several = list(key) if isinstance(key, tuple) and {*map(str, key)} <= {*named} else []
            raise ElementError(
                f"the release of {self.statistic} has no element {checks.shown_option(key)}. It has "
                f"{self._names(8)}.{f' Several are chosen by a list: result[{several!r}].' * bool(several)}"
            ) from None

    def _way_to(self, name: str) -> str:
        try:
            self[name]
        except PydpstatError:
            return Answering._way_to(self, name)
        return f"write result[{name!r}]"

    def _names(self, most: int) -> str:
        """Return the names of some elements."""
        names = self.labels.elements(self.value)
        return ", ".join(map(repr, names[:most])) + ", ..." * (len(names) > most > 1)

    def _plain(self) -> Any:
        return self.value if self.labels.breaks is not None else self.labels.natural(self.value)

    @property
    def __array_priority__(self) -> float:
        # NumPy leaves operators between an array and a result to the result
        return 1000.0

    __add__, __radd__ = _forward(operator.add), _backward(operator.add)
    __sub__, __rsub__ = _forward(operator.sub), _backward(operator.sub)
    __mul__, __rmul__ = _forward(operator.mul), _backward(operator.mul)
    __truediv__, __rtruediv__ = _forward(operator.truediv), _backward(operator.truediv)
    __floordiv__, __rfloordiv__ = _forward(operator.floordiv), _backward(operator.floordiv)
    __mod__, __rmod__ = _forward(operator.mod), _backward(operator.mod)
    __pow__, __rpow__ = _forward(operator.pow), _backward(operator.pow)
    __lt__ = _forward(operator.lt)
    __le__ = _forward(operator.le)
    __gt__ = _forward(operator.gt)
    __ge__ = _forward(operator.ge)
    __eq__ = _forward(operator.eq)
    __ne__ = _forward(operator.ne)
    __neg__ = _alone(operator.neg)
    __pos__ = _alone(operator.pos)
    __abs__ = _alone(operator.abs)
    # a class that defines __eq__ loses its hash; a result keeps that of the object
    __hash__ = object.__hash__


_GONE = "A dash stands for what the noise hides: the noise interval is all that is possible."
_MATRICES = ("corr", "cov")
# statistics that are chosen by default, and come with intervals where cells are counted instead
_IN_CELLS = ("quantile", "quantiles", "median")
# of a table of two variables on a page
_MOST_COLUMNS = 8


class ReleasePage(NumberOperators):
    """The part of `pydpstat.results.DPResults` that shows it."""

    __slots__ = ()

    @property
    def postprocessing(self) -> tuple[str, ...]:
        """What was done to the noisy value, in order."""
        return self.post.steps

    def _way(self) -> str:
        """Return the way to intervals of a statistic that has none here, if there is one."""
        if self.statistic not in _IN_CELLS:
            return ""
        return (
            f"pydpstat.{self.statistic} has intervals with population=True, which counts in public "
            "cells (not with sample=)."
        )

    def _sizes(self) -> tuple[float, ...] | None:
        return self.post.sizes if isinstance(self.post, Derived) else None

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
            **self._own("noise_scale", "mechanism", "sensitivity"),
            **self._privacy(),
            **self._own("bounds", "nobs"),
            **({} if sizes is None else {"noisy_nobs": sizes[0] if one else sizes}),
            **self._own("postprocessing", "reproducible", "grid", "call", "r_call"),
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
