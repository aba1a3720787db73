"""Formulas in the place of names: ``income ~ 1``, ``before - after ~ 1``, ``~ region + sex``.

Their sides are columns; nothing of them is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydpstat import _checks as checks
from pydpstat.designs._signatures import CELLS, GROUPS
from pydpstat.errors import PydpstatError

_DIFFERENCES = ("ttest_rel", "wilcoxon")
_ONE_SAMPLE = ("binomtest", "kstest", "quantile_test", "ttest_1samp", "wilcoxon")
_TABLES = (*CELLS, "kendalltau")


def is_formula(variables: Any, known: Sequence[str]) -> bool:
    """Tell whether a text is a formula, and neither a column's name nor a condition on texts."""
    if not isinstance(variables, str) or "~" not in variables or variables in known:
        return False
    return "'" not in variables and '"' not in variables


def variables_of(formula: str, name: str, known: Sequence[str]) -> str | list[str]:
    """Return the variables of a formula of one sample, of pairs or of a table.

    Examples
    --------
    >>> variables_of("income ~ 1", "ttest_1samp", ["income"])
    'income'
    >>> variables_of("before - after ~ 1", "ttest_rel", ["before", "after"])
    ['before', 'after']
    >>> variables_of("~ region + sex", "crosstab", ["region", "sex"])
    ['region', 'sex']
    """
    left, right = _sides(formula, name, example_of(name))
    if right == "1" and left and name in (*_ONE_SAMPLE, *_DIFFERENCES):
        pair = [each.strip() for each in left.split("-")]
        if left not in known and len(pair) == 2 and name in _DIFFERENCES:
            return pair
        if name in _ONE_SAMPLE:
            return left
    if not left and name in _TABLES:
        found = [each.strip() for each in right.split("+")]
        return found if len(found) > 1 else found[0]
    raise _unsuitable(formula, name, example_of(name))


def groups_of(formula: Any, name: str, known: Sequence[str]) -> list[str]:
    """Return the variable and the column of groups.

    Examples
    --------
    >>> groups_of("income ~ sex", "ttest_ind", ["income", "sex"])
    ['income', 'sex']
    """
    example = "'income ~ sex'"
    left, right = _sides(formula, name, example) if isinstance(formula, str) else ("", "")
    if not left or right == "1":
        raise _unsuitable(formula, name, example)
    if right not in known and not right.isidentifier():
        raise PydpstatError(
            f"formula must have one column of groups on its right side; got {checks.excerpt(right)}. Make a "
            "column of a condition first, design.assign(old='age >= 65')."
        )
    return [left, right]


def _sides(formula: str, name: str, example: str) -> list[str]:
    sides = [each.strip() for each in formula.split("~")]
    if len(sides) != 2 or not sides[1]:
        raise _unsuitable(formula, name, example)
    return sides


def example_of(name: str) -> str:
    """Return a formula as a function takes it; empty where it takes none."""
    if name in _DIFFERENCES:
        return "'before - after ~ 1'" + (" or 'change ~ 1'" if name in _ONE_SAMPLE else "")
    if name in _ONE_SAMPLE:
        return "'income ~ 1'"
    return "'~ region + sex'" if name in _TABLES else ""


def _unsuitable(formula: Any, name: str, example: str) -> PydpstatError:
    given = checks.shown_option(formula)
    if not example:
        return PydpstatError(
            f"variables must be column names for {name}, which takes no formula; got {given}. Give "
            "for example 'income', with by='region' for groups."
        )
    if name in GROUPS:
        what, way = "formula must be a variable and its groups", "One sample has ttest_1samp, quantile_test"
    else:
        what, way = (
            f"a formula of {name} must be a sample or a table",
            "Groups have ttest_ind, f_oneway, kruskal",
        )
    return PydpstatError(f"{what}; got {given}. Write for example {example}. {way} and their like.")
