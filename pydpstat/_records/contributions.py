"""Which records count: a random sample, and at most so many of each unit.

A sample is drawn for one release, and who is in it is known to nobody. A unit is whose data a record is: a
person, a household, a firm. Each of its records gets a place by a keyed hash of the unit, of what the
release reads of the record, and of which of its equals it is; the first of them stay. The key is drawn for
the release, and so the choice is at random. For every key it is a function of the unit's records: another
unit that comes or goes changes nobody's choice, in whatever order and on whatever machine they are read.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.containers import Column
from pydpstat._data.values import fill_masked, is_missing, to_object_array
from pydpstat._lazy import pd
from pydpstat._release.options import Options
from pydpstat.errors import PydpstatError
from pydpstat.random import Source
from pydpstat.random.secure._bits import draw_permutation

_BITS = 53
Hashes = npt.NDArray[np.uint64]
_MASK = (1 << 64) - 1


class SamplingDesign(NamedTuple):
    """How a sample is drawn: a share of the records, or a number of them without replacement.

    `rate` is each record's probability; `is_fixed_size` without replacement, for bounded neighbors, and then the
    largest share, unless a number was given.
    """

    rate: float | None
    number: int | None
    is_fixed_size: bool
    source: Source

    def draw_records(self, size: int) -> npt.NDArray[np.bool_]:
        """Draw which of so many records are in the sample."""
        if not self.is_fixed_size:
            # at most the rate: what it is rounded down by keeps a little more than is stated
            least = int(Fraction(self.rate or 0.0) * 2**_BITS)
            return self.source.integers(size, 2**_BITS) < least
        kept = np.zeros(size, dtype=bool)
        if self.source.reproducible:
            order = np.argsort(self.source.uniform(size), kind="stable")
        else:
            order = draw_permutation(size)
        kept[order[: self.compute_sample_size(size)]] = True
        return kept

    def compute_sample_size(self, size: int) -> int:
        """Return how many of so many records are drawn without replacement."""
        number = self.number or max(1, int(Fraction(self.rate or 0.0) * size))
        if number > size > 0:
            raise PydpstatError(
                f"sample must be at most the number of records, {size}; got {number}. Give a share, for example 0.1."
            )
        return min(number, size)

    def add_sampling_rate(self, options: Options, size: int) -> Options:
        """Return how a release on a sample of so many records is protected; if fixed, that is public."""
        rate = Fraction(self.rate or 0.0)
        if self.is_fixed_size:
            rate = Fraction(self.compute_sample_size(size), size) if size else Fraction(1)
        return options._replace(sampling_rate=rate)

    @property
    def call_value(self) -> float | int:
        """What the call says of it."""
        return self.number or self.rate or 0.0


def check_sample(sample: object, options: Options, has_unit: bool, is_read_once: bool) -> SamplingDesign:
    """Check how a sample is to be drawn: a share, or under bounded neighbors a whole number of records."""
    fixed = options.neighbors == "bounded"
    given = checks.unwrap_scalar(sample)
    number = checks.as_integer(given)
    # as a float 1 is the share of all records
    whole = number is not None and (number > 1 or number == 1 and not isinstance(given, float))
    if not whole and not (checks.is_number(given) and 2.0**-_BITS <= checks.as_float(given) <= 1.0):
        raise PydpstatError(
            "sample must be a share of the records above 0 and at most 1, or a whole number of them; got "
            f"{checks.describe_value(sample)}. Give for example 0.1."
        )
    if whole and not fixed:
        raise PydpstatError(
            f"sample must be a share for unbounded neighbors, whose number of records is private; got "
            f"{checks.describe_value(sample)}. Give for example 0.1, or use neighbors='bounded'."
        )
    if fixed and has_unit:
        raise PydpstatError(
            "sample must be left out with a unit and bounded neighbors: the number of records of a "
            "unit is private, and so is its share of the sample. Use neighbors='unbounded'."
        )
    if is_read_once and (fixed or options.source.reproducible):
        raise PydpstatError(
            "sample needs neighbors='unbounded' and no rng if the data are not in memory, because "
            "the positions of records are not known. Leave sample or rng out."
        )
    if whole:
        return SamplingDesign(None, number, fixed, options.source)
    return SamplingDesign(checks.as_float(given), None, fixed, options.source)


class ContributionBounds(NamedTuple):
    """Whose data a record is: the column's name, and how many records and groups of each unit count."""

    name: str
    max_records: int
    max_groups: int | None
    key: int


def select_contributions(
    ids: object, unit: ContributionBounds, group_codes: np.ndarray | None, values: Sequence[np.ndarray]
) -> np.ndarray:
    """Return which records stay, in their order.

    No id is missing. `group_codes` are the records' groups, -1 for a record that is in none and never stays, and
    `values` what the release reads of the records, NaN where missing.
    """
    codes, names = encode_units(ids, unit.name)
    there = np.ones(codes.size, dtype=bool) if group_codes is None else group_codes >= 0
    if unit.max_groups is not None:
        shuffled = names[codes]
        # without groups the different values make some
        for groups in map(_convert_to_bits, values) if group_codes is None else (group_codes.astype(np.uint64),):
            shuffled = _combine_hashes(shuffled, groups)
        shuffled = _combine_hashes(shuffled, np.uint64(unit.key ^ 0x5DEECE66D))
        _keep_first(there, codes, shuffled, unit.max_groups, by_group=True)
    hashes = names[codes]
    for array in values if group_codes is None else (*values, group_codes):
        hashes = _combine_hashes(hashes, _convert_to_bits(array))
    _keep_first(there, codes, _combine_hashes(hashes, np.uint64(unit.key)), unit.max_records, by_group=False)
    return there


