"""Assignments to variables and to parts of them; no assignment changes a value that another variable shares."""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import replace
from typing import NamedTuple

from pydpstat.porting import _matching as matching
from pydpstat.porting._code import (
    ATOM,
    NUMBER_KINDS,
    Code,
    TranslationError,
    is_whole_number,
    write_attribute,
    write_call,
    write_keyword,
)
from pydpstat.porting._escapes import quote_text
from pydpstat.porting._scope import (
    ARROWS,
    Scope,
    Variable,
    get_arguments,
    get_function_name,
    get_root_variable,
    get_word,
    make_hidden_name,
)
from pydpstat.porting._syntax import Call, Constant, Function, Name, Node
from pydpstat.porting._verbs import Verbs

# functions that R calls without their names in the script
IMPLICIT_FUNCTIONS = set(
    "+ - * / ^ < > <= >= == != ! & && | || ( { [ [[ $ @ : if for while repeat function <- = <<- %%".split()
)


# kinds of values of which R makes the type of a vector of NA, which is a vector of doubles here
_TYPED_KINDS = {
    **dict.fromkeys(("position", "count", "positions", "ints"), "integers"),
    **dict.fromkeys(("flag", "flags", "truth"), "truth values"),
}


class Sink(NamedTuple):
    """Destination of a statement's value: discarded, displayed, returned, or assigned to a name."""

    kind: str
    name: str = ""


DISCARD_SINK, SHOW_SINK, RETURN_SINK = Sink("left"), Sink("shown"), Sink("returned")


