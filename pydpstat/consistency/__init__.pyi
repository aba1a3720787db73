# Written by tools/stubs.py from the names in __init__.py.

from pydpstat.consistency.hierarchy import Hierarchy as Hierarchy
from pydpstat.consistency.hierarchy_fit import make_consistent as make_consistent
from pydpstat.consistency.hierarchy_release import release_hierarchy as release_hierarchy
from pydpstat.consistency.hierarchy_results import HierarchyFit as HierarchyFit
from pydpstat.consistency.hierarchy_results import HierarchyResults as HierarchyResults
from pydpstat.consistency.table_adjusted import controlled_rounding as controlled_rounding
from pydpstat.consistency.table_adjusted import ipf as ipf
from pydpstat.consistency.table_least_squares import least_squares as least_squares
from pydpstat.consistency.tables import ConvergenceWarning as ConvergenceWarning
from pydpstat.consistency.tables import TableFit as TableFit

__all__ = [
    "ConvergenceWarning",
    "Hierarchy",
    "HierarchyFit",
    "HierarchyResults",
    "TableFit",
    "controlled_rounding",
    "ipf",
    "least_squares",
    "make_consistent",
    "release_hierarchy",
]
