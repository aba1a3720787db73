"""The power of tests of means with sums of cubes, by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from pydpstat._frozen import frozen
from pydpstat.inference._null_distributions.noisy_t import NoisySums, Row, Third, sizes
from pydpstat.inference._null_distributions.power_means import (
    DRAWN,
    RUNS,
    TYPICAL,
    allowed,
    critical,
    root_of,
    scores,
    sided,
)
from pydpstat.inference._null_distributions.skewed_groups import groups_under
from pydpstat.inference._null_distributions.skewed_shapes import SHARES, Centered
from pydpstat.inference._null_distributions.skewed_t import (
    LEFT_OUT,
    SIDES,
    SkewedLaw,
    center_sums,
    compare_moments,
    skewed_law,
    variances_for,
)
from pydpstat.r_arithmetic.elementary import Floats

_SEED = 2_719
_GRID = 20_000
# largest ratio of successive variances, and the largest number of them
_RATIO, _MOST = 1.1, 40


def find_rejected(
    law: SkewedLaw, seen: Centered, alpha: float, alternative: str, left_out: float
) -> npt.NDArray[np.bool_]:
    """Tell which of many simulated releases the test rejects at a level."""
    size = law.draws.size
    beyond, tail = allowed(alpha, left_out, size), 0.25 * LEFT_OUT
    found = np.full(seen.first.size, beyond >= 0)
    if beyond < 0:
        return found
    variances = _variances(law, seen, tail)
    kept = []
    limits: list[dict[tuple[int, int], float]] = []
    for side in SIDES:
        kept.append(compare_moments(law, seen, variances, side, tail).kept())
        own = {}
        for row, column in np.argwhere(kept[-1].any(axis=-1)).tolist():
            variance = float(variances[column])
            values = law.statistic(law.drawn(variance, side, SHARES[row]), variance)
            own[row, column] = critical(sided(values, alternative), beyond)
        limits.append(own)
    # the normal shape has no side: it counts once
    kept[0][0] &= kept[1][0]
    kept[1][0] = False
    for side, some, own in zip(SIDES, kept, limits):
        for (row, column), limit in own.items():
            there = some[row, column] & found
            if there.any():
                value = sided(law.statistic(seen, float(variances[column])), alternative)
                found &= ~there | (value > limit)
        columns = some[-1].any(axis=-1).nonzero()[0]
        if columns.size == 0:
            continue
        first = variances[some[-1].argmax(axis=0)]
        last = variances[variances.size - 1 - some[-1][::-1].argmax(axis=0)]
        for variance, slack in law.steps(side):
            there = found & some[-1].any(axis=0) & (first <= variance) & (variance <= last)
            if there.any():
                drawn = law.drawn(variance, side, 1.0)
                moved = drawn._replace(first=drawn.first + slack * (drawn.second < law.law.least(variance)))
                limit = critical(sided(law.statistic(moved, variance), alternative), beyond)
                found &= ~there | (sided(law.statistic(seen, variance), alternative) > limit)
    return found


def _variances(law: SkewedLaw, seen: Centered, tail: float) -> Floats:
    """Return a grid of variances, from the smallest to the largest that any release leaves possible."""
    ends = []
    for place in (seen.second.argmin(), seen.second.argmax()):
        ends.append(variances_for(law, Centered(*(np.asarray(each[place]) for each in seen)), tail))
    low, high = (
        min(float(each[each > 0.0].min(initial=1.0)) for each in ends),
        max(float(each.max()) for each in ends),
    )
    if high <= low:
        return np.unique(np.concatenate(ends))
    points = min(max(int(np.ceil(np.log(high / low) / np.log(_RATIO))), 4), _MOST)
    fine = np.geomspace(low, high, points + 1)
    return np.append(0.0, fine) if min(float(each.min()) for each in ends) == 0.0 else fine


Noise = tuple[Row, Row, Row, Row]


@lru_cache(maxsize=8)
def _noises(stream: int) -> Floats:
    return frozen(np.random.default_rng((_SEED, stream)).laplace(size=(4, RUNS)))


def _simulate_sums(n: int, noise: Noise, center: float, sd: float, stream: int) -> Floats:
    """Return noisy sums of 1, z, z^2 and z^3, in rows, of samples of normal records clipped to the bounds."""
    if n <= DRAWN:
        z = np.clip(center + sd * scores(DRAWN, stream)[:, :n], -1.0, 1.0)
        exact = np.stack([(z**power).sum(axis=1) for power in (1, 2, 3)])
    else:
        z = np.clip(center + sd * ndtri((np.arange(_GRID) + 0.5) / _GRID), -1.0, 1.0)
        powers = np.stack([z, z * z, z**3])
        drawn = scores(DRAWN, stream)[:, :3] @ root_of(n * np.cov(powers, bias=True)).T
        exact = (n * powers.mean(axis=1) + drawn).T
    found: Floats = np.vstack([np.full(RUNS, float(n)), exact])
    return found + np.array(noise) @ _noises(stream)[: len(noise[-1])]


def _known(n: int, noise: Noise, sums: Floats) -> NoisySums:
    *others, third = noise
    size, first, second, cubes = sums.tolist()
    return NoisySums(
        (size, first, second), (others[0], others[1], others[2]), "laplace", n, third=Third(cubes, third)
    )


def skewed_power(
    n: int,
    noise: Noise,
    mean: float,
    shift: float,
    sd: float,
    alpha: float,
    alternative: str,
    private: bool,
) -> float:
    """Return the power for normal records, clipped to the bounds; `noise` has the noises' coefficients."""
    known = _known(n, noise, np.array([n, 0.0, 0.0, 0.0]))
    seen = center_sums(mean, *_simulate_sums(n, noise, mean + shift, sd, 0))
    left_out = LEFT_OUT
    if private:
        # some values of a private number of records are left out, too
        left_out += sizes(NoisySums(known.sums, known.noise, "laplace", None))[1]
    return float(find_rejected(skewed_law(known, mean, n), seen, alpha, alternative, left_out).mean())


def skewed_groups_power(
    numbers: tuple[int, ...],
    noise: Noise,
    means: Sequence[float],
    sd: float,
    alpha: float,
    alternative: str = "two-sided",
) -> float:
    """Return the power of the comparison of groups of normal records with these means.

    Critical values are those of five of the releases, whose powers are averaged.
    """
    sums = []
    for stream, (n, mean) in enumerate(zip(numbers, means)):
        drawn = _simulate_sums(n, noise, mean, sd, stream)
        # the test scales the sums with the noisy number of records
        sums.append(drawn * (n / np.maximum(drawn[0], 1.0)))
    powers = []
    for run in range(TYPICAL):
        known = [_known(n, noise, each[:, run]) for n, each in zip(numbers, sums)]
        groups, rejected = groups_under(known, 0.0, alternative), np.ones(RUNS, dtype=bool)
        for points in groups.points():
            drawn = groups.drawn(points)
            if len(numbers) == 2:
                drawn = sided(drawn, alternative)
            if (beyond := allowed(alpha, LEFT_OUT, drawn.size)) < 0:
                return 0.0
            found = groups.compare_others(sums, points)
            found = sided(found, alternative) if len(numbers) == 2 else found
            rejected &= found > critical(drawn, beyond)
        powers.append(rejected.mean())
    return float(np.mean(powers))
