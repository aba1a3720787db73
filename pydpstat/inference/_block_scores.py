"""Values of disjoint random blocks of records for one predictor's slope, free of all other coefficients."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# records handled at a time
_CHUNK = 1 << 17
# what is smaller than this share of what it was made of is rounding
_DUST = 1e-10
# pairs of so many numbers are compared all at once
_AT_ONCE = 300


class BlockValues(NamedTuple):
    """Of each block the score under the hypothesis and the estimate of the slope.

    Private. A score of 0 and an infinite estimate have had their sign drawn at random.
    """

    signs: npt.NDArray[np.int64]
    sizes: Floats
    estimates: Floats

    def __repr__(self) -> str:
        return "BlockValues(values withheld)"


def block_values(
    response: Floats, predictor: Floats, others: Floats, size: int, null: float, keys: np.random.Generator
) -> BlockValues:
    """Return the values of disjoint random blocks of so many records."""
    blocks = response.size // size
    order = keys.permutation(response.size)[: blocks * size].reshape(blocks, size)
    fair = keys.random(blocks) < 0.5
    scores, norms = np.empty(blocks), np.empty(blocks)
    step = max(_CHUNK // size, 1)
    for start in range(0, blocks, step):
        rows = order[start : start + step]
        piece = slice(start, start + rows.shape[0])
        scores[piece], norms[piece] = _scores(response[rows], predictor[rows], others[rows])
    shifted = scores - null * norms
    # rounding alone tells nothing of the errors
    sure = np.abs(shifted) > _DUST * (np.abs(scores) + abs(null) * norms)
    random = np.where(fair, 1, -1)
    signs = np.where(sure, np.sign(shifted), random).astype(np.int64)
    known = norms > 0.0
    estimates = np.where(known, scores / np.where(known, norms, 1.0), random * np.inf)
    return BlockValues(signs, np.where(sure, np.abs(shifted), 0.0), estimates)


def _scores(y: Floats, x: Floats, others: Floats) -> tuple[Floats, Floats]:
    """Return c'dy and c'dx of blocks, a row a block; 0 where the others leave nothing of the predictor."""
    half = x.shape[1] // 2
    constant = np.ones((*x.shape, 1))
    ranked = np.argsort(_residual(x, np.concatenate([constant, others], axis=2)), axis=1, kind="stable")
    high, low = ranked[:, : half - 1 : -1], ranked[:, :half]
    dx, dy = (np.take_along_axis(v, high, 1) - np.take_along_axis(v, low, 1) for v in (x, y))
    between = np.take_along_axis(others, high[..., None], 1) - np.take_along_axis(others, low[..., None], 1)
    c = _residual(dx, between)
    products = c * dy
    score = products.sum(axis=1)
    dust = np.abs(score) <= _DUST * np.abs(products).sum(axis=1)
    return np.where(dust, 0.0, score), (c * dx).sum(axis=1) * (c * c).any(axis=1)


def _residual(x: Floats, columns: Floats) -> Floats:
    """Return what is left of x after the columns, in each row; columns that add nothing are passed over."""
    left = x.copy()
    basis: list[Floats] = []
    for k in range(columns.shape[2]):
        column = columns[:, :, k].copy()
        whole = np.sqrt((column * column).sum(axis=1))
        for _ in range(2):
            for each in basis:
                column -= (column * each).sum(axis=1, keepdims=True) * each
        size = np.sqrt((column * column).sum(axis=1))
        new = size > 1e-9 * whole
        column = np.where(new[:, None], column / np.where(new, size, 1.0)[:, None], 0.0)
        basis.append(column)
    for _ in range(2):
        for each in basis:
            left -= (left * each).sum(axis=1, keepdims=True) * each
    gone = np.sqrt((left * left).sum(axis=1)) <= 1e-9 * np.sqrt((x * x).sum(axis=1))
    return np.where(gone[:, None], 0.0, left)


def score_statistic(values: BlockValues, top: int, keys: np.random.Generator) -> int:
    """Return the sum of signs times min(rank, top) over the blocks, ties broken by random keys."""
    blocks = values.sizes.size
    order = np.lexsort((keys.random(blocks), values.sizes))
    ranks = np.empty(blocks, dtype=np.int64)
    ranks[order] = np.arange(1, blocks + 1)
    return int((values.signs * np.minimum(ranks, top)).sum())


def kendall_statistic(x: Floats, y: Floats, keys: np.random.Generator) -> int:
    """Return the number of concordant minus that of discordant pairs, ties broken by random keys."""
    n = x.size
    first = np.lexsort((keys.random(n), x))
    # a key is a record's own, wherever the predictor puts it
    ties = keys.random(n)
    return n * (n - 1) // 2 - 2 * inversions(np.lexsort((ties[first], y[first])))


def inversions(order: npt.NDArray[np.int64]) -> int:
    """Return how many pairs of different numbers stand in the wrong order."""
    n = order.size
    if n <= _AT_ONCE:
        return int(np.count_nonzero(np.triu(order[:, None] > order, 1)))
    from scipy.stats import kendalltau

    # tau is right to a few units in the last place
    tau = float(kendalltau(np.arange(n), order, method="asymptotic")[0])
    return round(0.25 * n * (n - 1) * (1.0 - tau))
