"""Loops: the facts known of variables in each iteration, found by repeated walks through the loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pydpstat.porting._assignments import DISCARD_SINK, Sink
from pydpstat.porting._code import (
    ATOM,
    ELEMENT_OF,
    VECTOR_KINDS,
    Code,
    TranslationError,
    TranslationProblem,
    write_call,
)
from pydpstat.porting._commands import Commands
from pydpstat.porting._scope import Variable, get_word, merge_branches
from pydpstat.porting._syntax import Call, Node

# after this number of walks, facts that still change are treated as unknown
_MAX_WALKS = 6
# Python cannot compile more nested blocks
_MAX_NESTED_LOOPS = 20


class Loops(Commands):
    """Translation of loops.

    An outermost loop is walked until the facts known at the beginning of an iteration no longer change; nested
    loops are walked once each time, from the facts of the previous walk. The number of walks therefore does not
    grow with the depth of nesting.
    """

    problems: list[TranslationProblem]
    # the next comment
    next_comment: int

    # the number of enclosing loops, and the facts known at the beginning of iterations of each loop's body,
    # if they differ from those before the loop
    _loop_depth: int
    _loop_states: dict[int, dict[str, Variable]]

    def _emit_loop(self, header: Callable[[], str], body: Node | None, bind_variable: Callable[[], None]) -> None:
        if self._loop_depth == _MAX_NESTED_LOOPS:
            raise TranslationError(f"more than {_MAX_NESTED_LOOPS} loops inside one another")
        if self._loop_depth:
            with self._open_loop():
                return self._emit_loop_once(header, body, bind_variable)
        names = dict(self.scope.names)
        state = len(self.lines), len(self.problems), self.next_comment, self.end
        with self._open_loop():
            for walk in range(_MAX_WALKS + 1):
                known = dict(self._loop_states)
                self._emit_loop_once(header, body, bind_variable)
                del self.lines[state[0] :], self.problems[state[1] :]
                self.next_comment, self.end = state[2:]
                self.scope.names = dict(names)
                if self._loop_states == known:
                    break
                if walk >= _MAX_WALKS - 1:
                    self._loop_states = {
                        loop: {name: _make_unknown_variable(each) for name, each in found.items()}
                        for loop, found in self._loop_states.items()
                    }
            self._emit_loop_once(header, body, bind_variable)
        return None

    @contextmanager
    def _open_loop(self) -> Iterator[None]:
        names = self.scope.names
        self._loop_depth += 1
        try:
            yield
        except BaseException:
            self.scope.names = names
            raise
        finally:
            self._loop_depth -= 1
            if not self._loop_depth:
                self._loop_states = {}

    def _emit_loop_once(self, header: Callable[[], str], body: Node | None, bind_variable: Callable[[], None]) -> None:
        """Append a loop once, from the facts known before it and at the end of earlier walks."""
        entry = self.scope.names
        known = self._loop_states.get(id(body), {})
        head = {**entry, **merge_branches({name: entry[name] for name in known if name in entry}, known)}
        self.scope.names = dict(head)
        self.emit_line(header())
        bind_variable()
        if body is not None:
            self.end = body.start
        self.emit_block(body, DISCARD_SINK)
        after = merge_branches(head, self.scope.names)
        self._loop_states[id(body)] = {name: each for name, each in after.items() if each is not entry.get(name)}
        self.scope.names = after

    def _for_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        name, over, *body = (each.value for each in node.arguments)
        code = self.translate_shared_value(over)
        kind = ELEMENT_OF.get(code.kind, "")
        text = (
            code.sequence
            if code.kind in VECTOR_KINDS
            else f"{code.wrap_at(ATOM)}.values()"
            if code.kind == "dict"
            else code.text
        )
        if code.kind not in {*VECTOR_KINDS, "dict", "list"}:
            text = write_call("r.each", [code.array])
        python = self.note_variable(get_word(name), Code("", kind, missing=code.missing))
        variable = self.scope.names[get_word(name)]
        self._emit_loop(
            lambda: f"for {python} in {text}:",
            body[0] if body else None,
            lambda: self.scope.names.__setitem__(get_word(name), variable),
        )
        self._assign_loop_value(sink)

    def _while_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        def write_header() -> str:
            hoisting, self.can_hoist = self.can_hoist, False
            text = self.translate_condition(given[0]).text
            self.can_hoist = hoisting
            return f"while {text}:"

        self._emit_loop(write_header, given[1] if len(given) > 1 else None, lambda: None)
        self._assign_loop_value(sink)

    def _repeat_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        self._emit_loop(lambda: "while True:", given[0], lambda: None)
        self._assign_loop_value(sink)

    def _assign_loop_value(self, sink: Sink) -> None:
        if sink.kind == "assigned":
            self.emit_line(f"{self.note_variable(sink.name, Code('', 'null'))} = None")


def _make_unknown_variable(variable: Variable) -> Variable:
    """Return a variable of which only the name, and whether it is a function, is known."""
    kind = variable.kind if variable.kind == "function" else ""
    return Variable(variable.python, kind, missing=2, large=True)
