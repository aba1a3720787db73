"""The noise of moments and of sums by cell.

One record replaced (bounded neighbors):

*Cross products* of numbers, with the constant where their sums are released, have the noise of their body;
`pydpstat.mechanisms.CrossProductNoise` has the proof. *Squares* of numbers in [-1, 1] move by 1 at most,
each: they have a cube's noise of scale 1 / epsilon.

*Tables* have in each cell the count of its records and the sums of their numbers u. A record is in one cell
of a table. One that is replaced by w leaves its cell, which moves by (1, u), and enters another, which moves
by (1, w), each by 1 in the maximum norm. Or it stays, and its cell moves by (0, u - w), by 2 at most. So the
norms of all cells add up to 2 at most, and each cell has a cube's noise of scale 2 / epsilon, whatever their
number. Counts of *pairs* of cells of two tables are like a table's without numbers: two of them move by 1.

One record added or removed (unbounded neighbors): it moves every number by 1 at most, and of a table, or of
a pair of tables, one cell alone. So a cube's noise of scale 1 / epsilon is enough for each cell, for squares,
and for products of numbers. Where there is no table, products have noise together with sums and the number of
records: that of the body of what a record adds, again `CrossProductNoise`.

Bringing a number onto the grid of the release moves it by less than a unit more. The sensitivity of the whole
covers a unit for each number that is released, and of a part the norm grows by less than two units and a
half.
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


# What the variance of a kind's noise weighs: cross products and pairs 1; squares as little as slopes of 0.2
# in the unit of the bounds let them matter; a table more the more cells it has, of fewer records each, and
# from five cells on because most coefficients are theirs.
_SQUARES_WEIGHT, _CELL_WEIGHT = 0.04, 0.2
_SIMULATION_SEED = 1_912


class NoiseBlock(NamedTuple):
    """Released numbers that have a share of epsilon, and what the variance of their noise weighs."""

    noise: CubeNoise | CrossProductNoise
    vectors: int
    weight: float = 1.0

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return self.noise.width * self.vectors

    def scale_noise(self, sensitivity: float, epsilon: float) -> CubeNoise | CrossProductNoise:
        """Return the noise for a part of epsilon."""
        scale = scale_for(sensitivity * float(self.noise.scale), epsilon)
        return replace(self.noise, scale=scale)


def make_noise_blocks(
    numbers: int, tables: Sequence[int], squares: float = _SQUARES_WEIGHT, bounded: bool = True
) -> list[NoiseBlock]:
    """Return what is released of so many numbers, and of tables with so many cells, in its order.

    `squares` is what the variance of the squares' noise weighs; `bounded` whether a record is replaced.
    """
    scale = 2.0 if bounded else 1.0
    weights = [_CELL_WEIGHT * cells * max(1.0, _CELL_WEIGHT * cells) for cells in tables]
    found = [NoiseBlock(CubeNoise(scale, numbers + 1), *each) for each in zip(tables, weights)]
    found += [NoiseBlock(CubeNoise(scale, 1), one * other, 1.0) for one, other in combinations(tables, 2)]
    places = numbers if tables else numbers + 1
    if places > 1 and (bounded or not tables):
        found.append(NoiseBlock(CrossProductNoise(scale, places, not bounded), 1, 1.0))
    elif places > 1:
        found.append(NoiseBlock(CubeNoise(scale, places * (places - 1) // 2), 1, 1.0))
    return [*found, NoiseBlock(CubeNoise(1.0, numbers), 1, squares)]


def allocate_epsilon(found: Sequence[NoiseBlock]) -> tuple[float, ...]:
    """Return the parts' shares of epsilon, for which the weighted sum of their noises' variances is least."""
    variances = [float(np.mean(np.square(part.noise.std()))) for part in found]
    wishes = [float(exp(log(part.weight * each) / 3.0)) for part, each in zip(found, variances)]
    return tuple(wish / sum(wishes) for wish in wishes)


def is_joint_table_better(numbers: int, levels: Sequence[int], bounded: bool = True) -> bool:
    """Tell whether one table of all categorical predictors has less noise than a table of each."""
    if len(levels) < 2:
        return False
    cells = math.prod(levels)
    alone = allocate_epsilon(make_noise_blocks(numbers, levels, bounded=bounded))[int(np.argmax(levels))]
    together = allocate_epsilon(make_noise_blocks(numbers, [cells], bounded=bounded))[0]
    return cells * alone**2 <= max(levels) * together**2


@dataclass(frozen=True, eq=False)
class MomentNoise(SeparateNoise):
    """The noise of all parts. A table's cells are drawn one after the other; the value has its columns so."""

    noises: tuple[Any, ...]
    order: tuple[int, ...]

    def draw(self, source: Source, size: int, grid: float | None) -> npt.NDArray[np.generic]:
        """Draw the noise of all parts, in the order of the released numbers."""
        return super().draw(source, size, grid)[list(self.order)]

    def sample(self, count: int) -> Floats:
        """Return draws of the joint distribution for simulations, of shape (count, numbers).

        They are the same in every call, and protect no data.
        """
        generator = np.random.default_rng(_SIMULATION_SEED)
        columns = []
        for noise, size in zip(self.noises, self.sizes):
            # vectors that are made of the same points have them in different orders
            drawn = noise.sample(count)
            columns += [drawn[generator.permutation(count)] for _ in range(size // drawn.shape[1])]
        return np.concatenate(columns, axis=1)[:, list(self.order)]


class PartitionedCube(Mechanism):
    """The cube's mechanism for a release in parts, each of which has a share of epsilon."""

    name = "linf"
    norm = math.inf
    joint = True
    # whether the value has the first elements of a part's vectors, then the second ones, and so on
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
        """Return the noise of all parts; the sensitivity is 1 but for what roundings add to it."""
        sizes = tuple(part.size for part in self.parts)
        order = np.split(np.arange(size), np.cumsum(sizes)[:-1])
        if self.by_element:
            order = [each.reshape(part.vectors, -1).T.ravel() for each, part in zip(order, self.parts)]
        parted = zip(self.parts, split_by_shares(epsilon, self.shares))
        noises = tuple(part.scale_noise(sensitivity, share) for part, share in parted)
        return MomentNoise(noises, sizes, tuple(np.concatenate(order).tolist()))


class MomentCube(PartitionedCube):
    """The cube's mechanism for sums, products and squares of numbers, and for tables of them."""

    by_element = True

    def __init__(
        self, numbers: int, tables: Sequence[int] = (), squares: float = _SQUARES_WEIGHT, bounded: bool = True
    ) -> None:
        self.numbers, self.tables = numbers, tuple(tables)
        found = make_noise_blocks(numbers, tables, squares, bounded)
        super().__init__(found, allocate_epsilon(found))


class CellCubes(PartitionedCube):
    """The cube's mechanism for parts of a release, one after the other.

    A record is in one cell. One that is added or removed changes that cell's vector by 1 at most in the
    maximum norm, and one that is replaced those of two cells, or one by 2. So each cell has a cube's noise of
    scale 1 / e or 2 / e, e being the cells' share of epsilon: by the triangle inequality in every cell,
    whatever the number of cells. The other sums are one vector more with the rest of epsilon.

    Bringing a number onto the grid of the release moves it by less than a unit more. The sensitivity of the
    whole covers a unit for each number that is released, and of a part the norms of the changes grow by less
    than two units, for two cells.
    """
