"""Scripts that somebody wrote to get code, names or imports into their translation, or to let it hang."""

from __future__ import annotations

import ast
import builtins
import os
import random
import unicodedata
from collections.abc import Iterable, Iterator

from pydpstat.porting import Argument, Call, Constant, Function, Name, parse
from pydpstat.porting import r as run_time

# how many scripts; by hand PYDPSTAT_FUZZ=100000 finds what is rare
SCRIPTS = int(os.environ.get("PYDPSTAT_FUZZ", "2000"))
PAYLOADS = (
    "import os",
    "\nimport os\n",
    "\rimport os\r",
    "\r\nimport os",
    "\x0cimport os\x0c",
    "\x0bimport os",
    "\x85import os",
    "\u2028import os\u2028",
    "\u2029import os",
    "\x1cimport os",
    '"""\nimport os\n"""',
    "'''\nimport os",
    '"; import os; "',
    "') ; import os #",
    "\\",
    "\\\nimport os",
    "__import__('os').system('x')",
    "{__import__('os')}",
    "%(x)s {0.__class__} {}",
    "\u202e import os \u202c",
    "\u2066os\u2069",
    "\x1b[2J\x1b]0;t\x07",
    "coding: utf-7 +AAo-import os",
    "-*- coding: utf-7 -*-",
    "+AAo-import os+AAo-",
    "\ufeff",
    "\u200b\u200d",
    "a\tb",
    "é ü 中 🙂",
    "# type: ignore",
    "*/ */",
    "x = 1",
)
NAMES = tuple(
    "x y a b a.b a_b d r np pd rng math secrets warnings dppack diffpriv pydpstat RRandom os sys len range "
    "print eval exec open compile getattr globals input ValueError NotImplementedError id vars type sum "
    "min max class def lambda import from not and or is None True del with yield async await match case self "
    "__builtins__ __import__ __class__ __globals__ __name__ __debug__ _ __ infj nanj each choice "
    "_value_of_this_line ｘ ｒ ｎｐ ｒｎｇ ﬁ ℯ ª ﾞ µ μ ﬀ 𝐱 ſ x\ufe0f ㅤ aﾠb х set_seed set.seed to_csv "
    "to_pickle response predict fit system".split(" ")
)
CALLS = tuple(
    "c list mean sum sd length nrow paste paste0 cat print rnorm runif sample seq_len rep data.frame "
    "factor table matrix sapply lapply do.call eval parse source system install.packages library "
    "require stop warning stopifnot set.seed options rm meanDP varDP DPpack::meanDP DPpack::svmDP$new "
    "diffpriv::DPParamsEps diffpriv::DPMechLaplace os::system base::eval ifelse switch is.na is.null "
    "nchar sprintf gsub read.csv write.csv readRDS lm glm t.test with subset transform mutate filter "
    "select summarize group_by count rename arrange distinct pull transmute left_join new replicate "
    "vapply Map Reduce function.that.is.not cbind rbind numeric str names levels invisible "
    "suppressWarnings".split()
)
OPERATORS = tuple("+ - * / ^ %% %/% : %in% == != < <= > >= & && | || <- <<- -> = ~ |> %>% %o% %*% := $ @".split())
NUMBERS = ("0", "1", "2.5", "1L", "1e5", "1e-320", "1e999", "0x1p-3", "1i", "1e999i", "100000", "2147483647L")
LIBRARIES = ("library(DPpack)", "library(diffpriv)", "library(dplyr)", "set.seed(1)", "set.seed(x)")


