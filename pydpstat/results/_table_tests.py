"""Comparison of the rows of a released table, and its test of independence."""

from __future__ import annotations

import math
from typing import Any

from pydpstat.errors import PydpstatError
from pydpstat.results._group_calls import NO_GROUPS_MESSAGE, add_method_call, get_other_levels
from pydpstat.results._population import NO_COST_NOTE, SupportsIndependenceTest, SupportsShares
from pydpstat.results._released import ReleasedValue
from pydpstat.results._shapes import TABLE_STATISTICS
from pydpstat.results._table_axes import TableAxes
from pydpstat.results.inference_results import InferenceResults


def has_two_variables(table: ReleasedValue) -> bool:
    """Return whether a table has counts by two variables."""
    return table.statistic in TABLE_STATISTICS and len(table.labels.dimnames or ()) == 2


def get_row_shares(table: Any, method: str, variable: object, *pair: object) -> Any:
    """Return the shares within the levels of the first variable, for their comparison."""
    if not has_two_variables(table):
        raise PydpstatError(NO_GROUPS_MESSAGE.format(table.statistic))
    axes = TableAxes.from_labels(table.labels)
    first, second = axes.dimnames
    if pair and all(level in second and level not in first for level in pair):
        second_key, first_key = axes.get_key(1), axes.get_key(0)
        a, b = pair
        raise PydpstatError(
            f"a and b must be levels of {first_key!r}, the first variable; got {a!r} and {b!r}, levels "
            f"of {second_key!r}. Write .shares(by={second_key!r}).difference({a!r}, {b!r}, {first[0]!r})."
        )
    if variable is None:
        row_levels, column_levels = list(map(repr, first[:2])), list(map(repr, second[:9]))
        groups = f"{', '.join(row_levels)}, " if method == "difference" else ""
        raise PydpstatError(
            f"variable must be given for a table: the level of {axes.get_name(1)} ({', '.join(column_levels)}) whose "
            f"share is compared between levels of {axes.get_name(0)}; got None. Write .{method}({groups}"
            f"variable={column_levels[0]})."
        )
    return table.shares(by=axes.get_key(0))


def run_independence_test(table: Any) -> InferenceResults:
    """Test whether a table's two variables are independent."""
    population, is_two_way = table.post.population, has_two_variables(table)
    if is_two_way and isinstance(population, SupportsShares) and not isinstance(population, SupportsIndependenceTest):
        raise PydpstatError(
            "margins cannot be tested: each has the noise of several cells, for which the test's "
            "distribution is not known. Another release would cost epsilon again. Where a test of two "
            "variables is planned, release their crosstab in the place of the larger table."
        )
    if not isinstance(population, SupportsIndependenceTest) or not is_two_way:
        raise PydpstatError(
            f"this release of {table.statistic} is not a table of two variables that can be "
            "tested. Release a crosstab of two variables, with geometric noise and at most one "
            "record of each unit."
        )
    dimnames, other_levels = table.labels.dimnames or (), get_other_levels(table.record)
    # exclude the last level if it was added for other values
    sizes = [
        len(levels) - (bool(other_levels) and other_levels[axis] is not None and levels[-1] == other_levels[axis])
        for axis, levels in enumerate(dimnames)
    ]
    test = population.run_independence_test(*sizes)
    return InferenceResults.of(
        add_method_call(table, "chi2"),
        test="Chi-square test of independence",
        statistic=test.statistic,
        pvalue=test.pvalue,
        pvalue_floor=test.floor,
        released=tuple(zip(table.labels.name_elements(table.value), table.value.ravel(order="F").tolist())),
        estimates=(),
        validity="measured",
        assumptions=population.assumptions,
        remarks=(NO_COST_NOTE,),
        df=math.prod(size - 1 for size in sizes),
        behind=table._get_tested_shares(),
    )
