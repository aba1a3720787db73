"""Kinds of the results of R's functions, and functions with special results."""

from __future__ import annotations

from collections.abc import Sequence

from pydpstat.porting._code import RELEASE_KINDS, SCALAR_KINDS, Code, TranslationError, make_python_name, write_call
from pydpstat.porting._scope import Scope, get_function_name
from pydpstat.porting._syntax import Call, Name, Node

# functions whose result is as long as the longest argument
_RECYCLING_FUNCTIONS = set("pmin pmax round signif log".split())

# functions of a whole vector, for which the index of a data frame's column does not matter
SUMMARY_FUNCTIONS = set(
    "mean sum var sd median min max range quantile IQR mad fivenum table any all prod cor cov tapply "
    "weighted_mean summary unique which_max which_min t_test wilcox_test is_in known levels nlevels "
    "as_numeric".split()
)
# kinds of mirrors' results other than a single released number
MIRROR_KINDS = {"tableDP": "table", "LaplaceMechanism": "noisy numbers", "GaussianMechanism": "noisy numbers"}
# kinds of results; "same" is that of the first argument
_NAMES_BY_KIND = {
    "number": "mean sum var sd median min max prod IQR mad weighted_mean cor",
    "count": "nrow ncol NROW NCOL length",
    "flag": "any all identical is_null is_numeric is_character is_factor is_logical is_function anyNA",
    "flags": "duplicated complete_cases",
    "text": "toString",
    "texts": "names levels colnames rownames",
    "positions": "which order seq_len seq_along",
    "doubles": "cumprod as_numeric numeric fitted residuals rowSums rowMeans",
    "same": "cumsum diff rev sort unique head tail round signif trunc exp log log2 log10 log1p expm1 pmin pmax "
    "droplevels na_omit unname cummax cummin",
    "matrix": "matrix t solve diag cbind crossprod",
    "named": "tapply colMeans colSums table prop_table proportions quantile coef",
    "frame": "read_csv data_frame merge aggregate expand_grid as_data_frame distinct arrange",
    "time": "Sys_time Sys_Date",
    "list": "lapply strsplit Map Filter as_list",
    "dict": "split",
    "factor": "factor as_factor cut",
    "object": "lm glm t_test wilcox_test chisq_test summary hist prop_test binom_test cor_test",
}
RESULT_KINDS = {name: kind for kind, names in _NAMES_BY_KIND.items() for name in names.split()}
# R's classes for kinds of values, used for dispatch
_R_CLASSES = {"frame": "data.frame", "factor": "factor", "matrix": "matrix"}
# functions whose results are never missing
NEVER_MISSING = set(
    "names levels colnames rownames nlevels length nrow ncol dim which order seq_len seq_along table is_in "
    "duplicated complete_cases tabulate is_null".split()
)
# functions that distinguish vectors from lists
DISTINGUISHES_LISTS = set("print str rep rev head tail append setNames unlist as_list identical all_equal".split())
# functions for which a list is not a vector
VECTORS_ONLY = set(
    "mean sum prod sd var median min max range quantile cumsum round signif exp log unique duplicated".split()
)
# functions that convert numbers to text
TEXT_FUNCTIONS = set(
    "cat print sprintf paste paste0 format as_character toString message formatC prettyNum str nchar "
    "substr grepl".split()
)
# functions of vectors for which a formula has other elements here
_NOT_OF_FORMULAS = TEXT_FUNCTIONS | set("length identical rev head tail unlist as_list is_character names".split())
_EXTREMES_AND_SUMS = set("sum prod min max range".split())
# functions of DPpack whose results are matrices of one column in R
_COLUMN_FUNCTIONS = {"mapXy.linear", "mapXy.sigmoid", "phi.gaussian", "regularizer.l2"}


