"""R's packages: which one a function belongs to, and the formal arguments of each.

They are recorded in ``formals.json`` by ``r_reference/formals.R``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

# R's search path behind the packages that a script attaches
USUAL = ("stats", "graphics", "grDevices", "utils", "methods", "base")
# what attaching a package attaches, the first on the search path first
_ATTACHES = {"tidyverse": ("dplyr", "magrittr")}
# packages whose functions are not recorded, and hide none of those that are
_HIDES_NOTHING = set("knitr tibble tidyr readr purrr stringr ggplot2 forcats tidyverse datasets".split())
# functions that hand the arguments in their dots on to another one
_FORWARDS = {"read.csv": "read.table", "write.csv": "write.table"}
_METHODS, _CLASS = "S3 methods", "class"


@cache
def _recorded() -> dict[str, dict[str, str | dict[str, str]]]:
    text = files("pydpstat.porting").joinpath("formals.json").read_text(encoding="utf-8")
    return json.loads(text)  # type: ignore[no-any-return]


def is_known(package: str) -> bool:
    """Return whether it is known which functions of others a package hides when it is attached."""
    return package in _HIDES_NOTHING or (package in _recorded() and package != _METHODS)


def attach(attached: Sequence[str], package: str) -> tuple[str, ...]:
    """Return the attached packages, the first on the search path first, after ``library(package)``.

    Examples
    --------
    >>> attach(("dplyr",), "MASS"), attach(("MASS", "dplyr"), "dplyr")
    (('MASS', 'dplyr'), ('MASS', 'dplyr'))
    """
    more = (one for one in _ATTACHES.get(package, (package,)) if one not in (*attached, *USUAL))
    return (*more, *attached)


def find_package(name: str, attached: Sequence[str]) -> str:
    """Return the first package on the search path that has a function, or the empty text.

    Examples
    --------
    >>> find_package("filter", ("dplyr",)), find_package("filter", ()), find_package("mutate", ())
    ('dplyr', 'stats', '')
    """
    return next((one for one in (*attached, *USUAL) if name in _recorded().get(one, ())), "")


def find_others(name: str) -> list[str]:
    """Return all packages that have a function."""
    return [one for one, functions in _recorded().items() if name in functions and one != _METHODS]


def formals_of(package: str, name: str, of_class: str = "") -> list[str] | None:
    """Return the formal arguments of a function, of its method for a class if it dispatches.

    Examples
    --------
    >>> formals_of("base", "mean"), formals_of("stats", "t.test", "formula")
    (['x', 'trim', 'na.rm', '...'], ['formula', 'data', 'subset', 'na.action', '...'])
    >>> formals_of("base", "nosuch")
    """
    own = _recorded().get(package, {}).get(name)
    if own is None or own == _CLASS:
        return None
    methods = _recorded()[_METHODS].get(name, {})
    found = next((methods[one] for one in (of_class, "default") if one in methods), own)  # type: ignore[index]
    return str(found).split()


def forwarded(package: str, name: str) -> list[str]:
    """Return the formal arguments of the function to which another one hands those in its dots."""
    return formals_of(package, _FORWARDS[name]) or [] if name in _FORWARDS else []


def describe_missing(package: str, name: str) -> str:
    """Return why a function is not translated."""
    if package and package not in USUAL:
        return f"{name} of {package} has no counterpart"
    others = find_others(name)
    if others and not package:
        return f"{name} is a function of {' and '.join(others)}, and the script does not attach it before"
    return f"{name} has no counterpart"


def is_pipe(name: str) -> bool:
    """Return whether a function is one of magrittr's pipes, which several packages export."""
    return name in ("%>%", "%<>%", "%T>%", "%$%")
