"""Comparisons with R as data, common to tests, documentation and the report, and their location.

Also the formatting of inputs as R and Python code, and of numbers as R prints them.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pydpstat.errors import PydpstatError

DIGITS = 7
DimensionNames = tuple[tuple[str, ...], tuple[str, ...]]
# "error": both stop; in the last three Python raises a PydpstatError, while R returns no finite number, never returns,
# or returns a number for a meaningless argument
Level = Literal["exact", "ulp", "rtol", "error", "difference", "endless", "refused"]
_CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Factor:
    """A categorical input: a pandas Categorical in Python, a factor in R."""

    values: tuple[str | None, ...]
    levels: tuple[str, ...]


Cell = float | str | None
Input = Factor | Cell | Sequence[Cell] | npt.NDArray[np.generic]
Inputs = Mapping[str, Input]


class _PythonText:
    """Python code of a case; if missing or a function, it is made from the translation of R's code on first access."""

    def __get__(self, case: Case | None, owner: type[Case]) -> str:
        if case is None:
            return ""
        source = vars(case)["python"]
        if callable(source) or not source:
            from pydpstat.porting._translation import translate_for_comparison

            text = translate_for_comparison(case.r, case.inputs)
            vars(case)["python"] = source = source(text) if callable(source) else text
        return str(source)

    def __set__(self, case: Case, given: str | Callable[[str], str]) -> None:
        vars(case)["python"] = given


@dataclass(frozen=True)
class Case:
    """An R expression and the Python expression that must return the same.

    The code is one expression, or several lines of which the last is an expression, the value. The names available in
    Python are the inputs, ``rng`` (``RRandom(seed)``), ``np``, ``pd``, ``math``, ``dppack``, ``diffpriv``, ``pydpstat``
    and ``r`` (``pydpstat.porting.r``); in R they are the inputs, without loss, after ``set.seed(seed)``.
    """

    # unique, of the form "function/particularity"
    id: str
    # name of the R function that the case covers ("meanDP")
    function: str
    # its R package, which determines whether the case can run live; mipfp and sdcMicro have no mirror
    package: str
    r: str
    # by default the translation of R's code; a function modifies the translation
    python: _PythonText = _PythonText()
    inputs: Inputs = field(default_factory=dict)
    level: Level = "exact"
    # allowed units in the last place ("ulp") or relative difference ("rtol")
    tolerance: float = 0.0
    # further units allowed against a recording from another machine, whose libm may round differently
    recorded_ulp: float = 0.0
    # reason why the level is not "exact"
    reason: str = ""
    seed: int = 123
    # whether the next runif(1) is compared as well
    draws: bool = True
    # the R help page that has this example ("meanDP")
    help_page: str = ""


@dataclass(frozen=True)
class Recorded:
    """A number, a vector, or the rows of a matrix as printed by R with 17 significant digits."""

    value: npt.ArrayLike
    name: str = "value"
    dimnames: DimensionNames | None = None

    @property
    def array(self) -> npt.NDArray[np.float64]:
        """The value as an array."""
        return np.asarray(self.value, dtype=np.float64)

    @property
    def printed(self) -> list[str]:
        """The numbers as R prints them, in R's order."""
        return format_as_r_prints(self.array)


@dataclass(frozen=True)
class Step:
    """One of several pieces of code that share variables and a random stream."""

    title: str
    # each expression that R would print is one recorded value
    r: tuple[str, ...]
    # the last line is an expression: the value, or a tuple of the values
    python: tuple[str, ...]
    recorded: tuple[Recorded, ...]
    # R's next runif(1), which verifies the number of draws
    next_uniform: float | None = None
    # whether a draw uses the C library's logarithm, whose last bit depends on the processor
    logarithms: bool = False


def format_r_assignments(inputs: Mapping[str, Input]) -> list[str]:
    """Return one R assignment for each input, with exact numbers."""
    return [f"{name} <- {format_r_literal(value, exact=True)}" for name, value in inputs.items()]


def format_r_literal(value: object, exact: bool = False) -> str:
    """Return a value as R code: a `Factor`, a scalar, or a list or an array of scalars.

    Numbers are formatted as a person would type them, or exactly (`exact`).
    """
    if isinstance(value, Factor):
        return f"factor({format_r_literal(value.values, exact)}, levels = {format_r_literal(value.levels, exact)})"
    if isinstance(value, np.ndarray) and value.ndim > 1:
        cells = format_r_literal(value.ravel(order="F").tolist(), exact)
        if value.ndim == 2 and not exact:
            return f"matrix({cells}, nrow = {value.shape[0]})"
        return f"array({cells}, c({', '.join(map(str, value.shape))}))"
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return f"c({', '.join(_format_r_element(item, exact) for item in value)})" if value else "numeric(0)"
    return _format_r_element(value, exact)


def _format_r_element(value: object, exact: bool) -> str:
    if value is None:
        return "NA"
    if isinstance(value, (bool, np.bool_)):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, np.integer)):
        return f"{int(value)}L" if abs(int(value)) < 2**31 else f"{int(value)}"
    if isinstance(value, (float, np.floating)):
        number = float(value)
        text = number.hex() if exact and math.isfinite(number) else _format_float(number, "NaN", "Inf")
        return text.removesuffix(".0")
    return _quote_text(value)


