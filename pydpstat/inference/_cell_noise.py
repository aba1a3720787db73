"""The noise of sums by cell: a cube's for each cell's vector, and for the vector of the other sums.

A record is in one cell. One that is added or removed changes that cell's vector by 1 at most in the maximum
norm, and one that is replaced those of two cells, or one by 2. So each cell has a cube's noise of scale 1 / e
or 2 / e, e being the cells' share of epsilon: by the triangle inequality in every cell, whatever the number
of cells. The other sums are one vector more with the rest of epsilon.

Bringing a number onto the grid of the release moves it by less than a unit more. The sensitivity of the whole
covers a unit for each number that is released, and of a part the norms of the changes grow by less than two
units, for two cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pydpstat.inference._moment_noise import MomentNoise, PartedCube
from pydpstat.mechanisms.cube import CubeNoise
from pydpstat.mechanisms.laplace import scale_for
from pydpstat.mechanisms.mechanism import parts_of


class CubePart(NamedTuple):
    """Vectors that have a share of epsilon together: how wide, how many, how far the norms move in all.

    Examples
    --------
    >>> CubePart(2, 24, 2.0, 0.9).size
    48
    """

    columns: int
    vectors: int
    reach: float
    share: float

    @property
    def size(self) -> int:
        """How many numbers they have."""
        return self.columns * self.vectors


class CellCubes(PartedCube):
    """The cube's mechanism for parts of a release, one after the other.

    Parameters
    ----------
    parts : tuple of CubePart
        In the order of the released numbers, which are vector by vector.

    Examples
    --------
    >>> cubes = CellCubes((CubePart(2, 3, 2.0, 0.5), CubePart(1, 1, 2.0, 0.5)))
    >>> cubes.calibrate_vector(1.0, 0.0, 1.0, 7).scale.tolist()
    [4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0]
    """

    def __init__(self, parts: Sequence[CubePart]) -> None:
        self.parts = tuple(parts)

    def calibrate_vector(
        self,
        epsilon: float,
        delta: float,
        sensitivity: float,
        size: int,
        integer: bool = False,
        ball: tuple[int, int] | None = None,
    ) -> MomentNoise:
        """Return the noise of all parts; the sensitivity is 1 but for what roundings add to it."""
        parted = list(zip(self.parts, parts_of(epsilon, tuple(each.share for each in self.parts))))
        noises = [CubeNoise(scale_for(sensitivity * each.reach, e), each.columns) for each, e in parted]
        sizes = tuple(each.size for each in self.parts)
        return MomentNoise(tuple(noises), sizes, tuple(range(sum(sizes))))
