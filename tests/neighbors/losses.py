"""How far a query moves between two data sets, and what that tells, against what is guaranteed."""

import math
from fractions import Fraction
from functools import cache
from itertools import accumulate, permutations
from typing import Any

import numpy as np

from pydpstat._records.moment_noise import MomentNoise
from pydpstat.mechanisms.cube import CubeNoise
from pydpstat.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.mechanisms.laplace import LaplaceNoise
from pydpstat.mechanisms.mechanism import SeparateNoise
from pydpstat.privacy import DiscreteGaussianLoss, GaussianLoss
from tests.neighbors.seams import Chosen, Noised, Seen

# far above the rounding of logarithms and exponentials
CLOSE = 1.0 + 1e-9


def moved(first: Seen, second: Seen, guarantee: Any) -> list[str]:
    """Return what moves by more than it may; `guarantee` is what the result says."""
    found: list[str] = []
    if (len(first.noised), len(first.chosen)) != (len(second.noised), len(second.chosen)):
        return ["movement: other numbers of draws"]
    pure, square, discrete = 0.0, 0.0, []
    for one, two in zip(first.noised, second.noised):
        if (one.noise, one.grid) != (two.noise, two.grid) and repr(one.noise) != repr(two.noise):
            found.append("movement: other noise")
        changes = changes_of(one, two)
        if changes is None:
            found.append("movement: other forms")
            continue
        if isinstance(one.noise, (CubeNoise, MomentNoise)):
            # the noise's own norm is the loss, and the sensitivity too
            pure += _norm(changes, one.noise)
            continue
        found += _beyond(changes, one)
        scales = _scales(one, len(changes))
        if isinstance(one.noise, (GaussianNoise, DiscreteGaussianNoise)):
            square += sum(float(change / scale) ** 2 for change, scale in zip(changes, scales))
            if isinstance(one.noise, DiscreteGaussianNoise):
                discrete.append((one.noise.sd, tuple(change for change in changes if change)))
        else:
            pure += float(sum(abs(change) / scale for change, scale in zip(changes, scales)))
    pure += choice_loss(first.chosen, second.chosen)
    if not pure <= guarantee.epsilon * CLOSE:
        found.append("movement: a loss above epsilon")
    if discrete:
        if any(_discrete_delta(*each, guarantee.epsilon) > guarantee.delta * CLOSE for each in discrete):
            found.append("movement: a loss above (epsilon, delta)")
    elif square and GaussianLoss(math.sqrt(square)).delta(guarantee.epsilon) > guarantee.delta * CLOSE:
        found.append("movement: a loss above (epsilon, delta)")
    return found


def share_of(first: Seen, second: Seen, guarantee: Any) -> float:
    """Return how much of a guarantee two runs use: each noise in its own norm, and at most 1.

    It is the sum of the losses of pure noise and of choices over epsilon, or the L2 norm of the changes, in
    standard deviations, over the largest one that the guarantee allows normal noise.
    """
    pure, square = 0.0, 0.0
    for one, two in zip(first.noised, second.noised):
        changes = changes_of(one, two)
        if changes is None:
            return math.inf
        if isinstance(one.noise, (CubeNoise, MomentNoise)):
            pure += _norm(changes, one.noise)
            continue
        parts = [float(change / scale) for change, scale in zip(changes, _scales(one, len(changes)))]
        if isinstance(one.noise, (GaussianNoise, DiscreteGaussianNoise)):
            square += math.fsum(part * part for part in parts)
        else:
            pure += math.fsum(map(abs, parts))
    if len(first.chosen) == len(second.chosen) > 0:
        pure += choice_loss(first.chosen, second.chosen)
    found = pure / guarantee.epsilon
    return max(found, math.sqrt(square) / _largest(guarantee.epsilon, guarantee.delta)) if square else found


@cache
def _largest(epsilon: float, delta: float) -> float:
    """Return the largest distance, in standard deviations, that normal noise hides."""
    low, high = 0.0, 64.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if GaussianLoss(middle).delta(epsilon) <= delta else (low, middle)
    return high


def changes_of(one: Noised, two: Noised) -> list[Fraction] | None:
    """Return how far each element moves; levels that were found in the data are compared by name."""
    if one.query.labels.dimnames is not None and len(one.query.labels.dimnames) == 1:
        counts = [
            dict(zip([(type(level), level) for level in each.query.labels.dimnames[0]], each.values))
            for each in (one, two)
        ]
        changes = [counts[0][level] - counts[1][level] for level in counts[0] if level in counts[1]]
        # of a level that occurs once, and in one data set only, the threshold takes care
        alone = [counts[0].get(level, counts[1].get(level)) for level in counts[0].keys() ^ counts[1].keys()]
        return changes + [count - 1 for count in alone if count is not None]
    if one.form != two.form:
        return None
    return [a - b for a, b in zip(one.values, two.values)]


