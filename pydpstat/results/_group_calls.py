"""Helpers of group comparisons: their calls, and the added levels for other values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pydpstat.results._call import Call

NO_GROUPS_MESSAGE = (
    "this release of {} has no groups that can be compared. Release a mean with by= and population=True, a "
    "proportion with by=, or a crosstab of two variables: with geometric noise for shares, and at most one "
    "record of each unit."
)


def add_method_call(release: Any, method: str, *arguments: object) -> Any:
    """Return a release whose call is extended by a method call."""
    subject = release.record.describe_subject(release.labels.describe_variables(release.statistic))
    # a test has no labels to read the variable names from
    record = replace(release.record.add_method_call(method, *arguments), names=(subject,) if subject else ())
    return replace(release, record=record)


def get_other_levels(record: Call) -> tuple[object, ...]:
    """Return the added level for other values of each variable, None for those without one."""
    arguments = dict(record.arguments)
    levels, name = arguments.get("levels"), arguments.get("other", "other")
    if not isinstance(levels, tuple) or name is None:
        return ()
    levels_by_variable = levels if all(isinstance(variable_levels, tuple) for variable_levels in levels) else (levels,)
    return tuple(None if name in variable_levels else name for variable_levels in levels_by_variable)
