"""Counts that add up: margins of tables, and hierarchies of any depth.

All of it is post-processing, which costs no privacy budget, but for `release_hierarchy`, which releases.
"""

from __future__ import annotations

import importlib
from typing import Any

# each public name and the module that has it; a name is imported when it is first asked for
_HOMES = {
    "ConvergenceWarning": "pydpstat.consistency.table_results",
    "Hierarchy": "pydpstat.consistency.hierarchy",
    "HierarchyFit": "pydpstat.consistency.hierarchy_results",
    "HierarchyResults": "pydpstat.consistency.hierarchy_released",
    "TableFit": "pydpstat.consistency.table_results",
    "controlled_rounding": "pydpstat.consistency.table_controlled",
    "ipf": "pydpstat.consistency.table_ipf",
    "least_squares": "pydpstat.consistency.table_least_squares",
    "make_consistent": "pydpstat.consistency.hierarchy_fit",
    "release_hierarchy": "pydpstat.consistency.hierarchy_release",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
