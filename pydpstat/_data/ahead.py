"""Reading ahead: another thread takes records from an engine while this one works on those before."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

Item = TypeVar("Item")
# seconds after which the engine's thread looks whether anybody still waits for its records
_PATIENCE = 0.1


def handed_over(produce: Callable[[Callable[[Any], bool]], object]) -> Iterator[Any]:
    """Run `produce` in another thread, and return what it hands over, one by one, in order.

    Parameters
    ----------
    produce : callable
        Is given a function to hand something over with, which waits until there is room, and returns
        whether no more is wanted. What `produce` raises is raised here, after what it handed over.

    Notes
    -----
    One thing waits at a time. When the iterator is closed, `produce` is told so, and waited for.

    Examples
    --------
    >>> list(handed_over(lambda put: [put(number) for number in range(3)]))
    [0, 1, 2]
    """
    waiting: queue.Queue[Any] = queue.Queue(maxsize=1)
    failures: list[BaseException] = []
    left = threading.Event()
    end = object()

    def put(item: Any) -> bool:
        while not left.is_set():
            try:
                waiting.put(item, timeout=_PATIENCE)
                return False
            except queue.Full:
                pass
        return True

    def run() -> None:
        try:
            produce(put)
        except BaseException as error:
            failures.append(error)
        finally:
            put(end)

    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    try:
        while (item := waiting.get()) is not end:
            yield item
            del item
    finally:
        left.set()
        worker.join()
    if failures:
        raise failures[0]


def ahead(items: Callable[[], Iterable[Item]]) -> Iterator[Item]:
    """Return the items of an iterable that another thread asks for, one ahead.

    Examples
    --------
    >>> list(ahead(lambda: range(3)))
    [0, 1, 2]
    """

    def produce(put: Callable[[Item], bool]) -> None:
        for item in items():
            if put(item):
                return
            # the engine may need the room of this one for the next
            del item

    return handed_over(produce)
