"""A parser of R's grammar in Python, whose trees equal those of R's ``parse``."""

from pydpstat.porting._grammar import parse, read
from pydpstat.porting._syntax import Argument, Call, Constant, Function, Name, RSyntaxError, Script

__all__ = ["Argument", "Call", "Constant", "Function", "Name", "RSyntaxError", "Script", "parse", "read"]
