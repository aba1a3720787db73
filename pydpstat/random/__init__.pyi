# Written by tools/stubs.py from the names in __init__.py.

from pydpstat.random import r_stream as r_stream
from pydpstat.random import secure as secure
from pydpstat.random.r_stream import RRandom as RRandom
from pydpstat.random.source import Source as Source
from pydpstat.random.source import source_from as source_from

__all__ = [
    "RRandom",
    "Source",
    "source_from",
]
