"""Statements of R as lines of Python: assignments, branches, loops, functions, comments."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from pydpstat.porting import _matching as matching
from pydpstat.porting._advice import advised
from pydpstat.porting._assignments import LEFT, OPERATORS, Sink
from pydpstat.porting._calls import TRANSPARENT
from pydpstat.porting._code import SCALARS, VECTORS, Code, Problem, Untranslated, refuse_groups
from pydpstat.porting._escapes import comments, quoted, shortened
from pydpstat.porting._labels import name_columns, name_variables, without_column_names
from pydpstat.porting._layout import WIDTH, laid_out
from pydpstat.porting._loops import Loops
from pydpstat.porting._scope import (
    ARROWS,
    Variable,
    arguments_of,
    assigned,
    depth,
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
_RECENT = 20
# what a call with unexpected arguments raises, such as `if`()
_MALFORMED = (ValueError, TypeError, AttributeError, LookupError)
_WRONG = "a function is called with other arguments than it has"
_STATEMENTS = ARROWS | set("{ stop return if for while repeat print cat switch warning invisible".split())


_DEPENDS = "whether R shows the value depends on a condition"


def _returns(body: Node) -> Iterator[Node]:
    """Return the calls of ``return`` in a function's body."""
    for each in nodes(body, lambda one: not isinstance(one, Function)):
        if function_name(each) == "return":
            yield each


def _named_parts(node: Node) -> Iterator[tuple[str, Node]]:
    """Return what a node gives a name to, as an argument or by ``x$name <- value``."""
    if not isinstance(node, Call):
        return
    yield from ((each.name, each.value) for each in node.arguments if each.name and each.value is not None)
    if function_name(node) in ARROWS and len(node.arguments) == 2:
        target, value = (each.value for each in node.arguments)
        if function_name(target) in ("$", "[[") and value is not None:
            yield word(arguments_of(target)[-1]), value


