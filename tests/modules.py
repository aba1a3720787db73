"""The package's modules, as far as what they import is installed: one room needs an extra to be imported."""

import importlib
import pkgutil

import pydpstat
from pydpstat.errors import MissingExtraError

try:
    importlib.import_module("pydpstat.sklearn._estimators")
    _MISSING = "no room"
except MissingExtraError:
    _MISSING = "pydpstat.sklearn"


def usable(name: str) -> bool:
    """Tell whether the names of a module or package can be had."""
    return not name.startswith(_MISSING)


def modules() -> list[str]:
    """Return the names of all modules that can be imported here, sorted."""
    names = [each.name for each in pkgutil.walk_packages(pydpstat.__path__, "pydpstat.")]
    return sorted(name for name in names if usable(name))
