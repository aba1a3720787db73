"""Base R's functions under R's names, for scripts that are translated from R.

Dots are underscores. Vectors are NumPy arrays, named vectors Series, lists are lists or dicts, factors
Categoricals, and NULL is None. Calls whose result would differ from R's are refused.
"""

# fmt: off
# ruff: noqa: A004, I001
from pydpstat.porting.r._conversions import (
    all_equal, as_character, as_integer, as_logical, as_numeric, as_vector, identical, isFALSE, isTRUE,
    is_character, is_data_frame, is_factor, is_function, is_list, is_logical, is_matrix, is_null,
    is_numeric,
)
from pydpstat.porting.r._data_files import read_csv, tempfile, write_csv, write_table
from pydpstat.porting.r._distributions import (
    dbeta, dbinom, dchisq, dexp, df, dgamma, dgeom, dlnorm, dnorm, dpois, dt, dunif, dweibull, pbeta,
    pbinom, pchisq, pexp, pf, pgamma, pgeom, plnorm, pnorm, ppois, pt, punif, pweibull, qbeta, qbinom,
    qchisq, qexp, qf, qgamma, qgeom, qlnorm, qnorm, qpois, qt, qunif, qweibull,
)
from pydpstat.porting.r._elements import (
    abs, anyNA, beta, ceiling, choose, cos, droplevels, equal, exp, expm1, factorial, floor, gamma,
    is_na, known, levels, lgamma, log, log10, log1p, log2, nchar, nlevels, ordered, power, round,
    set_levels, sign, signif, sin, sqrt, tan, tanh, trunc, unequal,
)
from pydpstat.porting.r._fits import residuals
from pydpstat.porting.r._formats import format, formatC, prettyNum, sprintf
from pydpstat.porting.r._frames import as_data_frame, bind, cbind, data_frame, make_names, rbind
from pydpstat.porting.r._groups import (
    Filter, Map, Reduce, apply, ave, do_call, lapply, mapply, relevel, replicate, rowsum, sapply, split,
    tapply, vapply, with_stream,
)
from pydpstat.porting.r._histograms import hist, nclass_FD, nclass_Sturges, nclass_scott, pretty
from pydpstat.porting.r._joins import aggregate, complete_cases, expand_grid, merge, na_omit
from pydpstat.porting.r._linear_algebra import (
    array, crossprod, det, diag, dimnames, drop, isSymmetric, lower_tri, matmul, scale, set_dimnames, solve,
    sweep, tcrossprod, upper_tri,
)
from pydpstat.porting.r._matrices import (
    as_matrix, cells, colMeans, colSums, colnames, columns, dim, matrix, ncol, nrow, replaced_cells,
    rowMeans, rowSums, rownames, rows, set_colnames, set_rownames, t,
)
from pydpstat.porting.r._mirrors import access, column_of, sensitivitySampler
from pydpstat.porting.r._model_summaries import anova
from pydpstat.porting.r._models import (
    AIC, BIC, coef, deviance, df_residual, fitted, glm, lm, logLik, nobs, sigma, vcov,
)
from pydpstat.porting.r._operators import column_or, divide, each, modulo, quotient, recycled, slot
from pydpstat.porting.r._options import Sys_Date, Sys_time, getOption, options
from pydpstat.porting.r._order_statistics import (
    IQR, approx, cut, findInterval, fivenum, mad, quantile, summary, tabulate,
)
from pydpstat.porting.r._orders import (
    Find, Negate, Position, duplicated, intersect, is_in, match, order, rank, setdiff, sort, union,
    unique, which, which_max, which_min,
)
from pydpstat.porting.r._patterns import gregexpr, grep, grepl, gsub, regexpr, regmatches, strsplit, sub
from pydpstat.porting.r._positions import element, index, part, replaced, replaced_element
from pydpstat.porting.r._predictions import confint, confint_default, predict
from pydpstat.porting.r._printing import cat, print, printed
from pydpstat.porting.r._rank_tests import kruskal_test, ks_test, shapiro_test, wilcox_test
from pydpstat.porting.r._roots import uniroot
from pydpstat.porting.r._sequences import (
    character, colon, integer, logical, numeric, population, rep, rep_len, seq, seq_along, seq_len,
)
from pydpstat.porting.r._strings import (
    casefold, chartr, endsWith, intToUtf8, make_unique, message, nzchar, paste, paste0, single_text, startsWith,
    strrep, strtoi, substr, substring, toString, tolower, toupper, trimws, utf8ToInt,
)
from pydpstat.porting.r._shapes import released
from pydpstat.porting.r._structure import rle, str
from pydpstat.porting.r._summaries import (
    all, any, cor, cov, cummax, cummin, cumprod, cumsum, diff, max, mean, median, min, pmax, pmin, prod,
    range, sd, sum, var, weighted_mean,
)
from pydpstat.porting.r._tables import (
    addmargins, marginSums, margin_table, prop_table, proportions, table, xtabs,
)
from pydpstat.porting.r._tibbles import as_tibble, tell_groups
from pydpstat.porting.r._tests import cor_test, t_test, var_test
from pydpstat.porting.r._tests_of_counts import binom_test, chisq_test, fisher_test, prop_test
from pydpstat.porting.r._integers import integers
from pydpstat.porting.r._vectors import (
    LETTERS, append, as_list, c, factor, head, ifelse, length, lengths, letters, names, outer, rev,
    setNames, set_names, tail, unlist, unname,
)
from pydpstat.porting.r._verbs import (
    arrange, bind_rows, count, desc, distinct, filter_rows, inner_join, lag, lead, left_join,
    mutate, n_distinct, renumber, slice_max, slice_min, summarize, transmute,
)

