import matplotlib.pyplot as plt
import pandas as pd

import pydpstat as dp

df = pd.read_excel("d.xlsx")
lo, hi = df["age"].agg(["min", "max"])
mean = dp.mean(df["age"], 0.5, bounds=(lo, hi))  # finds: argument-from-data
plt.hist(df["age"])  # finds: raw-plot
with open("out.txt", "w") as out:
    out.write(str(df["age"].mean()))  # finds: raw-value
