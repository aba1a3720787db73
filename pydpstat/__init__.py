"""Differential privacy for statisticians who come from R."""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# each public name and the module that has it; a name is imported when it is first asked for
_HOMES = {
    "DPResults": "pydpstat.results",
    "DPResultsPair": "pydpstat.results",
    "Guarantee": "pydpstat.privacy",
    "PrivacyWarning": "pydpstat.errors",
    "PydpstatError": "pydpstat.errors",
    "RRandom": "pydpstat.random.r_stream",
    "GaussianMechanism": "pydpstat.dppack",
    "LaplaceMechanism": "pydpstat.dppack",
    "calibrateAnalyticGaussianMechanism": "pydpstat.dppack",
    "calibrate_gaussian": "pydpstat.mechanisms",
    "covDP": "pydpstat.dppack",
    "histogramDP": "pydpstat.dppack",
    "meanDP": "pydpstat.dppack",
    "sdDP": "pydpstat.dppack",
    "symmetric_geometric": "pydpstat.integer_noise",
    "symmetric_geometric_noise": "pydpstat.integer_noise",
    "tableDP": "pydpstat.dppack",
    "varDP": "pydpstat.dppack",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