def _beyond(changes: list[Fraction], noised: Noised) -> list[str]:
    """Compare the exact values, without what the grid adds, with the sensitivities stated."""
    reach = noised.query.sensitivities
    normal = isinstance(noised.noise, (GaussianNoise, DiscreteGaussianNoise))
    more = Fraction(noised.grid or 0) if not noised.query.integer else Fraction(0)
    if isinstance(noised.noise, SeparateNoise):
        blocks = _blocks(changes, noised.noise)
        beyond = any(sum(map(abs, block)) > Fraction(each) for block, each in zip(blocks, reach))
    elif len(reach) > 1:
        beyond = any(abs(change) > Fraction(each) + more for change, each in zip(changes, reach))
    elif normal:
        limit = Fraction(reach[0]) + len(changes) * more
        beyond = sum(change * change for change in changes) > limit * limit
    else:
        beyond = sum(map(abs, changes)) > Fraction(reach[0]) + len(changes) * more
    return ["movement: beyond the sensitivity"] if beyond else []


def _blocks(changes: list[Fraction], noise: SeparateNoise) -> list[list[Fraction]]:
    ends = list(accumulate(noise.sizes))
    return [changes[end - size : end] for end, size in zip(ends, noise.sizes)]


def _norm(changes: list[Fraction], noise: CubeNoise | MomentNoise) -> float:
    """Return the norm of changes in the noise's scales, summed over the vectors that have noise together."""
    moved = np.array(changes, dtype=np.float64)
    if isinstance(noise, CubeNoise):
        return float(noise.norm(moved.reshape(-1, noise.width)).sum())
    drawn = np.empty_like(moved)
    drawn[list(noise.order)] = moved
    parts = np.split(drawn, np.cumsum(noise.sizes)[:-1])
    return sum(float(each.norm(part.reshape(-1, each.width)).sum()) for each, part in zip(noise.noises, parts))


def _scales(noised: Noised, size: int) -> list[Fraction]:
    if isinstance(noised.noise, SeparateNoise):
        each = [Fraction(one.sensitivity) / Fraction(one.epsilon) for one in noised.noise.noises]
        return [scale for scale, count in zip(each, noised.noise.sizes) for _ in range(count)]
    if isinstance(noised.noise, (LaplaceNoise, GaussianNoise, DiscreteGaussianNoise)):
        scale = noised.noise.scale
        every = [scale] * size if isinstance(scale, float) else scale.ravel(order="F").tolist()
        return [Fraction(each) for each in every]
    return [Fraction(noised.noise.sensitivity) / Fraction(noised.noise.epsilon)] * size


@cache
def _discrete_delta(sd: float, changes: tuple[Fraction, ...], epsilon: float) -> float:
    if not changes or len(changes) > 2:
        # with more cells the sensitivity has been compared already
        return 0.0
    return DiscreteGaussianLoss(sd, int(max(map(abs, changes))), len(changes)).delta(epsilon)


def choice_loss(first: list[Chosen], second: list[Chosen]) -> float:
    """Return the loss of choices: of a single one at worst, of several for the points that were taken."""
    if len(first) == 1:
        return max(map(abs, _ratios(first[0], second[0])))
    return abs(sum(_ratios(one, two, one.point)[0] for one, two in zip(first, second)))


def _ratios(one: Chosen, two: Chosen, at: int | None = None) -> list[float]:
    """Return the logarithms of the ratios of the probabilities of points, or of one point."""
    if sum(one.widths) != sum(two.widths):
        return [math.inf]
    shift = _log_mass(two) - _log_mass(one) if one.law == "exponential" else 0.0
    noisy = [_log_flips(each) for each in (one, two)] if one.law == "noisy max" else []
    ratios, places, left = [], [0, 0], [one.widths[0], two.widths[0]]
    start = 0
    while True:
        step = min(left)
        i, j = places
        if at is None or start <= at < start + step:
            ratio = float(one.exponents[i] - two.exponents[j]) + shift
            if noisy:
                ratio = float(noisy[0][i] - noisy[1][j])
            elif one.law != "exponential":
                ratio += math.log(_first_of(one, i) / _first_of(two, j))
            ratios.append(ratio)
        start += step
        left = [each - step for each in left]
        for side, each in enumerate((one, two)):
            while left[side] == 0:
                places[side] += 1
                if places[side] == len(each.widths):
                    return ratios
                left[side] = each.widths[places[side]]


def _log_mass(chosen: Chosen) -> float:
    weights = [width * math.exp(each) for width, each in zip(chosen.widths, map(_float, chosen.exponents))]
    return math.log(math.fsum(weights))


def _log_flips(chosen: Chosen) -> np.ndarray:
    """Return the logarithm of the probability of a point of each run, by permute-and-flip."""
    logs = np.array([_float(each) for each in chosen.exponents])
    chances, widths = np.exp(logs), np.array(chosen.widths, dtype=np.float64)
    most = min(1.0, 60.0 / float(chances @ widths))
    nodes, weights = np.polynomial.legendre.leggauss(200)
    found = np.zeros(chances.size)
    for s, weight in zip(0.5 * most * (nodes + 1.0), 0.5 * most * weights):
        found += weight * np.exp((widths * np.log1p(-chances * s)).sum()) / (1.0 - chances * s)
    # apart from the chances, so that a small one is not lost
    return np.log(found) + logs


def _first_of(chosen: Chosen, place: int) -> float:
    """Return the probability that no candidate before this one is taken, over all orders."""
    taken = [math.exp(_float(each)) for each in chosen.exponents]
    orders = list(permutations(range(len(taken))))
    return math.fsum(math.prod(1.0 - taken[each] for each in order[: order.index(place)]) for order in orders) / len(
        orders
    )


def _float(value: Fraction) -> float:
    return max(float(max(value, Fraction(-(10**6)))), -745.0)
