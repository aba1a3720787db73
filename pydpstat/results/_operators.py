"""Operators and element access of releases, which return plain numbers or arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat.errors import ArgumentError, ElementError, PydpstatError
from pydpstat.results._released import ReleasedValue

# operation on plain numbers and arrays
_Operation = Callable[..., Any]


def to_plain_value(release: ReleasedValue) -> Any:
    """Return the value in its pandas form, or a histogram's array of counts."""
    return release.value if release.labels.breaks is not None else release.labels.to_pandas(release.value)


def make_operator(operation: _Operation) -> _Operation:
    """Return a binary operator of a single number as left operand."""
    return lambda self, other: _apply_operation(operation, self, other)


def make_reflected_operator(operation: _Operation) -> _Operation:
    """Return a binary operator of a single number as right operand."""
    return lambda self, other: _apply_operation(lambda own, given: operation(given, own), self, other)


def make_unary_operator(operation: _Operation) -> _Operation:
    """Return a unary operator of a single number."""
    return lambda self: operation(_get_number(self))


def _apply_operation(operation: _Operation, release: ReleasedValue, other: object) -> Any:
    number = _get_number(release, other)
    try:
        return operation(number, other)
    except ArgumentError:
        # error of the other operand, a release of several values
        raise
    except TypeError:
        raise ArgumentError(
            f"a release can be combined and compared with numbers and arrays only; got "
            f"{checks.describe_value(other)}. Convert it first, for example by float()."
        ) from None


def _get_number(release: ReleasedValue, *others: object) -> Any:
    """Return the value of a scalar release, or raise an error for several values."""
    if release.value.ndim:
        operand = "".join(f"; got {checks.describe_value(value)}" for value in others)
        raise ArgumentError(
            f"{type(release).__name__} has {release.value.size} values, and operators are those of single "
            f"numbers{operand}. Calculate with its estimates, result.params, or with one of them, "
            f"result[{format_element_names(release, 1)}]."
        )
    return to_plain_value(release)


def get_single_value(release: ReleasedValue, what: str) -> np.ndarray:
    """Return the value of a release of size 1, or raise an error."""
    if release.value.size == 1:
        return release.value
    raise ArgumentError(
        f"the release of {release.statistic} is not {what}; it has {release.value.size} values. Choose "
        f"one by its name, result[{format_element_names(release, 1)}], or use all, (result.params > 0).all()."
    )


def format_elements(release: ReleasedValue, spec: str) -> str:
    """Format the number, or each element, by a format specification."""
    if not spec:
        return str(to_plain_value(release))
    try:
        if release.value.ndim == 0:
            return format(to_plain_value(release), spec)
        return str(release.params.map(lambda each: format(each, spec)).to_string())
    except ValueError:
        raise PydpstatError(
            f"the format of a release must be a number format; got {checks.format_public_value(spec)}. Write "
            "for example f'{result:.1f}', without decimals f'{result:.0f}'."
        ) from None


def round_elements(release: ReleasedValue, digits: int | None = None) -> Any:
    """Round the number, or each element, to a number of decimals."""
    decimals = None if digits is None else checks.check_integer(digits, "digits", -300, 300, hint="Give 2.")
    plain = to_plain_value(release)
    return round(plain, decimals) if isinstance(plain, float) else plain.round(decimals or 0)


def get_elements(release: ReleasedValue) -> Any:
    """Return the elements in their pandas form, or raise an error for a scalar."""
    if release.value.ndim:
        return to_plain_value(release)
    raise ArgumentError(f"the release of {release.statistic} has no elements; it is one number. Write float(result).")


def count_elements(release: ReleasedValue) -> int:
    """Return the length of the elements in their pandas form."""
    return len(get_elements(release))


def iterate_elements(release: ReleasedValue) -> Iterator[object]:
    """Return an iterator over the elements in their pandas form."""
    return iter(get_elements(release))


def get_element(release: ReleasedValue, key: object) -> Any:
    """Return an element by its name or index, or a selection of elements."""
    plain = get_elements(release)
    try:
        # a pair of keys selects the row first, as in R
        is_row_first = isinstance(key, tuple) and getattr(plain, "ndim", 1) == 2 and hasattr(plain, "loc")
        return plain.loc[key] if is_row_first else plain[key]
    except (KeyError, IndexError, TypeError, ValueError):
        name = ":".join(map(str, key)) if isinstance(key, tuple) else key
        names = list(release.labels.name_elements(release.value))
        if isinstance(name, str) and name in names:
            return np.ravel(release.value, order="F")[names.index(name)]
        chosen = list(key) if isinstance(key, tuple) and {*map(str, key)} <= {*names} else []
        hint = f" Several are chosen by a list: result[{chosen!r}]." if chosen else ""
        raise ElementError(
            f"the release of {release.statistic} has no element {checks.describe_option(key)}. It has "
            f"{format_element_names(release, 8)}.{hint}"
        ) from None


def format_element_names(release: ReleasedValue, max_names: int) -> str:
    """Return the names of the first elements as text."""
    names = release.labels.name_elements(release.value)
    return ", ".join(map(repr, names[:max_names])) + ", ..." * (len(names) > max_names > 1)
