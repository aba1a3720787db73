"""What blocks and pairs of records say of a slope, by ranks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from pydpstat._data.progress import Progress
from pydpstat._release.additive import Query
from pydpstat._release.options import Options
from pydpstat._release.payment import paid
from pydpstat._release.statistic import promise_of_stages, release_stage
from pydpstat.inference._coefficients import endless
from pydpstat.inference._design import LinearDesign
from pydpstat.inference._null_distributions.slopes import Pairs, SlopeInterval, slope_interval
from pydpstat.mechanisms.mechanism import parts_of
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results.regression_results import RegressionResults
from pydpstat.results.results import DPResults

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
    """Return the values of disjoint random blocks of so many records.

    In a block the records are paired by what is left of the predictor after a constant and the others: the
    largest with the smallest, and so on. That looks at predictors alone. With d and D the pairs' differences
    of the predictor and of the others, and c what is left of d after D, the score is the sum of c times the
    differences of response - null * predictor. As c is orthogonal to D, under the hypothesis it is c times
    the differences of the errors. Given the predictors, all of these change their signs together without a
    change of their law: where errors have one distribution, as the records of each pair change places, and
    where their distributions are symmetric, as all errors change their signs. The score's sign is then fair,
    independent of its size and, with independent errors, of all other blocks.

    Each block's values depend on its own records alone, in an arithmetic that does not depend on the others.
    """
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


Integers = npt.NDArray[np.int64]
# records that make pairs with each other: more tell hardly more
GROUP = 20_000
# groups that all looks but the last are at
_FEW = 5
# numbers and slopes are whole multiples of 2^-20 in the unit of the ranges, slopes at most 2^12
BITS, _STEEPEST = 20, 1 << 32
# cells of equal angles, parts of an interval, and the share of epsilon of all looks but the last
_CELLS, _PARTS, _LOOKS = 16, 12, 0.3
# the most looks, and the part of all pairs that noise may be of
_MOST, _SMALL = 5, 0.06
# the level of the intervals that are looked into again
_LEVEL = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class PairSlopes:
    """Records in disjoint random groups, each in the order of its predictor. Private."""

    groups: tuple[tuple[Integers, Integers, Floats], ...]

    def __repr__(self) -> str:
        return "PairSlopes(values withheld)"

    @classmethod
    def of(cls, x: Floats, y: Floats, keys: np.random.Generator) -> PairSlopes:
        """Round the numbers, which are between -1 and 1, and divide the records without a look at them."""
        whole = [np.rint(np.ldexp(each, BITS)).astype(np.int64) for each in (x, y)]
        ends = np.cumsum(group_sizes(x.size))[:-1]
        groups = []
        for rows in np.split(keys.permutation(x.size), ends):
            own, ties = whole[0][rows], keys.random((2, rows.size))
            order = np.lexsort((ties[0], own))
            groups.append((own[order], whole[1][rows][order], ties[1][order]))
        return cls(tuple(groups))

    def cells(self, edges: Integers, number: int) -> Integers:
        """Return how many pairs of so many groups have slopes in the cells between edges."""
        total, below = 0, np.zeros(edges.size, dtype=np.int64)
        with Progress(lambda: edges.size * sum(each.size for each, _, _ in self.groups[:number])) as progress:
            for x, y, ties in self.groups[:number]:
                total += x.size * (x.size - 1) // 2
                for place, edge in enumerate(edges.tolist()):
                    below[place] += inversions(np.lexsort((ties, (y << BITS) - edge * x)))
                    progress.add(x.size)
        ends = np.concatenate([[0], below, [total]])
        return ends[1:] - ends[:-1]

    def query(self, edges: Integers, own: Look) -> Query:
        """Ask for the cells of a look."""
        counts = self.cells(edges, own.groups)
        labels = Labels("slopes", tuple(f"cell {cell}" for cell in range(1, counts.size + 1)))
        size = sum(each.size for each, _, _ in self.groups)
        return Query(
            "slopes", counts.astype(np.float64), (own.reach,), labels, True, size, tuple(map(int, counts))
        )


def group_sizes(records: int) -> list[int]:
    """Return how many records each group has."""
    number = max(-(-records // GROUP), 1)
    small, larger = divmod(records, number)
    return [small + (place < larger) for place in range(number)]


class Look(NamedTuple):
    """A release of cells: its epsilon, the number of groups that are counted, and what is public of them."""

    epsilon: float
    groups: int
    pairs: Pairs

    @property
    def reach(self) -> int:
        """How far one record moves the cells: its pairs leave some, and enter others."""
        return 2 * max(self.pairs.reach, 1)


def looks_for(records: int, epsilon: float) -> list[Look]:
    """Return the looks, each into the interval of the one before; all of this is public."""
    sizes = group_sizes(records)
    some = sizes[:_FEW]
    pairs = Pairs.of(some)
    # that of the middle cell's edge, with the epsilon of all first looks together
    scale = math.sqrt(_CELLS) * 2.0 * max(pairs.reach, 1) / (_LOOKS * max(pairs.number, 1))
    number = max(1 + math.floor(min(_SMALL * epsilon / scale, _MOST - 1)), 2)
    last, *first = parts_of(epsilon, (1.0 - _LOOKS, *[_LOOKS / (number - 1)] * (number - 1)))
    return [*(Look(each, len(some), pairs) for each in first), Look(last, len(sizes), Pairs.of(sizes))]


def look(looks: Sequence[Look], ask: Callable[[Integers, Look], Integers]) -> SlopeInterval:
    """Return what the last look says; `ask` releases the numbers of pairs in cells between edges."""
    known: SlopeInterval | None = None
    for each in looks:
        edges = edges_from(None if known is None else known.ends(_LEVEL))
        places = np.ldexp(edges.astype(np.float64), -BITS)
        known = slope_interval(places, ask(edges, each), each.pairs, each.epsilon / each.reach)
    assert known is not None
    return known


def edges_from(interval: tuple[float, float] | None) -> Integers:
    """Return the edges of the next look, in multiples of 2^-20; of the first one for None."""
    angles = math.pi * (np.arange(1, _CELLS) / _CELLS - 0.5)
    if interval is not None and all(map(math.isfinite, interval)):
        low, high = map(math.atan, interval)
        width = max(high - low, 4.0 * _PARTS / 2.0**BITS)
        inner = np.linspace(low, high, _PARTS + 1)
        around = low - 1.5 * width, low - 0.5 * width, high + 0.5 * width, high + 1.5 * width
        angles = np.array([*around, *inner])
    # the same on every processor
    most = 0.5 * math.pi - 1e-4
    steep = np.array([math.tan(min(max(each, -most), most)) for each in angles.tolist()])
    found: Integers = np.unique(np.rint(np.ldexp(steep, BITS)).astype(np.int64).clip(-_STEEPEST, _STEEPEST))
    return found


def by_slopes(
    x: Floats,
    y: Floats,
    scale: float,
    design: LinearDesign,
    how: Options,
    null: float,
    keys: np.random.Generator,
    record: Call,
    assumptions: tuple[str, ...],
) -> RegressionResults:
    """Release the cells of all looks, and return the slope, its test and its interval."""
    name = design.names[1]
    slopes = PairSlopes.of(x, y, keys)
    claim, held = promise_of_stages(how, design.conditions)
    releases: list[DPResults] = []

    def ask(edges: Integers, own: Look) -> Integers:
        query = slopes.query(edges, own)
        releases.append(release_stage(query, how, own.epsilon, design.conditions, record))
        return np.array([round(each) for each in releases[-1].value.tolist()])

    with paid(how.budget, held, record, how.mechanism.name):
        interval = look(looks_for(x.size, how.epsilon), ask).scaled(scale)
    low, high = interval.ends(_LEVEL)
    chance = interval.pvalue(null)
    statistic = math.copysign(-float(ndtri(0.5 * max(chance, 1e-300))), interval.middle - null)
    errors = np.array([(high - low) / 3.92])
    remarks = [] if x.size > 1 else ["There are too few records for a pair: the result is uninformative."]
    return RegressionResults.of_several(
        releases,
        [f"look {look}: " for look in range(1, len(releases) + 1)],
        model="OLS",
        method="rank",
        response=design.response,
        names=(name,),
        coef=np.array([interval.middle]),
        errors=errors,
        null=null,
        tested=(name,),
        statistics=np.array([statistic]),
        probabilities=np.array([chance]),
        intervals=(interval,),
        labels=("model",),
        design=design,
        assumptions=assumptions,
        remarks=(*remarks, *endless((name,), errors), *design.remarks),
        claim=claim,
        guarantee=held,
        bounds=design.bounds,
    )
