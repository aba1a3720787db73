"""Random calls, and how R matches their arguments: ``python -m r_reference.argument_matching`` records some.

A call is written with its formal arguments; each argument is its place in the call, or is empty.
"""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).resolve().parent
RECORDED = HERE / "argument_matching.json"
_NAMES = "a ab abc abd b ba x xy na.rm na n lower lower.tail length length.out l .x if".split()
_SAMPLE = 600

Case = tuple[list[str], list[str | None], list[int]]


def random_cases(count: int, seed: int) -> list[Case]:
    """Return formal arguments, the names of a call's arguments, and the places of its empty arguments."""
    draw = random.Random(seed)
    cases = []
    for _ in range(count):
        formals = draw.sample(_NAMES, draw.randint(0, 6))
        if draw.random() < 0.5:
            formals.insert(draw.randint(0, len(formals)), "...")
        names: list[str | None] = []
        for _ in range(draw.randint(0, 6)):
            name = draw.choice(formals or _NAMES) if draw.random() < 0.8 else draw.choice(_NAMES)
            name = name[: draw.randint(1, len(name))] if draw.random() < 0.4 else name
            names.append(None if name == "..." or draw.random() < 0.5 else name)
        # R reads f() as a call without arguments
        several = len(names) > 1
        empty = [k for k, name in enumerate(names) if draw.random() < 0.15 and (several or name)]
        cases.append((formals, names, empty))
    return cases


def written(case: Case) -> str:
    """Return a case as a line of R's side.

    Examples
    --------
    >>> written((["x", "..."], [None, "na.rm", None], [2]))
    'function(`x`, ...) NULL; f(1, `na.rm` = 2, )'
    """
    formals, names, empty = case
    parameters = ", ".join("..." if each == "..." else f"`{each}`" for each in formals)
    values = ["" if k in empty else str(k + 1) for k in range(len(names))]
    given = [value if name is None else f"`{name}` = {value}" for name, value in zip(names, values)]
    return f"function({parameters}) NULL; f({', '.join(given)})"


def ask_r(cases: Iterable[Case]) -> list[str]:
    """Return what R's ``match.call`` makes of calls: pairs of formal arguments and places, or error."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calls"
        path.write_text("".join(f"{written(each)}\n" for each in cases), encoding="utf-8")
        script = [str(HERE / "argument_matching.R"), str(path)]
        ran = subprocess.run(["Rscript", "--vanilla", *script], capture_output=True, text=True, check=True)
    return ran.stdout.split("\n")[:-1]


if __name__ == "__main__":
    sample = random_cases(_SAMPLE, seed=1)
    found = [[*case, theirs] for case, theirs in zip(sample, ask_r(sample), strict=True)]
    lines = ",\n".join(json.dumps(each) for each in found)
    RECORDED.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
