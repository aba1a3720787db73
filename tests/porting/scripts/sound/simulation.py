import numpy as np

import pydpstat as dp

rng = np.random.default_rng(1)
errors = []
for _ in range(100):
    sample = rng.normal(50, 10, size=500)
    errors.append(sample.mean() - 50)
print(np.std(errors))
real = np.loadtxt("real.txt")
print(dp.mean(real, 1.0, bounds=(0, 100)))
