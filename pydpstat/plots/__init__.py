"""Plots of releases and of the cost of privacy; matplotlib (an extra) is required.

Every function draws on the given axes, or on those of a new figure, and returns them.
"""

from pydpstat._lazy import explain_missing_names as _answer_names
from pydpstat.plots.coins import coin_tree
from pydpstat.plots.counts import hierarchy, histograms
from pydpstat.plots.densities import neighboring_densities, noise_densities
from pydpstat.plots.tradeoffs import k_against_loss, tradeoff

__all__ = [
    "coin_tree",
    "hierarchy",
    "histograms",
    "k_against_loss",
    "neighboring_densities",
    "noise_densities",
    "tradeoff",
]

_answer_names(globals())
del _answer_names
