"""The simulations of levels and coverages that the benchmarks report serve here as well; a frame to fit."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))


@pytest.fixture(scope="session")
def frame():
    rng = np.random.default_rng(7)
    n = 600
    made = pd.DataFrame({"x": rng.uniform(1, 10, n), "z": rng.normal(size=n).clip(-4, 4)})
    made["g"] = rng.choice(["a", "b", "c"], n)
    made["h"] = rng.choice([1, 2], n)
    errors = rng.normal(size=n).clip(-3, 3)
    made["y"] = 0.3 * made.x - 0.2 * made.z * (made.g == "b") - 0.4 * (made.h == 2) + errors
    made["w"] = np.exp(0.1 * made.x + 0.3 * errors).clip(0.5, 9)
    return made
