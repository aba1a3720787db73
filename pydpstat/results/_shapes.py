"""Shapes of releases, and the result class of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from itertools import product
from typing import Any, TypeVar

from pydpstat.results._labels import GroupLabels, Labels

Kind = TypeVar("Kind")

# statistics whose cells are counts of records
TABLE_STATISTICS = ("table", "margins")
# statistic of counts of records
COUNT_STATISTIC = "count"
# statistic of shares of a table or within its rows
SHARE_STATISTIC = "share"
VALUES, TABLE, HISTOGRAM = "values", "table", "histogram"
GROUPS, GROUPED_HISTOGRAMS = "groups", "histograms by group"
# filled by the modules of the classes, which import this one
_CLASSES: dict[str, Callable[..., Any]] = {}


def represents(shape: str) -> Callable[[type[Kind]], type[Kind]]:
    """Register the decorated class for releases of a shape."""

    def keep_class(cls: type[Kind]) -> type[Kind]:
        _CLASSES[shape] = cls
        return cls

    return keep_class


def find_shape(statistic: str, labels: Labels) -> str:
    """Return the shape of a released value, by its statistic and its labels."""
    is_histogram = statistic == "histogram" and labels.breaks is not None and labels.left_closed
    if isinstance(labels, GroupLabels):
        if is_histogram:
            return GROUPED_HISTOGRAMS
        return TABLE if statistic == COUNT_STATISTIC and find_count_dimnames(labels) is not None else GROUPS
    if is_histogram:
        return HISTOGRAM
    return TABLE if labels.dimnames and statistic in (*TABLE_STATISTICS, SHARE_STATISTIC) else VALUES


def find_count_dimnames(labels: GroupLabels) -> tuple[tuple[object, ...], ...] | None:
    """Return the levels of counts of all records by groups, or None if they form no full table."""
    if labels.name != "records":
        return None
    dimnames = tuple(tuple(dict.fromkeys(axis)) for axis in zip(*labels.rows))
    return dimnames if tuple(product(*dimnames)) == labels.rows else None


def make_release(*, statistic: str, labels: Labels, **others: Any) -> Any:
    """Make a release with these fields, in the class of its shape."""
    return _CLASSES[find_shape(statistic, labels)](statistic=statistic, labels=labels, **others)


def derive_release(release: Any, **changes: Any) -> Any:
    """Return a copy of a release with changed fields, in the class of its new shape."""
    values = {field.name: getattr(release, field.name) for field in fields(release)}
    return make_release(**{**values, **changes})
