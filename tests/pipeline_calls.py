"""What the tests of the pipeline share."""

from fractions import Fraction

import numpy as np


def on_grid(result):
    """Whether every value is a whole number of grid units, exactly."""
    grid = Fraction(result.grid)
    return all((Fraction(value) / grid).denominator == 1 for value in np.ravel(result.value).tolist())
