"""R's functions that construct vectors, lists, data frames and matrices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pydpstat.porting import _call_arguments as arguments
from pydpstat.porting import _packages as packages
from pydpstat.porting._argument_matching import DOTS
from pydpstat.porting._calls import Calls
from pydpstat.porting._code import (
    ATOM,
    ELEMENT_OF,
    NUMBER_KINDS,
    PRODUCT,
    SCALAR_KINDS,
    VECTOR_KINDS,
    VECTOR_OF,
    Code,
    TranslationError,
    find_common_kind,
    is_whole_number,
    make_python_name,
    refuse_groups,
    write_call,
    write_keyword,
)
from pydpstat.porting._deparse import format_as_r
from pydpstat.porting._escapes import quote_text
from pydpstat.porting._labels import keep_doubles
from pydpstat.porting._scope import get_function_name, get_word
from pydpstat.porting._syntax import Argument, Call, Constant, Name

# R breaks longer argument texts into lines
_MAX_LABEL = 55
# arguments of cbind and rbind other than columns and rows
_BIND_OPTIONS = {"deparse.level", "make.row.names", "stringsAsFactors", "factor.exclude"}


def translate_c(translator: Calls, node: Call) -> Code:
    """Translate ``c`` to an array, a named vector, or a list of objects."""
    given = [each for _, each in arguments.bind_arguments([DOTS], node.arguments, "c")]
    if not given:
        return Code("None", "null")
    parts = [translator.translate_node(each.value) for each in given]
    missing = max(each.missing for each in parts)
    if any(each.name for each in given):
        scalar = all(each.kind in SCALAR_KINDS for each in parts) and all(each.name for each in given)
        if scalar and not translator.is_lenient:
            names = [str(each.name) for each in given]
            if len(set(names)) < len(names):
                return _make_labelled_vector(parts, names)
            texts = [write_keyword(each.name, write_double(part)) for each, part in zip(given, parts)]
            return Code(write_call("r.c", texts), "named", missing=missing)
        if scalar:
            texts = [f"{quote_text(each.name)}: {write_double(part)}" for each, part in zip(given, parts)]
            return Code(f"pd.Series({{{', '.join(texts)}}})", "named", missing=missing)
        names = [each.name or "" for each in given]
        if all(each.kind in SCALAR_KINDS for each in parts):
            return _make_labelled_vector(parts, names)
        if "" in names or len(set(names)) < len(names):
            raise TranslationError("only some elements of c have names, or two have the same")
        texts = [write_keyword(each.name, part.array) for each, part in zip(given, parts)]
        return Code(write_call("r.c", texts), missing=missing)
    if {each.kind for each in parts} == {"object"}:
        return Code(f"[{', '.join(each.text for each in parts)}]", "list", missing=1)
    if any(each.is_na for each in parts) and any(each.kind in ("flag", "flags") for each in parts):
        raise TranslationError("a vector of TRUE, FALSE and NA")
    kind = find_common_kind(parts)
    sizes = [1 if each.kind in SCALAR_KINDS else each.size for each in parts]
    size = sum(sizes) if all(sizes) else 0
    if not kind:
        kinds = {ELEMENT_OF.get(each.kind, each.kind) for each in parts}
        numbers = kinds <= NUMBER_KINDS and "null" not in kinds
        kind = "doubles" if numbers and not {each.kind for each in parts} <= {"ints", "positions"} else ""
        return Code(
            write_call("r.c", [each.typed_text for each in parts]),
            kind,
            missing=missing,
            size=size,
        )
    if len(parts) == 1 and parts[0].kind == "number" and not translator.is_lenient:
        return parts[0]
    plain = f"[{', '.join(each.text for each in parts)}]"
    nodes_ = [each.value for each in given]
    if kind == "doubles" and all(isinstance(each, Constant) and each.kind == "integer" for each in nodes_):
        kind = "ints"
    if kind == "doubles":
        texts = [write_double(each) for each in parts]
        floats = any("." in text or "np.nan" in text or "e" in text for text in texts if re.match(r"-?[\d.]|np", text))
        return Code(
            f"np.array([{', '.join(texts)}]{'' if floats or translator.is_lenient else ', dtype=float'})",
            kind,
            plain=plain if translator.is_lenient else f"[{', '.join(texts)}]",
            missing=missing,
            size=size,
        )
    dtype = ", dtype=object" if kind == "texts" and missing == 2 else ""
    return Code(f"np.array({plain}{dtype})", kind, plain=plain, missing=missing, size=size)


def _make_labelled_vector(parts: list[Code], names: list[str]) -> Code:
    """Return a vector of scalars with names, which may be repeated or empty."""
    values = write_call("r.c", [write_double(each) for each in parts])
    labels = f"[{', '.join(map(quote_text, names))}]"
    return Code(write_call("r.set_names", [values, labels]), "named", missing=max(each.missing for each in parts))


def write_double(code: Code) -> str:
    """Return a number as a Python double."""
    if code.kind == "number" and is_whole_number(code.text):
        return f"{code.text}.0"
    return code.typed_text if code.double else code.text


def translate_bind(translator: Calls, node: Call) -> Code:
    """Translate ``cbind`` or ``rbind``, which name columns or rows after variables."""
    name = get_function_name(node)
    given = [each for each in node.arguments if each.name not in _BIND_OPTIONS]
    options = {each.name: each.value for each in node.arguments if each.name in _BIND_OPTIONS}
    level = options.get("deparse.level", Constant(1.0, "double"))
    if set(options) - {"deparse.level"} or not isinstance(level, Constant) or level.value not in (0, 1):
        raise TranslationError(f"{name} with {' and '.join(map(str, options))}")
    parts = [translator.translate_node(each.value) for each in given]
    variables = [each.value.name if isinstance(each.value, Name) and level.value else "" for each in given]
    kind = "frame" if any(part.kind == "frame" for part in parts) else "matrix"
    # the names of variables do not become the row names of a data frame
    rows = name == "rbind" and kind == "frame"
    labels = [each.name or ("" if rows else variable) for each, variable in zip(given, variables)]
    unsure = (
        name == "rbind" and any(not part.kind and variable for part, variable in zip(parts, variables)) and not rows
    )
    # Python's keywords are distinct, and none comes before a positional argument
    first = next((k for k, label in enumerate(labels) if label), len(labels))
    named = labels[first:]
    if "" not in named and len(set(named)) == len(named) and (translator.is_lenient or not unsure):
        texts = [write_keyword(label, part.typed_text) for label, part in zip(labels, parts)]
        return Code(write_call(f"r.{name}", texts), kind)
    values, words = ", ".join(part.typed_text for part in parts), ", ".join(map(quote_text, labels))
    has_names = ["named=True"] * any(each.name for each in given)
    return Code(write_call("r.bind", [f"[{values}]", f"[{words}]", quote_text(name), *has_names]), kind)


def as_list(translator: Calls, node: Call) -> Code:
    """Return a list, or a dict where all elements have names."""
    given = [each for _, each in arguments.bind_arguments([DOTS], node.arguments, "list")]
    parts = [
        (each.name, translator.convert_for_display(translator.translate_shared_value(each.value), each.value))
        for each in given
    ]
    for _, code in parts:
        refuse_groups(code, "a list")
    if parts and all(name for name, _ in parts):
        if len({name for name, _ in parts}) < len(parts):
            raise TranslationError("two elements of the list have one name")
        return Code(
            f"{{{', '.join(f'{quote_text(name)}: {code.typed_text}' for name, code in parts)}}}", "dict", missing=1
        )
    if any(name for name, _ in parts):
        raise TranslationError("only some elements of the list have names")
    return Code(f"[{', '.join(code.typed_text for _, code in parts)}]", "list", missing=1)


def data_frame(translator: Calls, node: Call) -> Code:
    """Translate ``data.frame``."""
    formals = packages.find_formals("base", "data.frame") or []
    found = arguments.bind_arguments(formals, node.arguments, "data.frame")
    given = [each for formal, each in found if formal == DOTS]
    others = [replace(each, name=formal) for formal, each in found if formal not in (DOTS, "row.names")]
    for each in others:
        if each.name not in ("stringsAsFactors", "check.names"):
            raise TranslationError(f"the argument {each.name} of data.frame has no counterpart")
    rows = [translator.translate_node(each.value) for formal, each in found if formal == "row.names"]
    if rows and rows[0].kind not in ("texts", "null"):
        raise TranslationError("row.names of data.frame is no vector of texts")
    made = _make_frame(translator, given, others)
    if not rows or rows[0].kind == "null":
        return made
    return replace(made, text=write_call("r.set_rownames", [made.text, rows[0].array]), level=ATOM)


def _make_frame(translator: Calls, given: Sequence[Argument], others: Sequence[Argument]) -> Code:
    parts = [translator.translate_node(each.value) for each in given]
    names = [each.name or translator.script.written(each.value) for each in given if each.value is not None]
    if any(part.kind == "matrix" for part in parts) and not translator.is_lenient:
        return _make_frame_of_matrices(translator, given, others, parts)
    plain = all(each.name or isinstance(each.value, Name) for each in given)
    vectors = {*VECTOR_KINDS, "column", "factor", ""}
    simple = plain and not [one for one in others if not (isinstance(one.value, Constant) and one.value.value is False)]
    if (
        parts
        and simple
        and all(part.kind in {*vectors, *SCALAR_KINDS} for part in parts)
        and any(part.kind in vectors for part in parts)
        and (translator.is_lenient or all(part.kind for part in parts))
        and (translator.is_lenient or len({part.size for part in parts if part.kind not in SCALAR_KINDS}) < 2)
    ):
        texts = [f"{quote_text(name)}: {_write_cells(part)}" for name, part in zip(names, parts)]
        return Code(f"pd.DataFrame({{{', '.join(texts)}}})", "frame", missing=max(part.missing for part in parts))
    if not all(re.fullmatch(r"[A-Za-z.][\w.]*", name) for name in names):
        raise TranslationError("a column of data.frame has no name")
    texts = [
        f"{quote_text(name)}: {write_double(part) if part.kind in SCALAR_KINDS else part.array}"
        for name, part in zip(names, parts)
    ]
    more = [f"{make_python_name(str(each.name))}={translator.translate_node(each.value).text}" for each in others]
    return Code(
        write_call("r.data_frame", [f"{{{', '.join(texts)}}}", *more]),
        "frame",
        missing=max((part.missing for part in parts), default=0),
    )


def _make_frame_of_matrices(
    translator: Calls, given: Sequence[Argument], others: Sequence[Argument], parts: Sequence[Code]
) -> Code:
    """Return a data frame with the columns of matrices; R names a single column by the argument's text."""
    if others or not all(each.name or part.kind == "matrix" for each, part in zip(given, parts)):
        raise TranslationError("data.frame of a matrix beside a part without a name")
    texts = [f"{quote_text(each.name or '')}: {part.typed_text}" for each, part in zip(given, parts)]
    unnamed = [each.value for each in given if not each.name]
    label = format_as_r(unnamed[0]) if unnamed else None
    if len(unnamed) > 1 or (unnamed and (label is None or len(label) > _MAX_LABEL)):
        raise TranslationError("data.frame makes several columns of a matrix")
    more = [f"unnamed_label={quote_text(label)}"] if label else []
    return Code(write_call("r.data_frame", [f"{{{', '.join(texts)}}}", *more]), "frame", missing=1)


