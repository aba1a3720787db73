"""Arrays whose memory nobody can write to: what results and caches keep."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from typing import ClassVar

import numpy as np
import numpy.typing as npt


def freeze_array(values: npt.ArrayLike, dtype: npt.DTypeLike | None = None) -> np.ndarray:
    """Return an array that holds a copy of the values and cannot be made writable.

    An array that is frozen already is returned as it is.
    """
    array = values if dtype is None and type(values) is np.ndarray else np.asarray(values, dtype)
    # an array out of a pickle stands on bytes, too, but is writable
    if isinstance(array.base, (bytes, _ReadOnlyObjects)) and not array.flags.writeable:
        return array
    if array.dtype.hasobject:
        return np.asarray(_ReadOnlyObjects(array))
    # the memory of bytes, which NumPy never writes to; a flag of the array itself could be set back
    return np.ndarray(array.shape, array.dtype, array.tobytes())


class ReadOnlyArrays:
    """Base of frozen dataclasses whose arrays, alone or in tuples, cannot be made writable."""

    __slots__ = ()

    # what other modules make results by is no reader's
    _inner: ClassVar[tuple[str, ...]] = ("of", "record")

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                object.__setattr__(self, field.name, freeze_array(value))
            elif isinstance(value, tuple) and value and all(isinstance(each, np.ndarray) for each in value):
                object.__setattr__(self, field.name, tuple(map(freeze_array, value)))

    def __dir__(self) -> list[str]:
        names = map(str, object.__dir__(self))
        return [name for name in names if name[:2] == "__" or name[0] != "_" and name not in self._inner]

    def __reduce__(self) -> tuple[object, ...]:
        # through the constructor: a copied or pickled array would come back writable
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return partial(type(self), **values), ()


class _ReadOnlyObjects:
    """A copy of an array of objects, which bytes cannot hold, offered to NumPy as read-only memory."""

    __slots__ = ("__array_interface__", "_owner")

    def __init__(self, array: np.ndarray) -> None:
        self._owner = array.copy()
        interface = self._owner.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], True)}
