"""Made-up persons of regions and sexes, and the ways in which they are released by group and by unit."""

import numpy as np
import pandas as pd

REGIONS, SEXES = ["n", "s", "w"], ["f", "m"]


def frame(size=400, seed=1):
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "x": draw.integers(0, 101, size).astype(float),
            "region": draw.choice([*REGIONS, "elsewhere"], size),
            "sex": draw.choice(SEXES, size),
            "id": draw.integers(0, size // 4 + 1, size),
        }
    )


BY = {"by": ["region", "sex"], "levels": {"region": REGIONS, "sex": SEXES}}
ONE = {"by": "region", "levels": REGIONS}
GRID = {"bounds": (0, 100), "grid_points": 101}
HOW = {
    "alone": (["x"], {}),
    "by group": (["x", "region", "sex"], BY),
    "by unit": (["x", "id"], {"unit": "id", "max_records": 2}),
    "both": (["x", "region", "id"], {**ONE, "unit": "id", "max_records": 3, "max_groups": 2}),
}
