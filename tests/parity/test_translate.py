"""R's text in Python: what is covered, what is refused, and how many cases leave their Python text to it."""

from __future__ import annotations

import ast

import pytest

from pydpstat.parity.case import Case
from pydpstat.parity.reference import all_cases
from pydpstat.parity.translate import Untranslated, translate, written


@pytest.mark.parametrize(
    "r, python",
    [
        (
            "DPpack::meanDP(x, 1, upper.bound = Inf)",
            "dppack.meanDP(x, 1, upper_bound=math.inf, rng=rng)",
        ),
        ("DPpack::meanDataAccess(x, 0, 5)", "dppack.meanDataAccess(x, 0, 5)"),
        ("diffpriv:::f(lambda = 1)$a@b", "diffpriv.f(lambda_=1).a.b"),
        ("m$fit(X, y, c(1, .5))", "m.fit(X, y, [1, .5], rng=rng)"),
        ("rmutil::rlaplace(2, s = 1e-3)", "rng.rlaplace(2, s=1e-3)"),
        ("hist(x, plot = FALSE)", "r.hist(x)"),
        ("list(1L, 'a', NULL, NA)", "[1, 'a', None, None]"),
        ("list(a = 1, b = -2)", "{'a': 1, 'b': -2}"),
        ("data.frame(x, b = 2 * y)", "pd.DataFrame({'x': x, 'b': 2 * y})"),
        ("cbind(x, y) %*% w^2", "np.column_stack([x, y]) @ w ** 2"),
        ("matrix(x, 2)", "x.reshape(2, -1, order='F')"),
        ("matrix(x)", "x.reshape(-1, 1)"),
        ("function(v, k = 2) v[[1]] + v[2] * k", "lambda v, k=2: v[0] + v[1] * k"),
        ("function(n) rnorm(n)", "rng.rnorm"),
        ("x[-1]; x[1:3]; X[2:4, ]", "x[1:]\nx[:3]\nX[1:4]"),
        ("f <- function(X) mean(X)\nf(x) # why\n", "f = r.mean\nf(x)\n"),
        ("a <- suppressWarnings(sum(x)) +\n  1", "a = r.sum(x) + 1"),
        ("x %% 3 * 2 + y %*% w", "x % 3 * 2 + y @ w"),
        ("!TRUE && x >= 2", "not True and x >= 2"),
        (", lower.bound = 0, 5", ", lower_bound=0, 5"),
        ("", ""),
    ],
)
def test_text(r, python):
    assert translate(r) == python


def test_a_variable_is_not_rs_function_of_that_name():
    assert translate("mean(x)") == "r.mean(x)" and translate("mean(x)", ["mean"]) == "mean(x)"
    assert translate("sum <- 1\nsum") == "sum = 1\nsum"
    assert translate("function(mean) mean + 1") == "lambda mean: mean + 1"


@pytest.mark.parametrize(
    "text",
    ["if (x) 1", "{x}", "x[n]", "x[, 1]", "nofunction(x)", "f(1", "1:3", "c(1,", "%", "x[0.5]"]
    + ["x > 1 & y", "2 * x %% 3", "x / y^2 %% 3"],
)
def test_what_is_not_covered_is_refused(text):
    with pytest.raises(Untranslated):
        translate(text)


def test_a_piece_keeps_its_own_python_text():
    template = "{first}m$fit(X, c(1, Inf){more})\n{last}"
    assert written(template, first="", more=", TRUE", last="m$a") == ("m$fit(X, c(1, Inf), TRUE)\nm$a", "")
    r, python = written(template, first=("X <- f()\n", "X = g()\n"), more=(", t(x)", ", x.T"), last="m$a")
    assert r == "X <- f()\nm$fit(X, c(1, Inf), t(x))\nm$a"
    assert python == "X = g()\nm.fit(X, [1, math.inf], x.T, rng=rng)\nm.a"


def test_the_python_text_of_a_case_is_the_translation_unless_it_is_given():
    assert Case("f/a", "f", "base", "mean(x)", inputs={"x": [1.0]}).python == "r.mean(x)"
    assert Case("f/a", "f", "base", "mean(x)", "np.mean(x)").python == "np.mean(x)"
    # most cases state R's text only
    assert sum(_translated(case) for case in all_cases()) > 1300


def _translated(case):
    try:
        text = translate(case.r, case.inputs)
        return ast.dump(ast.parse(text)) == ast.dump(ast.parse(case.python.strip()))
    except (Untranslated, SyntaxError):
        return False
