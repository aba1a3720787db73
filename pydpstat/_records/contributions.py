"""Random samples of records, and contribution bounds of units.

A sample is drawn for one release, and its members are secret. A unit is the entity to which a record belongs,
such as a person, a household or a firm. The records of a unit are ordered by a keyed hash of the unit, of the
values that the release reads, and of the record's index among equal records; the first ones are selected. The
key is drawn for each release, so that the selection is random. For a given key, the selection within a unit
depends only on that unit's records: adding or removing another unit does not change it, nor does the order of
the records or the machine.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.containers import Column
from pydpstat._data.values import fill_masked, is_missing, to_object_array
from pydpstat._lazy import pd
from pydpstat._order import make_blocks, order_by_two_keys, widen
from pydpstat._release.options import Options
from pydpstat.errors import PydpstatError
from pydpstat.random import Source
from pydpstat.random.secure._bits import draw_permutation

_BITS = 53
Hashes = npt.NDArray[np.uint64]
_MASK = (1 << 64) - 1


class SamplingDesign(NamedTuple):
    """Sampling of a share of the records, or of a number of them without replacement.

    `rate` is the inclusion probability of each record. With `is_fixed_size`, for bounded neighbors, records are
    drawn without replacement: `number` of them, or the largest number whose share is at most the rate.
    """

    rate: float | None
    number: int | None
    is_fixed_size: bool
    source: Source

    def draw_records(self, size: int) -> npt.NDArray[np.bool_]:
        """Draw a mask of the sampled records among `size` records."""
        if not self.is_fixed_size:
            # rounding the rate down only strengthens the guarantee
            threshold = int(Fraction(self.rate or 0.0) * 2**_BITS)
            return self.source.integers(size, 2**_BITS) < threshold
        is_selected = np.zeros(size, dtype=bool)
        if self.source.reproducible:
            order = np.argsort(self.source.uniform(size), kind="stable")
        else:
            order = draw_permutation(size)
        is_selected[order[: self.compute_sample_size(size)]] = True
        return is_selected

    def compute_sample_size(self, size: int) -> int:
        """Return the number of records drawn without replacement from `size` records."""
        number = self.number or max(1, int(Fraction(self.rate or 0.0) * size))
        if number > size > 0:
            raise PydpstatError(
                f"sample must be at most the number of records, {size}; got {number}. Give a share, for example 0.1."
            )
        return min(number, size)

    def add_sampling_rate(self, options: Options, size: int) -> Options:
        """Return the options with the sampling rate; for a fixed size, the exact share of `size` records."""
        rate = Fraction(self.rate or 0.0)
        if self.is_fixed_size:
            rate = Fraction(self.compute_sample_size(size), size) if size else Fraction(1)
        return options._replace(sampling_rate=rate)

    @property
    def call_value(self) -> float | int:
        """Value of the argument `sample` in the call record."""
        return self.number or self.rate or 0.0


def check_sample(sample: object, options: Options, has_unit: bool, is_read_once: bool) -> SamplingDesign:
    """Check the argument `sample`: a share, or a number of records for bounded neighbors."""
    fixed = options.neighbors == "bounded"
    value = checks.unwrap_scalar(sample)
    number = checks.as_integer(value)
    # 1.0 is the share of all records, and 1 is one record
    is_number = number is not None and (number > 1 or number == 1 and not isinstance(value, float))
    if not is_number and not (checks.is_number(value) and 2.0**-_BITS <= checks.as_float(value) <= 1.0):
        raise PydpstatError(
            "sample must be a share of the records above 0 and at most 1, or a whole number of them; got "
            f"{checks.describe_value(sample)}. Give for example 0.1."
        )
    if is_number and not fixed:
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
    if is_number:
        return SamplingDesign(None, number, fixed, options.source)
    return SamplingDesign(checks.as_float(value), None, fixed, options.source)


class ContributionBounds(NamedTuple):
    """Name of the unit's column, the largest numbers of records and groups of a unit, and the key of the hash."""

    name: str
    max_records: int
    max_groups: int | None
    key: int


