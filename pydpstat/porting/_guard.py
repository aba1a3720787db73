"""Final check of a translated statement: it compiles, can run, and calls only what the R script calls."""

from __future__ import annotations

import ast
import builtins
import sys
import warnings
from collections.abc import Iterable, Iterator

from pydpstat import _checks as checks
from pydpstat.porting._code import TranslationError, make_python_name, make_variable_name
from pydpstat.porting._escapes import trim_text
from pydpstat.porting._modules import RESERVED_NAMES, STREAM_NAME
from pydpstat.porting._output_check import OutputCheck
from pydpstat.porting._scope import iterate_nodes
from pydpstat.porting._syntax import Call, Constant, Function, Name, Node

_ALLOWED_STATEMENTS = (
    *(ast.Expr, ast.Assign, ast.Delete, ast.If, ast.For, ast.While, ast.FunctionDef, ast.Return, ast.Raise),
    *(ast.Pass, ast.Break, ast.Continue, ast.Global, ast.Nonlocal),
)
_ALLOWED_EXPRESSIONS = (
    *(ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Lambda, ast.IfExp, ast.Dict, ast.Compare, ast.Call),
    *(ast.Constant, ast.Attribute, ast.Subscript, ast.Name, ast.List, ast.Tuple, ast.Slice),
)
# Python's own limit
_RECURSION_LIMIT = 1000
# names that a translation may add: built-in functions, variables, and names of each module
_ALLOWED_BUILTINS = set("len range float int bool ValueError NotImplementedError".split())
_GENERATED_NAMES = {"each", "choice", "d", "value"}
_ALLOWED_ATTRIBUTES = {
    "math": set("pi nan inf".split()),
    "warnings": {"warn"},
    "pd": {"DataFrame", "Series"},
    "pydpstat": set("mean var std median quantile histogram anonymity".split()),
    "np": set(
        "array zeros resize full arange nan inf asarray logical_not logical_and logical_or logical_xor all "
        "sqrt abs floor ceil add subtract multiply divide".split()
    ),
    "rng": set("set_seed sample rgamma rnorm rlaplace rlap".split()),
    "r": set(
        "known is_in outer matmul modulo quotient recycled released ordered equal unequal integers power colon "
        "column_or divide part slot element index columns rows cells replaced replaced_element droplevels "
        "trunc replaced_cells set_names set_colnames set_rownames set_dimnames set_levels paste0 print "
        "each is_na ifelse length mutate filter_rows summarize desc count distinct head left_join "
        "inner_join unique population c replicate exp arrange data_frame letters LETTERS renumber "
        "with_stream column_of access printed bind tell_groups single_text".split()
    ),
}
# modules whose functions may be called as in the R script
_MODULES_OF_R = {"r", "dppack", "diffpriv", STREAM_NAME}
# attributes of data frames, and of the modules in pydpstat
_ALLOWED_METHODS = set("values isna isin assign drop rename loc iloc columns set_axis microaggregation".split())


