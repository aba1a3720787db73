"""Text and table of what a design declares; all of it is public."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pydpstat import _checks as checks
from pydpstat._markup import as_html
from pydpstat.designs._conditions import Condition
from pydpstat.designs._facts import Facts
from pydpstat.results._words import describe_contribution

_HEADERS = ("column", "bounds", "levels", "role")
_ROLES = {"unit": "unit", "weights": "weights of weighted_mean and the like", "strata": "strata"}


class DescribedDesign(Protocol):
    """Attributes of a design that its text shows."""

    _data: object
    facts: Facts
    columns: tuple[str, ...]
    condition: Condition | None


def describe_design(design: DescribedDesign) -> str:
    """Return the facts as text, one line for each column."""
    width = max(map(len, design.columns), default=0)
    head = [
        _format_title(design),
        *(f"{name:<10}{text}" for name, text in _list_points(design)),
    ]
    return "\n".join([*head, *(f"  {name:{width}}  {_describe_column(design.facts, name)}" for name in design.columns)])


def make_design_html(design: DescribedDesign) -> str:
    """Return the facts as a table in HTML, for notebooks."""
    rows = [_HEADERS, *(_make_row(design.facts, name) for name in design.columns)]
    lines = [_format_row(row, "td" if place else "th") for place, row in enumerate(rows)]
    points = [f"{as_html(name)}: {as_html(text)}" for name, text in _list_points(design)]
    caption = f"{_format_title(design)}<br>{'<br>'.join(points)}"
    return f'<table><caption style="text-align: left">{caption}</caption>{"".join(lines)}</table>'


def _format_title(design: DescribedDesign) -> str:
    return "Design" + ("" if design._data is not None else " without data")


def _list_points(design: DescribedDesign) -> list[tuple[str, str]]:
    facts = design.facts
    unit = "a record" if facts.unit is None else f"each {facts.unit}"
    counts = describe_contribution("", {"unit": facts.unit, "max_records": facts.max_records})
    protected = "; ".join(filter(None, (f"{unit}, {facts.neighbors} neighbors", counts)))
    subset = [] if design.condition is None else [("subset", design.condition.text)]
    return [("protects", protected), ("missing", str(facts.missing)), *subset]


def _find_roles(facts: Facts, name: str) -> list[str]:
    return [phrase for fact, phrase in _ROLES.items() if name == getattr(facts, fact)]


def _format_bounds(facts: Facts, name: str) -> str:
    return "from {:g} to {:g}".format(*facts.bounds[name]) if name in facts.bounds else ""


def _describe_column(facts: Facts, name: str) -> str:
    phrases = [facts.assigned[name]] if name in facts.assigned else []
    phrases += [*_find_roles(facts, name), *filter(None, [_format_bounds(facts, name)])]
    if name in facts.levels:
        each = facts.levels[name]
        shown = "" if isinstance(each, str) else checks.format_public_value(list(each))
        phrases.append(f"{len(each)} levels {shown}" if shown else str(each))
    return ", ".join(phrases) or "nothing declared: no bounds, no levels"


def _make_row(facts: Facts, name: str) -> tuple[str, ...]:
    """Return the cells of a column in the table."""
    each = facts.levels.get(name, ())
    levels = each if isinstance(each, str) else ", ".join(map(str, each[:20])) + (", ..." if len(each) > 20 else "")
    assigned = [f"= {facts.assigned[name]}"] if name in facts.assigned else []
    return name, _format_bounds(facts, name), levels, ", ".join([*assigned, *_find_roles(facts, name)])


def _format_row(cells: Sequence[str], tag: str) -> str:
    shown = (f'<{tag} style="text-align: left">{as_html(cell)}</{tag}>' for cell in cells)
    return f"<tr>{''.join(shown)}</tr>"
