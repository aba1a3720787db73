"""What may be published: `DPResults`, `DPResultsPair` where R returns two versions, `ModelResults`."""

from pydpstat.results.model_results import ModelResults
from pydpstat.results.pair import DPResultsPair
from pydpstat.results.results import DPResults

__all__ = ["DPResults", "DPResultsPair", "ModelResults"]
