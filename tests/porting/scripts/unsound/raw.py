import pandas as pd

import pydpstat as dp

df = pd.read_csv("x.csv")
r = dp.mean(df["x"], 0.5, bounds=(0, 1))
print(r, df["x"].mean())  # finds: raw-value
df.to_csv("out.csv")  # finds: raw-value
print(f"error {abs(r.value - df.x.mean()):.2f}")  # finds: raw-value
