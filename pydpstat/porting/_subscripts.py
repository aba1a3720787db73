"""R's subscripts, by place, by name and by condition, as Python's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pydpstat.porting._code import (
    ATOM,
    ELEMENT,
    NUMBERS,
    SCALARS,
    SUM,
    VECTORS,
    Code,
    Untranslated,
    attribute,
    called,
    python_name,
    refuse_groups,
)
from pydpstat.porting._escapes import quoted
from pydpstat.porting._expressions import Expressions
from pydpstat.porting._labels import drop_data_name
from pydpstat.porting._scope import Scope, Variable, word
from pydpstat.porting._syntax import Call, Constant, Node

# slots that are NA in R until they have a value
_MAY_BE_MISSING = {"dims", "gammaSensitivity", "latticeK"}


class Subscripts(Expressions):
    """What subscripts are in Python."""

    def part(self, of: Code, name: str, sign: str = "$") -> Code:
        """Return a component by its name."""
        if not name:
            raise Untranslated(f"{sign} is followed by no name")
        if of.kind in ("frame", "groups"):
            return self.column(of, name)
        if of.kind == "microaggregation":
            if name != "mx":
                raise Untranslated(f"${name} of microaggregation, which has only $mx here")
            return Code(of.text, "frame")
        if of.kind == "dict" or (of.kind == "release" and name in ("counts", "breaks", "mids")):
            return Code(called("r.part", [of.text, quoted(name)]), missing=1)
        if sign == "@" and name in _MAY_BE_MISSING:
            return Code(called("r.slot", [of.text, quoted(python_name(name))]), missing=1)
        of = drop_data_name(of)
        if of.kind in ("object", "release") or (sign == "@" and self.lenient):
            return Code(attribute(of.at(ATOM), name), "")
        if of.kind in SCALARS | VECTORS:
            raise Untranslated("$ is for lists and data frames")
        return Code(called("r.part", [of.text, quoted(name)]), missing=1)

    def column(self, frame: Code, name: str) -> Code:
        """Return a column of a data frame; R takes the beginning of a name as well."""
        variable = self._frame_of(frame)
        if variable is not None and variable.columns is not None and name not in variable.columns:
            raise Untranslated(f"the data frame has no column {name}, but {', '.join(variable.columns)}")
        missing = 0 if variable and ({name, "*"} & variable.complete) else frame.missing or 1
        return Code(f"{frame.at(ATOM)}[{quoted(name)}]", "column", frame=frame.text, missing=missing)

    def _frame_of(self, frame: Code) -> Variable | None:
        if frame.text in self.made:
            return self.made[frame.text]
        for text, variable, _ in reversed(self.frames):
            if text == frame.text:
                return variable
        return next((each for each in self._variables() if each.python == frame.text), None)

    def share(self, python: str) -> None:
        """Note that something else holds a variable's array from now on."""
        for name, each in self.scope.names.items():
            if each.python == python:
                self.scope.names[name] = replace(each, fresh=False)

    def _variables(self) -> Iterator[Variable]:
        scope: Scope | None = self.scope
        while scope is not None:
            yield from scope.names.values()
            scope = scope.outer

    def subscript(self, node: Call, single: bool) -> Code:
        """Return ``x[i]``, ``x[[i]]`` or ``x[i, j]``."""
        base = self.value(node.arguments[0].value)
        named = [each for each in node.arguments[1:] if each.name]
        if [each.name for each in named] not in ([], ["drop"]):
            raise Untranslated(f"the subscript has an argument {named[0].name}")
        keep = bool(named) and not (isinstance(named[0].value, Constant) and named[0].value.value)
        keys = [each.value for each in node.arguments[1:] if not each.name]
        if any(isinstance(each, Constant) and each.value is None and each.kind != "NULL" for each in keys):
            raise Untranslated("NA is an index")
        if base.kind == "function":
            raise Untranslated("a function has no elements")
        refuse_groups(base, "a subscript")
        if len(keys) == 1:
            if keys[0] is None:
                return base
            dropped = named and not keep
            if dropped and base.kind != "factor":
                raise Untranslated("drop=TRUE of what is no factor, with one index")
            found = self._element(base, keys[0]) if single else self._elements(base, keys[0])
            return replace(found, text=f"r.droplevels({found.text})") if dropped else found
        if len(keys) not in (2, 3):
            raise Untranslated(f"the subscript has {len(keys)} indices")
        if base.kind == "frame":
            return self._cells(base, keys[0], keys[1], keep)
        return self._matrix_cells(base, keys, keep)

    def _element(self, base: Code, key: Node) -> Code:
        name, index = word(key) if isinstance(key, Constant) else "", self.value(key)
        if base.kind == "frame" and name:
            return self.column(base, name)
        kind = ELEMENT.get(base.kind, "")
        if base.kind in ("dict", "named") and name:
            return Code(f"{base.at(ATOM)}[{index.text}]", kind, missing=1)
        if base.kind in VECTORS | {"list"} and (place := _place(index)) is not None:
            return Code(f"{base.at(ATOM)}[{place}]", kind, missing=base.missing or base.kind == "list")
        return Code(called("r.element", [base.array, index.text]), kind, missing=max(base.missing, 1))

    def _elements(self, base: Code, key: Node) -> Code:
        index = self.value(key)
        if base.kind == "frame":
            return self._columns(base, key, index)
        element, missing = ELEMENT.get(base.kind, ""), base.missing
        beyond = base.size and index.text.isdigit() and int(index.text) > base.size
        if base.kind in VECTORS and not beyond and (place := _place(index)) is not None:
            return Code(f"{base.at(ATOM)}[{place}]", element, missing=missing)
        if base.kind in VECTORS and index.text == "-1":
            # the rest is a view
            self.share(base.text)
            return Code(f"{base.at(ATOM)}[1:]", base.kind, missing=missing)
        if index.kind in ("flags", "column") and base.kind in {*VECTORS, "column"}:
            mask = index.text
            if base.kind == "column":
                return Code(f"{base.at(ATOM)}[{mask}]", "column", missing=missing)
            return Code(f"{base.at(ATOM)}[{index.array}]", base.kind, missing=missing)
        if base.kind in VECTORS and index.kind == "positions" and not index.plain:
            return Code(f"{base.at(ATOM)}[{index.at(SUM)} - 1]", base.kind, missing=missing)
        kind = base.kind if base.kind not in ("column", "") and index.kind in VECTORS else element
        kind = "" if beyond else kind
        text = called("r.index", [base.array, index.array if index.kind == "column" else index.sequence])
        return Code(text, kind, missing=max(missing, 1))

    def _columns(self, base: Code, key: Node, index: Code) -> Code:
        names = index.plain if index.kind == "texts" else f"[{index.text}]" if index.kind == "text" else ""
        if names:
            return Code(f"{base.at(ATOM)}[{names}]", "frame", missing=base.missing)
        if index.kind in ("flags", "column"):
            raise Untranslated("a condition chooses columns here; a comma is missing for rows")
        return Code(called("r.columns", [base.text, index.sequence]), "frame", missing=base.missing)

    def _cells(self, base: Code, row: Node | None, column: Node | None, keep: bool) -> Code:
        rows = base if row is None else self._rows(base, row)
        if column is None:
            return rows
        index = self.value(column)
        if index.kind == "text" and not keep:
            frame = base.text if row is None else ""
            if isinstance(column, Constant):
                return replace(self.column(rows, word(column)), frame=frame)
            return Code(f"{rows.at(ATOM)}[{index.text}]", "column", frame=frame, missing=rows.missing or 1)
        if index.kind == "texts" or (index.kind == "text" and keep):
            return self._columns(rows, column, index)
        if index.kind in NUMBERS and not index.text.startswith("-") and not keep:
            return Code(called("r.element", [rows.text, index.text]), missing=1)
        return self._columns(rows, column, index)

    def _rows(self, base: Code, row: Node) -> Code:
        index = self.value(row)
        if index.kind in ("flags", "column"):
            return Code(f"{base.at(ATOM)}[{index.text}]", "frame", missing=base.missing)
        if index.kind == "positions" and not index.plain:
            return Code(f"{base.at(ATOM)}.iloc[{index.at(SUM)} - 1]", "frame", missing=base.missing)
        return Code(called("r.rows", [base.text, index.sequence]), "frame", missing=base.missing)

    def _matrix_cells(self, base: Code, keys: Sequence[Node | None], keep: bool) -> Code:
        codes = [None if each is None else self.value(each) for each in keys]
        places = [":" if each is None else _place(each) for each in codes]
        if base.kind == "matrix" and not keep and None not in places:
            kind = "doubles" if ":" in places else "number"
            return Code(f"{base.at(ATOM)}[{', '.join(map(str, places))}]", kind, missing=base.missing)
        texts = ["None" if each is None else each.sequence for each in codes]
        given = [base.array, *texts, *["drop=False"] * keep]
        return Code(called("r.cells", given), "matrix" if keep else "", missing=max(base.missing, 1))


def _place(index: Code) -> str | None:
    """Return the position from 0 of one that is sure to be at least 1."""
    if index.kind == "number" and index.text.isdigit() and index.text != "0":
        return str(int(index.text) - 1)
    return f"{index.at(SUM)} - 1" if index.kind == "position" else None
