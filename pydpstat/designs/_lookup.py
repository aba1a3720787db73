"""What a design declares of the columns that a call names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pydpstat import _checks as checks
from pydpstat._release.declared import rest_on
from pydpstat.designs._conditions import Condition
from pydpstat.designs._facts import Facts
from pydpstat.designs._signatures import Known
from pydpstat.designs._views import Made
from pydpstat.errors import PydpstatError


class Design(Protocol):
    """What a method needs of the design."""

    facts: Facts
    columns: tuple[str, ...]
    budget: Any
    rng: Any
    condition: Condition | None
    _known: dict[tuple[str, str, str | None] | None, Known]

    def _view(self, names: Sequence[str], made: Sequence[Made], single: bool, zero: str | None = None) -> Any:
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
