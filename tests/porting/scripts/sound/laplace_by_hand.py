import numpy as np
import pandas as pd


def laplace(scale):
    u = np.random.uniform(-0.5, 0.5)
    return -scale * np.sign(u) * np.log(1 - 2 * abs(u))


df = pd.read_csv("d.csv")
print(df["x"].clip(0, 1).sum() + laplace(1.0))
other = pd.read_csv("e.csv")
print(len(other) + np.random.laplace(0, 1), other["y"].clip(0, 1).sum() + np.random.laplace(0, 1))
