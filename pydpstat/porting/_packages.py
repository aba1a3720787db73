"""R's packages: their functions with formal arguments, and the search path.

They are recorded in ``formals.json`` by ``r_reference/formals.R``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

# R's search path after the packages that a script attaches
BASE_PACKAGES = ("stats", "graphics", "grDevices", "utils", "methods", "base")
# packages attached with another package, in the order of the search path
_ATTACHED_WITH = {"tidyverse": ("dplyr", "magrittr")}
# packages without recorded functions, which mask none of the recorded ones
_UNRECORDED_PACKAGES = set("knitr tibble tidyr readr purrr stringr ggplot2 forcats tidyverse datasets".split())
# functions that pass the arguments in their dots to another function
_FORWARDED_TO = {"read.csv": "read.table", "write.csv": "write.table"}
_METHODS, _CLASS = "S3 methods", "class"


@cache
def _load_formals() -> dict[str, dict[str, str | dict[str, str]]]:
    text = files("pydpstat.porting").joinpath("formals.json").read_text(encoding="utf-8")
    return json.loads(text)  # type: ignore[no-any-return]


def is_known_package(package: str) -> bool:
    """Return whether the functions that a package masks when it is attached are known."""
    return package in _UNRECORDED_PACKAGES or (package in _load_formals() and package != _METHODS)


def attach(attached: Sequence[str], package: str) -> tuple[str, ...]:
    """Return the attached packages after ``library(package)``, in the order of the search path.

    Examples
    --------
    >>> attach(("dplyr",), "MASS"), attach(("MASS", "dplyr"), "dplyr")
    (('MASS', 'dplyr'), ('MASS', 'dplyr'))
    """
    more = (one for one in _ATTACHED_WITH.get(package, (package,)) if one not in (*attached, *BASE_PACKAGES))
    return (*more, *attached)


def find_package(name: str, attached: Sequence[str]) -> str:
    """Return the first package on the search path that has a function, or an empty string.

    Examples
    --------
    >>> find_package("filter", ("dplyr",)), find_package("filter", ()), find_package("mutate", ())
    ('dplyr', 'stats', '')
    """
    return next((one for one in (*attached, *BASE_PACKAGES) if name in _load_formals().get(one, ())), "")


def find_packages_with(name: str) -> list[str]:
    """Return all packages that have a function with this name."""
    return [one for one, functions in _load_formals().items() if name in functions and one != _METHODS]


def find_formals(package: str, name: str, of_class: str = "") -> list[str] | None:
    """Return the formal arguments of a function, or of its method for a class if it dispatches.

    Examples
    --------
    >>> find_formals("base", "mean"), find_formals("stats", "t.test", "formula")
    (['x', 'trim', 'na.rm', '...'], ['formula', 'data', 'subset', 'na.action', '...'])
    >>> find_formals("base", "nosuch")
    """
    own = _load_formals().get(package, {}).get(name)
    if own is None or own == _CLASS:
        return None
    methods = _load_formals()[_METHODS].get(name, {})
    found = next((methods[one] for one in (of_class, "default") if one in methods), own)  # type: ignore[index]
    return str(found).split()


def find_forwarded_formals(package: str, name: str) -> list[str]:
    """Return the formal arguments of the function that receives another function's dots."""
    return find_formals(package, _FORWARDED_TO[name]) or [] if name in _FORWARDED_TO else []


def describe_missing(package: str, name: str) -> str:
    """Return the reason for which a function is not translated."""
    if package and package not in BASE_PACKAGES:
        return f"{name} of {package} has no counterpart"
    others = find_packages_with(name)
    if others and not package:
        return f"{name} is a function of {' and '.join(others)}, and the script does not attach it before"
    return f"{name} has no counterpart"


def is_pipe(name: str) -> bool:
    """Return whether a function is one of magrittr's pipes, which several packages export."""
    return name in ("%>%", "%<>%", "%T>%", "%$%")
