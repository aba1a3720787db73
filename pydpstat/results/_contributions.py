"""Which records count in a release, in words: how many of each unit, and those with missing values."""

from __future__ import annotations

from collections.abc import Mapping

_BY_UNITS = ": the result describes units, not records"


def counted(function: str, arguments: Mapping[str, object]) -> str:
    """Say how many records of each unit count, by a call and its public arguments; empty without a unit.

    Examples
    --------
    >>> counted("mean", {"unit": "person", "max_records": 4, "max_groups": 2})
    'at most 4 records of each person count, in at most 2 groups'
    >>> counted("ols", {"unit": "person"}), counted("ols", {"epsilon": 1.0})
    ('at most 1 record of each person counts', '')
    """
    unit, most = arguments.get("unit"), arguments.get("max_records", 1)
    # what counts units looks at all of their records
    if unit is None or function == "nunique":
        return ""
    groups = arguments.get("max_groups")
    within = "" if groups is None or most == 1 else f", in at most {groups} group{'s' * (groups != 1)}"
    return f"at most {most} record{'s' * (most != 1)} of each {unit} count{'s' * (most == 1)}{within}"


def sentence(function: str, arguments: Mapping[str, object], brief: bool = False) -> str:
    """Return the same as a sentence, which tells a result of units from one of records.

    Examples
    --------
    >>> sentence("mean", {"unit": "person"}, brief=True)
    'At most 1 record of each person counts, drawn at random.'
    """
    said = counted(function, arguments)
    if not said:
        return ""
    by_units = "" if brief or arguments.get("max_records", 1) != 1 else _BY_UNITS
    return f"A{said[1:]}, drawn at random{by_units}."


def missing_words(arguments: Mapping[str, object]) -> str:
    """Say what was done with missing values, by a call's public arguments; empty where they are an error.

    Examples
    --------
    >>> missing_words({"missing": "drop"}), missing_words({"missing": 0.0}), missing_words({})
    ('Records with missing values are left out.', 'Missing values count as 0.', '')
    """
    missing = arguments.get("missing", "error")
    if missing == "drop":
        return "Records with missing values are left out."
    number = isinstance(missing, (int, float)) and not isinstance(missing, bool)
    return f"Missing values count as {missing:g}." if number else ""
