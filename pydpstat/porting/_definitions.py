"""Functions of a script, with a name or without one."""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import replace

from pydpstat.porting import _matching as matching
from pydpstat.porting._assignments import OPERATORS, RETURNED, Assignments, Sink
from pydpstat.porting._code import LAMBDA, Code, Untranslated
from pydpstat.porting._escapes import quoted
from pydpstat.porting._layout import laid_out
from pydpstat.porting._scope import (
    ARROWS,
    Scope,
    Variable,
    arguments_of,
    assigned,
    function_name,
    hidden,
    nodes,
)
from pydpstat.porting._syntax import Call, Constant, Function, Name, Node


class Definitions(Assignments):
    """What functions are in Python."""

    lines: list[str]
    depth: int
    # where the last statement ended, and whether a function can be defined before the one that is written
    end: int
    hoisting: bool

    @abstractmethod
    def block(self, node: Node | None, sink: Sink) -> None:
        """Add the statements of a block, one level further in; the last one's value goes to the sink."""

    @abstractmethod
    def plain(self, node: Node) -> bool:
        """Return whether a node is an expression, without statements in it."""

    # functions

    def define(self, name: str, node: Function) -> None:
        if (
            name in OPERATORS
            or name.endswith("<-")
            or name.partition(".")[0] in ("print", "summary", "format")
            and "." in name
        ):
            raise Untranslated(f"{name} is defined, which R calls by itself")
        self.functions[name] = node
        self.hold(name, Code("", "function"))
        self._definition(self.scope.names[name].python, node)

    def _definition(self, python: str, node: Function) -> None:
        """Add the definition of a function."""
        self._check_defaults(node)
        parameters: list[str] = []
        later: list[tuple[str, Node | None]] = []
        outer, read = self.scope, self.read_first
        scope = Scope(self._from_outside(outer))
        self.scope, self.read_first = scope, _read_first(node)
        for each in node.formals:
            name = str(each.name)
            if name == matching.DOTS:
                raise Untranslated("a function with ...")
            kind = "text" if isinstance(each.value, Constant) and each.value.kind == "character" else ""
            scope.names[name] = Variable(scope.free_name(name), kind, missing=0 if kind else 1)
            own = scope.names[name].python
            if each.value is None and any("=" in one for one in parameters):
                parameters.append(f"{own}=...")
                later.append((own, None))
            elif each.value is None:
                parameters.append(own)
            elif isinstance(each.value, Constant):
                parameters.append(f"{own}={self.value(each.value).text}")
            else:
                parameters.append(f"{own}=None")
                later.append((own, each.value))
        try:
            self.emit(f"def {python}({', '.join(parameters)}):")
            place = len(self.lines)
            self.end = node.body.start
            self.depth += 1
            for own, value in self._in_order(later):
                if value is None:
                    # a place that Python requires after a default
                    self.emit(f"if {own} is ...:")
                    self.depth += 1
                    self.emit(f"raise ValueError({quoted(f'argument {own} is missing, with no default')})")
                    self.depth -= 1
                    continue
                self.emit(f"if {own} is None:")
                self.lines += laid_out("    " * (self.depth + 1) + f"{own} = {self.value(value).text}")
            self.depth -= 1
            self.block(node.body, RETURNED)
            for name, word_ in scope.everywhere.items():
                self.lines.insert(place, f"{'    ' * (self.depth + 1)}{word_} {scope.names[name].python}")
        finally:
            self.scope, self.read_first = outer, read

    def _in_order(self, later: list[tuple[str, Node | None]]) -> list[tuple[str, Node | None]]:
        """Return defaults so that each follows those that it uses, as R evaluates them."""
        left, found = list(later), []
        while left:
            waiting = {own for own, _ in left}
            ready = [each for each in left if not self._uses(each[1]) & (waiting - {each[0]})]
            if not ready:
                raise Untranslated("defaults that use each other")
            if ready[0] != left[0] and any(matching.draws(value, self.functions) for _, value in left):
                raise Untranslated("the defaults draw in the order in which they are used")
            found.append(ready[0])
            left.remove(ready[0])
        return found

    def _uses(self, node: Node | None) -> set[str]:
        """Return the variables in a node by their names in Python."""
        known = (self.scope.names.get(each.name) for each in nodes(node) if isinstance(each, Name))
        return {each.python for each in known if each is not None}

    def _from_outside(self, outer: Scope) -> Scope:
        """Return variables as a function sees them that runs later, when they may have changed."""
        known = {}
        scope: Scope | None = outer
        while scope is not None:
            for name, each in scope.names.items():
                if name not in known:
                    sure = self.counts.get(name, 0) <= 1
                    kind = each.kind if each.kind == "function" else ""
                    same = each if not each.fresh else replace(each, fresh=False)
                    known[name] = same if sure else Variable(each.python, kind)
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
        drawing = matching.drawing_defaults(node, self.functions)
        if not matching.safe_order(node, drawing, self.functions):
            says = "the default of {} draws only when it is used"
            if len(drawing) > 1:
                says = "the defaults of {} draw in the order in which they are used"
            raise Untranslated(says.format(", ".join(drawing)))
        if "missing" in {function_name(one) for one in nodes(node.body)}:
            raise Untranslated("missing() asks how the function was called")

    def function(self, node: Function) -> Code:
        """Return a function without a name: a lambda where it and those inside are one expression."""
        if not all(self._is_lambda(each) for each in nodes(node) if isinstance(each, Function)):
            return Code(self.hoisted(node), "function")
        outer, read = self.scope, self.read_first
        self.scope = Scope(outer)
        parameters: list[str] = []
        try:
            for each in node.formals:
                name = str(each.name)
                if name == matching.DOTS:
                    raise Untranslated("a function with ...")
                self.scope.names[name] = Variable(self.scope.free_name(name))
                own = self.scope.names[name].python
                default = "=..." if any("=" in one for one in parameters) else ""
                default = default if each.value is None else f"={self.value(each.value).text}"
                parameters.append(f"{own}{default}")
            text = self.value(_only(node.body)).text
        finally:
            self.scope, self.read_first = outer, read
        given = f"({', '.join(parameters)})"
        if parameters and text.endswith(given) and re.fullmatch(r"[a-z]\w*\.\w+", text.removesuffix(given)):
            return Code(text.removesuffix(given), "function")
        return Code(
            f"lambda {', '.join(parameters)}: {text}" if parameters else f"lambda: {text}", "function", LAMBDA
        )

    def kept(self, code: Code, name: str, kind: str = "text") -> Name:
        """Assign a value to a new variable before the statement, and return it."""
        if not self.hoisting or self.frames:
            raise Untranslated("a value that is used twice inside a condition")
        found = hidden(f"{name} {len(self.scope.names)}")
        python = self.scope.free_name(found, name)
        self.scope.names[found] = Variable(python, kind, missing=code.missing)
        self.emit(f"{python} = {code.text}")
        return Name(found)

    def _is_lambda(self, node: Function) -> bool:
        body = _only(node.body)
        constant = all(each.value is None or isinstance(each.value, Constant) for each in node.formals)
        return constant and (isinstance(body, Function) or self.plain(body))

    def hoisted(self, node: Function) -> str:
        """Define a function before the statement, and return its name."""
        if not self.hoisting or self.frames:
            raise Untranslated("a function of several statements inside a condition")
        name = hidden(f"each {node.start}")
        python = self.scope.free_name(name, "each")
        self.scope.names[name] = Variable(python, "function")
        self._definition(python, node)
        self.lines.append("")
        return python


def _only(body: Node) -> Node:
    """Return the one expression of a body, without what only encloses it."""
    while function_name(body) in ("{", "(", "return") and len(arguments_of(body)) == 1:
        body = arguments_of(body)[0]
    return body


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
