"""Quantiles of whole numbers: which candidates are chosen from, and what decides that."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat._release.declared_facts import TYPES_CONDITION
from pydpstat.privacy import BoundedRangeLoss

AGES = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17] * 20
SAID = "chosen from the whole numbers from 0 to 100"


def released(x, bounds=(0, 100), **options):
    return dp.median(x, 1.0, bounds=bounds, rng=1, **options)


INTEGERS = {
    "int64": np.array(AGES),
    "uint8": np.array(AGES, dtype=np.uint8),
    "Series": pd.Series(AGES),
    "Int64": pd.Series(AGES, dtype="Int64"),
    "frame": pd.DataFrame({"age": AGES}),
    "matrix": np.array(AGES)[:, None],
}
FLOATS = {
    "float64": np.array(AGES, dtype=float),
    "Series": pd.Series(AGES, dtype=float),
    "Float64": pd.Series(AGES, dtype="Float64"),
    "missing": pd.Series([*AGES[:-1], None]),
}
WITHOUT = {
    "list": AGES,
    "tuple": tuple(AGES),
    "range": range(100),
    "list of floats": [float(each) for each in AGES],
    "list with None": [*AGES[:-1], None],
    "object": pd.Series(AGES, dtype=object),
}


@pytest.mark.parametrize("name", INTEGERS)
def test_an_integer_dtype_selects_whole_numbers(name):
    for bounds in ((0, 100), (0.0, 100.0)):
        r = released(INTEGERS[name], bounds)
        assert r.grid == 1.0 and r.postprocessing == (SAID,) and (value := float(r)).is_integer()
        assert TYPES_CONDITION in r.guarantee.conditions and SAID in str(r.summary())
        assert r.call.endswith("grid_points=101)") and f": {value:.0f}, (" in str(r)
    assert released(INTEGERS[name], (0, 3)).grid == 1.0


@pytest.mark.parametrize("name", FLOATS)
def test_a_dtype_of_floats_keeps_the_fine_grid(name):
    # bounds are written as integers out of habit
    r = released(FLOATS[name], missing=50)
    assert r.grid == 100 / 65536 and r.postprocessing == () and TYPES_CONDITION in r.guarantee.conditions


@pytest.mark.parametrize("name", WITHOUT)
def test_bounds_decide_where_there_is_no_dtype(name):
    x = WITHOUT[name]
    whole, fine = released(x, missing=50), released(x, (0.0, 100.0), missing=50)
    assert whole.grid == 1.0 and fine.grid == 100 / 65536
    assert all(TYPES_CONDITION not in r.guarantee.conditions for r in (whole, fine))
    # few whole numbers would round decimals away: 64 steps are enough
    assert released(x, (0, 63), missing=50).grid == 63 / 65536 and released(x, (0, 64), missing=50).grid == 1.0


def test_a_number_of_points_overrides_all():
    for x in (np.array(AGES), AGES, np.array(AGES, dtype=float)):
        r = released(x, grid_points=1001)
        assert r.grid == 0.1 and r.postprocessing == () and TYPES_CONDITION not in r.guarantee.conditions
        assert released(x, grid_points=101).postprocessing == (SAID,)


@pytest.mark.parametrize("bounds", [(0.5, 100), (0, 2**20), (-1e300, 1e300), (2.0**53, 2.0**53 + 4)])
def test_other_bounds_have_the_fine_grid(bounds):
    r = released(np.array(AGES), bounds)
    assert r.grid == pytest.approx((bounds[1] - bounds[0]) / 65536) and TYPES_CONDITION not in r.guarantee.conditions


def test_truth_values_and_large_numbers():
    assert released(np.array([True, False, True]), (0, 1)).grid == 1.0
    assert released(np.array([2**52 + 3] * 900), (2**52, 2**52 + 70)).estimate == 2**52 + 3


def test_whole_numbers_by_group_and_for_several():
    frame = pd.DataFrame({"age": AGES, "sex": ["f", "m"] * 100})
    r = dp.quantiles(
        frame, [0.1, 0.5, 0.9], 2.0, bounds=(0, 100), by="sex", levels={"sex": ["f", "m"]}, other=None, rng=1
    )
    assert r.grid == 1.0 and (np.asarray(r) % 1 == 0).all() and r.postprocessing == (SAID,)
    design = dp.design(frame, bounds={"age": (0, 100)}, rng=1)
    assert design.median("age", 1.0).grid == 1.0


def test_one_value_of_a_list_decides_nothing():
    for other in (None, 1.5, np.float32(2), True, "7"):
        try:
            grid = released([*AGES, other], missing=50).grid
        except dp.PydpstatError:
            continue
        assert grid == released(AGES, missing=50).grid


def test_a_plan_knows_no_dtype():
    planned = dp.plan("median", 1.0, n=200, bounds=(0, 100), distribution="normal")
    whole = dp.plan("median", 1.0, n=200, bounds=(0, 100), distribution="normal", grid_points=101)
    assert whole.accuracy().is_integer() and not planned.accuracy().is_integer()


def test_a_budget_that_adds_up_rho_pays_for_the_range_of_the_loss():
    def budget():
        return dp.Budget(5.0, 1e-6, accountant="zcdp")

    alone = dp.median(AGES, 1.0, bounds=(0, 100), budget=budget())
    assert alone.mechanism == "exponential" and alone.guarantee.loss == BoundedRangeLoss(1.0)
    assert alone.guarantee.rho == 0.125 and alone.guarantee.epsilon == 1.0
    with budget() as around:
        inside = dp.quantiles(AGES, [0.25, 0.5, 0.75], 1.0, bounds=(0, 100))
        assert inside.guarantee.loss == BoundedRangeLoss(1.0, 2)
        assert around.spent.rho == pytest.approx(0.0625)
        sampled = dp.median(AGES, 1.0, bounds=(0, 100), sample=100)
        assert sampled.mechanism == "permute-and-flip"
    basic = dp.median(AGES, 1.0, bounds=(0, 100), budget=dp.Budget(1.0))
    assert basic.mechanism == "permute-and-flip" and basic.guarantee.loss is None
    assert dp.median(AGES, 1.0, bounds=(0, 100)).mechanism == "permute-and-flip"


def test_the_rho_of_a_bounded_range_holds():
    # the loss is r - t with a probability, and -t else, with mean likelihood ratios of 1
    for epsilon in (0.1, 1.0, 4.0, 12.0):
        rho, worst = BoundedRangeLoss(epsilon).rho, 0.0
        for t in np.linspace(0.001, 0.999, 199) * epsilon:
            low = np.expm1(epsilon - t) / (np.exp(epsilon - t) - np.exp(-t))
            other = np.array([low, 1.0 - low])
            one = other * np.exp([-t, epsilon - t])
            assert one.sum() == pytest.approx(1.0)
            for order in (1.001, 1.5, 2.0, 5.0, 30.0):
                logs = order * np.log(one) + (1.0 - order) * np.log(other)
                worst = max(worst, np.logaddexp.reduce(logs) / (order - 1.0) / order)
        assert worst <= rho * (1.0 + 1e-9)
        assert worst >= 0.9 * rho or epsilon > 1.0
    assert BoundedRangeLoss(1.0, 3).group(2) == BoundedRangeLoss(2.0, 3)


def test_a_bounded_ranges_rho_is_rounded_up():
    for epsilon, parts in [(2.0299006778981843, 3), (0.1, 7), (1e-3, 1), (1e-160, 2), (1.0, 1)]:
        exact = Fraction(epsilon) ** 2 / (8 * parts)
        rho = Fraction(BoundedRangeLoss(epsilon, parts).rho)
        assert exact <= rho <= exact * (1 + Fraction(1, 2**50)) + Fraction(5e-324)
    assert BoundedRangeLoss(1.0).delta(0.5) == dp.Guarantee(1.0).delta_at(0.5)
