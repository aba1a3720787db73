"""What the names in a call of a design are: sides of formulas, and columns of which something is declared.

A formula stands in the place of names: ``income ~ 1``, ``before - after ~ 1``, ``~ region + sex``. Its sides
are columns; nothing of them is computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pydpstat import _checks as checks
from pydpstat._release.declared import rest_on
from pydpstat._release.payment import Spender
from pydpstat.designs._conditions import Condition
from pydpstat.designs._facts import Facts
from pydpstat.designs._signatures import CELLS, GROUPS, Known
from pydpstat.designs._views import Made
from pydpstat.errors import PydpstatError

_DIFFERENCES = ("ttest_rel", "wilcoxon")
_ONE_SAMPLE = ("binomtest", "kstest", "quantile_test", "ttest_1samp", "wilcoxon")
_TABLES = (*CELLS, "kendalltau")


def is_formula(variables: object, known: Sequence[str]) -> bool:
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


def groups_of(formula: object, name: str, known: Sequence[str]) -> list[str]:
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


def _unsuitable(formula: object, name: str, example: str) -> PydpstatError:
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


class Design(Protocol):
    """What a method needs of the design."""

    _data: Any
    facts: Facts
    columns: tuple[str, ...]
    budget: Spender | None
    rng: object
    condition: Condition | None
    _known: dict[tuple[str, str, str | None] | None, Known]

    def _view(self, names: list[str], made: Sequence[Made], single: bool, zero: str | None = None) -> object:
        """Return some columns of the data."""


def bounds_of(design: Design, names: Sequence[str], single: bool, difference: bool) -> Any:
    """Return the declared bounds of variables; those of the difference of two."""
    facts = design.facts
    rest_on("bounds", names)
    for each in names:
        if each not in facts.bounds:
            raise undeclared(design, "bounds", each, "(lower, upper)")
    pairs = [facts.bounds[each] for each in names]
    if difference:
        return pairs[0][0] - pairs[1][1], pairs[0][1] - pairs[1][0]
    return pairs[0] if single else dict(zip(names, pairs))


def undeclared(design: Design, argument: str, name: str, example: str) -> PydpstatError:
    """Return the error for a column of which something is needed that is not declared."""
    way = f"Declare them, dp.design(..., {argument}={{{name!r}: {example}}})."
    if name not in design.columns:
        return PydpstatError(
            f"{argument} must include those of {name!r}, which is not a column of the design. "
            f"{checks.did_you_mean(name, design.columns)} The columns are "
            f"{checks.excerpt(list(design.columns))}."
        )
    if argument == "bounds" and name in design.facts.levels:
        way = f"It has levels, which are for groups, tables and conditions. {way}"
    if argument == "levels" and name in design.facts.bounds:
        middle = sum(design.facts.bounds[name]) / 2
        way = (
            "It has bounds, which are for numbers. Make groups of them, "
            f"design.assign(high='{name} >= {middle:g}'), or declare levels in place of bounds."
        )
    if argument == "bounds or levels":
        way = (
            f"Declare bounds of numbers, dp.design(..., bounds={{{name!r}: (lower, upper)}}), or levels of "
            f"groups, levels={{{name!r}: [...]}}."
        )
    return PydpstatError(f"{argument} must include those of {name!r}; none are declared. {way}")


def levels_of(design: Design, names: Sequence[str], listed: bool) -> Any:
    """Return the declared levels of columns: a list of one, else a dict."""
    found = {}
    rest_on("levels", names)
    for each in names:
        if each not in design.facts.levels:
            raise undeclared(design, "levels", each, "[...]")
        found[each] = design.facts.levels[each]
    if all(isinstance(each, str) for each in found.values()):
        return "declared"
    lists = {key: each if isinstance(each, str) else list(each) for key, each in found.items()}
    return lists[names[0]] if listed else lists


def completed(design: Design, names: Sequence[str], given: Any, listed: bool, what: str = "") -> Any:
    """Return levels of columns as a call gives them, and as declared where it gives none.

    They are lists for `what` has no data.
    """
    rest = [each for each in names if given is None or isinstance(given, Mapping) and each not in given]
    if not rest:
        return given
    found = named_levels(design, rest, what, listed) if what else levels_of(design, rest, listed)
    return found if given is None else {**found, **given} if isinstance(found, Mapping) and found else given


def named_levels(design: Design, names: Sequence[str], what: str, listed: bool) -> Any:
    """Return declared levels as lists, where what needs them has no data to take them from."""
    for each in names:
        if design.facts.levels.get(each) == "declared":
            raise PydpstatError(
                f"levels of {each!r} must be a list for {what}; the design has 'declared'. Name them, "
                f"dp.design(..., levels={{{each!r}: [...]}})."
            )
    return levels_of(design, names, listed)
