"""Count what the package's structure promises, and name what breaks it: ``python tools/house.py``.

The counts are read from the source; only for its docstrings the package is imported. ``tests/test_house.py``
checks the rules; totals are only printed. ``--package FOLDER`` counts another checkout's package.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import importlib
import inspect
import sys
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.util import resolve_name
from pathlib import Path
from types import ModuleType

PACKAGE = Path(__file__).resolve().parents[1] / "pydpstat"

# The rooms from top to bottom: a module imports from its own room and from those of lower lines.
LAYERS = (
    ("__main__",),
    ("parity",),
    ("porting",),
    ("local", "consistency", "anonymity", "teaching", "sklearn"),
    ("auditing",),
    ("designs",),
    ("planning",),
    ("inference",),
    ("statistics", "dppack", "diffpriv"),
    ("_records",),
    ("_release", "_null_distributions"),
    ("budget",),
    ("results",),
    ("plots",),
    ("mechanisms",),
    # a mechanism states its privacy loss, so that one from elsewhere can
    ("privacy",),
    ("random",),
    ("r_arithmetic",),
    ("_data",),
    ("_answering", "_files", "_lazy"),
    ("_wrong_calls",),
    ("_checks", "_warn", "_ways"),
    ("_frozen", "_grid", "_markup", "_multiple_precision", "_order", "_search", "_words", "errors"),
)
# rooms without an underscore whose modules have no public names
NAMELESS = {
    "__main__": "a command has no names",
    "parity": "its names are for r_reference and the documentation, which are in every checkout",
}
PUBLIC_ROOMS = "anonymity auditing budget consistency designs diffpriv dppack errors local mechanisms plots privacy"
PUBLIC_ROOMS += " r_arithmetic random results teaching"
PUBLIC = ("pydpstat", *(f"pydpstat.{room}" for room in PUBLIC_ROOMS.split()))
MOST_ANY = 281
# modules, lines of code and lines of docstrings at most; a room may have no aim for one of them
AIMS = {"all but porting": (300, 35_000, 15_000), "inference": (50, 6_500, None)}
LONGEST, SHORTEST = 400, 60
# at commit 610e3dd, before the rooms were drawn anew
LEAST_DOCSTRING_LINES = 9_469


@dataclass(frozen=True, order=True)
class Import:
    """One module's import of another, at run time or for type checkers only."""

    importer: str
    imported: str
    line: int
    typing: bool

    def __str__(self) -> str:
        """Say where the import is."""
        return f"{self.importer}:{self.line} imports {self.imported}{' for typing' * self.typing}"


