import numpy as np
import pandas as pd

rng = np.random.default_rng()
d = pd.read_csv("cases.csv")
eps = 1.0
total = d["cases"].sum() + rng.laplace(0, 1 / eps)
states = d.groupby("state")["cases"].sum() + rng.laplace(0, 1 / eps, 50)  # finds: finding-13
print(total, states)
