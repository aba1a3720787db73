"""What comparisons of groups share: their calls, and the levels of values in no public one."""

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
    """Return a release with the call of a method of it."""
    about = release.record.describe_subject(release.labels.describe_variables(release.statistic))
    # a test has no labels, which could tell the names
    record = replace(release.record.add_method_call(method, *arguments), names=(about,) if about else ())
    return replace(release, record=record)


def get_other_levels(record: Call) -> tuple[object, ...]:
    """Return each variable's level for values which are in none of its public ones, if it has one."""
    arguments = dict(record.arguments)
    levels, name = arguments.get("levels"), arguments.get("other", "other")
    if not isinstance(levels, tuple) or name is None:
        return ()
    each = levels if all(isinstance(own, tuple) for own in levels) else (levels,)
    return tuple(None if name in own else name for own in each)