class Maker:
    """Scripts from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def one(self, *ways: str) -> str:
        return self.random.choice(ways)

    def payload(self) -> str:
        found = self.random.choice(PAYLOADS)
        return found + self.random.choice(PAYLOADS) if self.random.random() < 0.2 else found

    def string(self) -> str:
        text = self.payload()
        if self.random.random() < 0.2:
            return f'r"---({text.replace(")---", "")})---"'
        if self.random.random() < 0.3:
            return "".join(["'", *(f"\\u{ord(each):04x}" for each in text if 0 < ord(each) < 0x10000), "'"])
        if self.random.random() < 0.1:
            return self.one("'\\xff\\xfe'", "'\\ud800'", "'\\r\\n'", "'\\f\\v\\a\\b'", "'\\U{1f642}'")
        quote = self.one("'", '"')
        return f"{quote}{text.replace(chr(92), chr(92) * 2).replace(quote, chr(92) + quote)}{quote}"

    def name(self) -> str:
        if self.random.random() < 0.75:
            name = self.random.choice(NAMES)
            plain = name.replace(".", "a").replace("_", "a").isascii() and name[0] not in "_"
            return name if plain and name not in ("a b",) and self.random.random() < 0.9 else f"`{name}`"
        text = self.payload().replace("\\", "\\\\").replace("`", "\\`")
        return f"`{text}`"

    def number(self) -> str:
        if self.random.random() < 0.02:
            return "1" * self.random.randint(20, 700) + self.one("", "e-300000", "e99", ".5")
        return self.random.choice(NUMBERS)

    def argument(self, depth: int) -> str:
        value = self.value(depth)
        if self.random.random() < 0.3:
            return f"{self.one(self.name(), self.string())} = {value}"
        return value

    def call(self, depth: int) -> str:
        function = self.random.choice(CALLS) if self.random.random() < 0.8 else self.name()
        return f"{function}({', '.join(self.argument(depth) for _ in range(self.random.randint(0, 3)))})"

    def value(self, depth: int) -> str:
        kind = self.random.random() * (0.5 if depth <= 0 else 1.0)
        if kind < 0.18:
            return self.name()
        if kind < 0.36:
            return self.string()
        if kind < 0.5:
            return self.number()
        if kind < 0.72:
            return self.call(depth - 1)
        if kind < 0.82:
            sign = self.random.choice(OPERATORS)
            right = self.name() if sign in "$@" else self.value(depth - 1)
            return f"{self.value(depth - 1)} {sign} {right}"
        if kind < 0.86:
            return f"{self.name()}{self.one('$', '@')}{self.name()}({self.argument(depth - 1)})"
        if kind < 0.9:
            return f"{self.one('function', chr(92))}({self.name()}) {self.value(depth - 1)}"
        if kind < 0.93:
            return f"{self.one('-', '!', '(')}{self.value(depth - 1)}"
        if kind < 0.96:
            return f"{self.name()}{self.one('[', '[[')}{self.value(depth - 1)}"
        return f"if ({self.value(depth - 1)}) {self.value(depth - 1)} else {self.value(depth - 1)}"

    def comment(self) -> str:
        return f"#{self.one('', chr(39), '!', '+ ', ' ')}{self.payload().replace(chr(10), ' ')}"

    def statement(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.3:
            return f"{self.name()} {self.one('<-', '=', '<<-')} {self.value(depth)}"
        if kind < 0.4:
            target = f"{self.name()}{self.one('$a', '[1]', '[[2]]', '@b', f'${self.name()}')}"
            return f"{target} <- {self.value(depth)}"
        if kind < 0.5:
            return self.comment()
        if kind < 0.62:
            head = self.one(f"for ({self.name()} in {self.value(0)})", f"while ({self.value(0)})", "repeat")
            head = self.one(head, head, f"if ({self.value(1)})")
            return f"{head} {{\n{self.statement(depth - 1) if depth > 0 else self.comment()}\n}}"
        if kind < 0.68:
            body = self.statement(depth - 1) if depth > 0 else self.value(0)
            return f"{self.name()} <- function({self.name()}) {{\n{body}\n}}"
        if kind < 0.72:
            return self.nested()
        return f"{self.call(depth)}{self.one('', '', '  ' + self.comment())}"

    def nested(self) -> str:
        size = self.random.randint(2, 25)
        before, inside, after = self.random.choice(
            (
                ("(", "1", ")"),
                ("for (i in 1:3) {", "x <- i", "}"),
                ("nrow(", "x", ")"),
                ("rep(", "x", ", 2)"),
                ("cbind(", "x", ", y)"),
                ("-", "1", ""),
                ("!", "x", ""),
                ("function(x) ", "x", ""),
                ("if (x) ", "1", ""),
                ("", "x", " + x"),
                ("", "x", "[1]"),
                ("x <- ", "1", ""),
                ("sapply(x, function(i) {", "i", "})"),
                ("x^", "x", ""),
            )
        )
        return before * size + inside + after * size

    def script(self) -> str:
        """Return a script; R may find an error in it."""
        head = [self.random.choice(LIBRARIES)] * (self.random.random() < 0.4)
        return "\n".join([*head, *(self.statement(2) for _ in range(self.random.randint(1, 4)))]) + "\n"

    def file_name(self) -> str:
        """Return a name of the script."""
        return f"{self.payload().replace('/', '').replace(chr(0), '')}.R"


# what a translation may have, told from R's tree alone


UNSEEN = {"\ufe0f", "\u1160"}


def _spelled(name: str) -> str:
    plain = unicodedata.normalize("NFKC", name)
    seen = (each if f"a{each}".isidentifier() and each not in UNSEEN else "_" for each in plain)
    return "".join(seen).strip("_")


def words_of(node: object) -> Iterator[str]:
    """Yield all names and texts of a tree."""
    left = [node]
    while left:
        each = left.pop()
        if isinstance(each, Name):
            yield each.name
        elif isinstance(each, Constant) and isinstance(each.value, str):
            yield each.value
        elif isinstance(each, Argument):
            left.append(each.value)
            if each.name:
                yield each.name
        elif isinstance(each, Call):
            left += [each.function, *each.arguments]
        elif isinstance(each, Function):
            left += [*each.formals, each.body]


BUILT_IN = set(dir(builtins))
IMPORTS = {
    "import math",
    "import secrets",
    "import warnings",
    "import numpy as np",
    "import pandas as pd",
    "import pydpstat",
    "from pydpstat.porting import r",
}
MODULES = set("math secrets warnings np pd pydpstat dppack diffpriv RRandom r rng".split())
# calls that a translation makes by itself
BY_ITSELF = set(
    "len range float int bool ValueError NotImplementedError secrets.randbelow RRandom warnings.warn "
    "each choice d d_ np.array np.zeros np.full np.arange np.asarray np.logical_not np.logical_and "
    "np.logical_or np.logical_xor np.all np.sqrt np.abs np.floor np.ceil pd.DataFrame pd.Series "
    "rng.set_seed rng.rgamma rng.rnorm rng.sample rng.rlaplace rng.rlap pydpstat.mean pydpstat.var "
    "pydpstat.std pydpstat.median pydpstat.quantile pydpstat.histogram "
    "pydpstat.anonymity.microaggregation values isin isna assign drop rename set_axis".split()
)
HELPS = set(
    "known is_in outer matmul modulo quotient released ordered equal unequal integers power colon "
    "column_or part slot element index columns rows cells replaced replaced_element replaced_cells "
    "set_names set_colnames set_rownames set_dimnames set_levels paste0 print each is_na ifelse length "
    "mutate summarize desc count distinct head left_join inner_join unique population c replicate exp "
    "arrange data_frame bind single_text tell_groups printed divide recycled filter_rows renumber "
    "with_stream column_of access droplevels trunc".split()
)


def foreign(script: str, python: str) -> list[str]:
    """Return the imports, names and calls of a translation that R's tree does not allow."""
    words = {_spelled(each) for top in parse(script).expressions for each in words_of(top)}
    # as Python reads a file, with what the file says of its encoding
    return [*_foreign(ast.parse(python.encode()), words)]


