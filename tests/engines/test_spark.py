"""Spark, classic and Connect, each in a process of its own: a process can have one of both only."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engines.tallies import example, expected

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java, which is not installed", allow_module_level=True)
pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
FRAME = example()


@pytest.fixture(scope="module", params=["classic", "connect"])
def found(request, tmp_path_factory):
    """Return what `spark_session.py` printed."""
    if request.param == "connect":
        # before 4 the server of Connect is a download of its own
        pytest.importorskip("pyspark", minversion="4.0")
        pytest.importorskip("grpc")
        pytest.importorskip("google.rpc")
    made = {**os.environ, "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable}
    # a host's name that is not resolved would end the session
    made.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "engines" / "spark_session.py"), request.param],
        capture_output=True,
        text=True,
        env=made,
        cwd=tmp_path_factory.mktemp(request.param),
        timeout=600,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    assert lines, done.stderr[-5000:]
    return {**json.loads(lines[-1]), "mode": request.param}


def test_the_frame_is_of_the_session(found):
    assert ("connect" in found["module"]) == (found["mode"] == "connect")
    assert found["names"] == list(FRAME)


def test_the_tally_is_the_same_for_any_number_of_partitions(found):
    wanted = json.loads(json.dumps(expected(FRAME)))
    assert found["tallies"] == [wanted, wanted]
    assert found["count"] == len(FRAME)
    assert found["none"] == 0


def test_units_are_whole(found):
    assert found["units"] == [FRAME["u"].nunique(), len(FRAME)]


def test_odd_types_are_those_of_the_sample(found):
    before, after, values = found["odd"]
    assert before == after
    assert values["day"] == "2020-02-29"
    assert values["moment"].startswith("2020-02-29 12:30:00+00:00")
    assert values["naive"].startswith("2020-02-29T12:30:00")
    assert (values["dec"], values["lag"], values["none"]) == ("0.00", "3600000000 microseconds", "None")
    assert list(values)[-1] == "a.b c"


def test_a_task_that_fails_is_the_engine_s_error(found):
    text, cause = found["failed"]
    assert "the engine failed (spark: PythonException)" in text
    assert "Nothing was released or spent" in text
    assert cause == "PythonException"


def test_an_error_of_ours_comes_as_it_is(found):
    assert found["ours"][0] == "ours"


def test_only_the_chosen_columns_are_read(found):
    assert found["chosen"] == 45


def test_types_and_names_that_cannot_be_are_named(found):
    assert "column 'a' of type array<bigint>" in found["nested"][0]
    assert "column 'a' of type binary" in found["binary"][0]
    assert "two columns 'a'" in found["twice"][0]
