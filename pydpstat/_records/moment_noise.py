"""Noise of moments and of sums by cell.

One record replaced (bounded neighbors):

*Cross products* of numbers, with the constant if their sums are released, have the noise of the convex
body of their changes; `pydpstat.mechanisms.CrossProductNoise` has the proof. *Squares* of numbers in [-1, 1]
change by 1 at most, each: they have maximum-norm noise of scale 1 / epsilon.

*Tables* have in each cell the count of its records and the sums of their numbers u. A record is in one cell
of a table. If it is replaced by w in a different cell, its cell changes by (1, u) and the other one by (1, w),
each by 1 in the maximum norm. If it is replaced in the same cell, this cell changes by (0, u - w), by 2 at
most. So the norms of all cells add up to 2 at most, and each cell has maximum-norm noise of scale 2 / epsilon,
whatever the number of cells. Counts of *pairs* of cells of two tables are like a table without numbers: two of
them change by 1.

One record added or removed (unbounded neighbors): it changes every number by 1 at most, and only one cell of a
table or of a pair of tables. So maximum-norm noise of scale 1 / epsilon suffices for each cell, for squares,
and for products of numbers. If there is no table, products have joint noise with sums and the number of
records, again `CrossProductNoise`, for the vectors that one record adds.

Rounding a number to the grid of the release adds less than a unit to its change. The total sensitivity covers
one unit for each released number, and the norm of a part increases by less than two and a half units.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat.mechanisms.cross_products import CrossProductNoise
from pydpstat.mechanisms.cube import CubeNoise
from pydpstat.mechanisms.laplace import scale_for
from pydpstat.mechanisms.mechanism import Mechanism, SeparateNoise, split_by_shares
from pydpstat.r_arithmetic.elementary import Floats, exp, log

if TYPE_CHECKING:
    from pydpstat.random import Source


# Weight of the noise variance by kind: 1 for cross products and pairs; small for squares, for slopes of 0.2
# in the unit of the bounds; for tables increasing with the number of cells, as each has fewer records, and
# quadratically from five cells on, as they have most of the coefficients.
_SQUARES_WEIGHT, _CELL_WEIGHT = 0.04, 0.2
_SIMULATION_SEED = 1_912


class NoiseBlock(NamedTuple):
    """Released numbers with a separate share of epsilon, and the weight of the variance of their noise."""

    noise: CubeNoise | CrossProductNoise
    vectors: int
    weight: float = 1.0

    @property
    def size(self) -> int:
        """Number of released numbers."""
        return self.noise.width * self.vectors

    def scale_noise(self, sensitivity: float, epsilon: float) -> CubeNoise | CrossProductNoise:
        """Return the noise for a part of epsilon."""
        scale = scale_for(sensitivity * float(self.noise.scale), epsilon)
        return replace(self.noise, scale=scale)


def make_noise_blocks(
    numbers: int, tables: Sequence[int], squares: float = _SQUARES_WEIGHT, bounded: bool = True
) -> list[NoiseBlock]:
    """Return the blocks released for `numbers` numeric variables and for tables with `tables` cells, in order.

    `squares` is the weight of the variance of the squares' noise; `bounded` tells whether a record is replaced.
    """
    scale = 2.0 if bounded else 1.0
    weights = [_CELL_WEIGHT * cells * max(1.0, _CELL_WEIGHT * cells) for cells in tables]
    blocks = [NoiseBlock(CubeNoise(scale, numbers + 1), *each) for each in zip(tables, weights)]
    blocks += [
        NoiseBlock(CubeNoise(scale, 1), n_cells * n_other_cells, 1.0)
        for n_cells, n_other_cells in combinations(tables, 2)
    ]
    dimension = numbers if tables else numbers + 1
    if dimension > 1 and (bounded or not tables):
        blocks.append(NoiseBlock(CrossProductNoise(scale, dimension, not bounded), 1, 1.0))
    elif dimension > 1:
        blocks.append(NoiseBlock(CubeNoise(scale, dimension * (dimension - 1) // 2), 1, 1.0))
    return [*blocks, NoiseBlock(CubeNoise(1.0, numbers), 1, squares)]


def allocate_epsilon(found: Sequence[NoiseBlock]) -> tuple[float, ...]:
    """Return the blocks' shares of epsilon that minimize the weighted sum of the noise variances."""
    variances = [float(np.mean(np.square(block.noise.std()))) for block in found]
    wishes = [float(exp(log(block.weight * variance) / 3.0)) for block, variance in zip(found, variances)]
    return tuple(wish / sum(wishes) for wish in wishes)


