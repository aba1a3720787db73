import numpy as np
import pandas as pd

import pydpstat as dp

total_epsilon = 1.0
parts = np.array([0.5, 0.5])
eps_each = total_epsilon * 0.5
df = pd.read_parquet("d.parquet")
df["log_income"] = np.log1p(df["income"].clip(lower=0))
print(dp.mean(df["log_income"], eps_each, bounds=(0, 15)))
print(dp.quantile(df.loc[:, "age"], 0.5, eps_each, bounds=(0, 100)))
