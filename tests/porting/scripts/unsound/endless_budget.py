import math

import pandas as pd

import pydpstat as dp

df = pd.read_csv("d.csv")
with dp.Budget(float("inf")):
    dp.mean(df["a"], 1.0, bounds=(0, 1))
    dp.mean(df["b"], 1.0, bounds=(0, 1))  # finds: repeated
other = pd.read_csv("e.csv")
budget = dp.Budget(epsilon=math.inf)
dp.mean(other["a"], 1.0, bounds=(0, 1), budget=budget)
dp.mean(other["b"], 1.0, bounds=(0, 1), budget=budget)  # finds: repeated
