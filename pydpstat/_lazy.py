"""Lazy import of public names and pandas, which keeps the package's import fast."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Collection, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NoReturn

__all__ = ["explain_missing_names", "attach_names", "make_name_error", "pd"]


class _LazyModule:
    """A module that is imported on first access to one of its attributes."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> object:
        # tools that inspect a namespace ask each object for such names
        if name.startswith("__"):
            raise AttributeError(name)
        attribute = getattr(importlib.import_module(self._module), name)
        # found without this method on the next access
        self.__dict__[name] = attribute
        return attribute


# a release of plain arrays does not need pandas, whose import takes longest
if TYPE_CHECKING:
    import pandas as pd
else:
    pd = _LazyModule("pandas")


def attach_names(
    namespace: dict[str, Any], homes: Mapping[str, str], parts: Collection[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return a package's ``__getattr__`` and ``__dir__``, which import its public names on demand.

    `homes` has the module of each name, and imported objects are stored in `namespace`. Type checkers and editors read
    the same names in the stub file next to the package's ``__init__.py``.
    """
    package = namespace["__name__"]

    def load_name(name: str) -> object:
        if name in parts:
            # the import adds the module to the package's namespace
            return importlib.import_module(f"{package}.{name}")
        if name not in homes:
            raise make_name_error(package, name, [*homes, *parts])
        namespace[name] = getattr(importlib.import_module(homes[name]), name)
        return namespace[name]

    def collect_names() -> list[str]:
        module_names = {name for name in namespace if name.startswith("__") and name.endswith("__")}
        # __main__ is a module that appears in the namespace once it was imported
        return sorted({*module_names, *homes, *parts} - {"__main__"})

    return load_name, collect_names


def explain_missing_names(namespace: dict[str, Any]) -> None:
    """Add a ``__getattr__`` that explains missing names to a package that imports all of its public names."""
    package = namespace["__name__"]

    def raise_name_error(name: str) -> NoReturn:
        raise make_name_error(package, name, namespace["__all__"])

    # defined at run time because type checkers would otherwise accept every name
    namespace["__getattr__"] = raise_name_error


def make_name_error(package: str, name: str, known: Collection[str]) -> Exception:
    """Return the error for a name that a package lacks; called by its ``__getattr__``."""
    message = f"module {package!r} has no attribute {name!r}"
    # Python itself looks up private modules in this way
    if name.startswith("_"):
        return AttributeError(message)
    from pydpstat._wrong_calls import suggest_name
    from pydpstat.errors import AttributeNameError

    hint = suggest_name(name, known)
    # "from package import name" shows only the messages of import errors
    is_import = sys._getframe(2).f_code.co_name == "_handle_fromlist"
    if is_import and find_spec(f"{package}.{name}") is None:
        return ImportError(f"cannot import name {name!r} from {package!r}{hint}", name=package)
    return AttributeNameError(message + (hint or f". Its names are in dir({package})."))
