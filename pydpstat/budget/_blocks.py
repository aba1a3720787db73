"""What is in force inside of ``with`` blocks: the default budget of the releases, and labels.

Both are context variables: a new thread starts without them, an asyncio task with those where it was
made, a forked process with those of its parent, and any other process without.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, Protocol

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