class Statements(Loops):
    """A script in lines of Python."""

    def __init__(
        self,
        script: Script,
        names: Sequence[str] = (),
        lenient: bool = False,
        own: bool = False,
        deepest: float = math.inf,
    ) -> None:
        super().__init__(script)
        self.own = own
        self.remarks: list[tuple[int, str]] = []
        self.lenient = lenient
        self.lines: list[str] = []
        self.problems: list[Problem] = []
        # what the script's components of a name are
        self._methods: dict[str, list[Node]] | None = None
        self.attached = tuple(matching.PACKAGES) if lenient else ()
        self.special = specials(self)
        self.depth, self.hoisting, self.comment = 0, True, 0
        self._inside, self._rounds, self.printing = 0, {}, (-1, -1)
        self.quiet = False
        self.read_first: set[str] = set()
        # how often each name is assigned, and where the last statement ended
        found = [name for each in script.expressions for name in assigned(each, deep=True)]
        self.counts = Counter(found)
        self._reserve(found)
        self.functions = matching.Functions()
        self.growing: set[str] = set()
        # whether R shows no value of the script's functions; several may call the same
        self._silence: dict[str, bool] = {}
        self.changed_until: dict[str, float] = {}
        self.captured: set[str] = set()
        self._look_ahead(deepest)
        self.end = 0
        for name in names:
            self.scope.names[name] = Variable(self.scope.free_name(name), missing=0)

    def _reserve(self, names: Sequence[str]) -> None:
        """Give each variable and parameter of the script its name in Python."""
        inside = (one for top in self.script.expressions for one in nodes(top) if isinstance(one, Function))
        formals = (str(each.name) for one in inside for each in one.formals)
        for name in (*names, *formals):
            self.scope.free_name(name)

    def _look_ahead(self, deepest: float) -> None:
        """Note the script's functions, and the variables that change or are multiplied and kept."""
        deep = [each for each in self.script.expressions if depth(each) > deepest]
        for each in (one for top in deep for one in nodes(top)):
            if isinstance(each, Name):
                # names in statements that are too deep count as changed
                self.captured.add(each.name)
                self.changed_until[each.name] = math.inf
        left_out = {id(each) for each in deep}
        flat = (each for each in self.script.expressions if id(each) not in left_out)
        for each in (one for top in flat for one in nodes(top)):
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

    def of_mirror(self, node: Call, package: str, name: str) -> Code:
        """Return a call of a mirror's function; a table's factors have the names that R gives them."""
        if name != "tableDP" or self.lenient:
            return super().of_mirror(node, package, name)
        named = name_columns(node)
        return name_variables(without_column_names(super().of_mirror(named, package, name)), named)

    def global_name(self, name: str) -> str:
        """Return a variable of the script in Python."""
        return self.scope.free_name(name)

    # lines

    def emit(self, text: str) -> None:
        """Add a statement."""
        self.lines += laid_out("    " * self.depth + text)

    def flush(self, until: int) -> None:
        """Add the comments before a place, and an empty line where there is one."""
        every = self.script.comments
        while self.comment < len(every) and every[self.comment].start < until:
            each = every[self.comment]
            self.comment += 1
            if each.text.startswith("#!") and each.start == 0:
                continue
            text = "\n".join(comments(re.sub(r"^#+['!]?\s*", "", each.text).rstrip()))
            between = self.script.text[self.end : each.start]
            if "\n" not in between + text and self.lines and self.end:
                line = f"{self.lines[-1]}  {text}"
                if len(line) <= WIDTH and not self.lines[-1].lstrip().startswith("#"):
                    self.lines[-1] = line
                    self.end = each.end
                    continue
            if between.count("\n") > 1 and self.lines:
                self.lines.append("")
            self.lines += [f"{'    ' * self.depth}{line}" for line in text.split("\n")]
            self.end = each.end
        if re.search(r"\n\s*\n", self.script.text[self.end : until]) and self.lines and self.end:
            self.lines.append("")

    def statement(self, node: Node, sink: Sink) -> None:
        """Add a statement; what has no sure translation becomes a comment and an error."""
        self.flush(node.start)
        before, depth, frames, hoisting = len(self.lines), self.depth, list(self.frames), self.hoisting
        self.end = node.start
        try:
            self.into(node, sink)
        except (Untranslated, *_MALFORMED) as error:
            reason = str(error) if isinstance(error, Untranslated) else _WRONG
            del self.lines[before:]
            self.depth, self.frames, self.hoisting = depth, frames, hoisting
            self.tested = self.dropped = False
            self.refuse(node, reason)
        self.end = max(self.end, node.end)

    def state(self) -> tuple[object, ...]:
        """Return what a statement changes, for `restore`."""
        sizes = len(self.lines), len(self.problems)
        return *sizes, self.depth, [*self.frames], self.hoisting, self.scope, dict(self.scope.names)

    def restore(self, state: tuple[Any, ...]) -> None:
        """Take a statement back."""
        lines, problems, self.depth, self.frames, self.hoisting, self.scope, self.scope.names = state
        del self.lines[lines:], self.problems[problems:]
        self.tested = self.dropped = False

    def refuse(self, node: Node, reason: str) -> None:
        """Add a statement as comments, with the reason why it has no sure translation."""
        line, _ = self.script.place(node.start)
        reason = shortened(advised(reason))
        # a function may be refused in many calls for the same reason
        if all((line, reason) != (each.line, each.reason) for each in self.problems[-_RECENT:]):
            self.problems.append(Problem(line, shortened(self.script.written(node)), reason, node.start))
        for number, each in enumerate(self.script.written(node).split("\n")):
            self.lines += comments(f"R, line {line + number}: {each.strip()}", "    " * self.depth)
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
            refuse_groups(code, "the result of a function")
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
                raise Untranslated(_DEPENDS)
            return True in branches
        if name == "return":
            return bool(arguments_of(node)) and self._silent(arguments_of(node)[0], seen)
        if isinstance(node, Call) and function_name(node.function) in ("$", "[["):
            method = word(arguments_of(node.function)[-1])
            return method == "fit" or self._returns_silently(f"${method}", self._components(method), seen)
        made = [self.functions[name]] if name in self.functions else []
        return self._returns_silently(name, made, seen)

    def _returns_silently(self, name: str, made: Sequence[Function], seen: frozenset[str]) -> bool:
        """Return whether R shows no result of functions that a name may stand for."""
        if not made or name in seen:
            return False
        if name not in self._silence:
            ends = [end for each in made for end in (each.body, *_returns(each.body))]
            found = {self._silent(end, seen | {name}) for end in ends}
            if len(found) > 1:
                raise Untranslated(_DEPENDS)
            self._silence[name] = found.pop()
        return self._silence[name]

    def _components(self, name: str) -> list[Function]:
        """Return the functions of the script that are components of this name."""
        if self._methods is None:
            self._methods = {}
            for each in (one for top in self.script.expressions for one in nodes(top)):
                for key, value in _named_parts(each):
                    self._methods.setdefault(key, []).append(value)
        found = self._methods.get(name, [])
        made = (self.functions.get(each.name) if isinstance(each, Name) else each for each in found)
        return [each for each in made if isinstance(each, Function)]

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
            sink = LEFT if name == "invisible" and sink.kind == "shown" else sink
            with self.quietly(name):
                return self.into(given[0], sink)
        handler = getattr(self, f"_{name.replace('.', '_')}_statement", None) if "_" not in name else None
        if handler is not None:
            return handler(node, given, sink)  # type: ignore[no-any-return]
        if name == "{":
            for k, each in enumerate(given):
                self.statement(each, sink if k == len(given) - 1 else LEFT)
            return None
        if name == "switch":
            return self.into(switched(self, node), sink)  # type: ignore[arg-type]
        self._flush_inside(node)
        self.printing = (node.start, node.end) if sink.kind in ("left", "shown") else (-1, -1)
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
