"""The sessions. Run them with `.venv/bin/python -m nox`, which `make setup` prepares."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import nox

HERE = Path(__file__).resolve().parent
SOURCES = [
    name
    for name in ("pydpstat", "tests", "benchmarks", "docs", "tools", "conftest.py", "noxfile.py")
    if (HERE / name).exists()
]

nox.options.sessions = ["tests"]


def environment() -> dict[str, str]:
    """What `make` sets, for those who call nox themselves."""
    own = str(HERE / ".r-library")
    libraries = [name for name in os.environ.get("R_LIBS", "").split(os.pathsep) if name and name != own]
    return {"R_LIBS": os.pathsep.join([own, *libraries]), "PYTHONNOUSERSITE": "1", "MPLBACKEND": "agg"}


def run(session: nox.Session, *arguments: str) -> None:
    """Run Python as it runs nox: the interpreter of .venv, whatever comes first on PATH."""
    session.run(sys.executable, *arguments, env=environment(), external=True)


@nox.session(venv_backend="none")
def tests(session: nox.Session) -> None:
    """All tests and the examples in docstrings, then the comparison with R in short."""
    run(session, "-m", "pytest", *(session.posargs or ["-n", "auto"]))
    if session.posargs:
        return
    # A run of its own: in the tests' import mode the modules would exist twice.
    run(session, "-m", "pytest", "--doctest-modules", "--import-mode=prepend", "pydpstat")
    run(session, "-m", "pydpstat", "parity")


@nox.session(venv_backend="none")
def parity(session: nox.Session) -> None:
    """The full comparison with R: live where R is there, with recorded references elsewhere."""
    run(session, "-m", "pydpstat", "parity", *(session.posargs or ["--draws", "200000"]))


@nox.session(venv_backend="none")
def lint(session: nox.Session) -> None:
    """ruff, or the same rules by flake8 and isort where it cannot be had."""
    if find_spec("ruff"):
        run(session, "-m", "ruff", "check", *SOURCES)
        return
    session.log("ruff is not installed: flake8 and isort have the same rules")
    run(session, "-m", "flake8", *SOURCES)
    run(session, "-m", "isort", "--check", "--diff", *SOURCES)


@nox.session(venv_backend="none")
def typecheck(session: nox.Session) -> None:
    """mypy on the package."""
    run(session, "-m", "mypy", "pydpstat")


@nox.session(venv_backend="none")
def demo(session: nox.Session) -> None:
    """The tutorial: R's printed numbers beside ours."""
    run(session, "-m", "pydpstat", "tutorial", *session.posargs)


@nox.session(venv_backend="none")
def bench(session: nox.Session) -> None:
    """The benchmarks."""
    run(session, "benchmarks/run.py", *session.posargs)


@nox.session(venv_backend="none")
def docs(session: nox.Session) -> None:
    """The documentation as HTML, in output/docs; its code runs, in R too where R is there."""
    # -E: every page is read again, so that all of its code runs
    options = ("-E", "-W", "--keep-going", "-q")
    run(session, "-m", "sphinx", *options, "docs", "output/docs", *session.posargs)
    session.log(f"the pages are in {HERE / 'output' / 'docs' / 'index.html'}")
