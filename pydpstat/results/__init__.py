"""Results of releases, models, tests and regressions, without private data."""

from pydpstat._lazy import explain_missing_names as _answer_names
from pydpstat.results._intervals import ConfidenceInterval
from pydpstat.results.grouped_results import GroupedResults
from pydpstat.results.histogram_results import GroupedHistogramResults, HistogramResults
from pydpstat.results.inference_results import InferenceResults
from pydpstat.results.model_results import ModelResults
from pydpstat.results.pairwise_results import PairwiseResults
from pydpstat.results.regression_results import RegressionResults
from pydpstat.results.release_pair import DPResultsPair
from pydpstat.results.results import DPResults
from pydpstat.results.table_results import TableResults

__all__ = [
    "ConfidenceInterval",
    "DPResults",
    "DPResultsPair",
    "GroupedHistogramResults",
    "GroupedResults",
    "HistogramResults",
    "InferenceResults",
    "ModelResults",
    "PairwiseResults",
    "RegressionResults",
    "TableResults",
]

_answer_names(globals())
del _answer_names
