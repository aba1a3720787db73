"""Write what type checkers and editors read where names come at run time: ``python tools/stubs.py``.

A package that imports its public names on demand has them in ``__init__.pyi``, and a design its methods in
``designs/_calls.pyi``.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import sys
from pathlib import Path
from types import ModuleType

# the checkout that this file is in, and not another one that is installed
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pydpstat  # noqa: E402
from pydpstat.designs import _signatures as signatures  # noqa: E402

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


CALLS = Path(str(signatures.__file__)).with_name("_calls.pyi")


def calls() -> str:
    """Return the stub of a design's methods: the functions' own parameters and results."""
    methods, needed = [], {"Sequence": "collections.abc"}
    for name in signatures.DESIGN_METHODS:
        known = signatures.get_method_signature(name)
        returned = str(inspect.signature(known.function).return_annotation)
        first = {"formula": "str", "condition": "str | float"}.get(known.first_parameter, "str | Sequence[str]")
        parts, words, by_name = [f"{known.first_parameter}: {first}"], [returned], False
        for each in list(known.signature.parameters.values())[1:]:
            if each.kind == each.KEYWORD_ONLY and not by_name:
                parts, by_name = [*parts, "*"], True
            said = f"{each.annotation}" + (" | None" if each.name in signatures.NARROWABLE_ARGUMENTS else "")
            # the number of all records has no condition
            optional = each.default is not each.empty or name == "count"
            parts.append(f"{each.name}: {said}" + " = ..." * optional)
            words.append(said)
        homes = _homes_of(inspect.unwrap(known.function).__module__)
        # a package hands on the names of its modules
        for word in set(re.findall(r"\w+", " ".join(words))) & set(homes):
            needed[word] = max(needed.get(word, ""), homes[word])
        listed = "".join(f"        {part},\n" for part in parts)
        methods.append(f"    def {name}(\n        self,\n{listed}    ) -> {returned}: ...\n")
    names: dict[str, list[str]] = {}
    for home, word in sorted((home, word) for word, home in needed.items()):
        names.setdefault(home, []).append(word)
    lines = [f"from {home} import {', '.join(words)}" for home, words in names.items()]
    own = [each for each in lines if each.startswith("from pydpstat")]
    others = [each for each in lines if each not in own]
    head = ["# Written by tools/stubs.py from the functions' own signatures.", "", *others, ""]
    return "\n".join([*head, "import numpy.typing as npt", "", *own, "", "class Calls:", "".join(methods)])


def _homes_of(module: str) -> dict[str, str]:
    """Return the modules of the names that a module imports or defines."""
    found = {}
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found |= {each.name: f"{node.module}" for each in node.names}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = module
        elif isinstance(node, ast.ClassDef):
            found[node.name] = module
    return found


if __name__ == "__main__":
    CALLS.write_text(calls(), encoding="utf-8")
    for each in lazy_packages():
        stub_path(each).write_text(stub(each), encoding="utf-8")
        print(stub_path(each))
