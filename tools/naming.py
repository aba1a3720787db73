"""Count how the package's functions are named, and list names of the glossary that are retired.

``python tools/naming.py`` prints the figures, and with ``--list`` the functions whose name does not begin
with a verb. ``tests/test_house.py`` checks the limits. A name is split at underscores; names with two leading
underscores are left out. ``--package FOLDER`` counts another package.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# the first words of names of functions and methods
VERBS = set(
    """
    add align allocate allow apply approximate ask assert assign bind bisect bound build calculate
    calibrate call can cast charge check choose clear clip clone close coerce collect combine
    compare compile compose compute concatenate convert copy count create decode derive describe
    draw drop emit encode ensure escape estimate evaluate expand explain export fill filter find fit
    follow format freeze from get group handle has import index insert integrate invert is iter
    iterate join keep label list load lookup make map match maximize merge minimize name normalize
    note open order pack pad parse permute plot predict prefetch print probe project protect publish
    quote raise rank read record reduce refuse register reject release remove render replace report
    require reset resolve retry round run sample save scale search select should show shuffle
    simulate skip solve sort spend split standardize suggest sum summarize tabulate take test to
    tokenize trace transform translate trim unpack unscale unwrap update use validate verify visit
    walk warn wrap write
    """.split()
)
# the most that may be, and the least
MOST_ONE_WORD, MOST_PARTICIPLES, LEAST_VERBS, MOST_MODULES = 0.30, 0.02, 0.60, 3


@dataclass(frozen=True)
class Definition:
    """A function, a class or an argument, and where it is defined."""

    name: str
    kind: str
    module: str
    line: int

    @property
    def words(self) -> list[str]:
        """The parts of the name between underscores."""
        return [word for word in self.name.split("_") if word]


def find_definitions(package: Path) -> Iterator[Definition]:
    """Yield the functions, methods, properties, classes and arguments of a package."""
    for path in sorted(package.rglob("*.py")):
        tree, module = ast.parse(path.read_text(encoding="utf-8")), str(path.relative_to(package))
        top = {id(node) for node in tree.body}
        for node in ast.walk(tree):
            if isinstance(node, ast.arg):
                yield Definition(node.arg, "argument", module, node.lineno)
            elif isinstance(node, ast.ClassDef):
                yield Definition(node.name, "class" if id(node) in top else "inner class", module, node.lineno)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not is_dunder(node.name):
                kind = "property" if is_property(node) else "function" if id(node) in top else "method"
                yield Definition(node.name, kind, module, node.lineno)


def is_dunder(name: str) -> bool:
    """Return whether Python itself chose a name, or it has no words."""
    return name.startswith("__") or not name.strip("_")


def is_property(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function is read like an attribute."""
    names = [ast.unparse(each).rpartition(".")[2] for each in function.decorator_list]
    return any("property" in name or name == "setter" for name in names)


@dataclass(frozen=True)
class NameCounts:
    """Shares of a package's functions, and the names that many modules define."""

    functions: int
    one_word: float
    participles: float
    verbs_or_properties: float
    repeated: dict[str, list[str]]
    without_verb: list[Definition]


def count_names(package: Path) -> NameCounts:
    """Count the names of a package's functions."""
    modules, functions, properties = defaultdict(set), [], 0
    for each in find_definitions(package):
        # each command has one
        if each.kind in ("function", "class") and each.name != "main":
            modules[each.name.strip("_")].add(each.module)
        if each.kind in ("function", "method"):
            functions.append(each)
        properties += each.kind == "property"
    single = [each for each in functions if len(each.words) == 1]
    participles = [each for each in single if re.search("(ed|ing|own|en)$", each.words[0])]
    without_verb = [each for each in functions if each.words[0] not in VERBS]
    count, every = len(functions), len(functions) + properties
    return NameCounts(
        count,
        len(single) / count,
        len(participles) / count,
        (every - len(without_verb)) / every,
        {name: sorted(found) for name, found in modules.items() if len(found) > MOST_MODULES},
        without_verb,
    )


def read_retired_words(page: Path = ROOT / "docs" / "glossary.md") -> set[str]:
    """Return the words that the glossary retires as names."""
    section = page.read_text(encoding="utf-8").partition("## Retired words")[2]
    first = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return set(re.findall("`([A-Za-z_]+)`", " ".join(first)))


def find_retired(package: Path) -> list[Definition]:
    """Return what has a retired word as its whole name."""
    retired = read_retired_words()
    return [each for each in find_definitions(package) if each.name.strip("_") in retired]


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--package", type=Path, default=ROOT / "pydpstat")
    parser.add_argument("--list", action="store_true", help="also the functions without a verb")
    asked = parser.parse_args()
    counts = count_names(asked.package)
    print(f"functions and methods {counts.functions}")
    print(f"one word {counts.one_word:.1%} (at most {MOST_ONE_WORD:.0%})")
    print(f"one-word participles {counts.participles:.1%} (at most {MOST_PARTICIPLES:.0%})")
    print(f"verb first, or property {counts.verbs_or_properties:.1%} (at least {LEAST_VERBS:.0%})")
    print(f"defined in more than {MOST_MODULES} modules: {len(counts.repeated)}")
    for name, modules in sorted(counts.repeated.items()):
        print(f"  {name}: {', '.join(modules)}")
    retired = Counter(each.name for each in find_retired(asked.package))
    print("retired words:", *(f"{name} {count}" for name, count in retired.most_common()))
    for each in counts.without_verb if asked.list else ():
        print(f"{each.module}:{each.line} {each.name}")


if __name__ == "__main__":
    main()
