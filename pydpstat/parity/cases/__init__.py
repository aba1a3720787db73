"""All comparisons with R, collected from the modules of this folder."""

from __future__ import annotations

import importlib
import pkgutil

from pydpstat.parity.case import Case


def all_cases() -> tuple[Case, ...]:
    """Return every comparison, in the order of the modules' names.

    Raises
    ------
    ValueError
        Where two cases have the same id.

    Examples
    --------
    >>> from pydpstat.parity.cases import all_cases
    >>> len(all_cases()) > 100
    True
    """
    cases: list[Case] = []
    for module in pkgutil.iter_modules(__path__):
        cases.extend(importlib.import_module(f"{__name__}.{module.name}").CASES)
    ids = [case.id for case in cases]
    if len(set(ids)) < len(ids):
        twice = sorted({name for name in ids if ids.count(name) > 1})
        raise ValueError(f"ids of parity cases must differ; {twice} occur twice")
    return tuple(cases)
