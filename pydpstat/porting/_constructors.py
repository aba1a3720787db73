"""R's functions that make vectors, lists, data frames and matrices."""

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
    ELEMENT,
    NUMBERS,
    PRODUCT,
    SCALARS,
    VECTOR,
    VECTORS,
    Code,
    Untranslated,
    called,
    keyword,
    of_one_kind,
    python_name,
    refuse_groups,
)
from pydpstat.porting._escapes import quoted
from pydpstat.porting._labels import keep_doubles
from pydpstat.porting._scope import function_name, word
from pydpstat.porting._syntax import Argument, Call, Constant, Name


def combined(of: Calls, node: Call) -> Code:
    """Return what ``c`` makes: an array, a named vector, or a list of objects."""
    given = [each for _, each in arguments.bind_arguments([DOTS], node.arguments, "c")]
    if not given:
        return Code("None", "null")
    parts = [of.value(each.value) for each in given]
    missing = max(each.missing for each in parts)
    if any(each.name for each in given):
        scalar = all(each.kind in SCALARS for each in parts) and all(each.name for each in given)
        if scalar and not of.lenient:
            names = [str(each.name) for each in given]
            if len(set(names)) < len(names):
                return _labelled(parts, names)
            texts = [keyword(each.name, double(part, True)) for each, part in zip(given, parts)]
            return Code(called("r.c", texts), "named", missing=missing)
        if scalar:
            texts = [f"{quoted(each.name)}: {double(part, True)}" for each, part in zip(given, parts)]
            return Code(f"pd.Series({{{', '.join(texts)}}})", "named", missing=missing)
        names = [each.name or "" for each in given]
        if all(each.kind in SCALARS for each in parts):
            return _labelled(parts, names)
        if "" in names or len(set(names)) < len(names):
            raise Untranslated("only some elements of c have names, or two have the same")
        texts = [keyword(each.name, part.array) for each, part in zip(given, parts)]
        return Code(called("r.c", texts), missing=missing)
    if {each.kind for each in parts} == {"object"}:
        return Code(f"[{', '.join(each.text for each in parts)}]", "list", missing=1)
    if any(each.is_na for each in parts) and any(each.kind in ("flag", "flags") for each in parts):
        raise Untranslated("a vector of TRUE, FALSE and NA")
    kind = of_one_kind(parts)
    sizes = [1 if each.kind in SCALARS else each.size for each in parts]
    size = sum(sizes) if all(sizes) else 0
    if not kind:
        kinds = {ELEMENT.get(each.kind, each.kind) for each in parts}
        numbers = kinds <= NUMBERS and "null" not in kinds
        kind = "doubles" if numbers and not {each.kind for each in parts} <= {"ints", "positions"} else ""
        return Code(
            called("r.c", [each.array for each in parts]),
            kind,
            missing=missing,
            size=size,
        )
    if len(parts) == 1 and parts[0].kind == "number" and not of.lenient:
        return parts[0]
    plain = f"[{', '.join(each.text for each in parts)}]"
    nodes_ = [each.value for each in given]
    if kind == "doubles" and all(isinstance(each, Constant) and each.kind == "integer" for each in nodes_):
        kind = "ints"
    if kind == "doubles":
        texts = [double(each) for each in parts]
        floats = any(
            "." in text or "np.nan" in text or "e" in text for text in texts if re.match(r"-?[\d.]|np", text)
        )
        return Code(
            f"np.array([{', '.join(texts)}]{'' if floats or of.lenient else ', dtype=float'})",
            kind,
            plain=plain if of.lenient else f"[{', '.join(texts)}]",
            missing=missing,
            size=size,
        )
    dtype = ", dtype=object" if kind == "texts" and missing == 2 else ""
    return Code(f"np.array({plain}{dtype})", kind, plain=plain, missing=missing, size=size)


def _labelled(parts: list[Code], names: list[str]) -> Code:
    """Return a vector of single values whose names differ from the keywords that Python allows."""
    values = called("r.c", [double(each, True) for each in parts])
    labels = f"[{', '.join(map(quoted, names))}]"
    return Code(called("r.set_names", [values, labels]), "named", missing=max(each.missing for each in parts))


def double(code: Code, any_kind: bool = False) -> str:
    """Return a number as Python writes a double."""
    text = code.text
    return f"{text}.0" if re.fullmatch(r"-?[\d_]+", text) and (any_kind or code.kind == "number") else text


def bound(of: Calls, node: Call) -> Code:
    """Return ``cbind`` or ``rbind``, which name columns or rows by the variables that they are."""
    texts = []
    names = [
        each.name or (each.value.name if isinstance(each.value, Name) else "") for each in node.arguments
    ]
    # Python's keywords differ, and none is before what has no name
    distinct = len(set(names)) == len(names) and "" not in names
    for each, label in zip(node.arguments, names):
        texts.append(keyword(label if distinct else "", of.value(each.value).array))
    kind = "frame" if any(of.value(each.value).kind == "frame" for each in node.arguments) else ""
    return Code(called(f"r.{function_name(node)}", texts), kind or "matrix")


