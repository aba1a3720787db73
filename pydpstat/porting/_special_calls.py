"""R's functions that become something else in Python than a call of a function by the same name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from pydpstat.porting import _matching as matching
from pydpstat.porting._calls import Calls
from pydpstat.porting._code import (
    ATOM,
    COMPARE,
    ELEMENT,
    NUMBERS,
    PRODUCT,
    SCALARS,
    SUM,
    TERNARY,
    VECTOR,
    VECTORS,
    Code,
    Untranslated,
    called,
    of_one_kind,
    python_name,
    quoted,
)
from pydpstat.porting._scope import call, function_name, nodes, word
from pydpstat.porting._syntax import Call, Constant, Function, Name, Node


def specials(of: Calls) -> dict[str, Callable[[Call], Code]]:
    """Return R's functions that become something else than a call of a function by the same name."""
    one = _first(of)
    return {
        "c": lambda node: _combined(of, node),
        "list": lambda node: _list(of, node),
        "data.frame": lambda node: _frame(of, node),
        "length": one(_length),
        "nrow": one(lambda x: Code(f"len({x.text})", "number") if x.kind == "frame" else None),
        "NROW": one(lambda x: Code(f"len({x.text})", "number") if x.kind in VECTORS else None),
        "is.null": one(lambda x: Code(f"{x.at(COMPARE + 1)} is None", "flag", COMPARE)),
        "is.na": one(_is_na),
        "seq_len": one(
            lambda n: Code(f"np.arange(1, {_after(n)})", "positions", plain=f"range(1, {_after(n)})")
        ),
        "seq_along": one(lambda x: _along(of, x)),
        "numeric": lambda node: _empty(of, node, "", "doubles"),
        "double": lambda node: _empty(of, node, "", "doubles"),
        "integer": lambda node: _empty(of, node, ", dtype=int", "ints"),
        "logical": lambda node: _empty(of, node, ", dtype=bool", "flags"),
        "vector": lambda node: _vector(of, node),
        "rep": lambda node: _repeated(of, node),
        "switch": lambda node: _ternary(of, switched(of, node)),
        "replicate": lambda node: _replicate(of, node),
        "~": lambda node: Code(quoted(_formula(of, node)), "text"),
        "lm": lambda node: _model(of, node),
        "glm": lambda node: _model(of, node),
        "new": lambda node: _new(of, node),
        "predict": lambda node: _predict(of, node),
        "if": lambda node: _ternary(of, node),
        "ifelse": lambda node: _chosen(of, node),
        "xor": lambda node: Code(called("np.logical_xor", of.plainly(node.arguments)), "truth"),
        "unname": one(lambda x: Code(f"{x.at(ATOM)}.values", "doubles") if x.kind == "named" else None),
        "cbind": lambda node: _bound(of, node),
        "rbind": lambda node: _bound(of, node),
        "{": lambda node: _block(of, node),
        **{name: _statement_only(name) for name in ("for", "while", "repeat", "break", "next", "return")},
    }


def _first(of: Calls) -> Callable[[Callable[[Code], Code | None]], Callable[[Call], Code]]:
    def of_first(made: Callable[[Code], Code | None]) -> Callable[[Call], Code]:
        def special(node: Call) -> Code:
            if len(node.arguments) == 1 and (found := made(of.value(node.arguments[0].value))) is not None:
                return found
            return of.of_r(node, function_name(node))

        return special

    return of_first


def _statement_only(name: str) -> Callable[[Call], Code]:
    def refuse(node: Call) -> Code:
        raise Untranslated(f"{name} inside an expression")

    return refuse


def _after(n: Code) -> str:
    return str(int(n.text) + 1) if n.text.isdigit() else f"{n.at(SUM)} + 1"


def _length(x: Code) -> Code | None:
    if x.kind == "frame":
        return Code(f"len({x.at(ATOM)}.columns)", "number")
    return (
        Code(f"len({x.text})", "number") if x.kind in {*VECTORS, "column", "list", "dict", "named"} else None
    )


