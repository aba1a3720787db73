"""R's trees as the checker's forms."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeGuard

from pydpstat.porting import _forms as forms
from pydpstat.porting import _packages as packages
from pydpstat.porting._argument_matching import DOTS, AmbiguousArguments, match_arguments
from pydpstat.porting._forms import Apply, Block, Form, Place
from pydpstat.porting._functions import TOO_DEEP
from pydpstat.porting._scope import depth, nodes
from pydpstat.porting._syntax import Argument, Call, Constant, Function, Name, Node, Script

_ARROWS = {"<-", "<<-", "=", ":="}
_FROM = {"::", ":::"}
_PIPES = {"%>%", "%<>%", "%T>%"}


def forms_of(script: Script) -> Block:
    """Return a script's statements; R shows their values."""
    reader = _Reader(script)
    return Block(Place(1, 1, ""), tuple(map(reader.statement, script.expressions)), shown=True)


class _Reader:
    def __init__(self, script: Script) -> None:
        self._script = script
        tops = (one for each in script.expressions if depth(each) <= forms.DEEPEST for one in nodes(each))
        pairs = ((each.arguments[0].value, each.arguments[-1].value) for each in tops if _is_assignment(each))
        self._functions = {_word(left): right for left, right in pairs if isinstance(right, Function)}

    def statement(self, node: Node) -> Form:
        return self.form(node) if depth(node) <= forms.DEEPEST else Apply(self._place(node), TOO_DEEP, ())

    def _place(self, node: Node) -> Place:
        return Place.of(*self._script.place(node.start), self._script.written(node))

    def form(self, node: Node) -> Form:
        place = self._place(node)
        if isinstance(node, Constant):
            missing = node.value is None and node.kind != "NULL"
            return forms.Literal(place, math.nan if missing else node.value)
        if isinstance(node, Name):
            # these two are variables in R
            logical = node.name in ("T", "F")
            return forms.Literal(place, node.name == "T") if logical else forms.Variable(place, node.name)
        if isinstance(node, Function):
            formals = tuple(
                (str(each.name), self.form(each.value) if each.value else None) for each in node.formals
            )
            return forms.Lambda(place, formals, self.form(node.body), last=True)
        if not isinstance(node.function, Name):
            return self._call(place, node)
        try:
            return self._named(place, node, node.function.name)
        except (IndexError, ValueError):
            # a sign that is called like a function may have fewer arguments
            return self._applied(place, node, node.function.name)

    def _values(self, node: Call) -> list[Form]:
        return [self.form(each.value) for each in node.arguments if each.value is not None]

    def _call(self, place: Place, node: Call) -> Form:
        """Return a call of what is not a plain name, as of a function of a package or of an object."""
        function = node.function
        if len(parts := _parts(function)) > 1:
            owner, word = parts[0], _word(parts[1])
            if _sign(function) in _FROM:
                return self._applied(place, node, word, package=_word(owner))
            if word == "new":
                # of a class, also with its package
                return self._applied(place, node, _word([owner, *_parts(owner)][-1]))
            if owner is not None:
                return self._applied(place, node, word, receiver=self.form(owner))
        return Apply(place, "", tuple((None, each) for each in (self.form(function), *self._values(node))))

    def _named(self, place: Place, node: Call, name: str) -> Form:
        """Return a call of a name; ValueError or IndexError where a sign has too few arguments."""
        arguments = node.arguments
        if name in _ARROWS and len(arguments) == 2:
            return self._assignment(place, name, arguments)
        if name in _PIPES:
            return self._pipe(place, node)
        if name in _FROM:
            return forms.Variable(place, _word(arguments[1].value))
        if name == "new" and arguments:
            rest = Call(node.function, arguments[1:], node.start, node.end)
            return self._applied(place, rest, _word(arguments[0].value))
        if name == "~" and len(arguments) > 1:
            used = (each.name for each in nodes(arguments[1].value) if isinstance(each, Name))
            return Apply(place, "~", tuple((None, forms.Literal(place, each)) for each in used))
        if name in ("%do%", "%dopar%") and isinstance(arguments[0].value, Call):
            several = arguments[0].value.arguments
            variables = tuple(each.name for each in several if each.name and each.name[0] != ".")
            return forms.Loop(place, variables, self._values(arguments[0].value)[0], self._values(node)[1])
        if name == "[" and (by := [each for each in arguments if each.name in ("by", "keyby")]):
            # figures of a data.table's groups
            given = [(None, each) for each in self._values(node)[: -len(by)]]
            labels = [self.form(each.value) for each in by if each.value]
            return Apply(place, "summarise", (*given, *((".by", each) for each in labels)))
        if name in ("$", "@", "[", "[["):
            of, *keys = self._values(node)
            if name == "[" and (new := [each for each in keys if isinstance(each, forms.Assign)]):
                # a column of a data.table, from its columns
                value = Apply(place, "with", ((None, of), (None, new[0].value)))
                columns = (each for each in new[0].targets if isinstance(each, forms.Variable))
                return forms.Assign(place, tuple(forms.Part(place, of, each.name) for each in columns), value)
            word = _word(arguments[-1].value, text=name in ("[", "[["))
            return forms.Part(place, of, word, () if name in ("$", "@") else tuple(keys))
        if name not in ("{", "(", "if", "for", "while", "repeat", "~"):
            return self._applied(place, node, name)
        values = tuple(self._values(node))
        if name == "for":
            _, over, body = values
            return forms.Loop(place, (_word(arguments[0].value),), over, body)
        if name == "while":
            return forms.Loop(place, (), None, forms.Branch(place, values[0], (values[1],)))
        if name == "repeat":
            return forms.Loop(place, (), None, Block(place, values))
        if name == "if":
            test, first, *second = values
            return forms.Branch(place, test, (first, *second))
        if name == "~":
            # a function as purrr and dplyr write it
            formals = ((".x", None), (".y", None), (".", forms.Variable(place, ".x")))
            return forms.Lambda(place, formals, values[0], last=True)
        return values[0] if name == "(" and values else Block(place, values)

    def _applied(
        self, place: Place, node: Call, name: str, package: str = "", receiver: Form | None = None
    ) -> Apply:
        arguments = self._with_names(node.arguments, name, package)
        pairs = ((each.name, each.value) for each in arguments if each.value is not None)
        given = tuple((name, self._argument(value)) for name, value in pairs)
        return Apply(place, name, given, package, receiver)

    def _argument(self, node: Node) -> Form:
        form = self.form(node)
        return forms.Spread(form.place, form) if node == Name("...") else form

    def _with_names(self, given: tuple[Argument, ...], name: str, package: str) -> tuple[Argument, ...]:
        """Return arguments; those behind an empty one, whose place tells no longer what they are, by name."""
        empty = {k for k, each in enumerate(given) if each.value is None}
        formals = self._formals(name, package) if empty else None
        if formals is None:
            return given
        try:
            found = match_arguments(formals, [each.name for each in given], empty)
        except AmbiguousArguments:
            return given
        return tuple(
            each if formal in (None, DOTS) else replace(each, name=formal)
            for each, formal in zip(given, found)
        )

    def _formals(self, name: str, package: str) -> list[str] | None:
        """Return the formal arguments of a function of the script, else of a package."""
        made = self._functions.get(name) if not package else None
        if made is not None:
            return [str(each.name) for each in made.formals]
        return packages.formals_of(packages.find_package(name, (package or "DPpack", "diffpriv")), name)

    def _assignment(self, place: Place, arrow: str, arguments: tuple[Argument, ...]) -> Form:
        left, right = (each.value for each in arguments)
        if left is None or right is None:
            return Block(place, ())
        value, target = self.form(right), self.form(left)
        while isinstance(target, Apply) and target.arguments:
            # levels(x) <- value is x <- `levels<-`(x, value)
            value = Apply(place, f"{target.function}<-", (*target.arguments, (None, value)))
            target = target.arguments[0][1]
        if isinstance(target, forms.Literal):
            target = forms.Variable(target.place, str(target.value))
        if not isinstance(target, (forms.Variable, forms.Part)):
            return value
        return forms.Assign(place, (target,), value, arrow == "<<-")

    def _pipe(self, place: Place, node: Call) -> Form:
        left, right = (each.value for each in node.arguments)
        if left is None or right is None:
            return Block(place, ())
        if not isinstance(right, Call) or _sign(right) in _FROM:
            return self.form(Call(right, (Argument(None, left),), node.start, node.end))
        dot = Name(".")
        given = [Argument(each.name, left) if each.value == dot else each for each in right.arguments]
        if all(each.value != dot for each in right.arguments):
            given.insert(0, Argument(None, left))
        return self.form(Call(right.function, tuple(given), node.start, node.end))


def _is_assignment(node: Node) -> TypeGuard[Call]:
    return isinstance(node, Call) and _sign(node) in _ARROWS and len(node.arguments) == 2


def _parts(node: Node | None) -> list[Node | None]:
    """Return what is before and after a sign that takes a part of something."""
    found = isinstance(node, Call) and _sign(node) in (*_FROM, "$", "@")
    return [each.value for each in node.arguments] if found and isinstance(node, Call) else []


def _sign(node: Node) -> str:
    """Return the name of what a call calls."""
    return node.function.name if isinstance(node, Call) and isinstance(node.function, Name) else ""


def _word(node: Node | None, text: bool = False) -> str:
    """Return a name or a text as it is written; for `text` no name."""
    if isinstance(node, Name) and not text:
        return node.name
    return str(node.value) if isinstance(node, Constant) and node.kind == "character" else ""
