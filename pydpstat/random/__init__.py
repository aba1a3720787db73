"""Sources of randomness: the operating system, R's stream, and NumPy's generators.

A source draws noise for `pydpstat._release.pipeline`. All sources have the same methods, one per distribution.
"""

from pydpstat._lazy import attach_names as _attach

_HOMES = {
    "RRandom": "pydpstat.random.r_stream",
    "Source": "pydpstat.random.source",
    "source_from": "pydpstat.random.source",
}

_PARTS = ("r_stream", "secure")

__all__ = list(_HOMES)

__getattr__, __dir__ = _attach(globals(), _HOMES, _PARTS)
