"""The choice among grid points by their utility: permute-and-flip, or the exponential mechanism.

Both keep epsilon at the rate epsilon / r, where all changes of the utility lie in an interval of length r
(`ranks.rank_range`), and permute-and-flip's expected utility is never lower (McKenna and Sheldon 2020,
theorem 2). The exponential mechanism's loss has a range of epsilon, and so a rho of epsilon^2 / 8 in place of
epsilon^2 / 2 (`pydpstat.privacy.BoundedRangeLoss`): it is used in a budget that adds up rho.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import Floats, exp
from pydpstat.random import Source
from pydpstat.random.secure.largest_noise import noisy_max
from pydpstat.statistics._kernels.flip_chances import flip_weights
from pydpstat.statistics.choice import Runs, below, by_sums, weighted, weighted_above, weighted_points

Integers = npt.NDArray[np.int64]
# the chosen run, and the place in it from 0 to 1
Place = tuple[int, float]


class Selection(NamedTuple):
    """A way to choose a point: its rate, its source, and whether by permute-and-flip."""

    rate: Fraction
    source: Source
    flips: bool

    def point_above(self, utility: Floats, first: int, points: int, least: float) -> int:
        """Choose a point if most utilities are `least`.

        The utilities are those of successive points from `first` on; they increase, then decrease. All other
        points have `least`, whose weight is negligible.
        """
        if not self.flips:
            return weighted_above(utility, first, points, self.rate, self.source, least)
        above = np.flatnonzero(utility > least)
        start, stop = int(above[0]), int(above[-1]) + 1
        likely, before = utility[start:stop], first + start
        counts = np.ones(likely.size, dtype=np.int64)
        if self.source.reproducible:
            return before + self._seeded([(likely, counts)])[0][0]
        rest = points - likely.size
        if rest:
            likely, counts = np.append(likely, least), np.append(counts, rest)
        (place,) = noisy_max(likely, self.rate, counts, np.zeros(1, dtype=np.int64))
        if place < stop - start:
            return before + place
        other = below(rest, self.source)
        return other if other < before else other + stop - start

    def points(self, runs: Sequence[Runs]) -> list[int]:
        """Choose a point in each of several lists of runs, whose points have the same utility."""
        if not self.flips:
            return weighted_points(runs, self.rate, self.source)
        if self.source.reproducible:
            found = self._seeded([(utility, widths) for utility, _, widths in runs])
            return [
                int(starts[run]) + min(int(part * widths[run]), int(widths[run]) - 1)
                for (run, part), (_, starts, widths) in zip(found, runs)
            ]
        wide = [np.flatnonzero(widths) for _, _, widths in runs]
        first = np.cumsum([0, *[each.size for each in wide[:-1]]])
        chosen = noisy_max(
            np.concatenate([utility[each] for each, (utility, _, _) in zip(wide, runs)]),
            self.rate,
            np.concatenate([widths[each] for each, (_, _, widths) in zip(wide, runs)]),
            first,
        )
        places = [int(each[place - start]) for each, place, start in zip(wide, chosen, first.tolist())]
        return [
            int(starts[place]) + below(int(widths[place]), self.source)
            for place, (_, starts, widths) in zip(places, runs)
        ]

    def piece(self, widths: Integers, utility: Floats) -> int:
        """Choose a piece, given the number of points of each, at least 1, and their utility."""
        if not self.flips:
            return weighted(utility, self.rate, self.source, widths)
        if self.source.reproducible:
            return self._seeded([(utility, widths)])[0][0]
        return noisy_max(utility, self.rate, widths, np.zeros(1, dtype=np.int64))[0]

    def _seeded(self, each: Sequence[tuple[Floats, Integers]]) -> list[Place]:
        """Choose with two uniforms for each: one for the largest noisy score, and one for its run.

        The place of the second one within the run determines the point, as it would among all points.
        """
        sizes = [utility.size for utility, _ in each]
        first = np.cumsum([0, *sizes[:-1]])
        exponents = np.concatenate(
            [utility - np.where(counts > 0, utility, -np.inf).max() for utility, counts in each]
        )
        with np.errstate(over="ignore", under="ignore"):
            # runs without points have weight 0, but may have the largest utility
            chances = exp(np.minimum(exponents, 0.0) * float(self.rate))
        counts = np.concatenate([counts for _, counts in each])
        uniforms = self.source.uniform(2 * len(each)).reshape(-1, 2)
        weights = flip_weights(chances, counts, first, uniforms[:, 0])
        parts = np.split(weights, first[1:])
        return [by_sums(part, uniform) for part, uniform in zip(parts, uniforms[:, 1].tolist())]
