"""Made-up records with groups and persons, and releases of their statistics without warnings."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

import pydpstat

# noise of 1e-8 at most; the records' rounding is 2^-41 of the range of 10
EPSILON, CLOSE = 1e9, 1e-6
SUMS: dict[str, Any] = {"bounds": (0, 10)}
NUMBERS = ("mean", "sum", "var", "std", "cov", "corr")
STATISTICS = (*NUMBERS, "count", "proportion")
OPEN = {"neighbors": "unbounded"}
GROUPS = {"by": "g", "levels": ["a", "b", "c"]}


def frame(n: int = 400, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 10, n)
    return pd.DataFrame(
        {
            "x": x,
            "y": np.clip(0.7 * x + rng.uniform(-2, 5, n), 0, 10),
            "z": rng.integers(0, 11, n),
            "g": rng.choice(["a", "b", "c"], n),
            "h": rng.integers(0, 2, n),
            "p": rng.integers(0, 40, n),
        }
    )


FRAME = frame()
TRUTHS = FRAME.assign(x=FRAME.x > 4, y=FRAME.y > 8, z=FRAME.z > 1)


def released(name: str, data: Any, epsilon: float = EPSILON, **options: Any) -> Any:
    """Release a statistic without warnings, those for numbers with bounds."""
    more = SUMS if name in NUMBERS else {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*Levels must be spelled exactly as in the data")
        return getattr(pydpstat, name)(data, epsilon=epsilon, **{"rng": 1, **more, **options})


def data_of(name: str) -> pd.DataFrame:
    return FRAME if name in NUMBERS else TRUTHS
