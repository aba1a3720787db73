"""The Python text of subscripts, assignments, conditions and verbs, by the facts known of the values."""

import pytest

from pydpstat.porting._translation import translate_script


def translate(text):
    """Return the Python lines of a script whose statements are all translated."""
    port = translate_script(text)
    assert not port.problems
    return [line for chunk in port.chunks for line in chunk.python.splitlines()]


@pytest.mark.parametrize(
    ("script", "line"),
    [
        # NumPy's own subscripts are for matrices and vectors with known sizes alone
        ("m <- matrix(c(1, 2, 3, 4), 2)\nm[1, 2]", "r.print(m[0, 1])"),
        ("m <- matrix(c(1, 2, 3, 4), 2)\nm[1, ]", "r.print(r.cells(m, 1, None))"),
        ("f <- function(m) m[1, 2]", "    return r.cells(m, 1, 2)"),
        ("x <- c(1, 2, 3)\nx[2]", "r.print(x[1])"),
        ("x <- c(1, 2, 3)\nx[5]", "r.print(r.index(x, 5))"),
        ("x <- c(1, 2, 3)\nfor (i in 1:3) x[i]", "    x[i - 1]"),
        ("d <- data.frame(a = c(2, 1))\nk <- order(d$a)\nd[k, ]", "r.print(d.iloc[k - 1])"),
        ("d <- data.frame(a = c(2, 1))\nd[1:2, ]", "r.print(r.rows(d, range(1, 3)))"),
        # a range of numbers that are not whole is R's
        ("x <- 1.5:3.5", "x = r.colon(1.5, 3.5)"),
        # an element of a list may be missing
        ("l <- list(a = 1)\nx <- l$a == 1", 'x = r.known(r.part(l, "a")) == 1'),
        # a whole row or column
        ("m <- matrix(c(1, 2, 3, 4), 2)\nm[1, ] <- 0", "m = r.replaced_cells(m, 1, None, 0.0)"),
        ("m <- matrix(c(1, 2, 3, 4), 2)\nm[, 2] <- 0", "m = r.replaced_cells(m, None, 2, 0.0)"),
        # an array that no other variable shares is changed in place
        ("x <- numeric(3)\nx[c(1, 2)] <- 5\nfor (i in 1:3) x[i] <- 2", "    x[i - 1] = 2"),
        ("x <- numeric(3)\ny <- x\nfor (i in 1:3) x[i] <- 2", "    x = r.replaced(x, i, 2.0)"),
        ("u <- TRUE\nx <- if (u) 1 else 2", "x = 1 if u else 2"),
        ("x <- c(1, 2)\ny <- x > 1 & x < 2", "y = (x > 1) & (x < 2)"),
        # a divisor that is not 0 in one branch alone
        ("u <- TRUE\nif (u) x <- 0 else x <- 2\ny <- 1 / x", "y = r.divide(1, x)"),
        ("u <- TRUE\nif (u) x <- 1 else x <- 2\ny <- 1 / x", "y = 1 / x"),
        # columns come before variables of the same name
        ("x <- 5\nd <- data.frame(x = c(1, 2))\nsubset(d, x > 1)", 'r.print(d[d["x"] > 1])'),
        ("x <- 5\nd <- data.frame(a = c(1, 2))\nsubset(d, a > x)", 'r.print(d[d["a"] > x])'),
        ("d <- read.csv('a')\nx <- 5\nsubset(d, a > x)", 'r.print(d[d["a"] > r.column_or(d, "x", x)])'),
        ("library(dplyr)\nx <- c(1, 2)\nx %>% sum()", "r.print(r.sum(x))"),
        ("library(dplyr)\nx <- c(1, 2)\nx %>% sum(3, .)", "r.print(r.sum(3, x))"),
        ("x <- cbind(a = 1, a = 2)", 'x = r.bind([1.0, 2.0], ["a", "a"], "cbind", named=True)'),
        ("a <- 1\nx <- cbind(a, a)", 'x = r.bind([float(a), float(a)], ["a", "a"], "cbind")'),
    ],
)
def test_the_text_follows_from_what_is_known(script, line):
    assert line in translate(script)


def test_a_pipe_has_one_place():
    problems = translate_script("library(dplyr)\nx <- c(1, 2)\nx %>% sum(., .)").problems
    assert [each.reason for each in problems] == ["a pipe with . twice"]