def as_list(of: Calls, node: Call) -> Code:
    """Return a list, or a dict where all its elements have names."""
    given = [each for _, each in arguments.bind_arguments([DOTS], node.arguments, "list")]
    parts = [(each.name, of.shown(of.owned(each.value), each.value)) for each in given]
    for _, code in parts:
        refuse_groups(code, "a list")
    if parts and all(name for name, _ in parts):
        if len({name for name, _ in parts}) < len(parts):
            raise Untranslated("two elements of the list have one name")
        return Code(
            f"{{{', '.join(f'{quoted(name)}: {code.array}' for name, code in parts)}}}", "dict", missing=1
        )
    if any(name for name, _ in parts):
        raise Untranslated("only some elements of the list have names")
    return Code(f"[{', '.join(code.array for _, code in parts)}]", "list", missing=1)


def data_frame(of: Calls, node: Call) -> Code:
    """Return a data frame."""
    formals = packages.formals_of("base", "data.frame") or []
    found = arguments.bind_arguments(formals, node.arguments, "data.frame")
    given = [each for formal, each in found if formal == DOTS]
    others = [replace(each, name=formal) for formal, each in found if formal not in (DOTS, "row.names")]
    for each in others:
        if each.name not in ("stringsAsFactors", "check.names"):
            raise Untranslated(f"the argument {each.name} of data.frame has no counterpart")
    rows = [of.value(each.value) for formal, each in found if formal == "row.names"]
    if rows and rows[0].kind not in ("texts", "null"):
        raise Untranslated("row.names of data.frame is no vector of texts")
    made = _frame_of_columns(of, given, others)
    if not rows or rows[0].kind == "null":
        return made
    return replace(made, text=called("r.set_rownames", [made.text, rows[0].array]), level=ATOM)


def _frame_of_columns(of: Calls, given: Sequence[Argument], others: Sequence[Argument]) -> Code:
    parts = [of.value(each.value) for each in given]
    names = [each.name or of.script.written(each.value) for each in given if each.value is not None]
    if any(part.kind == "matrix" for part in parts) and not of.lenient:
        raise Untranslated("data.frame makes several columns of a matrix")
    plain = all(each.name or isinstance(each.value, Name) for each in given)
    vectors = {*VECTORS, "column", "factor", ""}
    simple = plain and not [
        one for one in others if not (isinstance(one.value, Constant) and one.value.value is False)
    ]
    if (
        parts
        and simple
        and all(part.kind in {*vectors, *SCALARS} for part in parts)
        and any(part.kind in vectors for part in parts)
        and (of.lenient or all(part.kind for part in parts))
        and (of.lenient or len({part.size for part in parts if part.kind not in SCALARS}) < 2)
    ):
        texts = [f"{quoted(name)}: {_cells(part)}" for name, part in zip(names, parts)]
        return Code(
            f"pd.DataFrame({{{', '.join(texts)}}})", "frame", missing=max(part.missing for part in parts)
        )
    if not all(re.fullmatch(r"[A-Za-z.][\w.]*", name) for name in names):
        raise Untranslated("a column of data.frame has no name")
    texts = [
        f"{quoted(name)}: {double(part) if part.kind in SCALARS else part.array}"
        for name, part in zip(names, parts)
    ]
    more = [f"{python_name(str(each.name))}={of.value(each.value).text}" for each in others]
    return Code(
        called("r.data_frame", [f"{{{', '.join(texts)}}}", *more]),
        "frame",
        missing=max((part.missing for part in parts), default=0),
    )


def _cells(part: Code) -> str:
    if part.kind in SCALARS:
        return double(part)
    return part.array if part.kind == "column" else part.sequence


def empty(of: Calls, node: Call, dtype: str, kind: str) -> Code:
    """Return a vector of zeros of a type."""
    n = of.value(node.arguments[0].value).text if node.arguments else "0"
    return Code(f"np.zeros({n}{dtype})", kind, plain="[]" if n == "0" else "")


def vector(of: Calls, node: Call) -> Code:
    """Return what ``vector`` makes: zeros, an empty list or empty texts."""
    pairs = dict(arguments.matched(["mode", "length"], node.arguments, "vector"))
    mode = word(pairs.get("mode"))
    n = of.value(pairs["length"]).text if "length" in pairs else "0"
    kinds = {
        "numeric": ("", "doubles"),
        "double": ("", "doubles"),
        "integer": (", dtype=int", "ints"),
        "logical": (", dtype=bool", "flags"),
    }
    if mode in kinds:
        return Code(f"np.zeros({n}{kinds[mode][0]})", kinds[mode][1])
    if mode == "list":
        return Code(f"[None] * {n}" if n != "0" else "[]", "list", PRODUCT, missing=1)
    if mode == "character":
        return Code(called("r.character", [n]), "texts")
    raise Untranslated(f"vector of mode {mode or 'that is computed'}")


def repeated(of: Calls, node: Call) -> Code:
    """Return what ``rep`` makes."""
    given = node.arguments
    if len(given) == 2 and given[1].name in (None, "times") and given[0].name in (None, "x"):
        value, n = of.value(given[0].value), of.value(given[1].value)
        whole = not set("/*^.") & set(n.text) or n.text.startswith("len(")
        if value.kind == "number" and n.kind in NUMBERS and whole and isinstance(given[0].value, Constant):
            fill = "" if value.text == "0" else f", {double(value)}"
            return Code(f"np.{'full' if fill else 'zeros'}({n.text}{fill})", "doubles", missing=value.missing)
    code = keep_doubles(of.of_r(node, "rep"), node, "rep")
    first = of.value(given[0].value) if given else code
    return replace(code, kind=VECTOR.get(first.kind, first.kind if first.kind in VECTORS else ""))
