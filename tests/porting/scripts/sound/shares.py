from pathlib import Path

import polars as pl

from pydpstat import histogram, medianDP, quantile

TOTAL_EPSILON = 1.5
ages = pl.read_csv(Path("ages.csv"))["age"].clip(0, 100)
print(quantile(ages, 0.5, TOTAL_EPSILON / 3, bounds=(0, 100)))
print(histogram(ages, TOTAL_EPSILON / 3, edges=[0, 18, 65, 100]))
print(medianDP(ages, TOTAL_EPSILON / 3, 0, 100))
