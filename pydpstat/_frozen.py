"""Read-only arrays for results and caches, and representations without values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt


def freeze_array(values: npt.ArrayLike, dtype: npt.DTypeLike | None = None) -> np.ndarray:
    """Return a read-only copy of the values, whose memory cannot be made writable.

    An array that is read-only in this sense is returned unchanged.
    """
    array = values if dtype is None and type(values) is np.ndarray else np.asarray(values, dtype)
    # an unpickled array also has bytes as its base, but is writable
    if isinstance(array.base, (bytes, _ReadOnlyObjects)) and not array.flags.writeable:
        return array
    if array.dtype.hasobject:
        return np.asarray(_ReadOnlyObjects(array))
    # NumPy never writes to the memory of bytes, whereas an array's writeable flag can be set back
    return np.ndarray(array.shape, array.dtype, array.tobytes())


def hide_values(self: object) -> str:
    """Return the name of the class alone, as `__repr__` of what holds records: tracebacks and debuggers print it."""
    return f"{type(self).__name__}(values withheld)"


# fields by which other modules create results are hidden from users
BUILDER_NAMES = ("of", "record")


def list_offered_names(thing: object, hidden: Iterable[str]) -> list[str]:
    """Return what `dir` lists: special methods, and public names that are not hidden."""
    names, hidden_names = map(str, object.__dir__(thing)), {*hidden}
    return [name for name in names if name[:2] == "__" or name[0] != "_" and name not in hidden_names]


def rebuild_by_constructor(thing: Any) -> tuple[object, ...]:
    """Return how to rebuild a dataclass by its constructor: a copied or pickled array would be writable again."""
    values = {field.name: getattr(thing, field.name) for field in fields(thing)}
    kind: Callable[..., object] = type(thing)
    return partial(kind, **values), ()


class ReadOnlyArrays:
    """Base of frozen dataclasses whose arrays, alone or in tuples, cannot be made writable."""

    __slots__ = ()

    _inner: ClassVar[tuple[str, ...]] = BUILDER_NAMES

    @property
    def _unavailable_names(self) -> tuple[str, ...]:
        """Public names of the class that do not apply to this object and are left out of `dir`."""
        return ()

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                object.__setattr__(self, field.name, freeze_array(value))
            elif isinstance(value, tuple) and value and all(isinstance(element, np.ndarray) for element in value):
                object.__setattr__(self, field.name, tuple(map(freeze_array, value)))

    def __dir__(self) -> list[str]:
        return list_offered_names(self, (*self._inner, *self._unavailable_names))

    def __reduce__(self) -> tuple[object, ...]:
        return rebuild_by_constructor(self)


class _ReadOnlyObjects:
    """A copy of an array of objects, which bytes cannot contain, exposed to NumPy as read-only memory."""

    __slots__ = ("__array_interface__", "_owner")

    def __init__(self, array: np.ndarray) -> None:
        self._owner = array.copy()
        interface = self._owner.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], True)}
