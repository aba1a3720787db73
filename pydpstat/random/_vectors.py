"""Random vectors of the models: noise by its length and direction, and random Fourier features."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pydpstat import r_arithmetic as r
from pydpstat.random import Source, secure

Floats = npt.NDArray[np.float64]

# the operating system's draws lie on this grid before they are scaled
_GRID = 2.0**-30


def spherical(source: Source | None, size: int, rate: float) -> Floats:
    """Draw a vector with density proportional to exp(-rate |b|): first its length, then its direction.

    Parameters
    ----------
    source : Source or None
        None is the operating system.
    size : int
        The vector's length d, at least 1.
    rate : float
        Above 0; with infinity the vector is 0, and only the direction is drawn.

    Returns
    -------
    ndarray of shape (d,)

    Examples
    --------
    >>> from pydpstat.random import source_from
    >>> from pydpstat.random._vectors import spherical
    >>> spherical(source_from(123, int_seeds_r=True), 2, 1.0).round(4)
    array([ 0.5138, -0.7293])
    """
    length = (source or secure).gamma(size, rate)
    direction = normals(source, size, 1.0)
    direction = direction / math.sqrt(r.sum(direction * direction))
    return length * direction


def normals(source: Source | None, size: int, sd: float) -> Floats:
    """Draw normal variables of mean 0."""
    if source is not None:
        return source.normal(size, sd)
    return np.asarray(secure.normal(size, 1.0, _GRID) * _GRID * sd, dtype=np.float64)


def phases(source: Source | None, size: int) -> Floats:
    """Draw uniform variables between -pi and pi."""
    # as R's runif(size, -pi, pi) scales them
    return -math.pi + 2.0 * math.pi * (source or secure).uniform(size)


def features(source: Source | None, count: int, size: int, sd: float) -> Floats:
    """Draw random Fourier features: for each of `count` rows `size` frequencies, then a phase.

    Returns
    -------
    ndarray of shape (count, size + 1)
    """
    drawn = np.empty((count, size + 1))
    for row in drawn:
        row[:size] = normals(source, size, sd)
        row[size:] = phases(source, 1)
    return drawn
