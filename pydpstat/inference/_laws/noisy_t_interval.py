"""The means that the t test of a noisy mean does not reject."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from pydpstat.inference._laws.inversion import outermost
from pydpstat.inference._laws.noisy_t import LEFT_OUT, VARIANCES, NoisySums, extreme, null_law, sizes


@dataclass(frozen=True)
class NoisyTInterval:
    """The means that the noisy t test does not reject, in the data's unit."""

    known: NoisySums
    middle: float
    half: float
    alternative: str = "two-sided"

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval that misses the mean with probability `alpha` at most."""
        ends = []
        for side, one_sided in ((-1.0, "greater"), (1.0, "less")):
            if self.alternative in ("two-sided", one_sided):
                ends.append(outermost(self._pvalues(alpha), alpha, *self._start(), side, 1.0))
            else:
                ends.append(side)
        # the sum may be rounded beyond the bounds
        bounds = self.middle - self.half, self.middle + self.half
        low, high = (min(max(self.middle + self.half * end, bounds[0]), bounds[1]) for end in ends)
        return low, high

    def _start(self) -> tuple[float, float]:
        size, first, _ = self.known.sums
        size = max(size, 1.0)
        mean = min(max(first / size, -1.0), 1.0)
        law = null_law(self.known, mean, sizes(self.known)[0][0])
        _, second = law.centered(self.known.sums)
        return mean, math.sqrt(max(second, law.floor) + law.spread) / size

    def _pvalues(self, alpha: float) -> Callable[[float], float]:
        found, left_out = sizes(self.known)
        left_out += LEFT_OUT
        size, first, square = self.known.sums
        reach = max(size, 1.0)
        cut = min(max(first, -reach), reach)
        places = dict.fromkeys(found, VARIANCES // 2)

        def at(mean: float) -> float:
            share = 0.0
            for n in found:
                law = null_law(self.known, mean, n)
                # far outside of what records can add up to, the noise alone would leave no mean
                distance, _ = law.centered((size, cut, square))
                _, second = law.centered(self.known.sums)
                each = extreme(law, distance, second, self.alternative, alpha - left_out, places[n])
                share, places[n] = max(share, each.share), each.place
                if share > alpha - left_out:
                    break
            return left_out + share

        return at
