import pandas as pd

import pydpstat as dp

df = pd.read_csv("x.csv")
for column in ["a", "b"]:
    dp.mean(df[column], 0.5, bounds=(0, 1))
dp.count(df["a"] > 1, 1.0)  # finds: repeated
other = pd.read_csv("y.csv")
while True:
    dp.mean(other["x"], 0.1, bounds=(0, 1))  # finds: repeated-without-end
