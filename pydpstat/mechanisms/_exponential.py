"""The choice of the exponential mechanism: candidates weighted by exp(eps * utility / (2 * sensitivity)).

The choice is the one that R's arithmetic makes. It is found from sums with a proven error bound, in one pass of the
exponential; if the uniform is too close to a boundary for that bound, R's 80-bit sums decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pydpstat import r_arithmetic as r
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.random.secure.choices import CHUNK_SIZE, Floats, compute_chunk_sums, find_first_reaching, is_in_range

# below this exponent the exponential is 0
_UNDERFLOW_EXPONENT = -746.0


def compute_choice_probabilities(
    utility: npt.ArrayLike, eps: float, sensitivity: float = 1.0, measure: npt.ArrayLike | None = None
) -> Floats:
    """Return the candidates' probabilities, computed with R's floating-point operations.

    A utility of minus infinity excludes a candidate; `measure` has the candidates' weights before the data are seen.
    The result is NaN if nothing can be chosen: a utility is NaN or plus infinity, or every weight is 0.
    """
    return Choice(utility, eps, sensitivity, measure).compute_probabilities()


def choose_candidate(
    utility: npt.ArrayLike, eps: float, sensitivity: float, measure: npt.ArrayLike | None, uniform: float
) -> int:
    """Return the index of the candidate that a uniform number between 0 and 1 selects.

    It is the first candidate whose cumulative probability is at least the number. The other arguments are as in
    `compute_choice_probabilities`.
    """
    return Choice(utility, eps, sensitivity, measure).choose_index(uniform)


class Choice:
    """Weights of the candidates, before the uniform is drawn; the arrays are not copied."""

    def __init__(
        self, utility: npt.ArrayLike, eps: float, sensitivity: float, measure: npt.ArrayLike | None = None
    ) -> None:
        self._utility = np.asarray(utility, dtype=np.float64)
        self._measure = None if measure is None else np.asarray(measure, dtype=np.float64)
        self._eps, self._divisor = float(eps), 2.0 * float(sensitivity)
        self._max_utility = float(self._utility.max()) if self._utility.size else -math.inf
        self._cumulative_sums: Floats | None = None
        self._buffer = np.empty(min(CHUNK_SIZE, self._utility.size))

    @cached_property
    def _chunk_sums(self) -> Floats:
        """Cumulative sums of the weights at the end of each chunk."""
        with np.errstate(all="ignore"):
            return compute_chunk_sums(self._utility.size, self._compute_weights)

    @cached_property
    def _is_certain(self) -> bool:
        return is_in_range(self._chunk_sums)

    def check_candidates(self) -> None:
        """Raise an error if nothing can be chosen, whatever the uniform: R returns integer(0) in this case."""
        # NaN starts either at the first candidate, or after a first one that R then chooses
        if not self._is_certain and (not self._utility.size or np.isnan(self._compute_cumulative()[0])):
            raise PydpstatError(
                "no candidate can be chosen, and R returns integer(0): utility must be finite or "
                "-Inf, and the best candidates must have a positive finite measure. Check utility "
                "and measure, or use a smaller eps."
            )

    def choose_index(self, uniform: float) -> int:
        """Return the index of the chosen candidate."""
        self.check_candidates()
        index = self._choose_fast(uniform) if self._is_certain else None
        if index is not None:
            return index
        # if no element is true, R's which.max returns the first
        return int(np.argmax(uniform <= self._compute_cumulative()))

    def compute_probabilities(self) -> Floats:
        """Return the candidates' probabilities, computed with R's floating-point operations."""
        with np.errstate(all="ignore"):
            starts = range(0, self._utility.size, CHUNK_SIZE)
            weights = np.concatenate([np.empty(0), *(self._compute_weights(start, r.exp).copy() for start in starts)])
            return weights / r.sum(weights)

    def _compute_cumulative(self) -> Floats:
        if self._cumulative_sums is None:
            self._cumulative_sums = r.cumsum(self.compute_probabilities())
        return self._cumulative_sums

    def _choose_fast(self, uniform: float) -> int | None:
        """Return the index if the error of the sums cannot change it, else None."""
        n, total = self._utility.size, float(self._chunk_sums[-1])
        # in units of 2^-52: exp errs by 4, R's division and sums by 2 + n / 2048, ours by half the addends
        slack = (64.0 + CHUNK_SIZE + n / CHUNK_SIZE + n / 1024.0) * 2.0**-52 * total
        with np.errstate(all="ignore"):
            return find_first_reaching(uniform * total, self._chunk_sums, self._compute_weights, slack)

    def _compute_weights(self, start: int, exp: Callable[[Floats], Floats] = np.exp) -> Floats:
        """Return a chunk of weights, in a buffer that the next chunk overwrites."""
        values = self._utility[start : start + CHUNK_SIZE]
        weights = np.subtract(values, self._max_utility, out=self._buffer[: values.size])
        weights *= self._eps
        weights /= self._divisor
        # exp is slow if it underflows, so it is skipped if the whole chunk underflows
        weights[:] = 0.0 if weights.max() < _UNDERFLOW_EXPONENT else exp(weights)
        if self._measure is not None:
            weights *= self._measure[start : start + CHUNK_SIZE]
        return weights


class Exponential(Mechanism):
    """The exponential mechanism, for its name only: it chooses a candidate and adds no noise."""

    name = "exponential"
