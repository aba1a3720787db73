"""Auditing: a lower bound on the epsilon of any release, from its outcomes alone."""

from pydpstat._lazy import explain_missing_names as _answer_names
from pydpstat.auditing.audit import audit
from pydpstat.auditing.results import AuditResults

__all__ = ["AuditResults", "audit"]

_answer_names(globals())
del _answer_names
