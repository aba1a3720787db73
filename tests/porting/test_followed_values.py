"""What a check follows: parts of vectors and frames, rounds of loops, levels and noise by hand."""

import pytest

from pydpstat.porting import _releases
from pydpstat.porting._check import check_script

DATA = "library(DPpack)\nd <- read.csv('a.csv')\n"


def check(folder, text):
    path = folder / "a.R"
    path.write_text(text, encoding="utf-8")
    return check_script(path)


@pytest.mark.parametrize(
    ("lines", "rules", "line"),
    [
        # the places of records are not those of the numbers beside them
        ("v <- c(d$x, 100)\nmeanDP(d$y, 1, 0, v[2])", ["argument-from-data"], "line 4: meanDP: none"),
        ("v <- c(mean(d$x), 100)\nmeanDP(d$y, 1, 0, v[2])", [], "line 4: meanDP: (epsilon 1, delta 0)"),
        ("b <- data.frame(eps = 0.5)\nmeanDP(d$y, b$eps, 0, 1)", [], "line 4: meanDP: (epsilon 0.5, delta 0)"),
        ("library(dplyr)\nmeanDP(pull(d), 1, 0, 100)", [], "line 4: meanDP: (epsilon 1, delta 0)"),
        ("library(dplyr)\nmeanDP(pull(d, y), 1, 0, 100)", [], "line 4: meanDP: (epsilon 1, delta 0)"),
        # the levels of one of two variables
        (
            "tableDP(factor(d$a, levels = unique(d$a)), factor(d$b, levels = c('u', 'v')), eps = 1)",
            ["levels-from-data"],
            "line 3: tableDP: none (epsilon infinite)",
        ),
        (
            "e <- c(0.1, 0.2, 0.3)\nr <- sapply(seq_along(e), function(i) meanDP(d$y, e[i], 0, 1))",
            ["repeated"],
            "3 releases, (epsilon 0.6, delta 0)",
        ),
        (
            "e <- c(0.1, 0.2, 0.3)\nfor (i in 1:3) { k <- 4 - i\nprint(meanDP(d$y, e[k], 0, 1)) }",
            ["repeated"],
            "line 5: meanDP: (epsilon 0.3, delta 0)",
        ),
    ],
)
def test_values_are_followed(lines, rules, line, tmp_path):
    report = check(tmp_path, f"{DATA}{lines}\n")
    assert [each.rule for each in report.findings] == rules
    assert line in report.to_text()


@pytest.mark.parametrize(
    ("scale", "figure"),
    [
        ("5", "epsilon 0.3 for a person who changes each figure by 1."),
        ("as.numeric(readline())", "the sum of the epsilons of all levels."),
    ],
)
def test_the_epsilons_of_levels_are_added_where_all_are_known(scale, figure, tmp_path):
    lines = f"{DATA}s <- {scale}\na <- sum(d$x) + rmutil::rlaplace(1, 0, 10)\n"
    report = check(tmp_path, lines + "b <- tapply(d$x, d$g, sum) + rmutil::rlaplace(50, 0, s)\nprint(b)\n")
    assert [(each.rule, each.figure) for each in report.findings] == [("finding-13", figure)]


def test_equal_calls_are_assessed_once(tmp_path, monkeypatch):
    assessed = []
    probe = _releases._probe_guarantee
    monkeypatch.setattr(_releases, "_probe_guarantee", lambda release: assessed.append(release) or probe(release))
    monkeypatch.setattr(_releases, "_ASSESSMENTS", {})
    report = check(tmp_path, DATA + "meanDP(d$x, 1, 0, 100)\nmeanDP(d$y, 1, 0, 100)\nmeanDP(d$y, 2, 0, 100)\n")
    assert len(report.releases) == 3 and len(assessed) == 2
