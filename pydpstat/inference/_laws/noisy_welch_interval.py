"""Intervals of the difference of two noisy means: what the noisy Welch test does not reject."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from pydpstat.inference._laws.deep_pvalues import deep_difference
from pydpstat.inference._laws.inversion import outermost
from pydpstat.inference._laws.noisy_t import LEFT_OUT, NoisySums
from pydpstat.inference._laws.noisy_welch import FINE, extreme_share, groups_under


@dataclass(frozen=True)
class WelchInterval:
    """The differences of two means that the noisy Welch test does not reject, in the data's unit."""

    known: tuple[NoisySums, NoisySums]
    half: float
    alternative: str = "two-sided"

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval that misses the difference with probability `alpha` at most."""
        means = [min(max(each.sums[1] / (each.size or 1), -1.0), 1.0) for each in self.known]
        center = means[0] - means[1]
        groups = groups_under(self.known, center)
        square = sum(max(each.variance, each.law.floor / each.law.n) / each.law.n for each in groups)
        error = math.sqrt(square + sum(each.noise for each in groups))
        pvalue = self._pvalues(alpha, center)
        ends = []
        for side, one_sided in ((-1.0, "greater"), (1.0, "less")):
            if self.alternative in ("two-sided", one_sided):
                ends.append(outermost(pvalue, alpha, center, error, side, 2.0))
            else:
                ends.append(2.0 * side)
        return self.half * ends[0], self.half * ends[1]

    def _pvalues(self, alpha: float, center: float) -> Callable[[float], float]:
        start, left_out = (FINE, FINE), 2.0 * LEFT_OUT

        def at(difference: float) -> float:
            nonlocal start
            groups = groups_under(self.known, difference)
            away, enough = center - difference, max(alpha, 2.0 * left_out) - left_out
            _, share, start = extreme_share(groups, away, self.alternative, enough, start)
            if alpha >= 2.0 * left_out or share > left_out:
                return left_out + share
            return deep_difference(groups, difference, self.alternative)

        return at
