"""Scripts of R with known flaws: releases from a grammar, each with a flaw or with it removed.

A flaw is an expression that stands where a public one should. Carriers bring it there: variables, lists,
functions, conditions, loops, apply functions, pipes. So many combinations are tried that a rule which reads
one form of a script only is found out.
"""

from __future__ import annotations

import random
import re
from typing import NamedTuple


class Flaw(NamedTuple):
    """A flaw: its rule, where it stands, and the expression with it and with it removed.

    In the expressions ``D`` stands for the data frame.
    """

    rule: str
    slot: str
    flawed: str
    sound: str


class Script(NamedTuple):
    """A script with its flaw, the same with the flaw removed, and the rules of what is wrong."""

    flawed: str
    sound: str
    rule: str
    flaw: Flaw


FLAWS = [
    Flaw("argument-from-data", "upper", "max(D$x)", "100"),
    Flaw("argument-from-data", "upper", "range(D$x, na.rm = TRUE)[2]", "c(0, 100)[2]"),
    Flaw("argument-from-data", "upper", "quantile(D$x, 0.99)", "99 + 1"),
    Flaw("argument-from-data", "upper", "mean(D$x) + 3 * sd(D$x)", "50 + 3 * 10"),
    Flaw("argument-from-data", "upper", "sort(D[['x']])[nrow(D)]", "sort(c(1, 100))[2]"),
    Flaw("argument-from-data", "upper", "boxplot.stats(D$x)$stats[5]", "list(stats = c(0, 100))$stats[2]"),
    Flaw("argument-from-data", "lower", "min(D$x)", "0"),
    Flaw("argument-from-data", "lower", "floor(min(D[, 'x'])) - 1", "floor(0.5)"),
    Flaw("argument-from-data", "epsilon", "1 / sd(D$x)", "1 / 2"),
    Flaw("argument-from-data", "breaks", "hist(D$x, plot = FALSE)$breaks", "c(0, 50, 100)"),
    Flaw("argument-from-data", "breaks", "quantile(D$x, c(0, 0.5, 1))", "seq(0, 100, 50)"),
    Flaw("argument-from-data", "breaks", "pretty(D$x)", "c(0, 20, 100)"),
    Flaw("argument-from-data", "sensitivity", "max(abs(D$x))", "100"),
    Flaw("argument-from-data", "sensitivity", "(max(D$x) - min(D$x)) / nrow(D)", "(100 - 0) / 500"),
    Flaw("levels-from-data", "levels", "unique(D$g)", 'c("a", "b")'),
    Flaw("levels-from-data", "levels", "names(table(D$g))", "names(c(a = 1, b = 2))"),
    Flaw(
        "levels-from-data",
        "levels",
        "levels(factor(D$g))",
        'levels(factor("a", levels = c("a", "b")))',
    ),
    Flaw("levels-from-data", "groups", "unique(D$g)", 'c("a", "b")'),
    Flaw("levels-from-data", "groups", "sort(unique(as.character(D$g)))", 'sort(c("b", "a"))'),
    Flaw("epsilon", "epsilon", "500", "0.5"),
    Flaw("epsilon", "epsilon", "1e4", "1"),
    Flaw("raw-value", "shown", "mean(D$x)", "m"),
    Flaw("raw-value", "shown", "summary(D$x)", "round(m, 1)"),
    Flaw("raw-value", "shown", "abs(m - mean(D$x))", "abs(m - 50)"),
    Flaw("raw-value", "shown", 'nrow(D[D$g == "a", ])', "nrow(D)"),
    Flaw("raw-value", "shown", 'sum(D$g == "a")', "ncol(D)"),
    Flaw("raw-value", "shown", "length(unique(D$g))", "length(D$g)"),
    Flaw("raw-value", "shown", "table(D$g)", "names(D)"),
    Flaw("raw-value", "shown", "coef(lm(x ~ y, data = D))[2]", "c(m, 2)[1]"),
    Flaw("raw-value", "shown", "head(D$x)", "head(letters)"),
    Flaw("records-changed", "records", "D$x - mean(D$x)", "D$x - 40"),
    Flaw("records-changed", "records", "D$x / max(D$x)", "D$x / 100"),
    Flaw("records-changed", "records", "scale(D$x)", "log(D$x + 1)"),
    Flaw("repeated", "epsilons", "c(0.1, 0.2, 0.4)", "0.1"),
    Flaw("repeated", "epsilons", "seq(0.5, 1.5, 0.5)", "0.5"),
    Flaw("seed", "seed", "set.seed(20)", "invisible(20)"),
    Flaw("seed", "seed", "set.seed(as.integer(format(Sys.Date(), '%Y')))", "set.seed(NULL)"),
]
# how an expression comes to where it stands: statements before, and an expression
VALUES = {
    "direct": ("", "{e}"),
    "variable": ("{v} <- {e}\n", "{v}"),
    "right arrow": ("{e} -> {v}\n", "{v}"),
    "two variables": ("{v} = {e}\n{v}2 <- {v}\n", "{v}2"),
    "function": ("{v} <- function() {e}\n", "{v}()"),
    "function that returns": ("{v} <- function() {{\n  z <- {e}\n  return(z)\n}}\n", "{v}()"),
    "argument": ("{v} <- function(z) z\n", "{v}({e})"),
    "named argument": ("{v} <- function(y = 1, z) z\n", "{v}(z = {e})"),
    "default": ("{v} <- function(z = {e}) z\n", "{v}()"),
    "dots": ("{v} <- function(...) identity(...)\n", "{v}({e})"),
    "list of dots": ("{v} <- function(...) list(...)[[1]]\n", "{v}({e})"),
    "named dots": ("{v} <- function(...) list(...)$z\n", "{v}(y = 1, z = {e})"),
    "returned function": ("{v} <- function(z) function() z\n", "{v}({e})()"),
    "anonymous function": ("", "(function(z) z)({e})"),
    "backslash": ("{v} <- \\(z) z\n", "{v}({e})"),
    "list": ("{v} <- list(a = 1, b = {e})\n", "{v}$b"),
    "list by text": ("{v} <- list(a = 1, b = {e})\n", '{v}[["b"]]'),
    "list by number": ("{v} <- list(1, {e})\n", "{v}[[2]]"),
    "list in a list": ("{v} <- list(a = list(b = {e}))\n", "{v}$a$b"),
    "changed list": ("{v} <- list(a = 1)\n{v}$b <- {e}\n", "{v}$b"),
    "do.call": ("", "do.call(identity, list({e}))"),
    "do.call of a function": ("{v} <- function(z) z\n", "do.call({v}, list(z = {e}))"),
    "pipe": ("", "({e}) |> identity()"),
    "magrittr": ("", "({e}) %>% identity()"),
    "sapply": ("", "sapply(1, function(i) {e})"),
    "lapply": ("", "lapply(1, function(i) {e})[[1]]"),
    "vapply": ("", "unlist(lapply(list({e}), function(z) z))"),
    "map": ("", "purrr::map(1, ~ {e})[[1]]"),
    "Map": ("", "Map(function(i, j) {e}, 1, 2)[[1]]"),
    "if": ("if (nrow(D) > 10) {{\n  {v} <- {e}\n}} else {{\n  {v} <- {e}\n}}\n", "{v}"),
    "value of if": ("{v} <- if (nrow(D) > 10) {e} else {e}\n", "{v}"),
    "loop": ("for (i in 1:3) {v} <- {e}\n", "{v}"),
    "while": ("{v} <- NULL\nwhile (is.null({v})) {v} <- {e}\n", "{v}"),
    "braces": ("", "{{ {e} }}"),
    "local": ("", "local({{ z <- {e}; z }})"),
    "tryCatch": ("", "tryCatch({e}, error = function(err) stop(err))"),
    "suppressed": ("", "suppressWarnings({e})"),
    "global": ("{v}f <- function() {v} <<- {e}\n{v}f()\n", "{v}"),
    "backquotes": ("`{v} b` <- {e}\n", "`{v} b`"),
}
# how a release is called: statements before, and the call; {f} is the function and {a} its arguments
CALLS = {
    "direct": ("", "{f}({a})"),
    "package": ("", "DPpack::{f}({a})"),
    "do.call": ("", "do.call({f}, list({a}))"),
    "do.call by name": ("", 'do.call("{f}", list({a}))'),
    "do.call of a list": ("{v} <- list({a})\n", "do.call(DPpack::{f}, {v})"),
    "variable": ("{v} <- {f}\n", "{v}({a})"),
    "match.fun": ("", 'match.fun("{f}")({a})'),
    "dots": ("{v} <- function(...) {f}(...)\n", "{v}({a})"),
    "function": ("{v} <- function(D) {f}({a})\n", "{v}(D)"),
    "function that returns": ("{v} <- function() {{\n  r <- {f}({a})\n  return(r)\n}}\n", "{v}()"),
    "anonymous function": ("", "(function(...) {f}(...))({a})"),
    "list": ("{v} <- list(release = function(...) {f}(...))\n", "{v}$release({a})"),
    "partial": ("{v} <- purrr::partial({f}, {a})\n", "{v}()"),
    "sapply": ("", "sapply(1, function(i) {f}({a}))"),
    "formula": ("", "purrr::map(1, ~ {f}({a}))[[1]]"),
    "tryCatch": ("", "tryCatch({f}({a}), error = function(err) NULL)"),
    "braces": ("", "{{\n  {f}({a})\n}}"),
    "replicate": ("", "replicate(1, {f}({a}))"),
    "Map": ("", "Map(function(i) {f}({a}), 1)[[1]]"),
}
# how a value is published
OUTPUTS = [
    "print({e})",
    "{e}",
    'cat("value:", {e}, "\\n")',
    "message({e})",
    'cat(sprintf("%.1f\\n", {e}))',
    'cat(paste0("v = ", format({e})), "\\n")',
    "writeLines(as.character({e}))",
    "({e}) |> print()",
    "str(list(a = 1, b = {e}))",
    'write.csv(data.frame(v = {e}), "out.csv")',
    'saveRDS({e}, "out.rds")',
    "invisible(print({e}))",
    "for (i in 1:2) print({e})",
    "f <- function() print({e})\nf()",
    "f <- function(z) z\nf({e})",
    "r <- sapply(1, function(i) print({e}))",
    "if (nrow(D) > 10) print({e})",
    'if (any({e} > 10)) print("large")',
    'print(if (any({e} > 10)) "large" else "small")',
]
# what has nothing to do with the release
BESIDE = [
    "k <- sqrt(16)",
    'title <- paste("A", "report")',
    "u <- c(1, 2, 3)\nmean(u)",
    "stopifnot(nrow(D) > 1)",
    "D$y <- D$y / 2",
    "for (i in 1:2) cat(i, '\\n')",
    'towns <- read.csv("towns.csv")\nhead(towns)',
]
_RELEASES = {
    "lower": ("medianDP", ("x = D$x", "eps = 1", "lower.bound = {e}", "upper.bound = 100")),
    "upper": ("meanDP", ("D$x", "1", "0", "{e}")),
    "epsilon": ("meanDP", ("D$x", "{e}", "0", "100")),
    "breaks": ("histogramDP", ("x = D$x", "eps = 1", "lower.bound = 0", "upper.bound = 100", "breaks = {e}")),
    "sensitivity": ("LaplaceMechanism", ("sum(D$x)", "1", "sensitivities = {e}")),
    "levels": ("tableDP", ("factor(D$g, levels = {e})", "eps = 1")),
    "records": ("medianDP", ("{e}", "1", "lower.bound = 0", "upper.bound = 100")),
    "seed": ("meanDP", ("D$x", "1", "0", "100")),
    "groups": ("quantileDP", ("D$x[D$g == k]", "0.5", "total.eps / 2", "0", "100")),
    "epsilons": ("meanDP", ("D$x", "k", "0", "100")),
}
# loops over groups or epsilons; {a} is the release in its last form
_LOOPS = [
    "for (k in {e}) print({a})",
    "r <- sapply({e}, function(k) {a})",
    "r <- lapply({e}, function(k) {{\n  m <- {a}\n  m\n}})",
    "r <- vapply({e}, function(k) {a}, numeric(1))",
    "r <- purrr::map_dbl({e}, function(k) {a})",
    "r <- purrr::map_dbl({e}, ~ {{\n  k <- .x\n  {a}\n}})",
    "r <- unlist(Map(function(k) {a}, {e}))",
    "g <- function(k, ...) {a}\nr <- mapply(g, {e})",
    "r <- list()\nfor (k in {e}) r[[as.character(k)]] <- {a}",
]


