"""Translation of R statements to lines of Python: assignments, branches, loops, functions, comments."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from pydpstat.porting import _matching as matching
from pydpstat.porting._advice import add_advice
from pydpstat.porting._assignments import DISCARD_SINK, IMPLICIT_FUNCTIONS, Sink
from pydpstat.porting._calls import TRANSPARENT
from pydpstat.porting._code import SCALAR_KINDS, VECTOR_KINDS, Code, TranslationError, TranslationProblem, refuse_groups
from pydpstat.porting._dots import DotsFunctions
from pydpstat.porting._escapes import quote_text, trim_text, write_comments
from pydpstat.porting._labels import drop_column_names, name_columns, name_variables
from pydpstat.porting._layout import LINE_WIDTH, split_statement
from pydpstat.porting._loops import Loops
from pydpstat.porting._scope import (
    ARROWS,
    Variable,
    compute_depth,
    find_assigned_names,
    get_arguments,
    get_function_name,
    get_word,
    iterate_nodes,
    merge_branches,
)
from pydpstat.porting._special_calls import expand_switch, get_special_translators
from pydpstat.porting._syntax import Call, Function, Name, Node, Script
from pydpstat.porting._verbs import expand_pipe

# calls whose value R does not show
_SILENT_FUNCTIONS = set(
    "invisible set.seed cat print str for while repeat library message warning write.csv write.table options".split()
)
# R functions that are statements in Python, entirely or in some uses
_N_RECENT_PROBLEMS = 20
# exceptions raised by calls with unexpected arguments, such as `if`()
_MALFORMED_CALL_ERRORS = (ValueError, TypeError, AttributeError, LookupError)
_WRONG_ARGUMENTS = "a function is called with other arguments than it has"
_STATEMENT_FUNCTIONS = ARROWS | set("{ stop return if for while repeat print cat switch warning invisible".split())


# functions that bind a name to something other than a plain value
_BINDING_FUNCTIONS = {"makeActiveBinding", "delayedAssign", "lockBinding"}
_VISIBILITY_DEPENDS = "whether R shows the value depends on a condition"


def _iterate_returns(body: Node) -> Iterator[Node]:
    """Yield the calls of ``return`` in a function's body."""
    for each in iterate_nodes(body, lambda one: not isinstance(one, Function)):
        if get_function_name(each) == "return":
            yield each


def _iterate_named_parts(node: Node) -> Iterator[tuple[str, Node]]:
    """Yield the named parts of a node: arguments, or assignments by ``x$name <- value``."""
    if not isinstance(node, Call):
        return
    yield from ((each.name, each.value) for each in node.arguments if each.name and each.value is not None)
    if get_function_name(node) in ARROWS and len(node.arguments) == 2:
        target, value = (each.value for each in node.arguments)
        if get_function_name(target) in ("$", "[[") and value is not None:
            yield get_word(get_arguments(target)[-1]), value


