"""Modules available to a ported script, by their names in it."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

# import path of each module
MODULE_PATHS = {
    **{name: name for name in ("math", "secrets", "warnings")},
    **{"np": "numpy", "pd": "pandas", "pydpstat": "pydpstat"},
    **{"diffpriv": "pydpstat.diffpriv", "dppack": "pydpstat.dppack", "r": "pydpstat.porting.r"},
}
# R's stream of random numbers, and its class
STREAM_NAME, STREAM_CLASS_NAME = "rng", "RRandom"
RESERVED_NAMES = frozenset([*MODULE_PATHS, STREAM_NAME, STREAM_CLASS_NAME])


@cache
def load_module(name: str) -> Any:
    """Return a module, or the stream's class; None for other names.

    Examples
    --------
    >>> load_module("math").pi, load_module("rng").__name__, load_module("os")
    (3.141592653589793, 'RRandom', None)
    """
    if name == STREAM_NAME:
        return getattr(import_module("pydpstat.random.r_stream"), STREAM_CLASS_NAME)
    return import_module(MODULE_PATHS[name]) if name in MODULE_PATHS else None
