"""Where the comparison's cases, distributions and recorded values are: beside R, in ``r_reference``."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pydpstat.errors import PydpstatError

if TYPE_CHECKING:
    from pydpstat.parity.case import Case

_CHECKOUT = Path(__file__).resolve().parents[2]


def reference_folder() -> Path:
    """Return the folder ``r_reference``: that of this checkout, or the one in the working directory.

    An installed package has none, which is a ``PydpstatError``.

    Examples
    --------
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

    Two cases with the same id are a ``ValueError``.

    Examples
    --------
    >>> len(all_cases()) > 100
    True
    """
    cases: tuple[Case, ...] = tuple(collected("cases", "CASES"))
    twice = sorted(name for name, times in Counter(case.id for case in cases).items() if times > 1)
    if twice:
        raise ValueError(f"ids of parity cases must differ; {twice} occur twice")
    return cases


def part(name: str) -> ModuleType:
    """Import a module of the reference, for example ``"tutorial.steps"``.

    Where there is no reference, it is a ``PydpstatError``.

    Examples
    --------
    >>> len(part("tutorial.steps").STEPS)
    12
    """
    root = str(reference_folder().parent)
    if root not in sys.path:
        # last: what is installed comes first
        sys.path.append(root)
    return importlib.import_module(f"r_reference.{name}")


def collected(folder: str, name: str) -> Iterator[Any]:
    """Return all that the public modules of a part of the reference, such as ``"cases"``, have under a name.

    Examples
    --------
    >>> next(collected("cases", "CASES")).id
    'microaggregation/k = 1'
    """
    found = sorted(module.name for module in pkgutil.iter_modules(part(folder).__path__))
    for module in found:
        if not module.startswith("_"):
            yield from getattr(part(f"{folder}.{module}"), name)
