import numpy as np

import pydpstat as dp


def bounds_of(values):
    return float(np.min(values)), float(np.max(values))


def release(values, epsilon=0.5, seed=None):
    rng = np.random.default_rng(seed)
    return dp.mean(values, epsilon, bounds=bounds_of(values), rng=rng)  # finds: argument-from-data finding-12


data = np.genfromtxt("d.txt")
release(data)
