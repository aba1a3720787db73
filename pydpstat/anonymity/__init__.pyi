# Written by tools/stubs.py from the names in __init__.py.

from pydpstat.anonymity.aggregation import k_means as k_means
from pydpstat.anonymity.aggregation import k_means_by_col as k_means_by_col
from pydpstat.anonymity.aggregation import microaggregation as microaggregation
from pydpstat.anonymity.example_data import simulate_loans as simulate_loans
from pydpstat.anonymity.masking import add_noise as add_noise
from pydpstat.anonymity.masking import categorize as categorize
from pydpstat.anonymity.masking import drop_unique_identifiers as drop_unique_identifiers
from pydpstat.anonymity.masking import find_isolated as find_isolated
from pydpstat.anonymity.masking import round_columns as round_columns
from pydpstat.anonymity.measures import evaluate_anonymization as evaluate_anonymization
from pydpstat.anonymity.measures import k_anonymity as k_anonymity
from pydpstat.anonymity.measures import l_diversity as l_diversity
from pydpstat.anonymity.measures import mse_by_col as mse_by_col
from pydpstat.anonymity.measures import reidentification_risk as reidentification_risk
from pydpstat.anonymity.results import AnonymizationResults as AnonymizationResults

__all__ = [
    "AnonymizationResults",
    "add_noise",
    "categorize",
    "drop_unique_identifiers",
    "evaluate_anonymization",
    "find_isolated",
    "k_anonymity",
    "k_means",
    "k_means_by_col",
    "l_diversity",
    "microaggregation",
    "mse_by_col",
    "reidentification_risk",
    "round_columns",
    "simulate_loans",
]
