"""What a ledger tells when it was damaged: what it told before, or an error; and junk to damage it with."""

from __future__ import annotations

import math
import os

from pydpstat import BudgetExceeded, Guarantee, PydpstatError

# how many damages of a kind; by hand PYDPSTAT_FUZZ=20000 finds what is rare
DAMAGES = int(os.environ.get("PYDPSTAT_FUZZ", "25"))
SPENT = ((0.25, 0.0), (0.125, 1e-7), (0.25, 0.0), (0.1, 1e-7))
TOO_MUCH = Guarantee(0.5)
# what a column may hold instead; SQLite takes anything anywhere
JUNK = (
    *(None, "", "x", "nan", "inf", "-inf", "-1.0", "1/0", "0", "0.0", "9.0", "1e308", "bounded ", "\u00e9"),
    *(b"\xff\xfe", b"1.0", 0, -1, 7, 2**62, -(2**63), 0.5, -0.5, 1e308, math.inf, -math.inf, "x" * 10_000),
)
USED = ("epsilon", "delta", "accountant", "neighbors", "unit", "spent", "remaining", "entries")


def filled(budget):
    """Spend what every ledger here has spent, so that 0.5 is refused, and return the budget."""
    for number, (epsilon, delta) in enumerate(SPENT):
        budget.spend(Guarantee(epsilon, delta), f"mean(x{number}, bounds=(0, 1))", label=f"wave {number}")
    return budget


def told(opened):
    """All that a ledger tells."""
    budget = opened()
    for view in (budget.to_frame, budget.to_csv, budget.to_json, budget.summary):
        view()
    return {name: getattr(budget, name) for name in USED}


def refused(use, place):
    """Tell whether a use ends with an error that names the ledger, and says what is wrong and what to do."""
    try:
        use()
    except BudgetExceeded:
        return False
    except PydpstatError as error:
        text = str(error)
        assert place in text and text.endswith(".") and ". " in text, text
        return True
    return False


def check(opened, before, place, budget=None):
    """Check that a ledger is refused, or is what it was, when it is opened and while a budget uses it.

    Tells whether it was refused when it was opened.
    """
    found = []
    error = refused(lambda: found.append(told(opened)), place)
    assert found == ([] if error else [before])
    for used in (opened, *([] if budget is None else [lambda: budget])):
        try:
            used().spend(TOO_MUCH, "mean(y)")
        except PydpstatError:
            continue
        raise AssertionError("it allows what it has not left")
    if budget is not None:
        refused(lambda: found.append({name: getattr(budget, name) for name in USED}), place)
        assert all(each == before for each in found)
    return error
