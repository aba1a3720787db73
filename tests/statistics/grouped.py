"""Made-up records with groups and persons, and releases of their statistics without warnings."""

import warnings

import numpy as np
import pandas as pd

import pydpstat
from pydpstat.errors import LargeEpsilonWarning

# noise of 1e-8 at most; the records' rounding is 2^-41 of the range of 10
EPSILON, CLOSE = 1e9, 1e-6
SUMS = {"bounds": (0, 10)}
NUMBERS = ("mean", "sum", "var", "std", "cov", "corr")
STATISTICS = (*NUMBERS, "count", "proportion")
OPEN = {"neighbors": "unbounded"}
GROUPS = {"by": "g", "levels": ["a", "b", "c"]}


def frame(n=400, seed=1):
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


def released(name, data, epsilon=EPSILON, **options):
    """Release a statistic without warnings, those for numbers with bounds."""
    more = SUMS if name in NUMBERS else {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", LargeEpsilonWarning)
        warnings.filterwarnings("ignore", ".*are the bounds in the units of the data")
        warnings.filterwarnings("ignore", ".*Levels must be spelled exactly as in the data")
        return getattr(pydpstat, name)(data, epsilon=epsilon, **{"rng": 1, **more, **options})


def data_of(name):
    return FRAME if name in NUMBERS else TRUTHS
