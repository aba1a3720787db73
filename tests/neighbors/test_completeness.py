"""Every public function of the package's own is run on neighboring data, or it is said why not."""

import pydpstat
from pydpstat import consistency, local
from tests.neighbors.surveys import ACCESSES, SURVEYS
from tests.neighbors.table import FUNCTIONS

# what has the R originals' names keeps what they keep
MIRRORS = ("pydpstat.dppack", "pydpstat.diffpriv", "pydpstat.random.r_stream")
_PUBLIC = "takes no data"
_RESULT = "is made by a function that releases"
_LATER = "takes what has been released"
_WHY = {
    _PUBLIC: """Budget BudgetExceeded Guarantee PrivacyWarning PydpstatError calibrate_gaussian compose plan
        symmetric_geometric_noise local.experiment local.get_prob_from_epsilon local.required_n
        local.run_n_experiments consistency.ConvergenceWarning consistency.Hierarchy""",
    _RESULT: """AuditResults DPResults DPResultsPair GroupedHistogramResults GroupedResults HistogramResults
        InferenceResults ModelResults PairwiseResults RegressionResults TableResults
        local.ResponseResults consistency.HierarchyFit consistency.HierarchyResults consistency.TableFit""",
    _LATER: """statement local.uncertainty consistency.controlled_rounding consistency.ipf
        consistency.least_squares consistency.make_consistent""",
    "runs a release of the caller's own, on data that are made up for it": "audit",
    "is made by design": "Design",
    "is made by federate_array": "local.FederatedArray",
    "is the base of the designs": "local.ResponseDesign",
}
EXEMPT = {name: why for why, names in _WHY.items() for name in names.split()}


def own():
    """Names of all that is public and the package's own."""
    names = {name for name, home in pydpstat._HOMES.items() if not home.startswith(MIRRORS)}
    names |= {f"local.{name}" for name in local.__all__}
    return names | {f"consistency.{name}" for name in consistency.__all__}


def run():
    """Names of what is run on neighboring data."""
    names = {function.name.split(",")[0] for function in FUNCTIONS}
    names = {f"consistency.{name}" if name in consistency.__all__ else name for name in names}
    designs = [type(survey.design(True)).__name__ for survey in SURVEYS]
    return names | {f"local.{name}" for name in (*designs, *(type(each).__name__ for each in ACCESSES))}


def test_no_function_is_forgotten():
    # every survey is asked as nodes, too
    covered = run() | {"local.federate_array"}
    assert not covered & {*EXEMPT}, f"{covered & {*EXEMPT}} are run: they need no exemption"
    missing, gone = own() - covered - {*EXEMPT}, (covered | {*EXEMPT}) - own()
    assert not missing, f"add {missing} to tests/neighbors/table.py, or say in EXEMPT why not"
    assert not gone, f"{gone} are not public any more"
