"""What is known of the results of R's functions, and of what they make of their arguments."""

from __future__ import annotations

from pydpstat.porting._code import Code

# functions of a whole vector, for which the index of a data frame's column does not matter
SUMMARIES = set(
    "mean sum var sd median min max range quantile IQR mad fivenum table any all prod cor cov tapply "
    "weighted_mean summary unique which_max which_min t_test wilcox_test is_in known levels nlevels "
    "as_numeric".split()
)
# kinds of results; "same" is that of the first argument
_KINDS = {
    "number": "mean sum var sd median min max prod IQR mad weighted_mean cor",
    "count": "nrow ncol NROW NCOL length",
    "flag": "any all identical is_null is_numeric is_character is_factor is_logical is_function anyNA",
    "flags": "duplicated complete_cases",
    "text": "toString",
    "texts": "names levels colnames rownames",
    "positions": "which order seq_len seq_along",
    "doubles": "cumsum cumprod diff seq as_numeric numeric fitted residuals rowSums rowMeans",
    "same": "rev sort unique head tail round signif trunc exp log log2 log10 log1p expm1 pmin pmax "
    "droplevels na_omit unname cummax cummin",
    "matrix": "matrix t solve diag cbind crossprod",
    "named": "tapply colMeans colSums table prop_table proportions quantile coef",
    "frame": "read_csv data_frame merge aggregate expand_grid as_data_frame distinct arrange",
    "list": "lapply strsplit Map Filter as_list",
    "dict": "split",
    "factor": "factor as_factor cut",
    "object": "lm glm t_test wilcox_test chisq_test summary hist prop_test binom_test cor_test",
}
RESULT = {name: kind for kind, names in _KINDS.items() for name in names.split()}
# functions whose results are never missing
COMPLETE = set(
    "names levels colnames rownames nlevels length nrow ncol dim which order seq_len seq_along table is_in "
    "duplicated complete_cases tabulate is_null".split()
)
# functions that tell vectors from lists
WHOLE = set("print str rep rev head tail append setNames unlist as_list".split())
# functions for which a list is no vector
OF_NUMBERS = set(
    "mean sum prod sd var median min max range quantile cumsum round signif exp log unique duplicated".split()
)
# functions that make a text of numbers
SHOWING = set(
    "cat print sprintf paste paste0 format as_character toString message formatC prettyNum str nchar "
    "substr grepl".split()
)


def kind_of_result(name: str, first: Code) -> str:
    """Return the kind of what a function gives for a first argument; the empty text where it is not known.

    Examples
    --------
    >>> kind_of_result("rev", Code("x", "doubles")), kind_of_result("nchar", Code("x"))
    ('doubles', '')
    """
    kind = RESULT.get(name, "")
    if kind == "same":
        kind = "doubles" if first.kind == "column" and name in ("exp", "log", "round") else first.kind
        return "" if kind in ("column", "positions", "factor", "dict") else kind
    if kind == "number" and first.kind in ("frame", "matrix") and name in ("var", "cor"):
        return "matrix"
    if kind == "named" and name in ("table", "prop_table", "proportions", "quantile"):
        return ""
    return kind
