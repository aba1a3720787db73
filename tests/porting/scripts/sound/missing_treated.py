import numpy as np
import pandas as pd

import pydpstat as dp

df = pd.read_csv("d.csv", na_values=["-9"])
budget = dp.Budget(1.0)
dp.mean(df["age"], 0.5, bounds=(0, 100), missing=50, budget=budget)
dp.mean(df["age"].fillna(50), 0.5, bounds=(0, 100), budget=budget)
other = pd.read_csv("e.csv")
share = float(np.mean([1, 2, 3]))
dp.mean(other["x"].clip(0, 1), 1.0, bounds=(0, 1))
