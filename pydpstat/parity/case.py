"""Comparisons with R, as data, and where they are; tests, documentation and the report read the same.

Their inputs also as text of R and of Python, and numbers as R prints them.
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
# "error": both stop. In the last three Python raises a PydpstatError, and R returns something that is no
# finite number ("difference"), never returns, or returns a number for an argument without a meaning
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
    """The Python text of a case, or what makes it of the translation of R's, which is done at first sight."""

    def __get__(self, case: Case | None, owner: type[Case]) -> str:
        if case is None:
            return ""
        given = vars(case)["python"]
        if callable(given) or not given:
            from pydpstat.porting._translation import translate_for_comparison

            text = translate_for_comparison(case.r, case.inputs)
            vars(case)["python"] = given = given(text) if callable(given) else text
        return str(given)

    def __set__(self, case: Case, given: str | Callable[[str], str]) -> None:
        vars(case)["python"] = given


@dataclass(frozen=True)
class Case:
    """An R expression and the Python expression that must return the same.

    The code is one expression, or several lines of which the last is an expression, the value. Python's sees
    the inputs, ``rng`` (``RRandom(seed)``), ``np``, ``pd``, ``math``, ``dppack``, ``diffpriv``, ``pydpstat``
    and ``r`` (``pydpstat.porting.r``); R's sees the inputs, without loss, after ``set.seed(seed)``.
    """

    # unique: "function/what is special"
    id: str
    # the R function that the case covers, under R's name ("meanDP")
    function: str
    # where R has it, which decides whether the case can run live; mipfp and sdcMicro have no mirror
    package: str
    r: str
    # where none is given, the translation of R's; a function changes it
    python: _PythonText = _PythonText()
    inputs: Inputs = field(default_factory=dict)
    level: Level = "exact"
    # allowed units in the last place ("ulp") or relative difference ("rtol")
    tolerance: float = 0.0
    # more of these units against a recording from another machine, whose libm may round differently
    recorded_ulp: float = 0.0
    # why the level is not "exact"
    reason: str = ""
    seed: int = 123
    # whether the next runif(1) is compared too
    draws: bool = True
    # the R help page whose example this is ("meanDP")
    help_page: str = ""


@dataclass(frozen=True)
class Recorded:
    """A number, a vector, or the rows of a matrix that R prints, to 17 significant digits."""

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
    """One of several pieces of code that share their variables and their stream."""

    title: str
    # each expression that R would print is one recorded value
    r: tuple[str, ...]
    # the last line is an expression: the value, or a tuple of the values
    python: tuple[str, ...]
    recorded: tuple[Recorded, ...]
    # R's next runif(1), which proves how many numbers were drawn
    next_uniform: float | None = None
    # whether a draw goes through the C library's logarithm, whose last bit depends on the processor
    logarithms: bool = False


def format_r_assignments(inputs: Mapping[str, Input]) -> list[str]:
    """Return one R assignment for each input, numbers without loss."""
    return [f"{name} <- {format_r_literal(value, exact=True)}" for name, value in inputs.items()]


def format_r_literal(value: object, exact: bool = False) -> str:
    """Return a value as R code: a `Factor`, a scalar, or a list or an array of them.

    Numbers are as a person would type them, or `exact`, to the bit.
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
    """Return a value as Python code; numbers stand in a NumPy array, as parity cases see them."""
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
    """Format a matrix as R prints it, each column on its own: a line of names, and one for each row."""
    rows, columns = values.shape
    row_names = dimnames[0] if dimnames else tuple(f"[{i + 1},]" for i in range(rows))
    column_names = dimnames[1] if dimnames else tuple(f"[,{j + 1}]" for j in range(columns))
    blocks = [_pad_texts(["", *row_names], left=True)]
    blocks += [_pad_texts([name, *format_as_r_prints(values[:, j])]) for j, name in enumerate(column_names)]
    return [" ".join(cells) for cells in zip(*blocks)]


def format_vector_lines(values: npt.ArrayLike, labels: Sequence[str] = (), width: int = 80) -> list[str]:
    """Format texts and then numbers as R prints a vector, each line with the number of its first element."""
    cells = _pad_texts([*(f'"{label}"' for label in labels), *format_as_r_prints(values)])
    size = max(1, (width - 6) // (len(cells[0]) + 1)) if cells else 1
    starts = range(0, len(cells), size)
    marks = _pad_texts([f"[{1 + start}]" for start in starts])
    return [f"{mark} {' '.join(cells[start : start + size])}" for mark, start in zip(marks, starts)]


def format_table_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Format rows of texts, the first of them headings, in columns that begin below each other."""
    columns = [_pad_texts(list(column), left=True) for column in zip(*rows)]
    lines = ["  ".join(cells).rstrip() for cells in zip(*columns)]
    return [lines[0], "-" * len(lines[0]), *lines[1:]]


def _pad_texts(texts: list[str], left: bool = False) -> list[str]:
    width = max(map(len, texts), default=0)
    return [text.ljust(width) if left else text.rjust(width) for text in texts]


def find_reference_folder() -> Path:
    """Return the folder ``r_reference``: that of this checkout, or the one in the working directory."""
    for place in (_CHECKOUT, Path.cwd()):
        if (place / "r_reference" / "cases").is_dir():
            return place / "r_reference"
    raise PydpstatError(
        "the comparison needs the folder r_reference, which is no part of an installed package. "
        "Run it in a checkout of the repository."
    )


def all_cases() -> tuple[Case, ...]:
    """Return every comparison, in the order of the names of the modules in ``r_reference/cases``."""
    cases: tuple[Case, ...] = tuple(iterate_reference_items("cases", "CASES"))
    twice = sorted(name for name, times in Counter(case.id for case in cases).items() if times > 1)
    if twice:
        raise ValueError(f"ids of parity cases must differ; {twice} occur twice")
    return cases


def part(name: str) -> ModuleType:
    """Import a module of the reference, for example ``"tutorial.steps"``."""
    root = str(find_reference_folder().parent)
    if root not in sys.path:
        # last: what is installed comes first
        sys.path.append(root)
    return importlib.import_module(f"r_reference.{name}")


def iterate_reference_items(folder: str, name: str) -> Iterator[Any]:
    """Return all that the public modules of a part of the reference have under a name such as ``"CASES"``."""
    found = sorted(module.name for module in pkgutil.iter_modules(part(folder).__path__))
    for module in found:
        if not module.startswith("_"):
            yield from getattr(part(f"{folder}.{module}"), name)
