"""Loops: what is known of variables in each iteration is found by walking a loop several times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pydpstat.porting._assignments import LEFT, Sink
from pydpstat.porting._code import ATOM, ELEMENT, VECTORS, Code, Problem, Untranslated, called
from pydpstat.porting._commands import Commands
from pydpstat.porting._scope import Variable, either, word
from pydpstat.porting._syntax import Call, Node

# after this number of walks, what still changes is treated as unknown
_WALKS = 6
# Python cannot compile more nested blocks
_NESTED = 20


class Loops(Commands):
    """The translation of loops.

    An outermost loop is walked until what is known at the beginning of an iteration no longer changes; nested
    loops are walked once each time, starting from what was known there before. The number of walks therefore
    does not grow with the depth of nesting.
    """

    problems: list[Problem]
    # the comment that comes next
    comment: int

    # the number of enclosing loops, and by each loop's body what is known at the beginning of iterations,
    # if it differs from before the loop
    _inside: int
    _rounds: dict[int, dict[str, Variable]]

    def _loop(self, header: Callable[[], str], body: Node | None, bound: Callable[[], None]) -> None:
        if self._inside == _NESTED:
            raise Untranslated(f"more than {_NESTED} loops inside one another")
        if self._inside:
            with self._deeper():
                return self._walk(header, body, bound)
        names = dict(self.scope.names)
        state = len(self.lines), len(self.problems), self.comment, self.end
        with self._deeper():
            for walk in range(_WALKS + 1):
                known = dict(self._rounds)
                self._walk(header, body, bound)
                del self.lines[state[0] :], self.problems[state[1] :]
                self.comment, self.end = state[2:]
                self.scope.names = dict(names)
                if self._rounds == known:
                    break
                if walk >= _WALKS - 1:
                    self._rounds = {
                        loop: {name: _unknown(each) for name, each in found.items()}
                        for loop, found in self._rounds.items()
                    }
            self._walk(header, body, bound)
        return None

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        names = self.scope.names
        self._inside += 1
        try:
            yield
        except BaseException:
            self.scope.names = names
            raise
        finally:
            self._inside -= 1
            if not self._inside:
                self._rounds = {}

    def _walk(self, header: Callable[[], str], body: Node | None, bound: Callable[[], None]) -> None:
        """Add a loop once, from what is known before it and at the end of earlier walks."""
        entry = self.scope.names
        known = self._rounds.get(id(body), {})
        head = {**entry, **either({name: entry[name] for name in known if name in entry}, known)}
        self.scope.names = dict(head)
        self.emit(header())
        bound()
        if body is not None:
            self.end = body.start
        self.block(body, LEFT)
        after = either(head, self.scope.names)
        self._rounds[id(body)] = {name: each for name, each in after.items() if each is not entry.get(name)}
        self.scope.names = after

    def _for_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        name, over, *body = (each.value for each in node.arguments)
        code = self.owned(over)
        kind = ELEMENT.get(code.kind, "")
        text = (
            code.sequence
            if code.kind in VECTORS
            else f"{code.at(ATOM)}.values()"
            if code.kind == "dict"
            else code.text
        )
        if code.kind not in {*VECTORS, "dict", "list"}:
            text = called("r.each", [code.array])
        python = self.hold(word(name), Code("", kind, missing=code.missing))
        variable = self.scope.names[word(name)]
        self._loop(
            lambda: f"for {python} in {text}:",
            body[0] if body else None,
            lambda: self.scope.names.__setitem__(word(name), variable),
        )
        self._end_of_loop(sink)

    def _while_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        def header() -> str:
            hoisting, self.hoisting = self.hoisting, False
            text = self.test(given[0]).text
            self.hoisting = hoisting
            return f"while {text}:"

        self._loop(header, given[1] if len(given) > 1 else None, lambda: None)
        self._end_of_loop(sink)

    def _repeat_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        self._loop(lambda: "while True:", given[0], lambda: None)
        self._end_of_loop(sink)

    def _end_of_loop(self, sink: Sink) -> None:
        if sink.kind == "assigned":
            self.emit(f"{self.hold(sink.name, Code('', 'null'))} = None")


def _unknown(variable: Variable) -> Variable:
    """Return a variable of which only the name is known, and whether it is a function."""
    kind = variable.kind if variable.kind == "function" else ""
    return Variable(variable.python, kind, missing=2, large=True)
