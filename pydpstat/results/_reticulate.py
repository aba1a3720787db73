"""R methods of results in reticulate: print, as.numeric, coef, confint and others.

R dispatches on an object's class, and reticulate assigns the names of the Python classes. The methods are
registered when R imports the package, and call the functions below.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pydpstat._data.values import is_missing
from pydpstat.results._exports import name_index_levels

# R class names of the base of results with a frame and a summary, and of the base of all objects
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
    """Return the estimates of a result, in R's order."""
    return [float(value) for value in result.params]


def get_names(result: Any) -> list[str]:
    """Return the names of the estimates."""
    return list(map(str, result.params.index))


def convert_frame_to_lists(result: Any) -> Mapping[str, Sequence[object]]:
    """Return a result's frame as lists, which reticulate converts with any version of NumPy."""
    # results without to_frame have params
    table = result.to_frame() if hasattr(result, "to_frame") else result.params.to_frame("estimate")
    levels = [table.index.get_level_values(level) for level in range(table.index.nlevels)]
    # a default index has no names
    key_levels = [] if type(table.index).__name__ == "RangeIndex" else levels
    keys: dict[str, list[object]] = {
        name: list(map(str, column)) for name, column in zip(name_index_levels(table.index), key_levels)
    }
    return {**keys, **{str(name): _convert_column_to_r(table[name].tolist()) for name in table}}


def _convert_column_to_r(values: list[object]) -> list[object]:
    """Return a column of numbers with NaN, or of texts with empty ones for missing values."""
    if all(is_missing(value) or isinstance(value, (bool, int, float)) for value in values):
        return [math.nan if is_missing(value) else value for value in values]
    return ["" if is_missing(value) else str(value) for value in values]


def collect_intervals(result: Any, level: float) -> list[list[object]]:
    """Return names, lower limits and upper limits of the intervals of a level."""
    intervals = result.conf_int(alpha=1.0 - level)
    limits = np.atleast_2d(np.asarray(intervals, dtype=np.float64))
    if isinstance(intervals, tuple):
        # a single interval: a test's parameter, or the mean of one column's moments
        names = [getattr(result, "parameter", "mean")]
    else:
        names = list(map(str, intervals.index)) if hasattr(intervals, "index") else get_names(result)
    return [names, *limits.T.tolist()]


def format_summary(result: Any) -> str:
    """Return the summary as text."""
    return str(result.summary())


def register_r_methods() -> None:
    """Register the methods in the embedding R session, if there is one."""
    # reticulate's handle of R, unless a user has reassigned the name
    r: Any = getattr(sys.modules["__main__"], "r", None)
    if type(r).__name__ == "R" and hasattr(type(r), "__getitem__"):
        r[_R_METHODS % (_REPORT_CLASS, _BASE_CLASS)](
            collect_numbers, get_names, convert_frame_to_lists, collect_intervals, format_summary, str
        )
