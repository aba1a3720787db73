from functools import partial

import pandas as pd

import pydpstat as dp

d = pd.read_csv("d.csv")
options = dict(epsilon=1, bounds=(0, 100))
print(dp.mean(d["x"], **options))
e = pd.read_csv("e.csv")
release = partial(dp.median, epsilon=1, bounds=(0, 100))
print(release(e["x"]))


def released(*values, **options):
    return dp.median(*values, **options)


f = pd.read_csv("f.csv")
print(released(f["x"], 1, bounds=(0, 100)))
