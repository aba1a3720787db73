"""R's functions whose translation is not a call of a function with the same name."""

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
    ELEMENT_OF,
    NUMBER_KINDS,
    SCALAR_KINDS,
    SUM,
    TERNARY,
    VECTOR_KINDS,
    VECTOR_OF,
    Code,
    TranslationError,
    write_call,
)
from pydpstat.porting._escapes import quote_text
from pydpstat.porting._labels import LABELLED_FUNCTIONS, add_call_labels
from pydpstat.porting._scope import get_function_name, get_word, make_call
from pydpstat.porting._syntax import Call, Constant, Function, Name, Node

# functions that convert one value to text
_TEXT_FUNCTIONS = {"as.character", "paste", "paste0", "tolower", "toupper", "substr", "format", "class"}


def get_special_translators(translator: Calls) -> dict[str, Callable[[Call], Code]]:
    """Return the translators of functions whose translation is not a call of the same name."""
    one = _make_first_translator(translator)
    return {
        "c": lambda node: constructors.translate_c(translator, node),
        "list": lambda node: constructors.as_list(translator, node),
        "data.frame": lambda node: constructors.data_frame(translator, node),
        "length": one(_translate_length),
        "nrow": one(lambda x: Code(f"len({x.text})", "count") if x.kind == "frame" else None),
        "NROW": one(lambda x: Code(f"len({x.text})", "count") if x.kind in VECTOR_KINDS else None),
        "is.null": one(lambda x: Code(f"{x.wrap_at(COMPARE + 1)} is None", "flag", COMPARE)),
        "is.na": one(_translate_is_na),
        "seq_len": one(_translate_seq_len),
        "seq_along": one(lambda x: _translate_seq_along(translator, x)),
        "numeric": lambda node: constructors.translate_zeros(translator, node, "", "doubles"),
        "double": lambda node: constructors.translate_zeros(translator, node, "", "doubles"),
        "integer": lambda node: constructors.translate_zeros(translator, node, ", dtype=int", "ints"),
        "logical": lambda node: constructors.translate_zeros(translator, node, ", dtype=bool", "flags"),
        "vector": lambda node: constructors.translate_vector(translator, node),
        "rep": lambda node: constructors.translate_rep(translator, node),
        "switch": lambda node: _translate_ternary(translator, expand_switch(translator, node)),
        "replicate": lambda node: _translate_replicate(translator, node),
        "~": lambda node: Code(quote_text(_write_formula(translator, node)), "formula"),
        "lm": lambda node: _translate_model(translator, node),
        "glm": lambda node: _translate_model(translator, node),
        "new": lambda node: _translate_new(translator, node),
        "predict": lambda node: _translate_predict(translator, node),
        "if": lambda node: _translate_ternary(translator, node),
        "ifelse": lambda node: _translate_ifelse(translator, node),
        "xor": lambda node: _translate_xor(translator, node),
        "unname": one(lambda x: Code(f"{x.wrap_at(ATOM)}.values", "doubles") if x.kind == "named" else None),
        "cbind": lambda node: constructors.translate_bind(translator, node),
        "rbind": lambda node: constructors.translate_bind(translator, node),
        "{": lambda node: _translate_block(translator, node),
        **{
            name: add_call_labels(translator.translate_r_call, name, translator.is_lenient)
            for name in LABELLED_FUNCTIONS
            if name != "rep"
        },
        **{name: _make_refusal(name) for name in ("for", "while", "repeat", "break", "next", "return")},
    }


def _make_first_translator(
    translator: Calls,
) -> Callable[[Callable[[Code], Code | None]], Callable[[Call], Code]]:
    def wrap_translation(made: Callable[[Code], Code | None]) -> Callable[[Call], Code]:
        def translate_special(node: Call) -> Code:
            if (
                len(node.arguments) == 1
                and (found := made(translator.translate_node(node.arguments[0].value))) is not None
            ):
                return found
            return translator.translate_r_call(node, get_function_name(node))

        return translate_special

    return wrap_translation


def _make_refusal(name: str) -> Callable[[Call], Code]:
    def refuse_node(node: Call) -> Code:
        raise TranslationError(f"{name} inside an expression")

    return refuse_node


def _translate_seq_len(n: Code) -> Code | None:
    if not n.is_whole:
        return None
    return Code(f"np.arange(1, {_write_successor(n)})", "positions", plain=f"range(1, {_write_successor(n)})")


