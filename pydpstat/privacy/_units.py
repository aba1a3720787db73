"""Privacy units: check and description of the name of a unit's column."""

from __future__ import annotations

from pydpstat import _checks as checks
from pydpstat.errors import PydpstatError


def check_unit(unit: object) -> str | None:
    """Check the name of a privacy unit's column; None means a single record.

    The name must be printable because it is shown unchanged in messages, tables and ledgers.
    """
    if unit is None:
        return None
    if isinstance(unit, str) and unit and unit.isprintable():
        return str(unit)
    raise PydpstatError(
        "unit must be a column name, a string of printable characters, or None; got "
        f"{checks.describe_option(unit)}. Give for example 'person_id', or None for a single record."
    )


def describe_unit(unit: str | None) -> str:
    """Return the description of a privacy unit for a message."""
    return "a single record" if unit is None else f"unit {checks.format_public_value(unit)}"
