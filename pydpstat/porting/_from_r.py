"""Conversion of R's trees to the checker's forms."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeGuard

from pydpstat.porting import _forms as forms
from pydpstat.porting import _packages as packages
from pydpstat.porting._argument_matching import DOTS, AmbiguousArguments, match_arguments
from pydpstat.porting._forms import Apply, Block, Form, Place
from pydpstat.porting._functions import TOO_DEEP
from pydpstat.porting._scope import compute_depth, iterate_nodes
from pydpstat.porting._syntax import Argument, Call, Constant, Function, Name, Node, Script

_ARROWS = {"<-", "<<-", "=", ":="}
_NAMESPACE_OPERATORS = {"::", ":::"}
_PIPES = {"%>%", "%<>%", "%T>%"}


def make_r_forms(script: Script) -> Block:
    """Return the statements of an R script, whose values R shows."""
    reader = _RReader(script)
    return Block(Place(1, 1, ""), tuple(map(reader.read_statement, script.expressions)), is_displayed=True)


class _RReader:
    def __init__(self, script: Script) -> None:
        self._script = script
        tops = (
            one for each in script.expressions if compute_depth(each) <= forms.MAX_DEPTH for one in iterate_nodes(each)
        )
        pairs = ((each.arguments[0].value, each.arguments[-1].value) for each in tops if _is_assignment(each))
        self._functions = {_get_written_word(left): right for left, right in pairs if isinstance(right, Function)}

    def read_statement(self, node: Node) -> Form:
        return (
            self.read_form(node)
            if compute_depth(node) <= forms.MAX_DEPTH
            else Apply(self._make_place(node), TOO_DEEP, ())
        )

    def _make_place(self, node: Node) -> Place:
        return Place.from_text(*self._script.place(node.start), self._script.written(node))

    def read_form(self, node: Node) -> Form:
        place = self._make_place(node)
        if isinstance(node, Constant):
            missing = node.value is None and node.kind != "NULL"
            return forms.Literal(place, math.nan if missing else node.value)
        if isinstance(node, Name):
            # T and F are variables in R
            logical = node.name in ("T", "F")
            return forms.Literal(place, node.name == "T") if logical else forms.Variable(place, node.name)
        if isinstance(node, Function):
            formals = tuple(
                (str(each.name), self.read_form(each.value) if each.value else None) for each in node.formals
            )
            return forms.Lambda(place, formals, self.read_form(node.body), has_implicit_return=True)
        if not isinstance(node.function, Name):
            return self._read_call(place, node)
        try:
            return self._read_named_call(place, node, node.function.name)
        except (IndexError, ValueError):
            # an operator called by its quoted name may have fewer arguments
            return self._make_call(place, node, node.function.name)

    def _read_values(self, node: Call) -> list[Form]:
        return [self.read_form(each.value) for each in node.arguments if each.value is not None]

    def _read_call(self, place: Place, node: Call) -> Form:
        """Return a call of something other than a plain name, such as a package's function or a method."""
        function = node.function
        if len(parts := _get_operands(function)) > 1:
            owner, word = parts[0], _get_written_word(parts[1])
            if _get_called_name(function) in _NAMESPACE_OPERATORS:
                return self._make_call(place, node, word, package=_get_written_word(owner))
            if word == "new":
                # a constructor of a class, also with its package
                return self._make_call(place, node, _get_written_word([owner, *_get_operands(owner)][-1]))
            if owner is not None:
                return self._make_call(place, node, word, receiver=self.read_form(owner))
        return Apply(place, "", tuple((None, each) for each in (self.read_form(function), *self._read_values(node))))

    def _read_named_call(self, place: Place, node: Call, name: str) -> Form:
        """Return a call of a name; raise ValueError or IndexError if an operator has too few arguments."""
        arguments = node.arguments
        if name in _ARROWS and len(arguments) == 2:
            return self._make_assignment(place, name, arguments)
        if name in _PIPES:
            return self._expand_pipe(place, node)
        if name in _NAMESPACE_OPERATORS:
            return forms.Variable(place, _get_written_word(arguments[1].value))
        if name == "new" and arguments:
            rest = Call(node.function, arguments[1:], node.start, node.end)
            return self._make_call(place, rest, _get_written_word(arguments[0].value))
        if name == "~" and len(arguments) > 1:
            used = (each.name for each in iterate_nodes(arguments[1].value) if isinstance(each, Name))
            return Apply(place, "~", tuple((None, forms.Literal(place, each)) for each in used))
        if name in ("%do%", "%dopar%") and isinstance(arguments[0].value, Call):
            several = arguments[0].value.arguments
            variables = tuple(each.name for each in several if each.name and each.name[0] != ".")
            return forms.Loop(place, variables, self._read_values(arguments[0].value)[0], self._read_values(node)[1])
        if name == "[" and (by := [each for each in arguments if each.name in ("by", "keyby")]):
            # statistics of a data.table's groups
            given = [(None, each) for each in self._read_values(node)[: -len(by)]]
            labels = [self.read_form(each.value) for each in by if each.value]
            return Apply(place, "summarise", (*given, *((".by", each) for each in labels)))
        if name in ("$", "@", "[", "[["):
            of, *keys = self._read_values(node)
            if name == "[" and (new := [each for each in keys if isinstance(each, forms.Assign)]):
                # a column of a data.table, computed from its columns
                value = Apply(place, "with", ((None, of), (None, new[0].value)))
                columns = (each for each in new[0].targets if isinstance(each, forms.Variable))
                return forms.Assign(place, tuple(forms.ElementAccess(place, of, each.name) for each in columns), value)
            word = _get_written_word(arguments[-1].value, text=name in ("[", "[["))
            return forms.ElementAccess(place, of, word, () if name in ("$", "@") else tuple(keys))
        if name not in ("{", "(", "if", "for", "while", "repeat", "~"):
            return self._make_call(place, node, name)
        values = tuple(self._read_values(node))
        if name == "for":
            _, over, body = values
            return forms.Loop(place, (_get_written_word(arguments[0].value),), over, body)
        if name == "while":
            return forms.Loop(place, (), None, forms.Branch(place, values[0], (values[1],)))
        if name == "repeat":
            return forms.Loop(place, (), None, Block(place, values))
        if name == "if":
            test, first, *second = values
            return forms.Branch(place, test, (first, *second))
        if name == "~":
            # a function in the formula notation of purrr and dplyr
            formals = ((".x", None), (".y", None), (".", forms.Variable(place, ".x")))
            return forms.Lambda(place, formals, values[0], has_implicit_return=True)
        return values[0] if name == "(" and values else Block(place, values)

    def _make_call(self, place: Place, node: Call, name: str, package: str = "", receiver: Form | None = None) -> Apply:
        arguments = self._add_argument_names(node.arguments, name, package)
        pairs = ((each.name, each.value) for each in arguments if each.value is not None)
        given = tuple((name, self._read_argument(value)) for name, value in pairs)
        return Apply(place, name, given, package, receiver)

    def _read_argument(self, node: Node) -> Form:
        form = self.read_form(node)
        return forms.Spread(form.place, form) if node == Name("...") else form

    def _add_argument_names(self, given: tuple[Argument, ...], name: str, package: str) -> tuple[Argument, ...]:
        """Return arguments, with names for those after an empty one, whose position is ambiguous."""
        empty = {k for k, each in enumerate(given) if each.value is None}
        formals = self._find_formals(name, package) if empty else None
        if formals is None:
            return given
        try:
            found = match_arguments(formals, [each.name for each in given], empty)
        except AmbiguousArguments:
            return given
        return tuple(
            each if formal in (None, DOTS) else replace(each, name=formal) for each, formal in zip(given, found)
        )

    def _find_formals(self, name: str, package: str) -> list[str] | None:
        """Return the formal arguments of a function of the script, or else of a package."""
        made = self._functions.get(name) if not package else None
        if made is not None:
            return [str(each.name) for each in made.formals]
        return packages.find_formals(packages.find_package(name, (package or "DPpack", "diffpriv")), name)

    def _make_assignment(self, place: Place, arrow: str, arguments: tuple[Argument, ...]) -> Form:
        left, right = (each.value for each in arguments)
        if left is None or right is None:
            return Block(place, ())
        value, target = self.read_form(right), self.read_form(left)
        while isinstance(target, Apply) and target.arguments:
            # levels(x) <- value is x <- `levels<-`(x, value)
            value = Apply(place, f"{target.function}<-", (*target.arguments, (None, value)))
            target = target.arguments[0][1]
        if isinstance(target, forms.Literal):
            target = forms.Variable(target.place, str(target.value))
        if not isinstance(target, (forms.Variable, forms.ElementAccess)):
            return value
        return forms.Assign(place, (target,), value, arrow == "<<-")

    def _expand_pipe(self, place: Place, node: Call) -> Form:
        left, right = (each.value for each in node.arguments)
        if left is None or right is None:
            return Block(place, ())
        if not isinstance(right, Call) or _get_called_name(right) in _NAMESPACE_OPERATORS:
            return self.read_form(Call(right, (Argument(None, left),), node.start, node.end))
        dot = Name(".")
        given = [Argument(each.name, left) if each.value == dot else each for each in right.arguments]
        if all(each.value != dot for each in right.arguments):
            given.insert(0, Argument(None, left))
        return self.read_form(Call(right.function, tuple(given), node.start, node.end))


def _is_assignment(node: Node) -> TypeGuard[Call]:
    return isinstance(node, Call) and _get_called_name(node) in _ARROWS and len(node.arguments) == 2


def _get_operands(node: Node | None) -> list[Node | None]:
    """Return the object and the index of an access operator."""
    found = isinstance(node, Call) and _get_called_name(node) in (*_NAMESPACE_OPERATORS, "$", "@")
    return [each.value for each in node.arguments] if found and isinstance(node, Call) else []


def _get_called_name(node: Node) -> str:
    """Return the name of the called function."""
    return node.function.name if isinstance(node, Call) and isinstance(node.function, Name) else ""


def _get_written_word(node: Node | None, text: bool = False) -> str:
    """Return a name or a string as written; with `text`, only a string."""
    if isinstance(node, Name) and not text:
        return node.name
    return str(node.value) if isinstance(node, Constant) and node.kind == "character" else ""