__all__ = [
    "AIC", "BIC", "Filter", "Find", "IQR", "LETTERS", "Map", "Negate", "Position", "Reduce", "Sys_Date",
    "Sys_time", "abs", "access", "addmargins", "aggregate", "all", "all_equal", "anova", "any", "anyNA",
    "append", "apply", "approx", "arrange", "array", "as_character", "as_data_frame", "as_integer",
    "as_list", "as_logical", "as_matrix", "as_numeric", "as_tibble", "as_vector", "ave", "beta",
    "bind", "bind_rows", "binom_test", "c", "casefold", "cat", "cbind", "ceiling", "cells", "character", "chartr",
    "chisq_test", "choose", "coef", "colMeans", "colSums", "colnames", "colon", "column_of", "column_or",
    "columns", "complete_cases", "confint", "confint_default", "cor", "cor_test", "cos", "count", "cov",
    "crossprod", "cummax", "cummin", "cumprod", "cumsum", "cut", "data_frame", "dbeta", "dbinom",
    "dchisq", "desc", "det", "deviance", "dexp", "df", "df_residual", "dgamma", "dgeom", "diag", "diff",
    "dim", "dimnames", "distinct", "divide", "dlnorm", "dnorm", "do_call", "dpois", "drop", "droplevels",
    "dt", "dunif", "duplicated", "dweibull", "each", "element", "endsWith", "equal", "exp", "expand_grid",
    "expm1", "factor", "factorial", "filter_rows", "findInterval", "fisher_test", "fitted", "fivenum",
    "floor", "format", "formatC", "gamma", "getOption", "glm", "gregexpr", "grep", "grepl", "gsub",
    "head", "hist", "identical", "ifelse", "index", "inner_join", "intToUtf8", "integer", "integers",
    "intersect", "isFALSE", "isSymmetric", "isTRUE", "is_character", "is_data_frame", "is_factor",
    "is_function", "is_in", "is_list", "is_logical", "is_matrix", "is_na", "is_null", "is_numeric",
    "known", "kruskal_test", "ks_test", "lag", "lapply", "lead", "left_join", "length", "lengths",
    "letters", "levels", "lgamma", "lm", "log", "log10", "log1p", "log2", "logLik", "logical",
    "lower_tri", "mad", "make_names", "make_unique", "mapply", "marginSums", "margin_table", "match",
    "matmul", "matrix", "max", "mean", "median", "merge", "message", "min", "modulo", "mutate",
    "n_distinct", "na_omit", "names", "nchar", "nclass_FD", "nclass_Sturges", "nclass_scott", "ncol",
    "nlevels", "nobs", "nrow", "numeric", "nzchar", "options", "order", "ordered", "outer", "part",
    "paste", "paste0", "pbeta", "pbinom", "pchisq", "pexp", "pf", "pgamma", "pgeom", "plnorm", "pmax",
    "pmin", "pnorm", "population", "power", "ppois", "predict", "pretty", "prettyNum", "print", "printed",
    "prod", "prop_table", "prop_test", "proportions", "pt", "punif", "pweibull", "qbeta", "qbinom",
    "qchisq", "qexp", "qf", "qgamma", "qgeom", "qlnorm", "qnorm", "qpois", "qt", "quantile", "qunif",
    "quotient", "qweibull", "range", "rank", "rbind", "read_csv", "recycled", "regexpr", "regmatches", "released",
    "relevel", "renumber", "rep", "rep_len", "replaced", "replaced_cells", "replaced_element",
    "replicate", "residuals", "rev", "rle", "round", "rowMeans", "rowSums", "rownames", "rows", "rowsum",
    "sapply", "scale", "sd", "sensitivitySampler", "seq", "seq_along", "seq_len", "setNames",
    "set_colnames", "set_dimnames", "set_levels", "set_names", "set_rownames", "setdiff", "shapiro_test",
    "sigma", "sign", "signif", "sin", "single_text", "slice_max", "slice_min", "slot", "solve", "sort", "split",
    "sprintf", "sqrt", "startsWith", "str", "strrep", "strsplit", "strtoi", "sub", "substr", "substring",
    "sum", "summarize", "summary", "sweep", "t", "t_test", "table", "tabulate", "tail", "tan", "tanh",
    "tapply", "tcrossprod", "tell_groups", "tempfile", "toString", "tolower", "toupper", "transmute", "trimws", "trunc",
    "unequal", "union", "unique", "uniroot", "unlist", "unname", "upper_tri", "utf8ToInt", "vapply",
    "var", "var_test", "vcov", "weighted_mean", "which", "which_max", "which_min", "wilcox_test",
    "with_stream", "write_csv", "write_table", "xtabs",
]