def _along(of: Calls, x: Code) -> Code:
    n = (_length(x) or Code(called("r.length", [x.text]))).text
    return Code(f"np.arange(1, {n} + 1)", "positions", plain=f"range(1, {n} + 1)")


def _is_na(x: Code) -> Code:
    if x.kind == "column":
        return Code(f"{x.at(ATOM)}.isna()", "column", frame=x.frame)
    kind = "flag" if x.kind in SCALARS else "flags" if x.kind in VECTORS else "truth"
    return Code(called("r.is_na", [x.text]), kind)


def _combined(of: Calls, node: Call) -> Code:
    given = [each for each in node.arguments if each.value is not None]
    if not given:
        return Code("None", "null")
    parts = [of.value(each.value) for each in given]
    missing = max(each.missing for each in parts)
    if any(each.name for each in given):
        scalar = all(each.kind in SCALARS for each in parts) and all(each.name for each in given)
        if scalar:
            texts = [f"{quoted(each.name)}: {_double(part, True)}" for each, part in zip(given, parts)]
            return Code(f"pd.Series({{{', '.join(texts)}}})", "named", missing=missing)
        if not all(str(each.name or "x").isidentifier() for each in given):
            raise Untranslated("c has names that are no names in Python")
        texts = [f"{each.name}={part.array}" if each.name else part.array for each, part in zip(given, parts)]
        return Code(called("r.c", texts), missing=missing)
    if {each.kind for each in parts} == {"object"}:
        return Code(f"[{', '.join(each.text for each in parts)}]", "list", missing=1)
    kind = of_one_kind(parts)
    if not kind:
        kinds = {ELEMENT.get(each.kind, each.kind) for each in parts}
        numbers = kinds <= NUMBERS and "null" not in kinds
        kind = "doubles" if numbers and not {each.kind for each in parts} <= {"ints", "positions"} else ""
        return Code(
            called("r.c", [each.array for each in parts]),
            kind,
            missing=missing,
        )
    plain = f"[{', '.join(each.text for each in parts)}]"
    nodes_ = [each.value for each in given]
    if kind == "doubles" and all(isinstance(each, Constant) and each.kind == "integer" for each in nodes_):
        kind = "ints"
    if kind == "doubles":
        texts = [_double(each) for each in parts]
        floats = any(
            "." in text or "np.nan" in text or "e" in text for text in texts if re.match(r"-?[\d.]|np", text)
        )
        return Code(
            f"np.array([{', '.join(texts)}]{'' if floats else ', dtype=float'})",
            kind,
            plain=plain,
            missing=missing,
        )
    dtype = ", dtype=object" if kind == "texts" and missing == 2 else ""
    return Code(f"np.array({plain}{dtype})", kind, plain=plain, missing=missing)


def _double(code: Code, any_kind: bool = False) -> str:
    text = code.text
    return f"{text}.0" if re.fullmatch(r"-?[\d_]+", text) and (any_kind or code.kind == "number") else text


def _bound(of: Calls, node: Call) -> Code:
    """Return ``cbind`` or ``rbind``, which name columns or rows by the variables that they are."""
    texts = []
    names = [
        each.name or (each.value.name if isinstance(each.value, Name) else "") for each in node.arguments
    ]
    # Python's keywords differ, and none is before what has no name
    distinct = len(set(names)) == len(names) and "" not in names
    for each, label in zip(node.arguments, names):
        code, name = of.value(each.value), label if distinct else ""
        plain = name.isidentifier() and python_name(name) == name
        texts.append(
            f"{name}={code.array}" if plain else f"**{{{quoted(name)}: {code.array}}}" if name else code.array
        )
    kind = "frame" if any(of.value(each.value).kind == "frame" for each in node.arguments) else ""
    return Code(called(f"r.{function_name(node)}", texts), kind or "matrix")


def _list(of: Calls, node: Call) -> Code:
    parts = [(each.name, of.owned(each.value)) for each in node.arguments if each.value is not None]
    if parts and all(name for name, _ in parts):
        return Code(
            f"{{{', '.join(f'{quoted(name)}: {code.array}' for name, code in parts)}}}", "dict", missing=1
        )
    if any(name for name, _ in parts):
        raise Untranslated("only some elements of the list have names")
    return Code(f"[{', '.join(code.array for _, code in parts)}]", "list", missing=1)


