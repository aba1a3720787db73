"""Values and output of a script in R, as recorded by ``record.R``."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import tempfile
from functools import partial
from pathlib import Path
from shutil import which
from typing import Any, TypeAlias

from pydpstat.errors import PydpstatError
from pydpstat.porting._escapes import escape_text, trim_text
from pydpstat.porting._grammar import decode_script
from pydpstat.porting._r_environment import add_own_library, choose_kernels

# JSON: a value has a "kind", or a "ref" to its position in the record's "pool"
RecordedValue: TypeAlias = dict[str, Any]
ScriptRecord: TypeAlias = dict[str, Any]
_RECORDER_ARGUMENTS = "(commandArgs(TRUE)[1], commandArgs(TRUE)[2])"
_TIMEOUT = 3600


def make_recorder(script: Path) -> str:
    """Return R code that, run by Rscript in the script's folder, writes the script's record there.

    Examples
    --------
    >>> make_recorder(Path("analysis.R")).splitlines()[-1]
    '})("./analysis.R", "./analysis.json")'
    """
    names = _quote_in_r(script.name), _quote_in_r(f"{script.stem}.json")
    return _get_recorder_path().read_text(encoding="utf-8").replace(_RECORDER_ARGUMENTS, f"({', '.join(names)})")


def _quote_in_r(name: str) -> str:
    """Return a file name as a relative path in an R string: ``stdin`` and a tilde are special in R."""
    if not name.isprintable():
        shown = escape_text(name)
        raise PydpstatError(f"the script's name has characters that cannot be seen: {shown}. Rename it.")
    return json.dumps(f"./{name}", ensure_ascii=False)


def load_record(script: Path, recorded: Path | None = None, processor_seconds: int | None = None) -> ScriptRecord:
    """Return the record of a script, from R itself or from a file that the recorder wrote.

    With `processor_seconds`, R is stopped after so many seconds of processor time.

    Raises
    ------
    PydpstatError
        If there is no R, R cannot read the script, or the file is not a record of this text.
    """
    if recorded is None:
        with tempfile.TemporaryDirectory() as folder:
            recorded = Path(folder) / "record.json"
            _run_r(script, recorded, processor_seconds)
            return load_record(script, recorded)
    try:
        record = json.loads(recorded.read_text(encoding="utf-8"))
        known = record["md5"], record["expressions"], record["pool"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PydpstatError(
            f"{escape_text(str(recorded))} is no record of an R script: {error!r}. Make it with --record."
        ) from None
    text = decode_script(script.read_bytes())
    lines = text if text.endswith("\n") or not text else f"{text}\n"
    if known[0] != hashlib.md5(lines.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest():
        names = escape_text(f"{recorded} is a record of another text than {script} has now")
        raise PydpstatError(f"{names}. Record it again.")
    return record


def _get_recorder_path() -> Path:
    return Path(__file__).with_name("record.R")


def _run_r(script: Path, output: Path, processor_seconds: int | None = None) -> None:
    if which("Rscript") is None:
        raise PydpstatError(
            "there is no Rscript on the path. Install R, or let a colleague with R make a record (--record)."
        )
    add_own_library()
    choose_kernels()
    # absolute paths, since R may interpret others as options, URLs or connections
    command = ["Rscript", str(_get_recorder_path()), str(script.resolve()), str(output.resolve())]
    limit = None if processor_seconds is None else partial(_limit_processor_time, processor_seconds)
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_TIMEOUT, preexec_fn=limit
        )
    except subprocess.TimeoutExpired:
        name = escape_text(str(script))
        raise PydpstatError(f"R has not ended {name} within an hour. Shorten the script.") from None
    if limit is not None and done.returncode in (-signal.SIGXCPU, 128 + signal.SIGXCPU):
        raise PydpstatError(f"it takes more than {processor_seconds} seconds of processor time")
    if done.returncode or not output.exists():
        said = done.stderr.strip() or "it ended before the script did"
        raise PydpstatError(f"R made no record of {escape_text(str(script))}: {trim_text(said)}")


def _limit_processor_time(seconds: int) -> None:
    """Limit the processor time of the current process, which the programs that it runs inherit."""
    import resource  # Windows has none

    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
