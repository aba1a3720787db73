"""Distributions by random orders of the records with a fixed seed: they repeat, and protect nobody."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import frozen
from pydpstat.inference._laws.rank_laws import Law
from pydpstat.inference._laws.reference import FLOOR

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
DRAWS = 9_999
SEED = 20_061
# up to so many records their orders are drawn; beyond, the limit of the ranks
SHUFFLED = 1_000
# a larger group's sum of ranks is drawn as normal
SUMMED = 40
# how many binary digits a distance of rank sums is rounded down to
DIGITS = 10
# so many of the largest draws have a smooth tail in their place, in steps, down to the least probability
_TAIL, _STEPS = 50, 400
# orders that are held at a time
_BLOCK = 1_111


def sampled_law(values: npt.NDArray[np.number]) -> Law:
    """Return the distribution of draws and of one more that exceeds them all."""
    found, counts = np.unique(values, return_counts=True)
    masses = np.append(counts, 1.0) / (values.size + 1.0)
    return Law(np.append(found.astype(np.float64), np.inf), masses)


def shuffled(values: Integers) -> Iterator[Integers]:
    """Draw 9,999 orders of some values, in blocks of shape (m, N)."""
    generator = np.random.default_rng(SEED)
    for _ in range(DRAWS // _BLOCK):
        yield generator.permuted(np.broadcast_to(values, (_BLOCK, values.size)), axis=1)


@lru_cache(maxsize=16)
def rank_sum_draws(sizes: tuple[int, ...]) -> Floats:
    """Draw the groups' sums of 2 rank - (N + 1), of shape (9999, k), under one common distribution."""
    size, generator = sum(sizes), np.random.default_rng(SEED)
    if size <= SHUFFLED:
        scores = 2 * np.arange(1, size + 1) - (size + 1)
        starts = np.cumsum((0, *sizes[:-1]))
        sums = [np.add.reduceat(each, starts, axis=1) for each in shuffled(scores)]
        return frozen(np.concatenate(sums, dtype=float))
    free = np.empty((DRAWS, len(sizes)))
    for place, number in enumerate(sizes):
        if number <= SUMMED:
            free[:, place] = generator.random((DRAWS, number)).sum(axis=1) - 0.5 * number
        else:
            free[:, place] = generator.normal(0.0, math.sqrt(number / 12.0), DRAWS)
    means = free.sum(axis=1, keepdims=True) / size
    return frozen(2.0 * math.sqrt(size * (size + 1.0)) * (free - np.array(sizes) * means))


def scaled_distance(deviations: Sequence[int], weights: Sequence[Fraction | int]) -> int:
    """Return 2^10 times the root of the weighted sum of squares, rounded down."""
    total = sum((weight * each * each for weight, each in zip(weights, deviations)), Fraction(0))
    return math.isqrt(math.floor(total * 4**DIGITS))


def scaled_reach(sizes: Sequence[int], weights: Sequence[Fraction | int]) -> int:
    """Return by how much one record can change that distance, rounded up to an integer."""
    size = sum(sizes)
    squares = [Fraction(weight) * number**2 for weight, number in zip(weights, sizes)]
    largest = max(
        weight * (size - number) ** 2 + sum(squares) - square
        for weight, number, square in zip(weights, sizes, squares)
    )
    return _root_up(4 * largest * 4**DIGITS)


def _root_up(square: Fraction | int) -> int:
    whole = math.ceil(square)
    root = math.isqrt(whole)
    return root if root * root == whole else root + 1


@lru_cache(maxsize=64)
def distance_law(sizes: tuple[int, ...], weights: tuple[Fraction | int, ...]) -> Law:
    """Return the null distribution of the scaled distance, from `rank_sum_draws`."""
    own = np.array([float(weight) for weight in weights])
    values = np.floor(2.0**DIGITS * np.sqrt((rank_sum_draws(sizes) ** 2 * own).sum(axis=1)))
    number, size = np.array(sizes, dtype=np.float64), sum(sizes)
    spread = np.diag(number * own) - np.outer(number, number) * np.sqrt(np.outer(own, own)) / size
    scale = 4.0**DIGITS * size * (size + 1.0) / 3.0 * float(np.linalg.eigvalsh(spread)[-1])
    return with_tail(np.sort(values), scale, len(sizes) - 1)


def with_tail(values: Floats, scale: float, freedom: int) -> Law:
    """Return the distribution of ascending draws, whose squares have a tail as scaled chi-square has."""
    from scipy.special import chdtrc, chdtri

    first, draws = float(values[-_TAIL]), values.size + 1.0
    start = float(chdtrc(freedom, first * first / scale)) if scale > 0.0 else 0.0
    if start == 0.0:
        # nothing to be compared, or further out than any value of the limit that can be told
        return sampled_law(values)
    rest = (draws - float(np.searchsorted(values, first))) / draws
    tail = np.ceil(np.sqrt(scale * chdtri(freedom, start * np.geomspace(1.0, FLOOR / rest, _STEPS))))
    positions = np.unique(np.concatenate([values, tail[tail > first]]))
    among = (draws - np.searchsorted(values, positions)) / draws
    # what lies between two values counts at the upper one
    before = np.append(first, np.maximum(positions[:-1], first))
    limit = rest * chdtrc(freedom, before * before / scale) / start
    above = np.where(positions > first, np.minimum(among, limit), among)
    return Law(np.append(positions, np.inf), -np.diff(np.concatenate([above, [FLOOR, 0.0]])))
