"""The discrete Gaussian law from a seeded source, in floating point."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pydpstat.r_arithmetic.elementary import exp

if TYPE_CHECKING:
    from pydpstat.random import Source


def discrete_gaussian(source: Source, size: int, sd: float) -> np.ndarray:
    """Draw the discrete Gaussian law by rejection from two-sided geometric numbers.

    Parameters
    ----------
    source : Source
        Draws the geometric numbers, then as many uniforms, until enough are kept.
    size : int
        How many values.
    sd : float
        The law's parameter, above 0.

    References
    ----------
    Canonne, C. L., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for differential privacy.
    NeurIPS 2020, algorithm 3.

    Examples
    --------
    >>> import numpy as np
    >>> from pydpstat.random._numpy_source import NumpySource
    >>> from pydpstat.random._rejection import discrete_gaussian
    >>> discrete_gaussian(NumpySource(np.random.default_rng(1)), 3, 2.0).shape
    (3,)
    """
    steps = math.floor(sd) + 1
    kept = np.empty(0)
    while kept.size < size:
        tries = 2 * (size - kept.size) + 8
        candidates = source.symmetric_geometric(tries, 1.0 / steps)
        away = (np.abs(candidates) - sd * (sd / steps)) / sd
        with np.errstate(over="ignore", under="ignore"):
            accepted = source.uniform(tries) <= exp(-0.5 * away * away)
        kept = np.concatenate([kept, candidates[accepted]])
    return kept[:size]
