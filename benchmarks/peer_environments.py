"""An environment for each peer: their requirements contradict ours and each other's."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

PLACE = Path(__file__).resolve().parents[1] / ".cache" / "bench"
# as the process was started: R, once it runs in it, names libraries that other programs do not fit
STARTED = dict(os.environ)
# of an environment that is whole: what was asked for
STAMP = "requirements.txt"
# seconds that an installation may take
LIMIT = 600
# an installer without a network is to give up soon
PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "30")


class NotInstalled(Exception):
    """Why a peer could not be installed, in one line."""


def environment(name: str, requirements: Sequence[str], place: Path = PLACE) -> Path:
    """Return the interpreter of a peer's environment, which is made where it is missing.

    Raises
    ------
    NotInstalled
        Where it cannot be made.
    """
    folder = place / name
    python, stamp = folder / "bin" / "python", folder / STAMP
    wanted = "\n".join((f"# Python {sys.version}", *requirements))
    if python.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    _run([sys.executable, "-m", "venv", "--clear", str(folder)])
    _run([str(python), *PIP, *requirements])
    stamp.write_text(wanted, encoding="utf-8")
    return python


def clean() -> dict[str, str]:
    """Return environment variables without those that would lead a peer to our packages."""
    away = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    return {name: value for name, value in STARTED.items() if name not in away} | {"PYTHONNOUSERSITE": "1"}


def _run(command: Sequence[str]) -> None:
    try:
        finished = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env=clean())
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotInstalled(f"{type(error).__name__} while it was installed") from error
    if finished.returncode:
        lines = [*finished.stdout.splitlines(), *finished.stderr.splitlines()]
        said = [line for line in lines if line.startswith("ERROR")]
        raise NotInstalled((said or lines or ["its installation failed"])[-1])