def _write_successor(n: Code) -> str:
    return str(int(n.text) + 1) if n.text.isdigit() else f"{n.wrap_at(SUM)} + 1"


def _translate_length(x: Code) -> Code | None:
    if x.kind == "frame":
        return Code(f"len({x.wrap_at(ATOM)}.columns)", "count")
    return Code(f"len({x.text})", "count") if x.kind in {*VECTOR_KINDS, "column", "list", "dict", "named"} else None


def _translate_seq_along(translator: Calls, x: Code) -> Code:
    n = (_translate_length(x) or Code(write_call("r.length", [x.text]))).text
    return Code(f"np.arange(1, {n} + 1)", "positions", plain=f"range(1, {n} + 1)")


def _translate_xor(translator: Calls, node: Call) -> Code:
    both = [translator.check_missing(translator.translate_node(each.value)) for each in node.arguments]
    if any(each.is_na for each in both):
        raise TranslationError("xor with NA is NA")
    return Code(write_call("np.logical_xor", [each.array for each in both]), "truth")


def _translate_is_na(x: Code) -> Code:
    if x.kind == "column":
        return Code(f"{x.wrap_at(ATOM)}.isna()", "column", frame=x.frame)
    kind = "flag" if x.kind in SCALAR_KINDS else "flags" if x.kind in VECTOR_KINDS else "truth"
    return Code(write_call("r.is_na", [x.text]), kind)


def expand_switch(translator: Calls, node: Call) -> Call:
    """Return ``switch`` of a string as branches."""
    first, *ways = node.arguments
    chosen = first.value
    if len(ways) > 1 and not any(each.name for each in ways):
        return _expand_numeric_switch(translator, node)
    if get_function_name(chosen) in _TEXT_FUNCTIONS:
        chosen = translator.assign_temporary(translator.translate_node(chosen), "choice")
    if not isinstance(chosen, Name):
        raise TranslationError("switch of what is no variable")
    variable = translator.scope.find_variable(chosen.name)
    if variable is None or variable.kind not in ("text", ""):
        raise TranslationError(f"switch: {chosen.name} may be a number or a text")
    if not variable.kind:
        # a number would select by position
        code = Code(write_call("r.single_text", [variable.python]))
        chosen = translator.assign_temporary(code, "choice")
    default = [each.value for each in ways if not each.name]
    if len(default) > 1:
        raise TranslationError("switch has two values without a name")
    last = default[0] if default else None
    tests: list[tuple[Node, Node]] = []
    waiting: Node | None = None
    for each in ways:
        if not each.name:
            continue
        test: Node = make_call("==", chosen, Constant(each.name, "character"), like=node)
        waiting = test if waiting is None else make_call("||", waiting, test, like=node)
        if each.value is not None:
            tests.append((waiting, each.value))
            waiting = None
    if waiting is not None or not tests:
        raise TranslationError("switch ends with a name without a value")
    found = last or Constant(None, "NULL", node.start, node.end)
    for test, value in reversed(tests):
        found = make_call("if", test, value, found, like=node)
    return found  # type: ignore[return-value]


def _expand_numeric_switch(translator: Calls, node: Call) -> Call:
    """Return ``switch`` of a number, which selects by position, as branches."""
    chosen, *values = (each.value for each in node.arguments)
    kind = translator.translate_node(chosen).kind
    if kind not in (*NUMBER_KINDS, "") or None in values or chosen is None:
        raise TranslationError(f"switch by the place of a value, which is given by a {kind or 'missing value'}")
    if not isinstance(chosen, Name):
        chosen = translator.assign_temporary(translator.translate_node(chosen), "choice", kind)
    found: Node = Constant(None, "NULL", node.start, node.end)
    for k, value in reversed(list(enumerate(values, 1))):
        place = chosen if kind in ("position", "count") else make_call("trunc", chosen, like=node)
        test = make_call("==", place, Constant(float(k), "double"), like=node)
        found = make_call("if", test, value, found, like=node)  # type: ignore[arg-type]
    return found  # type: ignore[return-value]


