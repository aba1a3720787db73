import numpy as np
import pandas as pd

import pydpstat as dp

df = pd.read_csv("d.csv", na_values=["-9"])
dp.mean(df["age"], 0.5, bounds=(0, 100))  # finds: finding-15
other = pd.read_csv("e.csv")
other["x"] = np.where(other["x"] > 9, np.nan, other["x"])
dp.median(other["x"], 0.5, bounds=(0, 9))  # finds: finding-15
