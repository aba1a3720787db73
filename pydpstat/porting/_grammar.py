"""R's grammar: the same trees as those of R's ``parse``."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from pydpstat.porting._syntax import Argument, Call, Constant, Function, Name, Node, Script
from pydpstat.porting._tokens import NAMELESS_REASON, Token, TokenStream

# from the lowest to the highest precedence
_PRECEDENCE_ORDER = (
    "assignment, '->', '~', '|' '||', '&' '&&', not, '<' '<=' '>' '>=' '==' '!=', '+' '-', '*' '/', "
    "SPECIAL '|>', '=>', ':', sign, '^'"
)
_PRECEDENCE = {sign: level for level, signs in enumerate(_PRECEDENCE_ORDER.split(", ")) for sign in signs.split()}
_UNARY_LEVELS = {"'-'": "sign", "'+'": "sign", "'!'": "not", "'~'": "'~'", "'?'": ""}
# an empty argument or statement
_NO_VALUE = {"','", "')'", "']'"}
_NO_STATEMENT = {"';'", "end of line", "'}'"}
# R's own placeholder is a character constant as well, and is recognized by identity
_PLACEHOLDER = Constant("_", "character")
_NO_ARGUMENTS = (Argument(None, None),)
_SUFFIXES = {"'('", "'['", "'[['", "'$'", "'@'"}
# functions that a pipe cannot call
_UNPIPED_FUNCTIONS = (
    "if while repeat for break next return function ( { + - * / ^ %% %/% %*% : :: ::: ? |> ~ @ => == != < > "
    "<= >= & | && || ! <- <<- = $ [ [[ $<- [<- [[<-"
).split()


def parse(text: str) -> Script:
    """Return the syntax tree of a script, equal to that of ``parse`` in R 4.2.

    Parameters
    ----------
    text
        The text of the script.

    Raises
    ------
    RSyntaxError
        If R has a syntax error.

    Examples
    --------
    >>> parse_script = parse("x <- 2 ^ -1  # half")
    >>> [parse_script.written(argument.value) for argument in parse_script.expressions[0].arguments]
    ['x', '2 ^ -1']
    >>> parse_script.comments[0].text
    '# half'
    """
    return _Parser(text if text.endswith("\n") else f"{text}\n").parse_script()


def read(path: str | os.PathLike[str]) -> Script:
    """Return the syntax tree of a UTF-8 file; see `parse`."""
    return parse(decode_script(Path(path).read_bytes()))


def decode_script(content: bytes) -> str:
    r"""Return the text of a file as R's connections read it, with line ends converted to ``\n``.

    Examples
    --------
    >>> decode_script(b"x <- 1\r\ny <- 2\r")
    'x <- 1\ny <- 2\n'
    """
    text = content.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    return re.sub("\r[\r\n]?", lambda found: "\n" * (1 + (found[0] == "\r\r")), text)


class _Parser:
    """Recursive descent parser that reads a token only when it is needed, because that decides on line ends."""

    def __init__(self, text: str) -> None:
        self._tokens = TokenStream(text)
        self._next_token: Token | None = None
        self._end = 0
        self._placeholders = False
        self._prefix_parsers: dict[str, Callable[[Token], Node]] = {
            **dict.fromkeys(("numeric constant", "'NULL'"), self._make_constant),
            **dict.fromkeys(("symbol", "string constant"), self._parse_leaf),
            **dict.fromkeys(_UNARY_LEVELS, self._parse_unary),
            **dict.fromkeys(("'for'", "'while'", "'repeat'", "'next'", "'break'"), self._parse_loop),
            **dict.fromkeys(("'function'", r"'\\'"), self._parse_function),
            **{
                "'{'": self._parse_braces,
                "'('": self._parse_braces,
                "'if'": self._parse_if,
                "placeholder": self._note_placeholder,
            },
        }

    def parse_script(self) -> Script:
        """Return the syntax tree of the whole script."""
        script = self._tokens.script
        while True:
            self._tokens.is_continued = False
            first = self._get_next_token()
            if first.kind == "end of input":
                return script
            if self._take_if_kind("end of line"):
                continue
            try:
                node = self._parse_statement()
                self._take_token("end of line", "';'")
                if self._placeholders and _has_open_placeholder(node):
                    self._raise_error("invalid use of pipe placeholder", first.start)
            except RecursionError:
                self._raise_error("nested too deeply", first.start)
            script.expressions.append(node)

    def _get_next_token(self) -> Token:
        if self._next_token is None:
            self._next_token = self._tokens.get_next()
        return self._next_token

    def _take_token(self, *kinds: str) -> Token:
        token = self._get_next_token()
        if kinds and token.kind not in kinds:
            self._refuse_token(token)
        self._end, self._next_token = token.end, None
        return token

    def _take_if_kind(self, kind: str) -> bool:
        """Consume the next token if it is of a kind."""
        return self._get_next_token().kind == kind and bool(self._take_token())

    def _refuse_token(self, token: Token) -> NoReturn:
        what = "input" if token.kind == "placeholder" else token.kind
        raise self._tokens.make_error(f"unexpected {what}", token.start, missing=token.start == token.end)

    def _raise_error(self, reason: str, start: int) -> NoReturn:
        raise self._tokens.make_error(reason, start)

    # expressions

    def _parse_statement(self, allows_help: bool = True) -> Node:
        """Parse an expression or an assignment by ``=``; after another keyword, ``?`` is not part of it."""
        node = self._parse_expression()
        while (kind := self._get_next_token().kind) == "'='" or (allows_help and kind == "'?'"):
            node = self._make_call(node.start, self._take_token(), node, self._parse_statement(allows_help=False))
        return node

    def _parse_value(self, node: Node | None = None) -> Node:
        """Parse an expression in which ``=`` does not assign."""
        node = self._parse_expression(0, node)
        while self._get_next_token().kind == "'?'":
            node = self._make_call(node.start, self._take_token(), node, self._parse_expression())
        return node

    def _parse_expression(self, min_precedence: int = 0, node: Node | None = None) -> Node:
        """Parse an expression whose operators have at least a precedence; its first operand may be given."""
        if node is None:
            token = self._take_token()
            node = self._prefix_parsers.get(token.kind, self._refuse_token)(token)
        while True:
            kind = self._get_next_token().kind
            if kind in _SUFFIXES:
                node = self._parse_suffix(node, self._take_token())
                continue
            level = _PRECEDENCE.get(kind, -1)
            if level < min_precedence:
                return node
            token = self._take_token()
            right = self._parse_expression(level + (kind not in ("assignment", "'^'")))
            node = self._join_operands(token, node, right)
            if level == _PRECEDENCE["'<'"] == _PRECEDENCE.get(self._get_next_token().kind):
                self._refuse_token(self._get_next_token())

    def _make_call(self, start: int, token: Token, *values: Node, rest: tuple[Argument, ...] = ()) -> Call:
        arguments = (*(Argument(None, each) for each in values), *rest)
        return Call(Name(token.value, token.start, token.end), arguments, start, self._end)

    def _join_operands(self, token: Token, left: Node, right: Node) -> Call:
        if token.kind == "'|>'":
            return self._make_pipe_call(left, right)
        if token.kind == "'=>'":
            self._raise_error("'=>' is disabled", token.start)
        return self._make_call(left.start, token, *((right, left) if token.kind == "'->'" else (left, right)))

    def _make_pipe_call(self, left: Node, right: Node) -> Call:
        if isinstance(right, Function):
            right = Call(Name("function"), (Argument(None, right.body),), right.start, right.end)
        if not isinstance(right, Call):
            self._raise_error("The pipe operator requires a function call as RHS", right.start)
        function, arguments = right.function, right.arguments
        names = [each.name for each in arguments if each.value is _PLACEHOLDER]
        special = function.name if isinstance(function, Name) and function.name in _UNPIPED_FUNCTIONS else None
        for wrong, reason in (
            (_has_open_placeholder(function), "pipe placeholder cannot be used in the RHS function"),
            (names[:1] == [None], "pipe placeholder can only be used as a named argument"),
            (len(names) > 1, "pipe placeholder may only appear once"),
            (special and not names, f"function '{special}' not supported in RHS call of a pipe"),
        ):
            if wrong:
                self._raise_error(reason, right.start)
        filled = tuple(Argument(each.name, left) if each.value is _PLACEHOLDER else each for each in arguments)
        return Call(function, filled if names else (Argument(None, left), *filled), left.start, self._end)

    def _parse_suffix(self, node: Node, token: Token) -> Call:
        """Parse a call of a function, a subscript or a component."""
        if token.kind in ("'$'", "'@'"):
            return self._make_call(node.start, token, node, self._parse_part())
        arguments = self._parse_arguments()
        if token.kind != "'('":
            for _ in token.value:
                self._take_token("']'")
            return self._make_call(node.start, token, node, rest=arguments)
        self._take_token("')'")
        if isinstance(node, Constant) and node.kind == "character" and node is not _PLACEHOLDER:
            node = self._make_name("NA" if node.value is None else str(node.value), node.start, node.end)
        return Call(node, () if arguments == _NO_ARGUMENTS else arguments, node.start, self._end)

    def _make_name(self, name: str, start: int, end: int) -> Name:
        if not name:
            self._raise_error(NAMELESS_REASON, start)
        return Name(name, start, end)

    def _parse_arguments(self) -> tuple[Argument, ...]:
        arguments = [self._parse_argument()]
        while self._take_if_kind("','"):
            self._tokens.is_continued = True
            arguments.append(self._parse_argument())
        return tuple(arguments)

    def _parse_argument(self) -> Argument:
        if self._get_next_token().kind in _NO_VALUE:
            return Argument(None, None)
        token = self._take_token()
        if token.kind not in ("symbol", "string constant", "'NULL'") or not self._take_if_kind("'='"):
            return Argument(None, self._parse_value(self._prefix_parsers.get(token.kind, self._refuse_token)(token)))
        value = None if self._get_next_token().kind in _NO_VALUE else self._parse_value()
        name = "NULL" if token.kind == "'NULL'" else token.value
        return Argument(self._make_name(name, token.start, token.end).name, value)

    # beginnings of expressions

    def _make_constant(self, token: Token) -> Constant:
        value, kind = token.value
        return Constant(value, kind, token.start, token.end)

    def _parse_leaf(self, token: Token) -> Node:
        """Parse a name or a string, optionally with a package."""
        node = _make_leaf(token)
        if self._get_next_token().kind not in ("'::'", "':::'"):
            return node
        return self._make_call(token.start, self._take_token(), node, self._parse_part())

    def _parse_part(self) -> Node:
        return _make_leaf(self._take_token("symbol", "string constant"))

    def _note_placeholder(self, token: Token) -> Constant:
        self._placeholders = True
        return _PLACEHOLDER

    def _parse_unary(self, token: Token) -> Call:
        level = _UNARY_LEVELS[token.kind]
        node = self._parse_expression(_PRECEDENCE[level] + 1) if level else self._parse_statement(allows_help=False)
        return self._make_call(token.start, token, node)

    def _parse_braces(self, token: Token) -> Call:
        many, nodes = token.kind == "'{'", []
        if not many or self._get_next_token().kind not in _NO_STATEMENT:
            nodes.append(self._parse_statement())
        while many and self._get_next_token().kind != "'}'":
            self._take_token("end of line", "';'")
            if self._get_next_token().kind not in _NO_STATEMENT:
                nodes.append(self._parse_statement())
        self._take_token("'}'" if many else "')'")
        self._tokens.is_continued = False
        return self._make_call(token.start, token, *nodes)

    def _parse_function(self, token: Token) -> Function:
        self._take_token("'('")
        formals = self._parse_formals()
        self._take_token("')'")
        self._tokens.is_continued = True
        return Function(formals, self._parse_statement(allows_help=False), token.start, self._end)

    def _parse_formals(self) -> tuple[Argument, ...]:
        formals: dict[str, Argument] = {}
        # R's grammar allows a missing first formal argument, and its tree omits it
        missing = self._take_if_kind("','")
        if not missing and self._get_next_token().kind != "symbol":
            return ()
        while True:
            token = self._take_token("symbol")
            name, value = token.value, self._parse_value() if self._take_if_kind("'='") else None
            if missing or name in formals:
                self._raise_error("bad value" if missing else f"repeated formal argument '{name}'", token.start)
            formals[name] = Argument(name, value)
            if not self._take_if_kind("','"):
                return tuple(formals.values())

    def _parse_condition(self, is_for: bool = False) -> list[Node]:
        """Parse the parentheses after a keyword; line ends after them do not count."""
        self._take_token("'('")
        nodes = [_make_leaf(self._take_token("symbol"))] if is_for else []
        if is_for:
            self._take_token("'in'")
        nodes.append(self._parse_value())
        self._take_token("')'")
        self._tokens.is_continued = True
        return nodes

    def _parse_if(self, token: Token) -> Node:
        # a loop, as there may be more branches than Python's recursion limit
        branches = [(token, *self._parse_condition(), self._parse_statement(allows_help=False))]
        last: tuple[Node, ...] = ()
        while not last and self._take_if_kind("'else'"):
            if self._get_next_token().kind == "'if'":
                branches.append(
                    (self._take_token(), *self._parse_condition(), self._parse_statement(allows_help=False))
                )
            else:
                last = (self._parse_statement(allows_help=False),)
        for word, *nodes in reversed(branches):
            last = (self._make_call(word.start, word, *nodes, *last),)
        return last[0]

    def _parse_loop(self, token: Token) -> Call:
        each = token.kind == "'for'"
        nodes = self._parse_condition(each) if each or token.kind == "'while'" else []
        if token.kind not in ("'next'", "'break'"):
            nodes.append(self._parse_statement(allows_help=False))
        return self._make_call(token.start, token, *nodes)


def _make_leaf(token: Token) -> Node:
    if token.kind == "symbol":
        return Name(token.value, token.start, token.end)
    return Constant(token.value, "character", token.start, token.end)


def _has_open_placeholder(node: Node) -> bool:
    """Return whether a placeholder remains; as in R, formal arguments are not searched."""
    left: list[Node | None] = [node]
    while left:
        each = left.pop()
        if each is _PLACEHOLDER:
            return True
        if isinstance(each, Function):
            left.append(each.body)
        elif isinstance(each, Call):
            left += [each.function, *(one.value for one in each.arguments)]
    return False
