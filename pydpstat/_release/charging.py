"""Charging of a release to the budget it names or to that of the enclosing ``with`` block."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from pydpstat import _checks as checks
from pydpstat.budget._blocks import OPEN_BLOCKS as open_blocks
from pydpstat.budget._blocks import (
    CallText,
    Chargeable,
    get_default_budget,
    get_enclosing_budget,
    get_open_budgets,
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
    """Default neighbors and unit of a release, and the composition of privacy losses."""

    neighbors: str = "bounded"
    unit: str | None = None
    accountant: str = "basic"


_WITHOUT_BUDGET = BudgetDefaults()


def get_budget_defaults(budget: Chargeable | None) -> BudgetDefaults:
    """Return the default neighbors and unit of a release, and the accountant.

    They are those of the given budget, else of the enclosing block; within a block that was charged as a whole they
    are those of the charged budget. Other objects with a method `spend` have the usual defaults.
    """
    if budget is None:
        if not get_open_budgets():
            return _WITHOUT_BUDGET
        budget = get_enclosing_budget()
    neighbors_and_unit = getattr(budget, "neighbors", "bounded"), getattr(budget, "unit", None)
    return BudgetDefaults(*neighbors_and_unit, getattr(budget, "accountant", "basic"))


def check_budget(budget: Chargeable | None) -> Chargeable | None:
    """Check that a budget, if given, has a method `spend`."""
    if budget is None or callable(getattr(budget, "spend", None)) and not isinstance(budget, type):
        return budget
    got = "the class itself" if isinstance(budget, type) else checks.describe_value(budget)
    raise PydpstatError(
        f"budget must be None or a Budget; got {got}. Give pydpstat.Budget(epsilon), or "
        "pydpstat.Budget(epsilon, path=...) for a file."
    )


class CallProtocol(Protocol):
    """Call record of a release."""

    def format_python(self) -> str:
        """Return the call as Python code."""

    def describe_release(self, variables: str = "") -> str:
        """Describe the release in words, with the names in `variables` if the call has none."""


def charge_budget(
    budget: Chargeable | None,
    guarantee: Guarantee,
    call_or_text: CallProtocol | str,
    describe_subject: Callable[[], str] = str,
    mechanism: str = "",
) -> None:
    """Charge the guarantee of a release just before its first draw; an error raised here prevents the release.

    If no budget is given, that of the innermost block is charged; outside of blocks none is, with a warning if a
    block of another thread may have been intended. The default label of the entry is the description of the
    release; `describe_subject` returns its variables and groups, and the `mechanism` is recorded, too.
    """
    payer = get_default_budget() if budget is None else budget
    if payer is not None:
        if isinstance(call_or_text, str):
            text = CallText(call_or_text, "", describe_noise(mechanism))
        else:
            words, call = call_or_text.describe_release(describe_subject()), call_or_text.format_python()
            text = CallText(call, words, describe_noise(mechanism), call_or_text)
        payer.spend(guarantee, text)
    elif open_blocks and not get_open_budgets():
        warn_of_a_block_elsewhere()


@contextmanager
def charge_once(
    budget: Chargeable | None, guarantee: Guarantee, call_or_text: CallProtocol | str, mechanism: str = ""
) -> Iterator[None]:
    """Charge several releases at once.

    Releases within the block are not charged again unless they name a budget.
    """
    charge_budget(budget, guarantee, call_or_text, mechanism=mechanism)
    with use_budget(None):
        yield


class _GuaranteePreview(BaseException):
    """Exception that carries a guarantee out of a release that is not made; it bypasses handlers of errors."""

    def __init__(self, guarantee: Guarantee) -> None:
        super().__init__()
        self.guarantee = guarantee


class _PreviewBudget:
    """Stand-in for a budget that ends a release when it is charged, before its first draw."""

    def __init__(self, budget_defaults: BudgetDefaults) -> None:
        self.neighbors, self.unit, self.accountant = budget_defaults

    def spend(self, guarantee: Guarantee, call: str) -> None:
        """Raise the guarantee."""
        raise _GuaranteePreview(guarantee)


def preview_guarantee(release: Callable[[], object]) -> Guarantee:
    """Return the guarantee of a release without making it.

    The release runs up to the point where it would charge a budget. A function that never charges one has an
    infinite epsilon.
    """
    with use_budget(_PreviewBudget(get_budget_defaults(None))):
        try:
            release()
        except _GuaranteePreview as told:
            return told.guarantee
    return Guarantee(math.inf)
