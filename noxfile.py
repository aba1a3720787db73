"""The sessions. Run them with `.venv/bin/python -m nox`, which `make setup` prepares."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import nox

HERE = Path(__file__).resolve().parent
PARTS = ("pydpstat", "r_reference", "tests", "benchmarks", "docs", "tools", "conftest.py", "noxfile.py")
SOURCES = [name for name in PARTS if (HERE / name).exists()]

# The lower bounds in pyproject.toml, and what goes with them.
OLDEST = [
    "numpy==1.24.4",
    "scipy==1.10.1",
    "pandas==1.5.3",
    "statsmodels==0.13.5",
    "mpmath==1.2.1",
    "matplotlib==3.6.3",
    # matplotlib 3.6 calls what later ones warn of
    "pyparsing<3.1",
    "nlopt==2.7.1",
    "psycopg[binary]==3.1.7",
    "dp-accounting==0.4.3",
    "scikit-learn==1.2.2",
    "pytest==7.2.2",
    "pytest-xdist==3.1.0",
    "hypothesis==6.67.1",
    "jedi==0.18.2",
    "mypy==1.0.1",
]
nox.options.sessions = ["tests"]


def environment() -> dict[str, str]:
    """What `make` sets, for those who call nox themselves; and R's sums with what every processor has."""
    own = str(HERE / ".r-library")
    libraries = [name for name in os.environ.get("R_LIBS", "").split(os.pathsep) if name and name != own]
    made = {"R_LIBS": os.pathsep.join([own, *libraries]), "PYTHONNOUSERSITE": "1", "MPLBACKEND": "agg"}
    # many processes are started: each module is compiled once for all of them
    made |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(HERE / ".cache" / "bytecode")}
    if platform.machine() in ("x86_64", "AMD64"):
        # as in pydpstat/parity/_r_side.py: where NumPy and R share OpenBLAS, it is loaded before that is run
        made["OPENBLAS_CORETYPE"] = os.environ.get("OPENBLAS_CORETYPE", "Prescott")
    return made


def run(session: nox.Session, *arguments: str, own_sums: bool = False) -> None:
    """Run Python as it runs nox: the interpreter of .venv, whatever comes first on PATH."""
    made = environment()
    if own_sums and "OPENBLAS_CORETYPE" not in os.environ:
        made.pop("OPENBLAS_CORETYPE", None)
    session.run(sys.executable, *arguments, env=made, external=True)


# Examples have a run of their own: in the tests' import mode the modules would exist twice.
EXAMPLES = ("--doctest-modules", "--import-mode=prepend", "pydpstat", "r_reference")


def suite(session: nox.Session, *python: str, chosen: tuple[str, ...] = ()) -> None:
    """The chosen tests, by default all, the examples in docstrings and the comparison with R in short."""
    for arguments in (
        ("pytest", "-n", "auto", *chosen),
        ("pytest", "-n", "auto", *EXAMPLES),
        ("pydpstat", "parity"),
    ):
        session.run(*python, "-m", *arguments, env=environment(), external=True)


@nox.session(venv_backend="none")
def tests(session: nox.Session) -> None:
    """All tests that are not slow, the examples in docstrings, and the comparison with R in short."""
    if session.posargs:
        run(session, "-m", "pytest", *session.posargs)
    else:
        suite(session, sys.executable, chosen=("-m", "not slow"))


@nox.session(venv_backend="none")
def slow(session: nox.Session) -> None:
    """The tests that take more than half a second: searches for private numbers, simulations, pictures."""
    run(session, "-m", "pytest", "-n", "auto", "-m", "slow", *session.posargs)


@nox.session(venv_backend="none")
def check(session: nox.Session) -> None:
    """Before each commit: lint, one case of each test that is not slow, and every ninth comparison with R."""
    lint(session)
    run(session, "-m", "pytest", "-q", "-n", "auto", "--quick", *session.posargs)
    run(session, "-m", "pydpstat", "parity", "--recorded", "--draws", "0", "--every", "9", "--quiet")


@nox.session(venv_backend="none")
@nox.parametrize("setting", ["avx2", "plain"])
def processors(session: nox.Session, setting: str) -> None:
    """The same without AVX-512, and without any optional feature of the processor."""
    suite(session, sys.executable, "tests/processors.py", setting)


@nox.session(venv_backend="venv", python="3.11", reuse_venv=True)
def oldest(session: nox.Session) -> None:
    """The same with the oldest versions that pydpstat allows, from PyPI, on the oldest Python."""
    session.install(*OLDEST, *(["rpy2==3.5.9"] if shutil.which("R") else []))
    session.install("--no-deps", "-e", ".")
    suite(session, "python")


def rpy2() -> list[str]:
    """The newest rpy2 for the R on PATH; later ones need an R function that came with R 4.5."""
    if not shutil.which("R"):
        return []
    said = subprocess.run(["R", "--version"], capture_output=True, text=True).stdout
    version = tuple(map(int, re.findall(r"R version (\d+)\.(\d+)", said)[0]))
    return ["rpy2"] if version >= (4, 5) else ["rpy2", "rpy2-rinterface<3.6.6"]


