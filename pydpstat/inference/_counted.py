"""Records that are counted for a test: read from any container, and released as counts with integer noise."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Columns, one_column, truths_of
from pydpstat._data.values import fills
from pydpstat._release.additive import Query, Spender
from pydpstat._release.named_mechanisms import INTEGER
from pydpstat._release.statistic import Missing, OnlyBounded, Options, check_records, options
from pydpstat.errors import PydpstatError
from pydpstat.inference._testing import ALTERNATIVES
from pydpstat.random import Source
from pydpstat.results._labels import Labels
from pydpstat.statistics._kernels.partition import reach_of
from pydpstat.statistics._kernels.records import Part, records_of
from pydpstat.statistics._kernels.scope import Scope

NOTHING_SAID = (
    "The noise is too large for counts of so few records: the result is uninformative. Use a larger "
    "epsilon, or more records."
)
# the noise of smaller ones is no number
SMALLEST_EPSILON = 1e-300
INDEPENDENT = "the records are independent and identically distributed"


def count_options(
    epsilon: float,
    alternative: str,
    neighbors: str | None,
    missing: Missing,
    fill: type,
    budget: Spender | None,
    only: OnlyBounded | None = None,
) -> Options:
    """Check how counts are to be protected, and the alternative."""
    checks.one_of(alternative, "alternative", ALTERNATIVES)
    public = (epsilon, 0, "geometric", neighbors, missing)
    how = options(*public, mechanisms=INTEGER, fill=fill, budget=budget, only=only)
    if how.epsilon < SMALLEST_EPSILON:
        raise PydpstatError(
            f"epsilon must be at least {SMALLEST_EPSILON:g} for a test; got {checks.shown(epsilon)}. "
            "With so much noise no test is informative."
        )
    return how


def counted(
    data: object,
    how: Options,
    source: Source,
    argument: str,
    test: str,
    read: Callable[[object, str], Columns],
    cells: Callable[[np.ndarray], np.ndarray],
    scope: Scope,
) -> tuple[np.ndarray, int, Options]:
    """Return the counts of disjoint cells that each record is in one of, and the number of all records."""
    records, how = records_of(data, how, scope, source, read, argument)
    if records.known is not None:
        check_records(how, records.known, 1, test, argument)
    found = records.fold(partial(_part, cells=cells, missing=how.missing), np.add)
    size = int(found.sum())
    if how.bounded:
        check_records(how, size, 1, test, argument)
    return found, size, how


def truths(data: object, argument: str) -> Columns:
    """Read one variable of truth values."""
    return one_column(data, argument, truths_of)


def true_and_false(values: np.ndarray) -> np.ndarray:
    """Count the true and the false values."""
    met = int(np.count_nonzero(values))
    return np.array([met, values.size - met])


def counts_query(counts: np.ndarray, names: tuple[str, ...], ones: int, size: int, how: Options) -> Query:
    """Ask for counts that one record changes by at most so many ones together."""
    single = len(names) == 1
    return Query(
        "count",
        counts.astype(np.float64).reshape(() if single else -1),
        (reach_of(ones, how),),
        Labels("count", None if single else names),
        integer=True,
        nobs=size if how.bounded else None,
        exact=tuple(counts.ravel().tolist()),
    )


def _part(part: Part, cells: Callable[[np.ndarray], np.ndarray], missing: Missing) -> np.ndarray:
    values, absent = part.columns.arrays[0], part.columns.missing[0]
    if absent is None and values.dtype.kind == "f":
        absent = np.isnan(values)
    if absent is None:
        return cells(values)
    gone = int(np.count_nonzero(absent))
    found = cells(values[~absent] if gone else values)
    return found + gone * cells(np.array([missing])) if fills(gone, missing) else found
