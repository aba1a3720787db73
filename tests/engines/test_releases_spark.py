"""Releases from Spark, classic and Connect: the same, once paid for, also where tasks fail and run again."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engines.releases import STATISTICS, TABLE, WAYS, columns_for, expected, scale_of

pytest.importorskip("pyspark")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java, which is not installed", allow_module_level=True)
pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
# what the script has, which imports Spark
PARTS, FAILING = (1, 8), ("means", "unit, by")


@pytest.fixture(scope="module", params=["classic", "connect"])
def found(request, tmp_path_factory):
    """Return what `spark_releases.py` printed."""
    if request.param == "connect":
        pytest.importorskip("grpc")
        pytest.importorskip("google.rpc")
    folder = tmp_path_factory.mktemp(request.param)
    made = {**os.environ, "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable}
    # a host's name that is not resolved would end the session
    made.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    script = ROOT / "tests" / "engines" / "spark_releases.py"
    done = subprocess.run(
        [sys.executable, str(script), request.param, str(folder)],
        capture_output=True,
        text=True,
        env=made,
        cwd=folder,
        timeout=600,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    assert lines, done.stderr[-5000:]
    return json.loads(lines[-1])


@pytest.mark.parametrize("name", STATISTICS)
def test_every_statistic_is_the_same(name, found):
    ways = [case.partition(" | ")[2] for case in found if case.startswith(f"{name} | ")]
    assert len(ways) == len(PARTS)
    for label in ways:
        assert found[f"{name} | {label}"] == json.loads(json.dumps(expected(name, label))), label


def test_odd_numbers_and_keys_are_the_same(found):
    assert len(found["odd"]) > 12
    for case, got, wanted in found["odd"]:
        assert got == wanted and "bits" in wanted, case


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("failure", ["killed", "broken"])
def test_a_task_that_runs_again_changes_nothing_and_costs_nothing(failure, late, found):
    case = found[f"fails: {failure} {late}"]
    # three partitions, and those that failed once
    assert case["runs"] > 3
    assert case["outcome"] == json.loads(json.dumps(expected(*FAILING)))


@pytest.mark.parametrize(
    "case, said",
    [
        ("fails: always", "the engine failed (spark: "),
        ("texts", "data must be numbers or truth values; got a categorical column"),
        ("missing", "missing must say how to treat missing"),
    ],
)
def test_what_cannot_be_read_costs_nothing(case, said, found):
    assert said in found[case]["error"]


def test_the_noise_of_the_system_has_the_same_scale(found):
    statistic, way = STATISTICS[FAILING[0]], WAYS[FAILING[1]]
    data = TABLE.select(columns_for(statistic, way)).to_pandas()
    options = {**statistic.arguments, **way.options, "missing": 1.5, "epsilon": 0.5}
    assert found["scale"] == scale_of(statistic.function(data, **options))
