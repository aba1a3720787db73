"""Check that each function called by a translation exists and accepts the call's arguments."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import cache

from pydpstat.porting._modules import STREAM_NAME, load_module


@cache
def _get_signature(module: str, name: str) -> inspect.Signature | None:
    """Return the signature of a module's function, or None if Python does not know it."""
    function = getattr(load_module(module), name)
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    if module == STREAM_NAME:
        found = found.replace(parameters=list(found.parameters.values())[1:])
    return found


class OutputCheck:
    """Check for wrong calls in statements, which are passed in the order in which they run.

    Examples
    --------
    >>> check = OutputCheck()
    >>> list(check.find_wrong_calls(ast.parse("x = r.nosuch(1) + r.mean(1, y=2)")))
    ['r has no nosuch', "mean() got an unexpected keyword argument 'y'"]
    >>> list(check.find_wrong_calls(ast.parse("def f(a): return a")))
    []
    >>> list(check.find_wrong_calls(ast.parse("f(1, 2)")))
    ['f() too many positional arguments']
    """

    def __init__(self) -> None:
        # functions of the script, None for names with other values
        self._functions: dict[str, inspect.Signature | None] = {}

    def find_wrong_calls(self, tree: ast.Module) -> Iterator[str]:
        """Yield an error for each wrong call, and record the functions that the statement defines."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                module = load_module(node.value.id)
                if module is not None and not hasattr(module, node.attr):
                    yield f"{node.value.id} has no {node.attr}"
        local = {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}
        local |= {each.arg for each in ast.walk(tree) if isinstance(each, ast.arg)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                yield from self._find_wrong_arguments(node, local)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                self._functions[node.name] = None if node.name in self._functions else _make_signature(node)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._functions[node.id] = None

    def _find_wrong_arguments(self, call: ast.Call, local: set[str]) -> Iterator[str]:
        function, signature, name = call.func, None, ""
        if isinstance(function, ast.Name) and function.id not in local:
            signature, name = self._functions.get(function.id), function.id
        elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            module, name = function.value.id, function.attr
            if hasattr(load_module(module), name):
                signature = _get_signature(module, name)
        keywords = _get_keywords(call)
        if signature is None or keywords is None or any(isinstance(each, ast.Starred) for each in call.args):
            return
        try:
            signature.bind(*call.args, **dict.fromkeys(keywords))
        except TypeError as error:
            yield f"{name}() {error}"


def _get_keywords(call: ast.Call) -> list[str] | None:
    """Return the keyword names of a call, or None if they are not literal."""
    found: list[str] = []
    for each in call.keywords:
        if each.arg:
            found.append(each.arg)
        elif isinstance(each.value, ast.Dict) and all(isinstance(key, ast.Constant) for key in each.value.keys):
            found += [str(key.value) for key in each.value.keys if isinstance(key, ast.Constant)]
        else:
            return None
    return found


def _make_signature(node: ast.FunctionDef) -> inspect.Signature:
    """Return the signature of a function that a translation defines."""
    given, kind = node.args, inspect.Parameter.POSITIONAL_OR_KEYWORD
    defaults = len(given.args) - len(given.defaults)
    parameters = [
        inspect.Parameter(each.arg, kind, default=inspect.Parameter.empty if k < defaults else None)
        for k, each in enumerate(given.args)
    ]
    if given.vararg:
        parameters.append(inspect.Parameter(given.vararg.arg, inspect.Parameter.VAR_POSITIONAL))
    parameters += [
        inspect.Parameter(each.arg, inspect.Parameter.KEYWORD_ONLY, default=None) for each in given.kwonlyargs
    ]
    if given.kwarg:
        parameters.append(inspect.Parameter(given.kwarg.arg, inspect.Parameter.VAR_KEYWORD))
    return inspect.Signature(parameters)
