"""The power of the t test with a sum of cubes, by simulation."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from pydpstat._frozen import frozen
from pydpstat.inference._null_distributions.noisy_t import NoisySums, Row, Third, sizes
from pydpstat.inference._null_distributions.power_means import (
    DRAWN,
    RUNS,
    allowed,
    critical,
    root_of,
    scores,
    sided,
    tails,
)
from pydpstat.inference._null_distributions.skewed_shapes import SHARES, Centered
from pydpstat.inference._null_distributions.skewed_t import (
    LEFT_OUT,
    SIDES,
    Beyond,
    SkewedLaw,
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
    beyond, outside = allowed(alpha, left_out, size), int(0.25 * LEFT_OUT * size)
    found = np.full(seen.first.size, beyond >= 0)
    if beyond < 0:
        return found
    variances = _variances(law, seen)
    kept = []
    limits: list[dict[tuple[int, int], float]] = []
    for side in SIDES:
        flags, own = compare_moments(law, seen, variances, side), {}
        for row, column in np.argwhere(flags.kept().any(axis=-1)).tolist():
            variance = float(variances[column])
            sums = law.drawn(variance, side, SHARES[row])
            both = (law.about_sample(each, side) for each in (sums, seen))
            for place, (values, ours) in zip((0, 2), zip(*both)):
                low, high = tails(values, outside)
                flags[place][row, column], flags[place + 1][row, column] = ours > high, ours <= low
            own[row, column] = critical(sided(law.statistic(sums, variance), alternative), beyond)
        kept.append(Beyond(*flags).kept())
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


def _variances(law: SkewedLaw, seen: Centered) -> Floats:
    """Return a grid of variances, from the smallest to the largest that any release leaves possible."""
    ends = []
    for place in (seen.second.argmin(), seen.second.argmax()):
        ends.append(variances_for(law, Centered(*(np.asarray(each[place]) for each in seen))))
    low, high = (
        min(float(each[each > 0.0].min(initial=1.0)) for each in ends),
        max(float(each.max()) for each in ends),
    )
    if high <= low:
        return np.unique(np.concatenate(ends))
    points = min(max(int(np.ceil(np.log(high / low) / np.log(_RATIO))), 4), _MOST)
    fine = np.geomspace(low, high, points + 1)
    return np.append(0.0, fine) if min(float(each.min()) for each in ends) == 0.0 else fine


@lru_cache(maxsize=8)
def _noises() -> Floats:
    return frozen(np.random.default_rng(_SEED).laplace(size=(4, RUNS)))


def skewed_power(
    n: int,
    noise: tuple[Row, Row, Row, Row],
    mean: float,
    shift: float,
    sd: float,
    alpha: float,
    alternative: str,
    private: bool,
) -> float:
    """Return the power for normal records, clipped to the bounds; `noise` has the noises' coefficients."""
    *others, third = noise
    rows = others[0], others[1], others[2]
    known = NoisySums((float(n), 0.0, 0.0), rows, "laplace", n, third=Third(0.0, third))
    center = mean + shift
    if n <= DRAWN:
        z = np.clip(center + sd * scores(DRAWN, 0)[:, :n], -1.0, 1.0)
        exact = np.stack([(z**power).sum(axis=1) for power in (1, 2, 3)])
    else:
        z = np.clip(center + sd * ndtri((np.arange(_GRID) + 0.5) / _GRID), -1.0, 1.0)
        powers = np.stack([z, z * z, z**3])
        drawn = scores(DRAWN, 0)[:, :3] @ root_of(n * np.cov(powers, bias=True)).T
        exact = (n * powers.mean(axis=1) + drawn).T
    size, first, second, cubes = (
        np.vstack([np.full(RUNS, float(n)), exact]) + np.array(noise) @ _noises()[: len(third)]
    )
    seen = Centered(
        first - mean * size,
        second - 2.0 * mean * first + mean * mean * size,
        cubes - 3.0 * mean * second + 3.0 * mean**2 * first - mean**3 * size,
    )
    left_out = LEFT_OUT
    if private:
        # some values of a private number of records are left out, too
        left_out += sizes(NoisySums(known.sums, rows, "laplace", None))[1]
    return float(find_rejected(skewed_law(known, mean, n), seen, alpha, alternative, left_out).mean())