class Statements(Loops):
    """Translator of a script to lines of Python."""

    def __init__(
        self,
        script: Script,
        names: Sequence[str] = (),
        lenient: bool = False,
        use_own_functions: bool = False,
        deepest: float = math.inf,
    ) -> None:
        super().__init__(script)
        self.uses_own_functions = use_own_functions
        self.remarks: list[tuple[int, str]] = []
        self.is_lenient = lenient
        self.lines: list[str] = []
        self.problems: list[TranslationProblem] = []
        # the values of the script's components, by name
        self._components_by_name: dict[str, list[Node]] | None = None
        self.attached = tuple(matching.PACKAGES) if lenient else ()
        self.special_translators = get_special_translators(self)
        self.depth, self.can_hoist, self.next_comment = 0, True, 0
        self._loop_depth, self._loop_states, self.printed_position = 0, {}, (-1, -1)
        self.has_hidden_messages = False
        self.names_read_first: set[str] = set()
        # number of assignments of each name, and the end of the last statement
        found = [name for each in script.expressions for name in find_assigned_names(each, deep=True)]
        self.assignment_counts = Counter(found)
        self._redefined_operators = IMPLICIT_FUNCTIONS.intersection(found)
        self._assign_python_names(found)
        self.functions = matching.ScriptFunctions()
        self.multiplied_names: set[str] = set()
        # whether R shows no value of the script's functions; several may call the same one
        self._silent_results: dict[str, bool] = {}
        self.changed_until: dict[str, float] = {}
        self.captured_names: set[str] = set()
        self.chooses_generator = False
        self.bound_names: set[str] = set()
        self._collect_assignments(deepest)
        self.dots_functions = DotsFunctions(script.expressions, self.functions, self.assignment_counts)
        self.end = 0
        for name in names:
            self.scope.names[name] = Variable(self.scope.assign_free_name(name), missing=0)

    def _assign_python_names(self, names: Sequence[str]) -> None:
        """Assign a Python name to each variable and parameter of the script."""
        inside = (one for top in self.script.expressions for one in iterate_nodes(top) if isinstance(one, Function))
        formals = (str(each.name) for one in inside for each in one.formals)
        for name in (*names, *formals):
            self.scope.assign_free_name(name)

    def _collect_assignments(self, deepest: float) -> None:
        """Record the script's functions, and the variables that change or are multiplied and stored."""
        deep = [each for each in self.script.expressions if compute_depth(each) > deepest]
        for each in (one for top in deep for one in iterate_nodes(top)):
            if isinstance(each, Name):
                # names in statements that are nested too deeply count as changed
                self.captured_names.add(each.name)
                self.changed_until[each.name] = math.inf
        left_out = {id(each) for each in deep}
        flat = (each for each in self.script.expressions if id(each) not in left_out)
        for each in (one for top in flat for one in iterate_nodes(top)):
            if isinstance(each, Function):
                inside = {one.name for one in iterate_nodes(each.body) if isinstance(one, Name)}
                self.captured_names |= inside - {
                    *find_assigned_names(each.body),
                    *(str(one.name) for one in each.formals),
                }
            self.chooses_generator |= get_function_name(each) == "RNGkind"
            if get_function_name(each) in _BINDING_FUNCTIONS:
                self.bound_names |= {get_word(one) for one in get_arguments(each)} - {""}
            if get_function_name(each) in ("for", "while", "repeat", *ARROWS):
                last = math.inf if get_function_name(each) == "<<-" else each.end
                for name in find_assigned_names(each, deep=True):
                    self.changed_until[name] = max(last, self.changed_until.get(name, 0))
            if isinstance(each, Call) and get_function_name(each) in ARROWS and len(each.arguments) == 2:
                name, value = get_word(each.arguments[0].value), each.arguments[1].value
                if isinstance(value, Function):
                    self.functions[name] = value
                elif get_function_name(value) in ("*", "/", "^") and name in map(get_word, iterate_nodes(value)):
                    self.multiplied_names.add(name)

    def translate_mirror_call(self, node: Call, package: str, name: str) -> Code:
        """Translate a call of a mirror's function; a table's factors have R's names."""
        if name != "tableDP" or self.is_lenient:
            return super().translate_mirror_call(node, package, name)
        named = name_columns(node)
        return name_variables(drop_column_names(super().translate_mirror_call(named, package, name)), named)

    def get_global_name(self, name: str) -> str:
        """Return the Python name of a script's variable."""
        return self.scope.assign_free_name(name)

    # lines

    def emit_line(self, text: str) -> None:
        """Append a statement."""
        self.lines += split_statement("    " * self.depth + text)

    def emit_comments(self, until: int) -> None:
        """Append the comments before a position, and a blank line where there is one."""
        every = self.script.comments
        while self.next_comment < len(every) and every[self.next_comment].start < until:
            each = every[self.next_comment]
            self.next_comment += 1
            if each.text.startswith("#!") and each.start == 0:
                continue
            text = "\n".join(write_comments(re.sub(r"^#+['!]?\s*", "", each.text).rstrip()))
            between = self.script.text[self.end : each.start]
            if "\n" not in between + text and self.lines and self.end:
                line = f"{self.lines[-1]}  {text}"
                if len(line) <= LINE_WIDTH and not self.lines[-1].lstrip().startswith("#"):
                    self.lines[-1] = line
                    self.end = each.end
                    continue
            if between.count("\n") > 1 and self.lines:
                self.lines.append("")
            self.lines += [f"{'    ' * self.depth}{line}" for line in text.split("\n")]
            self.end = each.end
        if re.search(r"\n\s*\n", self.script.text[self.end : until]) and self.lines and self.end:
            self.lines.append("")

    def emit_statement(self, node: Node, sink: Sink) -> None:
        """Append a statement; one without a certain translation becomes a comment and an error."""
        self.emit_comments(node.start)
        before, depth, frames, hoisting = len(self.lines), self.depth, list(self.frames), self.can_hoist
        self.end = node.start
        try:
            self._refuse_redefined_operators(node)
            self.emit_node(node, sink)
        except (TranslationError, *_MALFORMED_CALL_ERRORS) as error:
            reason = str(error) if isinstance(error, TranslationError) else _WRONG_ARGUMENTS
            del self.lines[before:]
            self.depth, self.frames, self.can_hoist = depth, frames, hoisting
            self.is_tested = self.is_dropped = False
            self.emit_refusal(node, reason)
        self.end = max(self.end, node.end)

    def _refuse_redefined_operators(self, node: Node) -> None:
        for each in iterate_nodes(node) if self._redefined_operators else ():
            name = get_function_name(each)
            if name in self._redefined_operators:
                raise TranslationError(f"{name} is a function of the script, which R may call here")

    def save_state(self) -> tuple[object, ...]:
        """Return the state that a statement changes, for `reset_state`."""
        sizes = len(self.lines), len(self.problems)
        return *sizes, self.depth, [*self.frames], self.can_hoist, self.scope, dict(self.scope.names)

    def reset_state(self, state: tuple[Any, ...]) -> None:
        """Restore the state before a statement."""
        lines, problems, self.depth, self.frames, self.can_hoist, self.scope, self.scope.names = state
        del self.lines[lines:], self.problems[problems:]
        self.is_tested = self.is_dropped = False

    def emit_refusal(self, node: Node, reason: str) -> None:
        """Append a statement as comments, with the reason why it has no certain translation."""
        line, _ = self.script.place(node.start)
        reason = trim_text(add_advice(reason))
        # a function may be refused in many calls for the same reason
        if all((line, reason) != (each.line, each.reason) for each in self.problems[-_N_RECENT_PROBLEMS:]):
            self.problems.append(TranslationProblem(line, trim_text(self.script.written(node)), reason, node.start))
        for number, each in enumerate(self.script.written(node).split("\n")):
            self.lines += write_comments(f"R, line {line + number}: {each.strip()}", "    " * self.depth)
        self.emit_line(f"raise NotImplementedError({quote_text(f'line {line} is not translated: {reason}')})")
        for name in find_assigned_names(node):
            if name in IMPLICIT_FUNCTIONS or name in self.bound_names or name.endswith("<-"):
                continue
            self.note_variable(name, Code(""))

    def emit_block(self, node: Node | None, sink: Sink) -> None:
        """Append the statements of a block, indented by one level; the last value goes to the sink."""
        body: list[Node | None] = [*get_arguments(node)] if get_function_name(node) == "{" else [node]
        self.depth += 1
        start = len(self.lines)
        for k, each in enumerate(body):
            if each is not None:
                self.emit_statement(each, sink if k == len(body) - 1 else DISCARD_SINK)
        if get_function_name(node) == "{" and node is not None:
            self.emit_comments(node.end)
        if not any(line.strip() and not line.lstrip().startswith("#") for line in self.lines[start:]):
            self.emit_line("return None" if sink.kind == "returned" else "pass")
        self.depth -= 1

    def emit_value(self, code: Code, sink: Sink, node: Node) -> None:
        if sink.kind == "returned":
            code = self.unwrap_release(code)
            refuse_groups(code, "the result of a function")
            self.emit_line(f"return {code.text}")
        elif sink.kind == "assigned":
            self.assign_variable(sink.name, code, node)
        elif sink.kind == "shown" and code.kind in ("function", "formula"):
            raise TranslationError(f"a {code.kind} is shown")
        elif (
            sink.kind == "shown" and "print" in self.assignment_counts and code.kind not in SCALAR_KINDS | VECTOR_KINDS
        ):
            raise TranslationError("R may show it by the script's print")
        elif sink.kind == "shown" and not self._is_silent(node):
            self.emit_line(f"r.print({self.convert_for_display(code, node).text})")
        elif code.text != "None":
            self.emit_line(code.text)

    def _is_silent(self, node: Node, seen: frozenset[str] = frozenset()) -> bool:
        """Return whether R shows no value of a statement; functions in `seen` are already being examined."""
        name = get_function_name(node)
        if name in ARROWS or name in _SILENT_FUNCTIONS:
            return True
        if name == "{":
            return not get_arguments(node) or self._is_silent(get_arguments(node)[-1], seen)
        if name == "if":
            branches = {self._is_silent(each, seen) for each in get_arguments(node)[1:]}
            if (branches | {True} if len(get_arguments(node)) == 2 else branches) == {True, False}:
                raise TranslationError(_VISIBILITY_DEPENDS)
            return True in branches
        if name == "return":
            return bool(get_arguments(node)) and self._is_silent(get_arguments(node)[0], seen)
        if isinstance(node, Call) and get_function_name(node.function) in ("$", "[["):
            method = get_word(get_arguments(node.function)[-1])
            return method == "fit" or self._has_silent_result(f"${method}", self._find_components(method), seen)
        made = [self.functions[name]] if name in self.functions else []
        return self._has_silent_result(name, made, seen)

    def _has_silent_result(self, name: str, functions: Sequence[Function], seen: frozenset[str]) -> bool:
        """Return whether R shows no result of the functions that a name may refer to."""
        if not functions or name in seen:
            return False
        if name not in self._silent_results:
            ends = [end for each in functions for end in (each.body, *_iterate_returns(each.body))]
            found = {self._is_silent(end, seen | {name}) for end in ends}
            if len(found) > 1:
                raise TranslationError(_VISIBILITY_DEPENDS)
            self._silent_results[name] = found.pop()
        return self._silent_results[name]

    def _find_components(self, name: str) -> list[Function]:
        """Return the functions of the script that are components with this name."""
        if self._components_by_name is None:
            self._components_by_name = {}
            for each in (one for top in self.script.expressions for one in iterate_nodes(top)):
                for key, value in _iterate_named_parts(each):
                    self._components_by_name.setdefault(key, []).append(value)
        found = self._components_by_name.get(name, [])
        made = (self.functions.get(each.name) if isinstance(each, Name) else each for each in found)
        return [each for each in made if isinstance(each, Function)]

    # statements

    def emit_node(self, node: Node, sink: Sink) -> None:
        name = get_function_name(node) if isinstance(node, Call) and isinstance(node.function, Name) else ""
        given = get_arguments(node)
        if name and (variable := self.scope.find_variable(name)) is not None and variable.made:
            name = ""
        if name == "%>%" and isinstance(node, Call):
            return self.emit_node(expand_pipe(node), sink)
        if name in ARROWS and len(given) == 2:
            return self.emit_assignment(node, name, given, sink)
        if name in ("invisible", *TRANSPARENT) and len(given) >= 1:
            sink = DISCARD_SINK if name == "invisible" and sink.kind == "shown" else sink
            with self.set_hidden_messages(name):
                return self.emit_node(given[0], sink)
        handler = getattr(self, f"_{name.replace('.', '_')}_statement", None) if "_" not in name else None
        if handler is not None:
            return handler(node, given, sink)  # type: ignore[no-any-return]
        if name == "{":
            for k, each in enumerate(given):
                self.emit_statement(each, sink if k == len(given) - 1 else DISCARD_SINK)
            return None
        if name == "switch":
            return self.emit_node(expand_switch(self, node), sink)  # type: ignore[arg-type]
        self._emit_inner_comments(node)
        self.printed_position = (node.start, node.end) if sink.kind in ("left", "shown") else (-1, -1)
        return self.emit_value(self.translate_node(node), sink, node)

    def _emit_inner_comments(self, node: Node) -> None:
        if not any(isinstance(each, Function) or get_function_name(each) == "{" for each in iterate_nodes(node)):
            end = self.end
            self.emit_comments(node.end)
            self.end = max(end, self.end)

    def _if_statement(self, node: Call, given: list[Node], sink: Sink, word_: str = "if") -> None:
        test, *ways = given
        if (
            word_ == "if"
            and sink.kind in ("assigned", "returned")
            and len(ways) == 2
            and all(map(self.is_expression, ways))
        ):
            lines = len(self.lines)
            code = self.translate_node(node)
            if len(code.text) + 4 * self.depth < LINE_WIDTH - 10:
                return self.emit_value(code, sink, node)
            del self.lines[lines:]
        hoisting, self.can_hoist = self.can_hoist, self.can_hoist and word_ == "if"
        condition = self.translate_condition(test)
        self.can_hoist = hoisting
        self.emit_line(f"{word_} {condition.text}:")
        before = dict(self.scope.names)
        self.end = ways[0].start
        self.emit_block(ways[0], sink)
        first, self.scope.names = self.scope.names, before
        if len(ways) == 2:
            self.end = max(self.end, ways[0].end)
            if get_function_name(ways[1]) == "if" and isinstance(ways[1], Call):
                self._if_statement(ways[1], get_arguments(ways[1]), sink, "elif")
            else:
                self.emit_line("else:")
                self.end = ways[1].start
                self.emit_block(ways[1], sink)
        elif sink.kind in ("assigned", "returned"):
            self.emit_line("else:")
            self.depth += 1
            self.emit_value(Code("None", "null"), sink, node)
            self.depth -= 1
        self.scope.names = merge_branches(first, self.scope.names)
        return None

    def is_expression(self, node: Node) -> bool:
        """Return whether a node is an expression without statements."""
        names = {get_function_name(each) for each in iterate_nodes(node, lambda one: not isinstance(one, Function))}
        return not names & _STATEMENT_FUNCTIONS and not isinstance(node, Function)
