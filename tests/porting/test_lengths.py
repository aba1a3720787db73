"""Operands of unequal lengths: where only the run shows them, the port repeats the shorter one as R does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pydpstat.porting import r
from pydpstat.porting._translation import translate_script


def last_line(text: str) -> str:
    found = translate_script(f"n <- 5\n{text}")
    assert found.problems == ()
    return found.chunks[-1].python.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        # equally long by the script's text: as plain as ever
        ("x <- rnorm(n)\ny <- exp(x)\nz <- x * y", "z = x * y"),
        ("x <- rnorm(9)\nz <- (x - mean(x)) / sd(x)", "z = (x - r.mean(x)) / r.sd(x)"),
        ("n <- 5\nx <- rnorm(n)\ny <- 1:n\nz <- x + y", "z = x + y"),
        ("x <- rnorm(n)\ny <- runif(length(x))\nz <- x + y", "z = x + y"),
        ("d <- read.csv('a.csv')\nz <- d$a / d$b", 'z = (d["a"] / d["b"]).values'),
        ("d <- read.csv('a.csv')\nx <- d$a\ny <- log(d$b)\nz <- x - y", "z = x - y"),
        ("x <- rnorm(9)\nk <- x > 0\nz <- x[k] + (x^2)[k]", "z = x[k] + (x**2)[k]"),
        ("x <- rnorm(9)\nz <- diff(x) / x[-1]", "z = r.diff(x) / x[1:]"),
        ("x <- sample(c(-1, 1), n, replace = TRUE)\nz <- x * rgeom(n, 0.5)", "z = x * rng.rgeom(n, 0.5)"),
        ("x <- NULL\nfor (i in 1:4) x <- c(x, i)\ny <- 1:4\nz <- x * y", "z = x * y"),
        # one of both is a number, or nothing is known of it
        ("f <- function(x, y) x * y\ng <- function(x) x / 2\nz <- f(c(1, 2), 3)", "z = f(np.array([1.0, 2.0]), 3.0)"),
        ("x <- nosuch(1)\ny <- c(1, 2)\nz <- x + y", None),
        # the lengths are unequal, or only the run shows them
        ("x <- rnorm(n)\ny <- c(1, 2)\nz <- x * y", 'z = r.recycled(x, "*", y)'),
        ("x <- rnorm(9)\nz <- x[x > 0] / x[x <= 0]", 'z = r.recycled(x[x > 0], "/", x[x <= 0])'),
        ("x <- rnorm(n)\ny <- c(1, 2)\nz <- x > y", 'z = r.recycled(x, ">", y)'),
        ("x <- rnorm(n)\ny <- c(1, 2)\nz <- (x > 0) & (y > 1)", 'z = r.recycled(x > 0, "&", y > 1)'),
        ("x <- rnorm(9)\nx <- x[x > 0]\nz <- x + rnorm(9)", 'z = r.recycled(x, "+", rng.rnorm(9))'),
    ],
)
def test_only_what_may_differ_is_recycled(text: str, line: str | None) -> None:
    if line is None:
        assert translate_script(text).problems
    else:
        assert last_line(text) == line


@pytest.mark.parametrize(
    ("call", "recycles"), [("f(c(1, 2), 3)", False), ("f(rnorm(4), 1:4)", False), ("f(rnorm(4), 1:2)", True)]
)
def test_a_function_is_as_its_calls_are(call: str, recycles: bool) -> None:
    found = translate_script(f"f <- function(x, y) x * y\n{call}\nf(1, 2)\n")
    assert ("return r.recycled" in found.chunks[0].python) == recycles


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x <- numeric(n)\nfor (i in seq_len(n)) x[i] <- i", "    x[i - 1] = i"),
        ("x <- numeric(length(y))\nfor (i in seq_along(y)) x[i] <- i", "    x[i - 1] = i"),
        ("x <- numeric(5)\nfor (i in 2:4) x[i] <- i", "    x[i - 1] = i"),
        # R's vector grows
        ("x <- numeric(0)\nfor (i in 1:4) x[i] <- i", "    x = r.replaced(x, i, i)"),
        ("x <- numeric(3)\nfor (i in 1:4) x[i] <- i", "    x = r.replaced(x, i, i)"),
        ("x <- c(1, 2)\nfor (i in 1:4) x[i] <- i", "    x = r.replaced(x, i, i)"),
    ],
)
def test_only_elements_that_are_there_are_changed_in_place(text: str, line: str) -> None:
    assert last_line(f"y <- c(3, 4)\n{text}") == line


@pytest.mark.parametrize("text", ["x <- rep(NA, 3)\nfor (i in 1:3) x[i] <- i", "x <- NA\nx[2] <- TRUE"])
def test_what_gives_na_its_type_is_refused(text: str) -> None:
    assert "in the place of NA" in translate_script(text).problems[0].reason
    doubles = translate_script("x <- rep(NA, 3)\nfor (i in 1:3) x[i] <- sqrt(i)")
    assert doubles.problems == ()


def test_recycling_is_r_s() -> None:
    with pytest.warns(UserWarning, match="longer object length is not a multiple of shorter object length"):
        assert r.recycled(np.arange(5), "+", np.array([10, 20])).tolist() == [10, 21, 12, 23, 14]
    assert r.recycled(np.empty(0), "+", np.array([1, 2])).size == 0
    assert r.recycled(np.array([1.0, -1.0, 0.0, 2.0]), "/", np.array([0.0, 1.0])).tolist()[:2] == [np.inf, -1.0]
    named = r.recycled(np.array([1, 2]), "*", pd.Series([1, 2, 3, 4], index=list("abcd")))
    assert named.to_dict() == {"a": 1, "b": 4, "c": 3, "d": 8}
    assert r.recycled(np.array(["a", "b", "a"], object), "==", np.array(["a"], object)).tolist() == [True, False, True]


def test_texts_of_lengths_take_no_exponential_time() -> None:
    doubled = "".join(f"x{k} <- x{k - 1} + x{k - 1}\n" for k in range(1, 200))
    assert last_line(f"x0 <- rnorm(4)\n{doubled}y <- x199 + x198") == "y = x199 + x198"
    calls = "".join(f"f{k} <- function(x) f{k - 1}(x) + f{k - 1}(x)\n" for k in range(1, 60))
    assert not translate_script(f"f0 <- function(x) x\n{calls}f59(c(1, 2))").problems
