"""Selection of grid points by their utility, by permute-and-flip or the exponential mechanism.

Both satisfy epsilon at the rate epsilon / r, if all changes of the utility lie in an interval of length r
(`ranks.compute_rank_range`), and the expected utility of permute-and-flip is never lower (McKenna and Sheldon
2020, theorem 2). The privacy loss of the exponential mechanism has a range of epsilon, and so a rho of
epsilon^2 / 8 instead of epsilon^2 / 2 (`pydpstat.privacy.BoundedRangeLoss`): it is used for budgets in rho.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._records.permute_and_flip import compute_flip_weights
from pydpstat.r_arithmetic.elementary import Floats, exp
from pydpstat.random import Source
from pydpstat.random._weighted_choice import (
    Runs,
    choose_by_weight,
    choose_point_by_weight,
    choose_points_by_weight,
    draw_integer_below,
    invert_cumulative_sums,
)
from pydpstat.random.secure.largest_noise import noisy_max

WidthArray = npt.NDArray[np.int64]
# the selected run, and the position in it from 0 to 1
RunPosition = tuple[int, float]


class PointSelection(NamedTuple):
    """Random selection of points: its rate, its source, and whether it is permute-and-flip."""

    rate: Fraction
    source: Source
    is_permute_and_flip: bool

    def choose_point_above(self, utility: Floats, first: int, n_points: int, lower_limit: float) -> int:
        """Select a point, given the utilities above `lower_limit`.

        The utilities are those of successive points from `first` on; they increase, then decrease. All other points
        have the utility `lower_limit`, whose weight is negligible.
        """
        if not self.is_permute_and_flip:
            return choose_point_by_weight(utility, first, n_points, self.rate, self.source, lower_limit)
        above = np.flatnonzero(utility > lower_limit)
        start, stop = int(above[0]), int(above[-1]) + 1
        likely, before = utility[start:stop], first + start
        counts = np.ones(likely.size, dtype=np.int64)
        if self.source.reproducible:
            return before + self._choose_seeded([(likely, counts)])[0][0]
        n_other_points = n_points - likely.size
        if n_other_points:
            likely, counts = np.append(likely, lower_limit), np.append(counts, n_other_points)
        (index,) = noisy_max(likely, self.rate, counts, np.zeros(1, dtype=np.int64))
        if index < stop - start:
            return before + index
        other = draw_integer_below(n_other_points, self.source)
        return other if other < before else other + stop - start

    def choose_points(self, runs: Sequence[Runs]) -> list[int]:
        """Select a point in each of several lists of runs; the points of a run have equal utility."""
        if not self.is_permute_and_flip:
            return choose_points_by_weight(runs, self.rate, self.source)
        if self.source.reproducible:
            run_positions = self._choose_seeded([(utility, widths) for utility, _, widths in runs])
            return [
                int(starts[run]) + min(int(fraction * widths[run]), int(widths[run]) - 1)
                for (run, fraction), (_, starts, widths) in zip(run_positions, runs)
            ]
        wide = [np.flatnonzero(widths) for _, _, widths in runs]
        first_indices = np.cumsum([0, *[indices.size for indices in wide[:-1]]])
        chosen = noisy_max(
            np.concatenate([utility[indices] for indices, (utility, _, _) in zip(wide, runs)]),
            self.rate,
            np.concatenate([widths[indices] for indices, (_, _, widths) in zip(wide, runs)]),
            first_indices,
        )
        run_indices = [
            int(indices[index - start]) for indices, index, start in zip(wide, chosen, first_indices.tolist())
        ]
        return [
            int(starts[index]) + draw_integer_below(int(widths[index]), self.source)
            for index, (_, starts, widths) in zip(run_indices, runs)
        ]

    def choose_piece(self, widths: WidthArray, utility: Floats) -> int:
        """Select a piece, given the number of points of each, at least 1, and their utilities."""
        if not self.is_permute_and_flip:
            return choose_by_weight(utility, self.rate, self.source, widths)
        if self.source.reproducible:
            return self._choose_seeded([(utility, widths)])[0][0]
        return noisy_max(utility, self.rate, widths, np.zeros(1, dtype=np.int64))[0]

    def _choose_seeded(self, runs: Sequence[tuple[Floats, WidthArray]]) -> list[RunPosition]:
        """Select with two uniforms for each list: one for the largest noisy score, and one for its run.

        The position of the second uniform within the run determines the point, as in a selection among all points.
        """
        sizes = [utility.size for utility, _ in runs]
        first_indices = np.cumsum([0, *sizes[:-1]])
        exponents = np.concatenate([utility - np.where(counts > 0, utility, -np.inf).max() for utility, counts in runs])
        with np.errstate(over="ignore", under="ignore"):
            # runs without points have weight 0, but may have the largest utility
            chances = exp(np.minimum(exponents, 0.0) * float(self.rate))
        counts = np.concatenate([counts for _, counts in runs])
        uniforms = self.source.uniform(2 * len(runs)).reshape(-1, 2)
        weights = compute_flip_weights(chances, counts, first_indices, uniforms[:, 0])
        weights_by_list = np.split(weights, first_indices[1:])
        return [
            invert_cumulative_sums(list_weights, uniform)
            for list_weights, uniform in zip(weights_by_list, uniforms[:, 1].tolist())
        ]