def _frame(of: Calls, node: Call) -> Code:
    options = {"stringsAsFactors", "check.names", "row.names"}
    given = [each for each in node.arguments if each.value is not None and each.name not in options]
    others = [each for each in node.arguments if each.name in options]
    parts = [of.value(each.value) for each in given]
    names = [each.name or of.script.written(each.value) for each in given if each.value is not None]
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
    ):
        texts = [f"{quoted(name)}: {_cells(part)}" for name, part in zip(names, parts)]
        return Code(
            f"pd.DataFrame({{{', '.join(texts)}}})", "frame", missing=max(part.missing for part in parts)
        )
    if not all(re.fullmatch(r"[A-Za-z.][\w.]*", name) for name in names):
        raise Untranslated("a column of data.frame has no name")
    texts = [f"{quoted(name)}: {part.array}" for name, part in zip(names, parts)]
    more = [f"{python_name(str(each.name))}={of.value(each.value).text}" for each in others]
    return Code(
        called("r.data_frame", [f"{{{', '.join(texts)}}}", *more]),
        "frame",
        missing=max((part.missing for part in parts), default=0),
    )


def _cells(part: Code) -> str:
    if part.kind in SCALARS:
        return _double(part)
    return part.array if part.kind == "column" else part.sequence


def _empty(of: Calls, node: Call, dtype: str, kind: str) -> Code:
    n = of.value(node.arguments[0].value).text if node.arguments else "0"
    return Code(f"np.zeros({n}{dtype})", kind)


def _vector(of: Calls, node: Call) -> Code:
    pairs = dict(matching.matched(["mode", "length"], node.arguments, "vector"))
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


def _repeated(of: Calls, node: Call) -> Code:
    given = node.arguments
    if len(given) == 2 and given[1].name in (None, "times") and given[0].name in (None, "x"):
        value, n = of.value(given[0].value), of.value(given[1].value)
        if value.kind == "number" and n.kind == "number" and isinstance(given[0].value, Constant):
            fill = "" if value.text == "0" else f", {_double(value)}"
            return Code(f"np.{'full' if fill else 'zeros'}({n.text}{fill})", "doubles", missing=value.missing)
    code = of.of_r(node, "rep")
    first = of.value(given[0].value) if given else code
    return replace(code, kind=VECTOR.get(first.kind, first.kind if first.kind in VECTORS else ""))


def switched(of: Calls, node: Call) -> Call:
    """Return ``switch`` of a text as branches."""
    first, *ways = node.arguments
    if first.value is None or not isinstance(first.value, Name):
        raise Untranslated("switch of what is no variable")
    variable = of.scope.find(first.value.name)
    if variable is None or variable.kind != "text":
        raise Untranslated(f"switch: {first.value.name} may be a number or a text")
    default = [each.value for each in ways if not each.name]
    if len(default) > 1:
        raise Untranslated("switch has two values without a name")
    last = default[0] if default else None
    tests: list[tuple[Node, Node]] = []
    waiting: Node | None = None
    for each in ways:
        if not each.name:
            continue
        test: Node = call("==", first.value, Constant(each.name, "character"), like=node)
        waiting = test if waiting is None else call("||", waiting, test, like=node)
        if each.value is not None:
            tests.append((waiting, each.value))
            waiting = None
    if waiting is not None or not tests:
        raise Untranslated("switch ends with a name without a value")
    found = last or Constant(None, "NULL", node.start, node.end)
    for test, value in reversed(tests):
        found = call("if", test, value, found, like=node)
    return found  # type: ignore[return-value]


def _ternary(of: Calls, node: Call) -> Code:
    test, first, *rest = (each.value for each in node.arguments)
    with of.condition(tested=True):
        condition = of.value(test)
    a = of.value(first)
    b = of.value(rest[0]) if rest else Code("None", "null")
    text = f"{a.at(TERNARY + 1)} if {condition.at(TERNARY + 1)} else {b.at(TERNARY)}"
    return Code(text, a.kind if a.kind == b.kind else "", TERNARY, missing=max(a.missing, b.missing))


