"""R's side of a comparison: an R session in this process (rpy2), or recorded outcomes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._files import write_atomically
from pydpstat.parity._compare import Outcome, Verdict
from pydpstat.parity.case import Case, find_reference_folder, format_r_assignments, format_r_literal
from pydpstat.porting._r_environment import add_own_library, choose_kernels

# time limits of R for one case in seconds; the second is for cases known never to return
TIMEOUT, ENDLESS_TIMEOUT = 120, 1
R_PACKAGES = ("rmutil", "DPpack", "diffpriv")
# packages without a mirror that a few results are compared with; used live only if they are installed
UNMIRRORED_PACKAGES = ("mipfp", "sdcMicro")
# R code that evaluates a comparison
_EVALUATOR_PATH = Path(__file__).with_name("evaluate.R")
_BASE_PACKAGES = ("base", "stats", "graphics")
_PROBE_CODE = "import rpy2.robjects as r; print(r.r('as.character(getRversion())')[0])"


class RUnavailableError(Exception):
    """Error raised if R cannot be used; the message has the reason."""


class LiveRSession:
    """An R session that evaluates comparisons; raises a ``RUnavailableError`` without rpy2 or R."""

    def __init__(self) -> None:
        add_own_library()
        choose_kernels()
        _probe_r_start()
        import rpy2.robjects as robjects

        self._r = robjects
        robjects.r["source"](str(_EVALUATOR_PATH))
        robjects.r("options(warn = -1)")
        versions = robjects.r["pydpstat_versions"](robjects.StrVector(R_PACKAGES + UNMIRRORED_PACKAGES))
        self.versions: dict[str, str] = dict(zip(versions.names, map(str, versions)))

    def find_missing(self, package: str) -> str:
        """Return the name of an R package if it is not installed, or an empty string."""
        return "" if package in _BASE_PACKAGES or self.versions.get(package) else package

    def evaluate_case(self, case: Case) -> Outcome:
        """Evaluate the R expression of a comparison."""
        strings = self._r.StrVector
        seconds = ENDLESS_TIMEOUT if case.level == "endless" else TIMEOUT
        result = self._r.r["pydpstat_evaluate"](case.seed, strings(format_r_assignments(case.inputs)), case.r, seconds)
        return parse_outcome({name: list(map(str, field)) for name, field in zip(result.names, result)})

    def draw_sample(self, expression: str, size: int, seed: int) -> npt.NDArray[np.float64]:
        """Evaluate an R expression that draws ``n`` numbers, with n = `size`, after ``set.seed(seed)``."""
        self._r.r(f"n <- {size}L; set.seed({seed}L)")
        drawn = self._r.r(f"suppressWarnings(suppressMessages(as.numeric({expression})))")
        # a copy because R may garbage-collect the vector while NumPy still uses it
        return np.array(drawn)


def parse_outcome(fields: Mapping[str, Sequence[str]]) -> Outcome:
    """Parse an outcome as written by R: vectors of strings, or one string for a vector of one."""
    return Outcome(
        values=tuple(map(parse_r_number, fields["values"])),
        labels=tuple(fields["labels"]),
        error="".join(fields["error"]),
        next_uniform=parse_r_number("".join(fields["next_uniform"])),
    )


def parse_r_number(text: str) -> float:
    """Parse a number that R wrote with ``sprintf("%a")``; NA and NaN both become NaN."""
    return float("nan") if text in ("NA", "NaN") else float.fromhex(text)


def is_variable_set(variable: str) -> bool:
    """Return whether an environment variable is set to a value other than 0."""
    return os.environ.get(variable, "0") not in ("", "0")


def _probe_r_start() -> None:
    """Start R in a separate process first, because a wrong R_HOME would terminate this one."""
    if is_variable_set("PYDPSTAT_NO_R"):
        raise RUnavailableError("PYDPSTAT_NO_R is set")
    try:
        probe = subprocess.run([sys.executable, "-c", _PROBE_CODE], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired as error:
        raise RUnavailableError("R did not start within two minutes") from error
    if probe.returncode:
        lines = probe.stderr.strip().splitlines() or ["no message"]
        raise RUnavailableError(f"rpy2 cannot start R: {lines[-1]}")


class Recording:
    """Recorded outcomes, with the versions of R and its packages."""

    def __init__(self, path: Path | None = None) -> None:
        content = json.loads((path or get_recording_path()).read_text(encoding="utf-8"))
        self.versions: dict[str, str] = content.get("versions", {})
        self._cases: dict[str, dict[str, Any]] = content.get("cases", {})

    def get_outcome(self, case: Case) -> Outcome | None:
        """Return the recorded outcome, or None if exactly this case is not recorded."""
        entry = self._cases.get(case.id)
        case_texts = (case.r, case.seed, format_r_assignments(case.inputs))
        if entry is None or (entry["r"], entry["seed"], entry["inputs"]) != case_texts:
            return None
        return parse_outcome(entry)

    def find_differences(self, other: Recording) -> list[str]:
        """Return the ids of cases whose recorded outcomes differ, were added or were removed."""
        ids = sorted({*self._cases, *other._cases})
        return [name for name in ids if self._cases.get(name) != other._cases.get(name)]


def get_recording_path() -> Path:
    """Return the path of the recording."""
    return find_reference_folder() / "references.json"


def record_cases(cases: Iterable[Case]) -> list[str]:
    """Record all cases with Rscript and return the ids that changed; nothing is changed if R fails."""
    script, target = find_reference_folder() / "record.R", get_recording_path()
    before = Recording(target) if target.exists() else None
    with write_atomically(target) as output, tempfile.TemporaryDirectory() as folder:
        listing = Path(folder) / "cases.R"
        listing.write_text("\n".join(map(_format_case, cases)) + "\n", encoding="utf-8")
        add_own_library()
        subprocess.run(["Rscript", str(script), str(_EVALUATOR_PATH), str(listing), str(output)], check=True)
        after = Recording(output)
    return after.find_differences(before) if before else sorted(after._cases)


def _format_case(case: Case) -> str:
    seconds = ENDLESS_TIMEOUT if case.level == "endless" else TIMEOUT
    inputs = format_r_assignments(case.inputs)
    lines = f"c({', '.join(map(format_r_literal, inputs))})" if inputs else "character()"
    return (
        f"cases[[length(cases) + 1]] <- list(id = {format_r_literal(case.id)}, seed = {case.seed}, "
        f"inputs = {lines}, expression = {format_r_literal(case.r)}, seconds = {seconds})"
    )


def get_exports_path() -> Path:
    """Return the path of the recorded export lists."""
    return find_reference_folder() / "exports.json"


def load_exports() -> dict[str, dict[str, dict[str, object]]]:
    """Return for each R package its exported names, with their kinds and arguments."""
    content = json.loads(get_exports_path().read_text(encoding="utf-8"))
    return {package: entry["exports"] for package, entry in content.items()}


def write_exports(target: Path) -> None:
    """Write the export lists of R packages to a file."""
    add_own_library()
    script = find_reference_folder() / "exports.R"
    subprocess.run(["Rscript", str(script), str(target)], check=True, capture_output=True)


def record_exports() -> bool:
    """Record the export lists again and return whether they changed."""
    target = get_exports_path()
    before = target.read_text(encoding="utf-8")
    with write_atomically(target) as temporary:
        write_exports(temporary)
    return target.read_text(encoding="utf-8") != before


def split_by_coverage(verdicts: Iterable[Verdict]) -> dict[str, tuple[list[str], list[str]]]:
    """Return for each R package the exported names with only passed comparisons, and the others."""
    status: dict[tuple[str, str], set[str]] = {}
    for verdict in verdicts:
        status.setdefault((verdict.case.package, verdict.case.function), set()).add(verdict.status)
    result = {}
    for package, names in load_exports().items():
        passed = [name for name in names if status.get((package, name)) == {"passed"}]
        result[package] = (passed, [name for name in names if name not in passed])
    return result
