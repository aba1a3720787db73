"""Exact sums over records of z, z^2 and the cubic that stays within [-1, 1]."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pydpstat._release.options import Missing
from pydpstat.statistics._kernels.record_grid import RecordGrid, Sums, chunks, rounded, units
from pydpstat.statistics._kernels.records import Part


def cubic_sums(part: Part, grids: Sequence[RecordGrid], missing: Missing) -> tuple[Sums]:
    """Return the sums of z, and as products those of z^2 and 4 z^3 - 3 z, for one variable.

    Among the cubics with this leading coefficient, this Chebyshev polynomial has the smallest maximum on
    [-1, 1], which is 1. Each square and cubic is rounded to the grid of z, and the cubic is clipped to -1 and
    1, which are on the grid.
    """
    (grid,) = grids
    count = first = squares = cubics = 0
    for (z,), (total,) in chunks(part.columns.arrays[:1], grids, missing):
        square = z * z
        cubic = (4.0 * square - 3.0) * z
        np.clip(rounded(cubic, grid.unit), -1.0, 1.0, out=cubic)
        count += z.size
        first += total
        squares += units(rounded(square, grid.unit), grid.unit, grid.bits) or 0
        cubics += units(cubic, grid.unit, grid.bits) or 0
    return (Sums(count, (first,), (squares, cubics)),)