def _chosen(of: Calls, node: Call) -> Code:
    if any(matching.draws(each.value, of.functions) for each in node.arguments[1:]):
        raise Untranslated("ifelse draws its values only where it needs them")
    pairs = matching.matched(["test", "yes", "no"], node.arguments, "ifelse")
    test, yes, no = (of.value(value) for _, value in sorted(pairs, key=lambda each: "tyn".index(each[0][0])))
    kind = ""
    if test.kind in ("flags", "column"):
        both = {ELEMENT.get(each.kind, each.kind) for each in (yes, no)}
        kind = (
            "doubles"
            if both <= {*NUMBERS, "column"}
            else VECTOR.get(both.pop(), "")
            if len(both) == 1
            else ""
        )
    texts = [each.array if each.kind == "column" else each.sequence for each in (test, yes, no)]
    return Code(called("r.ifelse", texts), kind, missing=max(yes.missing, no.missing))


def _replicate(of: Calls, node: Call) -> Code:
    pairs = dict(matching.matched(["n", "expr", "simplify"], node.arguments, "replicate"))
    made = Function((), pairs["expr"], pairs["expr"].start, pairs["expr"].end)
    more = [f"simplify={of.value(pairs['simplify']).text}"] if "simplify" in pairs else []
    return Code(
        called("r.replicate", [of.value(pairs["n"]).text, of.function(made).text, *more]), "", missing=1
    )


def _block(of: Calls, node: Call) -> Code:
    if len(node.arguments) != 1:
        raise Untranslated("several statements inside an expression")
    return of.value(node.arguments[0].value)


def _formula(of: Calls, node: Node) -> str:
    return re.sub(r"\s+", " ", of.script.written(node))


def _model(of: Calls, node: Call) -> Code:
    name = function_name(node)
    pairs = matching.matched(
        ["formula", "data", "weights", "family"]
        if name == "lm"
        else ["formula", "family", "data", "weights"],
        node.arguments,
        name,
    )
    given = dict(pairs)
    formula = given.get("formula")
    if function_name(formula) != "~":
        raise Untranslated(f"the formula of {name} is computed")
    texts = [quoted(_formula(of, formula))]  # type: ignore[arg-type]
    if "data" in given:
        texts.append(of.value(given["data"]).text)
    else:
        functions = {id(each.function) for each in nodes(formula) if isinstance(each, Call)}
        used = [each.name for each in nodes(formula) if isinstance(each, Name) and id(each) not in functions]
        columns = [f"{quoted(each)}: {of.named(Name(each)).array}" for each in dict.fromkeys(used)]
        texts.append(f"pd.DataFrame({{{', '.join(columns)}}})")
    if "family" in given:
        family = given["family"]
        called_ = function_name(family) or word(family)
        if isinstance(family, Call) and family.arguments:
            raise Untranslated("the family has a separate link")
        texts.append(f"family={quoted(called_)}")
    if "weights" in given:
        texts.append(f"weights={of.value(given['weights']).text}")
    return Code(called(f"r.{name}", texts), "object")


def _new(of: Calls, node: Call) -> Code:
    first, *rest = node.arguments
    name = word(first.value)
    if name not in dir(matching.PACKAGES["diffpriv"]) or first.name not in (None, "Class"):
        raise Untranslated(f"new makes a {name or 'class that is computed'}, which is none of diffpriv's")
    return of.of_mirror(replace(node, arguments=tuple(rest)), "diffpriv", name)


def _predict(of: Calls, node: Call) -> Code:
    first = node.arguments[0].value
    variable = of.scope.find(word(first)) if isinstance(first, Name) else None
    package = variable.package if variable else ""
    if package == "bernstein" or of.lenient:
        return of.of_mirror(node, "diffpriv", "predict")
    if package in ("lm", "glm"):
        return of.of_r(node, "predict")
    raise Untranslated("predict of an object that is not known here")
