"""What is in force inside of ``with`` blocks: the default budget of the releases, and labels.

Both are context variables: a new thread starts without them, an asyncio task with those where it was
made, a forked process with those of its parent, and any other process without.

Blocks that are open in other threads are known, too: an unpaid release may have been meant for one of them.
Python does not tell which thread started another. A thread that is younger than a block is taken for one that
was started inside. One that is older is not, unless it works for a pool: what a pool's thread does was handed
to it later, here from inside of the block. Threads of one pool hand each other nothing.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pydpstat._warn import warn_unpaid
from pydpstat.privacy import Guarantee


class Spender(Protocol):
    """What a release needs of a budget."""

    def spend(self, guarantee: Guarantee, call: str) -> None:
        """Record the spend, or raise an error where it would exceed the budget."""


class Subject(NamedTuple):
    """What the release that is being paid for is about, and its mechanism, in words."""

    label: str = ""
    mechanism: str = ""


# the innermost block's is the last; None where the whole was paid for before its parts
_BUDGETS: ContextVar[tuple[Spender | None, ...]] = ContextVar("pydpstat budgets", default=())
# empty outside of every block
in_force = _BUDGETS.get
_LABELS: ContextVar[tuple[tuple[Spender, str], ...]] = ContextVar("pydpstat labels", default=())
_SUBJECT: ContextVar[Subject] = ContextVar("pydpstat subject", default=Subject())


def default() -> Spender | None:
    """Return the innermost block's budget; None outside of every block."""
    budgets = in_force()
    return budgets[-1] if budgets else None


def around() -> Spender | None:
    """Return the budget of the innermost block that has one, also where it paid for the whole in advance."""
    return next((budget for budget in reversed(in_force()) if budget is not None), None)


def enter(budget: Spender | None) -> None:
    """Make a budget the default, until it is left."""
    _BUDGETS.set((*in_force(), budget))


def leave(budget: Spender | None) -> None:
    """Leave the innermost block of a budget; nothing happens where there is none, as in another thread."""
    budgets = in_force()
    for place in reversed(range(len(budgets))):
        if budgets[place] is budget:
            _BUDGETS.set((*budgets[:place], *budgets[place + 1 :]))
            return


@contextmanager
def within(budget: Spender | None) -> Iterator[None]:
    """Have a default budget for a while, or none."""
    enter(budget)
    try:
        yield
    finally:
        leave(budget)


@contextmanager
def labeled(budget: Spender, label: str) -> Iterator[None]:
    """Label what is spent from a budget for a while."""
    outer = _LABELS.get()
    _LABELS.set((*outer, (budget, label)))
    try:
        yield
    finally:
        _LABELS.set(outer)


@contextmanager
def about(label: str, mechanism: str) -> Iterator[None]:
    """Say what a release is about, and by which mechanism it is made, while it is paid for."""
    token = _SUBJECT.set(Subject(label, mechanism))
    try:
        yield
    finally:
        _SUBJECT.reset(token)


def label_of(budget: Spender) -> str:
    """Return the innermost label of a budget, else what the release is about; empty where there is none."""
    return next((label for of, label in reversed(_LABELS.get()) if of is budget), _SUBJECT.get().label)


def mechanism() -> str:
    """Return the mechanism of the release that is being paid for; empty where it is not known."""
    return _SUBJECT.get().mechanism


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
