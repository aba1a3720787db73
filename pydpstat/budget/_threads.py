"""Blocks that are open in other threads, for one of which an unpaid release may have been meant.

Python does not tell which thread started another. A thread that is younger than a block is taken for one that
was started inside. One that is older is not, unless it works for a pool: what a pool's thread does was handed
to it later, here from inside of the block. Threads of one pool hand each other nothing.
"""

from __future__ import annotations

import sys
import threading
import weakref
from dataclasses import dataclass

from pydpstat._warn import warn_unpaid

_POOLS = ("concurrent.futures.thread", "multiprocessing.pool")


@dataclass(frozen=True, eq=False)
class _Block:
    budget: object
    thread: threading.Thread
    older: weakref.WeakSet[threading.Thread]
    of_a_pool: bool


# of all threads, the last opened at the end
OPEN: list[_Block] = []


def opened(budget: object) -> None:
    """Note that this thread opened a block."""
    OPEN.append(
        _Block(budget, threading.current_thread(), weakref.WeakSet(threading.enumerate()), _of_a_pool())
    )


def closed(budget: object) -> None:
    """Note that this thread left its innermost block of a budget."""
    here = threading.current_thread()
    for block in reversed(OPEN):
        if block.budget is budget and block.thread is here:
            OPEN.remove(block)
            return


def warn_of_a_block_elsewhere() -> None:
    """Warn, where nobody pays for a release, if it may have been meant for a block of another thread."""
    here = threading.current_thread()
    for block in reversed(OPEN):
        # a fork leaves the other threads, with their blocks, in the parent
        apart = block.thread is here or not block.thread.is_alive()
        if not apart and (here not in block.older or (_of_a_pool() and not block.of_a_pool)):
            warn_unpaid(
                "this release is not charged to a budget: `with budget:` is open in another thread, "
                f"for {block.budget!r}, and the block does not extend to threads that are started "
                "inside. Give budget=, or write `with budget:` in the thread, too."
            )
            return


def _of_a_pool() -> bool:
    frame = sys._getframe(1)
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_globals.get("__name__") in _POOLS:
            return True
    return False