def select_contributions(
    ids: object, unit: ContributionBounds, group_codes: np.ndarray | None, values: Sequence[np.ndarray]
) -> np.ndarray:
    """Return a mask of the records that contribute, at most the bound for each unit.

    Parameters
    ----------
    ids : array_like
        Unit of each record, without missing values.
    unit : ContributionBounds
        Contribution bounds and the key of the hash.
    group_codes : ndarray or None
        Group code of each record; -1 for records in no group, which never contribute.
    values : sequence of ndarray
        Values that the release reads, NaN where missing.
    """
    codes, names = encode_units(ids, unit.name)
    there = np.ones(codes.size, dtype=bool) if group_codes is None else group_codes >= 0
    if unit.max_groups is not None:
        # without groups, distinct values play the role of groups
        arrays, convert = (values, _convert_to_bits) if group_codes is None else ((group_codes,), widen)
        hash_records = partial(_hash_records, codes, names, arrays, unit.key ^ 0x5DEECE66D, convert)
        _keep_first(there, codes, hash_records, unit.max_groups, by_group=True)
    arrays = values if group_codes is None else (*values, group_codes)
    hash_records = partial(_hash_records, codes, names, arrays, unit.key, _convert_to_bits)
    _keep_first(there, codes, hash_records, unit.max_records, by_group=False)
    return there


def _hash_records(
    codes: np.ndarray,
    names: Hashes,
    arrays: Sequence[np.ndarray],
    key: int,
    convert: Callable[[np.ndarray], Hashes],
    is_hashed: np.ndarray,
) -> Hashes:
    """Return the keyed hash of the unit and values of each record for which `is_hashed` is true."""
    hashes = np.empty(np.count_nonzero(is_hashed), dtype=np.uint64)
    end = 0
    for rows in make_blocks(codes.size):
        inside = is_hashed[rows]
        block = names[codes[rows][inside]]
        for array in arrays:
            block = _combine_hashes(block, convert(array[rows][inside]))
        start, end = end, end + block.size
        hashes[start:end] = _combine_hashes(block, np.uint64(key))
    return hashes


def _keep_first(
    is_selected: np.ndarray,
    codes: np.ndarray,
    hash_records: Callable[[np.ndarray], Hashes],
    maximum: int,
    by_group: bool,
) -> None:
    """Deselect in place all but the first `maximum` records of each unit, or all but those of its first groups.

    The order is that of the hashes.
    """
    many, sizes = _find_units_above(maximum, is_selected, codes)
    if not sizes.size:
        return
    by_unit, is_new = _sort_records(codes[many], hash_records(many), by_group)
    firsts = np.cumsum(sizes) - sizes
    if by_group:
        rank = np.cumsum(is_new, dtype=np.int64)
        rank -= np.repeat(rank[firsts] - 1, sizes)
        kept = by_unit[rank <= maximum]
    else:
        kept = by_unit[(firsts[:, None] + np.arange(maximum)).ravel()]
    stay = np.zeros(by_unit.size, dtype=bool)
    stay[kept] = True
    is_selected[many] = stay


