"""The condition of a random sample says what is drawn: records, or whole units."""

import numpy as np
import pytest

import pydpstat as dp


def drawn(result):
    return next(each for each in result.guarantee.conditions if "random sample" in each)


@pytest.mark.parametrize(
    "call",
    [
        lambda **how: dp.mean(np.arange(20) / 20, 1.0, bounds=(0, 1), **how),
        lambda **how: dp.count(np.arange(20) > 5, 1.0, **how),
        lambda **how: dp.crosstab(["a", "b"] * 10, 1.0, levels=["a", "b"], **how),
    ],
)
def test_a_sample_with_a_unit_is_one_of_units(call):
    how = {"neighbors": "unbounded", "sample": 0.5, "rng": 1}
    assert "every record was kept independently with probability 0.5" in drawn(call(**how))
    told = drawn(call(**how, unit=np.arange(20) // 2, max_records=2))
    assert "every unit, with its records, was kept independently" in told and "every record" not in told


def test_a_guarantee_of_units_says_so_for_both_kinds_of_samples():
    units = dp.Guarantee(1.0, 0.0, "bounded", unit="person").subsampled(0.1, "without replacement")
    assert "a share of 0.1 of the units" in units.conditions[-1]
    records = dp.Guarantee(1.0, 0.0, "bounded").subsampled(0.1, "without replacement")
    assert "a share of 0.1 of the records" in records.conditions[-1]
