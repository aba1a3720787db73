"""What R computed in a script, as ``record.R`` writes it down."""

from __future__ import annotations

import hashlib
import json
import subprocess
import tempfile
from pathlib import Path
from shutil import which
from typing import Any, TypeAlias

from pydpstat.errors import PydpstatError
from pydpstat.porting._escapes import escaped, shortened
from pydpstat.porting._grammar import decoded
from pydpstat.porting._r_environment import add_own_library, choose_kernels

# JSON: a value has a "kind", or a "ref" to its place in the record's "pool"
Value: TypeAlias = dict[str, Any]
Record: TypeAlias = dict[str, Any]
_CALL = "(commandArgs(TRUE)[1], commandArgs(TRUE)[2])"
_SECONDS = 3600


def recorder_for(script: Path) -> str:
    """Return R code that, run by Rscript beside the script, writes the script's record beside it.

    Examples
    --------
    >>> recorder_for(Path("analysis.R")).splitlines()[-1]
    '})("./analysis.R", "./analysis.json")'
    """
    names = _in_r(script.name), _in_r(f"{script.stem}.json")
    return _recorder().read_text(encoding="utf-8").replace(_CALL, f"({', '.join(names)})")


def _in_r(name: str) -> str:
    """Return a file's name as a relative path in an R string: ``stdin`` and a tilde are special in R."""
    if not name.isprintable():
        shown = escaped(name)
        raise PydpstatError(f"the script's name has characters that cannot be seen: {shown}. Rename it.")
    return json.dumps(f"./{name}", ensure_ascii=False)


def record_of(script: Path, recorded: Path | None = None) -> Record:
    """Return what R computes in a script: from R itself, or from a file that its recorder wrote.

    Raises
    ------
    PydpstatError
        Where there is no R, R cannot read the script, or the file is no record of this text.
    """
    if recorded is None:
        with tempfile.TemporaryDirectory() as folder:
            recorded = Path(folder) / "record.json"
            _run(script, recorded)
            return record_of(script, recorded)
    try:
        record = json.loads(recorded.read_text(encoding="utf-8"))
        known = record["md5"], record["expressions"], record["pool"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PydpstatError(
            f"{escaped(str(recorded))} is no record of an R script: {error!r}. Make it with --record."
        ) from None
    text = decoded(script.read_bytes())
    lines = text if text.endswith("\n") or not text else f"{text}\n"
    if known[0] != hashlib.md5(lines.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest():
        names = escaped(f"{recorded} is a record of another text than {script} has now")
        raise PydpstatError(f"{names}. Record it again.")
    return record


def _recorder() -> Path:
    return Path(__file__).with_name("record.R")


def _run(script: Path, output: Path) -> None:
    if which("Rscript") is None:
        raise PydpstatError(
            "there is no Rscript on the path. Install R, or let a colleague with R make a record (--record)."
        )
    add_own_library()
    choose_kernels()
    # absolute paths, since R may read others as options, URLs or connections
    command = ["Rscript", str(_recorder()), str(script.resolve()), str(output.resolve())]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        name = escaped(str(script))
        raise PydpstatError(f"R has not ended {name} within an hour. Shorten the script.") from None
    if done.returncode or not output.exists():
        said = done.stderr.strip() or "it ended before the script did"
        raise PydpstatError(f"R made no record of {escaped(str(script))}: {shortened(said)}")
