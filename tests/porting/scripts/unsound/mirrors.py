import pandas as pd

from pydpstat import histogramDP, varDP

x = pd.read_csv("x.csv")["x"]
total_eps = 3
varDP(x, 1, 0, 10)  # finds: finding-2
histogramDP(x, 1, 0, 10)  # finds: finding-4
histogramDP((x - x.mean()) / x.std(), 1, 0, 10, breaks=[0, 5, 10])  # finds: records-changed
