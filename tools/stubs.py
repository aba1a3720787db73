"""Write the stubs of the packages that import their public names on demand: ``python tools/stubs.py``.

A type checker or an editor reads in ``__init__.pyi`` what ``__init__.py`` does at run time.
"""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from types import ModuleType

import pydpstat

_HEAD = "# Written by tools/stubs.py from the names in __init__.py."


def lazy_packages() -> list[ModuleType]:
    """Return the packages whose `_HOMES` say where their public names are."""
    inner = [each.name for each in pkgutil.walk_packages(pydpstat.__path__, "pydpstat.") if each.ispkg]
    packages = [pydpstat, *map(importlib.import_module, inner)]
    return [each for each in packages if hasattr(each, "_HOMES")]


def stub_path(package: ModuleType) -> Path:
    """Return where a package's stub is."""
    return Path(str(package.__file__)).with_suffix(".pyi")


def stub(package: ModuleType) -> str:
    """Return a package's stub: ``as`` makes an imported name one of the package's own."""
    homes, parts = package._HOMES, getattr(package, "_PARTS", ())
    imported = [(package.__name__, name) for name in parts] + [(homes[name], name) for name in homes]
    lines = [f"from {home} import {name} as {name}" for home, name in sorted(imported, key=_isort_key)]
    own = [name for name in package.__all__ if name not in homes]
    values = [f"{name}: {type(getattr(package, name)).__name__}" for name in own]
    listed = ["__all__ = [", *[f'    "{name}",' for name in package.__all__], "]"]
    blocks = [[_HEAD], lines, values, listed]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _isort_key(imported: tuple[str, str]) -> tuple[str, int, str]:
    """Order imports as isort does: in a module constants, then classes, then the rest."""
    home, name = imported
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    return home.lower(), kind, name.lower()


if __name__ == "__main__":
    for each in lazy_packages():
        stub_path(each).write_text(stub(each), encoding="utf-8")
        print(stub_path(each))
