"""Dependences between the pieces of a ported script: variables read and changed by each."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pydpstat.porting._modules import RESERVED_NAMES


class UnknownVariables:
    """Variables with unknown values, because a piece of the script was not run or not compared.

    Examples
    --------
    >>> unknown = UnknownVariables()
    >>> unknown.note_unknown(["x"], "line 1")
    >>> unknown.find_reason(ast.parse("y = x + 1")), unknown.find_reason(ast.parse("x = 2"))
    ('line 1', '')
    """

    def __init__(self) -> None:
        self._reasons: dict[str, str] = {}
        # the outer variables that each function reads and changes
        self._names_in_functions: dict[str, set[str]] = {}

    def find_reason(self, tree: ast.Module) -> str:
        """Return the reason for which the result of a piece is unknown, or an empty string."""
        lost = sorted(self._expand_names(_find_names_read(tree.body)) & self._reasons.keys())
        return self._reasons[lost[0]] if lost else ""

    def note_unknown(self, names: list[str], reason: str) -> None:
        """Record variables whose values are unknown from here on."""
        self._reasons |= dict.fromkeys(names, reason)

    def note_known(self, names: list[str]) -> None:
        """Record variables whose values are known from here on."""
        for name in names:
            self._reasons.pop(name, None)

    def note_functions(self, tree: ast.Module) -> None:
        """Record the variables read by the functions that a piece defines."""
        for each in tree.body:
            if isinstance(each, ast.FunctionDef):
                self._names_in_functions[each.name] = _find_free_names(each)
            elif isinstance(each, ast.Assign):
                inside = [_find_free_names(one) for one in ast.walk(each.value) if isinstance(one, ast.Lambda)]
                self._names_in_functions |= {name: set().union(*inside) for name in _get_target_names(each) if inside}

    def find_changed_names(self, tree: ast.Module) -> list[str]:
        """Return the variables that a piece may change, including by methods and by its functions' ``global``."""
        found = {name for each in tree.body for name in _iterate_stored_names(each)}
        for each in ast.walk(tree):
            if isinstance(each, ast.Global):
                found |= set(each.names)
            # a method may modify its object
            elif isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name):
                found.add(each.value.id)
        called = self._expand_names({each.id for each in ast.walk(tree) if isinstance(each, ast.Name)})
        found |= {name[1:] for name in called if name.startswith("=")}
        return sorted(found - RESERVED_NAMES)

    def _expand_names(self, names: set[str]) -> set[str]:
        """Return names with those used by the functions among them, recursively."""
        found, left = set(names), list(names)
        while left:
            more = self._names_in_functions.get(left.pop(), set()) - found
            found |= more
            left += more
        return found


def _find_names_read(body: list[ast.stmt]) -> set[str]:
    """Return the names that statements read before they assign them."""
    read: set[str] = set()
    known: set[str] = set()
    for each in body:
        if isinstance(each, ast.FunctionDef):
            known.add(each.name)
            continue
        loaded = {one.id for one in ast.walk(each) if isinstance(one, ast.Name) and _is_read(one)}
        bound = {each.target.id} if isinstance(each, ast.For) and isinstance(each.target, ast.Name) else set()
        read |= loaded - known - bound - _find_parameter_names(each)
        if isinstance(each, (ast.Assign, ast.For)):
            known |= set(_iterate_stored_names(each)) if isinstance(each, ast.Assign) else bound
    return read


def _is_read(name: ast.Name) -> bool:
    return not isinstance(name.ctx, ast.Store)


def _find_parameter_names(tree: ast.AST) -> set[str]:
    """Return the parameter names of the lambdas in a tree."""
    return {each.arg for each in ast.walk(tree) if isinstance(each, ast.arg)}


def _find_free_names(function: ast.FunctionDef | ast.Lambda) -> set[str]:
    """Return the outer names that a function uses; those that it assigns begin with an equals sign."""
    inside = [one for one in ast.walk(function) if isinstance(one, ast.Name)]
    outside = {name for one in ast.walk(function) if isinstance(one, ast.Global) for name in one.names}
    own = ({one.id for one in inside if not _is_read(one)} | _find_parameter_names(function)) - outside
    return {one.id for one in inside if _is_read(one)} - own | {f"={name}" for name in outside}


def _iterate_stored_names(statement: ast.stmt) -> Iterator[str]:
    """Return the names that a statement assigns, outside of functions."""
    if isinstance(statement, ast.FunctionDef):
        yield statement.name
        return
    for each in ast.walk(statement):
        if isinstance(each, ast.Name) and not _is_read(each):
            yield each.id
        elif isinstance(each, (ast.Attribute, ast.Subscript)) and not isinstance(each.ctx, ast.Load):
            root: ast.AST = each
            while isinstance(root, (ast.Attribute, ast.Subscript)):
                root = root.value
            if isinstance(root, ast.Name):
                yield root.id


def _get_target_names(statement: ast.Assign) -> list[str]:
    return [each.id for each in statement.targets if isinstance(each, ast.Name)]
