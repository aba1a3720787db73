import pandas as pd

import pydpstat as dp

df = pd.read_csv("d.csv")
TOTAL_EPS = 1.0
config = {"age": {"bounds": (0, df["age"].max())}, "job": {}}
config["job"]["levels"] = list(df["job"].unique())
dp.mean(df["age"], TOTAL_EPS / 2, bounds=config["age"]["bounds"])  # finds: argument-from-data
dp.crosstab(df["job"], TOTAL_EPS / 2, levels=config["job"]["levels"])  # finds: levels-from-data
