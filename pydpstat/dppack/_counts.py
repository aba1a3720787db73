"""Histograms and contingency tables: counts whose sensitivity follows from how records may differ."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

from pydpstat import r_arithmetic as r
from pydpstat._data.containers import has_columns, name_of
from pydpstat._release.query import Query
from pydpstat.dppack._arguments import clip
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.histogram import Breaks
from pydpstat.results._labels import Labels

# R adds bins one by one; beyond this it would not come back within anybody's patience
MOST_BINS = 200_000


def count_sensitivity(neighbors: str, norm: int) -> float:
    """Return how far the counts of disjoint cells move, in the L1 or the L2 norm.

    One record changes cell (bounded), or comes or goes (unbounded).

    >>> count_sensitivity("bounded", 1), count_sensitivity("unbounded", 2)
    (2.0, 1.0)
    """
    if neighbors == "unbounded":
        return 1.0
    return 2.0 if norm == 1 else math.sqrt(2.0)


def histogram(x: np.ndarray, lower: float, upper: float, breaks: object) -> tuple[np.ndarray, Labels]:
    """Count clipped values in equidistant bins that are extended until they reach the bounds.

    The labels, the breaks, are public only where `breaks` is a vector that spans the bounds.
    """
    counted = r.hist(clip(x, lower, upper), cast(Breaks, breaks))
    if not counted.equidist:
        raise PydpstatError("Only equidistant histogram bins are supported; give breaks of one width.")
    if lower == -math.inf or upper == math.inf:
        raise PydpstatError(
            f"lower_bound and upper_bound must be finite for a histogram; got {lower!r} and {upper!r}. "
            "R never returns. Give the public range of the data."
        )
    if max(edges_missing(lower, upper, counted.breaks)) > MOST_BINS:
        raise PydpstatError(
            f"lower_bound and upper_bound must be within {MOST_BINS} bins of the breaks; got {lower!r} and "
            f"{upper!r}. Give wider breaks or narrower bounds."
        )
    edges, mids = counted.breaks.tolist(), counted.mids.tolist()
    # the nearest first; turned round at the end
    edges_below, mids_below = edges[1::-1], []
    while lower < edges_below[-1]:
        width = edges_below[-2] - edges_below[-1]
        mids_below.append(edges_below[-1] - width / 2)
        edges_below.append(edges_below[-1] - width)
    before, after = len(mids_below), 0
    edges, mids = edges_below[:1:-1] + edges, mids_below[::-1] + mids
    while edges[-1] < upper:
        width = edges[1] - edges[0]
        mids.append(edges[-1] + width / 2)
        edges.append(edges[-1] + width)
        after += 1
    counts = np.concatenate([np.zeros(before), counted.counts, np.zeros(after)])
    return counts, Labels("histogram", breaks=tuple(edges), mids=tuple(mids))


def edges_missing(lower: float, upper: float, breaks: np.ndarray) -> tuple[float, float]:
    """Return about how many bins are to be added below and above the breaks."""
    width = breaks[1] - breaks[0]
    with np.errstate(over="ignore"):
        return (breaks[0] - lower) / width, (upper - breaks[-1]) / width


def table_variables(
    factors: tuple[Any, ...], columns: dict[str, object]
) -> tuple[tuple[object, ...], tuple[str, ...], dict[str, Any]]:
    """Return the variables, their names and R's further arguments, as a function of counts got them.

    A name is that of a frame's column, of a Series, or a keyword.
    """
    rules: dict[str, Any] = {name: columns[name] for name in ("useNA", "exclude", "dnn") if name in columns}
    columns = {name: column for name, column in columns.items() if name not in rules}
    if len(factors) == 1 and not columns and (has_columns(factors[0]) or isinstance(factors[0], dict)):
        frame = factors[0]
        return tuple(frame[name] for name in frame), tuple(str(name) for name in frame), rules
    names = (*(name_of(each) or "" for each in factors), *columns)
    return (*factors, *columns.values()), names, rules


def contingency_table(
    factors: tuple[object, ...], names: tuple[str, ...], **rules: Any
) -> tuple[np.ndarray, Labels]:
    """Count the combinations of levels, as R's table() does: one axis a factor.

    The labels, the levels, are public only where they do not come from the data.
    """
    counted = r.table(*factors, **rules)
    dimnames = tuple(
        tuple("NA" if level is None else level for level in levels) for levels in counted.dimnames
    )
    axis_names = tuple(counted.names) if any(counted.names) else names
    labels = Labels("table", dimnames=dimnames, dimension_names=axis_names if any(axis_names) else ())
    return np.asarray(counted.counts, dtype=np.float64), labels


def count_query(counts: np.ndarray, labels: Labels, neighbors: str, norm: int, records: int) -> Query:
    """Ask for counts; the number of all records is public under bounded neighbors only."""
    nobs = records if neighbors == "bounded" else None
    return Query(labels.name, counts, (count_sensitivity(neighbors, norm),), labels, integer=True, nobs=nobs)
