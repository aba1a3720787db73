import pandas as pd

import pydpstat as dp

d = pd.read_csv("d.csv")
for region, part in d.groupby("region"):
    dp.mean(part["x"], 1, bounds=(0, 100))  # finds: levels-from-data
e = pd.read_csv("e.csv")
for region in sorted(e["region"].unique()):
    dp.mean(e[e["region"] == region]["x"], 1, bounds=(0, 100))  # finds: levels-from-data
f = pd.read_csv("f.csv")
r = f.groupby("region")["x"].apply(lambda x: dp.mean(x, 1, bounds=(0, 100)))  # finds: levels-from-data
g = pd.read_csv("g.csv")
m = dp.mean(g["x"], 1, bounds=(0, 100))
if abs(m.value - g["x"].mean()) > 5:  # finds: raw-value
    print("far")
h = pd.read_csv("h.csv")
print([dp.mean(h["x"], e, bounds=(0, 100)) for e in (0.1, 0.2)])  # finds: repeated