class House:
    """The modules of a package, as their source has them."""

    def __init__(self, package: Path) -> None:
        """Read every module."""
        self.package = package
        paths = {_dotted(package, path): path for path in sorted(package.rglob("*.py"))}
        self.texts = {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
        self.trees = {name: ast.parse(text) for name, text in self.texts.items()}
        self.packages = {name for name, path in paths.items() if path.name == "__init__.py"}

    @property
    def lines(self) -> dict[str, int]:
        """Lines of each module."""
        return {name: len(text.splitlines()) for name, text in self.texts.items()}

    @cached_property
    def counts(self) -> dict[str, tuple[int, int]]:
        """Lines of code and lines of docstrings of each module; the rest is empty or a comment."""
        found = {}
        for name, tree in self.trees.items():
            documented = _docstring_places(tree)
            lines = enumerate(map(str.strip, self.texts[name].splitlines()), start=1)
            code = [line for at, line in lines if at not in documented and line and line[0] != "#"]
            found[name] = len(code), len(documented)
        return found

    def total(self, modules: Collection[str]) -> tuple[int, int, int]:
        """Return how many modules these are, and their lines of code and of docstrings."""
        code, told = (sum(self.counts[name][place] for name in modules) for place in (0, 1))
        return len(modules), code, told

    @cached_property
    def imports(self) -> list[Import]:
        """Every import of one module by another; that of a lazy name is one of the module that has it."""
        found = {
            Import(name, imported, line, typing)
            for name, tree in self.trees.items()
            if name != self.package.name
            for node, typing in _statements(tree)
            for imported, line in self._imported(name, node)
            if imported in self.trees and imported not in (name, self.package.name)
        }
        return sorted(found)

    def _imported(self, importer: str, node: ast.AST) -> Iterator[tuple[str, int]]:
        match node:
            case ast.Import(names=names):
                yield from ((each.name, node.lineno) for each in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                inside = importer if importer in self.packages else importer.rpartition(".")[0]
                home = resolve_name("." * level + (module or ""), inside)
                yield from ((self._home(home, each.name), node.lineno) for each in names)
            case ast.Call(func=function, args=[ast.Constant(str(text))]):
                if ast.unparse(function).endswith("import_module"):
                    yield text, node.lineno

    def _home(self, module: str, name: str) -> str:
        """Return the module that an imported name is in, as far as it is not imported there itself."""
        if f"{module}.{name}" in self.trees:
            return f"{module}.{name}"
        home = self._homes(module).get(name)
        return self._home(home, name) if home else module

    def _homes(self, module: str) -> dict[str, str]:
        value = _assigned(self.trees.get(module), "_HOMES")
        homes = _paired(value)
        if isinstance(value, ast.Dict) and None in value.keys:
            # the records of statistics begin with their home
            records = _paired(_assigned(self.trees.get(f"{module}.statistics._catalog"), "STATISTICS"))
            homes |= {name: record.args[0] for name, record in records.items() if isinstance(record, ast.Call)}
        return {name: ast.literal_eval(home) for name, home in homes.items()}

    def _exports(self, package: str) -> set[str]:
        """Names that a package offers: those in its ``__all__`` and in its ``_HOMES``."""
        listed = _assigned(self.trees.get(package), "__all__") or ast.List([])
        texts = {str(node.value) for node in ast.walk(listed) if isinstance(node, ast.Constant)}
        return texts | set(self._homes(package))

    def unplaced(self) -> list[str]:
        """Return rooms that have no place among the layers, and places without a room."""
        placed = {room for layer in LAYERS for room in layer}
        return sorted({room_of(name) for name in self.trees} - {""} ^ placed)

    def upward(self) -> list[Import]:
        """Return imports of a room that is not below the importer's."""
        level = {room: depth for depth, layer in enumerate(LAYERS) for room in layer}
        bottom = len(LAYERS)
        return [
            each
            for each in self.imports
            if room_of(each.importer) != room_of(each.imported)
            and level.get(room_of(each.imported), bottom) <= level.get(room_of(each.importer), bottom)
        ]

    def circles(self, typing: bool) -> list[list[str]]:
        """Return groups of modules of which each imports the others, in the end; also for typing."""
        arrows: dict[str, set[str]] = {name: set() for name in self.trees}
        for each in self.imports:
            if typing or not each.typing:
                arrows[each.importer].add(each.imported)
        reached = {name: _reached(arrows, name) for name in arrows}
        groups = {frozenset(other for other in reached[name] if name in reached[other]) for name in arrows}
        return sorted(sorted(group) for group in groups if len(group) > 1)

    def long(self) -> dict[str, int]:
        """Return modules that are too long."""
        return {name: lines for name, lines in self.lines.items() if lines > LONGEST}

    def small(self) -> dict[str, int]:
        """Return modules that are short and have no second importer."""
        importers = {(each.importer, each.imported) for each in self.imports}
        # commands and lazy names are imported by the names of their modules
        importers |= {
            (name, node.value)
            for name, tree in self.trees.items()
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in self.trees
        }
        asked = Counter(imported for _, imported in importers)
        kept = self.packages | {name for name in self.trees if name.endswith(".__main__")}
        short = {name: lines for name, lines in self.lines.items() if lines < SHORTEST and name not in kept}
        return {name: lines for name, lines in short.items() if asked[name] < 2}

    def nameless(self) -> list[str]:
        """Return modules without an underscore that define no public name."""
        found = []
        for name in sorted(set(self.trees) - self.packages):
            parts = name.split(".")[1:]
            if parts[0] in NAMELESS or any(part.startswith("_") for part in parts):
                continue
            body = self.trees[name].body
            own = {each for statement in body for each in names_of(statement, imported=False)}
            offered = self._exports(name.rpartition(".")[0]) | self._exports(self.package.name)
            if not own & offered:
                found.append(name)
        return found

    def anys(self) -> dict[str, int]:
        """Return how often each module says Any: in annotations, aliases and casts."""
        return {name: sum(map(_is_any, ast.walk(_unquoted(tree)))) for name, tree in self.trees.items()}


def room_of(module: str) -> str:
    """Return the part of the package that a module is in; the package itself has none."""
    return module.split(".")[1] if "." in module else ""


def names_of(statement: ast.stmt, imported: bool = True) -> list[str]:
    """Return the names that a statement of a module defines, without branches and overloads."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            decorators = {ast.unparse(each).rpartition(".")[2] for each in statement.decorator_list}
            return [] if "overload" in decorators else [statement.name]
        case ast.Import() | ast.ImportFrom():
            return [each.asname or each.name for each in statement.names if imported]
        case ast.Assign(targets=targets):
            nodes = [node for target in targets for node in ast.walk(target)]
        case ast.AnnAssign(target=target):
            nodes = [target]
        case _:
            return []
    # an item or an attribute of something is no name
    return [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]


def _docstring_places(tree: ast.Module) -> set[int]:
    """Return the numbers of the lines that docstrings have."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    first = [node.body[0] for node in ast.walk(tree) if isinstance(node, kinds) and ast.get_docstring(node)]
    return {line for each in first for line in range(each.lineno, (each.end_lineno or each.lineno) + 1)}


def docstring_lines(packages: Iterable[ModuleType]) -> int:
    """Return the docstring lines that a reader of all public names and their methods sees."""
    things = {id(thing): thing for package in packages for thing in _public(package)}
    return sum(len(text.splitlines()) for thing in things.values() for text in _docstrings(thing))


def _public(package: ModuleType) -> list[object]:
    names = getattr(package, "__all__", [name for name in dir(package) if not name.startswith("_")])
    things = [getattr(package, name) for name in names]
    return [thing for thing in things if callable(thing) and str(thing.__module__).startswith("pydpstat")]


def _docstrings(thing: object) -> Iterator[str]:
    yield inspect.getdoc(thing) or ""
    for name in dir(thing) if inspect.isclass(thing) else ():
        member = inspect.getattr_static(thing, name)
        # a property's function, a cached one's, a class method's
        kinds = (getattr(member, kind, None) for kind in ("fget", "func", "__func__"))
        function = next(filter(None, kinds), member)
        if name[0] != "_" and inspect.isfunction(function) and function.__module__.startswith("pydpstat"):
            yield inspect.getdoc(getattr(thing, name)) or ""


def _dotted(package: Path, path: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _statements(tree: ast.AST, typing: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """Walk a tree; what is under ``if TYPE_CHECKING`` is for typing."""
    for node in ast.iter_child_nodes(tree):
        yield node, typing
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            yield from ((each, True) for statement in node.body for each in (statement, *ast.walk(statement)))
            yield from ((each, typing) for statement in node.orelse for each in ast.walk(statement))
        else:
            yield from _statements(node, typing)


def _paired(value: ast.expr | None) -> dict[str, ast.expr]:
    """Return the values of a dict with the keys that are texts."""
    pairs = zip(value.keys, value.values) if isinstance(value, ast.Dict) else ()
    return {key.value: each for key, each in pairs if isinstance(key, ast.Constant)}


def _assigned(tree: ast.Module | None, name: str) -> ast.expr | None:
    for statement in tree.body if tree else ():
        if isinstance(statement, ast.Assign) and names_of(statement) == [name]:
            return statement.value
    return None


def _reached(arrows: Mapping[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    open_ = {start}
    while open_:
        found |= (new := {each for name in open_ for each in arrows[name]} - found)
        open_ = new
    return found


def _unquoted(tree: ast.Module) -> ast.Module:
    """Return a tree with the annotations that are texts as expressions."""

    class Unquote(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.AST:
            if isinstance(node.value, str) and "Any" in node.value and "\n" not in node.value:
                with contextlib.suppress(SyntaxError):
                    return ast.parse(node.value, mode="eval").body
            return node

    return Unquote().visit(copy.deepcopy(tree))


def _is_any(node: ast.AST) -> bool:
    name = getattr(node, "id", None) if isinstance(node, ast.Name) else getattr(node, "attr", None)
    return name == "Any"


def documented() -> str:
    """Return the docstring lines of all public names, or why they cannot be had."""
    try:
        return f"{docstring_lines(map(importlib.import_module, PUBLIC)):,}"
    except ImportError as error:
        return f"not counted: {error}"


def wheel_size() -> str:
    """Return the size of this checkout's wheel in bytes, or why it cannot be had."""
    # tools/wheel.py, which is found where this is run; a package of the same name is where this is imported
    from wheel import build

    with tempfile.TemporaryDirectory() as folder:
        try:
            return f"{build(Path(folder)).stat().st_size:,}"
        except Exception as error:
            return f"not built: {type(error).__name__}"


def main() -> None:
    """Print the counts, then what breaks the rules."""
    parser = argparse.ArgumentParser(description="Count what the package's structure promises.")
    parser.add_argument("--package", type=Path, default=PACKAGE, help="the package's folder")
    house = House(parser.parse_args().package.resolve())
    sys.path.insert(0, str(house.package.parent))
    anys, lines = house.anys(), house.lines
    broken: dict[str, list[str]] = {
        "rooms without a place, places without a room": house.unplaced(),
        "upward imports": [str(each) for each in house.upward()],
        "circles at run time": [" ".join(each) for each in house.circles(typing=False)],
        "circles with typing": [" ".join(each) for each in house.circles(typing=True)],
        f"modules over {LONGEST} lines": [f"{m} ({n})" for m, n in house.long().items()],
        f"modules under {SHORTEST} lines with one importer": [f"{m} ({n})" for m, n in house.small().items()],
        "public modules without a public name": house.nameless(),
    }
    rooms = {room: [name for name in lines if room_of(name) == room] for room in map(room_of, lines)}
    print(f"{'room':<20} {'modules':>8} {'code':>8} {'docstrings':>11} {'Any':>6}")
    for room, inside in sorted(rooms.items()):
        size, code, told = house.total(inside)
        any_ = sum(anys[name] for name in inside)
        print(f"{room or 'pydpstat':<20} {size:>8} {code:>8,} {told:>11,} {any_:>6}")
    rooms["all but porting"] = [name for name in lines if room_of(name) != "porting"]
    print(f"\n{'what':<50} {'now':>8}  allowed")
    for where, aims in AIMS.items():
        total = house.total(rooms[where])
        for what, now, aim in zip(("modules", "lines of code", "lines of docstrings"), total, aims):
            if aim is not None:
                print(f"{f'{what}, {where}':<50} {now:>8,}  aim {aim:,}")
    for what, now, allowed in (
        ("Any", f"{sum(anys.values()):,}", f"at most {MOST_ANY}"),
        ("docstring lines of public names", documented(), f"at least {LEAST_DOCSTRING_LINES:,}"),
        *((what, str(len(found)), "none") for what, found in broken.items()),
    ):
        print(f"{what:<50} {now:>8}  {allowed}")
    if house.package == PACKAGE:
        print(f"{'bytes of the wheel':<50} {wheel_size():>8}  aim 900,000")
    for what, found in broken.items():
        if found:
            print(f"\n{what}:", *found, sep="\n    ")


if __name__ == "__main__":
    main()
