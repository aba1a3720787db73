"""Global sensitivity by search over all pairs of neighboring data sets of a small finite domain."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from typing import TypeVar

import numpy as np

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat._checks import format_public_value
from pydpstat.errors import PydpstatError
from pydpstat.privacy import NEIGHBORS

RecordCodes = tuple[int, ...]
NORMS = ("L1", "L2")
DEFAULT_LIMIT = 1_000_000
Exact = int | Fraction
Output = tuple[Exact, ...]
Record = TypeVar("Record")


class SequenceSpace:
    """Data sets as sequences of codes, in lexicographic order, and their pairs of neighbors.

    For bounded neighbors one of n records is replaced; otherwise one is added or removed, with at most n records.
    """

    def __init__(self, values: int, n: int, bounded: bool) -> None:
        self.codes, self.bounded = range(values), bounded
        self.sizes = (n,) if bounded else tuple(range(n + 1))
        self.evaluations = sum(self._count_data_sets(size) for size in self.sizes)
        each = math.comb(values, 2) if bounded else values
        self.comparisons = sum(
            self._count_insertion_points(size) * self._count_data_sets(size - 1) * each for size in self.sizes if size
        )

    def iterate_data_sets(self) -> Iterator[RecordCodes]:
        """Yield every data set once, the smallest first."""
        for size in self.sizes:
            yield from self._iterate_by_size(size)

    def iterate_neighbor_pairs(self) -> Iterator[tuple[RecordCodes, RecordCodes]]:
        """Yield every pair of neighbors once, those of sequences that differ in the last record first."""
        for size in self.sizes:
            for reduced, full in self._iterate_extensions(size):
                yield from combinations(full, 2) if self.bounded else ((reduced, extended) for extended in full)

    def _count_data_sets(self, size: int) -> int:
        return len(self.codes) ** size

    def _count_insertion_points(self, size: int) -> int:
        """Return the number of positions at which a record can be added to obtain this size."""
        return size

    def _iterate_by_size(self, size: int) -> Iterator[RecordCodes]:
        return product(self.codes, repeat=size)

    def _iterate_extensions(self, size: int) -> Iterator[tuple[RecordCodes, list[RecordCodes]]]:
        """Yield data sets that lack a record, with all data sets obtained by adding one at one position."""
        for position in reversed(range(size)):
            for reduced in self._iterate_by_size(size - 1):
                yield reduced, [(*reduced[:position], code, *reduced[position:]) for code in self.codes]


class MultisetSpace(SequenceSpace):
    """Data sets as sorted sequences of codes, one order for each."""

    def _count_data_sets(self, size: int) -> int:
        return math.comb(len(self.codes) + size - 1, size)

    def _count_insertion_points(self, size: int) -> int:
        return 1

    def _iterate_by_size(self, size: int) -> Iterator[RecordCodes]:
        return combinations_with_replacement(self.codes, size)

    def _iterate_extensions(self, size: int) -> Iterator[tuple[RecordCodes, list[RecordCodes]]]:
        for reduced in self._iterate_by_size(size - 1) if size else ():
            yield reduced, [tuple(sorted((*reduced, code))) for code in self.codes]


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity:
    """A sensitivity with two neighboring data sets that attain it.

    `sensitivity` returns it.

    Parameters
    ----------
    value : int, Fraction or float
        The largest distance between the function's values on two neighbors. An int or a Fraction
        if the function's values are, and the norm is rational.
    squared : int or Fraction or None
        Its square, exactly, for the norm "L2".
    norm : {"L1", "L2"}
        Norm in which the distance is measured.
    neighbors : {"bounded", "unbounded"}
        Neighbors that were searched.
    data, neighbor : tuple
        Two neighbors that attain it, as tuples of records.
    outputs : tuple of (value, value)
        Values of the function for them.
    data_sets, pairs : int
        Numbers of data sets and of pairs of neighbors searched.

    See Also
    --------
    sensitivity : creates it.
    """

    value: Exact | float
    squared: Exact | None
    norm: str
    neighbors: str
    data: tuple[object, ...]
    neighbor: tuple[object, ...]
    outputs: tuple[object, object]
    data_sets: int
    pairs: int

    def __float__(self) -> float:
        return float(self.value)

    def __repr__(self) -> str:
        data_text, neighbor_text = (format_public_value(each) for each in (self.data, self.neighbor))
        return (
            f"Sensitivity: {self.value} in the {self.norm} norm ({self.neighbors} neighbors), attained by "
            f"{data_text} and {neighbor_text}; {self.pairs:,} pairs of {self.data_sets:,} data sets"
        )


@explain_wrong_calls
def sensitivity(
    function: Callable[[tuple[Record, ...]], object],
    domain: Sequence[Record],
    n: int,
    *,
    norm: str = "L1",
    neighbors: str = "bounded",
    symmetric: bool = False,
    limit: int = DEFAULT_LIMIT,
) -> Sensitivity:
    """Find the global sensitivity of a function by exhaustive search.

    Parameters
    ----------
    function : callable
        ``function(data)`` of a tuple of records returns a number, or several; as many for
        every data set.
    domain : sequence
        The values that a record can have: a list, tuple, range, array or Series. A record may be of
        any type.
    n : int
        Number of records; at least 1. With unbounded neighbors, the largest number of records.
    norm : {"L1", "L2"}, default "L1"
        The distance between two values: L1 for Laplace and geometric noise, L2 for Gaussian noise.
    neighbors : {"bounded", "unbounded"}, default "bounded"
        ``"bounded"``: one record is replaced. ``"unbounded"``: one record is added or removed, from 0 up to n records.
    symmetric : bool, default False
        Whether the function does not depend on the order of the records. Then only one order of each data
        set is evaluated. This is not checked.
    limit : int, default 1000000
        Largest number of evaluations and comparisons; a larger search is an error.

    Returns
    -------
    Sensitivity
        With the value and two neighbors that attain it: the first pair found.

    Raises
    ------
    PydpstatError
        If an argument is invalid, the search is too large, or the function fails, returns something other than finite
        numbers, or a different number of them for some data set.

    See Also
    --------
    pydpstat.sensitivitySampler : diffpriv's random search.
    pydpstat.audit : a test of the whole release.

    Notes
    -----
    The search is exact. Floats, decimals and booleans are converted to exact fractions, and the
    result is rounded once if the function returned a float. The result is the sensitivity for this
    domain and n only: the sensitivity of a statistic on its whole domain requires a proof.

    References
    ----------
    Dwork, C., McSherry, F., Nissim, K. and Smith, A. (2006). Calibrating noise to sensitivity in
    private data analysis. TCC 2006, Definition 2.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from pydpstat.teaching import sensitivity
    >>> sensitivity(sum, range(4), 3).value
    3
    >>> r = sensitivity(lambda x: Fraction(sum(x), len(x)), [0, 1], 5, symmetric=True)
    >>> r.value, r.data, r.neighbor
    (Fraction(1, 5), (0, 0, 0, 0, 0), (0, 0, 0, 0, 1))
    """
    if not callable(function):
        raise PydpstatError(
            f"function must be a callable of a tuple of records; got {type(function).__name__}. Give for example sum."
        )
    max_evaluations = checks.check_integer(limit, "limit", 1, hint="Give for example 1000000.")
    records = _read_domain(domain, max_evaluations)
    size = checks.check_integer(n, "n", 1, hint="Give the number of records, for example 3.")
    checks.check_choice(norm, "norm", NORMS)
    bounded = checks.check_choice(neighbors, "neighbors", NEIGHBORS) == "bounded"
    if bounded and len(records) < 2:
        raise PydpstatError("domain must have two or more values under bounded neighbors; got one.")
    kind = MultisetSpace if checks.check_boolean(symmetric, "symmetric") else SequenceSpace
    space = _make_search_space(kind, len(records), size, bounded, max_evaluations)
    outputs: dict[RecordCodes, Output] = {}
    raw: dict[RecordCodes, object] = {}
    for codes in space.iterate_data_sets():
        data = tuple(records[code] for code in codes)
        raw[codes] = _evaluate_function(function, data)
        outputs[codes] = _convert_output(raw[codes], data)
    _check_lengths(outputs, records)
    distance = _compute_l1_distance if norm == "L1" else _compute_squared_distance
    # the first of several maxima
    witness = max(space.iterate_neighbor_pairs(), key=lambda pair: distance(outputs[pair[0]], outputs[pair[1]]))
    data_codes, neighbor_codes = witness
    best = distance(outputs[data_codes], outputs[neighbor_codes])
    inexact = any(_is_inexact(raw[codes]) for codes in witness)
    return Sensitivity(
        value=_compute_square_root(best, inexact) if norm == "L2" else _round_result(best, inexact),
        squared=best if norm == "L2" else None,
        norm=norm,
        neighbors=neighbors,
        data=tuple(records[code] for code in data_codes),
        neighbor=tuple(records[code] for code in neighbor_codes),
        outputs=(raw[data_codes], raw[neighbor_codes]),
        data_sets=len(outputs),
        pairs=space.comparisons,
    )


def _make_search_space(
    space_class: type[SequenceSpace], values: int, n: int, bounded: bool, limit: int
) -> SequenceSpace:
    """Return the space of data sets, or raise an error if a search would exceed the limit."""
    # there are more data sets than records in the largest one
    if n < limit:
        space = space_class(values, n, bounded)
        if space.evaluations + space.comparisons <= limit:
            return space
        sets, pairs = map(_format_large_number, (space.evaluations, space.comparisons))
        size = f"{sets} data sets and {pairs} pairs of neighbors"
    else:
        size = f"more than {n:,} data sets"
    raise PydpstatError(
        f"domain and n give {size}; limit allows {limit:,} of both together. Give fewer values or "
        "records, symmetric=True if the order of the records does not matter, or a larger limit."
    )


def _format_large_number(number: int) -> str:
    # the number of digits of an integer, from its bits
    return f"{number:,}" if number < 10**12 else f"about 10**{int(number.bit_length() * math.log10(2))}"


def _read_domain(domain: Sequence[Record], limit: int) -> list[Record]:
    tolist = getattr(domain, "tolist", None) if getattr(domain, "ndim", 1) == 1 else None
    if tolist is None and not isinstance(domain, (list, tuple, range)):
        raise PydpstatError(
            f"domain must be a list of the values that a record can have; got {type(domain).__name__}. "
            "Give for example range(4)."
        )
    if len(domain) > limit:
        raise PydpstatError(
            f"domain must have at most limit = {limit:,} values; got {len(domain):,}. Give fewer values."
        )
    records: list[Record] = list(domain) if tolist is None else tolist()
    if not records:
        raise PydpstatError("domain must have at least one value; got none. Give for example range(4).")
    return records


def _evaluate_function(function: Callable[[tuple[Record, ...]], object], data: tuple[Record, ...]) -> object:
    try:
        return function(data)
    except Exception as error:
        hint = " An empty data set is also a neighbor: define the value for it." if not data else ""
        raise PydpstatError(
            f"function must return numbers for every data set; it raised {type(error).__name__}: "
            f"{format_public_value(str(error))} for {format_public_value(data)}.{hint}"
        ) from error


def _convert_output(output: object, data: tuple[Record, ...]) -> Output:
    """Return a function's value as exact numbers."""
    if isinstance(output, (int, Fraction)):
        return (output,)
    values = _get_elements(output)
    exact = tuple([number for number in map(_convert_to_exact, values) if number is not None])
    if len(exact) < len(values):
        raise PydpstatError(
            f"function must return finite numbers; it returned {format_public_value(output)} for "
            f"{format_public_value(data)}. Give a function with one number, or a flat list of numbers."
        )
    return exact