def scripts(seed: int, count: int) -> list[Script]:
    """Return scripts of a seed; each flaw occurs about equally often."""
    rng = random.Random(seed)
    return [_script(rng, FLAWS[k % len(FLAWS)]) for k in range(count)]


def _script(rng: random.Random, flaw: Flaw) -> Script:
    state = rng.getstate()
    both = []
    for expression in (flaw.flawed, flaw.sound):
        # both scripts get the same carriers
        rng.setstate(state)
        both.append(_written(rng, flaw, expression))
    return Script(both[0], both[1], flaw.rule, flaw)


def _written(rng: random.Random, flaw: Flaw, expression: str) -> str:
    frame = rng.choice(["d", "survey", "dat.frame"])
    data = rng.choice(['read.csv("d.csv")', 'readRDS("d.rds")', 'data.table::fread("d.csv")'])
    lines = ["library(DPpack)", "library(dplyr)", f"D <- {data}"]
    lines += [rng.choice(BESIDE)] * rng.randrange(2)
    if flaw.slot == "seed":
        lines.append(expression)
        expression = ""
    for k in range(rng.choice([1, 1, 2, 3]) if expression else 0):
        before, expression = (each.format(e=expression, v=f"v{k}") for each in rng.choice([*VALUES.values()]))
        lines.append(before.rstrip("\n"))
    if flaw.slot == "shown":
        lines += ["m <- meanDP(D$x, 1, 0, 100)", rng.choice(OUTPUTS).format(e=expression)]
    else:
        lines += _release(rng, flaw.slot, expression)
    lines += [rng.choice(BESIDE)] * rng.randrange(2)
    text = "\n".join(filter(None, lines)) + "\n"
    return _renamed(text, frame)


def _release(rng: random.Random, slot: str, expression: str) -> list[str]:
    function, arguments = _RELEASES[slot]
    given = ", ".join(each.format(e=expression) for each in arguments)
    looped = slot in ("groups", "epsilons")
    calls = [each for name, each in CALLS.items() if not looped or not each[0]]
    before, call = (each.format(f=function, a=given, v="call1") for each in rng.choice(calls))
    if looped:
        return ["total.eps <- 1"] * (slot == "groups") + [rng.choice(_LOOPS).format(e=expression, a=call)]
    return [before.rstrip("\n"), rng.choice(["m <- {}\nprint(m)", "print({})", "r <- {}"]).format(call)]


def _renamed(text: str, frame: str) -> str:
    """Return a script with a name of the data frame in the place of ``D``."""
    return re.sub(r"\bD\b", frame, text)
