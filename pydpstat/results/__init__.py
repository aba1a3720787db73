"""What may be published: `DPResults`, and `DPResultsPair` where R returns two versions."""

from pydpstat.results.pair import DPResultsPair
from pydpstat.results.results import DPResults

__all__ = ["DPResults", "DPResultsPair"]
