"""Comparisons with missing values: a port has R's value, or stops where R's comparison is NA."""

import pytest

from pydpstat.errors import PydpstatError
from pydpstat.porting._translation import translate_script

DATA = "x <- c(1, NA, 3)\nl <- list(a = x)\nd <- data.frame(x = x, s = c('a', NA, 'c'))\n"


def run(line, capsys):
    """Return what a line of R shows when it is ported, without spaces."""
    port = translate_script(DATA + line)
    assert not port.problems
    exec(port.text, {})
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("which(x > 1)", "[1] 3"),
        ("which(x != 1)", "[1] 3"),
        ("which(l$a != 1)", "[1] 3"),
        ("which(1 != x | x == 1)", "[1] 1 3"),
        ("sum(x != 1, na.rm = TRUE)", "[1] 1"),
        ("sum(x > 1, na.rm = T)", "[1] 1"),
        ("subset(d, x != 1)", "x s 3 3 c"),
        ("subset(d, s != 'a')", "x s 3 3 c"),
        ("subset(d, is.na(x) | x > 1)", "x s 2 NA <NA> 3 3 c"),
        ("subset(d, !is.na(x) & !(x > 1))", "x s 1 1 a"),
        ("library(dplyr)\nfilter(d, x != 1, !is.na(s))", "x s 1 3 c"),
    ],
)
def test_what_is_missing_is_not_selected(line, shown, capsys):
    assert run(line, capsys) == shown


@pytest.mark.parametrize(
    "line",
    [
        "which(!(x > 1))",
        "sum(!(x > 1), na.rm = TRUE)",
        "sum(x > 1, na.rm = FALSE)",
        "subset(d, !(x > 1))",
        "which(is.na(x > 1))",
        "which(xor(x > 1, TRUE))",
        "which((x > 1) == FALSE)",
        "which(ifelse(x > 1, FALSE, TRUE))",
        "if (is.na(l$a[2] > 1)) 1 else 2",
        "which(x + 1 != 2)",
    ],
)
def test_a_port_stops_where_a_missing_comparison_would_count(line, capsys):
    with pytest.raises(PydpstatError, match="has 1 missing value: R's comparison is NA there"):
        run(line, capsys)