@nox.session(venv_backend="venv", reuse_venv=True)
def newest(session: nox.Session) -> None:
    """The same with the newest versions, from PyPI."""
    extras = ".[dev,models,postgres,accounting]"
    session.install("--upgrade", "--upgrade-strategy", "eager", "-e", extras, *rpy2())
    suite(session, "python")


@nox.session(venv_backend="venv", reuse_venv=True)
def accounting(session: nox.Session) -> None:
    """The accounting beside dp-accounting, from PyPI: its pins are too old for the other tools."""
    session.install("-e", ".[accounting]", "pytest", "pytest-xdist", "hypothesis")
    session.run("python", "-m", "pytest", "tests/privacy", env=environment(), external=True)


def out_of_reach(session: nox.Session, packages: tuple[str, ...]) -> str | None:
    """Return the first of the packages that pip finds on no index; None where it finds all."""
    # pip is slow to give up
    asked = ("-m", "pip", "--timeout", "4", "--retries", "1", "index", "versions")
    for name in packages:
        found = subprocess.run([str(Path(session.bin) / "python"), *asked, name], capture_output=True)
        if found.returncode:
            return name
    return None


@nox.session(venv_backend="venv", reuse_venv=True)
def engines(session: nox.Session) -> None:
    """Data in Arrow, Polars, DuckDB, Dask and Spark, with their newest versions; Spark needs Java."""
    missing = out_of_reach(session, ("pyarrow", "polars", "duckdb", "distributed", "pyspark"))
    if missing:
        session.skip(f"PyPI cannot be reached, or has no {missing}")
    session.install("-e", ".[arrow,polars,duckdb,dask,spark,spark-connect,models,test]", "distributed")
    # what the tests of a file need is made once
    every = ("-n", "2", "--dist", "loadfile", "tests/engines")
    session.run("python", "-m", "pytest", *(session.posargs or every), env=environment())


@nox.session(venv_backend="venv", reuse_venv=True)
def large(session: nox.Session) -> None:
    """Large data measured: memory, time, groups and errors, beside the engines and other packages."""
    session.install("-e", ".[arrow,polars,duckdb,dask,spark]")
    session.run("python", "benchmarks/large.py", *session.posargs, env=environment())


@nox.session(venv_backend="none")
def audits(session: nox.Session) -> None:
    """All releases that are one query and its noise, audited at a million draws, in minutes."""
    found = {**environment(), "PYDPSTAT_AUDIT_DRAWS": "1000000"}
    every = ("-n", "auto", "tests/auditing/test_many_draws.py")
    session.run(sys.executable, "-m", "pytest", *(session.posargs or every), env=found, external=True)


@nox.session(venv_backend="none")
def levels(session: nox.Session) -> None:
    """Levels, coverage and power of tests and intervals, by simulation; what was measured adds up."""
    run(session, "benchmarks/inference_levels.py", *session.posargs)


@nox.session(venv_backend="venv", reuse_venv=True)
def mutants(session: nox.Session) -> None:
    """Which changes of one token no test notices, on a seeded sample; takes hours, and needs PyPI."""
    session.install("-e", ".[test,anonymity,models,postgres]", "coverage")
    session.run("python", "tools/mutants.py", *session.posargs, env=environment())


@nox.session(venv_backend="none")
def parity(session: nox.Session) -> None:
    """The full comparison with R: live where R is there, with recorded references elsewhere."""
    run(session, "-m", "pydpstat", "parity", *(session.posargs or ["--draws", "200000"]))


@nox.session(venv_backend="none")
def corpus(session: nox.Session) -> None:
    """``port --verify`` over the examples of R's help pages; where R is not, what was recorded."""
    run(session, "-m", "r_reference.corpus", *session.posargs)


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
def wheel(session: nox.Session) -> None:
    """The built wheel, installed elsewhere and used there, also with the Pythons that are named."""
    run(session, "tools/wheel.py", *session.posargs)


@nox.session(venv_backend="none")
def demo(session: nox.Session) -> None:
    """The tutorial: R's printed numbers next to ours."""
    run(session, "-m", "pydpstat", "tutorial", *session.posargs)


@nox.session(venv_backend="none")
def bench(session: nox.Session) -> None:
    """The benchmarks, with the sums that this processor is fastest at."""
    run(session, "benchmarks/run.py", *session.posargs, own_sums=True)


@nox.session(venv_backend="none")
def docs(session: nox.Session) -> None:
    """The documentation as HTML, in output/docs, and the notebooks; code runs, in R too where R is there."""
    # a browser for the tests of the pages; where it cannot be had this says so, and they are skipped
    session.run("sh", "tools/setup.sh", "browser", external=True)
    # -E: every page is read again, so that all of its code runs
    options = ("-E", "-W", "--keep-going", "-q")
    run(session, "-m", "sphinx", *options, "docs", "output/docs", *session.posargs)
    os.environ["PYDPSTAT_PAGES"] = "output/docs"
    run(session, "-m", "pytest", "-q", "-rs", "tests/pages")
    run(session, "docs/notebooks.py", "--check")
    session.log(f"the pages are in {HERE / 'output' / 'docs' / 'index.html'}")
