"""Who pays for a release, and when: the budget that it names, or that of the ``with`` block around it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from pydpstat import _checks as checks
from pydpstat.budget._blocks import OPEN as open_blocks
from pydpstat.budget._blocks import (
    Spender,
    about,
    around,
    default,
    in_force,
    warn_of_a_block_elsewhere,
    within,
)
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee
from pydpstat.results._words import noise_words

__all__ = ["Defaults", "Spender", "defaults", "foreseen", "in_force", "paid", "pay", "within"]


class Defaults(NamedTuple):
    """The neighbors and the unit of a release by default, and how privacy losses add up."""

    neighbors: str = "bounded"
    unit: str | None = None
    accountant: str = "basic"


_WITHOUT_BUDGET = Defaults()


def defaults(budget: Spender | None) -> Defaults:
    """Return the default neighbors and unit of a release, and the accountant.

    They are those of the budget that it names, else of the block around; inside of what was paid for as a
    whole they are those of the budget that paid. Something else that can be spent from has none of its own.
    """
    if budget is None:
        if not in_force():
            return _WITHOUT_BUDGET
        budget = around()
    own = getattr(budget, "neighbors", "bounded"), getattr(budget, "unit", None)
    return Defaults(*own, getattr(budget, "accountant", "basic"))


def check_budget(budget: Spender | None) -> Spender | None:
    """Check that a budget, where one is given, can be spent from."""
    if budget is None or callable(getattr(budget, "spend", None)) and not isinstance(budget, type):
        return budget
    got = "the class itself" if isinstance(budget, type) else checks.shown(budget)
    raise PydpstatError(
        f"budget must be None or a Budget; got {got}. Give pydpstat.Budget(epsilon), or "
        "pydpstat.Budget(epsilon, path=...) for a file."
    )


class Record(Protocol):
    """What a release's call is written down as."""

    def python(self) -> str:
        """Return the call as Python would show it."""

    def in_words(self, named: str = "") -> str:
        """Return what was asked in words, with the data's names where the call does not have them."""


def pay(
    budget: Spender | None,
    guarantee: Guarantee,
    record: Record | str,
    named: Callable[[], str] = str,
    mechanism: str = "",
) -> None:
    """Spend what a release keeps, just before its first draw; what this raises ends the release.

    Without a budget of its own the innermost block's pays; outside of every block nobody does, which
    warns where a block of another thread may have been meant. The entry's label is what was asked, in words,
    where the user gives none; `named` tells variables and groups, and the `mechanism` is written down, too.
    """
    payer = default() if budget is None else budget
    if payer is not None:
        words, call = ("", record) if isinstance(record, str) else (record.in_words(named()), record.python())
        with about(words, noise_words(mechanism)):
            payer.spend(guarantee, call)
    elif open_blocks and not in_force():
        warn_of_a_block_elsewhere()


@contextmanager
def paid(
    budget: Spender | None, guarantee: Guarantee, record: Record | str, mechanism: str = ""
) -> Iterator[None]:
    """Pay for several releases at once: what is released inside costs no more, unless it names a budget."""
    pay(budget, guarantee, record, mechanism=mechanism)
    with within(None):
        yield


class _Foreseen(BaseException):
    """Carries a guarantee out of a release that is not made; no handler of errors may stop it."""

    def __init__(self, guarantee: Guarantee) -> None:
        super().__init__()
        self.guarantee = guarantee


class _Foresight:
    """Stands for a budget and ends a release where it would pay, before its first draw."""

    def __init__(self, of: Defaults) -> None:
        self.neighbors, self.unit, self.accountant = of

    def spend(self, guarantee: Guarantee, call: str) -> None:
        """Tell the guarantee."""
        raise _Foreseen(guarantee)


def foreseen(release: Callable[[], object]) -> Guarantee:
    """Return what a release without its own budget would keep; it runs up to its first draw.

    What never asks to be paid for guarantees nothing.
    """
    with within(_Foresight(defaults(None))):
        try:
            release()
        except _Foreseen as told:
            return told.guarantee
    return Guarantee(math.inf)
