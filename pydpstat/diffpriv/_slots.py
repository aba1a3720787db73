"""Slots: attributes that are checked whenever they are set, as R checks an S4 object when it is made."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ClassVar, Generic, TypeVar, overload

from pydpstat import _checks as checks
from pydpstat._answering import Answering
from pydpstat._data.containers import library_of
from pydpstat._data.held import public_list
from pydpstat.errors import PydpstatError

T = TypeVar("T")
Self = TypeVar("Self", bound="Slotted")
# of a data set, of a record, of a response: whatever the user's functions take
Function = Callable[..., object]


class Slot(Generic[T]):
    """A checked attribute: ``check(value, name)`` returns what is stored, or raises a `PydpstatError`."""

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


class Slotted(Answering):
    """Base of the classes with slots: no other attributes, compared by class and slots."""

    _names: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._names += tuple(name for name, each in vars(cls).items() if isinstance(each, Slot))

    @classmethod
    def slots(cls) -> tuple[str, ...]:
        """Return the names of the slots, those of the base classes first."""
        return cls._names

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self._names:
            raise AttributeError(
                f"{type(self).__name__} has no slot {name!r}; it has {', '.join(self.slots())}."
            )
        super().__setattr__(name, value)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.slots())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={_text(getattr(self, name))}" for name in self.slots())
        return f"{type(self).__name__}({values})"


def replaced(instance: Self, **values: object) -> Self:
    """Return a copy with other values that are not checked, as R's ``@<-`` does not check them."""
    copy = type(instance).__new__(type(instance))
    vars(copy).update(vars(instance), **values)
    return copy


def named_only(instance: Slotted, unnamed: tuple[object, ...]) -> None:
    """Refuse arguments without a name: R takes only objects of a base class there."""
    if unnamed:
        kind = type(instance).__name__
        raise PydpstatError(
            f"{kind} takes its slots by name; got {len(unnamed)} unnamed value(s). Write for example "
            f"{kind}({instance.slots()[0]}=...)."
        )


def is_na(value: object) -> bool:
    """Tell whether a value stands for R's NA: None or NaN."""
    return value is None or (isinstance(value, float) and value != value)


def _text(value: object) -> str:
    return f"<function {getattr(value, '__name__', '?')}>" if callable(value) else repr(value)


def bound(value: object, name: str) -> float:
    """Check a sensitivity: one number of at least 0, or infinity."""
    hint = "Give a proven bound, or leave it out and use sensitivitySampler."
    return checks.number(value, name, "one number of at least 0", lambda number: number >= 0.0, hint)


def function(value: object, name: str) -> Function:
    """Check a target: anything that can be called."""
    if not callable(value):
        raise PydpstatError(
            f"{name} must be a function of the data set; got {checks.shown(value)}. "
            "Give for example lambda X: sum(X) / len(X)."
        )
    return value


def share(value: object, name: str) -> float | None:
    """Check the gamma of a sampled sensitivity; None stands for R's NA."""
    if is_na(value):
        return None
    allowed, hint = "None or one number in [0, 1)", "Leave it to sensitivitySampler."
    return checks.number(value, name, allowed, lambda number: 0.0 <= number < 1.0, hint)


def length(value: object, name: str) -> int | None:
    """Check how many numbers a target returns; R takes any integer, and NA, here None."""
    if is_na(checks.unwrap(value)):
        return None
    allowed = "one whole number, the length of what target returns"
    return checks.integer(value, name, allowed=allowed, hint="Give for example 1.")


def natural(value: object, name: str, most: float = math.inf) -> int:
    """Check an integer of at least 1, and no more than R takes."""
    number = checks.integer(value, name, 1, hint="Give for example 2.")
    if number > most:
        raise PydpstatError(f"{name} must be at most {most:g}; got {checks.shown(value)}, for which R stops.")
    return number


def responses(value: object, name: str) -> list[object]:
    """Check a set of responses: a list with at least one."""
    value = public_list(value, name) if library_of(value) else value
    if not isinstance(value, (list, tuple)) or not value:
        raise PydpstatError(
            f"{name} must be a list with at least one response; got {checks.shown(value)}. "
            "Give for example list('abc')."
        )
    return list(value)
