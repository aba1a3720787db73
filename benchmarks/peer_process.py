"""A package in a process of its own, that is asked to run its calls."""

from __future__ import annotations

import json
import select
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SERVE = Path(__file__).resolve().parent / "peer_side" / "serve.py"
# seconds that an answer may take
LIMIT = 180.0


class Unavailable(Exception):
    """Why a package has no answer, in one line."""


class PeerProcess:
    """A package's process, which waits while it is not asked.

    Parameters
    ----------
    python : Path
        The interpreter of the package's environment.
    calls : str
        The module of its calls.
    environment : mapping of str to str
        The process's environment variables.

    Raises
    ------
    Unavailable
        Where the package cannot be imported.
    """

    def __init__(self, python: Path, calls: str, environment: Mapping[str, str]) -> None:
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self._process = subprocess.Popen(
            [str(python), str(SERVE), calls],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=dict(environment),
        )
        try:
            self.version = str(self._answer()["version"])
        except Unavailable:
            self.close()
            raise

    def prepare(self, case: str, path: Path, size: int) -> None:
        """Make a call ready on so many numbers of a file."""
        self._ask({"do": "prepare", "case": case, "path": str(path), "size": size})

    def run(self, times: int) -> float:
        """Return the seconds of a call, out of a loop of so many, by the process's own clock."""
        return float(self._ask({"do": "run", "times": times})["seconds"])

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._process.stdin is None or self._process.poll() is not None:
            raise Unavailable("its process has ended")
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise Unavailable("its process has ended") from error
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        out = self._process.stdout
        # one answer a request: nothing is left in the buffer that select does not see
        if out is None or not select.select([out], [], [], LIMIT)[0]:
            self._process.kill()
            raise Unavailable(f"no answer in {LIMIT:g} s")
        line = out.readline()
        if not line:
            self._process.wait()
            self._errors.seek(0)
            said = self._errors.read().splitlines() or [f"its process ended ({self._process.returncode})"]
            raise Unavailable(said[-1])
        found: dict[str, Any] = json.loads(line)
        if "reason" in found:
            raise Unavailable(found["reason"])
        return found


def cold(python: Path, calls: str, data: Path, environment: Mapping[str, str]) -> dict[str, float]:
    """Return what the import and a first release take in a fresh process.

    Raises
    ------
    Unavailable
        Where the process fails.
    """
    command = [str(python), str(SERVE), calls, "cold", str(data)]
    try:
        finished = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env=dict(environment))
    except subprocess.TimeoutExpired as error:
        raise Unavailable(f"no answer in {LIMIT:g} s") from error
    if finished.returncode:
        raise Unavailable((finished.stderr.splitlines() or ["its process failed"])[-1])
    found: dict[str, float] = json.loads(finished.stdout)
    return found