class Assignments(Verbs):
    """Translation of R's assignments to Python."""

    # names that functions use from an enclosing scope
    captured_names: set[str]
    # names that the function reads before it assigns them
    names_read_first: set[str]
    # variables that are multiplied and stored, so that their numbers must be doubles as in R
    multiplied_names: set[str]

    @abstractmethod
    def emit_line(self, text: str) -> None:
        """Append a statement."""

    @abstractmethod
    def emit_named_function(self, name: str, node: Function) -> None:
        """Append the definition of a named function."""

    @abstractmethod
    def emit_node(self, node: Node, sink: Sink) -> None:
        """Append a statement whose value goes to a sink."""

    @abstractmethod
    def emit_value(self, code: Code, sink: Sink, node: Node) -> None:
        """Append the statement that passes a value to its sink."""

    # assignments

    def translate_shared_value(self, node: Node | None) -> Code:
        """Return the Python expression of a value that may be shared from now on."""
        code = self.translate_node(node)
        if isinstance(node, Name) and (variable := self.scope.names.get(node.name)) is not None:
            self.scope.names[node.name] = replace(variable, fresh=False)
        return code

    def note_variable(self, name: str, code: Code, node: Node | None = None) -> str:
        """Record the facts known of a variable's new value, and return its name in Python."""
        if name in self.bound_names:
            raise TranslationError(f"{name} is bound to a function")
        if not name or name in IMPLICIT_FUNCTIONS or name.endswith("<-"):
            raise TranslationError(f"{name or 'what is no name'} is assigned")
        old = self.scope.names.get(name)
        python = old.python if old else self.scope.assign_free_name(name)
        fresh = code.kind in ("doubles", "list", "dict") and (
            code.level < ATOM or code.text.startswith(("np.zeros", "np.full", "np.array", "[", "{"))
        )
        made = self.functions.get(name) if code.kind == "function" else None
        columns, complete = self._find_assigned_columns(node, code)
        package = get_function_name(node) if code.kind in ("object", "") and node is not None else ""
        self.scope.names[name] = Variable(
            python, code.kind, made, fresh, code.missing, columns, complete, package, self.is_large(node)
        )
        groups = code.plain if code.kind == "groups" else ""
        self.scope.names[name] = replace(
            self.scope.names[name],
            groups=groups,
            size=code.size,
            nonzero=self.is_nonzero(node),
            double=code.double,
        )
        return python

    def _find_assigned_columns(self, node: Node | None, code: Code) -> tuple[tuple[str, ...] | None, frozenset[str]]:
        """Return the known column names of an assigned data frame, and those without missing values."""
        if code.kind not in ("frame", "groups") or node is None:
            return None, frozenset()
        name = get_function_name(node)
        if (made := self.unnamed_frames.get(code.text)) is not None:
            return made.columns, made.complete
        if name == "data.frame" and all(each.name for each in node.arguments):  # type: ignore[union-attr]
            given = [each for each in node.arguments if each.name != "stringsAsFactors"]  # type: ignore[union-attr]
            complete = [str(each.name) for each in given if self.translate_node(each.value).missing == 0]
            return tuple(str(each.name) for each in given), frozenset(complete)
        source = (
            self._find_frame(Code(_find_first_name(self.translate_node(get_arguments(node)[0]).text)))
            if get_arguments(node)
            else None
        )
        present: set[str] = set(source.complete) if source else set()
        if name == "na.omit" or (name == "[" and "complete.cases" in self.script.written(node)):
            present.add("*")
        tests = get_arguments(node)[1:2] if name in ("[", "subset", "filter") else []
        for each in tests:
            text = self.script.written(each)
            present |= set(re.findall(r"!\s*is\.na\((?:\w+\$)?([\w.]+)\)", text))
        return (
            source.columns
            if source and name in ("[", "subset", "filter", "na.omit") and len(get_arguments(node)) < 3
            else None
        ), frozenset(present)

    def emit_assignment(self, node: Node, arrow: str, given: list[Node], sink: Sink) -> None:
        target, value = given
        name = get_word(target)
        if arrow == "<<-":
            self._note_outer_assignment(name or get_root_variable(target))
        if not name:
            code = self._translate_assigned_value(value)
            if matching.can_draw(value, self.functions) and matching.can_draw(target, self.functions):
                # R evaluates the value before the target
                python = self.scope.assign_free_name(make_hidden_name(f"value {value.start}"), "value")
                self.emit_line(f"{python} = {code.array}")
                kind = "" if code.kind == "column" else code.kind
                code = replace(code, text=python, kind=kind, frame="", level=ATOM, plain="")
            self._emit_replacement(target, code)
            name = get_root_variable(target)
        elif isinstance(value, Function):
            self.emit_named_function(name, value)
        elif get_function_name(value) in ARROWS and isinstance(value, Call):
            self.emit_assignment(value, get_function_name(value), get_arguments(value), DISCARD_SINK)
            self.assign_variable(name, self.translate_shared_value(get_arguments(value)[0]), value)
        else:
            self.emit_node(value, Sink("assigned", name))
        if sink.kind in ("returned", "assigned"):
            self.emit_value(self.translate_node(Name(name)), sink, Name(name))

    def _translate_assigned_value(self, node: Node) -> Code:
        if get_function_name(node) in ARROWS and isinstance(node, Call):
            self.emit_assignment(node, get_function_name(node), get_arguments(node), DISCARD_SINK)
            return self.translate_shared_value(get_arguments(node)[0])
        return self.translate_shared_value(node)

    def assign_variable(self, name: str, code: Code, node: Node) -> None:
        self._check_outer(name)
        if isinstance(node, Name):
            code = self.translate_shared_value(node)
        if code.kind == "column":
            code = replace(code, text=code.array, kind="", frame="", level=ATOM)
        several = self.assignment_counts.get(name, 0) > 1
        if several and name in self.multiplied_names and code.kind in NUMBER_KINDS and is_whole_number(code.text):
            code = replace(code, text=f"{code.text}.0")
        python = self.note_variable(name, code, node)
        if python != code.text:
            self.emit_line(f"{python} = {code.text}")

    def _check_outer(self, name: str) -> None:
        """Refuse a local variable that was read earlier as an outer one: Python allows only one of the two."""
        scope = self.scope
        if scope.outer is None or name in scope.names or name in scope.declarations:
            return
        if name in self.names_read_first and scope.outer.find_variable(name) is not None:
            raise TranslationError(f"{name} is a variable of the script and of the function")

    def _note_outer_assignment(self, name: str) -> None:
        scope = self.scope
        if scope.outer is None:
            return
        if name in scope.names and name not in scope.declarations:
            raise TranslationError(f"{name} is changed both inside and outside of the function")
        outer: Scope | None = scope.outer
        while outer is not None and (outer.is_view or name not in outer.names):
            outer = outer.outer
        if outer is None:
            raise TranslationError(f"<<- makes the variable {name} of the script")
        scope.declarations[name] = "global" if outer.outer is None else "nonlocal"
        scope.names[name] = replace(outer.names[name], fresh=False, made=None)
        outer.names[name] = replace(outer.names[name], kind="", fresh=False, missing=1, columns=None)

    def _emit_replacement(self, target: Node, code: Code) -> None:
        """Append an assignment to a part of a variable."""
        name, given = get_function_name(target), list(target.arguments) if isinstance(target, Call) else []
        if not given or given[0].value is None:
            raise TranslationError("what is assigned to is no variable")
        base = given[0].value
        if name in ("[", "[[") and code.kind in _TYPED_KINDS and self.lengths.is_made_of_na(base):
            raise TranslationError(f"{_TYPED_KINDS[code.kind]} in the place of NA: begin with integer() or logical()")
        if not isinstance(base, Name):
            old = self.translate_node(base)
            return self._emit_replacement(base, self._translate_replacement(old, name, target, code))
        variable = self.scope.names.get(base.name)
        if variable is None:
            raise TranslationError(f"{base.name} is no variable of this function")
        if variable.groups:
            raise TranslationError("a part of a grouped data frame is assigned to")
        old = Code(variable.python, variable.kind, missing=variable.missing)
        if name in ("$", "@") and variable.kind == "object":
            return self.emit_line(f"{write_attribute(variable.python, get_word(given[1].value))} = {code.text}")
        changed = self._write_in_place_change(variable, name, target, code) if isinstance(target, Call) else ""
        if changed:
            return self.emit_line(changed)
        found = self._translate_replacement(old, name, target, code)
        missing = max(variable.missing, code.missing)
        variable = replace(variable, size=0, nonzero=False, double=False)
        known = {get_word(given[1].value)} if name in ("$", "[[") and len(given) == 2 else set()
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
        return self.emit_line(f"{variable.python} = {found.text}")

    def _write_in_place_change(self, variable: Variable, name: str, target: Call, code: Code) -> str:
        """Return a statement that modifies an unshared array or list in place."""
        keys = [each.value for each in target.arguments[1:]]
        # a function that uses the variable may share the array
        if (
            get_root_variable(target) in self.captured_names
            or not variable.fresh
            or len(keys) != 1
            or name not in ("[", "[[", "$")
        ):
            return ""
        if variable.kind == "dict" and name in ("$", "[[") and get_word(keys[0]) and code.kind != "null" and code.kind:
            if name == "$" or isinstance(keys[0], Constant):
                return f"{variable.python}[{quote_text(get_word(keys[0]))}] = {code.array}"
        if variable.kind == "doubles" and name != "$" and code.kind in NUMBER_KINDS:
            index = self.translate_node(keys[0])
            owner = target.arguments[0].value
            if index.kind == "position" and isinstance(owner, Name) and self.lengths.has_position(owner, keys[0]):
                return f"{variable.python}[{index.text} - 1] = {code.text}"
        return ""

    def _translate_replacement(self, old: Code, name: str, target: Node, code: Code) -> Code:
        """Return the expression of a value after the assignment of one of its parts."""
        keys = [each.value for each in target.arguments[1:]] if isinstance(target, Call) else []
        if old.kind == "frame" and name in ("$", "[[") and len(keys) == 1 and get_word(keys[0]):
            column = get_word(keys[0])
            if name == "[[" and not isinstance(keys[0], Constant):
                raise TranslationError("the name of a column is computed")
            if code.kind == "null":
                variable = self._find_frame(old)
                there = variable is not None and variable.columns is not None and column in variable.columns
                given = [f"columns=[{quote_text(column)}]", *['errors="ignore"'] * (not there)]
                return Code(write_call(f"{old.wrap_at(ATOM)}.drop", given), "frame")
            if code.kind in ("matrix", "predictions") and not self.is_lenient:
                raise TranslationError("a matrix becomes a column of a data frame: write as.vector() around it")
            text = code.text if code.frame == old.text and code.kind == "column" else code.typed_text
            return Code(write_call(f"{old.wrap_at(ATOM)}.assign", [write_keyword(column, text)]), "frame")
        if name in ("[", "[[") and len(keys) == 1 and keys[0] is not None:
            index = self.translate_node(keys[0])
            function = "r.replaced" if name == "[" else "r.replaced_element"
            kind = (
                old.kind
                if old.kind in ("frame", "list", "dict")
                or (old.kind == "doubles" and code.kind in {*NUMBER_KINDS, "doubles"})
                else ""
            )
            kind = "" if kind == "list" and index.kind in ("text", "") else kind
            given = [old.array, index.array if index.kind == "column" else index.sequence, code.typed_text]
            return Code(write_call(function, given), kind)
        if name in ("[", "[[") and len(keys) in (2, 3):
            given = [
                old.text,
                *("None" if each is None else self.translate_node(each).sequence for each in keys),
                code.typed_text,
            ]
            return Code(write_call("r.replaced_cells", given), old.kind)
        if name == "$":
            return Code(
                write_call("r.replaced_element", [old.text, quote_text(get_word(keys[0])), code.array]),
                old.kind if old.kind == "dict" else "",
            )
        if name in ("names", "colnames", "rownames", "dimnames", "levels") and not keys:
            if old.kind == "frame" and name in ("names", "colnames"):
                return Code(f"{old.wrap_at(ATOM)}.set_axis({code.sequence}, axis=1)", "frame")
            return Code(write_call(f"r.set_{name}", [old.text, code.sequence]), "")
        raise TranslationError(f"{name or 'what is no variable'} is assigned to")


def _find_first_name(text: str) -> str:
    found = re.match(r"\w+", text)
    return found[0] if found else ""