def translate_as_in_r(name: str, function: str, given: Sequence[str], has_hidden_messages: bool = False) -> Code | None:
    """Return a call of a mirror's function whose result differs in form from R's; None for other functions.

    R's messages are written unless `has_hidden_messages`.

    Examples
    --------
    >>> translate_as_in_r("meanDataAccess", "dppack.meanDataAccess", ["x", "0", "5"]).text
    'r.access(dppack.meanDataAccess(x, 0, 5))'
    """
    if name in _COLUMN_FUNCTIONS:
        return Code(write_call("r.column_of", [function, *given]), "predictions")
    if name == "sensitivitySampler" and not has_hidden_messages:
        return Code(write_call("r.sensitivitySampler", [*given, "rng=rng"]), "object")
    if name.endswith("DataAccess"):
        return Code(write_call("r.access", [write_call(function, given)]), "dict")
    return None


def find_result_kind(name: str, first: Code, others: Sequence[str] = ()) -> str:
    """Return the kind of a function's result for a first argument, or an empty string if unknown.

    `others` are the kinds of the other arguments.

    Examples
    --------
    >>> find_result_kind("rev", Code("x", "doubles")), find_result_kind("nchar", Code("x"))
    ('doubles', '')
    """
    kind = RESULT_KINDS.get(name, "")
    if name in _RECYCLING_FUNCTIONS and first.kind in SCALAR_KINDS and not {*others} <= SCALAR_KINDS:
        return ""
    if kind == "same":
        kind = "doubles" if first.kind == "column" and name in ("exp", "log", "round") else first.kind
        return "" if kind in ("column", "positions", "factor", "dict") else kind
    if kind == "number" and first.kind in ("frame", "matrix") and name in ("var", "cor"):
        return "matrix"
    if kind == "named" and name in ("table", "prop_table", "proportions", "quantile"):
        return ""
    return kind


def find_r_class(node: Call, scope: Scope) -> str:
    """Return the R class of a call's first argument, used for dispatch, or an empty string if unknown."""
    value = next((each.value for each in node.arguments if each.name in (None, "x", "formula", "object")), None)
    if isinstance(value, Name):
        variable = scope.find_variable(value.name)
        kind = variable.kind if variable else ""
        return (variable.package if variable else "") or _R_CLASSES.get(kind, "")
    name = get_function_name(value)
    return "formula" if name == "~" else _R_CLASSES.get(RESULT_KINDS.get(make_python_name(name), ""), "")


def refuse_unlike_r(plain: str, pairs: Sequence[tuple[str, Node]], codes: Sequence[Code]) -> None:
    """Refuse calls whose result in Python differs from R's."""
    first = codes[0].kind if codes else ""
    if plain in ("str", "format") and first == "table" or plain == "str" and first == "named":
        raise TranslationError(f"{plain} of what may be a table")
    if (plain == "cut" or plain.startswith("is_") and plain != "is_na") and codes and codes[0].is_na:
        raise TranslationError(f"{plain.replace('_', '.')} of NA, which is TRUE or FALSE in R")
    if plain == "str" and first in ("list", "dict"):
        raise TranslationError("str of a list, which tells R's doubles from its integers")
    sizes = [code for (key, _), code in zip(pairs, codes) if key == "dim"]
    if plain == "array" and (not sizes or sizes[0].kind in {"null", *SCALAR_KINDS}):
        raise TranslationError("an array of one dimension, which is a vector here: write its values without array()")
    if "formula" in {code.kind for code in codes} and plain in _NOT_OF_FORMULAS:
        raise TranslationError(f"{plain} of a formula")
    if plain == "options" and not codes:
        raise TranslationError("all options, of which most are only R's")
    if plain in _EXTREMES_AND_SUMS and len(codes) > 1 and any(code.is_na for code in codes):
        raise TranslationError(f"{plain} of NA, whose type R has by the other values")
    if plain == "names" and first in {"object", *RELEASE_KINDS}:
        raise TranslationError("the names of a test, a model or a release")
    if plain == "names" and get_function_name(pairs[0][1]) == "dimnames":
        raise TranslationError("the names of dimnames")
    if plain == "factor" and any(key == "exclude" and code.kind == "null" for (key, _), code in zip(pairs, codes)):
        raise TranslationError(f"{plain} with exclude = NULL, by which NA is a level")