def _foreign(tree: ast.Module, words: set[str]) -> Iterable[str]:
    top = set(map(id, tree.body))
    for each in ast.walk(tree):
        if isinstance(each, (ast.Import, ast.ImportFrom)):
            known = ast.unparse(each) in IMPORTS or (
                isinstance(each, ast.ImportFrom)
                and each.module == "pydpstat"
                and {one.name for one in each.names} <= {"RRandom", "dppack", "diffpriv"}
            )
            if not known or id(each) not in top:
                yield ast.unparse(each)
        elif isinstance(each, ast.Call):
            if not _is_known(each.func, words):
                yield ast.unparse(each)
        elif isinstance(each, ast.Name):
            if each.id not in MODULES | BY_ITSELF and _spelled(each.id) not in words:
                yield each.id
            elif not isinstance(each.ctx, ast.Load) and each.id in MODULES - {"rng"} | BUILT_IN:
                yield f"{each.id} is assigned"


def _is_known(function: ast.expr, words: set[str]) -> bool:
    text = ast.unparse(function)
    if text in BY_ITSELF:
        return True
    if isinstance(function, ast.Attribute):
        if function.attr.startswith("_"):
            return False
        if isinstance(function.value, ast.Name) and function.value.id == "r":
            there = hasattr(run_time, function.attr)
            return there and (function.attr in HELPS or _spelled(function.attr) in words)
        return function.attr in BY_ITSELF or _spelled(function.attr) in words
    if isinstance(function, ast.Name):
        return function.id not in BUILT_IN and _spelled(function.id) in words
    # the function is itself a value: its parts are looked at on their own
    return True
