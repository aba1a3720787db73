"""What is in force inside of ``with`` blocks: the default budget of the releases, and labels.

Both are context variables: a new thread starts without them, an asyncio task with those where it was
made, a forked process with those of its parent, and any other process without.

A generator shares its caller's context: between two steps, the caller would see the generator's blocks. A
block that a generator opened is therefore in force only while its frame is on the call stack. If contextlib
or a pytest fixture drives a generator as a context manager, its blocks belong to the frame that entered it.

Blocks that are open in other threads are known, too: an unpaid release may have been meant for one of them.
Python does not tell which thread started another. A thread that is younger than a block is taken for one that
was started inside. One that is older is not, unless it works for a pool: what a pool's thread does was handed
to it later, here from inside of the block. Threads of one pool hand each other nothing.
"""

from __future__ import annotations

import inspect
import sys
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from itertools import count
from types import FrameType
from typing import NamedTuple, Protocol

from pydpstat._warn import warn_unpaid
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee


class Spender(Protocol):
    """What a release needs of a budget."""

    def spend(self, guarantee: Guarantee, call: str) -> None:
        """Record the spend, or raise an error where it would exceed the budget."""


class Subject(NamedTuple):
    """What the release that is being paid for is about, and its mechanism, in words."""

    label: str = ""
    mechanism: str = ""


@dataclass(frozen=True, eq=False)
class _Open:
    """A budget in force, None if the whole was paid for before its parts; and the frame that opened it."""

    budget: Spender | None
    frame: FrameType | None
    number: int
    task: object = None

    @property
    def bound(self) -> bool:
        """Whether a generator opened it."""
        return self.frame is not None and bool(self.frame.f_code.co_flags & _GENERATOR)


_GENERATOR = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
# modules that drive a generator as a context manager
_DRIVERS = ("contextlib", "_pytest.", "pytest_asyncio", "anyio.pytest_plugin", "unittest.")
_METHODS = ("__enter__", "__exit__", "__aenter__", "__aexit__")
_numbers = count()
# the innermost block is the last
_BUDGETS: ContextVar[tuple[_Open, ...]] = ContextVar("pydpstat budgets", default=())
# blocks of generators in all contexts: each step may run in a different one
_BOUND: list[_Open] = []
_LABELS: ContextVar[tuple[tuple[_Open, str], ...]] = ContextVar("pydpstat labels", default=())
_SUBJECT: ContextVar[Subject] = ContextVar("pydpstat subject", default=Subject())


def in_force() -> tuple[Spender | None, ...]:
    """Return the budgets of the blocks around, the innermost last; empty outside of every block."""
    found = _BUDGETS.get()
    if not _BOUND and not any(each.bound for each in found):
        return tuple(each.budget for each in found)
    return tuple(each.budget for each in _ordered((*found, *(each for each in _BOUND if each not in found))))


def _ordered(found: Sequence[_Open]) -> list[_Open]:
    """Return the blocks in force here, the innermost last; a generator's only while it runs."""
    depths = _depths()
    kept = [each for each in found if not each.bound or id(each.frame) in depths]
    for each in found:
        # a copied context: from inside the generator, or from its caller
        if (
            each.bound
            and id(each.frame) not in depths
            and each in _BUDGETS.get()
            and each.task is not _task()
        ):
            raise PydpstatError(
                "budget must be given for this release: a generator outside of this task or thread opened "
                f"`with budget:` for {each.budget!r}, and whether the task was started inside is not known. "
                "Write budget= in the call, or open the block in the task."
            )

    def place(one: _Open) -> tuple[int, int]:
        if not one.bound:
            return one.number, 0
        outer = [
            each.number
            for each in kept
            if not each.bound and depths.get(id(each.frame), -1) > depths[id(one.frame)]
        ]
        return max(one.number, *outer, 0), 1

    return sorted(kept, key=place)


def _depths() -> dict[int, int]:
    """Return the depth of each frame on the call stack, by its identity."""
    found: dict[int, int] = {}
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        found[id(frame)] = len(found)
        frame = frame.f_back
    return found


def _owner() -> FrameType | None:
    """Return the frame that a block belongs to: the first one outside context managers."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        driver = "" if frame.f_back is None else str(frame.f_back.f_globals.get("__name__", ""))
        driven = frame.f_code.co_flags & _GENERATOR and driver.startswith(_DRIVERS)
        own = name == __name__ or frame.f_code.co_name in _METHODS
        if not (driven or own or name.startswith(_DRIVERS)):
            return frame
        frame = frame.f_back
    return None


def _task() -> object:
    """Return the running asyncio task, else the thread."""
    asyncio = sys.modules.get("asyncio")
    try:
        running = None if asyncio is None else asyncio.current_task()
    except RuntimeError:
        running = None
    return threading.current_thread() if running is None else running


def _opened(budget: Spender | None) -> _Open:
    frame = _owner()
    block = _Open(budget, frame, next(_numbers))
    return replace(block, task=_task()) if block.bound else block


def default() -> Spender | None:
    """Return the innermost block's budget; None outside of every block."""
    budgets = in_force()
    return budgets[-1] if budgets else None


def around() -> Spender | None:
    """Return the budget of the innermost block that has one, also where it paid for the whole in advance."""
    return next((budget for budget in reversed(in_force()) if budget is not None), None)


def enter(budget: Spender | None) -> None:
    """Make a budget the default, until it is left."""
    block = _opened(budget)
    _BUDGETS.set((*_BUDGETS.get(), block))
    if block.bound:
        _BOUND.append(block)


def leave(budget: Spender | None) -> None:
    """Leave the innermost block of a budget; nothing happens where there is none, as in another thread."""
    frame, blocks = _owner(), _BUDGETS.get()
    here = [each for each in (*blocks, *_BOUND) if each.budget is budget]
    # a generator that is closed elsewhere leaves its own block
    own = [each for each in here if each.frame is frame] or [each for each in here if not each.bound]
    own = own or [each for each in here if each in blocks]
    if own:
        left = max(own, key=lambda each: each.number)
        _BUDGETS.set(tuple(each for each in blocks if each is not left))
        if left in _BOUND:
            _BOUND.remove(left)


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
    block = _opened(budget)
    _LABELS.set((*_LABELS.get(), (block, label)))
    try:
        yield
    finally:
        _LABELS.set(tuple(each for each in _LABELS.get() if each[0] is not block))


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
    labels = {block: label for block, label in _LABELS.get() if block.budget is budget}
    # most releases have no label
    last = _ordered(tuple(labels))[-1:] if labels else []
    return labels[last[0]] if last else _SUBJECT.get().label


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