def _translate_ternary(translator: Calls, node: Call) -> Code:
    test, first, *rest = (each.value for each in node.arguments)
    condition = translator.translate_condition(test)
    a = translator.translate_node(first)
    b = translator.translate_node(rest[0]) if rest else Code("None", "null")
    text = f"{a.wrap_at(TERNARY + 1)} if {condition.wrap_at(TERNARY + 1)} else {b.wrap_at(TERNARY)}"
    return Code(text, a.kind if a.kind == b.kind else "", TERNARY, missing=max(a.missing, b.missing))


def _translate_ifelse(translator: Calls, node: Call) -> Code:
    if any(matching.can_draw(each.value, translator.functions) for each in node.arguments[1:]):
        raise TranslationError("ifelse draws its values only where it needs them")
    pairs = arguments.match_parameters(["test", "yes", "no"], node.arguments, "ifelse")
    test, yes, no = (
        translator.translate_node(value) for _, value in sorted(pairs, key=lambda each: "tyn".index(each[0][0]))
    )
    kind = ""
    if test.kind in ("flags", "column"):
        both = {ELEMENT_OF.get(each.kind, each.kind) for each in (yes, no)}
        kind = (
            "doubles" if both <= {*NUMBER_KINDS, "column"} else VECTOR_OF.get(both.pop(), "") if len(both) == 1 else ""
        )
    texts = [each.array if each.kind == "column" else each.sequence for each in (test,)]
    texts += [
        each.array
        if each.kind == "column"
        else constructors.write_double(each)
        if each.kind == "number"
        else each.sequence
        for each in (yes, no)
    ]
    return Code(write_call("r.ifelse", texts), kind, missing=max(yes.missing, no.missing))


def _translate_replicate(translator: Calls, node: Call) -> Code:
    pairs = dict(arguments.match_parameters(["n", "expr", "simplify"], node.arguments, "replicate"))
    made = Function((), pairs["expr"], node.start, node.end)
    more = [f"simplify={translator.translate_node(pairs['simplify']).text}"] if "simplify" in pairs else []
    return Code(
        write_call(
            "r.replicate",
            [translator.translate_node(pairs["n"]).text, translator.translate_function(made).text, *more],
        ),
        "",
        missing=1,
    )


def _translate_block(translator: Calls, node: Call) -> Code:
    if len(node.arguments) != 1:
        raise TranslationError("several statements inside an expression")
    return translator.translate_node(node.arguments[0].value)


def _write_formula(translator: Calls, node: Node) -> str:
    return re.sub(r"\s+", " ", translator.script.written(node))


def _translate_model(translator: Calls, node: Call) -> Code:
    name = get_function_name(node)
    pairs = arguments.match_parameters(
        ["formula", "data", "weights", "family"] if name == "lm" else ["formula", "family", "data", "weights"],
        node.arguments,
        name,
    )
    given = dict(pairs)
    formula = given.get("formula")
    if get_function_name(formula) != "~":
        raise TranslationError(f"the formula of {name} is computed")
    texts = [quote_text(_write_formula(translator, formula))]  # type: ignore[arg-type]
    # as in R's glm, the family precedes the data
    by_name = "data=" if name == "glm" else ""
    texts.append(f"{by_name}{translator.translate_formula_data(formula, given.get('data'))}")
    if "family" in given:
        family = given["family"]
        called_ = get_function_name(family) or get_word(family)
        if isinstance(family, Call) and family.arguments:
            raise TranslationError("the family has a separate link")
        texts.insert(1, quote_text(called_))
    if "weights" in given:
        texts.append(f"weights={translator.translate_node(given['weights']).text}")
    return Code(write_call(f"r.{name}", texts), "object")


def _translate_new(translator: Calls, node: Call) -> Code:
    first, *rest = node.arguments
    name = get_word(first.value)
    if name not in dir(matching.PACKAGES["diffpriv"]) or first.name not in (None, "Class"):
        raise TranslationError(f"new makes a {name or 'class that is computed'}, which is none of diffpriv's")
    return translator.translate_mirror_call(replace(node, arguments=tuple(rest)), "diffpriv", name)


def _translate_predict(translator: Calls, node: Call) -> Code:
    first = node.arguments[0].value
    variable = translator.scope.find_variable(get_word(first)) if isinstance(first, Name) else None
    package = variable.package if variable else ""
    if package == "bernstein" or translator.is_lenient:
        return translator.translate_mirror_call(node, "diffpriv", "predict")
    if package in ("lm", "glm"):
        return translator.translate_r_call(node, "predict")
    raise TranslationError("predict of an object that is not known here")
