"""Who pays for a release, and when: the budget that it names, or that of the ``with`` block around it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from pydpstat import _checks as checks
from pydpstat.budget._blocks import OPEN_BLOCKS as open_blocks
from pydpstat.budget._blocks import (
    Chargeable,
    get_default_budget,
    get_enclosing_budget,
    get_open_budgets,
    set_charge_subject,
    use_budget,
    warn_of_a_block_elsewhere,
)
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee
from pydpstat.results._words import describe_noise

__all__ = [
    "BudgetDefaults",
    "Chargeable",
    "get_budget_defaults",
    "preview_guarantee",
    "get_open_budgets",
    "charge_once",
    "charge_budget",
    "use_budget",
]


class BudgetDefaults(NamedTuple):
    """The neighbors and the unit of a release by default, and how privacy losses add up."""

    neighbors: str = "bounded"
    unit: str | None = None
    accountant: str = "basic"


_WITHOUT_BUDGET = BudgetDefaults()


def get_budget_defaults(budget: Chargeable | None) -> BudgetDefaults:
    """Return the default neighbors and unit of a release, and the accountant.

    They are those of the budget that it names, else of the block around; inside of what was paid for as a
    whole they are those of the budget that paid. Something else that can be spent from has none of its own.
    """
    if budget is None:
        if not get_open_budgets():
            return _WITHOUT_BUDGET
        budget = get_enclosing_budget()
    own = getattr(budget, "neighbors", "bounded"), getattr(budget, "unit", None)
    return BudgetDefaults(*own, getattr(budget, "accountant", "basic"))


def check_budget(budget: Chargeable | None) -> Chargeable | None:
    """Check that a budget, where one is given, can be spent from."""
    if budget is None or callable(getattr(budget, "spend", None)) and not isinstance(budget, type):
        return budget
    got = "the class itself" if isinstance(budget, type) else checks.describe_value(budget)
    raise PydpstatError(
        f"budget must be None or a Budget; got {got}. Give pydpstat.Budget(epsilon), or "
        "pydpstat.Budget(epsilon, path=...) for a file."
    )


class CallProtocol(Protocol):
    """What a release's call is written down as."""

    def format_python(self) -> str:
        """Return the call as Python would show it."""

    def describe_release(self, variables: str = "") -> str:
        """Return what was asked in words, with the data's names where the call does not have them."""


def charge_budget(
    budget: Chargeable | None,
    guarantee: Guarantee,
    call_or_text: CallProtocol | str,
    describe_subject: Callable[[], str] = str,
    mechanism: str = "",
) -> None:
    """Spend what a release keeps, just before its first draw; what this raises ends the release.

    Without a budget of its own the innermost block's pays; outside of every block nobody does, which
    warns where a block of another thread may have been meant. The entry's label is what was asked, in words,
    where the user gives none; `describe_subject` tells variables and groups, and the `mechanism` is written down, too.
    """
    payer = get_default_budget() if budget is None else budget
    if payer is not None:
        words, call = (
            ("", call_or_text)
            if isinstance(call_or_text, str)
            else (call_or_text.describe_release(describe_subject()), call_or_text.format_python())
        )
        with set_charge_subject(words, describe_noise(mechanism)):
            payer.spend(guarantee, call)
    elif open_blocks and not get_open_budgets():
        warn_of_a_block_elsewhere()


@contextmanager
def charge_once(
    budget: Chargeable | None, guarantee: Guarantee, call_or_text: CallProtocol | str, mechanism: str = ""
) -> Iterator[None]:
    """Pay for several releases at once: what is released inside costs no more, unless it names a budget."""
    charge_budget(budget, guarantee, call_or_text, mechanism=mechanism)
    with use_budget(None):
        yield


class _GuaranteePreview(BaseException):
    """Carries a guarantee out of a release that is not made; no handler of errors may stop it."""

    def __init__(self, guarantee: Guarantee) -> None:
        super().__init__()
        self.guarantee = guarantee


class _PreviewBudget:
    """Stands for a budget and ends a release where it would pay, before its first draw."""

    def __init__(self, budget_defaults: BudgetDefaults) -> None:
        self.neighbors, self.unit, self.accountant = budget_defaults

    def spend(self, guarantee: Guarantee, call: str) -> None:
        """Tell the guarantee."""
        raise _GuaranteePreview(guarantee)


def preview_guarantee(release: Callable[[], object]) -> Guarantee:
    """Return what a release without its own budget would keep; it runs up to its first draw.

    What never asks to be paid for guarantees nothing.
    """
    with use_budget(_PreviewBudget(get_budget_defaults(None))):
        try:
            release()
        except _GuaranteePreview as told:
            return told.guarantee
    return Guarantee(math.inf)
