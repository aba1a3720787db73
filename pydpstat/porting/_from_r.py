"""R's trees as the checker's forms."""

from __future__ import annotations

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
)
from pydpstat.porting._syntax import Argument, Call, Constant, Function, Name, Node, Script

_ARROWS = {"<-", "<<-", "=", ":="}
_FROM = {"::", ":::"}
_PIPES = {"%>%", "%<>%", "%T>%"}
# what these need to be more than a name
_LEAST = {
    "if": 2,
    "for": 3,
    "while": 2,
    "repeat": 1,
    "$": 2,
    "@": 2,
    "[": 1,
    "[[": 1,
    **dict.fromkeys((*_FROM, *_PIPES), 2),
}


def forms_of(script: Script) -> Block:
    """Return a script's statements; R shows their values."""
    reader = _Reader(script)
    return Block(Place(1, 1, ""), tuple(map(reader.form, script.expressions)), shown=True)


class _Reader:
    def __init__(self, script: Script) -> None:
        self._script = script

    def form(self, node: Node) -> Form:
        place = Place.of(*self._script.place(node.start), self._script.written(node))
        if isinstance(node, Constant):
            return Literal(place, node.value)
        if isinstance(node, Name):
            # these two are variables in R
            return Literal(place, node.name == "T") if node.name in ("T", "F") else Variable(place, node.name)
        if isinstance(node, Function):
            formals = tuple((str(each.name), self._maybe(each.value)) for each in node.formals)
            return Lambda(place, formals, self.form(node.body), last=True)
        return self._call(place, node)

    def _maybe(self, node: Node | None) -> Form | None:
        return None if node is None else self.form(node)

    def _values(self, node: Call) -> list[Form]:
        return [self.form(each.value) for each in node.arguments if each.value is not None]

    def _call(self, place: Place, node: Call) -> Form:
        function = node.function
        if isinstance(function, Name):
            return self._named(place, node, function.name)
        if isinstance(function, Call) and isinstance(function.function, Name) and function.arguments:
            owner, *rest = [each.value for each in function.arguments]
            word = _word(rest[0]) if rest else ""
            if function.function.name in _FROM:
                return self._applied(place, node, word, package=_word(owner))
            if function.function.name in ("$", "@") and owner is not None:
                if word == "new":
                    return self._applied(place, node, _class(owner))
                return self._applied(place, node, word, receiver=self.form(owner))
        inside = tuple((None, each) for each in (self.form(function), *self._values(node)))
        return Apply(place, "", inside)

    def _named(self, place: Place, node: Call, name: str) -> Form:
        arguments = node.arguments
        # a sign that is called like a function may have fewer
        if len([each for each in arguments if each.value is not None]) < _LEAST.get(name, 0):
            return self._applied(place, node, name)
        if name in _ARROWS and len(arguments) == 2:
            return self._assignment(place, name, arguments)
        if name in _PIPES:
            return self._pipe(place, node)
        if name in ("{", "("):
            body = tuple(self._values(node))
            return body[0] if name == "(" and body else Block(place, body)
        if name == "if":
            test, *ways = self._values(node)
            return Branch(place, test, tuple(ways))
        if name == "for":
            over = arguments[1]
            names = (_word(arguments[0].value),)
            return Loop(place, names, self._maybe(over.value), self._body(arguments[2]))
        if name in ("while", "repeat"):
            if name == "repeat":
                return Loop(place, (), None, self._body(arguments[0]))
            inside = Block(place, tuple(self._values(node)))
            return Loop(place, (), None, inside)
        if name in ("$", "@", "[", "[["):
            of, *keys = self._values(node)
            word = _word(arguments[-1].value, text=name in ("[", "[["))
            keys = [] if name in ("$", "@") else keys
            return Part(place, of, word, tuple(keys))
        if name == "~":
            return Apply(place, "~", ())
        if name in _FROM:
            return Variable(place, _word(arguments[1].value))
        if name == "new" and arguments:
            return self._applied(place, node, _word(arguments[0].value), skip=1)
        return self._applied(place, node, name)

    def _body(self, argument: Argument) -> Form:
        return self._maybe(argument.value) or Block(Place(1, 1, ""), ())

    def _applied(
        self,
        place: Place,
        node: Call,
        name: str,
        package: str = "",
        receiver: Form | None = None,
        skip: int = 0,
    ) -> Apply:
        given = tuple(
            (each.name, self.form(each.value)) for each in node.arguments[skip:] if each.value is not None
        )
        return Apply(place, name, given, package, receiver)

    def _assignment(self, place: Place, arrow: str, arguments: tuple[Argument, ...]) -> Form:
        left, right = (each.value for each in arguments)
        if left is None or right is None:
            return Block(place, ())
        value = self.form(right)
        target = self.form(left)
        while isinstance(target, Apply) and target.arguments:
            # levels(x) <- value is x <- `levels<-`(x, value)
            first = target.arguments[0][1]
            value = Apply(place, f"{target.function}<-", (*target.arguments, (None, value)))
            target = first
        if isinstance(target, Literal):
            target = Variable(target.place, str(target.value))
        if not isinstance(target, (Variable, Part)):
            return value
        return Assign(place, (target,), value, arrow == "<<-")

    def _pipe(self, place: Place, node: Call) -> Form:
        left, right = (each.value for each in node.arguments)
        if left is None or right is None:
            return Block(place, ())
        if not isinstance(right, Call) or (isinstance(right.function, Name) and right.function.name in _FROM):
            return self._call(place, Call(right, (Argument(None, left),), node.start, node.end))
        dotted = any(isinstance(each.value, Name) and each.value.name == "." for each in right.arguments)
        given = tuple(
            Argument(each.name, left) if isinstance(each.value, Name) and each.value.name == "." else each
            for each in right.arguments
        )
        first = () if dotted else (Argument(None, left),)
        return self._call(place, Call(right.function, (*first, *given), node.start, node.end))


def _word(node: Node | None, text: bool = False) -> str:
    """Return a name or a text as it is written; for `text` no name."""
    if isinstance(node, Name) and not text:
        return node.name
    return str(node.value) if isinstance(node, Constant) and node.kind == "character" else ""


def _class(owner: Node) -> str:
    """Return the name of a class, also with its package."""
    if isinstance(owner, Call) and isinstance(owner.function, Name) and owner.function.name in _FROM:
        return _word(owner.arguments[1].value)
    return _word(owner)
