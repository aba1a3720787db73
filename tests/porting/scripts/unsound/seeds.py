import numpy as np
import pandas as pd

import pydpstat as dp

x = pd.read_csv("x.csv")["x"]
total_epsilon = 1.0
dp.mean(x, 0.5, bounds=(0, 1), rng=7)  # finds: seed
rng = np.random.default_rng(1)  # finds: seed
dp.median(x, 0.5, bounds=(0, 1), rng=rng)
