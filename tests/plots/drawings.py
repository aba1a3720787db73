"""A call that draws each picture, and the data that it shows."""

import pandas as pd

from pydpstat import plots
from pydpstat.local import RandomizedResponseCoins
from pydpstat.mechanisms import LaplaceNoise

EDGES = [0.0, 1.0, 2.0, 4.0]
RUNS = pd.DataFrame(
    {
        "epsilon": [0.1, 0.1, 0.1, 1.0, 1.0, 1.0] * 2,
        "n": [100] * 6 + [500] * 6,
        "run": [0, 1, 2] * 4,
        "estimate": [0.3, -0.2, 1.4, 0.25, 0.15, 0.2] * 2,
        "uncertainty": [0.5, 0.6, 0.7, 0.1, 0.1, 0.0] * 2,
    }
)
LOSSES = pd.DataFrame({"k": [30, 3, 3, 30], "loss": [9.0, 1.0, 2.0, 11.0], "method": ["a", "a", "b", "b"]})
BEFORE = pd.DataFrame({"level": ["all", "half", "half"], "label": ["all", "a", "b"], "value": [12.0, -3.0, 11.0]})
AFTER = BEFORE.assign(value=[10.0, 0.0, 10.0])
DRAWINGS = {
    "histograms": lambda ax: plots.histograms(([3, 4, 5], EDGES), ([2, 4, 7], EDGES), ax=ax),
    "noise_densities": lambda ax: plots.noise_densities([-3, 0], [1, 2], ax=ax),
    "neighboring_densities": lambda axes: plots.neighboring_densities(LaplaceNoise(2.0), 5, 1, epsilon=0.5, axes=axes),
    "tradeoff": lambda axes: plots.tradeoff(RUNS, 0.2, axes=axes),
    "k_against_loss": lambda ax: plots.k_against_loss(LOSSES, ax=ax),
    "hierarchy": lambda ax: plots.hierarchy(BEFORE, AFTER, ax=ax),
    "coin_tree": lambda ax: plots.coin_tree(RandomizedResponseCoins(), ax=ax),
}
# those that need two axes
PANELS = {"tradeoff", "neighboring_densities"}
