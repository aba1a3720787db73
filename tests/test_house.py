"""How the package's own modules are written."""

import ast
from pathlib import Path

import pytest

import pydpstat

ROOT = Path(pydpstat.__file__).parent


def names_of(statement):
    """Names that a statement of a module defines, without branches and overloads."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            decorators = {ast.unparse(each).rpartition(".")[2] for each in statement.decorator_list}
            return [] if "overload" in decorators else [statement.name]
        case ast.Import() | ast.ImportFrom():
            return [each.asname or each.name for each in statement.names]
        case ast.Assign(targets=targets):
            nodes = [node for target in targets for node in ast.walk(target)]
        case ast.AnnAssign(target=target):
            nodes = [target]
        case _:
            return []
    # an item or an attribute of something is no name
    return [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]


def defined_twice(source):
    names = [name for statement in ast.parse(source).body for name in names_of(statement)]
    return sorted({name for name in names if names.count(name) > 1})


@pytest.mark.parametrize(
    "source, twice",
    [
        ("A = 1\nA = 2", ["A"]),
        ("A, (B, C) = 1, (2, 3)\nC: int = 4", ["C"]),
        ("import math\n\ndef math(): ...", ["math"]),
        ("from a import b as c\n\nclass c: ...", ["c"]),
        ("A = {}\nA['b'] = 1\nA.c = 2", []),
        ("@overload\ndef f(): ...\n@typing.overload\ndef f(): ...\ndef f(): ...", []),
        ("try:\n    import a\nexcept ImportError:\n    a = None", []),
    ],
)
def test_definitions_are_found(source, twice):
    assert defined_twice(source) == twice


def test_no_module_defines_a_name_twice():
    modules = sorted(ROOT.rglob("*.py"))
    assert len(modules) > 100
    found = {str(path): defined_twice(path.read_text(encoding="utf-8")) for path in modules}
    assert {path: names for path, names in found.items() if names} == {}
