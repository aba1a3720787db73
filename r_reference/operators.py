"""Values of R's operators inside one another: ``python -m r_reference.operators`` records R's anew.

Each expression has two operators, or one of them and something else that Python reads otherwise.
"""

from __future__ import annotations

import json
import subprocess
from itertools import product
from pathlib import Path

RECORDED = Path(__file__).resolve().with_name("operators.json")
BINARY = "+ - * / ^ %% %/% : %in% == != < <= > >= & && | ||".split()
UNARY = "- + !".split()
# numbers as they are written, variables of one value, of several, and of the logical kind
OPERANDS = (("7", "2", "3"), ("a", "b", "k"), ("x", "y", "z"), ("p", "q", "s"))
SETTING = """a <- 7
b <- -2
k <- 3
x <- c(5, -2, 3)
y <- c(2, 3, -1)
z <- c(-1, 4, 2)
p <- TRUE
q <- FALSE
s <- TRUE
f <- function(v) v + 1
"""
# what Python spells with words, or has as an expression of another rank
OTHERS = (
    "if (p) a else b + 1",
    "(if (p) a else b) + 1",
    "1 + if (q) a else b",
    "-(if (p) a else b)^2",
    "(if (p) x else y)[1] * 2",
    "(if (q) p else q) & s",
    "!(if (p) q else s)",
    "ifelse(p, a, b) - 1",
    "(function(v) v + 1)(2) * 3",
    "(function(v) -v)(a)^2",
    "2 * (function(v) v - 1)(a) %% 4",
    "sapply(x, function(v) v^2 - 1)[2]",
    "sapply(x, function(v) -v)^2",
    "x |> f() * 2",
    "a + x |> f()",
    "-a |> f()",
    "(-a) |> f()",
    "x |> sum() |> f() - 1",
    "(a -> u) + 1",
    "(u <- a) * 2",
    "u <- v <- a - b - k",
    "!p %in% q",
    "(!p) %in% q",
    "!is.null(p) & q",
    "-x[2]^2",
    "(-x)[2]^2",
    "-x[2]",
    "x[-1]^2",
    "-2:3",
    "-(2:3)",
    "2:3^2",
    "(2:3)^2",
    "2:3 * 2",
    "2:(3 * 2)",
    "-1^2:3",
    "2^-1",
    "-2^-2",
    "2^-1^2",
    "--a",
    "-+-a",
    "!!p",
    "!-a",
    "-!p",
    "a - -b",
    "a - (-b)",
    "a^b^2",
    "(a^b)^2",
    "a - b - k",
    "a - (b - k)",
    "a / b / k",
    "a / (b * k)",
    "a %% b * k",
    "a %% (b * k)",
    "a %/% b %/% k",
    "a %/% (b %/% k)",
    "(a < b) < k",
    "a < (b < k)",
    "(a == b) == q",
    "(x > y) == (y > z)",
    "(x > y) + (y > z)",
    "-(x > y)",
    "x > y & y > z",
    "x > (y & y) + z",
    "!x > y",
    "(!x) > y",
    "p & q | s",
    "p & (q | s)",
    "p | q & s",
    "(p | q) & s",
    "p && q || s",
    "p && (q || s)",
    "p || q && s",
    "sum(x %in% y) + 1",
    "a %in% x == p",
    "a %in% (x == y)",
)


def expressions() -> list[str]:
    """Return all expressions."""
    found = []
    for a, b, c in OPERANDS:
        for first, second in product(BINARY, BINARY):
            found += [f"{a} {first} {b} {second} {c}", f"({a} {first} {b}) {second} {c}"]
            found.append(f"{a} {first} ({b} {second} {c})")
        for sign, second in product(UNARY, BINARY):
            found += [f"{sign}{a} {second} {b}", f"({sign}{a}) {second} {b}", f"{sign}({a} {second} {b})"]
            found += [f"{a} {second} {sign}{b}", f"{a} {second} ({sign}{b})"]
        found += [f"{one}{two}{a}" for one, two in product(UNARY, UNARY)]
        found += [f"{one}({two}{a})" for one, two in product(UNARY, UNARY)]
    return list(dict.fromkeys([*found, *OTHERS]))


_R = """
texts <- readLines(commandArgs(TRUE)[1])
setting <- parse(text = readLines(commandArgs(TRUE)[2]))
for (text in texts) {
  here <- new.env(parent = globalenv())
  for (each in setting) eval(each, here)
  # R 4.3 refuses what R 4.2 only warns of
  value <- tryCatch(as.numeric(eval(parse(text = text), here)), error = function(e) "error",
                    warning = function(w) "error")
  cat(if (identical(value, "error")) value else sprintf("%a", value), sep = " ")
  cat("\\n")
}
"""


def theirs(folder: Path) -> dict[str, list[str]]:
    """Return R's values, as hexadecimal numbers; an error or a warning is the word error."""
    names = [folder / name for name in ("texts.txt", "setting.R", "values.R")]
    for name, text in zip(names, ("\n".join(expressions()), SETTING, _R)):
        name.write_text(text, encoding="utf-8")
    command = ["Rscript", "--vanilla", str(names[2]), str(names[0]), str(names[1])]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return dict(zip(expressions(), (line.split() for line in said.split("\n"))))


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        lines = ",\n".join(f"{json.dumps(text)}: {json.dumps(v)}" for text, v in theirs(Path(name)).items())
        RECORDED.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
