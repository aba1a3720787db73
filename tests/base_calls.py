"""A call that works for every public function, and the public names that are none."""

from tests.mirror_base_calls import diffpriv_calls, dppack_calls
from tests.named_call import Base
from tests.own_base_calls import own_calls

BASES: dict[str, Base] = {**own_calls(), **dppack_calls(), **diffpriv_calls()}
# what is no function of its arguments: results, errors, virtual classes, the version
NO_CALLS = (
    "__version__",
    "AuditResults",
    "BudgetExceeded",
    "DPResults",
    "DPResultsPair",
    "Design",
    "DPMech",
    "DPMechNumeric",
    "GroupedHistogramResults",
    "GroupedResults",
    "HistogramResults",
    "InferenceResults",
    "ModelResults",
    "PairwiseResults",
    "PrivacyWarning",
    "PydpstatError",
    "RegressionResults",
    "TableResults",
)
