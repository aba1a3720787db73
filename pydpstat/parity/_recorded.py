"""What R said, recorded for machines without R: outcomes, and what its packages export."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from pydpstat._files import unfinished
from pydpstat.parity._compare import Verdict
from pydpstat.parity._evaluate import Outcome
from pydpstat.parity._live import ENDLESS_SECONDS, SECONDS, OutcomeText, add_own_library, evaluator, outcome
from pydpstat.parity.case import Case, assignments, r_literal
from pydpstat.parity.reference import reference_folder


class _Entry(OutcomeText):
    r: str
    seed: int
    inputs: list[str]


class Recording:
    """The recorded outcomes, with the versions they come from."""

    def __init__(self, path: Path | None = None) -> None:
        content = json.loads((path or recording_path()).read_text(encoding="utf-8"))
        self.versions: dict[str, str] = content.get("versions", {})
        self._cases: dict[str, _Entry] = content.get("cases", {})

    def evaluate(self, case: Case) -> Outcome | None:
        """Return the recorded outcome, or None where this very case is not recorded."""
        entry = self._cases.get(case.id)
        asked = (case.r, case.seed, assignments(case.inputs))
        if entry is None or (entry["r"], entry["seed"], entry["inputs"]) != asked:
            return None
        return outcome(entry)

    def differences(self, other: Recording) -> list[str]:
        """Return the ids whose recorded outcomes differ, are new or are gone."""
        ids = sorted({*self._cases, *other._cases})
        return [name for name in ids if self._cases.get(name) != other._cases.get(name)]


def recording_path() -> Path:
    """Return where the recording is."""
    return reference_folder() / "references.json"


def record(cases: Iterable[Case]) -> list[str]:
    """Record all cases with Rscript and return the ids that changed.

    It is a ``PydpstatError`` outside of a checkout and a ``FileNotFoundError`` without Rscript on the path.
    Where R stops, it is a ``CalledProcessError``, and nothing is changed.
    """
    script, target = reference_folder() / "record.R", recording_path()
    before = Recording(target) if target.exists() else None
    with unfinished(target) as output, tempfile.TemporaryDirectory() as folder:
        listing = Path(folder) / "cases.R"
        listing.write_text("\n".join(map(_listed, cases)) + "\n", encoding="utf-8")
        add_own_library()
        subprocess.run(["Rscript", str(script), str(evaluator()), str(listing), str(output)], check=True)
        after = Recording(output)
    return after.differences(before) if before else sorted(after._cases)


def _listed(case: Case) -> str:
    seconds = ENDLESS_SECONDS if case.level == "endless" else SECONDS
    inputs = assignments(case.inputs)
    lines = f"c({', '.join(map(r_literal, inputs))})" if inputs else "character()"
    return (
        f"cases[[length(cases) + 1]] <- list(id = {r_literal(case.id)}, seed = {case.seed}, "
        f"inputs = {lines}, expression = {r_literal(case.r)}, seconds = {seconds})"
    )


def exports_path() -> Path:
    """Return where the recorded export lists are."""
    return reference_folder() / "exports.json"


def exports() -> dict[str, dict[str, dict[str, object]]]:
    """Return for each R package its exported names, each with its kind and its arguments.

    Examples
    --------
    >>> {package: len(names) for package, names in exports().items()}
    {'DPpack': 44, 'diffpriv': 13}
    """
    content = json.loads(exports_path().read_text(encoding="utf-8"))
    return {package: entry["exports"] for package, entry in content.items()}


def write_exports(target: Path) -> None:
    """Ask R for the export lists and write them to a file; errors are those of `record`."""
    add_own_library()
    script = reference_folder() / "exports.R"
    subprocess.run(["Rscript", str(script), str(target)], check=True, capture_output=True)


def record_exports() -> bool:
    """Record the export lists again and return whether they changed."""
    target = exports_path()
    before = target.read_text(encoding="utf-8")
    with unfinished(target) as part:
        write_exports(part)
    return target.read_text(encoding="utf-8") != before


def covered(verdicts: Iterable[Verdict]) -> dict[str, tuple[list[str], list[str]]]:
    """Return for each R package the exported names that passed, and the others.

    A name counts as passed where it has at least one comparison and none that failed or did not run.
    """
    status: dict[tuple[str, str], set[str]] = {}
    for verdict in verdicts:
        status.setdefault((verdict.case.package, verdict.case.function), set()).add(verdict.status)
    result = {}
    for package, names in exports().items():
        passed = [name for name in names if status.get((package, name)) == {"passed"}]
        result[package] = (passed, [name for name in names if name not in passed])
    return result
