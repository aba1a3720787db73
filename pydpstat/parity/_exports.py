"""What the R packages export: names, arguments, order and defaults."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

from pydpstat._files import unfinished
from pydpstat.parity._compare import Verdict
from pydpstat.parity._live import add_own_library
from pydpstat.parity.reference import reference_folder


def exports_path() -> Path:
    """Return where the recorded export lists are."""
    return reference_folder() / "exports.json"


def exports(path: Path | None = None) -> dict[str, dict[str, dict[str, object]]]:
    """Return for each R package its exported names, each with its kind and its arguments.

    Examples
    --------
    >>> from pydpstat.parity._exports import exports
    >>> {package: len(names) for package, names in exports().items()}
    {'DPpack': 44, 'diffpriv': 13}
    """
    content = json.loads((path or exports_path()).read_text(encoding="utf-8"))
    return {package: entry["exports"] for package, entry in content.items()}


def write_exports(target: Path) -> None:
    """Ask R for the export lists and write them to a file.

    Raises
    ------
    PydpstatError
        Where this is not a checkout.
    FileNotFoundError
        Where Rscript is not on the path.
    subprocess.CalledProcessError
        Where R stops.
    """
    add_own_library()
    script = reference_folder() / "exports.R"
    subprocess.run(["Rscript", str(script), str(target)], check=True, capture_output=True)


def record_exports() -> bool:
    """Record the export lists anew and return whether they changed."""
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
