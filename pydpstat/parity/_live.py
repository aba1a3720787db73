"""R's side of a comparison, from an R session inside this process (rpy2)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict, cast

import numpy as np
import numpy.typing as npt

from pydpstat.parity._evaluate import Outcome
from pydpstat.parity.case import Case, assignments
from pydpstat.porting._r_environment import add_own_library, choose_kernels

# R gets this long for one case; a case that is known never to return is stopped sooner
SECONDS, ENDLESS_SECONDS = 120, 1
PACKAGES = ("rmutil", "DPpack", "diffpriv")
# packages without a mirror that a few results are compared with; live only where they are installed
PEERS = ("mipfp", "sdcMicro")
_BASE = ("base", "stats", "graphics")
_PROBE = "import rpy2.robjects as r; print(r.r('as.character(getRversion())')[0])"


class OutcomeText(TypedDict):
    """An outcome as R writes it: vectors of texts, or one text for a vector of one."""

    values: Sequence[str]
    labels: Sequence[str]
    error: Sequence[str]
    next_uniform: Sequence[str]


class NoR(Exception):
    """R cannot be used here; the text says why."""


class LiveR:
    """An R session that evaluates comparisons; without rpy2 or R a ``NoR`` says why there is none."""

    def __init__(self) -> None:
        add_own_library()
        choose_kernels()
        _probe()
        import rpy2.robjects as robjects

        self._r = robjects
        robjects.r["source"](str(evaluator()))
        robjects.r("options(warn = -1)")
        versions = robjects.r["pydpstat_versions"](robjects.StrVector(PACKAGES + PEERS))
        self.versions: dict[str, str] = dict(zip(versions.names, map(str, versions)))

    def missing(self, package: str) -> str:
        """Return the name of an R package if it is not installed, or an empty text."""
        return "" if package in _BASE or self.versions.get(package) else package

    def evaluate(self, case: Case) -> Outcome:
        """Evaluate the R expression of a comparison."""
        strings = self._r.StrVector
        seconds = ENDLESS_SECONDS if case.level == "endless" else SECONDS
        result = self._r.r["pydpstat_evaluate"](case.seed, strings(assignments(case.inputs)), case.r, seconds)
        texts = {name: list(map(str, part)) for name, part in zip(result.names, result)}
        return outcome(cast(OutcomeText, texts))

    def draw(self, expression: str, size: int, seed: int) -> npt.NDArray[np.float64]:
        """Evaluate an expression of ``n`` draws, its size, after ``set.seed(seed)``."""
        self._r.r(f"n <- {size}L; set.seed({seed}L)")
        drawn = self._r.r(f"suppressWarnings(suppressMessages(as.numeric({expression})))")
        # a copy: R may collect the vector while NumPy still looks at it
        return np.array(drawn)


def outcome(fields: OutcomeText) -> Outcome:
    """Read an outcome from R's text."""
    return Outcome(
        values=tuple(map(number, fields["values"])),
        labels=tuple(fields["labels"]),
        error="".join(fields["error"]),
        next_uniform=number("".join(fields["next_uniform"])),
    )


def number(text: str) -> float:
    """Read a number that R wrote with ``sprintf("%a")``; NA and NaN are both NaN."""
    return float("nan") if text in ("NA", "NaN") else float.fromhex(text)


def evaluator() -> Path:
    """Return the path of the R file that evaluates a comparison."""
    return Path(__file__).with_name("evaluate.R")


def is_set(variable: str) -> bool:
    """Tell whether an environment variable is set, and not to 0."""
    return os.environ.get(variable, "0") not in ("", "0")


def _probe() -> None:
    """Start R in another process first: a wrong R_HOME would end this one."""
    if is_set("PYDPSTAT_NO_R"):
        raise NoR("PYDPSTAT_NO_R is set")
    try:
        probe = subprocess.run([sys.executable, "-c", _PROBE], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired as error:
        raise NoR("R did not start within two minutes") from error
    if probe.returncode:
        lines = probe.stderr.strip().splitlines() or ["no message"]
        raise NoR(f"rpy2 cannot start R: {lines[-1]}")
