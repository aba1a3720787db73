"""The documentation's whole report: Polars, Dask, Spark and an iterator release the same numbers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "docs" / "report" / "whole_report.py"
PERSONS = 20_000
ENGINES = {"polars": "polars", "dask": "dask", "spark": "pyspark"}


def released(engine, folder):
    """Run the script as a reader would, and return what it released: the numbers and the results."""
    made = {**os.environ, "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable}
    # a host's name that is not resolved would end a session of Spark
    made.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    command = [sys.executable, SCRIPT, folder / "persons.parquet", "--engine", engine]
    command += ["--persons", str(PERSONS), "--seed", "1"]
    done = subprocess.run(command, capture_output=True, text=True, env=made, cwd=folder, timeout=600)
    assert done.returncode == 0, done.stderr[-5000:]
    return [(folder / name).read_text(encoding="utf-8") for name in ("released.csv", "released.json")]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """Return what is released of the frames of pandas that the file is made of."""
    return released("iterator", tmp_path_factory.mktemp("iterator"))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_releases_the_same(engine, drawn, tmp_path):
    pytest.importorskip(ENGINES[engine])
    if engine == "spark" and shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, which is not installed")
    assert released(engine, tmp_path) == drawn
