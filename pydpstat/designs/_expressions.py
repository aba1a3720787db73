"""Numbers made of declared columns, such as ``log(income)`` or ``after - before``, record by record.

Columns are clipped to their bounds first. What is undefined, as the logarithm of 0, raises no error, which
would tell of a record. The arithmetic is that of `pydpstat.statistics._kernels.expressions`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import Pair, objects_as_floats
from pydpstat._data.containers import Column, floats_of, is_numeric
from pydpstat._data.held import series_of
from pydpstat._data.values import objects
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError
from pydpstat.statistics._kernels.expressions import (
    FUNCTIONS,
    Floats,
    bounds_of,
    foreign,
    names_in,
    parsed,
    values_of,
)

Clipping = tuple[tuple[str, Pair], ...]
_EXAMPLE = "Write for example 'log(income)' or 'after - before'."


@dataclass(frozen=True)
class Written:
    """What is made of columns; public. Numbers are clipped to `bounds` before all else."""

    text: str
    bounds: Clipping = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that it needs."""
        return names_in(parsed(self.text))


@dataclass(frozen=True)
class Numbers(Written):
    """Numbers made of columns."""

    def check(self, declared: Sequence[str], known: Sequence[str] = ()) -> None:
        """Refuse what is no arithmetic, or needs a column of which nothing is declared."""
        _check_arithmetic(self.text)
        if not self.names:
            raise PydpstatError(f"an expression must be of columns; got {self.text!r}. {_EXAMPLE}")
        check_names(self.names, declared, f"expression {self.text!r}", known)

    def within(self, bounds: Mapping[str, Pair]) -> Pair:
        """Return bounds of the numbers, by interval arithmetic; infinite ones where they have none."""
        return bounds_of(parsed(self.text), bounds)

    def values(self, columns: Mapping[str, Column], undefined: float = np.nan) -> Floats:
        """Return the number of each record, NaN where one of its columns is missing."""
        found, known = arithmetic(parsed(self.text), columns, dict(self.bounds))
        return np.where(known & np.isnan(found), undefined, found)


def check_names(
    names: Iterable[str],
    declared: Sequence[str],
    what: str,
    known: Sequence[str] = (),
    truths: Sequence[str] = (),
) -> None:
    """Refuse columns of which nothing is declared; `truths` stand for truth values."""
    for name in names:
        if name in declared:
            continue
        way, near = f"Declare its bounds or levels; a string needs quotes, {name!r}.", ""
        if name in known:
            argument, each = ("levels", "[False, True]") if name in truths else ("bounds", "(lower, upper)")
            way = f"Declare it, dp.design(..., {argument}={{{name!r}: {each}}})."
        elif checks.did_you_mean(name, declared).startswith("Did"):
            near = f" {checks.did_you_mean(name, declared)}"
        raise PydpstatError(f"the {what} must be on declared columns; got {name!r}. {way}{near}")


def _check_arithmetic(text: str) -> None:
    """Refuse whatever is no arithmetic of columns and numbers."""
    part = foreign(parsed(text))
    if part is None:
        return
    shown = checks.excerpt(ast.unparse(part))
    if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Pow):
        raise PydpstatError(
            f"an expression must have a number other than 0 as exponent; got {shown}. Use exp() and log() "
            "for other powers."
        )
    raise PydpstatError(
        f"an expression must be made of columns and numbers by + - * / ** and {', '.join(FUNCTIONS)}; "
        f"got {shown} in {checks.excerpt(text)}. What depends on other records, such as a mean, must "
        "be released first: write its value."
    )


def arithmetic(
    node: ast.expr, columns: Mapping[str, Column], bounds: Mapping[str, Pair]
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the numbers of an expression, NaN where it is undefined, and where no column is missing.

    There is one number for all records where it needs no column.
    """
    numbers = {name: _numbers(name, columns[name], bounds.get(name)) for name in names_in(node)}
    known = ~reduce(np.logical_or, map(np.isnan, numbers.values()), np.zeros((), dtype=bool))
    return values_of(node, numbers), known


def _numbers(name: str, column: Column, bounds: Pair | None) -> Floats:
    series = series_of(column)
    if series.dtype == object and bounds is not None:
        # declared as numbers: anything else is missing, and each value is converted by itself
        series = pd.Series([_number(each, name) for each in series], dtype=np.float64)
    elif series.dtype == object:
        # of truth values with a missing one
        with suppress(PydpstatError):
            series = pd.Series(objects_as_floats(series.to_numpy(), name))
    if not is_numeric(series):
        raise PydpstatError(
            f"an expression must be of numbers or truth values; {name!r} has the type {series.dtype}. Use it "
            "in a comparison, as in \"region == 'north'\"."
        )
    values = floats_of(series)
    return values if bounds is None else np.clip(values, *bounds)


def _number(value: object, name: str) -> float:
    """Return an object as a float, NaN if it is not a number."""
    try:
        return float(objects_as_floats(objects([value]), name)[0])
    except PydpstatError:
        return np.nan
