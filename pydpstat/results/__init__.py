"""What may be published of releases, models, tests and regressions."""

from pydpstat._lazy import explain_missing_names as _answer_names
from pydpstat.results._intervals import ConfidenceInterval
from pydpstat.results.inference_results import InferenceResults
from pydpstat.results.model_results import ModelResults
from pydpstat.results.pairwise_results import PairwiseResults
from pydpstat.results.regression_results import RegressionResults
from pydpstat.results.results import DPResults, DPResultsPair

__all__ = [
    "ConfidenceInterval",
    "DPResults",
    "DPResultsPair",
    "InferenceResults",
    "ModelResults",
    "PairwiseResults",
    "RegressionResults",
]

_answer_names(globals())
del _answer_names
