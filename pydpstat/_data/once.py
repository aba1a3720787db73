"""What can be read once: whether it was, however often it is given as data."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

from pydpstat.errors import PydpstatError

# Most are forgotten with their iterators. One that has no weak references, such as a map, is kept until it
# is read, of those that no call has read only the last ones.
_KEPT = 8
_waiting: OrderedDict[int, tuple[object, Once]] = OrderedDict()
_known: WeakKeyDictionary[Any, Once] = WeakKeyDictionary()


class Once:
    """The state of an iterator or a reader: its first piece, once looked at, and whether it was read.

    Notes
    -----
    The first piece has the types by which a call's arguments are checked. Where the call then ends with an
    error, the next one that is given the same iterator still finds the piece here: none is lost.

    Examples
    --------
    >>> source = (number for number in (1, 2))
    >>> Once.of(source).peek(source), Once.of(source).peek(source)
    (1, 1)
    >>> list(Once.of(source).read(source))
    [1, 2]
    >>> Once.of(source).use()
    Traceback (most recent call last):
    ...
    pydpstat.errors.PydpstatError: data must have unread records; got an iterator or a reader that
    is used up. Create it again for every call.
    """

    def __init__(self) -> None:
        self._used = False
        self._first: list[object] = []
        self._key: int | None = None

    @classmethod
    def of(cls, source: object) -> Once:
        """Return the state of an iterator or a reader, the same one until it is read."""
        try:
            return _known.setdefault(source, cls())
        except TypeError:
            _, once = _waiting.setdefault(id(source), (source, cls()))
            once._key = id(source)
        while len(_waiting) > _KEPT:
            _waiting.popitem(last=False)
        return once

    def peek(self, source: Iterator[object]) -> object:
        """Return the first piece; StopIteration where there is none."""
        if self._used:
            raise used_up()
        if not self._first:
            self._first.append(next(source))
        return self._first[0]

    def use(self) -> None:
        """Note that the reading begins; an error where it has begun before."""
        if self._used:
            raise used_up()
        self._used = True
        if self._key is not None:
            _waiting.pop(self._key, None)

    def read(self, source: Iterator[object]) -> Iterator[object]:
        """Read all pieces, the first one among them."""
        self.use()
        while self._first:
            yield self._first.pop()
        yield from source


def used_up() -> PydpstatError:
    """Return the error of an iterator or a reader that has nothing left."""
    return PydpstatError(
        "data must have unread records; got an iterator or a reader that is used up. Create it again "
        "for every call."
    )
