"""Measure how far releases are from the truth, beside R's mirrors: ``python benchmarks/accuracy.py``."""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from accuracy_data import DELTA, EPSILON, N, STATISTICS, Statistic
from scipy.optimize import brentq

from pydpstat import PrivacyWarning
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee

REPEATS = 200
HEAD = ("statistic", "truth", "noise", "neighbors", "ours", "R's", "ratio", "R's call")
RIGHT = (False, True, False, False, True, True, True, False)
# between these claims a mirror's epsilon is looked for
CLAIMS = 0.2 * EPSILON, 5.0 * EPSILON


class Error(NamedTuple):
    """A root mean squared error and the standard error of its own estimate."""

    rmse: float
    se: float

    def __str__(self) -> str:
        # two digits of the standard error
        digits = max(0, 1 - math.floor(math.log10(self.se))) if self.se else 3
        return f"{self.rmse:.{digits}f} ± {self.se:.{digits}f}"
