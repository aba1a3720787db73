"""Design of a study: public facts declared once (`pydpstat.design`)."""

from pydpstat._lazy import explain_missing_names as _answer_names
from pydpstat.designs.design import Design, design

__all__ = ["Design", "design"]

_answer_names(globals())
del _answer_names
