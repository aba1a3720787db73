"""Statements of R as lines of Python: assignments, branches, loops, functions, comments."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

from pydpstat.porting import _matching as matching
from pydpstat.porting._assignments import LEFT, OPERATORS, Sink
from pydpstat.porting._calls import TRANSPARENT
from pydpstat.porting._code import (
    ATOM,
    ELEMENT,
    SCALARS,
    VECTORS,
    Code,
    Problem,
    Untranslated,
    called,
    own_name,
    quoted,
)
from pydpstat.porting._commands import Commands
from pydpstat.porting._layout import WIDTH, laid_out
from pydpstat.porting._scope import (
    ARROWS,
    Variable,
    arguments_of,
    assigned,
    either,
    function_name,
    nodes,
    word,
)
from pydpstat.porting._special_calls import specials, switched
from pydpstat.porting._syntax import Call, Function, Name, Node, Script
from pydpstat.porting._verbs import piped

# calls whose value R does not show
_SHOW_NOTHING = set(
    "invisible set.seed cat print str for while repeat library message warning write.csv write.table "
    "options".split()
)
# what Python has as statements only, or writes as some
_STATEMENTS = ARROWS | set("{ stop return if for while repeat print cat switch warning invisible".split())


class Statements(Commands):
    """A script in lines of Python."""

    def __init__(
        self, script: Script, names: Sequence[str] = (), lenient: bool = False, own: bool = False
    ) -> None:
        super().__init__(script)
        self.own = own
        self.remarks: list[tuple[int, str]] = []
        self.lenient = lenient
        self.lines: list[str] = []
        self.problems: list[Problem] = []
        self.attached: set[str] = set(matching.PACKAGES) if lenient else set()
        self.special = specials(self)
        self.depth, self.hoisting, self._comment = 0, True, 0
        self.read_first: set[str] = set()
        # how often each name is assigned, and where the last statement ended
        found = [name for each in script.expressions for name in assigned(each, deep=True)]
        self.counts = Counter(found)
        self.functions: dict[str, Function] = {}
        self.growing: set[str] = set()
        self.changed_until: dict[str, float] = {}
        self.captured: set[str] = set()
        self._look_ahead()
        self.end = 0
        for name in names:
            self.scope.names[name] = Variable(own_name(name), missing=0)

    def _look_ahead(self) -> None:
        """Note the script's functions, and the variables that change or are multiplied and kept."""
        for each in (one for top in self.script.expressions for one in nodes(top)):
            if isinstance(each, Function):
                inside = {one.name for one in nodes(each.body) if isinstance(one, Name)}
                self.captured |= inside - {*assigned(each.body), *(str(one.name) for one in each.formals)}
            if function_name(each) in ("for", "while", "repeat", *ARROWS):
                last = math.inf if function_name(each) == "<<-" else each.end
                for name in assigned(each, deep=True):
                    self.changed_until[name] = max(last, self.changed_until.get(name, 0))
            if isinstance(each, Call) and function_name(each) in ARROWS and len(each.arguments) == 2:
                name, value = word(each.arguments[0].value), each.arguments[1].value
                if isinstance(value, Function):
                    self.functions[name] = value
                elif function_name(value) in ("*", "/", "^") and name in map(word, nodes(value)):
                    self.growing.add(name)

    def global_name(self, name: str) -> str:
        """Return a variable of the script in Python."""
        return own_name(name)

    # lines

    def emit(self, text: str) -> None:
        """Add a statement."""
        self.lines += laid_out("    " * self.depth + text)

    def flush(self, until: int) -> None:
        """Add the comments before a place, and an empty line where there is one."""
        comments = self.script.comments
        while self._comment < len(comments) and comments[self._comment].start < until:
            each = comments[self._comment]
            self._comment += 1
            if each.text.startswith("#!") and each.start == 0:
                continue
            text = re.sub(r"^#+['!]?\s*", "# ", each.text).rstrip()
            between = self.script.text[self.end : each.start]
            if "\n" not in between and self.lines and self.end:
                line = f"{self.lines[-1]}  {text}"
                if len(line) <= WIDTH and not self.lines[-1].lstrip().startswith("#"):
                    self.lines[-1] = line
                    self.end = each.end
                    continue
            if between.count("\n") > 1 and self.lines:
                self.lines.append("")
            self.lines.append("    " * self.depth + text)
            self.end = each.end
        if re.search(r"\n\s*\n", self.script.text[self.end : until]) and self.lines and self.end:
            self.lines.append("")

    def statement(self, node: Node, sink: Sink) -> None:
        """Add a statement; what has no sure translation becomes a comment and an error."""
        self.flush(node.start)
        before, depth, frames = len(self.lines), self.depth, list(self.frames)
        self.end = node.start
        try:
            self.into(node, sink)
        except Untranslated as error:
            del self.lines[before:]
            self.depth, self.frames = depth, frames
            self.tested = self.dropped = False
            self._refuse(node, str(error))
        self.end = max(self.end, node.end)

    def _refuse(self, node: Node, reason: str) -> None:
        line, _ = self.script.place(node.start)
        text = self.script.written(node)
        if (line, reason) not in [(each.line, each.reason) for each in self.problems]:
            self.problems.append(Problem(line, text, reason))
        for number, each in enumerate(text.split("\n")):
            self.lines.append(f"{'    ' * self.depth}# R, line {line + number}: {each.strip()}")
        self.emit(f"raise NotImplementedError({quoted(f'line {line} is not translated: {reason}')})")
        for name in assigned(node):
            if name in OPERATORS or name.endswith("<-"):
                continue
            self.hold(name, Code(""))

    def block(self, node: Node | None, sink: Sink) -> None:
        """Add the statements of a block, one level further in; the last one's value goes to the sink."""
        body: list[Node | None] = [*arguments_of(node)] if function_name(node) == "{" else [node]
        self.depth += 1
        start = len(self.lines)
        for k, each in enumerate(body):
            if each is not None:
                self.statement(each, sink if k == len(body) - 1 else LEFT)
        if function_name(node) == "{" and node is not None:
            self.flush(node.end)
        if not any(line.strip() and not line.lstrip().startswith("#") for line in self.lines[start:]):
            self.emit("return None" if sink.kind == "returned" else "pass")
        self.depth -= 1

    def give(self, code: Code, sink: Sink, node: Node) -> None:
        if sink.kind == "returned":
            code = self.bare(code)
            self.emit(f"return {code.text}")
        elif sink.kind == "assigned":
            self.assign(sink.name, code, node)
        elif sink.kind == "shown" and code.kind == "function":
            raise Untranslated("a function is shown")
        elif sink.kind == "shown" and "print" in self.counts and code.kind not in SCALARS | VECTORS:
            raise Untranslated("R may show it by the script's print")
        elif sink.kind == "shown" and not self._silent(node):
            self.emit(f"r.print({self.shown(code, node).text})")
        elif code.text != "None":
            self.emit(code.text)

    def _silent(self, node: Node, seen: frozenset[str] = frozenset()) -> bool:
        """Return whether R shows no value of a statement; functions that are `seen` call each other."""
        name = function_name(node)
        if name in ARROWS or name in _SHOW_NOTHING:
            return True
        if name == "{":
            return not arguments_of(node) or self._silent(arguments_of(node)[-1], seen)
        if name == "if":
            branches = {self._silent(each, seen) for each in arguments_of(node)[1:]}
            if (branches | {True} if len(arguments_of(node)) == 2 else branches) == {True, False}:
                raise Untranslated("whether R shows the value depends on a condition")
            return True in branches
        if isinstance(node, Call) and isinstance(node.function, Call) and function_name(node.function) == "$":
            return word(node.function.arguments[1].value) == "fit"
        made = self.functions.get(name)
        return made is not None and name not in seen and self._silent(made.body, seen | {name})

    # statements

    def into(self, node: Node, sink: Sink) -> None:
        name = function_name(node) if isinstance(node, Call) and isinstance(node.function, Name) else ""
        given = arguments_of(node)
        if name and (variable := self.scope.find(name)) is not None and variable.made:
            name = ""
        if name == "%>%" and isinstance(node, Call):
            return self.into(piped(node), sink)
        if name in ARROWS and len(given) == 2:
            return self.assignment(node, name, given, sink)
        if name in ("invisible", *TRANSPARENT) and len(given) >= 1:
            quiet = LEFT if name == "invisible" and sink.kind == "shown" else sink
            return self.into(given[0], quiet)
        handler = getattr(self, f"_{name.replace('.', '_')}_statement", None) if name else None
        if handler is not None:
            return handler(node, given, sink)  # type: ignore[no-any-return]
        if name == "{":
            for k, each in enumerate(given):
                self.statement(each, sink if k == len(given) - 1 else LEFT)
            return None
        if name == "switch":
            return self.into(switched(self, node), sink)  # type: ignore[arg-type]
        self._flush_inside(node)
        return self.give(self.value(node), sink, node)

    def _flush_inside(self, node: Node) -> None:
        if not any(isinstance(each, Function) or function_name(each) == "{" for each in nodes(node)):
            end = self.end
            self.flush(node.end)
            self.end = max(end, self.end)

    def _if_statement(self, node: Call, given: list[Node], sink: Sink, word_: str = "if") -> None:
        test, *ways = given
        if (
            word_ == "if"
            and sink.kind in ("assigned", "returned")
            and len(ways) == 2
            and all(map(self.plain, ways))
        ):
            lines = len(self.lines)
            code = self.value(node)
            if len(code.text) + 4 * self.depth < WIDTH - 10:
                return self.give(code, sink, node)
            del self.lines[lines:]
        hoisting, self.hoisting = self.hoisting, self.hoisting and word_ == "if"
        condition = self.test(test)
        self.hoisting = hoisting
        self.emit(f"{word_} {condition.text}:")
        before = dict(self.scope.names)
        self.end = ways[0].start
        self.block(ways[0], sink)
        first, self.scope.names = self.scope.names, before
        if len(ways) == 2:
            self.end = max(self.end, ways[0].end)
            if function_name(ways[1]) == "if" and isinstance(ways[1], Call):
                self._if_statement(ways[1], arguments_of(ways[1]), sink, "elif")
            else:
                self.emit("else:")
                self.end = ways[1].start
                self.block(ways[1], sink)
        elif sink.kind in ("assigned", "returned"):
            self.emit("else:")
            self.depth += 1
            self.give(Code("None", "null"), sink, node)
            self.depth -= 1
        self.scope.names = either(first, self.scope.names)
        return None

    def plain(self, node: Node) -> bool:
        """Return whether a node is an expression, without statements in it."""
        names = {function_name(each) for each in nodes(node, lambda one: not isinstance(one, Function))}
        return not names & _STATEMENTS and not isinstance(node, Function)

    def _loop(self, header: Callable[[], str], body: Node | None, bound: Callable[[], None]) -> None:
        before = dict(self.scope.names)
        state = len(self.lines), len(self.problems), self._comment, self.end
        for _ in range(3):
            self.emit(header())
            bound()
            self.block(body, LEFT)
            after = either(before, self.scope.names)
            del self.lines[state[0] :], self.problems[state[1] :]
            self._comment, self.end = state[2:]
            self.scope.names = dict(after)
            if after == before:
                break
            before = after
        self.emit(header())
        bound()
        self.end = body.start if body is not None else self.end
        self.block(body, LEFT)
        self.scope.names = either(before, self.scope.names)

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
