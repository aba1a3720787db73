"""Assignments: to variables, and to parts of them, which never changes what something else holds."""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import replace
from typing import NamedTuple

from pydpstat.porting import _matching as matching
from pydpstat.porting._code import ATOM, NUMBERS, Code, Untranslated, attribute, called, is_whole, keyword
from pydpstat.porting._escapes import quoted
from pydpstat.porting._scope import ARROWS, Scope, Variable, arguments_of, function_name, hidden, root, word
from pydpstat.porting._syntax import Call, Constant, Function, Name, Node
from pydpstat.porting._verbs import Verbs

# what R calls without its name being written
OPERATORS = set(
    "+ - * / ^ < > <= >= == != ! & && | || ( { [ [[ $ @ : if for while repeat function <- = <<- %%".split()
)


class Sink(NamedTuple):
    """What becomes of a statement's value: it is left, shown, returned, or assigned to a name."""

    kind: str
    name: str = ""


LEFT, SHOWN, RETURNED = Sink("left"), Sink("shown"), Sink("returned")


class Assignments(Verbs):
    """What assignments are in Python."""

    # the names that functions use from outside
    captured: set[str]
    # the names that the function reads before it assigns them
    read_first: set[str]
    # variables that are multiplied by something and kept, so that their numbers must be R's doubles
    growing: set[str]

    @abstractmethod
    def emit(self, text: str) -> None:
        """Add a statement."""

    @abstractmethod
    def define(self, name: str, node: Function) -> None:
        """Add the definition of a function by its name."""

    @abstractmethod
    def into(self, node: Node, sink: Sink) -> None:
        """Add a statement whose value goes to a sink."""

    @abstractmethod
    def give(self, code: Code, sink: Sink, node: Node) -> None:
        """Add what becomes of a value."""

    # assignments

    def owned(self, node: Node | None) -> Code:
        """Return a value that something else may hold as well from now on."""
        code = self.value(node)
        if isinstance(node, Name) and (variable := self.scope.names.get(node.name)) is not None:
            self.scope.names[node.name] = replace(variable, fresh=False)
        return code

    def hold(self, name: str, code: Code, node: Node | None = None) -> str:
        """Note what a variable holds from here on, and return its name in Python."""
        if not name or name in OPERATORS or name.endswith("<-"):
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
            python, code.kind, made, fresh, code.missing, columns, complete, package, self.is_large(node)
        )
        groups = code.plain if code.kind == "groups" else ""
        self.scope.names[name] = replace(
            self.scope.names[name], groups=groups, size=code.size, nonzero=self.is_nonzero(node)
        )
        return python

    def _columns_after(self, node: Node | None, code: Code) -> tuple[tuple[str, ...] | None, frozenset[str]]:
        """Return what is known of the columns of a data frame that is assigned."""
        if code.kind not in ("frame", "groups") or node is None:
            return None, frozenset()
        name = function_name(node)
        if (made := self.made.get(code.text)) is not None:
            return made.columns, made.complete
        if name == "data.frame" and all(each.name for each in node.arguments):  # type: ignore[union-attr]
            given = [each for each in node.arguments if each.name != "stringsAsFactors"]  # type: ignore[union-attr]
            complete = [str(each.name) for each in given if self.value(each.value).missing == 0]
            return tuple(str(each.name) for each in given), frozenset(complete)
        source = (
            self._frame_of(Code(_first_name(self.value(arguments_of(node)[0]).text)))
            if arguments_of(node)
            else None
        )
        present: set[str] = set(source.complete) if source else set()
        if name == "na.omit" or (name == "[" and "complete.cases" in self.script.written(node)):
            present.add("*")
        tests = arguments_of(node)[1:2] if name in ("[", "subset", "filter") else []
        for each in tests:
            text = self.script.written(each)
            present |= set(re.findall(r"!\s*is\.na\((?:\w+\$)?([\w.]+)\)", text))
        return (
            source.columns
            if source and name in ("[", "subset", "filter", "na.omit") and len(arguments_of(node)) < 3
            else None
        ), frozenset(present)

    def assignment(self, node: Node, arrow: str, given: list[Node], sink: Sink) -> None:
        target, value = given
        name = word(target)
        if arrow == "<<-":
            self._outside(name or root(target))
        if not name:
            code = self._value_of(value)
            if matching.draws(value, self.functions) and matching.draws(target, self.functions):
                # R evaluates the value before the place
                python = self.scope.free_name(hidden(f"value {value.start}"), "value")
                self.emit(f"{python} = {code.array}")
                kind = "" if code.kind == "column" else code.kind
                code = replace(code, text=python, kind=kind, frame="", level=ATOM, plain="")
            self._replacement(target, code)
            name = root(target)
        elif isinstance(value, Function):
            self.define(name, value)
        elif function_name(value) in ARROWS and isinstance(value, Call):
            self.assignment(value, function_name(value), arguments_of(value), LEFT)
            self.assign(name, self.owned(arguments_of(value)[0]), value)
        else:
            self.into(value, Sink("assigned", name))
        if sink.kind in ("returned", "assigned"):
            self.give(self.value(Name(name)), sink, Name(name))

    def _value_of(self, node: Node) -> Code:
        if function_name(node) in ARROWS and isinstance(node, Call):
            self.assignment(node, function_name(node), arguments_of(node), LEFT)
            return self.owned(arguments_of(node)[0])
        return self.owned(node)

    def assign(self, name: str, code: Code, node: Node) -> None:
        self._check_outer(name)
        if isinstance(node, Name):
            code = self.owned(node)
        if code.kind == "column":
            code = replace(code, text=code.array, kind="", frame="", level=ATOM)
        several = self.counts.get(name, 0) > 1
        if several and name in self.growing and code.kind in NUMBERS and is_whole(code.text):
            code = replace(code, text=f"{code.text}.0")
        python = self.hold(name, code, node)
        if python != code.text:
            self.emit(f"{python} = {code.text}")

    def _check_outer(self, name: str) -> None:
        """Refuse a local variable that was read before as one from outside: Python has one of them only."""
        scope = self.scope
        if scope.outer is None or name in scope.names or name in scope.everywhere:
            return
        if name in self.read_first and scope.outer.find(name) is not None:
            raise Untranslated(f"{name} is a variable of the script and of the function")

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
        if variable.groups:
            raise Untranslated("a part of a grouped data frame is assigned to")
        old = Code(variable.python, variable.kind, missing=variable.missing)
        if name in ("$", "@") and variable.kind == "object":
            return self.emit(f"{attribute(variable.python, word(given[1].value))} = {code.text}")
        changed = self._in_place(variable, name, target, code) if isinstance(target, Call) else ""
        if changed:
            return self.emit(changed)
        found = self._changed(old, name, target, code)
        missing = max(variable.missing, code.missing)
        variable = replace(variable, size=0, nonzero=False)
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

    def _in_place(self, variable: Variable, name: str, target: Call, code: Code) -> str:
        """Return a statement that changes an array or a list that nothing else holds."""
        keys = [each.value for each in target.arguments[1:]]
        # a function that uses the variable may hold the same array
        if (
            root(target) in self.captured
            or not variable.fresh
            or len(keys) != 1
            or name not in ("[", "[[", "$")
        ):
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
                variable = self._frame_of(old)
                there = variable is not None and variable.columns is not None and column in variable.columns
                given = [f"columns=[{quoted(column)}]", *['errors="ignore"'] * (not there)]
                return Code(called(f"{old.at(ATOM)}.drop", given), "frame")
            if code.kind in ("matrix", "predictions") and not self.lenient:
                raise Untranslated("a matrix becomes a column of a data frame: write as.vector() around it")
            text = code.text if code.frame == old.text or code.kind != "column" else code.array
            return Code(called(f"{old.at(ATOM)}.assign", [keyword(column, text)]), "frame")
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
        if name in ("[", "[[") and len(keys) in (2, 3):
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
        if name in ("names", "colnames", "rownames", "dimnames", "levels") and not keys:
            if old.kind == "frame" and name in ("names", "colnames"):
                return Code(f"{old.at(ATOM)}.set_axis({code.sequence}, axis=1)", "frame")
            return Code(called(f"r.set_{name}", [old.text, code.sequence]), "")
        raise Untranslated(f"{name or 'what is no variable'} is assigned to")


def _first_name(text: str) -> str:
    found = re.match(r"\w+", text)
    return found[0] if found else ""