def _find_units_above(maximum: int, is_selected: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a mask of the selected records of units that have more than `maximum`, and the numbers of these units."""
    # some units may have no selected record
    counts = np.bincount(codes[is_selected], minlength=int(codes.max(initial=0)) + 1)
    exceeds = counts > maximum
    return is_selected & exceeds[codes], counts[exceeds]


def _sort_records(
    codes: np.ndarray, hashes: Hashes, by_group: bool
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
    """Return the order by unit and hash; for records, the number of earlier equal ones is first added in place."""
    # a small type saves memory
    codes = codes.astype(np.min_scalar_type(int(codes.max())))
    if not by_group:
        _combine_hashes(hashes, _count_repetitions(codes, hashes), out=hashes)
    return order_by_two_keys(codes, hashes)


def _count_repetitions(codes: np.ndarray, hashes: Hashes) -> Hashes | np.uint64:
    """Return the number of equal records of the same unit that precede each record; one 0 if no records are equal."""
    order, new = order_by_two_keys(codes, hashes)
    if new.all():
        return np.uint64(0)
    positions = np.arange(order.size)
    repetitions = np.empty(order.size, dtype=np.uint64)
    repetitions[order] = positions - np.maximum.accumulate(np.where(new, positions, 0))
    return repetitions


def encode_ids(ids: object, are_repeated: bool = False) -> tuple[np.ndarray, Column]:
    """Return a code for each id, -1 for missing ones, and the distinct ids.

    If most ids are repeated, numbers need half the memory.
    """
    filled = fill_masked(ids)
    values = filled if hasattr(filled, "dtype") else to_object_array(filled)
    if values.dtype == object:
        # pandas before 2 would infer a type for a series
        values = to_object_array(values)
    elif isinstance(values.dtype, np.dtype):
        # a series would not use the hint
        values = np.asarray(values)
    if isinstance(values.dtype, np.dtype) and not values.dtype.isnative:
        values = np.asarray(values).astype(values.dtype.newbyteorder("="))
    try:
        return pd.factorize(values, size_hint=len(values) // 2 if are_repeated else None)
    except Exception:  # objects may raise any exception when hashed or compared
        return _encode_objects(to_object_array(values))


def _encode_objects(ids: Sequence[object] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Encode ids as pandas does, and unhashable objects by their string."""
    code_by_value: dict[object, int] = {}
    codes = np.empty(len(ids), dtype=np.intp)
    for index, value in enumerate(ids):
        if is_missing(value):
            codes[index] = -1
            continue
        try:
            codes[index] = code_by_value.setdefault(value, len(code_by_value))
        except Exception:
            codes[index] = code_by_value.setdefault(("", _describe_typed_value(value)), len(code_by_value))
    return codes, to_object_array(list(code_by_value))


def encode_units(ids: object, name: str) -> tuple[np.ndarray, Hashes]:
    """Return the code of each record's unit, and a hash of each unit that is the same for equal ids."""
    codes, distinct_ids = encode_ids(ids, are_repeated=True)
    if codes.size and int(codes.min()) < 0:
        raise PydpstatError(
            f"unit must identify the unit of each record; {name!r} has missing values. Leave out such "
            "records, or give each a separate id."
        )
    values = np.asarray(distinct_ids)
    if values.dtype.kind in "biu":
        return codes, _combine_hashes(np.uint64(0), values.astype(np.int64).view(np.uint64))
    distinct = values.tolist()
    if set(map(type, distinct)) == {str}:
        return codes, _hash_texts(distinct)
    integers = [_convert_to_integer(value) for value in distinct]
    # hash each id separately: the other ids must not change its hash
    is_integer = np.array([number is not None for number in integers], dtype=bool)
    integer_bits = np.array([(number or 0) & _MASK for number in integers], dtype=np.uint64)
    text_hashes = _hash_texts(list(map(_convert_to_text, distinct)))
    return codes, np.where(is_integer, _combine_hashes(np.uint64(0), integer_bits), text_hashes)


def _hash_texts(texts: list[str]) -> Hashes:
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    return pd.util.hash_array(to_object_array(encoded), categorize=False)


def _convert_to_integer(value: object) -> int | None:
    """Return an integer equal to a whole number of any type; None for other values."""
    # NumPy durations are registered as integral numbers
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
    """Return 64 bits for each value, the same for equal values and for all missing ones."""
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "fiub":
        floats = values.astype(np.float64) + 0.0
        floats[np.isnan(floats)] = np.nan
        return floats.view(np.uint64)
    # distinguish equal values of different types
    texts = np.array([_describe_typed_value(value) for value in to_object_array(values)], dtype=object)
    return pd.util.hash_array(texts, categorize=True)


def _describe_typed_value(value: object) -> str:
    return "" if is_missing(value) else f"{type(value).__name__} {_convert_to_text(value)}"


def _convert_to_text(value: object) -> str:
    try:
        return str(value)
    except Exception:  # objects may raise any exception when converted to a string
        return type(value).__name__


def _combine_hashes(first: Hashes | np.uint64, second: Hashes | np.uint64, out: Hashes | None = None) -> Hashes:
    """Return a hash of two hashes, in the array `out` if it is given.

    The mixing function is that of Steele, G. L., Lea, D. and Flood, C. H. (2014). Fast splittable pseudorandom
    number generators. OOPSLA 2014.
    """
    with np.errstate(over="ignore"):
        z = np.multiply(first, np.uint64(0x9E3779B97F4A7C15), out=out)
        z = np.asarray(np.add(z, second, out=out))
        z += np.uint64(0x632BE59BD9B4E019)
        z ^= z >> np.uint64(30)
        z *= np.uint64(0xBF58476D1CE4E5B9)
        z ^= z >> np.uint64(27)
        z *= np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
        return z
