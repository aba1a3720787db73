"""A privacy budget with its ledger in memory, in a file shared by several processes, or in PostgreSQL."""

from pydpstat._lazy import explain_missing_names as _answer_names
from pydpstat.budget.allocation import Allocation
from pydpstat.budget.amounts import Amount, BudgetExceeded, Share
from pydpstat.budget.budget import Budget
from pydpstat.budget.reservation import Reservation

__all__ = ["Allocation", "Amount", "Budget", "BudgetExceeded", "Reservation", "Share"]

_answer_names(globals())
del _answer_names
