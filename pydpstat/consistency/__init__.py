"""Consistent counts: tables with given margins, and hierarchies of any depth.

Everything is post-processing, which costs no privacy budget, except for `release_hierarchy`, which makes a release.
"""

from pydpstat._lazy import attach_names as _attach

_HOMES = {
    "ConvergenceWarning": "pydpstat.consistency.tables",
    "Hierarchy": "pydpstat.consistency.hierarchy",
    "HierarchyFit": "pydpstat.consistency.hierarchy_results",
    "HierarchyResults": "pydpstat.consistency.hierarchy_results",
    "TableFit": "pydpstat.consistency.tables",
    "controlled_rounding": "pydpstat.consistency.table_adjusted",
    "ipf": "pydpstat.consistency.table_adjusted",
    "least_squares": "pydpstat.consistency.table_least_squares",
    "make_consistent": "pydpstat.consistency.hierarchy_fit",
    "release_hierarchy": "pydpstat.consistency.hierarchy_release",
}

__all__ = list(_HOMES)

__getattr__, __dir__ = _attach(globals(), _HOMES)
