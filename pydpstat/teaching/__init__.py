"""Tools for teaching: failures of releases without differential privacy, demonstrated and measured.

Nothing here protects data. The noise is a counterexample, the attacks are real, and `sensitivity` searches small
artificial domains.
"""

from pydpstat._lazy import explain_missing_names as _answer_names
from pydpstat.teaching.attacks import AveragingAttack, IntersectionAttack, averaging_attack, intersection_attack
from pydpstat.teaching.difference import DifferencingAttack, differencing
from pydpstat.teaching.figures import beside
from pydpstat.teaching.search import Sensitivity, sensitivity
from pydpstat.teaching.uniform import UniformNoise

__all__ = [
    "AveragingAttack",
    "DifferencingAttack",
    "IntersectionAttack",
    "Sensitivity",
    "UniformNoise",
    "averaging_attack",
    "beside",
    "differencing",
    "intersection_attack",
    "sensitivity",
]

_answer_names(globals())
del _answer_names
