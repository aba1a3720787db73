"""Rank statistics of a slope from blocks and from pairs of records."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from pydpstat._data.progress import Progress
from pydpstat._frozen import hide_values
from pydpstat._null_distributions.regression.slopes import PairGroups, SlopeInterval, make_slope_interval
from pydpstat._order import count_discordant_pairs
from pydpstat._release.charging import charge_once
from pydpstat._release.options import Options
from pydpstat._release.pipeline import Query
from pydpstat._release.statistic import make_stage_guarantees, release_stage
from pydpstat.inference.regression._coefficients import describe_unbounded_intervals
from pydpstat.inference.regression._design import RegressionDesign
from pydpstat.mechanisms.mechanism import split_by_shares
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results.regression_results import RegressionResults
from pydpstat.results.results import DPResults

# records per chunk
_CHUNK = 1 << 17
# results below this fraction of their terms are rounding errors
_RELATIVE_ROUNDING = 1e-10


class BlockValues(NamedTuple):
    """Sign and size of each block's score under the hypothesis, and its estimate of the slope; private.

    The signs of zero scores and of infinite estimates are drawn at random.
    """

    signs: npt.NDArray[np.int64]
    sizes: Floats
    estimates: Floats

    def __repr__(self) -> str:
        return hide_values(self)


def compute_block_values(
    response: Floats,
    predictor: Floats,
    others: Floats,
    size: int,
    null: float,
    generator: np.random.Generator,
) -> BlockValues:
    """Return the values of disjoint random blocks of `size` records.

    In a block the records are paired by the residual of the predictor after a constant and the others: the
    largest with the smallest, and so on. This uses predictors only. With d and D the pairs' differences
    of the predictor and of the others, and c the residual of d after D, the score is the sum of c times the
    differences of response - null * predictor. As c is orthogonal to D, under the hypothesis it is c times
    the differences of the errors. Given the predictors, the joint distribution of these is unchanged if all signs are
    reversed: if errors are identically distributed, by exchanging the records of each pair, and if they are
    symmetrically distributed, by reversing all errors. The sign of the score is then fair,
    independent of its size and, with independent errors, of all other blocks.

    The values of a block depend on its own records only, including rounding.
    """
    blocks = response.size // size
    order = generator.permutation(response.size)[: blocks * size].reshape(blocks, size)
    fair = generator.random(blocks) < 0.5
    scores, norms = np.empty(blocks), np.empty(blocks)
    step = max(_CHUNK // size, 1)
    for start in range(0, blocks, step):
        rows = order[start : start + step]
        piece = slice(start, start + rows.shape[0])
        scores[piece], norms[piece] = _compute_scores(response[rows], predictor[rows], others[rows])
    shifted = scores - null * norms
    # scores that are rounding errors only have a random sign
    sure = np.abs(shifted) > _RELATIVE_ROUNDING * (np.abs(scores) + abs(null) * norms)
    random = np.where(fair, 1, -1)
    signs = np.where(sure, np.sign(shifted), random).astype(np.int64)
    has_estimate = norms > 0.0
    estimates = np.where(has_estimate, scores / np.where(has_estimate, norms, 1.0), random * np.inf)
    return BlockValues(signs, np.where(sure, np.abs(shifted), 0.0), estimates)


def _compute_scores(y: Floats, x: Floats, others: Floats) -> tuple[Floats, Floats]:
    """Return c'dy and c'dx of blocks, one per row; 0 if the others determine the predictor."""
    half = x.shape[1] // 2
    constant = np.ones((*x.shape, 1))
    ranked = np.argsort(_compute_residuals(x, np.concatenate([constant, others], axis=2)), axis=1, kind="stable")
    high, low = ranked[:, : half - 1 : -1], ranked[:, :half]
    dx, dy = (np.take_along_axis(v, high, 1) - np.take_along_axis(v, low, 1) for v in (x, y))
    between = np.take_along_axis(others, high[..., None], 1) - np.take_along_axis(others, low[..., None], 1)
    c = _compute_residuals(dx, between)
    products = c * dy
    score = products.sum(axis=1)
    dust = np.abs(score) <= _RELATIVE_ROUNDING * np.abs(products).sum(axis=1)
    return np.where(dust, 0.0, score), (c * dx).sum(axis=1) * (c * c).any(axis=1)


def _compute_residuals(x: Floats, columns: Floats) -> Floats:
    """Return the residuals of x after the columns, in each row; linearly dependent columns are skipped."""
    left = x.copy()
    basis: list[Floats] = []
    for k in range(columns.shape[2]):
        column = columns[:, :, k].copy()
        norms = np.sqrt((column * column).sum(axis=1))
        for _ in range(2):
            for vector in basis:
                column -= (column * vector).sum(axis=1, keepdims=True) * vector
        size = np.sqrt((column * column).sum(axis=1))
        new = size > 1e-9 * norms
        column = np.where(new[:, None], column / np.where(new, size, 1.0)[:, None], 0.0)
        basis.append(column)
    for _ in range(2):
        for vector in basis:
            left -= (left * vector).sum(axis=1, keepdims=True) * vector
    is_dependent = np.sqrt((left * left).sum(axis=1)) <= 1e-9 * np.sqrt((x * x).sum(axis=1))
    return np.where(is_dependent[:, None], 0.0, left)


def compute_score_statistic(values: BlockValues, top: int, generator: np.random.Generator) -> int:
    """Return the sum of signs times min(rank, top) over the blocks, with ties broken by random keys."""
    blocks = values.sizes.size
    order = np.lexsort((generator.random(blocks), values.sizes))
    ranks = np.empty(blocks, dtype=np.int64)
    ranks[order] = np.arange(1, blocks + 1)
    return int((values.signs * np.minimum(ranks, top)).sum())


def compute_kendall_statistic(x: Floats, y: Floats, generator: np.random.Generator) -> int:
    """Return the number of concordant minus that of discordant pairs, with ties broken by random keys."""
    n = x.size
    order = np.lexsort((generator.random(n), x))
    # keys belong to records, whatever their order by the predictor
    ties = generator.random(n)
    return n * (n - 1) // 2 - 2 * count_discordant_pairs(np.lexsort((ties[order], y[order])))


Integers = npt.NDArray[np.int64]
# largest group of records that are paired with each other; larger ones are hardly more informative
MAX_GROUP_SIZE = 20_000
# number of groups in all looks but the last
_N_EARLY_GROUPS = 5
# numbers and slopes are multiples of 2^-20 in units of the bounds, and slopes at most 2^12
FRACTION_BITS, _MAX_SLOPE = 20, 1 << 32
# cells of equal angles, parts of an interval, and fraction of epsilon for all looks but the last
_N_CELLS, _N_PARTS, _EARLY_LOOKS_SHARE = 16, 12, 0.3
# largest number of looks, and factor of epsilon from which the number is chosen
_MAX_LOOKS, _MAX_NOISE_RATIO = 5, 0.06
# alpha of the intervals into which the next look is made
_LOOK_ALPHA = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class PairSlopes:
    """Records in disjoint random groups, each sorted by its predictor; private."""

    groups: tuple[tuple[Integers, Integers, Floats], ...]

    def __repr__(self) -> str:
        return hide_values(self)

    @classmethod
    def from_records(cls, x: Floats, y: Floats, generator: np.random.Generator) -> PairSlopes:
        """Round numbers in [-1, 1] to integers and divide the records into groups independently of their values."""
        integers = [np.rint(np.ldexp(values, FRACTION_BITS)).astype(np.int64) for values in (x, y)]
        offsets = np.cumsum(compute_group_sizes(x.size))[:-1]
        groups = []
        for rows in np.split(generator.permutation(x.size), offsets):
            x_integers, ties = integers[0][rows], generator.random((2, rows.size))
            order = np.lexsort((ties[0], x_integers))
            groups.append((x_integers[order], integers[1][rows][order], ties[1][order]))
        return cls(tuple(groups))

    def count_cells(self, edges: Integers, n_groups: int) -> Integers:
        """Count the pairs of the first `n_groups` groups with slopes in the cells between edges."""
        total, below = 0, np.zeros(edges.size, dtype=np.int64)
        with Progress(lambda: edges.size * sum(group.size for group, _, _ in self.groups[:n_groups])) as progress:
            for x, y, ties in self.groups[:n_groups]:
                total += x.size * (x.size - 1) // 2
                for index, edge in enumerate(edges.tolist()):
                    below[index] += count_discordant_pairs(np.lexsort((ties, (y << FRACTION_BITS) - edge * x)))
                    progress.add_done(x.size)
        cumulative = np.concatenate([[0], below, [total]])
        return cumulative[1:] - cumulative[:-1]

    def make_query(self, edges: Integers, current_look: SlopeLook) -> Query:
        """Return a query for the cell counts of a look."""
        counts = self.count_cells(edges, current_look.groups)
        labels = Labels("slopes", tuple(f"cell {cell}" for cell in range(1, counts.size + 1)))
        size = sum(group.size for group, _, _ in self.groups)
        return Query(
            "slopes",
            counts.astype(np.float64),
            (current_look.sensitivity,),
            labels,
            True,
            size,
            tuple(map(int, counts)),
        )


def compute_group_sizes(records: int) -> list[int]:
    """Return the number of records of each group."""
    number = max(-(-records // MAX_GROUP_SIZE), 1)
    small, larger = divmod(records, number)
    return [small + (index < larger) for index in range(number)]


class SlopeLook(NamedTuple):
    """Release of cell counts: its epsilon, number of groups, and public numbers of pairs."""

    epsilon: float
    groups: int
    pairs: PairGroups

    @property
    def sensitivity(self) -> int:
        """Sensitivity of the cell counts in the L1 norm: the pairs of a record leave some cells and enter others."""
        return 2 * max(self.pairs.max_pairs, 1)


def make_looks(records: int, epsilon: float) -> list[SlopeLook]:
    """Return the looks, each into the interval of the previous one; all of it is public."""
    sizes = compute_group_sizes(records)
    some = sizes[:_N_EARLY_GROUPS]
    pairs = PairGroups.from_sizes(some)
    # noise at the middle edge relative to all pairs, for an epsilon of 1 and a single early look
    scale = math.sqrt(_N_CELLS) * 2.0 * max(pairs.max_pairs, 1) / (_EARLY_LOOKS_SHARE * max(pairs.n_pairs, 1))
    number = max(1 + math.floor(min(_MAX_NOISE_RATIO * epsilon / scale, _MAX_LOOKS - 1)), 2)
    last, *early = split_by_shares(
        epsilon, (1.0 - _EARLY_LOOKS_SHARE, *[_EARLY_LOOKS_SHARE / (number - 1)] * (number - 1))
    )
    return [
        *(SlopeLook(look_epsilon, len(some), pairs) for look_epsilon in early),
        SlopeLook(last, len(sizes), PairGroups.from_sizes(sizes)),
    ]


def release_looks(looks: Sequence[SlopeLook], release_look: Callable[[Integers, SlopeLook], Integers]) -> SlopeInterval:
    """Release all looks and return the interval of the last one.

    `release_look` releases the numbers of pairs in cells between edges.
    """
    interval: SlopeInterval | None = None
    for look in looks:
        edges = compute_look_edges(None if interval is None else interval.compute_limits(_LOOK_ALPHA))
        float_edges = np.ldexp(edges.astype(np.float64), -FRACTION_BITS)
        interval = make_slope_interval(
            float_edges, release_look(edges, look), look.pairs, look.epsilon / look.sensitivity
        )
    assert interval is not None
    return interval


def compute_look_edges(interval: tuple[float, float] | None) -> Integers:
    """Return the edges of the next look, in multiples of 2^-20; without an interval, those of the first."""
    angles = math.pi * (np.arange(1, _N_CELLS) / _N_CELLS - 0.5)
    if interval is not None and all(map(math.isfinite, interval)):
        low, high = map(math.atan, interval)
        width = max(high - low, 4.0 * _N_PARTS / 2.0**FRACTION_BITS)
        inner = np.linspace(low, high, _N_PARTS + 1)
        around = low - 1.5 * width, low - 0.5 * width, high + 0.5 * width, high + 1.5 * width
        angles = np.array([*around, *inner])
    # math.tan, because NumPy's results depend on the processor
    max_angle = 0.5 * math.pi - 1e-4
    steep = np.array([math.tan(min(max(angle, -max_angle), max_angle)) for angle in angles.tolist()])
    edges: Integers = np.unique(np.rint(np.ldexp(steep, FRACTION_BITS)).astype(np.int64).clip(-_MAX_SLOPE, _MAX_SLOPE))
    return edges


def fit_by_slopes(
    x: Floats,
    y: Floats,
    scale: float,
    design: RegressionDesign,
    options: Options,
    null: float,
    generator: np.random.Generator,
    record: Call,
    assumptions: tuple[str, ...],
) -> RegressionResults:
    """Release the cell counts of all looks, and return the slope, its test and its interval."""
    name = design.names[1]
    slopes = PairSlopes.from_records(x, y, generator)
    claim, guarantee = make_stage_guarantees(options, design.conditions)
    releases: list[DPResults] = []

    def release_look(edges: Integers, current_look: SlopeLook) -> Integers:
        query = slopes.make_query(edges, current_look)
        releases.append(release_stage(query, options, current_look.epsilon, design.conditions, record))
        return np.array([round(count) for count in releases[-1].value.tolist()])

    with charge_once(options.budget, guarantee, record, options.mechanism.name):
        interval = release_looks(make_looks(x.size, options.epsilon), release_look).scale_interval(scale)
    low, high = interval.compute_limits(_LOOK_ALPHA)
    chance = interval.compute_pvalue(null)
    statistic = math.copysign(-float(ndtri(0.5 * max(chance, 1e-300))), interval.estimate - null)
    errors = np.array([(high - low) / 3.92])
    remarks = [] if x.size > 1 else ["There are too few records for a pair: the result is uninformative."]
    return RegressionResults.of_several(
        releases,
        [f"look {look}: " for look in range(1, len(releases) + 1)],
        model="OLS",
        method="rank",
        response=design.response,
        names=(name,),
        coef=np.array([interval.estimate]),
        errors=errors,
        null=null,
        tested=(name,),
        statistics=np.array([statistic]),
        probabilities=np.array([chance]),
        intervals=(interval,),
        labels=("model",),
        design=design,
        assumptions=assumptions,
        remarks=(*remarks, *describe_unbounded_intervals((name,), errors), *design.remarks),
        claim=claim,
        guarantee=guarantee,
        bounds=design.bounds,
    )
