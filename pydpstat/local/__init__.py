"""Local privacy: answers that are private before they are collected.

Randomized response for two or more categories (`RandomizedResponse`, `RandomizedResponseCoins`), estimates from the
answers, data distributed over many nodes (`federate_array`), and simulated surveys of such nodes (`run_n_experiments`).
"""

from pydpstat._lazy import explain_missing_names as _answer_names
from pydpstat.local.access import GaussianAccess, LaplaceAccess
from pydpstat.local.design import ResponseDesign
from pydpstat.local.federated import FederatedArray, federate_array
from pydpstat.local.planning import experiment, get_prob_from_epsilon, run_n_experiments, uncertainty
from pydpstat.local.randomized_response import RandomizedResponse, RandomizedResponseCoins, required_n
from pydpstat.local.results import ResponseResults

__all__ = [
    "FederatedArray",
    "GaussianAccess",
    "LaplaceAccess",
    "RandomizedResponse",
    "RandomizedResponseCoins",
    "ResponseDesign",
    "ResponseResults",
    "experiment",
    "federate_array",
    "get_prob_from_epsilon",
    "required_n",
    "run_n_experiments",
    "uncertainty",
]

_answer_names(globals())
del _answer_names