def _write_cells(part: Code) -> str:
    if part.kind in SCALAR_KINDS:
        return write_double(part)
    return part.array if part.kind == "column" else part.sequence


def translate_zeros(translator: Calls, node: Call, dtype: str, kind: str) -> Code:
    """Return a vector of zeros of the given type."""
    n = translator.translate_node(node.arguments[0].value) if node.arguments else Code("0")
    return Code(_write_zeros(n, dtype), kind, plain="[]" if n.text == "0" else "")


def _write_zeros(n: Code, dtype: str) -> str:
    return f"np.zeros({n.text if n.is_whole else write_call('int', [n.text])}{dtype})"


def translate_vector(translator: Calls, node: Call) -> Code:
    """Translate ``vector`` to zeros, an empty list or empty strings."""
    pairs = dict(arguments.match_parameters(["mode", "length"], node.arguments, "vector"))
    mode = get_word(pairs.get("mode"))
    n = translator.translate_node(pairs["length"]) if "length" in pairs else Code("0")
    kinds = {
        "numeric": ("", "doubles"),
        "double": ("", "doubles"),
        "integer": (", dtype=int", "ints"),
        "logical": (", dtype=bool", "flags"),
    }
    if mode in kinds:
        return Code(_write_zeros(n, kinds[mode][0]), kinds[mode][1])
    if mode == "list":
        times = n.wrap_at(PRODUCT + 1) if n.is_whole else write_call("int", [n.text])
        return Code(f"[None] * {times}" if n.text != "0" else "[]", "list", PRODUCT, missing=1)
    if mode == "character":
        return Code(write_call("r.character", [n.text]), "texts")
    raise TranslationError(f"vector of mode {mode or 'that is computed'}")


def translate_rep(translator: Calls, node: Call) -> Code:
    """Translate ``rep``."""
    given = node.arguments
    if len(given) == 2 and given[1].name in (None, "times") and given[0].name in (None, "x"):
        value, n = translator.translate_node(given[0].value), translator.translate_node(given[1].value)
        if value.kind == "number" and n.is_whole and isinstance(given[0].value, Constant):
            fill = "" if value.text == "0" else f", {write_double(value)}"
            return Code(f"np.{'full' if fill else 'zeros'}({n.text}{fill})", "doubles", missing=value.missing)
    code = keep_doubles(translator.translate_r_call(node, "rep"), node, "rep")
    first = translator.translate_node(given[0].value) if given else code
    return replace(code, kind=VECTOR_OF.get(first.kind, first.kind if first.kind in VECTOR_KINDS else ""))
