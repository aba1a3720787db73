"""The design of a study: public facts declared once (`pydpstat.design`)."""

from pydpstat.designs.design import Design, design

__all__ = ["Design", "design"]
