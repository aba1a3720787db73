"""Comparison of the groups of dplyr's data frames."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from pydpstat.porting._comparison import Deviation, iterate_deviations
from pydpstat.porting._recorded import RecordedValue


def separate_groups(
    recorded: RecordedValue, value: object, by: Sequence[str], pool: Sequence[RecordedValue], place: str
) -> tuple[RecordedValue, list[Deviation]]:
    """Return R's record without the groups of a data frame, and the deviations of these groups.

    R stores the groups of dplyr's data frames as an attribute; in Python, the translator knows the grouping columns
    `by` of a variable. Groups are compared by their rows and values.

    Examples
    --------
    >>> separate_groups({"kind": "double"}, 1.5, (), [], "x")
    ({'kind': 'double'}, [])
    """
    recorded = pool[recorded["ref"]] if "ref" in recorded else recorded
    attributes = recorded.get("attributes", {})
    if "groups" not in attributes or not isinstance(value, pd.DataFrame):
        missed = [Deviation(math.inf, f"{place}: only Python has the groups {list(by)}")] * bool(by)
        return recorded, missed
    rest = {key: each for key, each in attributes.items() if key != "groups"}
    found = _compare_groups(attributes["groups"], value, list(by), pool, place)
    return {**recorded, "attributes": rest}, found


def _compare_groups(
    recorded: RecordedValue, value: pd.DataFrame, by: list[str], pool: Sequence[RecordedValue], place: str
) -> list[Deviation]:
    """Return the deviations of R's groups: their variables, rows and values."""
    groups = pool[recorded["ref"]] if "ref" in recorded else recorded
    *names, _ = groups["names"]
    if names != by or not set(by) <= set(value.columns):
        return [Deviation(math.inf, f"{place}: R's groups are by {names}, Python's by {by}")]
    rows = [pool[each["ref"]] if "ref" in each else each for each in groups["values"][-1]["values"]]
    theirs = [[int(one) - 1 for one in each["values"]] for each in rows]
    keys = [value[name].array for name in by]
    mine: dict[tuple[str, ...], list[int]] = {}
    for row in range(len(value)):
        mine.setdefault(tuple(str(each[row]) for each in keys), []).append(row)
    if sorted(theirs) != sorted(mine.values()):
        return [Deviation(math.inf, f"{place}: R has other rows in its {len(theirs)} groups than Python")]
    firsts = [each[0] for each in theirs]
    parts = [key[firsts] if isinstance(key, pd.Categorical) else np.asarray(key)[firsts] for key in keys]
    return [
        far
        for name, part, inner in zip(names, groups["values"], parts)
        for far in iterate_deviations(part, inner, pool, f"groups of {place}${name}")
    ]
