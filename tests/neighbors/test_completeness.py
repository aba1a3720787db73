"""Every public function of the package's own is run on neighboring data, or it is said why not."""

from __future__ import annotations

import pydpstat
from pydpstat import consistency, local
from tests.neighbors.surveys import ACCESSES, SURVEYS
from tests.neighbors.table import FUNCTIONS

# what has the R originals' names keeps what they keep
MIRRORS = ("pydpstat.dppack", "pydpstat.diffpriv", "pydpstat.random.r_stream")
_PUBLIC = "takes no data"
_RESULT = "is made by a function that releases"
_LATER = "takes what has been released"
EXEMPT = {
    "Budget": _PUBLIC,
    "BudgetExceeded": _PUBLIC,
    "Guarantee": _PUBLIC,
    "PrivacyWarning": _PUBLIC,
    "PydpstatError": _PUBLIC,
    "calibrate_gaussian": _PUBLIC,
    "compose": _PUBLIC,
    "statement": _LATER,
    "plan": _PUBLIC,
    "symmetric_geometric_noise": _PUBLIC,
    "audit": "runs a release of the caller's own, on data that are made up for it",
    "AuditResults": _RESULT,
    "DPResults": _RESULT,
    "PairwiseResults": _RESULT,
    "Design": "is made by design",
    "DPResultsPair": _RESULT,
    "InferenceResults": _RESULT,
    "ModelResults": _RESULT,
    "RegressionResults": _RESULT,
    "local.FederatedArray": "is made by federate_array",
    "local.ResponseDesign": "is the base of the designs",
    "local.ResponseResults": _RESULT,
    "local.experiment": _PUBLIC,
    "local.get_prob_from_epsilon": _PUBLIC,
    "local.required_n": _PUBLIC,
    "local.run_n_experiments": _PUBLIC,
    "local.uncertainty": _LATER,
    "consistency.ConvergenceWarning": _PUBLIC,
    "consistency.Hierarchy": _PUBLIC,
    "consistency.HierarchyFit": _RESULT,
    "consistency.HierarchyResults": _RESULT,
    "consistency.TableFit": _RESULT,
    "consistency.controlled_rounding": _LATER,
    "consistency.ipf": _LATER,
    "consistency.least_squares": _LATER,
    "consistency.make_consistent": _LATER,
}


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
