"""Statements of R as lines of Python: assignments, branches, loops, functions, comments."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pydpstat.porting import _matching as matching
from pydpstat.porting._calls import TRANSPARENT, specials, switched
from pydpstat.porting._code import (
    ATOM,
    ELEMENT,
    LAMBDA,
    NUMBERS,
    VECTORS,
    Code,
    Untranslated,
    called,
    own_name,
    python_name,
    quoted,
)
from pydpstat.porting._layout import WIDTH, laid_out
from pydpstat.porting._scope import (
    ARROWS,
    Scope,
    Variable,
    arguments_of,
    assigned,
    function_name,
    nodes,
    word,
)
from pydpstat.porting._syntax import Call, Constant, Function, Name, Node, Script
from pydpstat.porting._verbs import Verbs

# packages that hide nothing that is translated
_HARMLESS = set(
    "DPpack diffpriv stats utils methods base graphics datasets R6 magrittr dplyr ggplot2 knitr scales".split()
)
_OPERATORS = set(
    "+ - * / ^ < > <= >= == != ! & && | || ( { [ [[ $ @ : if for while repeat function <- = <<- %% %/% %in%".split()
)
_ONE_LINE = {"if", "for", "while", "repeat", "{"}
_DROPPED = {"gc", "flush.console", "flush", "rm", "options"}


@dataclass(frozen=True, slots=True)
class Problem:
    """A statement that has no sure translation: its line, its text in R, and the reason."""

    line: int
    text: str
    reason: str


class Sink:
    """What becomes of a statement's value: it is left, shown, returned, or assigned to a name."""

    def __init__(self, kind: str, name: str = "") -> None:
        self.kind, self.name = kind, name


_LEFT, _SHOWN, _RETURNED = Sink("left"), Sink("shown"), Sink("returned")


