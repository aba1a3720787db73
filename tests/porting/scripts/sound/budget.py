import pandas as pd

import pydpstat as dp

df = pd.read_csv("survey.csv").dropna(subset=["age"])
budget = dp.Budget(1.0)
with budget:
    for column, upper in {"age": 100, "income": 200_000}.items():
        print(dp.mean(df[column], 0.25, bounds=(0, upper)))
    table = dp.crosstab(df["sex"], 0.25, levels=["f", "m"])
print(table, budget)