def _get_elements(output: object) -> Sequence[object]:
    return output if isinstance(output, (list, tuple)) else np.asarray(output).ravel().tolist()


def _convert_to_exact(value: object) -> Exact | None:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (int, Fraction)):
        return value
    if isinstance(value, (float, Decimal)) and math.isfinite(value):
        return Fraction(value)
    return None


def _is_inexact(output: object) -> bool:
    return any(isinstance(element, (float, np.floating)) for element in _get_elements(output))


def _check_lengths(outputs: dict[RecordCodes, Output], records: list[Record]) -> None:
    first_codes = next(iter(outputs))
    for codes, output in outputs.items():
        if len(output) != len(outputs[first_codes]):
            data, other_data = (
                format_public_value(tuple(records[code] for code in set_codes)) for set_codes in (first_codes, codes)
            )
            raise PydpstatError(
                "function must return the same number of values for every data set; it returned "
                f"{len(outputs[first_codes])} for {data} and {len(output)} for {other_data}. A shape that "
                "depends on the data has no finite sensitivity."
            )


def _compute_l1_distance(first: Output, second: Output) -> Exact:
    return sum([a - b if a > b else b - a for a, b in zip(first, second)])


def _compute_squared_distance(first: Output, second: Output) -> Exact:
    return sum([(a - b) ** 2 for a, b in zip(first, second)])


def _round_result(value: Exact, inexact: bool) -> Exact | float:
    if inexact:
        return checks.as_float(value)
    return value.numerator if value.denominator == 1 else value


def _compute_square_root(square: Exact, inexact: bool) -> Exact | float:
    """Return a square root: exact if it is rational, else a float."""
    exact = Fraction(square)
    top, bottom = math.isqrt(exact.numerator), math.isqrt(exact.denominator)
    if top * top == exact.numerator and bottom * bottom == exact.denominator:
        return _round_result(Fraction(top, bottom), inexact)
    # 70 bits of the root, so that the float is the nearest one except for near ties
    scale = max(0, 140 - exact.numerator.bit_length() + exact.denominator.bit_length()) // 2
    return checks.as_float(Fraction(math.isqrt((exact.numerator << 2 * scale) // exact.denominator), 1 << scale))
