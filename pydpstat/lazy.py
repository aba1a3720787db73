"""Public names that are imported when they are first asked for, so that importing the package stays light."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any


def load(name: str, homes: Mapping[str, str], namespace: dict[str, Any]) -> Any:
    """Import a public name for its namespace, which keeps it.

    Parameters
    ----------
    name : str
        What was asked for.
    homes : mapping of str to str
        Each public name and the module that has it.
    namespace : dict
        The asking module's ``globals()``.

    Raises
    ------
    AttributeError
        Where there is no such name.

    Examples
    --------
    >>> own = {"__name__": "here"}
    >>> load("sqrt", {"sqrt": "math"}, own)(4.0), "sqrt" in own
    (2.0, True)
    """
    if name not in homes:
        raise AttributeError(f"module {namespace['__name__']!r} has no attribute {name!r}")
    namespace[name] = getattr(importlib.import_module(homes[name]), name)
    return namespace[name]
