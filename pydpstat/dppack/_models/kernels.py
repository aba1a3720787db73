"""Random Fourier features of the Gaussian kernel."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import Frozen, frozen
from pydpstat.dppack._models.linear_algebra import matrix_vector

Floats = npt.NDArray[np.float64]


def cosine(x: Floats) -> Floats:
    """Return cosines rounded as the C library's; NumPy's vector code differs in last bits."""
    if not np.isfinite(x).all():
        # where R's cosine of an infinite number is NaN, Python's raises an error
        x = np.where(np.isfinite(x), x, np.nan)
    return np.fromiter(map(math.cos, x.tolist()), np.float64, x.size)


@dataclass(frozen=True, slots=True, eq=False)
class FourierFeatures(Frozen):
    """Map records to features whose products approximate the Gaussian kernel.

    Parameters
    ----------
    prefilter : ndarray of shape (D, d + 1)
        One row a feature: d frequencies, then a phase. Drawn without the data, so it is public.

    References
    ----------
    Rahimi, A. and Recht, B. (2007). Random features for large-scale kernel machines.
    Advances in Neural Information Processing Systems 20.

    Examples
    --------
    >>> from pydpstat.dppack._models.kernels import FourierFeatures
    >>> FourierFeatures(np.array([[0.0, 0.0]])).transform(np.array([[3.0]])).round(6)
    array([[1.414214]])
    """

    prefilter: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "prefilter", frozen(self.prefilter, np.float64))

    def transform(self, X: Floats) -> Floats:
        """Return the features of records of shape (n, d), shape (n, D), in column-major order."""
        size, width = self.prefilter.shape
        scale = math.sqrt(2.0 / size)
        features = np.empty((X.shape[0], size), order="F")
        for j in range(size):
            frequencies, phase = self.prefilter[j, : width - 1], self.prefilter[j, width - 1]
            features[:, j] = scale * cosine(matrix_vector(X, frequencies) + phase)
        return features
