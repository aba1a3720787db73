"""The noise of sums by cell: a cube's for each cell's vector, and for the vector of the other sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pydpstat.inference._moment_noise import MomentNoise, PartedCube
from pydpstat.mechanisms.cube import CubeNoise
from pydpstat.mechanisms.laplace import scale_for
from pydpstat.mechanisms.mechanism import parts_of


class CubePart(NamedTuple):
    """Vectors that have a share of epsilon together: how wide, how many, how far the norms move in all."""

    columns: int
    vectors: int
    reach: float
    share: float

    @property
    def size(self) -> int:
        """How many numbers they have."""
        return self.columns * self.vectors


class CellCubes(PartedCube):
    """The cube's mechanism for parts of a release, one after the other."""

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
