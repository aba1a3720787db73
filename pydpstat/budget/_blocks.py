"""Context of ``with`` blocks: the default budget of releases, and labels.

Both are context variables: a new thread starts without them, an asyncio task with those of the place where it was
created, a forked process with those of its parent, and any other process without.

A generator shares its caller's context: between two steps, the caller would see the generator's blocks. A block that a
generator opened therefore applies only while its frame is on the call stack. If contextlib or a pytest fixture drives a
generator as a context manager, its blocks belong to the frame that entered it.

Blocks open in other threads are recorded, too, because an uncharged release may have been meant for one of them. Python
does not record which thread started another. A thread that is younger than a block is assumed to have been started
inside the block. An older thread is not, unless it is a pool's: its task was then submitted later, here from inside the
block. Threads of one pool do not submit tasks to each other.
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

from pydpstat._warn import warn_uncharged
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee


class Chargeable(Protocol):
    """Interface of a budget that a release can be charged to."""

    def spend(self, guarantee: Guarantee, call: str) -> None:
        """Record the cost, or raise an error if it would exceed the budget."""


class CallText(str):
    """Text of a call, with the subject and the mechanism of its release in words, and its record if it has one.

    It is a string, so that it passes through the `spend` of any budget, also of a user's own.
    """

    __slots__ = ("mechanism", "record", "subject")
    subject: str
    mechanism: str
    record: object

    def __new__(cls, call: str, subject: str = "", mechanism: str = "", record: object = None) -> CallText:
        """Create the text."""
        text = super().__new__(cls, call)
        text.subject, text.mechanism, text.record = subject, mechanism, record
        return text


@dataclass(frozen=True, eq=False)
class _OpenBlock:
    """An open block with the frame that opened it; the budget is None if the whole was charged before its parts."""

    budget: Chargeable | None
    frame: FrameType | None
    number: int
    task: object = None

    @property
    def is_generator(self) -> bool:
        """Whether a generator opened the block."""
        return self.frame is not None and bool(self.frame.f_code.co_flags & _GENERATOR_FLAGS)


_GENERATOR_FLAGS = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
# modules that drive a generator as a context manager
_DRIVERS = ("contextlib", "_pytest.", "pytest_asyncio", "anyio.pytest_plugin", "unittest.")
_METHODS = ("__enter__", "__exit__", "__aenter__", "__aexit__")
_block_numbers = count()


class _ContextBlocks(NamedTuple):
    """Open blocks of a context, the innermost last: those of budgets, and those of labels."""

    budgets: tuple[_OpenBlock, ...] = ()
    labels: tuple[tuple[_OpenBlock, str], ...] = ()


# a block reaches every release inside, also in functions that do not know of it
_BLOCKS: ContextVar[_ContextBlocks] = ContextVar("pydpstat blocks", default=_ContextBlocks())
# blocks of generators in all contexts: each step may run in a different one
_GENERATOR_BLOCKS: list[_OpenBlock] = []


def get_open_budgets() -> tuple[Chargeable | None, ...]:
    """Return the budgets of the enclosing blocks, the innermost last; empty outside all blocks."""
    blocks = _BLOCKS.get().budgets
    if not _GENERATOR_BLOCKS and not any(block.is_generator for block in blocks):
        return tuple(block.budget for block in blocks)
    return tuple(
        block.budget
        for block in _order_blocks((*blocks, *(block for block in _GENERATOR_BLOCKS if block not in blocks)))
    )


def _order_blocks(found: Sequence[_OpenBlock]) -> list[_OpenBlock]:
    """Return the blocks that apply here, the innermost last; a generator's only while it runs."""
    depths = _get_frame_depths()
    open_blocks = [block for block in found if not block.is_generator or id(block.frame) in depths]
    for block in found:
        # a copied context may stem from inside the generator or from its caller
        if (
            block.is_generator
            and id(block.frame) not in depths
            and block in _BLOCKS.get().budgets
            and block.task is not _get_task()
        ):
            raise PydpstatError(
                "budget must be given for this release: a generator outside of this task or thread opened "
                f"`with budget:` for {block.budget!r}, and whether the task was started inside is not known. "
                "Write budget= in the call, or open the block in the task."
            )

    def get_order_key(one: _OpenBlock) -> tuple[int, int]:
        if not one.is_generator:
            return one.number, 0
        outer = [
            block.number
            for block in open_blocks
            if not block.is_generator and depths.get(id(block.frame), -1) > depths[id(one.frame)]
        ]
        return max(one.number, *outer, 0), 1

    return sorted(open_blocks, key=get_order_key)


def _get_frame_depths() -> dict[int, int]:
    """Return the depth of each frame on the call stack, by the frame's id."""
    depths: dict[int, int] = {}
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        depths[id(frame)] = len(depths)
        frame = frame.f_back
    return depths


