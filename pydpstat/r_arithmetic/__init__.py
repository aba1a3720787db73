"""R's arithmetic, bit for bit: sums, order statistics, rounding, histograms and tables.

The functions take array_likes and return plain numbers, arrays or small frozen dataclasses. Each reproduces the result
of R 4.2.2 on x86-64, from which NumPy's function of the same name often differs in the last bit. The functions add no
noise.
"""

from pydpstat._lazy import explain_missing_names as _answer_names
from pydpstat.r_arithmetic.distributions import pnorm, qnorm
from pydpstat.r_arithmetic.elementary import exp, log
from pydpstat.r_arithmetic.factor import Factor, factor
from pydpstat.r_arithmetic.histogram import Histogram, breaks_fd, breaks_scott, breaks_sturges, hist
from pydpstat.r_arithmetic.moments import cov, cumsum, mean, sum, var
from pydpstat.r_arithmetic.order import median, quantile, sort
from pydpstat.r_arithmetic.rounding import as_character, pretty, round
from pydpstat.r_arithmetic.table import Table, table

__all__ = [
    "Factor",
    "Histogram",
    "Table",
    "as_character",
    "breaks_fd",
    "breaks_scott",
    "breaks_sturges",
    "cov",
    "cumsum",
    "exp",
    "factor",
    "hist",
    "log",
    "mean",
    "median",
    "pnorm",
    "pretty",
    "qnorm",
    "quantile",
    "round",
    "sort",
    "sum",
    "table",
    "var",
]

_answer_names(globals())
del _answer_names
