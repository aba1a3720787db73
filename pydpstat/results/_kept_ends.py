"""Ends of intervals, which may take seconds to find, kept for the next time that a result is shown."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import frozen

Floats = npt.NDArray[np.float64]


class WithIntervals(Protocol):
    """A result, which never changes, whose intervals take time."""

    def _found_ends(self, alpha: float) -> tuple[Floats, Floats]:
        """Find the ends of the intervals."""

    def __hash__(self) -> int:
        """Return the hash of the object: no other result is taken for this one."""


@lru_cache(maxsize=256)
def kept_ends(result: WithIntervals, alpha: float) -> tuple[Floats, Floats]:
    """Return the ends of a result's intervals; a second time they cost nothing."""
    low, high = result._found_ends(alpha)
    return frozen(low), frozen(high)
