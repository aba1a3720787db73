"""What R's functions say of results that reticulate hands over: print, as.numeric, coef, confint and others.

R finds a method by an object's class, and reticulate gives an object the names of its Python classes. The
methods are made in R when R has imported the package, and call the functions below.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pydpstat._data.values import is_missing
from pydpstat.results._exports import name_index_levels

# the bases of all that has a frame and a summary, and of all objects, by their names in R
_REPORT_CLASS = "pydpstat.results._exports.Report"
_BASE_CLASS = "pydpstat._answering.HelpfulErrors"
_R_METHODS = """
function(numbers, names, frame, intervals, text, shown_text) {
  method <- function(generic, f, class = "%s")
    for (each in class) registerS3method(generic, each, f, envir = asNamespace("stats"))
  named <- function(x) stats::setNames(as.double(unlist(numbers(x))), unlist(names(x)))
  method("as.double", function(x, ...) as.double(unlist(numbers(x))))
  method("coef", function(object, ...) named(object))
  method("as.data.frame", function(x, row.names = NULL, optional = FALSE, ...)
    data.frame(lapply(frame(x), unlist), row.names = row.names, check.names = FALSE))
  method("confint", function(object, parm, level = 0.95, ...) {
    found <- intervals(object, level)
    ends <- cbind(as.double(unlist(found[[2]])), as.double(unlist(found[[3]])))
    tails <- 100 * c((1 - level) / 2, (1 + level) / 2)
    dimnames(ends) <- list(unlist(found[[1]]), paste(format(tails, trim = TRUE), "%%"))
    if (missing(parm)) ends else ends[parm, , drop = FALSE]
  })
  method("summary", function(object, ...) structure(text(object), class = "pydpstat.summary"))
  method("print", function(x, ...) { writeLines(shown_text(x)); invisible(x) }, "%s")
  method("print", function(x, ...) writeLines(unclass(x)), "pydpstat.summary")
  NULL
}
"""


def collect_numbers(result: Any) -> list[float]:
    """Return what a result estimates as numbers, in R's order."""
    return [float(each) for each in result.params]


def get_names(result: Any) -> list[str]:
    """Return the names of these numbers."""
    return list(map(str, result.params.index))


def convert_frame_to_lists(result: Any) -> Mapping[str, Sequence[object]]:
    """Return a result's frame as lists: which arrays reticulate takes depends on NumPy's version."""
    # a test has numbers and one interval
    table = result.to_frame() if hasattr(result, "to_frame") else result.params.to_frame("estimate")
    levels = [table.index.get_level_values(place) for place in range(table.index.nlevels)]
    # numbers that pandas gives by itself name nothing
    kept = [] if type(table.index).__name__ == "RangeIndex" else levels
    keys: dict[str, list[object]] = {
        name: list(map(str, each)) for name, each in zip(name_index_levels(table.index), kept)
    }
    return {**keys, **{str(name): _convert_column_to_r(table[name].tolist()) for name in table}}


def _convert_column_to_r(values: list[object]) -> list[object]:
    """Return a column that R takes for one: numbers with NaN, or texts, where a missing one is empty."""
    if all(is_missing(each) or isinstance(each, (bool, int, float)) for each in values):
        return [math.nan if is_missing(each) else each for each in values]
    return ["" if is_missing(each) else str(each) for each in values]


def collect_intervals(result: Any, level: float) -> list[list[object]]:
    """Return the names, the lower and the upper ends of intervals of a level."""
    found = result.conf_int(alpha=1.0 - level)
    ends = np.atleast_2d(np.asarray(found, dtype=np.float64))
    if isinstance(found, tuple):
        # of a test's parameter, or of the mean of one column's moments
        known = [getattr(result, "parameter", "mean")]
    else:
        known = list(map(str, found.index)) if hasattr(found, "index") else get_names(result)
    return [known, *ends.T.tolist()]


def format_summary(result: Any) -> str:
    """Return the summary's page."""
    return str(result.summary())


def register_r_methods() -> None:
    """Make the methods in the R that runs this Python; nothing where there is none."""
    # what reticulate calls R by, unless a user has taken the name for something else
    r: Any = getattr(sys.modules["__main__"], "r", None)
    if type(r).__name__ == "R" and hasattr(type(r), "__getitem__"):
        r[_R_METHODS % (_REPORT_CLASS, _BASE_CLASS)](
            collect_numbers, get_names, convert_frame_to_lists, collect_intervals, format_summary, str
        )
