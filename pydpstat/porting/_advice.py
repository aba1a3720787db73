"""Alternatives in pydpstat to R functions that have no counterpart in a translation.

The page "Which function for which question" has the same list; a test compares the two.
"""

from __future__ import annotations

import re

# R functions that are not translated, with a call from that page for the same question
ADVICE = {
    "ecdf": "dp.histogram(age, 0.5, edges=[18, 40, 65, 90]).cdf()",
    "by": 'by="region", levels=[...]',
    "group_by": 'by="region", levels=[...]',
    "groupby": 'by="region", levels=[...]',
    "oneway.test": 's.f_oneway("income ~ region", 0.5)',
    "aov": 's.f_oneway("income ~ region", 0.5)',
    "pairwise.t.test": "r.pairs()",
    "p.adjust": 'r.difference("f", "m")',
    "power.t.test": 'dp.plan("ttest_ind", 1, effect=0.4, power=0.8)',
    "power.prop.test": 'dp.plan("ttest_ind", 1, effect=0.4, power=0.8)',
    "vcovHC": 's.ols("income ~ age", 1.0, cov_type="HC3")',
    "linearHypothesis": "m.t_test(...)",
    "boot": "dp.any_interval(data, estimator, 1.0, range=(0, 1))",
    "svydesign": 's = dp.design(d, weights="w", bounds=..., levels=...)',
    "svymean": 's.weighted_mean("income", 0.5)',
    "svytotal": 's.weighted_total("income", 0.5)',
    "svyciprop": 's.weighted_proportion("employed", 0.5)',
    "svyquantile": 's.weighted_quantile("income", 0.5, 0.5)',
    "svyby": 's.weighted_mean("income", 0.5, by="region")',
    "plot": "r.plot()",
    "ggplot": "r.plot()",
    "geom_pointrange": "r.plot()",
    "Ipfp": "pydpstat.consistency.ipf",
}
# reasons other than a missing function, with the text to write instead
_REASON_ADVICE = {
    "a function with ...": "write the names of the arguments that it passes on in the place of the dots",
}
_NO_COUNTERPART = re.compile(r"(\S+) has no counterpart")


def add_advice(reason: str) -> str:
    """Return the reason for a refusal, extended by an alternative where one is known.

    Parameters
    ----------
    reason
        The reason, in the words of a report.

    Examples
    --------
    >>> add_advice("svymean has no counterpart")
    'svymean has no counterpart; for a private release s.weighted_mean("income", 0.5)'
    >>> add_advice("nosuch has no counterpart")
    'nosuch has no counterpart'
    """
    if reason in _REASON_ADVICE:
        return f"{reason}; {_REASON_ADVICE[reason]}"
    missing = _NO_COUNTERPART.fullmatch(reason)
    if missing is None or missing[1] not in ADVICE:
        return reason
    return f"{reason}; for a private release {ADVICE[missing[1]]}"
