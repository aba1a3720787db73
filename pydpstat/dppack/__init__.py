"""DPpack's functions under their own names, with R's arguments, defaults and numbers.

Dots of R's names are underscores. Each function that draws has one more argument, ``rng``:
``rng=RRandom(123)`` or ``rng=123`` returns what R returns after ``set.seed(123)``.
"""

from pydpstat.dppack.counts import histogramDP, tableDP
from pydpstat.dppack.covariance import covDP
from pydpstat.dppack.mean import meanDP
from pydpstat.dppack.mechanisms import GaussianMechanism, LaplaceMechanism, calibrateAnalyticGaussianMechanism
from pydpstat.dppack.variance import sdDP, varDP

__all__ = [
    "GaussianMechanism",
    "LaplaceMechanism",
    "calibrateAnalyticGaussianMechanism",
    "covDP",
    "histogramDP",
    "meanDP",
    "sdDP",
    "tableDP",
    "varDP",
]