def format_python_literal(value: object) -> str:
    """Return a value as Python code, with numbers in a NumPy array as in the parity cases."""
    if isinstance(value, Factor):
        return f"pd.Categorical({_format_python_list(value.values)}, categories={_format_python_list(value.levels)})"
    if isinstance(value, np.ndarray):
        return f"np.array({_format_python_list(value.tolist())})"
    if isinstance(value, list) and value and not isinstance(value[0], str):
        return f"np.array({_format_python_list([math.nan if item is None else item for item in value])})"
    return _format_python_element(value)


def _format_python_list(values: Iterable[object]) -> str:
    return f"[{', '.join(map(_format_python_element, values))}]"


def _format_python_element(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return _format_python_list(value)
    if isinstance(value, float):
        return _format_float(value, "math.nan", "math.inf")
    return _quote_text(value) if isinstance(value, str) else repr(value)


def _format_float(value: float, nan: str, infinity: str) -> str:
    if math.isnan(value):
        return nan
    if math.isinf(value):
        return infinity if value > 0 else f"-{infinity}"
    return repr(value)


def _quote_text(value: object) -> str:
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


def format_as_r_prints(values: npt.ArrayLike) -> list[str]:
    """Format numbers as R prints a vector, in R's order: seven significant digits, the same decimals for all.

    R's scientific notation is not imitated.
    """
    numbers = np.ravel(values, order="F").tolist()
    shortest = [f"{number:.{DIGITS}g}" for number in numbers]
    if any("e" in text or "n" in text for text in shortest):
        return shortest
    decimals = max((len(text.partition(".")[2]) for text in shortest), default=0)
    return [f"{number:.{decimals}f}" for number in numbers]


def format_matrix_lines(values: npt.NDArray[np.float64], dimnames: DimensionNames | None = None) -> list[str]:
    """Format a matrix as R prints it, column by column: a line of names, and one for each row."""
    rows, columns = values.shape
    row_names = dimnames[0] if dimnames else tuple(f"[{i + 1},]" for i in range(rows))
    column_names = dimnames[1] if dimnames else tuple(f"[,{j + 1}]" for j in range(columns))
    blocks = [_pad_texts(["", *row_names], left=True)]
    blocks += [_pad_texts([name, *format_as_r_prints(values[:, j])]) for j, name in enumerate(column_names)]
    return [" ".join(cells) for cells in zip(*blocks)]


def format_vector_lines(values: npt.ArrayLike, labels: Sequence[str] = (), width: int = 80) -> list[str]:
    """Format labels and numbers as R prints a vector, each line with the index of its first element."""
    cells = _pad_texts([*(f'"{label}"' for label in labels), *format_as_r_prints(values)])
    size = max(1, (width - 6) // (len(cells[0]) + 1)) if cells else 1
    starts = range(0, len(cells), size)
    marks = _pad_texts([f"[{1 + start}]" for start in starts])
    return [f"{mark} {' '.join(cells[start : start + size])}" for mark, start in zip(marks, starts)]


def format_table_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Format rows of strings, the first of them headings, in aligned columns."""
    columns = [_pad_texts(list(column), left=True) for column in zip(*rows)]
    lines = ["  ".join(cells).rstrip() for cells in zip(*columns)]
    return [lines[0], "-" * len(lines[0]), *lines[1:]]


def _pad_texts(texts: list[str], left: bool = False) -> list[str]:
    width = max(map(len, texts), default=0)
    return [text.ljust(width) if left else text.rjust(width) for text in texts]


def find_reference_folder() -> Path:
    """Return the folder ``r_reference`` of this checkout, or the one in the working directory."""
    for root in (_CHECKOUT, Path.cwd()):
        if (root / "r_reference" / "cases").is_dir():
            return root / "r_reference"
    raise PydpstatError(
        "the comparison needs the folder r_reference, which is no part of an installed package. "
        "Run it in a checkout of the repository."
    )


def all_cases() -> tuple[Case, ...]:
    """Return all comparisons, in the order of the module names in ``r_reference/cases``."""
    cases: tuple[Case, ...] = tuple(iterate_reference_items("cases", "CASES"))
    twice = sorted(name for name, times in Counter(case.id for case in cases).items() if times > 1)
    if twice:
        raise ValueError(f"ids of parity cases must differ; {twice} occur twice")
    return cases


def part(name: str) -> ModuleType:
    """Import a module of the reference, for example ``"tutorial.steps"``."""
    root = str(find_reference_folder().parent)
    if root not in sys.path:
        # appended, so that installed packages take precedence
        sys.path.append(root)
    return importlib.import_module(f"r_reference.{name}")


def iterate_reference_items(folder: str, name: str) -> Iterator[Any]:
    """Yield the items with a name such as ``"CASES"`` in the public modules of a part of the reference."""
    module_names = sorted(module.name for module in pkgutil.iter_modules(part(folder).__path__))
    for module in module_names:
        if not module.startswith("_"):
            yield from getattr(part(f"{folder}.{module}"), name)