def _find_owner() -> FrameType | None:
    """Return the frame that a block belongs to: the first one outside context managers."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        driver = "" if frame.f_back is None else str(frame.f_back.f_globals.get("__name__", ""))
        driven = frame.f_code.co_flags & _GENERATOR_FLAGS and driver.startswith(_DRIVERS)
        is_own = name == __name__ or frame.f_code.co_name in _METHODS
        if not (driven or is_own or name.startswith(_DRIVERS)):
            return frame
        frame = frame.f_back
    return None


def _get_task() -> object:
    """Return the running asyncio task, else the thread."""
    asyncio = sys.modules.get("asyncio")
    try:
        running = None if asyncio is None else asyncio.current_task()
    except RuntimeError:
        running = None
    return threading.current_thread() if running is None else running


def _make_block(budget: Chargeable | None) -> _OpenBlock:
    frame = _find_owner()
    block = _OpenBlock(budget, frame, next(_block_numbers))
    return replace(block, task=_get_task()) if block.is_generator else block


def get_default_budget() -> Chargeable | None:
    """Return the innermost block's budget; None outside all blocks."""
    budgets = get_open_budgets()
    return budgets[-1] if budgets else None


def get_enclosing_budget() -> Chargeable | None:
    """Return the innermost budget of the enclosing blocks, even if it was charged for the whole in advance."""
    return next((budget for budget in reversed(get_open_budgets()) if budget is not None), None)


def open_block(budget: Chargeable | None) -> None:
    """Make a budget the default until its block is closed."""
    block = _make_block(budget)
    blocks = _BLOCKS.get()
    _BLOCKS.set(blocks._replace(budgets=(*blocks.budgets, block)))
    if block.is_generator:
        _GENERATOR_BLOCKS.append(block)


def close_block(budget: Chargeable | None) -> None:
    """Close the innermost block of a budget; do nothing if there is none, as in another thread."""
    frame, blocks = _find_owner(), _BLOCKS.get().budgets
    same_budget = [block for block in (*blocks, *_GENERATOR_BLOCKS) if block.budget is budget]
    # a generator that is closed elsewhere closes its own block
    candidates = [block for block in same_budget if block.frame is frame] or [
        block for block in same_budget if not block.is_generator
    ]
    candidates = candidates or [block for block in same_budget if block in blocks]
    if candidates:
        closed = max(candidates, key=lambda each: each.number)
        _BLOCKS.set(_BLOCKS.get()._replace(budgets=tuple(block for block in blocks if block is not closed)))
        if closed in _GENERATOR_BLOCKS:
            _GENERATOR_BLOCKS.remove(closed)


@contextmanager
def use_budget(budget: Chargeable | None) -> Iterator[None]:
    """Use a budget as the default within the block; None disables charging."""
    open_block(budget)
    try:
        yield
    finally:
        close_block(budget)


@contextmanager
def label_charges(budget: Chargeable, label: str) -> Iterator[None]:
    """Label charges to a budget within the block."""
    block = _make_block(budget)
    blocks = _BLOCKS.get()
    _BLOCKS.set(blocks._replace(labels=(*blocks.labels, (block, label))))
    try:
        yield
    finally:
        blocks = _BLOCKS.get()
        _BLOCKS.set(blocks._replace(labels=tuple(each for each in blocks.labels if each[0] is not block)))


def get_block_label(budget: Chargeable) -> str | None:
    """Return the innermost label of a budget; None if there is none."""
    labels = {block: label for block, label in _BLOCKS.get().labels if block.budget is budget}
    # most releases have no label
    last = _order_blocks(tuple(labels))[-1:] if labels else []
    return labels[last[0]] if last else None


_POOL_MODULES = ("concurrent.futures.thread", "multiprocessing.pool")


@dataclass(frozen=True, eq=False)
class _ThreadBlock:
    budget: object
    thread: threading.Thread
    older_threads: weakref.WeakSet[threading.Thread]
    is_pool_thread: bool


# open blocks of all threads, the latest at the end
OPEN_BLOCKS: list[_ThreadBlock] = []


def register_block(budget: object) -> None:
    """Record that this thread opened a block."""
    OPEN_BLOCKS.append(
        _ThreadBlock(budget, threading.current_thread(), weakref.WeakSet(threading.enumerate()), _is_pool_thread())
    )


def drop_block(budget: object) -> None:
    """Record that this thread left its innermost block of a budget."""
    thread = threading.current_thread()
    for block in reversed(OPEN_BLOCKS):
        if block.budget is budget and block.thread is thread:
            OPEN_BLOCKS.remove(block)
            return


def warn_of_a_block_elsewhere() -> None:
    """Warn about an uncharged release that may have been meant for a block of another thread."""
    thread = threading.current_thread()
    for block in reversed(OPEN_BLOCKS):
        # after a fork, the other threads and their blocks exist in the parent only
        is_reachable = block.thread is thread or not block.thread.is_alive()
        if not is_reachable and (thread not in block.older_threads or (_is_pool_thread() and not block.is_pool_thread)):
            warn_uncharged(
                "this release is not charged to a budget: `with budget:` is open in another thread, "
                f"for {block.budget!r}, and the block does not extend to threads that are started "
                "inside. Give budget=, or write `with budget:` in the thread, too."
            )
            return


def _is_pool_thread() -> bool:
    frame = sys._getframe(1)
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_globals.get("__name__") in _POOL_MODULES:
            return True
    return False
