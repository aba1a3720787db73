"""The audit of releases by group and by unit: a sensitivity that is a tenth too small is found."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pydpstat.auditing import audit
from pydpstat.auditing._cases import all_cases
from pydpstat.privacy import Guarantee
from pydpstat.statistics import counts, mean

CASES = {case.name: case for case in all_cases()}
# what suffices to find 1 / 0.9 behind a claim of 1; the draws are seeded
DRAWS = 200_000
FOUND = {
    "sum by unit, unbounded, many groups": (mean, "_reach"),
    "count by unit, unbounded, many groups": (counts, "reach_of"),
    "proportion by unit, unbounded, many groups": (counts, "reach_of"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FOUND)
def test_a_sensitivity_that_is_a_tenth_too_small_is_found(name, monkeypatch):
    case, (where, what) = CASES[name], FOUND[name]
    real = getattr(where, what)
    monkeypatch.setattr(where, what, lambda *given: real(*given) * Fraction(9, 10))
    found = audit(case.release, case.data, case.neighbor, claim=Guarantee(1.0), samples=DRAWS, rng=1)
    assert found.violates and 1.0 < found.epsilon_lower < 1.0 / 0.9 + 0.01


def test_every_statistic_has_cases_by_group_and_by_unit():
    own = "mean sum var std count proportion cov corr".split()
    for scope in ("by group", "by unit"):
        for name in own:
            assert [each.startswith(f"{name} {scope}") for each in CASES].count(True) == 2
