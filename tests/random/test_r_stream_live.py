"""The way to a live R session and back; in a process of its own, because R cannot be ended."""

import importlib.util
import os
import shutil
import subprocess
import sys

import pytest

SCRIPT = """
import numpy as np
import rpy2.rinterface as rinterface
rinterface.initr()
from pydpstat.errors import NotSupportedError, PydpstatError
from pydpstat.random.r_stream import RRandom

def r(code):
    return rinterface.baseenv["eval"](rinterface.baseenv["parse"](text=rinterface.StrSexpVector([code])))

try:
    RRandom.from_r()
except PydpstatError as error:
    assert "set.seed()" in str(error)
else:
    raise AssertionError("a session without .Random.seed")
r("set.seed(11); rnorm(400)")
rng = RRandom.from_r()
assert rng.rexp(1000).tobytes() == np.array(r("rexp(1000)")).tobytes()
rng.rgamma(50, 2.5)
rng.to_r()
assert np.array_equal(RRandom.from_r().state, rng.state)
assert rng.runif(5).tobytes() == np.array(r("runif(5)")).tobytes()
r('suppressWarnings(RNGkind(sample.kind = "Rounding")); set.seed(1)')
try:
    RRandom.from_r()
except NotSupportedError as error:
    assert "Rounding" in str(error)
else:
    raise AssertionError("another kind")
print("done")
"""


@pytest.mark.slow
def test_from_r_and_to_r():
    missing = importlib.util.find_spec("rpy2") is None or shutil.which("R") is None
    if missing or os.environ.get("PYDPSTAT_NO_R"):
        if os.environ.get("PYDPSTAT_REQUIRE_R"):
            pytest.fail("R or rpy2 is missing")
        pytest.skip("needs R and rpy2")
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert run.stdout.strip().endswith("done"), run.stderr
