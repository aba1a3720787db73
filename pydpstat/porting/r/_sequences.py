"""R's sequences and repetitions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from pydpstat._checks import is_number
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._integers import MAX_INTEGER
from pydpstat.porting.r._positions import take_elements
from pydpstat.porting.r._values import (  # fmt: skip
    Value,
    Vector,
    count_elements,
    drop_attributes,
    get_factor,
    to_numeric_vector,
    to_plain_vector,
    to_scalar,
)

_STEP_TOLERANCE = 1e-10
_EQUALITY_TOLERANCE = 100 * float(np.finfo(np.float64).eps)


def rep(x: Value, times: Value = 1, length_out: int | None = None, each: int = 1) -> Value:
    """Repeat a vector, list or factor, or each element, as R's ``rep``.

    Examples
    --------
    >>> rep([1, 2], 2), rep(np.array([1, 2]), each=2), rep(np.array([1, 2]), [1, 3]), rep("a", 2)
    ([1, 2, 1, 2], array([1, 1, 2, 2]), array([1, 2, 2, 2]), array(['a', 'a'], dtype=object))
    """
    places = np.repeat(np.arange(count_elements(x)), int(to_scalar(each)))
    if length_out is not None:
        places = np.resize(places, int(to_scalar(length_out)))
    elif count_elements(times) == 1:
        places = np.tile(places, int(to_scalar(times)))
    elif count_elements(times) != places.size:
        raise PydpstatError(f"times must be one number or one for each of {places.size}; got {count_elements(times)}")
    else:
        places = np.repeat(places, to_plain_vector(times).astype(np.int64))
    return take_elements(x, places)


def rep_len(x: Value, length_out: int) -> Value:
    """Repeat a vector up to a given length.

    Examples
    --------
    >>> rep_len(np.array([1, 2]), 3)
    array([1, 2, 1])
    """
    return rep(list(x.values()) if isinstance(x, Mapping) else drop_attributes(x), length_out=length_out)


def colon(a: Value, b: Value) -> Vector:
    """Return the numbers from `a` to `b` in steps of 1 or -1, as R's ``a:b``.

    Examples
    --------
    >>> colon(1, 3), colon(2, 0), colon(0.5, 2)
    (array([1, 2, 3]), array([2, 1, 0]), array([0.5, 1.5]))
    """
    first, last = (float(to_scalar(to_numeric_vector(each, "an end of a:b"))) for each in (a, b))
    if not math.isfinite(first + last):
        raise PydpstatError(f"the ends of a:b must be finite; got {first} and {last}")
    steps = np.arange(math.floor(abs(last - first) + _STEP_TOLERANCE) + 1)
    start = int(first) if first == int(first) and max(abs(first), abs(last)) <= MAX_INTEGER else first
    return start + steps if first <= last else start - steps


def seq(
    from_: Value = None,
    to: Value = None,
    by: Value = None,
    length_out: Value = None,
    along_with: Value = None,
) -> Value:
    """Return equally spaced numbers, as R's ``seq``.

    Parameters
    ----------
    from_, to : float, optional
        First and last number. `from_` alone returns 1 up to it, or up to its length.
    by : float, optional
        The step.
    length_out : int, optional
        Length of the result.
    along_with : vector, optional
        Vector whose length is that of the result.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> seq(1, 10, 3), seq(0, 1, length_out=3), seq(5)
    (array([ 1,  4,  7, 10]), array([0. , 0.5, 1. ]), array([1, 2, 3, 4, 5]))
    """
    if along_with is not None:
        length_out = count_elements(along_with)
    if to is None and by is None and length_out is None:
        return (
            colon(1, from_)
            if count_elements(from_) == 1 and to_plain_vector(from_).dtype != object
            else seq_along(from_)
        )
    a, b, step = (None if each is None else to_scalar(to_numeric_vector(each)) for each in (from_, to, by))
    if length_out is None:
        if by is None:
            return colon(1 if a is None else a, 1 if b is None else b)
        return _make_stepped_sequence(1 if a is None else a, 1 if b is None else b, step)  # type: ignore[arg-type]
    count = to_scalar(length_out)
    n = math.ceil(count)
    if n < 0 or None not in (a, b, step):
        raise PydpstatError("seq takes at most three of from, to, by and length.out, and no negative length")
    if step is not None:
        return (1 if a is None else a) + np.arange(n) * step if b is None else b - np.arange(n - 1, -1, -1) * step
    if a is None and b is None:
        return seq_len(n)
    # n in R's number type
    b = a + (type(count)(n) - 1) if b is None else b
    a = b - (type(count)(n) - 1) if a is None else a
    if n <= 2 or a == b:
        return np.full(n, a) if a == b else np.array([a, b])[:n]
    with np.errstate(all="ignore"):
        values = np.concatenate([[a], a + np.arange(1, n - 1) * ((b - a) / (n - 1)), [b]])
    whole = all(isinstance(each, int) for each in (a, b, count)) and (b - a) % (n - 1) == 0
    return values.astype(np.int64) if whole else values


def _make_stepped_sequence(a: float, b: float, step: float) -> Value:
    if a == b:
        return np.array([a])
    if step == 0 or (b - a) / step < 0:
        raise PydpstatError(f"by must lead from {a} to {b}; got {step}: change its sign")
    if abs(b - a) / max(abs(a), abs(b)) < _EQUALITY_TOLERANCE:
        return np.array([a])
    values = a + np.arange(int((b - a) / step + _STEP_TOLERANCE) + 1) * step
    return np.minimum(values, b) if step > 0 else np.maximum(values, b)


def population(x: Value) -> Value:
    """Return the values that R's ``sample`` draws from: for one number of at least 1, the numbers up to it.

    Examples
    --------
    >>> population([9]), population([9, 5])
    (9, [9, 5])
    """
    if count_elements(x) != 1 or get_factor(x) is not None:
        return x
    value = to_plain_vector(x)[0]
    return int(value) if is_number(value) and value >= 1 else x


def seq_len(length_out: Value) -> Vector:
    """Return 1, 2, ..., `length_out`; empty for 0.

    Examples
    --------
    >>> seq_len(3), seq_len(0)
    (array([1, 2, 3]), array([], dtype=int64))
    """
    return np.arange(1, int(to_scalar(length_out)) + 1)


def seq_along(along_with: Value) -> Vector:
    """Return the positions of a vector's elements, from 1.

    Examples
    --------
    >>> seq_along(["a", "b"])
    array([1, 2])
    """
    return seq_len(count_elements(along_with))


def _make_vector_maker(value: object, name: str) -> Callable[[int], Vector]:
    def make_vector(length: int = 0) -> Vector:
        return np.full(int(to_scalar(length)), value, object if isinstance(value, str) else None)

    make_vector.__name__ = make_vector.__qualname__ = name
    make_vector.__doc__ = f"Return a vector of {value!r}, as R's ``{name}``."
    return make_vector


numeric, integer = _make_vector_maker(0.0, "numeric"), _make_vector_maker(0, "integer")


logical, character = _make_vector_maker(False, "logical"), _make_vector_maker("", "character")
