"""A random sample of the records, drawn for one release: who is in it is known to nobody."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._release.statistic import Options
from pydpstat.errors import PydpstatError
from pydpstat.random import Source
from pydpstat.random.secure._bits import permutation

_BITS = 53


class Sample(NamedTuple):
    """How a sample is drawn: a share of the records, or a number of them without replacement.

    Parameters
    ----------
    rate : float or None
        Each record's probability; of a number without replacement the share that it is at most.
    number : int or None
        How many records, where a number was given.
    fixed : bool
        Whether the number in the sample is fixed: without replacement, for bounded neighbors.
    source : Source
        Where randomness comes from.
    """

    rate: float | None
    number: int | None
    fixed: bool
    source: Source

    def drawn(self, size: int) -> npt.NDArray[np.bool_]:
        """Draw which of so many records are in the sample."""
        if not self.fixed:
            # at most the rate: what it is rounded down by keeps a little more than is stated
            least = int(Fraction(self.rate or 0.0) * 2**_BITS)
            return self.source.integers(size, 2**_BITS) < least
        kept = np.zeros(size, dtype=bool)
        if self.source.reproducible:
            order = np.argsort(self.source.uniform(size), kind="stable")
        else:
            order = permutation(size)
        kept[order[: self.number_of(size)]] = True
        return kept

    def number_of(self, size: int) -> int:
        """Return how many of so many records are drawn without replacement."""
        number = self.number or max(1, int(Fraction(self.rate or 0.0) * size))
        if number > size > 0:
            raise PydpstatError(
                f"sample must be at most the number of records, {size}; got {number}. Give a share, "
                "for example 0.1."
            )
        return min(number, size)

    def protected(self, how: Options, size: int) -> Options:
        """Return how a release on a sample of so many records is protected; if fixed, that is public."""
        rate = Fraction(self.rate or 0.0)
        if self.fixed:
            rate = Fraction(self.number_of(size), size) if size else Fraction(1)
        return how._replace(sampled=rate)

    @property
    def shown(self) -> float | int:
        """What the call says of it."""
        return self.number or self.rate or 0.0


def sample_of(sample: object, how: Options, by_unit: bool, read_once: bool, source: Source) -> Sample:
    """Check how a sample is to be drawn: a share, or under bounded neighbors a whole number of records."""
    fixed = how.neighbors == "bounded"
    given = checks.unwrap(sample)
    number = checks.as_integer(given)
    # as a float 1 is the share of all records
    whole = number is not None and (number > 1 or number == 1 and not isinstance(given, float))
    if not whole and not (checks.is_number(given) and 2.0**-_BITS <= checks.as_float(given) <= 1.0):
        raise PydpstatError(
            "sample must be a share of the records above 0 and at most 1, or a whole number of them; got "
            f"{checks.shown(sample)}. Give for example 0.1."
        )
    if whole and not fixed:
        raise PydpstatError(
            f"sample must be a share for unbounded neighbors, whose number of records is private; got "
            f"{checks.shown(sample)}. Give for example 0.1, or use neighbors='bounded'."
        )
    if fixed and by_unit:
        raise PydpstatError(
            "sample must be left out with a unit and bounded neighbors: the number of records of a "
            "unit is private, and so is its share of the sample. Use neighbors='unbounded'."
        )
    if read_once and (fixed or source.reproducible):
        raise PydpstatError(
            "sample needs neighbors='unbounded' and no rng if the data are not in memory, because "
            "the positions of records are not known. Leave sample or rng out."
        )
    if whole:
        return Sample(None, number, fixed, source)
    return Sample(checks.as_float(given), None, fixed, source)