class Statements(Verbs):
    """A script in lines of Python."""

    def __init__(self, script: Script, names: Sequence[str] = (), lenient: bool = False) -> None:
        super().__init__(script)
        self.lenient = lenient
        self.lines: list[str] = []
        self.problems: list[Problem] = []
        self.attached: set[str] = set(matching.PACKAGES) if lenient else set()
        self._special = specials(self)
        self._depth, self._seeded, self._hoisting, self._comment = 0, False, True, 0
        # how often each name is assigned, and where the last statement ended
        found = [name for each in script.expressions for name in assigned(each, deep=True)]
        self.counts = {name: found.count(name) for name in set(found)}
        self.assigned_somewhere = set(found)
        self.functions = self._defined()
        self._end = 0
        for name in names:
            self.scope.names[name] = Variable(own_name(name), "" if lenient else "", missing=0)

    def _defined(self) -> dict[str, Function]:
        made: dict[str, Function] = {}
        for each in (one for top in self.script.expressions for one in nodes(top)):
            if isinstance(each, Call) and function_name(each) in ARROWS and len(each.arguments) == 2:
                value = each.arguments[1].value
                if isinstance(value, Function):
                    made[word(each.arguments[0].value)] = value
        return made

    def global_name(self, name: str) -> str:
        """Return a variable of the script in Python."""
        return own_name(name)

    # lines

    def emit(self, text: str) -> None:
        """Add a statement."""
        self.lines += laid_out("    " * self._depth + text)

    def flush(self, until: int) -> None:
        """Add the comments before a place, and an empty line where there is one."""
        comments = self.script.comments
        while self._comment < len(comments) and comments[self._comment].start < until:
            each = comments[self._comment]
            self._comment += 1
            text = re.sub(r"^#+['!]?\s*", "# ", each.text).rstrip()
            between = self.script.text[self._end : each.start]
            if "\n" not in between and self.lines and self._end:
                line = f"{self.lines[-1]}  {text}"
                if len(line) <= WIDTH and not self.lines[-1].lstrip().startswith("#"):
                    self.lines[-1] = line
                    self._end = each.end
                    continue
            if between.count("\n") > 1 and self.lines:
                self.lines.append("")
            self.lines.append("    " * self._depth + text)
            self._end = each.end
        if self.script.text[self._end : until].count("\n") > 1 and self.lines and self._end:
            self.lines.append("")

    def statement(self, node: Node, sink: Sink) -> None:
        """Add a statement; what has no sure translation becomes a comment and an error."""
        self.flush(node.start)
        before = len(self.lines), {**self.scope.names}
        depth, frames = self._depth, list(self.frames)
        self._end = node.start
        try:
            self._statement(node, sink)
        except Untranslated as error:
            del self.lines[before[0] :]
            self._depth, self.frames = depth, frames
            self.tested = self.dropped = False
            self._refuse(node, str(error))
        self._end = max(self._end, node.end)

    def _refuse(self, node: Node, reason: str) -> None:
        line, _ = self.script.place(node.start)
        text = self.script.written(node)
        if (line, reason) not in [(each.line, each.reason) for each in self.problems]:
            self.problems.append(Problem(line, text, reason))
        for number, each in enumerate(text.split("\n")):
            self.lines.append(f"{'    ' * self._depth}# R, line {line + number}: {each.strip()}")
        self.emit(f"raise NotImplementedError({quoted(f'line {line} is not translated: {reason}')})")
        for name in assigned(node):
            self._set(name, Code(""))

    def block(self, node: Node | None, sink: Sink) -> None:
        """Add the statements of a block, one level further in; the last one's value goes to the sink."""
        body = arguments_of(node) if function_name(node) == "{" else [node]
        self._depth += 1
        start = len(self.lines)
        for k, each in enumerate(body):
            if each is not None:
                self.statement(each, sink if k == len(body) - 1 else _LEFT)
        if function_name(node) == "{" and node is not None:
            self.flush(node.end)
        if not any(line.strip() and not line.lstrip().startswith("#") for line in self.lines[start:]):
            self.emit("return None" if sink.kind == "returned" else "pass")
        self._depth -= 1

    def _sink(self, code: Code, sink: Sink, node: Node) -> None:
        if sink.kind == "returned":
            self.emit(f"return {code.text}")
        elif sink.kind == "assigned":
            self._assign(sink.name, code, node)
        elif sink.kind == "shown" and not self._silent(node):
            self.emit(f"r.print({code.text})")
        elif code.text != "None":
            self.emit(code.text)

    def _silent(self, node: Node) -> bool:
        """Return whether R shows no value of a statement."""
        name = function_name(node)
        if name in ARROWS or name in ("invisible", "cat", "print", "for", "while", "repeat", "library"):
            return True
        if name == "{":
            return not arguments_of(node) or self._silent(arguments_of(node)[-1])
        if name == "if":
            return all(self._silent(each) for each in arguments_of(node)[1:])
        if isinstance(node, Call) and isinstance(node.function, Call) and function_name(node.function) == "$":
            return word(node.function.arguments[1].value) == "fit"
        made = self.functions.get(name)
        return made is not None and self._silent(made.body)

    # statements

    def _statement(self, node: Node, sink: Sink) -> None:
        name = function_name(node) if isinstance(node, Call) and isinstance(node.function, Name) else ""
        given = arguments_of(node)
        if name and (variable := self.scope.find(name)) is not None and variable.made:
            name = ""
        if name in ARROWS and len(given) == 2:
            return self._assignment(node, name, given, sink)
        if name in ("invisible", *TRANSPARENT) and len(given) >= 1:
            quiet = _LEFT if name == "invisible" and sink.kind == "shown" else sink
            return self._statement(given[0], quiet)
        handler = getattr(self, f"_{name.replace('.', '_')}_statement", None) if name else None
        if handler is not None:
            return handler(node, given, sink)  # type: ignore[no-any-return]
        if name == "{":
            for k, each in enumerate(given):
                self.statement(each, sink if k == len(given) - 1 else _LEFT)
            return None
        if name == "switch":
            return self._statement(switched(self, node), sink)  # type: ignore[arg-type]
        self._flush_inside(node)
        return self._sink(self.value(node), sink, node)

    def _flush_inside(self, node: Node) -> None:
        if not any(isinstance(each, Function) or function_name(each) == "{" for each in nodes(node)):
            end = self._end
            self.flush(node.end)
            self._end = max(end, self._end)

    def _if_statement(self, node: Call, given: list[Node], sink: Sink, word_: str = "if") -> None:
        test, *ways = given
        if (
            word_ == "if"
            and sink.kind in ("assigned", "returned")
            and len(ways) == 2
            and all(map(self._plain, ways))
        ):
            lines = len(self.lines)
            code = self.value(node)
            if len(code.text) + 4 * self._depth < WIDTH - 10:
                return self._sink(code, sink, node)
            del self.lines[lines:]
        hoisting, self._hoisting = self._hoisting, self._hoisting and word_ == "if"
        with self.condition(tested=True):
            condition = self.value(test)
        self._hoisting = hoisting
        self.emit(f"{word_} {condition.text}:")
        before = dict(self.scope.names)
        self._end = ways[0].start
        self.block(ways[0], sink)
        first, self.scope.names = self.scope.names, before
        if len(ways) == 2:
            self._end = max(self._end, ways[0].end)
            if function_name(ways[1]) == "if" and isinstance(ways[1], Call):
                self._if_statement(ways[1], arguments_of(ways[1]), sink, "elif")
            else:
                self.emit("else:")
                self._end = ways[1].start
                self.block(ways[1], sink)
        elif sink.kind in ("assigned", "returned"):
            self.emit("else:")
            self._depth += 1
            self._sink(Code("None", "null"), sink, node)
            self._depth -= 1
        self.scope.names = _either(first, self.scope.names)
        return None

    def _plain(self, node: Node) -> bool:
        """Return whether a node is an expression, without statements in it."""
        names = {function_name(each) for each in nodes(node, lambda one: not isinstance(one, Function))}
        stops = {
            "{",
            "stop",
            "return",
            "if",
            "for",
            "while",
            "repeat",
            "print",
            "cat",
            "switch",
            "warning",
            "invisible",
        }
        return not names & {*stops, *ARROWS} and not isinstance(node, Function)

    def _loop(self, header: Callable[[], str], body: Node | None, bound: Callable[[], None]) -> None:
        before = dict(self.scope.names)
        state = len(self.lines), len(self.problems), self._comment, self._end
        for _ in range(3):
            self.emit(header())
            bound()
            self.block(body, _LEFT)
            after = _either(before, self.scope.names)
            del self.lines[state[0] :], self.problems[state[1] :]
            self._comment, self._end = state[2:]
            self.scope.names = dict(after)
            if after == before:
                break
            before = after
        self.emit(header())
        bound()
        self._end = body.start if body is not None else self._end
        self.block(body, _LEFT)
        self.scope.names = _either(before, self.scope.names)

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
        python = self._set(word(name), Code("", kind, missing=code.missing))
        variable = self.scope.names[word(name)]
        self._loop(
            lambda: f"for {python} in {text}:",
            body[0] if body else None,
            lambda: self.scope.names.__setitem__(word(name), variable),
        )
        self._end_of_loop(sink)

    def _while_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        def header() -> str:
            hoisting, self._hoisting = self._hoisting, False
            with self.condition(tested=True):
                text = self.value(given[0]).text
            self._hoisting = hoisting
            return f"while {text}:"

        self._loop(header, given[1] if len(given) > 1 else None, lambda: None)
        self._end_of_loop(sink)

    def _repeat_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        self._loop(lambda: "while True:", given[0] if given else None, lambda: None)
        self._end_of_loop(sink)

    def _end_of_loop(self, sink: Sink) -> None:
        if sink.kind == "assigned":
            self.emit(f"{self._set(sink.name, Code('', 'null'))} = None")

    def _next_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        self.emit("continue")

    def _break_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        self.emit("break")

    def _return_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        if self.scope.outer is None:
            raise Untranslated("return outside of a function")
        if given:
            self._statement(given[0], _RETURNED)
        else:
            self.emit("return None")

    def _stop_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        self.emit(f"raise ValueError({self._message(node)})")

    def _warning_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        self.emit(f"warnings.warn({self._message(node)}, stacklevel=2)")

    def _message(self, node: Call) -> str:
        parts = [self.value(each.value) for each in node.arguments if each.name is None]
        if len(parts) == 1 and parts[0].kind == "text":
            return parts[0].text
        return called("r.paste0", [each.sequence for each in parts])

    def _stopifnot_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        for each in node.arguments:
            with self.condition(tested=True):
                code = self.value(each.value)
            text = each.name or f"{self.script.written(each.value)} is not TRUE" if each.value else ""
            test = code.at(LAMBDA + 3) if code.kind == "flag" else called("np.all", [code.text])
            self.emit(f"if not {test}:")
            self._depth += 1
            self.emit(f"raise ValueError({quoted(text)})")
            self._depth -= 1

    def _library_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        name = word(given[0]) if given else ""
        if name not in _HARMLESS:
            raise Untranslated(
                f"the package {name or 'that is computed'} has no counterpart, and may hide R's functions"
            )
        self.attached.add(name)

    _require_statement = _suppressPackageStartupMessages_statement = _library_statement

    def _suppressPackageStartupMessages_statement(  # noqa: F811
        self, node: Call, given: list[Node], sink: Sink
    ) -> None:
        for each in given:
            self._statement(each, _LEFT)

    def _set_seed_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        if len(given) != 1:
            raise Untranslated("set.seed with another generator")
        seed = self.value(given[0]).text
        if self._seeded or self.scope.outer is not None or self._depth:
            self.emit(f"rng.set_seed({seed})")
        else:
            self.emit(f"rng = RRandom({seed})")
            self._seeded = True

    def _rm_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        for each in node.arguments:
            if each.name is None and isinstance(each.value, Name) and each.value.name in self.scope.names:
                self.emit(f"del {self.scope.names.pop(each.value.name).python}")
            elif function_name(each.value) != "ls":
                raise Untranslated("rm of what is computed")

    def _options_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        if any(each.name not in ("stringsAsFactors", "warn", "digits.secs") for each in node.arguments):
            raise Untranslated("options that change what R prints")

    def _print_statement(self, node: Call, given: list[Node], sink: Sink) -> None:
        self.emit(self._of_r(node, "print").text)
        if sink.kind in ("returned", "assigned"):
            if not isinstance(given[0], Name):
                raise Untranslated("the value of print")
            self._sink(self.value(given[0]), sink, node)

    # assignments

    def owned(self, node: Node | None) -> Code:
        """Return a value that something else may hold as well from now on."""
        code = self.value(node)
        if isinstance(node, Name) and (variable := self.scope.names.get(node.name)) is not None:
            self.scope.names[node.name] = replace(variable, fresh=False)
        return code

    def _set(self, name: str, code: Code, node: Node | None = None) -> str:
        """Note what a variable holds from here on, and return its name in Python."""
        if not name or name in _OPERATORS or name.endswith("<-"):
            raise Untranslated(f"{name or 'what is no name'} is assigned")
        old = self.scope.names.get(name)
        python = old.python if old else self.scope.free_name(name)
        fresh = code.kind in ("doubles", "list", "dict") and (
            code.level < ATOM or code.text.startswith(("np.zeros", "np.full", "np.array", "[", "{"))
        )
        made = self.functions.get(name) if code.kind == "function" else None
        columns, complete = self._columns_after(node, code)
        package = function_name(node) if code.kind in ("object", "") and node is not None else ""
        self.scope.names[name] = Variable(
            python, code.kind, made, fresh, code.missing, columns, complete, package
        )
        return python

    def _columns_after(self, node: Node | None, code: Code) -> tuple[tuple[str, ...] | None, frozenset[str]]:
        """Return what is known of the columns of a data frame that is assigned."""
        if code.kind != "frame" or node is None:
            return None, frozenset()
        name = function_name(node)
        if name == "data.frame" and all(each.name for each in node.arguments):  # type: ignore[union-attr]
            given = [each for each in node.arguments if each.name != "stringsAsFactors"]  # type: ignore[union-attr]
            complete = [str(each.name) for each in given if self.value(each.value).missing == 0]
            return tuple(str(each.name) for each in given), frozenset(complete)
        source = (
            self._frame_of(Code(_first_name(self.value(arguments_of(node)[0]).text)))
            if arguments_of(node)
            else None
        )
        complete = set(source.complete) if source else set()
        if name == "na.omit" or (name == "[" and "complete.cases" in self.script.written(node)):
            complete.add("*")
        tests = arguments_of(node)[1:2] if name in ("[", "subset", "filter") else []
        for each in tests:
            text = self.script.written(each)
            complete |= set(re.findall(r"!\s*is\.na\((?:\w+\$)?([\w.]+)\)", text))
        return (
            source.columns
            if source and name in ("[", "subset", "filter", "na.omit") and len(arguments_of(node)) < 3
            else None
        ), frozenset(complete)

    def _assignment(self, node: Node, arrow: str, given: list[Node], sink: Sink) -> None:
        target, value = given
        name = word(target)
        if arrow == "<<-":
            self._outside(name or word(_root(target)))
        if not name:
            code = self._value_of(value)
            self._replacement(target, code)
            name = word(_root(target))
        elif isinstance(value, Function):
            self._define(name, value)
        elif function_name(value) in ARROWS and isinstance(value, Call):
            self._assignment(value, function_name(value), arguments_of(value), _LEFT)
            self._assign(name, self.owned(arguments_of(value)[0]), value)
        else:
            self._statement(value, Sink("assigned", name))
        if sink.kind in ("returned", "assigned"):
            self._sink(self.value(Name(name)), sink, Name(name))

    def _value_of(self, node: Node) -> Code:
        if function_name(node) in ARROWS and isinstance(node, Call):
            self._assignment(node, function_name(node), arguments_of(node), _LEFT)
            return self.owned(arguments_of(node)[0])
        return self.owned(node)

    def _assign(self, name: str, code: Code, node: Node) -> None:
        self._check_outer(name)
        if isinstance(node, Name):
            code = self.owned(node)
        if code.kind == "column":
            code = replace(code, text=code.array, kind="", frame="", level=ATOM)
        if (
            code.kind in NUMBERS
            and self.counts.get(name, 0) > 1
            and re.fullmatch(r"-?[\d_]+", code.text)
            and self.counts[name] > 1
        ):
            code = replace(code, text=f"{code.text}.0") if self._grows(name) else code
        python = self._set(name, code, node)
        if python != code.text:
            self.emit(f"{python} = {code.text}")

    def _grows(self, name: str) -> bool:
        """Return whether a variable is multiplied or added to, so that its numbers must be R's doubles."""
        for top in self.script.expressions:
            for each in nodes(top):
                if (
                    function_name(each) in ARROWS
                    and isinstance(each, Call)
                    and word(each.arguments[0].value) == name
                ):
                    value = each.arguments[1].value
                    if function_name(value) in ("*", "/", "^") and any(
                        isinstance(one, Name) and one.name == name for one in nodes(value)
                    ):
                        return True
        return False

    def _check_outer(self, name: str) -> None:
        """Refuse a local variable that was read before as one from outside: Python has one of them only."""
        scope = self.scope
        if scope.outer is None or name in scope.names or name in scope.everywhere:
            return
        if name in self._read and scope.outer.find(name) is not None:
            raise Untranslated(f"{name} is a variable of the script and of the function")

    _read: set[str] = set()

    def _outside(self, name: str) -> None:
        scope = self.scope
        if scope.outer is None:
            return
        if name in scope.names and name not in scope.everywhere:
            raise Untranslated(f"{name} is changed both inside and outside of the function")
        outer: Scope | None = scope.outer
        while outer is not None and (outer.view or name not in outer.names):
            outer = outer.outer
        if outer is None:
            raise Untranslated(f"<<- makes the variable {name} of the script")
        scope.everywhere[name] = "global" if outer.outer is None else "nonlocal"
        scope.names[name] = replace(outer.names[name], fresh=False, made=None)
        outer.names[name] = replace(outer.names[name], kind="", fresh=False, missing=1, columns=None)

    def _replacement(self, target: Node, code: Code) -> None:
        """Assign to a part of a variable."""
        name, given = function_name(target), list(target.arguments) if isinstance(target, Call) else []
        if not given or given[0].value is None:
            raise Untranslated("what is assigned to is no variable")
        base = given[0].value
        if not isinstance(base, Name):
            old = self.value(base)
            return self._replacement(base, self._changed(old, name, target, code))
        variable = self.scope.names.get(base.name)
        if variable is None:
            raise Untranslated(f"{base.name} is no variable of this function")
        old = Code(variable.python, variable.kind, missing=variable.missing)
        if name in ("$", "@") and variable.kind == "object":
            return self.emit(f"{variable.python}.{python_name(word(given[1].value))} = {code.text}")
        changed = self._in_place(variable, old, name, target, code)
        if changed:
            return self.emit(changed)
        found = self._changed(old, name, target, code)
        missing = max(variable.missing, code.missing)
        known = {word(given[1].value)} if name in ("$", "[[") and len(given) == 2 else set()
        complete = variable.complete | known if code.missing == 0 else variable.complete - known
        columns = variable.columns
        if columns is not None and name in ("$", "[["):
            columns = tuple(dict.fromkeys([*columns, *known]))
        self.scope.names[base.name] = replace(
            variable,
            kind=found.kind,
            fresh=variable.fresh and found.kind == variable.kind,
            missing=missing,
            columns=columns if found.kind == "frame" else None,
            complete=complete,
        )
        return self.emit(f"{variable.python} = {found.text}")

    def _in_place(self, variable: Variable, old: Code, name: str, target: Call, code: Code) -> str:  # type: ignore
        """Return a statement that changes an array or a list that nothing else holds."""
        keys = [each.value for each in target.arguments[1:]]
        if not variable.fresh or len(keys) != 1 or name not in ("[", "[[", "$"):
            return ""
        if (
            variable.kind == "dict"
            and name in ("$", "[[")
            and word(keys[0])
            and code.kind != "null"
            and code.kind
        ):
            if name == "$" or isinstance(keys[0], Constant):
                return f"{variable.python}[{quoted(word(keys[0]))}] = {code.array}"
        if variable.kind == "doubles" and name != "$" and code.kind in NUMBERS:
            index = self.value(keys[0])
            if index.kind == "position":
                return f"{variable.python}[{index.text} - 1] = {code.text}"
        return ""

    def _changed(self, old: Code, name: str, target: Node, code: Code) -> Code:
        """Return what a value is after one of its parts was assigned."""
        keys = [each.value for each in target.arguments[1:]] if isinstance(target, Call) else []
        if old.kind == "frame" and name in ("$", "[[") and len(keys) == 1 and word(keys[0]):
            column = word(keys[0])
            if name == "[[" and not isinstance(keys[0], Constant):
                raise Untranslated("the name of a column is computed")
            if code.kind == "null":
                return Code(f"{old.at(ATOM)}.drop(columns=[{quoted(column)}])", "frame")
            text = code.text if code.frame == old.text or code.kind != "column" else code.array
            if column.isidentifier():
                return Code(called(f"{old.at(ATOM)}.assign", [f"{column}={text}"]), "frame")
            return Code(called(f"{old.at(ATOM)}.assign", [f"**{{{quoted(column)}: {text}}}"]), "frame")
        if name in ("[", "[[") and len(keys) == 1 and keys[0] is not None:
            index = self.value(keys[0])
            function = "r.replaced" if name == "[" else "r.replaced_element"
            kind = (
                old.kind
                if old.kind in ("frame", "list", "dict")
                or (old.kind == "doubles" and code.kind in {*NUMBERS, "doubles"})
                else ""
            )
            kind = "" if kind == "list" and index.kind in ("text", "") else kind
            given = [old.array, index.array if index.kind == "column" else index.sequence, code.array]
            return Code(called(function, given), kind)
        if name in ("[", "[[") and len(keys) == 2:
            given = [
                old.text,
                *("None" if each is None else self.value(each).sequence for each in keys),
                code.array,
            ]
            return Code(called("r.replaced_cells", given), old.kind)
        if name == "$":
            return Code(
                called("r.replaced_element", [old.text, quoted(word(keys[0])), code.array]),
                old.kind if old.kind == "dict" else "",
            )
        if name in ("names", "colnames", "rownames", "levels") and not keys:
            if old.kind == "frame" and name in ("names", "colnames"):
                return Code(f"{old.at(ATOM)}.set_axis({code.sequence}, axis=1)", "frame")
            return Code(called(f"r.set_{name}", [old.text, code.sequence]), "")
        raise Untranslated(f"{name or 'what is no variable'} is assigned to")

    # functions

    def _define(self, name: str, node: Function) -> None:
        if (
            name in _OPERATORS
            or name.endswith("<-")
            or name.partition(".")[0] in ("print", "summary", "format")
            and "." in name
        ):
            raise Untranslated(f"{name} is defined, which R calls by itself")
        self._set(name, Code("", "function"))
        self._definition(self.scope.names[name].python, node)

    def _definition(self, python: str, node: Function) -> None:
        """Add the definition of a function."""
        self._check_defaults(node)
        parameters, later = [], []
        outer, read = self.scope, self._read
        scope = Scope(outer)
        scope.outer = self._from_outside(outer)
        self.scope, self._read = scope, _read_first(node)
        for each in node.formals:
            name = str(each.name)
            if name == matching.DOTS:
                raise Untranslated("a function with ...")
            kind = "text" if isinstance(each.value, Constant) and each.value.kind == "character" else ""
            scope.names[name] = Variable(scope.free_name(name), kind, missing=0 if kind else 1)
            own = scope.names[name].python
            if each.value is None:
                parameters.append(own)
            elif isinstance(each.value, Constant):
                parameters.append(f"{own}={self.value(each.value).text}")
            else:
                parameters.append(f"{own}=None")
                later.append((own, each.value))
        try:
            self.emit(f"def {python}({', '.join(parameters)}):")
            place = len(self.lines)
            self._end = node.body.start
            self._depth += 1
            for own, value in later:
                self.emit(f"if {own} is None:")
                self.lines += laid_out("    " * (self._depth + 1) + f"{own} = {self.value(value).text}")
            self._depth -= 1
            self.block(node.body, _RETURNED)
            for name, word_ in scope.everywhere.items():
                self.lines.insert(place, f"{'    ' * (self._depth + 1)}{word_} {scope.names[name].python}")
        finally:
            self.scope, self._read = outer, read

    def _from_outside(self, outer: Scope) -> Scope:
        """Return variables as a function sees them that runs later, when they may have changed."""
        known = {}
        scope: Scope | None = outer
        while scope is not None:
            for name, each in scope.names.items():
                if name not in known:
                    sure = self.counts.get(name, 0) <= 1
                    known[name] = (
                        replace(each, fresh=False)
                        if sure
                        else Variable(each.python, each.kind if each.kind == "function" else "")
                    )
            scope = scope.outer
        return Scope(outer, known, view=True)

    def _check_defaults(self, node: Function) -> None:
        """Refuse defaults that R evaluates at another time than Python."""
        changed = set(assigned(node.body))
        for each in node.formals:
            if each.value is None or isinstance(each.value, Constant):
                continue
            used = {one.name for one in nodes(each.value) if isinstance(one, Name)}
            if used & changed:
                raise Untranslated(
                    f"the default of {each.name} is evaluated after {', '.join(used & changed)} changes"
                )
            if matching.draws(each.value, self.functions) and not matching.safe_order(
                node, [str(each.name)], self.functions
            ):
                raise Untranslated(f"the default of {each.name} draws only when it is used")
        if "missing" in {function_name(one) for one in nodes(node.body)}:
            raise Untranslated("missing() asks how the function was called")

    def function(self, node: Function) -> Code:
        """Return a function without a name: a lambda where it is one expression."""
        body = node.body
        while function_name(body) in ("{", "(") and len(arguments_of(body)) == 1:
            body = arguments_of(body)[0]
        if function_name(body) == "return" and len(arguments_of(body)) == 1:
            body = arguments_of(body)[0]
        constant = all(each.value is None or isinstance(each.value, Constant) for each in node.formals)
        if not self._plain(body) or not constant:
            return Code(self.hoisted(node), "function")
        outer, read = self.scope, self._read
        self.scope = Scope(outer)
        parameters = []
        try:
            for each in node.formals:
                name = str(each.name)
                if name == matching.DOTS:
                    raise Untranslated("a function with ...")
                self.scope.names[name] = Variable(self.scope.free_name(name))
                own = self.scope.names[name].python
                parameters.append(own if each.value is None else f"{own}={self.value(each.value).text}")
            text = self.value(body).text
        finally:
            self.scope, self._read = outer, read
        given = f"({', '.join(parameters)})"
        if parameters and text.endswith(given) and re.fullmatch(r"[a-z]\w*\.\w+", text.removesuffix(given)):
            return Code(text.removesuffix(given), "function")
        return Code(
            f"lambda {', '.join(parameters)}: {text}" if parameters else f"lambda: {text}", "function", LAMBDA
        )

    def hoisted(self, node: Function) -> str:
        """Define a function before the statement, and return its name."""
        if not self._hoisting or self.frames:
            raise Untranslated("a function of several statements inside a condition")
        python = self.scope.free_name("each")
        self.scope.names[f"each {len(self.scope.names)}"] = Variable(python, "function")
        self._definition(python, node)
        return python


def _either(first: dict[str, Variable], second: dict[str, Variable]) -> dict[str, Variable]:
    """Return what is known of variables after one of two ways."""
    found = {}
    for name in {**first, **second}:
        a, b = first.get(name), second.get(name)
        found[name] = a.or_else(b) if a is not None and b is not None else a or b
    return found  # type: ignore[return-value]


def _root(node: Node | None) -> Node | None:
    while isinstance(node, Call) and node.arguments:
        node = node.arguments[0].value
    return node


def _first_name(text: str) -> str:
    found = re.match(r"\w+", text)
    return found[0] if found else ""


def _read_first(node: Function) -> set[str]:
    """Return the names that a function reads before it assigns them."""
    seen, read = {str(each.name) for each in node.formals}, set()
    for each in nodes(node.body, lambda one: not isinstance(one, Function)):
        if (
            isinstance(each, Call)
            and function_name(each) in ARROWS
            and isinstance(each.arguments[0].value, Name)
        ):
            name = each.arguments[0].value.name
            used = {one.name for one in nodes(each.arguments[1].value) if isinstance(one, Name)}
            read |= used - seen
            seen.add(name)
        elif isinstance(each, Name) and each.name not in seen:
            read.add(each.name)
    return read
