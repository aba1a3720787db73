"""R's grammar: what R's ``parse`` makes of a script."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from pydpstat.porting._syntax import Argument, Call, Constant, Function, Name, Node, Script
from pydpstat.porting._tokens import NAMELESS, Token, Words

# from the loosest to the tightest
_LEVELS = (
    "assignment, '->', '~', '|' '||', '&' '&&', not, '<' '<=' '>' '>=' '==' '!=', '+' '-', '*' '/', "
    "SPECIAL '|>', '=>', ':', sign, '^'"
)
_LEVEL = {sign: level for level, signs in enumerate(_LEVELS.split(", ")) for sign in signs.split()}
_UNARY = {"'-'": "sign", "'+'": "sign", "'!'": "not", "'~'": "'~'", "'?'": ""}
# what stands where an argument or a statement is empty
_NO_VALUE = {"','", "')'", "']'"}
_NO_STATEMENT = {"';'", "end of line", "'}'"}
# R's own placeholder is one string as well, and is told by which one it is
_HERE = Constant("_", "character")
_NONE = (Argument(None, None),)
_AFTER = {"'('", "'['", "'[['", "'$'", "'@'"}
# functions that a pipe does not call
_SPECIAL = (
    "if while repeat for break next return function ( { + - * / ^ %% %/% %*% : :: ::: ? |> ~ @ => == != < > "
    "<= >= & | && || ! <- <<- = $ [ [[ $<- [<- [[<-"
).split()


def parse(text: str) -> Script:
    """Return the tree of a script, the same as that of R 4.2's ``parse``.

    Parameters
    ----------
    text
        R's text.

    Raises
    ------
    RSyntaxError
        Where R has a syntax error.

    Examples
    --------
    >>> script = parse("x <- 2 ^ -1  # half")
    >>> [script.written(argument.value) for argument in script.expressions[0].arguments]
    ['x', '2 ^ -1']
    >>> script.comments[0].text
    '# half'
    """
    return _Parser(text if text.endswith("\n") else f"{text}\n").script()


def read(path: str | os.PathLike[str]) -> Script:
    """Return the tree of a file in UTF-8; see `parse`."""
    return parse(decoded(Path(path).read_bytes()))


def decoded(content: bytes) -> str:
    r"""Return the text of a file as R's connections read it, with the line ends of other systems as its own.

    Examples
    --------
    >>> decoded(b"x <- 1\r\ny <- 2\r")
    'x <- 1\ny <- 2\n'
    """
    text = content.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    return re.sub("\r[\r\n]?", lambda found: "\n" * (1 + (found[0] == "\r\r")), text)


class _Parser:
    """A recursive descent that takes a word only when it needs it, because that decides on line ends."""

    def __init__(self, text: str) -> None:
        self._words = Words(text)
        self._ahead: Token | None = None
        self._end = 0
        self._placeholders = False
        self._begin: dict[str, Callable[[Token], Node]] = {
            **dict.fromkeys(("numeric constant", "'NULL'"), self._constant),
            **dict.fromkeys(("symbol", "string constant"), self._leaf),
            **dict.fromkeys(_UNARY, self._unary),
            **dict.fromkeys(("'for'", "'while'", "'repeat'", "'next'", "'break'"), self._loop),
            **dict.fromkeys(("'function'", r"'\\'"), self._function),
            **{"'{'": self._braces, "'('": self._braces, "'if'": self._if, "placeholder": self._placeholder},
        }

    def script(self) -> Script:
        """Return the whole script."""
        script = self._words.script
        while True:
            self._words.open = False
            first = self._look()
            if first.kind == "end of input":
                return script
            if self._took("end of line"):
                continue
            try:
                node = self._statement()
                self._take("end of line", "';'")
                if self._placeholders and _open(node):
                    self._fail("invalid use of pipe placeholder", first.start)
            except RecursionError:
                self._fail("nested too deeply", first.start)
            script.expressions.append(node)

    def _look(self) -> Token:
        if self._ahead is None:
            self._ahead = self._words.next()
        return self._ahead

    def _take(self, *kinds: str) -> Token:
        token = self._look()
        if kinds and token.kind not in kinds:
            self._refuse(token)
        self._end, self._ahead = token.end, None
        return token

    def _took(self, kind: str) -> bool:
        """Take the next word if it is of a kind."""
        return self._look().kind == kind and bool(self._take())

    def _refuse(self, token: Token) -> NoReturn:
        what = "input" if token.kind == "placeholder" else token.kind
        raise self._words.error(f"unexpected {what}", token.start, missing=token.start == token.end)

    def _fail(self, reason: str, start: int) -> NoReturn:
        raise self._words.error(reason, start)

    # expressions

    def _statement(self, helps: bool = True) -> Node:
        """Return an expression or an assignment by ``=``; after another keyword ``?`` is no part of it."""
        node = self._expression()
        while (kind := self._look().kind) == "'='" or (helps and kind == "'?'"):
            node = self._call(node.start, self._take(), node, self._statement(helps=False))
        return node

    def _value(self, node: Node | None = None) -> Node:
        """Return an expression where ``=`` does not assign."""
        node = self._expression(0, node)
        while self._look().kind == "'?'":
            node = self._call(node.start, self._take(), node, self._expression())
        return node

    def _expression(self, least: int = 0, node: Node | None = None) -> Node:
        """Return an expression whose operators are at least so tight; it may have begun with a node."""
        if node is None:
            token = self._take()
            node = self._begin.get(token.kind, self._refuse)(token)
        while True:
            kind = self._look().kind
            if kind in _AFTER:
                node = self._extended(node, self._take())
                continue
            level = _LEVEL.get(kind, -1)
            if level < least:
                return node
            token = self._take()
            right = self._expression(level + (kind not in ("assignment", "'^'")))
            node = self._joined(token, node, right)
            if level == _LEVEL["'<'"] == _LEVEL.get(self._look().kind):
                self._refuse(self._look())

    def _call(self, start: int, token: Token, *values: Node, rest: tuple[Argument, ...] = ()) -> Call:
        arguments = (*(Argument(None, each) for each in values), *rest)
        return Call(Name(token.value, token.start, token.end), arguments, start, self._end)

    def _joined(self, token: Token, left: Node, right: Node) -> Call:
        if token.kind == "'|>'":
            return self._pipe(left, right)
        if token.kind == "'=>'":
            self._fail("'=>' is disabled", token.start)
        return self._call(left.start, token, *((right, left) if token.kind == "'->'" else (left, right)))

    def _pipe(self, left: Node, right: Node) -> Call:
        if isinstance(right, Function):
            right = Call(Name("function"), (Argument(None, right.body),), right.start, right.end)
        if not isinstance(right, Call):
            self._fail("The pipe operator requires a function call as RHS", right.start)
        function, arguments = right.function, right.arguments
        names = [each.name for each in arguments if each.value is _HERE]
        special = function.name if isinstance(function, Name) and function.name in _SPECIAL else None
        for wrong, reason in (
            (_open(function), "pipe placeholder cannot be used in the RHS function"),
            (names[:1] == [None], "pipe placeholder can only be used as a named argument"),
            (len(names) > 1, "pipe placeholder may only appear once"),
            (special and not names, f"function '{special}' not supported in RHS call of a pipe"),
        ):
            if wrong:
                self._fail(reason, right.start)
        filled = tuple(Argument(each.name, left) if each.value is _HERE else each for each in arguments)
        return Call(function, filled if names else (Argument(None, left), *filled), left.start, self._end)

    def _extended(self, node: Node, token: Token) -> Call:
        """Return a call of a function, a subscript or a component."""
        if token.kind in ("'$'", "'@'"):
            return self._call(node.start, token, node, self._part())
        arguments = self._arguments()
        if token.kind != "'('":
            for _ in token.value:
                self._take("']'")
            return self._call(node.start, token, node, rest=arguments)
        self._take("')'")
        if isinstance(node, Constant) and node.kind == "character" and node is not _HERE:
            node = self._name("NA" if node.value is None else str(node.value), node.start, node.end)
        return Call(node, () if arguments == _NONE else arguments, node.start, self._end)

    def _name(self, name: str, start: int, end: int) -> Name:
        if not name:
            self._fail(NAMELESS, start)
        return Name(name, start, end)

    def _arguments(self) -> tuple[Argument, ...]:
        arguments = [self._argument()]
        while self._took("','"):
            self._words.open = True
            arguments.append(self._argument())
        return tuple(arguments)

    def _argument(self) -> Argument:
        if self._look().kind in _NO_VALUE:
            return Argument(None, None)
        token = self._take()
        if token.kind not in ("symbol", "string constant", "'NULL'") or not self._took("'='"):
            return Argument(None, self._value(self._begin.get(token.kind, self._refuse)(token)))
        value = None if self._look().kind in _NO_VALUE else self._value()
        name = "NULL" if token.kind == "'NULL'" else token.value
        return Argument(self._name(name, token.start, token.end).name, value)

    # what an expression begins with

    def _constant(self, token: Token) -> Constant:
        value, kind = token.value
        return Constant(value, kind, token.start, token.end)

    def _leaf(self, token: Token) -> Node:
        """Return a name or a string, or what a package has by this name."""
        node = _leaf(token)
        if self._look().kind not in ("'::'", "':::'"):
            return node
        return self._call(token.start, self._take(), node, self._part())

    def _part(self) -> Node:
        return _leaf(self._take("symbol", "string constant"))

    def _placeholder(self, token: Token) -> Constant:
        self._placeholders = True
        return _HERE

    def _unary(self, token: Token) -> Call:
        level = _UNARY[token.kind]
        node = self._expression(_LEVEL[level] + 1) if level else self._statement(helps=False)
        return self._call(token.start, token, node)

    def _braces(self, token: Token) -> Call:
        many, nodes = token.kind == "'{'", []
        if not many or self._look().kind not in _NO_STATEMENT:
            nodes.append(self._statement())
        while many and self._look().kind != "'}'":
            self._take("end of line", "';'")
            if self._look().kind not in _NO_STATEMENT:
                nodes.append(self._statement())
        self._take("'}'" if many else "')'")
        self._words.open = False
        return self._call(token.start, token, *nodes)

    def _function(self, token: Token) -> Function:
        self._take("'('")
        formals = self._formals()
        self._take("')'")
        self._words.open = True
        return Function(formals, self._statement(helps=False), token.start, self._end)

    def _formals(self) -> tuple[Argument, ...]:
        formals: dict[str, Argument] = {}
        # R's grammar lets a first one be missing, and its tree does not
        missing = self._took("','")
        if not missing and self._look().kind != "symbol":
            return ()
        while True:
            token = self._take("symbol")
            name, value = token.value, self._value() if self._took("'='") else None
            if missing or name in formals:
                self._fail("bad value" if missing else f"repeated formal argument '{name}'", token.start)
            formals[name] = Argument(name, value)
            if not self._took("','"):
                return tuple(formals.values())

    def _condition(self, each: bool = False) -> list[Node]:
        """Return what stands in the parentheses after a word; after them the next line goes on."""
        self._take("'('")
        nodes = [_leaf(self._take("symbol"))] if each else []
        if each:
            self._take("'in'")
        nodes.append(self._value())
        self._take("')'")
        self._words.open = True
        return nodes

    def _if(self, token: Token) -> Node:
        # a loop: there may be more branches than Python's stack is deep
        branches = [(token, *self._condition(), self._statement(helps=False))]
        last: tuple[Node, ...] = ()
        while not last and self._took("'else'"):
            if self._look().kind == "'if'":
                branches.append((self._take(), *self._condition(), self._statement(helps=False)))
            else:
                last = (self._statement(helps=False),)
        for word, *nodes in reversed(branches):
            last = (self._call(word.start, word, *nodes, *last),)
        return last[0]

    def _loop(self, token: Token) -> Call:
        each = token.kind == "'for'"
        nodes = self._condition(each) if each or token.kind == "'while'" else []
        if token.kind not in ("'next'", "'break'"):
            nodes.append(self._statement(helps=False))
        return self._call(token.start, token, *nodes)


def _leaf(token: Token) -> Node:
    if token.kind == "symbol":
        return Name(token.value, token.start, token.end)
    return Constant(token.value, "character", token.start, token.end)


def _open(node: Node) -> bool:
    """Return whether a placeholder is left; R does not look for one among formal arguments."""
    left: list[Node | None] = [node]
    while left:
        each = left.pop()
        if each is _HERE:
            return True
        if isinstance(each, Function):
            left.append(each.body)
        elif isinstance(each, Call):
            left += [each.function, *(one.value for one in each.arguments)]
    return False
