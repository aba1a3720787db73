"""User input of diffpriv, read and checked as in R: slots of objects, records of an oracle, values of a target."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar, overload

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import HelpfulErrors
from pydpstat._data.containers import find_library, get_row_labels, has_columns, is_series
from pydpstat._data.native import to_public_list
from pydpstat._lazy import pd
from pydpstat._warn import note_r_warning
from pydpstat.errors import PydpstatError

T = TypeVar("T")
Self = TypeVar("Self", bound="SlotObject")
# a user's function of a data set, a record or a response
Function = Callable[..., object]


class Slot(Generic[T]):
    """Checked attribute: ``check(value, name)`` returns the stored value or raises a `PydpstatError`."""

    def __init__(self, check: Callable[[object, str], T]) -> None:
        self.check = check
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Slot[T]: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...

    def __get__(self, instance: object, owner: type | None = None) -> Slot[T] | T:
        return self if instance is None else vars(instance)[self.name]

    def __set__(self, instance: object, value: object) -> None:
        vars(instance)[self.name] = self.check(value, f"{type(instance).__name__}.{self.name}")


class SlotObject(HelpfulErrors):
    """Base of the classes with slots: no other attributes, and comparison by class and slots."""

    _slot_names: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._slot_names += tuple(name for name, attribute in vars(cls).items() if isinstance(attribute, Slot))

    @classmethod
    def slots(cls) -> tuple[str, ...]:
        """Return the names of the slots, those of the base classes first."""
        return cls._slot_names

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self._slot_names:
            raise AttributeError(f"{type(self).__name__} has no slot {name!r}; it has {', '.join(self.slots())}.")
        super().__setattr__(name, value)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.slots())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={_format_slot_value(getattr(self, name))}" for name in self.slots())
        return f"{type(self).__name__}({values})"


def replace_slots(instance: Self, **values: object) -> Self:
    """Return a copy with other values, which are not checked, as with R's ``@<-``."""
    copy = type(instance).__new__(type(instance))
    vars(copy).update(vars(instance), **values)
    return copy


def refuse_unnamed(instance: SlotObject, unnamed: tuple[object, ...]) -> None:
    """Raise an error for positional arguments, where R accepts only objects of a base class."""
    if unnamed:
        kind = type(instance).__name__
        raise PydpstatError(
            f"{kind} takes its slots by name; got {len(unnamed)} unnamed value(s). Write for example "
            f"{kind}({instance.slots()[0]}=...)."
        )


def is_na(value: object) -> bool:
    """Return whether a value represents R's NA: None or NaN."""
    return value is None or (isinstance(value, float) and value != value)


def _format_slot_value(value: object) -> str:
    return f"<function {getattr(value, '__name__', '?')}>" if callable(value) else repr(value)


def check_given_sensitivity(value: object, name: str) -> float:
    """Check a sensitivity: one number of at least 0, or infinity."""
    hint = "Give a proven bound, or leave it out and use sensitivitySampler."
    return checks.check_number(value, name, "one number of at least 0", lambda number: number >= 0.0, hint)


def check_target(value: object, name: str) -> Function:
    """Check that a target is callable."""
    if not callable(value):
        raise PydpstatError(
            f"{name} must be a function of the data set; got {checks.describe_value(value)}. "
            "Give for example lambda X: sum(X) / len(X)."
        )
    return value


def check_sampling_gamma(value: object, name: str) -> float | None:
    """Check the gamma of a sampled sensitivity; None represents R's NA."""
    if is_na(value):
        return None
    allowed, hint = "None or one number in [0, 1)", "Leave it to sensitivitySampler."
    return checks.check_number(value, name, allowed, lambda number: 0.0 <= number < 1.0, hint)


def check_dimension(value: object, name: str) -> int | None:
    """Check the number of values of a target; R accepts any integer, and NA, here None."""
    if is_na(checks.unwrap_scalar(value)):
        return None
    allowed = "one whole number, the length of what target returns"
    return checks.check_integer(value, name, allowed=allowed, hint="Give for example 1.")


def check_natural_number(value: object, name: str, maximum: float = math.inf) -> int:
    """Check an integer of at least 1 and at most the maximum of R."""
    number = checks.check_integer(value, name, 1, hint="Give for example 2.")
    if number > maximum:
        raise PydpstatError(
            f"{name} must be at most {maximum:g}; got {checks.describe_value(value)}, for which R stops."
        )
    return number


def check_response_set(value: object, name: str) -> list[object]:
    """Check a list of responses, at least one."""
    value = to_public_list(value, name) if find_library(value) else value
    if not isinstance(value, (list, tuple)) or not value:
        raise PydpstatError(
            f"{name} must be a list with at least one response; got {checks.describe_value(value)}. "
            "Give for example list('abc')."
        )
    return list(value)


Array = npt.NDArray[np.generic]

_NUMBER_TYPES = (int, float, np.number)


