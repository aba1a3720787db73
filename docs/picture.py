"""Draw the README's picture: ``python docs/picture.py`` writes ``docs/picture.svg``."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import pydpstat as dp  # noqa: E402

REGIONS = {"north": 2600, "east": 2300, "south": 2900, "west": 2450, "isles": 2700}


def draw() -> None:
    """Release the mean income by region with a seed, and draw it."""
    matplotlib.use("agg")
    # the same file from the same numbers
    matplotlib.rcParams["svg.hashsalt"] = "pydpstat"
    random = np.random.default_rng(2024)
    region = random.choice(list(REGIONS), 6000, p=[0.35, 0.3, 0.2, 0.12, 0.03])
    income = random.gamma(4, pd.Series(region).map(REGIONS) / 4)
    survey = pd.DataFrame({"region": region, "income": income})
    released = dp.mean(
        survey,
        0.2,
        bounds=(0, 10_000),
        by="region",
        levels=list(REGIONS),
        other=None,
        neighbors="unbounded",
        population=True,
        rng=1,
    )
    figure = released.plot().figure
    figure.savefig(HERE / "picture.svg", bbox_inches="tight", facecolor="white", metadata={"Date": None})


if __name__ == "__main__":
    draw()
