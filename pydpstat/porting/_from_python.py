"""Python's trees as the checker's forms."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from pydpstat.porting._forms import (
    Apply,
    Assign,
    Block,
    Branch,
    Form,
    Lambda,
    Literal,
    Loop,
    Part,
    Place,
    Variable,
    Within,
)

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "^",
    ast.Not: "!",
    ast.Eq: "==",
}


def forms_of_python(text: str) -> Block:
    """Return a script's statements.

    Raises
    ------
    SyntaxError
        Where it is no Python.
    """
    return _Reader(text).block(ast.parse(text).body)


class _Reader:
    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        # what a name stands for: a package, and a name in it or none
        self._imported: dict[str, tuple[str, str]] = {}

    def block(self, statements: Sequence[ast.stmt]) -> Block:
        return Block(Place(1, 1, ""), tuple(map(self._statement, statements)))

    def _place(self, node: ast.stmt | ast.expr) -> Place:
        last = self._lines[node.lineno - 1 : node.end_lineno or node.lineno]
        if len(last) == 1:
            # ast counts bytes
            line = last[0].encode()
            text = line[node.col_offset : node.end_col_offset].decode(errors="replace")
        else:
            text = " ".join([last[0].encode()[node.col_offset :].decode(errors="replace"), *last[1:4]])
        column = len(last[0].encode()[: node.col_offset].decode(errors="replace"))
        return Place.of(node.lineno, column + 1, text)

    def _statement(self, node: ast.stmt) -> Form:
        place = self._place(node)
        match node:
            case ast.Import(names=names):
                for each in names:
                    root = each.name if each.asname else each.name.partition(".")[0]
                    self._imported[each.asname or root] = (root, "")
            case ast.ImportFrom(module=module, names=names):
                for each in names:
                    self._imported[each.asname or each.name] = (module or "", each.name)
            case ast.Assign(targets=targets, value=value):
                found = [each for target in targets for each in self._targets(target)]
                return Assign(place, tuple(found), self._form(value))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return Assign(place, tuple(self._targets(target)), self._form(value))
            case ast.AugAssign(target=target, op=op, value=value):
                both = ((None, self._form(target)), (None, self._form(value)))
                changed = Apply(place, _OPERATORS.get(type(op), "operator"), both)
                return Assign(place, tuple(self._targets(target)), changed)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                made = self._function(place, node.args, self.block(node.body), last=False)
                return Assign(place, (Variable(place, name),), made)
            case ast.Return(value=value):
                given = ((None, self._form(value)),) if value else ()
                return Apply(place, "return", given)
            case ast.Expr(value=value):
                return self._form(value)
            case (
                ast.For(target=target, iter=over, body=body)
                | ast.AsyncFor(target=target, iter=over, body=body)
            ):
                return Loop(place, tuple(_names(target)), self._form(over), self.block(body))
            case ast.While(test=test, body=body):
                inside = Block(place, (self._form(test), self.block(body)))
                return Loop(place, (), None, inside)
            case ast.If(test=test, body=body, orelse=orelse):
                return Branch(place, self._form(test), (self.block(body), self.block(orelse)))
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                return self._within(place, items, body)
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody):
                caught = [statement for each in handlers for statement in each.body]
                return self.block([*body, *orelse, *caught, *finalbody])
        return Block(place, ())

    def _within(self, place: Place, items: list[ast.withitem], body: list[ast.stmt]) -> Form:
        contexts = tuple(self._form(each.context_expr) for each in items)
        named = [
            Assign(place, tuple(self._targets(each.optional_vars)), context)
            for each, context in zip(items, contexts)
            if each.optional_vars is not None
        ]
        return Within(place, contexts, Block(place, (*named, self.block(body))))

    def _targets(self, node: ast.expr) -> Iterable[Variable | Part]:
        if isinstance(node, (ast.Tuple, ast.List)):
            for each in node.elts:
                yield from self._targets(each)
        elif isinstance(node, ast.Starred):
            yield from self._targets(node.value)
        else:
            form = self._form(node)
            if isinstance(form, (Variable, Part)):
                yield form

    def _function(self, place: Place, given: ast.arguments, body: Form, last: bool) -> Lambda:
        names = [*given.posonlyargs, *given.args]
        defaults: list[ast.expr | None] = [None] * (len(names) - len(given.defaults))
        pairs = [*zip(names, [*defaults, *given.defaults]), *zip(given.kwonlyargs, given.kw_defaults)]
        formals = tuple((name.arg, self._form(value) if value else None) for name, value in pairs)
        return Lambda(place, formals, body, last)

    def _form(self, node: ast.expr) -> Form:
        place = self._place(node)
        match node:
            case ast.Constant(value=value):
                return Literal(place, float(value) if type(value) is int else value)
            case ast.Name(id=name):
                return Variable(place, name)
            case ast.Call():
                return self._call(place, node)
            case ast.Attribute(value=of, attr=name):
                package, _ = self._resolved(node)
                return Variable(place, name) if package else Part(place, self._form(of), name)
            case ast.Subscript(value=of, slice=key):
                word = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""
                keys = key.elts if isinstance(key, ast.Tuple) else [key]
                return Part(place, self._form(of), word, tuple(map(self._form, keys)))
            case ast.Lambda(args=given, body=body):
                return self._function(place, given, self._form(body), last=True)
            case ast.Dict(keys=words, values=values):
                named = (
                    (each.value if isinstance(each, ast.Constant) and isinstance(each.value, str) else None)
                    for each in words
                )
                return Apply(place, "list", tuple(zip(named, map(self._form, values))))
            case ast.List(elts=values) | ast.Tuple(elts=values) | ast.Set(elts=values):
                return Apply(place, "c", tuple((None, self._form(each)) for each in values))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(place, node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._applied(place, "ifelse", [test, body, orelse])
            case ast.BinOp(left=left, op=op, right=right):
                return self._applied(place, _OPERATORS.get(type(op), "operator"), [left, right])
            case ast.UnaryOp(op=sign, operand=operand):
                return self._applied(place, _OPERATORS.get(type(sign), "operator"), [operand])
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return self._applied(place, _OPERATORS.get(type(ops[0]), "<"), [left, *comparators])
            case ast.BoolOp(values=values):
                return self._applied(place, "&", values)
            case ast.NamedExpr(target=target, value=value):
                return Assign(place, tuple(self._targets(target)), self._form(value))
            case ast.Starred(value=value) | ast.Await(value=value):
                return self._form(value)
        inside = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)]
        return self._applied(place, "paste" if isinstance(node, ast.JoinedStr) else "[", inside)

    def _applied(self, place: Place, name: str, values: Iterable[ast.expr]) -> Apply:
        return Apply(place, name, tuple((None, self._form(each)) for each in values))

    def _comprehension(
        self, place: Place, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> Form:
        """Return a comprehension as R's ``sapply`` of a function."""
        if isinstance(node, ast.DictComp):
            value: Form = self._applied(place, "c", [node.key, node.value])
        else:
            value = self._form(node.elt)
        for each in reversed(node.generators):
            formals = tuple((name, None) for name in _names(each.target))
            inside = Lambda(place, formals, value, last=True)
            value = Apply(place, "sapply", ((None, self._form(each.iter)), (None, inside)))
        return value

    def _resolved(self, node: ast.expr) -> tuple[str, str]:
        """Return the package and the dotted name that a name or an attribute of an import stands for."""
        if isinstance(node, ast.Name):
            return self._imported.get(node.id, ("", ""))
        if not isinstance(node, ast.Attribute):
            return "", ""
        package, name = self._resolved(node.value)
        return (package, f"{name}.{node.attr}".lstrip(".")) if package else ("", "")

    def _call(self, place: Place, node: ast.Call) -> Form:
        given = (
            *((None, self._form(each)) for each in node.args),
            *((each.arg, self._form(each.value)) for each in node.keywords),
        )
        package, name = self._resolved(node.func)
        if package:
            # of a class that was imported, as Budget.open
            return Apply(place, name.rpartition(".")[2], given, package.partition(".")[0])
        match node.func:
            case ast.Name(id=name):
                return Apply(place, name, given)
            case ast.Attribute(value=of, attr=name):
                return Apply(place, name, given, receiver=self._form(of))
        return Apply(place, "", ((None, self._form(node.func)), *given))


def _names(target: ast.expr) -> list[str]:
    return [each.id for each in ast.walk(target) if isinstance(each, ast.Name)]
