import numpy as np
import pandas as pd

import pydpstat as dp

df = pd.read_csv("survey.csv")
low, high = df["age"].min(), np.max(df.age)
dp.mean(df["age"], 0.5, bounds=(low, high))  # finds: argument-from-data
edges = np.linspace(df.age.min(), 100, 11)
dp.histogram(df["age"], 0.5, edges=edges)  # finds: argument-from-data
total_epsilon = 2.0
dp.crosstab(df["job"], 0.5, levels=sorted(df["job"].unique()))  # finds: levels-from-data
