"""What is asked of the data: a value, its sensitivity and its labels, before any protection."""

from pydpstat.queries.query import Query, Question

__all__ = ["Query", "Question"]
