"""No digit depends on the processor: what is computed with its optional features is so without them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processors import environment, optional_features

ROOT = Path(__file__).resolve().parents[1]
VECTORIZED = re.compile(
    r"np\.(?:exp|exp2|expm1|log|log2|log10|log1p|power|float_power|cbrt|sin|cos|tan|tanh|sinh|cosh|arc\w+"
    r"|dot|matmul|inner|convolve|tensordot|linalg\.\w+)\(|np\.(?:exp|log)\b(?!\()"
)
# bounds of the error decide, or long doubles are added, which BLAS has not; or the digits are cut off
CERTIFIED = {
    "random/secure/choices.py": {"np.exp("},
    "random/secure/largest_noise.py": {"np.log(", "np.expm1("},
    "random/secure/continuous.py": {"np.log"},
    "random/secure/trials.py": {"np.log("},
    "mechanisms/_exponential.py": {"np.exp"},
    "r_arithmetic/moments.py": {"np.dot("},
    "random/r_stream/_gamma.py": {"np.expm1("},
    "anonymity/_groups.py": {"np.linalg.eigh("},
    # a planned power has nothing of the data
    "planning/_mean_power.py": {"np.linalg.eigh("},
    "planning/_skewed_power.py": {"np.log("},
    # in examples
    "inference/ranks/rank_pairs.py": {"np.sin("},
    "results/_contrasts.py": {"np.tanh("},
    "results/_regression_tests.py": {"np.sin("},
    "results/regression_results.py": {"np.sin("},
}


@pytest.mark.slow
@pytest.mark.skipif(not optional_features(), reason="this NumPy has no code of its own for this processor")
def test_every_digit_is_the_same_without_the_processors_optional_features():
    runs = [
        subprocess.run(
            [sys.executable, "-m", "tests.digits"],
            cwd=ROOT,
            env={**environment(setting), "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for setting in ("", "plain")
    ]
    assert len(runs[0]) == 10
    assert runs[0] == runs[1]


def test_no_code_of_the_processors_own_is_called_where_its_rounding_shows():
    found = {}
    for path in (ROOT / "pydpstat").rglob("*.py"):
        name = path.relative_to(ROOT / "pydpstat").as_posix()
        # the comparisons and ported scripts call what their users would, within a tolerance; p-values and
        # intervals come after a release, and no record has their last bits, but means from noisy sums are released
        is_free = name.startswith(("parity/", "_null_distributions/", "porting/r/"))
        if not is_free or name == "_null_distributions/weight_moments.py":
            if calls := set(VECTORIZED.findall(path.read_text(encoding="utf-8"))):
                found[name] = calls
    assert found == CERTIFIED
