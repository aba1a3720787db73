"""R's grammar, read in Python: scripts become trees, as R's own ``parse`` makes them."""

from pydpstat.porting._grammar import parse, read
from pydpstat.porting._syntax import Argument, Call, Constant, Function, Name, RSyntaxError, Script

__all__ = ["Argument", "Call", "Constant", "Function", "Name", "RSyntaxError", "Script", "parse", "read"]
