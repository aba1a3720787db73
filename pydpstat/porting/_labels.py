"""Results of R that depend on the text of a call: names of a table's factors, and whole numbers as doubles."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from pydpstat.dppack import tableDP
from pydpstat.porting import _call_arguments as arguments
from pydpstat.porting._argument_matching import DOTS
from pydpstat.porting._code import Code, TranslationError, make_python_name, write_call
from pydpstat.porting._deparse import format_as_r
from pydpstat.porting._escapes import quote_text
from pydpstat.porting._scope import get_arguments, get_function_name
from pydpstat.porting._syntax import Argument, Call, Constant, Name

# functions whose result has the type of some arguments, by their names in Python; None for all
_TYPED_PARAMETERS: dict[str, set[str] | None] = {
    **dict.fromkeys(("matrix", "array"), {"data"}),
    **dict.fromkeys(("rep_len", "rep", "append"), {"x", "values"}),
    **dict.fromkeys(("pmin", "pmax"), None),
    "seq": {"from_", "to", "by"},
    "sweep": {"STATS"},
    "diag": {"x"},
    "tapply": {"default"},
}
# positions of these among the unnamed arguments
_TYPED_PLACES = {
    **dict.fromkeys(("matrix", "array", "rep_len", "rep", "diag"), slice(1)),
    **{"append": slice(2), "seq": slice(3), "tapply": slice(0), "sweep": slice(2, 3)},
}
# tests and histograms, and the arguments whose texts R prints as the names of the data
DATA_NAME_PARAMETERS = {
    **dict.fromkeys("t.test wilcox.test chisq.test cor.test var.test fisher.test ks.test".split(), ("x", "y")),
    **dict.fromkeys(("prop.test", "binom.test"), ("x", "n")),
    **{"shapiro.test": ("x", "x"), "kruskal.test": ("x", "g"), "hist": ("x", "x")},
}
# parameters that take a function, and those of functions with one that are positions
FUNCTION_PARAMETERS = {"FUN", "f", "what", "FUNCTION"}
_PLACE_PARAMETERS = {"MARGIN", "n"}
LABELLED_FUNCTIONS = (*_TYPED_PARAMETERS, *DATA_NAME_PARAMETERS, "table")


def add_call_labels(call_of: Callable[[Call, str], Code], name: str, lenient: bool = False) -> Callable[[Call], Code]:
    """Return a translator of a function that adds the labels that R takes from the text of the call."""

    def translate_labelled(node: Call) -> Code:
        if name == "table":
            return call_of(name_factors(node), name)
        if name in DATA_NAME_PARAMETERS:
            code = call_of(node, name)
            return code if lenient else name_data(code, node, name)
        return keep_doubles(call_of(node, name), node, name)

    return translate_labelled


def name_factors(node: Call) -> Call:
    """Return a call of ``table`` whose dimensions have the names of the variables, as in R.

    Examples
    --------
    >>> from pydpstat.porting import parse
    >>> [each.name for each in name_factors(parse("table(a, d$b)").expressions[0]).arguments]
    [None, None, 'dnn']
    """
    given = node.arguments
    options = {"dnn", "deparse.level"}
    if any(each.name in options for each in given):
        return node
    factors = [each for each in given if each.name is None and each.value is not None]
    names = [each.value.name if isinstance(each.value, Name) else "" for each in factors]
    if not any(names) or any(each.name not in (None, "useNA", "exclude") for each in given):
        return node
    texts = [Argument(None, Constant(name, "character")) for name in names]
    dnn = texts[0].value if len(texts) == 1 else Call(Name("c"), tuple(texts))
    return replace(node, arguments=(*given, Argument("dnn", dnn)))


def keep_doubles(code: Code, node: Call, name: str) -> Code:
    """Return a call whose whole numbers are written as doubles where R's result has their type.

    Examples
    --------
    >>> from pydpstat.porting import parse
    >>> keep_doubles(Code("r.matrix(0, 2, 2)"), parse("matrix(0, 2, 2)").expressions[0], "matrix").text
    'r.matrix(0.0, 2, 2)'
    """
    given = [get_arguments(each)[0] if get_function_name(each) == "-" else each for each in get_arguments(node)]
    constants = [each for each in given if isinstance(each, Constant)]
    tree = ast.parse(code.text, mode="eval").body
    if any(each.kind == "integer" for each in constants) or not isinstance(tree, ast.Call):
        return code
    # R's from:to are integers
    if name == "seq" and len(node.arguments) < 3:
        return code
    keys = _TYPED_PARAMETERS[name]
    places = [
        *tree.args[_TYPED_PLACES.get(name, slice(None))],
        *(one.value for one in tree.keywords if keys and one.arg in keys),
    ]
    numbers = [each.operand if isinstance(each, ast.UnaryOp) else each for each in places]
    whole = [each for each in numbers if isinstance(each, ast.Constant) and type(each.value) is int]
    return replace(code, text=_insert_after(code.text, whole, ".0"))


def write_doubles(name: str, codes: list[tuple[str, Code]]) -> list[tuple[str, Code]]:
    """Return arguments with doubles written as such where they determine the result's type or go to a function.

    Examples
    --------
    >>> write_doubles("matrix", [("data", Code("n - 1", double=True)), ("nrow", Code("n", double=True))])[0][1].text
    'float(n - 1)'
    """
    if any(key in FUNCTION_PARAMETERS or key == "default" for key, _ in codes):
        typed = {key for key, _ in codes} - _PLACE_PARAMETERS
    elif name not in _TYPED_PARAMETERS or (name == "seq" and len(codes) < 3):
        typed = set()
    else:
        typed = _TYPED_PARAMETERS[name] or {key for key, _ in codes}
    return [(key, replace(code, text=code.typed_text) if code.double and key in typed else code) for key, code in codes]


def _insert_after(text: str, places: Sequence[ast.expr], more: str) -> str:
    """Return a text with a suffix after some of its parts; positions count bytes."""
    written = text.encode()
    for end in sorted((each.end_col_offset or 0 for each in places), reverse=True):
        written = written[:end] + more.encode() + written[end:]
    return written.decode()


def drop_column_names(code: Code) -> Code:
    """Return a call of ``tableDP`` in which columns of data frames do not name dimensions, as in R.

    Examples
    --------
    >>> drop_column_names(Code('dppack.tableDP(d["a"], eps=1)')).text
    'dppack.tableDP(d["a"].values, eps=1)'
    """
    tree = ast.parse(code.text, mode="eval").body
    given = tree.args if isinstance(tree, ast.Call) and code.text.startswith("dppack.tableDP(") else []
    columns = [
        each
        for each in given
        if isinstance(each, ast.Subscript)
        and isinstance(each.slice, ast.Constant)
        and isinstance(each.slice.value, str)
    ]
    return replace(code, text=_insert_after(code.text, columns, ".values"))


def name_variables(code: Code, node: Call) -> Code:
    """Return a call of ``tableDP`` whose factors without a keyword have the names of the variables.

    Examples
    --------
    >>> from pydpstat.porting import parse
    >>> call = parse("tableDP(a, d$b)").expressions[0]
    >>> name_variables(Code('dppack.tableDP(a, d["b"].values)'), call).text
    'dppack.tableDP(pd.Series(a, name="a"), d["b"].values)'
    """
    tree = ast.parse(code.text, mode="eval").body
    factors = [each.value for each in node.arguments if each.name is None]
    given = tree.args if isinstance(tree, ast.Call) and code.text.startswith("dppack.tableDP(") else []
    if len(given) < len(factors):
        return code
    text = code.text.encode()
    for value, each in reversed([*zip(factors, given)]):
        if isinstance(value, Name):
            inner, end = text[each.col_offset : each.end_col_offset].decode(), text[each.end_col_offset :]
            named = write_call("pd.Series", [inner, f"name={quote_text(value.name)}"])
            text = text[: each.col_offset] + named.encode() + end
    return replace(code, text=text.decode())


def name_columns(node: Call) -> Call:
    """Return a call of ``tableDP`` whose factors have R's names, if all of them are variables."""
    factors = [each for each in node.arguments if each.name is None]
    names = [each.value.name for each in factors if isinstance(each.value, Name)]
    options = set(inspect.signature(tableDP).parameters)
    plain = all(make_python_name(name) == name and name.isascii() and name not in options for name in names)
    if len(names) < len(factors) or len(set(names)) < len(names) or not plain:
        return node
    given = tuple(
        replace(each, name=each.value.name) if each.name is None and isinstance(each.value, Name) else each
        for each in node.arguments
    )
    return replace(node, arguments=given)


