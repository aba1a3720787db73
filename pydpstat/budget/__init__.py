"""A privacy budget and its ledger, in memory or in a file that several processes share."""

from pydpstat.budget.amounts import Amount, BudgetExceeded, Share
from pydpstat.budget.budget import Budget

__all__ = ["Amount", "Budget", "BudgetExceeded", "Share"]
