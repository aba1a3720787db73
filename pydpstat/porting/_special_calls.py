"""R's functions that become something else in Python than a call of a function by the same name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from pydpstat.porting import _call_arguments as arguments
from pydpstat.porting import _constructors as constructors
from pydpstat.porting import _matching as matching
from pydpstat.porting._calls import Calls
from pydpstat.porting._code import (
    ATOM,
    COMPARE,
    ELEMENT,
    NUMBERS,
    SCALARS,
    SUM,
    TERNARY,
    VECTOR,
    VECTORS,
    Code,
    Untranslated,
    called,
)
from pydpstat.porting._escapes import quoted
from pydpstat.porting._labels import FUNCTIONS, with_labels
from pydpstat.porting._scope import call, function_name, word
from pydpstat.porting._syntax import Call, Constant, Function, Name, Node

# functions that make a text of one value
_TEXTS = {"as.character", "paste", "paste0", "tolower", "toupper", "substr", "format", "class"}


def specials(of: Calls) -> dict[str, Callable[[Call], Code]]:
    """Return R's functions that become something else than a call of a function by the same name."""
    one = _first(of)
    return {
        "c": lambda node: constructors.combined(of, node),
        "list": lambda node: constructors.as_list(of, node),
        "data.frame": lambda node: constructors.data_frame(of, node),
        "length": one(_length),
        "nrow": one(lambda x: Code(f"len({x.text})", "count") if x.kind == "frame" else None),
        "NROW": one(lambda x: Code(f"len({x.text})", "count") if x.kind in VECTORS else None),
        "is.null": one(lambda x: Code(f"{x.at(COMPARE + 1)} is None", "flag", COMPARE)),
        "is.na": one(_is_na),
        "seq_len": one(
            lambda n: Code(f"np.arange(1, {_after(n)})", "positions", plain=f"range(1, {_after(n)})")
        ),
        "seq_along": one(lambda x: _along(of, x)),
        "numeric": lambda node: constructors.empty(of, node, "", "doubles"),
        "double": lambda node: constructors.empty(of, node, "", "doubles"),
        "integer": lambda node: constructors.empty(of, node, ", dtype=int", "ints"),
        "logical": lambda node: constructors.empty(of, node, ", dtype=bool", "flags"),
        "vector": lambda node: constructors.vector(of, node),
        "rep": lambda node: constructors.repeated(of, node),
        "switch": lambda node: _ternary(of, switched(of, node)),
        "replicate": lambda node: _replicate(of, node),
        "~": lambda node: Code(quoted(_formula(of, node)), "text"),
        "lm": lambda node: _model(of, node),
        "glm": lambda node: _model(of, node),
        "new": lambda node: _new(of, node),
        "predict": lambda node: _predict(of, node),
        "if": lambda node: _ternary(of, node),
        "ifelse": lambda node: _chosen(of, node),
        "xor": lambda node: _one_of_two(of, node),
        "unname": one(lambda x: Code(f"{x.at(ATOM)}.values", "doubles") if x.kind == "named" else None),
        "cbind": lambda node: constructors.bound(of, node),
        "rbind": lambda node: constructors.bound(of, node),
        "{": lambda node: _block(of, node),
        **{name: with_labels(of.of_r, name, of.lenient) for name in FUNCTIONS if name != "rep"},
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
        return Code(f"len({x.at(ATOM)}.columns)", "count")
    return (
        Code(f"len({x.text})", "count") if x.kind in {*VECTORS, "column", "list", "dict", "named"} else None
    )


def _along(of: Calls, x: Code) -> Code:
    n = (_length(x) or Code(called("r.length", [x.text]))).text
    return Code(f"np.arange(1, {n} + 1)", "positions", plain=f"range(1, {n} + 1)")


def _one_of_two(of: Calls, node: Call) -> Code:
    both = [of.known(of.value(each.value)) for each in node.arguments]
    if any(each.is_na for each in both):
        raise Untranslated("xor with NA is NA")
    return Code(called("np.logical_xor", [each.array for each in both]), "truth")


def _is_na(x: Code) -> Code:
    if x.kind == "column":
        return Code(f"{x.at(ATOM)}.isna()", "column", frame=x.frame)
    kind = "flag" if x.kind in SCALARS else "flags" if x.kind in VECTORS else "truth"
    return Code(called("r.is_na", [x.text]), kind)


def switched(of: Calls, node: Call) -> Call:
    """Return ``switch`` of a text as branches."""
    first, *ways = node.arguments
    chosen = first.value
    if len(ways) > 1 and not any(each.name for each in ways):
        return _switched_by_place(of, node)
    if function_name(chosen) in _TEXTS:
        chosen = of.kept(of.value(chosen), "choice")
    if not isinstance(chosen, Name):
        raise Untranslated("switch of what is no variable")
    variable = of.scope.find(chosen.name)
    if variable is None or variable.kind != "text":
        raise Untranslated(f"switch: {chosen.name} may be a number or a text")
    default = [each.value for each in ways if not each.name]
    if len(default) > 1:
        raise Untranslated("switch has two values without a name")
    last = default[0] if default else None
    tests: list[tuple[Node, Node]] = []
    waiting: Node | None = None
    for each in ways:
        if not each.name:
            continue
        test: Node = call("==", chosen, Constant(each.name, "character"), like=node)
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


def _switched_by_place(of: Calls, node: Call) -> Call:
    """Return ``switch`` of a number, which is the place of one of the values, as branches."""
    chosen, *values = (each.value for each in node.arguments)
    kind = of.value(chosen).kind
    if kind not in (*NUMBERS, "") or None in values or chosen is None:
        raise Untranslated(f"switch by the place of a value, which is given by a {kind or 'missing value'}")
    if not isinstance(chosen, Name):
        chosen = of.kept(of.value(chosen), "choice", kind)
    found: Node = Constant(None, "NULL", node.start, node.end)
    for k, value in reversed(list(enumerate(values, 1))):
        place = chosen if kind in ("position", "count") else call("trunc", chosen, like=node)
        test = call("==", place, Constant(float(k), "double"), like=node)
        found = call("if", test, value, found, like=node)  # type: ignore[arg-type]
    return found  # type: ignore[return-value]


def _ternary(of: Calls, node: Call) -> Code:
    test, first, *rest = (each.value for each in node.arguments)
    condition = of.test(test)
    a = of.value(first)
    b = of.value(rest[0]) if rest else Code("None", "null")
    text = f"{a.at(TERNARY + 1)} if {condition.at(TERNARY + 1)} else {b.at(TERNARY)}"
    return Code(text, a.kind if a.kind == b.kind else "", TERNARY, missing=max(a.missing, b.missing))


def _chosen(of: Calls, node: Call) -> Code:
    if any(matching.draws(each.value, of.functions) for each in node.arguments[1:]):
        raise Untranslated("ifelse draws its values only where it needs them")
    pairs = arguments.matched(["test", "yes", "no"], node.arguments, "ifelse")
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
    texts = [each.array if each.kind == "column" else each.sequence for each in (test,)]
    texts += [
        each.array
        if each.kind == "column"
        else constructors.double(each)
        if each.kind == "number"
        else each.sequence
        for each in (yes, no)
    ]
    return Code(called("r.ifelse", texts), kind, missing=max(yes.missing, no.missing))


def _replicate(of: Calls, node: Call) -> Code:
    pairs = dict(arguments.matched(["n", "expr", "simplify"], node.arguments, "replicate"))
    made = Function((), pairs["expr"], node.start, node.end)
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
    pairs = arguments.matched(
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
    # as in the calls of R's glm, the family is before the data
    by_name = "data=" if name == "glm" else ""
    texts.append(f"{by_name}{of.data_of(formula, given.get('data'))}")
    if "family" in given:
        family = given["family"]
        called_ = function_name(family) or word(family)
        if isinstance(family, Call) and family.arguments:
            raise Untranslated("the family has a separate link")
        texts.insert(1, quoted(called_))
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
