"""The auditor: a lower bound on the epsilon of any release, from its outcomes alone."""

from pydpstat.auditing.audit import audit
from pydpstat.auditing.results import AuditResults

__all__ = ["AuditResults", "audit"]
