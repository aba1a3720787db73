"""Local privacy: answers that are private before anybody collects them.

Randomized response for two categories or more (`RandomizedResponse`, `RandomizedResponseCoins`), what
can be estimated from the answers, and data that lie on many nodes (`federate_array`).
"""

from pydpstat.local.access import GaussianAccess, LaplaceAccess
from pydpstat.local.design import ResponseDesign
from pydpstat.local.federated import FederatedArray, federate_array
from pydpstat.local.planning import get_prob_from_epsilon, uncertainty
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
    "federate_array",
    "get_prob_from_epsilon",
    "required_n",
    "uncertainty",
]
