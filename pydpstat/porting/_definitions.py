"""Named and anonymous functions of a script."""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import replace

from pydpstat.porting import _matching as matching
from pydpstat.porting._assignments import IMPLICIT_FUNCTIONS, RETURN_SINK, Assignments, Sink
from pydpstat.porting._code import LAMBDA, Code, TranslationError
from pydpstat.porting._dots import DotsFunctions
from pydpstat.porting._escapes import quote_text
from pydpstat.porting._layout import split_statement
from pydpstat.porting._scope import (
    ARROWS,
    Scope,
    Variable,
    find_assigned_names,
    get_arguments,
    get_function_name,
    iterate_nodes,
    make_hidden_name,
)
from pydpstat.porting._syntax import Call, Constant, Function, Name, Node


class Definitions(Assignments):
    """Translation of R's function definitions to Python."""

    lines: list[str]
    depth: int
    # where the last statement ended, and whether a function can be defined before the current statement
    end: int
    can_hoist: bool
    # the script's functions with dots
    dots_functions: DotsFunctions

    @abstractmethod
    def emit_block(self, node: Node | None, sink: Sink) -> None:
        """Append the statements of a block, indented by one level; the last value goes to the sink."""

    @abstractmethod
    def is_expression(self, node: Node) -> bool:
        """Return whether a node is an expression without statements."""

    # functions

    def emit_named_function(self, name: str, node: Function) -> None:
        if (
            name in IMPLICIT_FUNCTIONS
            or name.endswith("<-")
            or name.partition(".")[0] in ("print", "summary", "format")
            and "." in name
        ):
            raise TranslationError(f"{name} is defined, which R calls by itself")
        self.functions[name] = node
        self.note_variable(name, Code("", "function"))
        if not matching.has_dots(node):
            return self._emit_function_definition(self.scope.names[name].python, node)
        for each in self.dots_functions.get_expansions(name):
            python = self.scope.assign_free_name(each.name)
            # an apply function refers to it by this name
            self.scope.names[make_hidden_name(each.name)] = Variable(python, "function", each.function)
            self._emit_function_definition(python, each.function)
        return None

    def _translate_script_call(self, node: Call, name: str, variable: Variable) -> Code:
        if variable.made is None or not matching.has_dots(variable.made):
            return super()._translate_script_call(node, name, variable)
        expansion, given = self.dots_functions.expand_call(name, node.arguments)
        python = self.get_global_name(expansion.name)
        return self._translate_function_call(replace(node, arguments=given), python, name, expansion.function)

    def translate_r_call(self, node: Call, name: str, package: str = "") -> Code:
        return super().translate_r_call(self.dots_functions.expand_passing(node), name, package)

    def _emit_function_definition(self, python: str, node: Function) -> None:
        """Append the definition of a function."""
        self._check_defaults(node)
        parameters: list[str] = []
        later: list[tuple[str, Node | None]] = []
        outer, read = self.scope, self.names_read_first
        scope = Scope(self._make_outer_view(outer))
        self.scope, self.names_read_first = scope, _find_names_read_first(node)
        for each in node.formals:
            name = str(each.name)
            if name == matching.DOTS:
                raise TranslationError("a function with ...")
            kind = "text" if isinstance(each.value, Constant) and each.value.kind == "character" else ""
            scope.names[name] = Variable(scope.assign_free_name(name), kind, missing=0 if kind else 1)
            own = scope.names[name].python
            if each.value is None and any("=" in one for one in parameters):
                parameters.append(f"{own}=...")
                later.append((own, None))
            elif each.value is None:
                parameters.append(own)
            elif isinstance(each.value, Constant):
                parameters.append(f"{own}={self.translate_node(each.value).typed_text}")
            else:
                parameters.append(f"{own}=None")
                later.append((own, each.value))
        try:
            self.emit_line(f"def {python}({', '.join(parameters)}):")
            place = len(self.lines)
            self.end = node.body.start
            self.depth += 1
            for own, value in self._order_defaults(later):
                if value is None:
                    # Python requires a default after another default
                    self.emit_line(f"if {own} is ...:")
                    self.depth += 1
                    self.emit_line(f"raise ValueError({quote_text(f'argument {own} is missing, with no default')})")
                    self.depth -= 1
                    continue
                self.emit_line(f"if {own} is None:")
                self.lines += split_statement("    " * (self.depth + 1) + f"{own} = {self.translate_node(value).text}")
            self.depth -= 1
            self.emit_block(node.body, RETURN_SINK)
            for name, word_ in scope.declarations.items():
                self.lines.insert(place, f"{'    ' * (self.depth + 1)}{word_} {scope.names[name].python}")
        finally:
            self.scope, self.names_read_first = outer, read

    def _order_defaults(self, later: list[tuple[str, Node | None]]) -> list[tuple[str, Node | None]]:
        """Return the defaults, each after the ones that it uses, in R's order of evaluation."""
        left, found = list(later), []
        while left:
            waiting = {own for own, _ in left}
            ready = [each for each in left if not self._find_used_variables(each[1]) & (waiting - {each[0]})]
            if not ready:
                raise TranslationError("defaults that use each other")
            if ready[0] != left[0] and any(matching.can_draw(value, self.functions) for _, value in left):
                raise TranslationError("the defaults draw in the order in which they are used")
            found.append(ready[0])
            left.remove(ready[0])
        return found

    def _find_used_variables(self, node: Node | None) -> set[str]:
        """Return the variables in a node, by their Python names."""
        known = (self.scope.names.get(each.name) for each in iterate_nodes(node) if isinstance(each, Name))
        return {each.python for each in known if each is not None}

    def _make_outer_view(self, outer: Scope) -> Scope:
        """Return the outer variables for a function that runs later, when their values may have changed."""
        known = {}
        scope: Scope | None = outer
        while scope is not None:
            for name, each in scope.names.items():
                if name not in known:
                    sure = self.assignment_counts.get(name, 0) <= 1
                    kind = each.kind if each.kind == "function" else ""
                    same = each if not each.fresh else replace(each, fresh=False)
                    known[name] = same if sure else Variable(each.python, kind)
            scope = scope.outer
        return Scope(outer, known, is_view=True)

    def _check_defaults(self, node: Function) -> None:
        """Refuse defaults that R and Python evaluate at different times."""
        changed = set(find_assigned_names(node.body))
        for each in node.formals:
            if each.value is None or isinstance(each.value, Constant):
                continue
            used = {one.name for one in iterate_nodes(each.value) if isinstance(one, Name)}
            if used & changed:
                raise TranslationError(
                    f"the default of {each.name} is evaluated after {', '.join(used & changed)} changes"
                )
        drawing = matching.find_drawing_defaults(node, self.functions)
        if not matching.is_safe_order(node, drawing, self.functions):
            says = "the default of {} draws only when it is used"
            if len(drawing) > 1:
                says = "the defaults of {} draw in the order in which they are used"
            raise TranslationError(says.format(", ".join(drawing)))
        if "missing" in {get_function_name(one) for one in iterate_nodes(node.body)}:
            raise TranslationError("missing() asks how the function was called")

    def translate_function(self, node: Function) -> Code:
        """Return an anonymous function: a lambda if it and its inner functions are single expressions."""
        if not all(self._is_lambda(each) for each in iterate_nodes(node) if isinstance(each, Function)):
            return Code(self.emit_hoisted_function(node), "function")
        outer, read = self.scope, self.names_read_first
        self.scope = Scope(outer)
        parameters: list[str] = []
        try:
            for each in node.formals:
                name = str(each.name)
                if name == matching.DOTS:
                    raise TranslationError("a function with ...")
                self.scope.names[name] = Variable(self.scope.assign_free_name(name))
                own = self.scope.names[name].python
                default = "=..." if any("=" in one for one in parameters) else ""
                default = default if each.value is None else f"={self.translate_node(each.value).typed_text}"
                parameters.append(f"{own}{default}")
            text = self.translate_node(_unwrap_body(node.body)).text
        finally:
            self.scope, self.names_read_first = outer, read
        given = f"({', '.join(parameters)})"
        if parameters and text.endswith(given) and re.fullmatch(r"[a-z]\w*\.\w+", text.removesuffix(given)):
            return Code(text.removesuffix(given), "function")
        return Code(f"lambda {', '.join(parameters)}: {text}" if parameters else f"lambda: {text}", "function", LAMBDA)

    def assign_temporary(self, code: Code, name: str, kind: str = "text") -> Name:
        """Assign a value to a new variable before the statement, and return the variable."""
        if not self.can_hoist or self.frames:
            raise TranslationError("a value that is used twice inside a condition")
        found = make_hidden_name(f"{name} {len(self.scope.names)}")
        python = self.scope.assign_free_name(found, name)
        self.scope.names[found] = Variable(python, kind, missing=code.missing)
        self.emit_line(f"{python} = {code.text}")
        return Name(found)

    def _is_lambda(self, node: Function) -> bool:
        body = _unwrap_body(node.body)
        constant = all(each.value is None or isinstance(each.value, Constant) for each in node.formals)
        return constant and (isinstance(body, Function) or self.is_expression(body))

    def emit_hoisted_function(self, node: Function) -> str:
        """Define a function before the statement, and return its name."""
        if not self.can_hoist or self.frames:
            raise TranslationError("a function of several statements inside a condition")
        name = make_hidden_name(f"each {node.start}")
        python = self.scope.assign_free_name(name, "each")
        self.scope.names[name] = Variable(python, "function")
        self._emit_function_definition(python, node)
        self.lines.append("")
        return python


def _unwrap_body(body: Node) -> Node:
    """Return the single expression of a body, without braces, parentheses and ``return``."""
    while get_function_name(body) in ("{", "(", "return") and len(get_arguments(body)) == 1:
        body = get_arguments(body)[0]
    return body


def _find_names_read_first(node: Function) -> set[str]:
    """Return the names that a function reads before it assigns them."""
    seen, read = {str(each.name) for each in node.formals}, set()
    for each in iterate_nodes(node.body, lambda one: not isinstance(one, Function)):
        if isinstance(each, Call) and get_function_name(each) in ARROWS and isinstance(each.arguments[0].value, Name):
            name = each.arguments[0].value.name
            used = {one.name for one in iterate_nodes(each.arguments[1].value) if isinstance(one, Name)}
            read |= used - seen
            seen.add(name)
        elif isinstance(each, Name) and each.name not in seen:
            read.add(each.name)
    return read