def name_data(code: Code, node: Call, name: str) -> Code:
    """Return a call of a test or ``hist`` with the data name that R prints, unless a formula supplies it.

    Examples
    --------
    >>> from pydpstat.porting import parse
    >>> name_data(Code("r.t_test(x, y)"), parse("t.test(x, y)").expressions[0], "t.test").text
    'r.t_test(x, y, data_name="x and y")'
    """
    first, second = DATA_NAME_PARAMETERS[name]
    try:
        found = dict(arguments.match_parameters([first, second, DOTS], node.arguments, name))
    except TranslationError:
        return code
    if get_function_name(found.get(first)) == "~" or not code.text.startswith("r."):
        return code
    if isinstance(found.get("y"), Constant):
        # the name of a distribution is not a sample
        del found["y"]
    texts = [format_as_r(found[each]) for each in dict.fromkeys((first, second)) if each in found]
    null = found.get("p") if name == "prop.test" else None
    word = "probability" if isinstance(null, Constant) else "probabilities"
    if None in texts or not texts or (null and word != "probability" and get_function_name(null) != "c"):
        return code
    between = " out of " if name == "prop.test" else " and "
    text = between.join(map(str, texts)) + (f", null {word} {format_as_r(null)}" if null else "")
    more = f", {'xname' if name == 'hist' else 'data_name'}={quote_text(text)})"
    return replace(code, text=code.text.removesuffix(")") + more)


def drop_data_name(code: Code) -> Code:
    """Return a call without its data name, where only a part of the result is used."""
    return replace(code, text=re.sub(r', (?:data_name|xname)="(?:[^"\\]|\\.)*"\)$', ")", code.text))
