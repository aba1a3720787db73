"""The made-up persons of the page on one design: interviews of 200,000 persons, some of them twice."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd

REGIONS = [f"region {place:02}" for place in range(1, 13)]
SHARES = [0.22, 0.16, 0.13, 0.11, 0.09, 0.08, 0.07, 0.05, 0.04, 0.025, 0.015, 0.01]


# fewer than these where they only show that the report runs
PERSONS = int(os.environ.get("PYDPSTAT_STUDY_PERSONS", 200_000))


def interviews(persons: int = PERSONS, seed: int = 2026) -> pd.DataFrame:
    """Draw the interviews, a row each; the same ones for the same seed."""
    draw = np.random.default_rng(seed)
    place = draw.choice(12, persons, p=SHARES)
    frame = pd.DataFrame(
        {
            "person": np.arange(persons),
            "region": pd.Categorical.from_codes(place, REGIONS),
            "sex": draw.choice(["f", "m"], persons),
            "age": draw.integers(18, 85, persons),
        }
    )
    chance = 0.45 + 0.02 * place + 0.1 * (frame.sex == "m") - 0.004 * (frame.age - 50).clip(lower=0)
    frame["employed"] = draw.random(persons) < chance
    middle = 10.1 + 0.015 * place + 0.12 * (frame.sex == "m") + 0.25 * frame.employed
    frame["income"] = np.exp(draw.normal(middle, 0.45)).round()
    frame["w"] = draw.uniform(0.5, 2.5, persons).round(3)
    # one in ten was asked again
    again = frame.sample(frac=0.1, random_state=1).assign(income=lambda rows: (1.01 * rows.income).round())
    return pd.concat([frame, again]).sample(frac=1.0, random_state=2).reset_index(drop=True)
