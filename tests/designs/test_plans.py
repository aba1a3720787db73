"""Plans of a design: without data, and with the noise of the release."""

import numpy as np
import pytest

import pydpstat as dp
from tests.designs.method_calls import BOUNDS, FRAME, LEVELS


def test_a_design_without_data_plans():
    facts = dp.design(bounds=BOUNDS, levels=LEVELS, neighbors="bounded")
    # the grid's rounding comes on top
    assert facts.plan("mean", "income", 0.1, n=2000).noise_scale == pytest.approx(1000.0, rel=1e-6)
    assert facts.plan("crosstab", ["region", "sex"], 1.0).result.value.shape == (4, 3)
    by = facts.plan("mean", "income", 1.0, by="sex", n=2000)
    assert by.result.value.shape == (3,)
    with pytest.raises(dp.PydpstatError, match="bounds must include those of 'note'"):
        facts.plan("mean", "note", 1.0, n=10)
    with pytest.raises(dp.PydpstatError, match="levels of 'sex' must be a list for a plan"):
        dp.design(levels={"sex": "declared"}).plan("crosstab", "sex", 1.0)


def test_a_plan_has_the_noise_of_the_release():
    facts = {"bounds": BOUNDS, "levels": LEVELS, "unit": "person", "max_records": 2, "other": None}
    people, plans = dp.design(FRAME, **facts), dp.design(**facts)
    for name, variables, options in (
        ("sum", "income", {"by": "sex"}),
        ("mean", ["income"], {}),
        ("mean", ["income", "age"], {"by": "sex"}),
        ("crosstab", ["region"], {}),
        ("count", None, {"by": "region"}),
    ):
        asked = getattr(people, name)(*([variables] if variables else []), 1.0, **options)
        planned = plans.plan(name, variables, 1.0, **options)
        assert np.array_equal(planned.noise_scale, asked.noise_scale)
        assert planned.guarantee == asked.guarantee and planned.result.value.shape == asked.value.shape


def test_tests_are_planned_under_bounded_neighbors():
    alone = dp.plan("ttest_rel", 1.0, n=100, effect=0.5, bounds=(-1, 1))
    facts = dp.design(bounds=BOUNDS, neighbors="bounded")
    assert facts.plan("ttest_rel", ["before", "after"], 1.0, n=100, effect=0.5) == alone
    with pytest.raises(dp.PydpstatError, match="neighbors must be 'bounded' for the plan of wilcoxon"):
        dp.design(bounds=BOUNDS).plan("wilcoxon", epsilon=1.0, n=100, effect=0.5)
    with pytest.raises(dp.PydpstatError, match="function must be .*Did you mean 'mean'"):
        facts.plan("meann", "age", 1.0)
