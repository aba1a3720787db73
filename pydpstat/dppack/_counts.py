"""Histograms and contingency tables: counts whose sensitivity follows from how records may differ."""

from __future__ import annotations

import math
from collections import deque
from typing import Any, cast

import numpy as np

from pydpstat import r_arithmetic as r
from pydpstat._data.containers import has_columns, library_of, name_of
from pydpstat._data.held import in_memory
from pydpstat.dppack._arguments import clip
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.histogram import Breaks
from pydpstat.results._labels import Labels

# R adds bins one by one; beyond this it would not come back within anybody's patience
MOST_BINS = 200_000


def count_sensitivity(neighbors: str, norm: float) -> float:
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
        raise PydpstatError("Only equidistant histogram bins are supported; give equally spaced breaks.")
    if lower == -math.inf or upper == math.inf:
        raise PydpstatError(
            f"lower_bound and upper_bound must be finite for a histogram; got {lower!r} and "
            f"{upper!r}, for which R never returns. Give the public range of the data."
        )
    first, second, last = counted.breaks[[0, 1, -1]]
    with np.errstate(over="ignore"):
        missing = max(first - lower, upper - last) / (second - first)
    if missing > MOST_BINS:
        raise PydpstatError(
            f"lower_bound and upper_bound must be within {MOST_BINS} bins of the breaks; got {lower!r} and "
            f"{upper!r}. Give wider breaks or narrower bounds."
        )
    edges, mids = deque(counted.breaks.tolist()), deque(counted.mids.tolist())
    counts = deque(counted.counts.tolist())
    while lower < edges[0]:
        width = edges[1] - edges[0]
        mids.appendleft(edges[0] - width / 2)
        edges.appendleft(edges[0] - width)
        counts.appendleft(0)
    while edges[-1] < upper:
        width = edges[1] - edges[0]
        mids.append(edges[-1] + width / 2)
        edges.append(edges[-1] + width)
        counts.append(0)
    return np.array(counts, dtype=np.float64), Labels("histogram", breaks=tuple(edges), mids=tuple(mids))


def table_variables(
    factors: tuple[Any, ...], columns: dict[str, object]
) -> tuple[tuple[object, ...], tuple[str, ...], dict[str, Any]]:
    """Return the variables, their names and R's further arguments, as a function of counts got them.

    A name is that of a frame's column, of a Series, or a keyword.
    """
    rules: dict[str, Any] = {name: columns[name] for name in ("useNA", "exclude", "dnn") if name in columns}
    columns = {name: in_memory(column, name) for name, column in columns.items() if name not in rules}
    factors = tuple(in_memory(each, "factors") for each in factors)
    for each in (*factors, *columns.values()):
        if library_of(each):
            raise PydpstatError(
                f"variables must be in memory; got {type(each).__name__}. Give each as a list, an array or a "
                "Series, or all as a DataFrame of pandas."
            )
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