def is_joint_table_better(numbers: int, levels: Sequence[int], bounded: bool = True) -> bool:
    """Return whether one table of all categorical predictors has less noise than separate tables."""
    if len(levels) < 2:
        return False
    cells = math.prod(levels)
    alone = allocate_epsilon(make_noise_blocks(numbers, levels, bounded=bounded))[int(np.argmax(levels))]
    together = allocate_epsilon(make_noise_blocks(numbers, [cells], bounded=bounded))[0]
    return cells * alone**2 <= max(levels) * together**2


@dataclass(frozen=True, eq=False)
class MomentNoise(SeparateNoise):
    """Noise of all blocks, rearranged into the order of the released numbers.

    The noise of a table is drawn cell by cell, whereas the released vector has one number of all cells after
    the other.
    """

    noises: tuple[Any, ...]
    order: tuple[int, ...]

    def draw(self, source: Source, size: int, grid: float | None) -> npt.NDArray[np.generic]:
        """Draw the noise of all blocks, in the order of the released numbers."""
        return super().draw(source, size, grid)[list(self.order)]

    def sample(self, count: int) -> Floats:
        """Return draws of the joint distribution for simulations, of shape (count, numbers).

        They are the same in every call, and must not be used to protect data.
        """
        generator = np.random.default_rng(_SIMULATION_SEED)
        columns = []
        for noise, size in zip(self.noises, self.sizes):
            # permute the draws, so that vectors sampled from the same points are independent
            drawn = noise.sample(count)
            columns += [drawn[generator.permutation(count)] for _ in range(size // drawn.shape[1])]
        return np.concatenate(columns, axis=1)[:, list(self.order)]


class PartitionedCube(Mechanism):
    """Maximum-norm mechanism for a release in blocks, each of which has a share of epsilon."""

    name = "linf"
    norm = math.inf
    joint = True
    # whether the released vector has the first elements of all vectors of a block, then the second ones, and so on
    by_element = False

    def __init__(self, blocks: Sequence[NoiseBlock], shares: Sequence[float]) -> None:
        self.parts, self.shares = tuple(blocks), tuple(shares)

    def __repr__(self) -> str:
        return "Cube()"

    def calibrate_vector(
        self,
        epsilon: float,
        delta: float,
        sensitivity: float,
        size: int,
        integer: bool = False,
        vector_shape: tuple[int, int] | None = None,
    ) -> MomentNoise:
        """Return the noise of all blocks; the sensitivity is 1 plus an allowance for rounding."""
        sizes = tuple(part.size for part in self.parts)
        order = np.split(np.arange(size), np.cumsum(sizes)[:-1])
        if self.by_element:
            order = [indices.reshape(part.vectors, -1).T.ravel() for indices, part in zip(order, self.parts)]
        parted = zip(self.parts, split_by_shares(epsilon, self.shares))
        noises = tuple(part.scale_noise(sensitivity, share) for part, share in parted)
        return MomentNoise(noises, sizes, tuple(np.concatenate(order).tolist()))


class MomentCube(PartitionedCube):
    """Maximum-norm mechanism for sums, products and squares of numbers, and for tables of them."""

    by_element = True

    def __init__(
        self, numbers: int, tables: Sequence[int] = (), squares: float = _SQUARES_WEIGHT, bounded: bool = True
    ) -> None:
        self.numbers, self.tables = numbers, tuple(tables)
        blocks = make_noise_blocks(numbers, tables, squares, bounded)
        super().__init__(blocks, allocate_epsilon(blocks))


class CellCubes(PartitionedCube):
    """Maximum-norm mechanism for blocks of a release, one after the other.

    A record is in one cell. Adding or removing it changes the vector of that cell by 1 at most in the maximum
    norm; replacing it changes the vectors of two cells by 1, or that of one by 2. So each cell has maximum-norm
    noise of scale 1 / e or 2 / e, e being the cells' share of epsilon: by the triangle inequality over the cells,
    whatever their number. The other sums are one more vector with the rest of epsilon.

    Rounding a number to the grid of the release adds less than a unit to its change. The total sensitivity covers
    one unit for each released number, and the norms of the changes of a block increase by less than two units,
    for two cells.
    """