def _keep_first(is_selected: np.ndarray, codes: np.ndarray, hashes: Hashes, maximum: int, by_group: bool) -> None:
    """Let the first of each unit's records stay, by their hashes, or the records of its first groups."""
    # a unit may have no record that can stay
    counts = np.bincount(codes[is_selected], minlength=int(codes.max(initial=0)) + 1)
    # most units have no more records than may stay
    many = np.flatnonzero(is_selected & (counts[codes] > maximum))
    if not many.size:
        return
    own, order = codes[many], hashes[many]
    if not by_group:
        order = _combine_hashes(order, _count_repetitions(own, order))
    by_unit = np.lexsort((order, own))
    own, order = own[by_unit], order[by_unit]
    new = np.append(True, own[1:] != own[:-1])
    step = np.append(True, order[1:] != order[:-1]) | new if by_group else np.ones(own.size, dtype=bool)
    rank = np.cumsum(step)
    rank -= np.maximum.accumulate(np.where(new, rank, 0)) - 1
    is_selected[many[by_unit[rank > maximum]]] = False


def _count_repetitions(codes: np.ndarray, hashes: Hashes) -> Hashes:
    """Return how many equal records of the same unit come before each record."""
    order = np.lexsort((hashes, codes))
    own, value = codes[order], hashes[order]
    new = np.append(True, (own[1:] != own[:-1]) | (value[1:] != value[:-1]))
    place = np.arange(order.size)
    found = np.empty(order.size, dtype=np.uint64)
    found[order] = place - np.maximum.accumulate(np.where(new, place, 0))
    return found


def encode_ids(ids: object) -> tuple[np.ndarray, Column]:
    """Return a code for each record's id, -1 for a missing one, and the different ids."""
    given = fill_masked(ids)
    values = given if hasattr(given, "dtype") else to_object_array(given)
    if values.dtype == object:
        # pandas before 2 would infer a type for a series
        values = to_object_array(values)
    if isinstance(values.dtype, np.dtype) and not values.dtype.isnative:
        values = np.asarray(values).astype(values.dtype.newbyteorder("="))
    try:
        return pd.factorize(values)
    except Exception:  # an object may raise what it likes when it is hashed or compared
        return _encode_objects(to_object_array(values))


def _encode_objects(ids: Sequence[object] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Code ids as pandas does, and what cannot be hashed by its text."""
    known: dict[object, int] = {}
    codes = np.empty(len(ids), dtype=np.intp)
    for place, value in enumerate(ids):
        if is_missing(value):
            codes[place] = -1
            continue
        try:
            codes[place] = known.setdefault(value, len(known))
        except Exception:
            codes[place] = known.setdefault(("", _describe_typed_value(value)), len(known))
    return codes, to_object_array(list(known))


def encode_units(ids: object, name: str) -> tuple[np.ndarray, Hashes]:
    """Return a code for each record's unit, and a hash of each unit that is the same for equal ids."""
    codes, found = encode_ids(ids)
    if codes.size and int(codes.min()) < 0:
        raise PydpstatError(
            f"unit must identify the unit of each record; {name!r} has missing values. Leave out such "
            "records, or give each a separate id."
        )
    values = np.asarray(found)
    if values.dtype.kind in "biu":
        return codes, _combine_hashes(np.uint64(0), values.astype(np.int64).view(np.uint64))
    whole = [_convert_to_integer(value) for value in values.tolist()]
    # each id by itself: what the others are must not change its hash
    numbered = np.array([number is not None for number in whole], dtype=bool)
    wholes = np.array([(number or 0) & _MASK for number in whole], dtype=np.uint64)
    texts = [_convert_to_text(value).encode("utf-8", "surrogatepass") for value in values.tolist()]
    named = pd.util.hash_array(to_object_array(texts), categorize=False)
    return codes, np.where(numbered, _combine_hashes(np.uint64(0), wholes), named)


def _convert_to_integer(value: object) -> int | None:
    """Return a whole number, of whatever type, as an integer; None for anything else."""
    # NumPy's durations count as integers
    if isinstance(value, np.timedelta64):
        return None
    try:
        if isinstance(value, numbers.Integral):
            return int(value)
        if isinstance(value, (float, Decimal)) and math.isfinite(value) and value == int(value):
            return int(value)
    except Exception:  # a number of a foreign class may raise any error
        pass
    return None


def _convert_to_bits(values: Column) -> Hashes:
    """Return bits that are the same for equal values and for all that are missing."""
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "fiub":
        floats = values.astype(np.float64) + 0.0
        floats[np.isnan(floats)] = np.nan
        return floats.view(np.uint64)
    # equal values of different types are different levels
    texts = np.array([_describe_typed_value(value) for value in to_object_array(values)], dtype=object)
    return pd.util.hash_array(texts, categorize=True)


def _describe_typed_value(value: object) -> str:
    return "" if is_missing(value) else f"{type(value).__name__} {_convert_to_text(value)}"


def _convert_to_text(value: object) -> str:
    try:
        return str(value)
    except Exception:  # an object may raise what it likes when it is shown
        return type(value).__name__


def _combine_hashes(first: Hashes | np.uint64, second: Hashes | np.uint64) -> Hashes:
    """Return a hash of two hashes.

    (The mixing function of Steele, Lea and Flood (2014). Fast splittable pseudorandom number generators.)
    """
    with np.errstate(over="ignore"):
        z = np.asarray(first * np.uint64(0x9E3779B97F4A7C15) + second + np.uint64(0x632BE59BD9B4E019))
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))
