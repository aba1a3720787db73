"""Translation of R's subscripts by position, name and condition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pydpstat.porting._code import (
    ATOM,
    ELEMENT_OF,
    NUMBER_KINDS,
    RELEASE_KINDS,
    SCALAR_KINDS,
    SUM,
    VECTOR_KINDS,
    Code,
    TranslationError,
    make_python_name,
    refuse_groups,
    write_attribute,
    write_call,
)
from pydpstat.porting._escapes import quote_text
from pydpstat.porting._expressions import Expressions
from pydpstat.porting._labels import drop_data_name
from pydpstat.porting._scope import Scope, Variable, get_word
from pydpstat.porting._syntax import Call, Constant, Node

# slots that are NA in R until a value is assigned
_MAY_BE_MISSING = {"dims", "gammaSensitivity", "latticeK"}


class Subscripts(Expressions):
    """Translation of R's subscripts to Python."""

    def translate_component(self, owner: Code, name: str, sign: str = "$") -> Code:
        """Translate the access of a component by name."""
        if not name:
            raise TranslationError(f"{sign} is followed by no name")
        if owner.kind in ("frame", "groups"):
            return self.translate_column(owner, name)
        if owner.kind == "microaggregation":
            if name != "mx":
                raise TranslationError(f"${name} of microaggregation, which has only $mx here")
            return Code(owner.text, "frame")
        if owner.kind == "dict" or (owner.kind in RELEASE_KINDS and name in ("counts", "breaks", "mids")):
            return Code(write_call("r.part", [owner.text, quote_text(name)]), missing=1)
        if sign == "@" and name in _MAY_BE_MISSING:
            return Code(write_call("r.slot", [owner.text, quote_text(make_python_name(name))]), missing=1)
        owner = drop_data_name(owner)
        if owner.kind in {"object", *RELEASE_KINDS} or (sign == "@" and self.is_lenient):
            return Code(write_attribute(owner.wrap_at(ATOM), name), "")
        if owner.kind in SCALAR_KINDS | VECTOR_KINDS:
            raise TranslationError("$ is for lists and data frames")
        return Code(write_call("r.part", [owner.text, quote_text(name)]), missing=1)

    def translate_column(self, frame: Code, name: str) -> Code:
        """Translate the access of a data frame's column; R also accepts partial names."""
        variable = self._find_frame(frame)
        if variable is not None and variable.columns is not None and name not in variable.columns:
            raise TranslationError(f"the data frame has no column {name}, but {', '.join(variable.columns)}")
        missing = 0 if variable and ({name, "*"} & variable.complete) else frame.missing or 1
        return Code(f"{frame.wrap_at(ATOM)}[{quote_text(name)}]", "column", frame=frame.text, missing=missing)

    def _find_frame(self, frame: Code) -> Variable | None:
        if frame.text in self.unnamed_frames:
            return self.unnamed_frames[frame.text]
        for text, variable, _ in reversed(self.frames):
            if text == frame.text:
                return variable
        return next((each for each in self._iterate_variables() if each.python == frame.text), None)

    def note_shared_array(self, python: str) -> None:
        """Record that a variable's array may be shared from now on."""
        for name, each in self.scope.names.items():
            if each.python == python:
                self.scope.names[name] = replace(each, fresh=False)

    def _iterate_variables(self) -> Iterator[Variable]:
        scope: Scope | None = self.scope
        while scope is not None:
            yield from scope.names.values()
            scope = scope.outer

    def translate_subscript(self, node: Call, single: bool) -> Code:
        """Translate ``x[i]``, ``x[[i]]`` or ``x[i, j]``."""
        base = self.translate_node(node.arguments[0].value)
        named = [each for each in node.arguments[1:] if each.name]
        if [each.name for each in named] not in ([], ["drop"]):
            raise TranslationError(f"the subscript has an argument {named[0].name}")
        keep = bool(named) and not (isinstance(named[0].value, Constant) and named[0].value.value)
        keys = [each.value for each in node.arguments[1:] if not each.name]
        if any(isinstance(each, Constant) and each.value is None and each.kind != "NULL" for each in keys):
            raise TranslationError("NA is an index")
        if base.kind in ("function", "formula"):
            raise TranslationError(f"a {base.kind} has no elements")
        refuse_groups(base, "a subscript")
        if len(keys) == 1:
            if keys[0] is None:
                return base
            dropped = named and not keep
            if dropped and base.kind != "factor":
                raise TranslationError("drop=TRUE of what is no factor, with one index")
            found = self._translate_element(base, keys[0]) if single else self._translate_selection(base, keys[0])
            return replace(found, text=f"r.droplevels({found.text})") if dropped else found
        if len(keys) not in (2, 3):
            raise TranslationError(f"the subscript has {len(keys)} indices")
        if base.kind == "frame":
            return self._index_frame_cells(base, keys[0], keys[1], keep)
        return self._index_matrix_cells(base, keys, keep)

    def _translate_element(self, base: Code, key: Node) -> Code:
        name, index = get_word(key) if isinstance(key, Constant) else "", self.translate_node(key)
        if base.kind == "frame" and name:
            return self.translate_column(base, name)
        kind = ELEMENT_OF.get(base.kind, "")
        if base.kind in ("dict", "named") and name:
            return Code(f"{base.wrap_at(ATOM)}[{index.text}]", kind, missing=1)
        if base.kind in VECTOR_KINDS | {"list"} and (place := _to_python_index(index)) is not None:
            return Code(f"{base.wrap_at(ATOM)}[{place}]", kind, missing=base.missing or base.kind == "list")
        return Code(write_call("r.element", [base.array, index.text]), kind, missing=max(base.missing, 1))

    def _translate_selection(self, base: Code, key: Node) -> Code:
        index = self.translate_node(key)
        if base.kind == "frame":
            return self._index_columns(base, key, index)
        element, missing = ELEMENT_OF.get(base.kind, ""), base.missing
        beyond = base.size and index.text.isdigit() and int(index.text) > base.size
        if base.kind in VECTOR_KINDS and not beyond and (place := _to_python_index(index)) is not None:
            return Code(f"{base.wrap_at(ATOM)}[{place}]", element, missing=missing)
        if base.kind in VECTOR_KINDS and index.text == "-1":
            # the result is a view
            self.note_shared_array(base.text)
            return Code(f"{base.wrap_at(ATOM)}[1:]", base.kind, missing=missing)
        if index.kind in ("flags", "column") and base.kind in {*VECTOR_KINDS, "column"}:
            mask = index.text
            if base.kind == "column":
                return Code(f"{base.wrap_at(ATOM)}[{mask}]", "column", missing=missing)
            return Code(f"{base.wrap_at(ATOM)}[{index.array}]", base.kind, missing=missing)
        if base.kind in VECTOR_KINDS and index.kind == "positions" and not index.plain:
            return Code(f"{base.wrap_at(ATOM)}[{index.wrap_at(SUM)} - 1]", base.kind, missing=missing)
        kind = base.kind if base.kind not in ("column", "") and index.kind in VECTOR_KINDS else element
        kind = "" if beyond else kind
        text = write_call("r.index", [base.array, index.array if index.kind == "column" else index.sequence])
        return Code(text, kind, missing=max(missing, 1))

    def _index_columns(self, base: Code, key: Node, index: Code) -> Code:
        names = index.plain if index.kind == "texts" else f"[{index.text}]" if index.kind == "text" else ""
        if names:
            return Code(f"{base.wrap_at(ATOM)}[{names}]", "frame", missing=base.missing)
        if index.kind in ("flags", "column"):
            raise TranslationError("a condition chooses columns here; a comma is missing for rows")
        return Code(write_call("r.columns", [base.text, index.sequence]), "frame", missing=base.missing)

    def _index_frame_cells(self, base: Code, row: Node | None, column: Node | None, keep: bool) -> Code:
        rows = base if row is None else self._index_rows(base, row)
        if column is None:
            return rows
        index = self.translate_node(column)
        if index.kind == "text" and not keep:
            frame = base.text if row is None else ""
            if isinstance(column, Constant):
                return replace(self.translate_column(rows, get_word(column)), frame=frame)
            return Code(f"{rows.wrap_at(ATOM)}[{index.text}]", "column", frame=frame, missing=rows.missing or 1)
        if index.kind == "texts" or (index.kind == "text" and keep):
            return self._index_columns(rows, column, index)
        if index.kind in NUMBER_KINDS and not index.text.startswith("-") and not keep:
            return Code(write_call("r.element", [rows.text, index.text]), missing=1)
        return self._index_columns(rows, column, index)

    def _index_rows(self, base: Code, row: Node) -> Code:
        index = self.translate_node(row)
        if index.kind in ("flags", "column"):
            return Code(f"{base.wrap_at(ATOM)}[{index.text}]", "frame", missing=base.missing)
        if index.kind == "positions" and not index.plain:
            return Code(f"{base.wrap_at(ATOM)}.iloc[{index.wrap_at(SUM)} - 1]", "frame", missing=base.missing)
        return Code(write_call("r.rows", [base.text, index.sequence]), "frame", missing=base.missing)

    def _index_matrix_cells(self, base: Code, keys: Sequence[Node | None], keep: bool) -> Code:
        codes = [None if each is None else self.translate_node(each) for each in keys]
        places = [":" if each is None else _to_python_index(each) for each in codes]
        # a row or column has names, which NumPy's indexing drops
        if base.kind == "matrix" and not keep and None not in places and (self.is_lenient or ":" not in places):
            kind = "doubles" if ":" in places else "number"
            return Code(f"{base.wrap_at(ATOM)}[{', '.join(map(str, places))}]", kind, missing=base.missing)
        texts = ["None" if each is None else each.sequence for each in codes]
        given = [base.array, *texts, *["drop=False"] * keep]
        return Code(write_call("r.cells", given), "matrix" if keep else "", missing=max(base.missing, 1))


def _to_python_index(index: Code) -> str | None:
    """Return the zero-based index of a position that is certain to be at least 1, or None."""
    if index.kind == "number" and index.text.isdigit() and index.text != "0":
        return str(int(index.text) - 1)
    return f"{index.wrap_at(SUM)} - 1" if index.kind == "position" else None
