import numpy as np
import pandas as pd

import pydpstat as dp

rng = np.random.default_rng()
a = pd.read_csv("a.csv")["x"]
b = pd.read_csv("b.csv")["x"]
dp.mean(a, 1.0, bounds=(0, 1), rng=rng)  # finds: finding-12
dp.meanDP(b, 1.0, 0, 1, rng=np.random.default_rng())  # finds: finding-12
