"""What may be published: `DPResults`, `DPResultsPair` where R returns two versions, `ModelResults`."""

from pydpstat.results.model_results import ModelResults
from pydpstat.results.results import DPResults, DPResultsPair

__all__ = ["DPResults", "DPResultsPair", "ModelResults"]
