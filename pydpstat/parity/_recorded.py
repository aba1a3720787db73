"""R's side of a comparison, as recorded by an R script, for machines without R."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from pydpstat._files import unfinished
from pydpstat.parity._evaluate import Outcome
from pydpstat.parity._literals import assignments, r_literal
from pydpstat.parity._live import ENDLESS_SECONDS, SECONDS, OutcomeText, add_own_library, evaluator, outcome
from pydpstat.parity.case import Case
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
        if entry is None or entry["r"] != case.r or entry["seed"] != case.seed:
            return None
        if entry["inputs"] != assignments(case.inputs):
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

    Raises
    ------
    PydpstatError
        Where this is not a checkout.
    FileNotFoundError
        Where Rscript is not on the path.
    subprocess.CalledProcessError
        Where R stops; nothing is changed then.
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
