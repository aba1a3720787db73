"""A worker of Dask's that is lost in the middle changes neither a release nor what it costs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engines.releases import expected

pytest.importorskip("dask.dataframe")
pytest.importorskip("distributed")
pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Return what `cluster_releases.py` printed."""
    folder = tmp_path_factory.mktemp("cluster")
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "engines" / "cluster_releases.py"), str(folder)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=300,
    )
    assert done.stdout, done.stderr[-5000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("case", ["means | bounded", "means | unit, by", "count | dropped"])
def test_a_worker_that_is_killed_changes_nothing(case, found):
    name, _, label = case.partition(" | ")
    assert found[case]["killed"]
    # some of the twelve partitions were computed a second time
    assert found[case]["runs"] > 12
    # with the ledger's only entry in it
    assert found[case]["outcome"] == json.loads(json.dumps(expected(name, label)))