def add_record(xs: object, x: Any) -> object:
    """Return a new data set with one more record, given by itself or as a data set of one.

    The data set is an array, list, Series, frame, or a single number or string; rows of a matrix or a frame are
    records. Any other type is an error.

    >>> add_record([1, 2], [3]), add_record(["a"], "b")
    ([1, 2, 3], ['a', 'b'])
    """
    xs = to_data_set(xs)
    if isinstance(xs, np.ndarray) and xs.ndim == 2:
        return np.vstack([xs, x])
    if isinstance(xs, np.ndarray) and xs.ndim == 1 and _is_numeric_or_text(xs.dtype.kind):
        return np.concatenate((xs, _take_first_record(x)))
    if isinstance(xs, list):
        return [*xs, _to_list_element(xs, x)]
    if has_columns(xs):
        return _add_to_frame(xs, x)
    if is_series(xs) and _is_numeric_or_text(xs.dtype.kind):
        return pd.concat([xs, pd.Series(_take_first_record(x))], ignore_index=True)
    raise PydpstatError(
        "oracle must return a list, an array of numbers or strings, or a data frame; got "
        f"{type(xs).__name__}. The rows of a matrix or a data frame are the records."
    )


def to_data_set(xs: object) -> object:
    """Convert the result of an oracle to a data set: a number to an array of one, a string to a list of one.

    >>> to_data_set(0.5), to_data_set("a"), to_data_set([1, 2])
    (array([0.5]), ['a'], [1, 2])
    """
    if isinstance(xs, str):
        return [xs]
    if isinstance(xs, np.ndarray) and not xs.ndim:
        return xs.reshape(1)
    return np.array([xs]) if isinstance(xs, _NUMBER_TYPES) and not isinstance(xs, bool) else xs


def _to_list_element(xs: list[object], x: object) -> object:
    """Convert a record to an element of a list; a data set of one record to that record."""
    numbers = bool(xs) and all(isinstance(element, _NUMBER_TYPES) for element in xs)
    if isinstance(x, list) and len(x) == 1 or numbers and isinstance(x, np.ndarray) and x.size == 1:
        return x[0] if isinstance(x, list) else x.item()
    return x


def _add_to_frame(xs: pd.DataFrame, x: Any) -> pd.DataFrame:
    if not has_columns(x):
        x = pd.DataFrame([x] if isinstance(x, dict) or is_series(x) else [list(x)], columns=xs.columns)
    return pd.concat([xs, x], ignore_index=True)


def _take_first_record(x: npt.ArrayLike) -> Array:
    """Return the single record of a vector; the first of several, as in R."""
    values = np.atleast_1d(x)
    if values.size == 1:
        return values
    if values.size == 0:
        raise PydpstatError("oracle(1) must return one record; it returned none.")
    note_r_warning(f"oracle(1) returned {values.size} records; the first is taken.")
    return values[:1]


def _is_numeric_or_text(kind: str) -> bool:
    # numbers, or strings, which pandas stores as objects; neither Booleans nor factors
    return kind in "iufUSO"


def evaluate_target(target: Function, X: object) -> Any:
    """Return the value of a target on a data set, which is passed without conversion.

    If a target fails on data of an engine or of R, the error says so: the target may require arrays.

    >>> evaluate_target(sum, [1, 2])
    3
    """
    try:
        return target(X)
    except Exception as error:
        library = find_library(X)
        if not library:
            raise
        raise PydpstatError(
            f"X must be data that target can read; got {type(X).__name__} of {library}, on which "
            f"target raised {type(error).__name__}. Give an array, a list or a pandas DataFrame, as "
            "target expects."
        ) from error


def read_target_numbers(raw: object) -> tuple[npt.NDArray[np.float64], tuple[str, ...] | None]:
    """Return a target's numbers as floats, 0-d for a single number, and their names, if any."""
    if type(raw) is float:
        return np.array(raw), None
    value = checks.to_array(raw)
    if has_columns(raw) or value.size and value.dtype.kind not in "fiu":
        raise PydpstatError(
            f"target must return numbers; it returned {type(raw).__name__}. "
            "Let it return a number or a vector of numbers."
        )
    if value.ndim > 1:
        raise PydpstatError(
            f"target must return a vector; it returned {value.ndim} dimensions, for which R has no method. Flatten it."
        )
    return value.astype(np.float64), get_row_labels(raw)


def check_returned_function(value: object) -> Function:
    """Check that a target returned a function."""
    if not callable(value):
        raise PydpstatError(
            f"target must return a function for this mechanism; it returned {type(value).__name__}. "
            "Let it return for example lambda response: X.count(response)."
        )
    return value


def check_returned_number(
    value: object,
    problem: str = "the quality of a response must be one number; got",
    hint: str = "Let the function that target returns give a number.",
) -> float:
    """Check the value of a user's function for a response or point: one number; a Boolean counts as 0 or 1."""
    number = checks.unwrap_scalar(value)
    if isinstance(number, (bool, np.bool_)) or checks.is_number(number):
        return checks.as_float(number)
    raise PydpstatError(f"{problem} {type(value).__name__}. {hint}")
