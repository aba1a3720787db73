"""Conversion of Python's trees to the checker's forms."""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Iterable, Sequence

from pydpstat.porting import _forms as forms
from pydpstat.porting._forms import Apply, Form, Place
from pydpstat.porting._functions import TOO_DEEP

_OPERATOR_SIGNS = dict(zip("Add Sub USub UAdd Mult Div Pow Not Eq".split(), "+ - - + * / ^ ! ==".split()))


def make_python_forms(text: str) -> forms.Block:
    """Return the statements of a Python script.

    Raises
    ------
    SyntaxError
        If the text is not valid Python.
    """
    reader = _PythonReader(text)
    with warnings.catch_warnings():
        # Python's warnings about escapes in strings
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    return forms.Block(Place(1, 1, ""), tuple(map(reader.read_statement, tree.body)))


class _PythonReader:
    def __init__(self, text: str) -> None:
        # ast counts bytes, and its lines end where those of bytes do
        self._lines = text.encode().splitlines()
        # meaning of each imported name: a package, and a name in it or none
        self._imported: dict[str, tuple[str, str]] = {}

    def read_statement(self, node: ast.stmt) -> Form:
        """Return the form of a statement."""
        level: list[ast.AST] = [node]
        for _ in range(forms.MAX_DEPTH):
            level = [part for each in level for part in ast.iter_child_nodes(each)]
        return Apply(self._make_place(node), TOO_DEEP, ()) if level else self._read_inner_statement(node)

    def read_block(self, statements: Sequence[ast.stmt]) -> forms.Block:
        return forms.Block(Place(1, 1, ""), tuple(map(self._read_inner_statement, statements)))

    def _make_place(self, node: ast.stmt | ast.expr) -> Place:
        lines = self._lines[node.lineno - 1 : node.end_lineno or node.lineno]
        before = lines[0][: node.col_offset].decode(errors="replace")
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return Place.from_text(node.lineno, len(before) + 1, b" ".join(lines[:4]).decode(errors="replace"))

    def _read_inner_statement(self, node: ast.stmt) -> Form:
        place = self._make_place(node)
        match node:
            case ast.Import():
                for each in node.names:
                    root = each.name if each.asname else each.name.partition(".")[0]
                    self._imported[each.asname or root] = (root, "")
            case ast.ImportFrom(module=module):
                self._imported |= {each.asname or each.name: (module or "", each.name) for each in node.names}
            case ast.Assign(targets=targets, value=value):
                return self._make_assignment(place, targets, self._read_form(value))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return self._make_assignment(place, [target], self._read_form(value))
            case ast.AugAssign(target=target, op=op, value=value):
                return self._make_assignment(
                    place, [target], self._make_call(place, _get_operator_sign(op), [target, value])
                )
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                made = self._make_function(place, node.args, self.read_block(node.body), has_implicit_return=False)
                return forms.Assign(place, (forms.Variable(place, name),), made)
            case ast.ClassDef(body=body):
                return self.read_block(body)
            case ast.Break() | ast.Continue():
                return Apply(place, "break", ())
            case ast.Return(value=value):
                return self._make_call(place, "return", [value] if value else [])
            case ast.Expr(value=value) | ast.Assert(test=value):
                return self._read_form(value)
            case ast.For() | ast.AsyncFor():
                loop = self.read_block(node.body)
                return forms.Loop(place, tuple(_find_target_names(node.target)), self._read_form(node.iter), loop)
            case ast.While(test=test, body=body):
                return forms.Loop(place, (), None, forms.Branch(place, self._read_form(test), (self.read_block(body),)))
            case ast.If(test=test, body=body, orelse=orelse):
                return forms.Branch(place, self._read_form(test), (self.read_block(body), self.read_block(orelse)))
            case ast.With() | ast.AsyncWith():
                contexts = (
                    self._make_assignment(place, [each.optional_vars], self._read_form(each.context_expr))
                    for each in node.items
                )
                given = (*contexts, self.read_block(node.body))
                return Apply(place, "with", tuple((None, each) for each in given))
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody):
                caught = [statement for each in handlers for statement in each.body]
                return self.read_block([*body, *orelse, *caught, *finalbody])
        return forms.Block(place, ())

    def _make_assignment(self, place: Place, targets: Sequence[ast.expr | None], value: Form) -> Form:
        found = tuple(part for each in targets if each is not None for part in self._iterate_targets(each))
        return forms.Assign(place, found, value) if found else value

    def _iterate_targets(self, node: ast.expr) -> Iterable[forms.Variable | forms.ElementAccess]:
        if isinstance(node, (ast.Tuple, ast.List)):
            for each in node.elts:
                yield from self._iterate_targets(each.value if isinstance(each, ast.Starred) else each)
        elif isinstance(form := self._read_form(node), (forms.Variable, forms.ElementAccess)):
            yield form

    def _make_function(self, place: Place, given: ast.arguments, body: Form, has_implicit_return: bool) -> forms.Lambda:
        names = [*given.posonlyargs, *given.args]
        defaults: list[ast.expr | None] = [None] * (len(names) - len(given.defaults))
        pairs = [(name.arg, value) for name, value in zip(names, [*defaults, *given.defaults])]
        pairs += [(f"*{given.vararg.arg}", None)] if given.vararg else []
        pairs += [(name.arg, value) for name, value in zip(given.kwonlyargs, given.kw_defaults)]
        pairs += [(f"**{given.kwarg.arg}", None)] if given.kwarg else []
        formals = tuple((name, self._read_form(value) if value else None) for name, value in pairs)
        return forms.Lambda(place, formals, body, has_implicit_return)

    def _read_form(self, node: ast.expr) -> Form:
        place = self._make_place(node)
        match node:
            case ast.Constant(value=value):
                return forms.Literal(place, _to_double(value) if type(value) is int else value)
            case ast.Name(id=name):
                return forms.Variable(place, name)
            case ast.Call():
                return self._read_call(place, node)
            case ast.Attribute(value=of, attr=name):
                package, _ = self._resolve_import(node)
                return forms.Variable(place, name) if package else forms.ElementAccess(place, self._read_form(of), name)
            case ast.Subscript(value=of, slice=key):
                keys = key.elts if isinstance(key, ast.Tuple) else [key]
                return forms.ElementAccess(
                    place, self._read_form(of), _get_text(keys[-1]) or "", tuple(map(self._read_form, keys))
                )
            case ast.Lambda(args=given, body=body):
                return self._make_function(place, given, self._read_form(body), has_implicit_return=True)
            case ast.Dict(keys=words, values=values):
                return Apply(place, "list", tuple(zip(map(_get_text, words), map(self._read_form, values))))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return self._make_comprehension(place, self._read_form(node.elt), node.generators)
            case ast.DictComp(key=key, value=value, generators=generators):
                return self._make_comprehension(place, self._make_call(place, "c", [key, value]), generators)
            case ast.NamedExpr(target=target, value=value):
                return self._make_assignment(place, [target], self._read_form(value))
            case ast.FormattedValue(value=value, format_spec=ast.JoinedStr(values=[ast.Constant() as spec])):
                return self._make_call(place, "format", [value, spec])
            case ast.Starred(value=value):
                return forms.Spread(place, self._read_form(value))
            case ast.Await(value=value) | ast.FormattedValue(value=value):
                return self._read_form(value)
            case ast.List() | ast.Tuple() | ast.Set():
                name = "c"
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._make_call(place, "ifelse", [test, body, orelse])
            case ast.BinOp(left=ast.List(), op=ast.Mult()):
                name = "rep"
            case ast.BinOp(op=sign) | ast.UnaryOp(op=sign):
                name = _get_operator_sign(sign)
            case ast.Compare(ops=[sign, *_]):
                name = _get_operator_sign(sign, "<")
            case ast.BoolOp():
                name = "&"
            case _:
                name = "paste" if isinstance(node, ast.JoinedStr) else "["
        inside = (each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr))
        return self._make_call(place, name, inside)

    def _make_call(self, place: Place, name: str, values: Iterable[ast.expr]) -> Apply:
        return Apply(place, name, tuple((None, self._read_form(each)) for each in values))

    def _make_comprehension(self, place: Place, value: Form, generators: Sequence[ast.comprehension]) -> Form:
        """Return a comprehension as a call of R's ``sapply`` with a function."""
        for each in reversed(generators):
            formals = tuple((name, None) for name in _find_target_names(each.target))
            inside = forms.Lambda(place, formals, value, has_implicit_return=True)
            value = Apply(place, "sapply", ((None, self._read_form(each.iter)), (None, inside)))
        return value

    def _resolve_import(self, node: ast.expr) -> tuple[str, str]:
        """Return the package and the dotted name that an imported name or attribute refers to."""
        if isinstance(node, ast.Name):
            return self._imported.get(node.id, ("", ""))
        if not isinstance(node, ast.Attribute):
            return "", ""
        package, name = self._resolve_import(node.value)
        return (package, f"{name}.{node.attr}".lstrip(".")) if package else ("", "")

    def _read_call(self, place: Place, node: ast.Call) -> Form:
        pairs = [*((None, each) for each in node.args), *((each.arg, each.value) for each in node.keywords)]
        # a ``**`` argument has no name, either
        spread = {id(each.value) for each in node.keywords if each.arg is None}
        values = ((name, value, self._read_form(value)) for name, value in pairs)
        given = tuple(
            (name, forms.Spread(form.place, form) if id(value) in spread else form) for name, value, form in values
        )
        package, name = self._resolve_import(node.func)
        if package:
            # a method of an imported class, such as Budget.open
            return Apply(place, name.rpartition(".")[2], given, package.partition(".")[0])
        match node.func:
            case ast.Name(id=name):
                return Apply(place, name, given)
            case ast.Attribute(value=of, attr=name):
                return Apply(place, name, given, receiver=self._read_form(of))
        return Apply(place, "", ((None, self._read_form(node.func)), *given))


def _to_double(value: int) -> float:
    return float(value) if value.bit_length() <= 1023 else math.inf


def _get_operator_sign(node: ast.AST, other: str = "operator") -> str:
    return _OPERATOR_SIGNS.get(type(node).__name__, other)


def _get_text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _find_target_names(target: ast.expr) -> list[str]:
    return [each.id for each in ast.walk(target) if isinstance(each, ast.Name)]
