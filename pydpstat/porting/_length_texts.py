"""Lengths of vectors by the text that they come from, and functions of R by the lengths of their values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

# a length for each call of the function that an expression is in: a number, a text that stands for one, or
# an empty string if unknown
Length = tuple[str, ...]
ONE: Length = ("1",)
EMPTY: Length = ("0",)
UNKNOWN: Length = ("",)
# the length of a variable inside its own definition
OWN: Length = ("*",)

COMPARISONS = set("== != < > <= >=".split())
LOGIC = {"&", "|", "!", *COMPARISONS}
ELEMENTWISE = set("+ - * / ^ %% %/%".split()) | LOGIC
# functions with one value for each element of the first argument
SAME_LENGTH = set(
    "exp log log2 log10 log1p expm1 sqrt abs round signif floor ceiling trunc sign sin cos tan tanh is.na is.finite "
    "is.nan as.numeric as.integer as.double as.character as.logical as.vector cumsum cumprod cummax cummin rev order "
    "rank factor as.factor cut ifelse %in% is.element nchar toupper tolower substr format sprintf invisible unname "
    "setNames names scale gsub sub grepl dnorm pnorm qnorm dbinom pbinom dpois ppois punif dunif pexp dexp qexp pt "
    "qt pchisq duplicated choose factorial gamma lgamma ave jitter pmin pmax findInterval suppressWarnings "
    "replace match sapply vapply unsplit lag lead structure".split()
)
ONE_VALUE = set(
    "mean sum var sd median min max prod length nrow ncol NROW NCOL any all nlevels IQR mad weighted.mean cor "
    "isTRUE isFALSE is.null identical which.max which.min Reduce toString && || nchar_type".split()
)
COUNTED = {"numeric", "character", "logical", "integer", "double", "seq_len"}
# functions whose parts, as by $, may have other lengths than one another
LISTS = set("list lapply Map split strsplit Filter mapply by".split())
# functions of a data frame that keep its rows
KEEPS_ROWS = set("transform mutate within cbind arrange as.data.frame droplevels data.frame".split())
# functions whose value is a data frame, or one if the first argument is
FRAMES = KEEPS_ROWS | set(
    "read.csv read.table merge aggregate subset filter rbind expand.grid na.omit [ head tail tibble "
    "distinct left_join bind_rows %>% |>".split()
    + ["summarise"]
)


def shorten_length(length: Length, by: Length) -> Length:
    """Return the length of a vector without as many elements.

    Examples
    --------
    >>> shorten_length(("5",), ONE), shorten_length(("n",), ONE)
    (('4',), ('n less 1',))
    """
    return tuple(
        "" if "" in pair else str(int(pair[0]) - int(pair[1])) if all(map(str.isdigit, pair)) else " less ".join(pair)
        for pair in _spread([length, by])
    )


def _spread(lengths: Sequence[Length]) -> Iterator[tuple[str, ...]]:
    """Yield the lengths of several values in each call of their function."""
    most = max((len(each) for each in lengths), default=0)
    if any(len(each) not in (1, most) for each in lengths):
        return iter([("",) * len(lengths)])
    return zip(*(each * most if len(each) == 1 else each for each in lengths))


def combine_lengths(lengths: Sequence[Length]) -> Length:
    """Return the length of an elementwise result.

    Examples
    --------
    >>> combine_lengths([("3",), ONE]), combine_lengths([("3",), ("6",)]), combine_lengths([("n",), UNKNOWN])
    (('3',), ('6',), ('',))
    """
    return tuple(map(_combine_texts, _spread(lengths))) or UNKNOWN


def _combine_texts(texts: Sequence[str]) -> str:
    left = {each for each in texts if each not in ("1", "*")}
    if not left:
        return "*" if "*" in texts else "1"
    if "" in left:
        return ""
    if all(each.isdigit() for each in left):
        return str(max(map(int, left)))
    return left.pop() if len(left) == 1 else f"longest of {sorted(left)}"


def join_lengths(lengths: Sequence[Length]) -> Length:
    """Return the length of a value that is one of several.

    Examples
    --------
    >>> join_lengths([("3",), OWN]), join_lengths([ONE, ("n",)])
    (('3',), ('1|n',))
    """
    others = [each for each in lengths if each != OWN]
    if len(others) < len(lengths):
        # what is empty at first grows
        others = [each for each in others if each != EMPTY]
    return tuple(map(_join_texts, _spread(others))) or OWN


def _join_texts(texts: Sequence[str]) -> str:
    different = dict.fromkeys(part for each in texts for part in each.split("|") if part != "*")
    if len(different) > 1:
        # what is empty at first grows
        different.pop("0", None)
    return "" if "" in different else "|".join(different) or "*"


def can_differ(left: Length, right: Length) -> bool:
    """Return whether two lengths are unequal, or not shown to be equal, and neither is 1 or unknown.

    Examples
    --------
    >>> can_differ(("n",), ("m",)), can_differ(("n",), ONE), can_differ(("n",), UNKNOWN)
    (True, False, False)
    """
    return any(_differ_texts(*each) for each in _spread([left, right]))


def _differ_texts(first: str, second: str) -> bool:
    if first == second or "" in (first, second):
        return False
    pairs = ((a, b) for a in first.split("|") for b in second.split("|"))
    return any(a != b and "1" not in (a, b) and "*" not in (a, b) for a, b in pairs)
