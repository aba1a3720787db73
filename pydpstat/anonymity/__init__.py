"""Anonymization of tables: k-anonymity, microaggregation, generalization, and the loss of information.

None of it is differentially private. A table is k-anonymous if each row is indistinguishable from at least k - 1 others
by its quasi-identifiers; this does not protect against other knowledge of an outsider.
"""

from pydpstat._lazy import attach_names as _attach

_HOMES = {
    "AnonymizationResults": "pydpstat.anonymity.results",
    "add_noise": "pydpstat.anonymity.masking",
    "categorize": "pydpstat.anonymity.masking",
    "drop_unique_identifiers": "pydpstat.anonymity.masking",
    "evaluate_anonymization": "pydpstat.anonymity.measures",
    "find_isolated": "pydpstat.anonymity.masking",
    "k_anonymity": "pydpstat.anonymity.measures",
    "k_means": "pydpstat.anonymity.aggregation",
    "k_means_by_col": "pydpstat.anonymity.aggregation",
    "l_diversity": "pydpstat.anonymity.measures",
    "microaggregation": "pydpstat.anonymity.aggregation",
    "mse_by_col": "pydpstat.anonymity.measures",
    "reidentification_risk": "pydpstat.anonymity.measures",
    "round_columns": "pydpstat.anonymity.masking",
    "simulate_loans": "pydpstat.anonymity.example_data",
}

__all__ = list(_HOMES)

__getattr__, __dir__ = _attach(globals(), _HOMES)
