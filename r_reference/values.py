"""R's values beside those of ``pydpstat.porting.r``: ``python -m r_reference.values`` records R's anew.

Each file in ``values`` has cases: R's expression, a tab, and the Python one. ``values.R`` writes R's values
as text, and this module writes ours alike. Those of R are recorded in files of the same names that end in
``.R.txt``. A case that assigns a variable is there for all that follow.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting import r

HERE = Path(__file__).resolve().parent
CASES = sorted(path for path in (HERE / "values").glob("*.txt") if not path.name.endswith(".R.txt"))
_PLAIN = re.compile("[ -!#-[^-~]*")
# a text, or integers one after another
_INTEGERS = re.compile(r'"[^"]*"|(?<!\S)(?:-?\d+L|NA)(?: (?:-?\d+L|NA))*(?![^\s,)])')


def cases(path: Path) -> list[tuple[str, str]]:
    """Return R's and Python's expressions of a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [(each[0], each[-1]) for line in lines if line and (each := line.split("\t"))]


def recorded(path: Path) -> list[str]:
    """Return what R gave for the cases of a file."""
    return path.with_suffix(".R.txt").read_text(encoding="utf-8").splitlines()


def theirs(expressions: Iterable[str]) -> list[str]:
    """Return what R gives; without Rscript on the path it is a ``FileNotFoundError``."""
    with tempfile.TemporaryDirectory() as folder:
        given, output = Path(folder) / "given", Path(folder) / "output"
        given.write_text("".join(f"{each}\n" for each in expressions), encoding="utf-8")
        command = ["Rscript", "--vanilla", str(HERE / "values.R"), str(given), str(output)]
        # characters beyond ASCII; the order of strings is that of code points in both
        locale = {"LC_ALL": "C.UTF-8", "LANGUAGE": "en"}
        subprocess.run(command, check=True, env={**os.environ, **locale})
        return output.read_text(encoding="utf-8").splitlines()


def variables(path: Path) -> dict[str, Any]:
    """Return what the cases of a file assign, as ``(x := r.c(1, 2))``."""
    space: dict[str, Any] = {}
    for _, python in cases(path):
        if re.match(r"\(\w+ := ", python):
            ours(python, space)
    return space


def ours(expression: str, space: dict[str, Any] | None = None) -> str:
    """Return the same for Python's expression; `space` has the variables of those before it.

    Examples
    --------
    >>> ours("r.c(1, 2.5)"), ours("r.cat(1)")
    ('vector 1 2.5', 'print "1"')
    """
    space = {} if space is None else space
    space.update(r=r, np=np, pd=pd, nan=math.nan, inf=math.inf)
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            found = eval(expression, space)
    except PydpstatError:
        return "error"
    if expression.startswith(("r.print(", "r.cat(", "r.str(")):
        return " ".join(["print", *map(_text, said.getvalue().splitlines())])
    return value(found)


def agree(mine: str, given: str) -> bool:
    """Tell whether two values agree: R's integers with a missing value among them are doubles here.

    Examples
    --------
    >>> agree("vector 1 NA", "vector 1L NA"), agree("vector 1", "vector 1L"), agree("error", "vector 1L")
    (True, False, False)
    """
    return mine in (given, _INTEGERS.sub(_write_doubles, given))


def _write_doubles(found: re.Match[str]) -> str:
    """Return integers with a missing value as doubles; texts and others as they are."""
    return found[0].replace("L", "") if "NA" in found[0].split() and found[0][0] != '"' else found[0]


def value(x: Any) -> str:
    """Return a value as ``values.R`` writes R's.

    Examples
    --------
    >>> value(pd.Series([1.0, math.nan], index=["a", "b"])), value([1, "x"])
    ('vector 1 NA names "a" "b"', 'list (vector 1L, vector "x")')
    """
    if x is None:
        return "NULL"
    if isinstance(x, pd.Series) and isinstance(x.dtype, pd.CategoricalDtype):
        x = x.array
    if isinstance(x, pd.Categorical):
        return f"factor {_atoms(x)} levels {_atoms(x.categories)}"
    names = f" names {_atoms(r.names(x))}" if r.names(x) is not None else ""
    if isinstance(x, (list, Mapping, pd.DataFrame)):
        items = x if isinstance(x, list) else [x[key] for key in x]
        return f"list ({', '.join(map(value, items))}){names}"
    if np.ndim(x) == 2:
        return f"matrix {len(x)} {_atoms(np.asarray(x).ravel(order='F'))}"
    if callable(x):
        return "function"
    if np.ndim(x) > 2:
        return f"vector {_atoms(np.asarray(x).ravel(order='F'))}"
    return f"vector {_atoms(np.atleast_1d(np.asarray(x, None if not isinstance(x, str) else object)))}{names}"


def _atoms(x: Iterable[Any]) -> str:
    return " ".join(map(_atom, x))


def _atom(x: Any) -> str:
    if x is None or x != x:
        return "NA"
    if isinstance(x, (bool, np.bool_)):
        return str(bool(x)).upper()
    if isinstance(x, str):
        return _text(x)
    if isinstance(x, (int, np.integer)):
        return f"{x}L"
    return f"{float(x):.17g}" if math.isfinite(x) else "Inf" if x > 0 else "-Inf"


def _text(x: str) -> str:
    return f'"{x}"' if _PLAIN.fullmatch(x) else f'"#{x.encode().hex()}"'


def record() -> None:
    """Record what R gives for all cases."""
    for path in CASES:
        found = theirs(each for each, _ in cases(path))
        path.with_suffix(".R.txt").write_text("".join(f"{each}\n" for each in found), encoding="utf-8")


if __name__ == "__main__":
    record()
