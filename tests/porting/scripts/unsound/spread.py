from functools import partial

import pandas as pd

import pydpstat as dp

d = pd.read_csv("d.csv")
options = dict(epsilon=0.1, bounds=(0, d["x"].max()))
dp.mean(d["x"], **options)  # finds: argument-from-data
e = pd.read_csv("e.csv")
given = [e["x"], 0.1]
dp.mean(*given, bounds=(e["x"].min(), 100))  # finds: argument-from-data
f = pd.read_csv("f.csv")
release = partial(dp.mean, epsilon=0.1, bounds=(0, f["x"].max()))  # finds: argument-from-data
print(release(f["x"]))


def released(*values, **options):
    return dp.median(*values, **options)  # finds: argument-from-data


g = pd.read_csv("g.csv")
print(released(g["x"], 0.1, bounds=(0, g["x"].max())))