class TranslationGuard:
    """Names and calls that a script allows in its translation.

    Parameters
    ----------
    expressions
        The syntax trees of the R script.

    Examples
    --------
    >>> from pydpstat.porting import parse
    >>> guard = TranslationGuard(parse("x <- mean(1)").expressions)
    >>> _ = guard.check_statement("x = r.mean(1)")
    >>> guard.check_statement("x = r.sum(1)")
    Traceback (most recent call last):
    ...
    pydpstat.porting._code.TranslationError: its translation has r.sum, which R's script has not
    """

    def __init__(self, expressions: Iterable[Node]) -> None:
        self._output_check = OutputCheck()
        names, words = set(_GENERATED_NAMES), set()
        for each in (one for top in expressions for one in iterate_nodes(top)):
            if isinstance(each, Name):
                names.add(each.name)
            elif isinstance(each, Constant) and isinstance(each.value, str):
                # the name of a component or a function may be written as a string
                words.add(each.value)
            elif isinstance(each, Function):
                names |= {str(one.name) for one in each.formals}
            elif isinstance(each, Call):
                words |= {one.name for one in each.arguments if one.name}
        texts = {each for each in words if len(each) <= 100}
        self._names = {make_variable_name(each).rstrip("_") for each in names | texts}
        self._words = {make_python_name(each).rstrip("_") for each in names | texts}

    def check_statement(self, python: str) -> ast.Module:
        """Return the syntax tree of a Python statement.

        Raises
        ------
        Untranslated
            If it does not compile, has a name, a call or a kind of statement that R's script has not, or
            calls a function with other arguments than it takes.
        """
        limit = sys.getrecursionlimit()
        try:
            # the recursion limit when the script is run
            sys.setrecursionlimit(min(limit, _RECURSION_LIMIT))
            with warnings.catch_warnings():
                # warnings, such as that 1 is not callable, concern the R script
                warnings.simplefilter("ignore")
                tree = ast.parse(python)
                compile(tree, "<port>", "exec")
        except checks.SYNTAX_ERRORS as error:
            deep = isinstance(error, (RecursionError, MemoryError))
            reason = "it is nested too deeply" if deep else getattr(error, "msg", str(error))
            raise TranslationError(f"Python cannot read its translation: {reason}") from None
        finally:
            sys.setrecursionlimit(limit)
        for each in ast.walk(tree):
            for what in self._find_foreign_parts(each):
                raise TranslationError(f"its translation has {trim_text(what)}, which R's script has not")
        for wrong in self._output_check.find_wrong_calls(tree):
            raise TranslationError(f"its translation cannot run: {trim_text(wrong)}")
        return tree

    def _find_foreign_parts(self, node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Attribute):
            if not self._is_allowed_attribute(node):
                yield ast.unparse(node)
        elif isinstance(node, (ast.Name, ast.arg, ast.FunctionDef)):
            name = next(str(getattr(node, key)) for key in ("id", "arg", "name") if hasattr(node, key))
            stored = not isinstance(getattr(node, "ctx", None), ast.Load)
            if not self._is_allowed_name(name, stored):
                yield name
        elif isinstance(node, ast.Constant) and _is_damaged(node.value):
            raise TranslationError("a string has bytes that are no UTF-8: write its letters, or \\u escapes")
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            yield from (each for each in node.names if not self._is_allowed_name(each, True))
        elif isinstance(node, ast.stmt) and not isinstance(node, _ALLOWED_STATEMENTS):
            yield f"a statement of the kind {type(node).__name__}"
        elif isinstance(node, ast.expr) and not isinstance(node, _ALLOWED_EXPRESSIONS):
            yield f"an expression of the kind {type(node).__name__}"

    def _is_allowed_name(self, name: str, stored: bool) -> bool:
        if hasattr(builtins, name):
            return name in _ALLOWED_BUILTINS and not stored
        if name in RESERVED_NAMES:
            # only the random number stream may be assigned
            return not stored or name == STREAM_NAME
        return name.rstrip("_") in self._names

    def _is_allowed_attribute(self, node: ast.Attribute) -> bool:
        name, of = node.attr, node.value
        if name.startswith("_"):
            return False
        known = name.rstrip("_") in self._words
        if isinstance(of, ast.Name) and of.id in RESERVED_NAMES:
            return name in _ALLOWED_ATTRIBUTES.get(of.id, ()) or (known and of.id in _MODULES_OF_R)
        return known or name in _ALLOWED_METHODS


def _is_damaged(value: object) -> bool:
    """Return whether a string has invalid bytes, such as R's ``"caf\\xe9"``."""
    return isinstance(value, str) and any("\ud800" <= each <= "\udfff" for each in value)


def is_drawing(tree: ast.Module) -> bool:
    """Return whether a statement uses the random number stream when it runs, not only in a function."""
    left: list[ast.AST] = [each for each in tree.body if not isinstance(each, ast.FunctionDef)]
    while left:
        node = left.pop()
        if isinstance(node, ast.Name) and node.id == "rng" and isinstance(node.ctx, ast.Load):
            return True
        left += (each for each in ast.iter_child_nodes(node) if not isinstance(each, ast.FunctionDef))
    return False


def is_seeding(tree: ast.Module) -> bool:
    """Return whether a statement creates the random number stream."""
    return any(isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "rng" for each in tree.body)


def find_modules(trees: Iterable[ast.Module]) -> set[str]:
    """Return the modules, and the stream's class, that statements use."""
    found = {each.id for tree in trees for each in ast.walk(tree) if isinstance(each, ast.Name)}
    return found & RESERVED_NAMES
