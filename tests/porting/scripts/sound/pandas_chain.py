import pandas as pd

import pydpstat as dp

TOTAL_EPSILON = 1.0
df = (
    pd.read_csv("d.csv")
    .assign(age=lambda d: d["age"].clip(0, 100), sex=lambda d: d["sex"].fillna("f"))
    .rename(columns=str.lower)
)
for name, limits in zip(["age", "hours"], [(0, 100), (0, 168)]):
    print(name, dp.mean(df[name], TOTAL_EPSILON / 2, bounds=limits))
