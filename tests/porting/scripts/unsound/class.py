import pandas as pd

import pydpstat as dp


class Report:
    def __init__(self, path):
        self.data = pd.read_csv(path)

    def mean(self):
        frame = pd.read_csv("x.csv")
        high = frame["x"].quantile(0.99)
        return dp.mean(frame["x"], 1.0, bounds=(0, high))  # finds: argument-from-data


df = pd.read_csv("y.csv")
df.loc[df["y"] > 10, "y"] = df["y"].mean()
dp.mean(df["y"], 1.0, bounds=(0, 10))  # finds: records-changed
