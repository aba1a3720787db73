"""Where the comparison's cases, distributions and recorded values are: beside R, in ``r_reference``."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pydpstat.errors import PydpstatError

if TYPE_CHECKING:
    from pydpstat.parity.case import Case
    from pydpstat.parity.distribution import Law

_CHECKOUT = Path(__file__).resolve().parents[2]


def reference_folder() -> Path:
    """Return the folder ``r_reference``: that of this checkout, or the one in the working directory.

    Raises
    ------
    PydpstatError
        Where there is none: an installed package has no cases with it.

    Examples
    --------
    >>> from pydpstat.parity.reference import reference_folder
    >>> reference_folder().name
    'r_reference'
    """
    for place in (_CHECKOUT, Path.cwd()):
        if (place / "r_reference" / "cases").is_dir():
            return place / "r_reference"
    raise PydpstatError(
        "the comparison needs the folder r_reference, which is no part of an installed package. "
        "Run it in a checkout of the repository."
    )


def all_cases() -> tuple[Case, ...]:
    """Return every comparison, in the order of the names of the modules in ``r_reference/cases``.

    Raises
    ------
    ValueError
        Where two cases have the same id.

    Examples
    --------
    >>> from pydpstat.parity.reference import all_cases
    >>> len(all_cases()) > 100
    True
    """
    cases = tuple(case for each in _collected("cases", "CASES") for case in each)
    ids = [case.id for case in cases]
    if len(set(ids)) < len(ids):
        twice = sorted({name for name in ids if ids.count(name) > 1})
        raise ValueError(f"ids of parity cases must differ; {twice} occur twice")
    return cases


def all_laws() -> tuple[Law, ...]:
    """Return the distribution of every random function, from the modules in ``r_reference/laws``."""
    return tuple(law for each in _collected("laws", "LAWS") for law in each)


def _collected(part: str, name: str) -> list[tuple]:
    """Return what each public module of a part of the reference has under a name."""
    root = str(reference_folder().parent)
    if root not in sys.path:
        # last: what is installed comes first
        sys.path.append(root)
    package = importlib.import_module(f"r_reference.{part}")
    found = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    modules = [importlib.import_module(f"{package.__name__}.{each}") for each in found if each[0] != "_"]
    return [getattr(module, name) for module in modules]
