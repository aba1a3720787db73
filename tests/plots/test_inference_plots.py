"""Pictures of tests, comparisons, models, moments, budgets and plans show what the results have."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import Budget, Guarantee
from pydpstat.plots._draw import draw_picture
from pydpstat.results._inference_pictures import make_coefficients_picture, make_plan_picture
from pydpstat.results._terms import label_terms
from tests.plots import marks
from tests.plots.overlaps import overlaps
from tests.sample_results import quietly

pytest.importorskip("matplotlib.pyplot")
RNG = np.random.default_rng(1)
AGE = RNG.uniform(20, 60, 800)
REGION = np.repeat(["east", "north", "south", "west"], 200)


def test_a_test_is_drawn_by_its_intervals_beside_the_null_hypothesis():
    r = pydpstat.ttest_1samp(AGE, 41, 2.0, bounds=(0, 100), rng=1)
    axes = r.plot(alpha=0.1)
    assert marks.names(axes) == ["50 %", "80 %", "90 %"]
    np.testing.assert_allclose(marks.bars(axes)[0], [r.conf_int(each) for each in (0.5, 0.2, 0.1)])
    assert [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == "--"] == [41.0]
    assert f"p = {r.pvalue:.3g}" in axes.get_title() and axes.get_xlabel() == "mean"
    assert not overlaps(axes.figure)


def test_a_test_without_an_interval_is_drawn_by_estimates_or_its_p_value():
    r = pydpstat.chisquare(REGION, 2.0, levels=["east", "north", "south", "west"], rng=1)
    axes = r.plot()
    estimates, null = marks.points(axes)
    assert estimates[0].tolist() == list(r.params) and set(null[0]) == {0.25}
    assert marks.legend(axes) == ["estimate", "null hypothesis"]
    r = pydpstat.quantile_test(AGE, 2.0, q=41, rng=1)
    axes = r.plot()
    assert marks.points(axes)[0][0].tolist() == [r.pvalue] and axes.get_xscale() == "log"
    assert not overlaps(axes.figure)


@pytest.mark.slow
@pytest.mark.parametrize(
    "tested",
    [
        lambda: pydpstat.wilcoxon(AGE - 40.5, 1.0, rng=1),
        lambda: pydpstat.wilcoxon(AGE[:12] - 42.0, 50.0, rng=1),
        lambda: pydpstat.wilcoxon(AGE - 40.5, 1.0, alternative="less", rng=1),
        lambda: pydpstat.wilcoxon(AGE - 40.0, 1.0, alternative="greater", rng=1),
        lambda: pydpstat.kruskal(AGE[:400], AGE[400:] + 1.0, epsilon=2.0, rng=1),
        lambda: pydpstat.kruskal(AGE[:20], AGE[20:400], epsilon=0.2, rng=1),
        lambda: pydpstat.ks_2samp(AGE[:400], AGE[400:] + 1.0, 2.0, rng=1),
        lambda: pydpstat.ks_2samp(AGE[:12], AGE[12:22] + 5.0, 5.0, rng=1),
        lambda: pydpstat.kstest(AGE, "uniform", 5.0, args=(19.5, 41), rng=1),
    ],
)
def test_a_test_by_ranks_or_distances_is_drawn_in_its_distribution_under_the_null_hypothesis(tested):
    r = tested()
    axes = r.plot()
    curve, filled = (each.get_data() for each in axes.patches)
    width = np.diff(curve.edges)
    # what lies outside of the picture has a probability of at most 0.001
    assert 0.998 < curve.values @ width <= 1.0 + 1e-9
    assert abs(filled.values @ width - r.pvalue) < 0.0015 and r.pvalue > 0.002
    (line,) = axes.lines
    assert set(line.get_xdata()) == {r.statistic}
    shown = ["statistic", "distribution under the null hypothesis", "at least as extreme"]
    assert marks.legend(axes) == shown
    assert not overlaps(axes.figure)


@pytest.mark.slow
def test_the_title_of_a_test_names_variables_and_what_is_compared():
    frame = pd.DataFrame({"income": AGE, "sex": ["f", "m"] * 400})
    facts = pydpstat.design(frame, bounds={"income": (0, 100)}, levels={"sex": ["f", "m"]}, other=None, rng=1)
    r = facts.ttest_ind("income ~ sex", 2.0)
    title = r.plot().get_title().split("\n")
    assert title[0] == "Welch's t test: income by sex (f, m)"
    assert title[1].startswith(f"mean of f {r.params['mean of f']:,.6g}, mean of m ")
    assert "statistic" in title[1] and title[2].startswith("Laplace noise")


@pytest.mark.slow
def test_an_analysis_of_variance_is_drawn_by_the_means_of_all_groups():
    names = sorted(set(REGION))
    groups = [pd.Series(AGE[REGION == name] + 5 * place, name=name) for place, name in enumerate(names)]
    r = pydpstat.f_oneway(*groups, epsilon=2.0, bounds=(0, 100), rng=1)
    axes = r.plot()
    assert marks.points(axes)[0][0].tolist() == list(r.params) and marks.names(axes) == names
    low, high = marks.bars(axes)[0].T
    assert (low < r.params).all() and (r.params < high).all()
    assert f"p = {r.pvalue:.3g}" in axes.get_title() and not overlaps(axes.figure)
    facts = {"by": REGION, "levels": names, "other": None, "population": True}
    means = pydpstat.mean(AGE, 2.0, bounds=(0, 100), **facts, rng=1)
    assert marks.points(means.f_oneway().plot())[0][0].tolist() == means.value.tolist()


def test_a_test_of_independence_is_drawn_by_the_shares_that_it_compares():
    frame = pd.DataFrame({"region": REGION, "ill": np.arange(800) % 3 == 0})
    levels = {"region": sorted(set(REGION)), "ill": [False, True]}
    table = pydpstat.crosstab(frame, 5.0, levels=levels, other=None, rng=1)
    axes = table.chi2().plot()
    shares = table.shares(by="region")
    assert [each[0].tolist() for each in marks.points(axes)] == shares.value.T.tolist()
    assert marks.legend(axes)[:2] == ["ill = False", "ill = True"] and axes.get_ylabel() == "region"
    assert axes.get_title().startswith("Chi-square test of independence: region and ill\nstatistic")
    again = pydpstat.chi2_contingency(frame["region"], frame["ill"], 5.0, levels=levels, rng=1).plot()
    assert marks.names(again) == levels["region"] and len(marks.bars(again)) == 4


def test_a_p_value_at_its_floor_is_drawn_as_it_is_printed():
    r = pydpstat.quantile_test(AGE, 20.0, q=0.0, rng=1)
    axes = r.plot()
    shown = next(text.get_text() for text in axes.texts)
    assert shown in r.summary().as_text() and f"p {shown}" in axes.get_title()
    # of what is shown as a limit the limit is drawn
    assert marks.points(axes)[0][0].tolist() == [1e-6]


def test_one_sided_intervals_end_where_the_parameter_does():
    r = pydpstat.ttest_1samp(AGE, 41, 2.0, bounds=(0, 100), alternative="less", rng=1)
    assert marks.bars(r.plot())[0][:, 0].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("correction, kind", [(None, ""), ("holm", "simultaneous ")])
def test_pairs(correction, kind):
    employed = RNG.random(800) < 0.5
    r = pydpstat.proportion(employed, 2.0, by=REGION, levels=sorted(set(REGION)), rng=1).pairs(correction)
    axes = r.plot()
    np.testing.assert_allclose(marks.bars(axes)[0], r.conf_int().to_numpy())
    assert marks.names(axes)[0] == "east \N{MINUS SIGN} north" and axes.get_ylabel() == "pair"
    assert axes.get_xlabel() == "difference of the proportions"
    assert marks.legend(axes) == [f"95 % {kind}confidence interval"]


@pytest.mark.slow
def test_the_title_of_pairs_names_variable_and_key():
    frame = pd.DataFrame({"income": AGE, "region": REGION})
    facts = {"by": "region", "levels": sorted(set(REGION)), "other": None, "population": True}
    r = pydpstat.mean(frame, 2.0, bounds=(0, 100), **facts, rng=1).pairs()
    assert r.plot().get_title().startswith("Comparison of all pairs: income by region\n")
    assert "income by region" in str(r.summary())


@pytest.mark.slow
def test_long_names_of_groups_are_beside_the_axes_and_not_in_the_title():
    names = [f"statistical region of {each} population density" for each in ("low", "medium", "high")]
    frame = pd.DataFrame({"income": AGE[:600], "region": names * 200})
    bounds, levels = {"income": (0, 100)}, {"region": names}
    facts = pydpstat.design(frame, bounds=bounds, levels=levels, other=None, rng=1)
    axes = facts.f_oneway("income ~ region", 5.0).plot()
    assert axes.get_title().startswith("Welch's one-way analysis of variance: income by region\n")
    assert len(set(marks.names(axes))) == 3 and not overlaps(axes.figure)


@pytest.mark.slow
def test_coefficients_that_are_much_smaller_have_a_scale_of_their_own():
    income = 1e4 + 5.0 * AGE + 2000.0 * (REGION == "north") + RNG.normal(0.0, 500.0, 800)
    frame = pd.DataFrame({"income": income, "age": AGE, "region": REGION})
    facts = {"bounds": {"income": (0, 20_000), "age": (0, 100)}, "levels": {"region": sorted(set(REGION))}}
    r = pydpstat.ols("income ~ age + region", frame, 20.0, **facts, rng=1)
    axes = r.plot()
    assert marks.names(axes) == list(label_terms(list(r.params.index))) and len(marks.panels(axes)) >= 2
    assert marks.names(axes)[2] == "region: north"
    values = np.array([each[0] for each in marks.points(axes)])
    # each coefficient is in one panel
    assert (np.sum(~np.isnan(values), axis=0) == 1).all()
    np.testing.assert_allclose(np.nansum(values, axis=0), r.params)
    assert marks.legend(axes) == ["95 % confidence interval"] and not overlaps(axes.figure)


def test_the_levels_of_a_factor_are_in_one_panel():
    names = ["Intercept", "region[T.north]", "region[T.south]", "region[T.north]:age", "age"]
    values = pd.Series([100.0, 50.0, 0.01, 0.01, 0.5], index=names)
    model = SimpleNamespace(params=values, epsilon=1.0, delta=0.0)
    picture = make_coefficients_picture("", model, None, "confidence", 0.05, "coefficient")
    assert [panel.rows.tolist() for panel in picture.panels] == [
        [True, True, True, False, False],
        [False, False, False, False, True],
        [False, False, False, True, False],
    ]


def test_models_with_and_without_a_public_noise():
    X, y = [[0.2], [0.4], [0.7], [0.9]], [0, 0, 1, 1]
    r = pydpstat.LogisticRegressionDP("l2", 1.0, 1.0, "output").fit(X, y, [1], [0], rng=1)
    axes = r.plot(alpha=0.2)
    np.testing.assert_allclose(marks.bars(axes)[0], r.conf_int(0.2).to_numpy())
    assert marks.legend(axes) == ["80 % noise interval"]
    r = quietly(pydpstat.LogisticRegressionDP("l2", 1.0, 1.0, "objective").fit, X, y, [1], [0], rng=1)
    axes = r.plot()
    assert marks.points(axes)[0][0].tolist() == r.coeff.tolist() and not marks.legend(axes)


@pytest.mark.slow
def test_moments():
    frame = pd.DataFrame({"age": AGE, "income": 1e4 * AGE})
    r = pydpstat.moments(frame, 2.0, bounds=[(0, 100), (0, 1e6)], rng=1)
    axes = r.plot()
    assert [part.get_xlabel() for part in marks.panels(axes)] == ["mean of age", "mean of income"]
    ends = [r.conf_int(0.05, column=name) for name in ("age", "income")]
    np.testing.assert_allclose(np.concatenate(marks.bars(axes)), ends)
    by = {"by": REGION, "levels": sorted(set(REGION)), "other": None}
    grouped = pydpstat.moments(AGE, 2.0, bounds=(0, 100), **by, rng=1)
    assert marks.points(grouped.plot())[0][0].tolist() == grouped.mean.value.ravel().tolist()


@pytest.mark.slow
def test_a_budget_is_spent_by_label():
    budget = Budget(2.0)
    budget.spend(Guarantee(0.25), "mean(age, epsilon=0.25)", label="report")
    budget.spend(Guarantee(0.5), "count(x, epsilon=0.5)")
    budget.spend(Guarantee(0.25), "sum(age, epsilon=0.25)", label="report")
    axes = budget.plot()
    assert marks.names(axes) == ["report", "count", "left"]
    assert [bar.get_width() for bar in axes.patches] == [0.5, 0.5, 1.0]
    assert axes.get_xlabel() == "epsilon of the releases" and not overlaps(axes.figure)
    assert [bar.get_width() for bar in Budget(1.0).plot().patches] == [1.0]
    long = "count of records with age of at least 65 by region"
    budget.spend(Guarantee(0.25), "count(age)", label=long)
    axes = budget.plot()
    assert marks.names(axes)[2].count("\n") == 1 and marks.names(axes)[2].replace("\n", " ") == long
    assert not overlaps(axes.figure)


def test_other_accountants_and_odometers():
    budget = Budget(5.0, 1e-6, accountant="zcdp")
    with budget:
        pydpstat.mean(AGE, 0.5, bounds=(0, 100), rng=1)
    axes = budget.plot(title="")
    assert axes.get_xlabel().startswith("rho") and axes.get_title() == ""
    assert axes.patches[0].get_width() == pytest.approx(budget.spent.rho)
    odometer = Budget.odometer()
    odometer.spend(Guarantee(0.5), "mean(age)")
    axes = odometer.plot(color="black")
    assert marks.names(axes) == ["mean"] and "no limit" in axes.get_title()


@pytest.mark.slow
def test_the_power_of_several_tests():
    planned = pydpstat.plan("ttest_1samp", 1.0, effect=0.4, power=0.8)
    axes = planned.plot()
    assert marks.names(axes) == [name for name, _ in planned.powers]
    assert marks.points(axes)[0][0].tolist() == [power for _, power in planned.powers]


def frame_of(alpha, *, epsilon, n):
    """Return what a plan of a mean has: Laplace noise, whose accuracy is known in closed form."""
    accuracy = 100.0 / n * math.log(1.0 / alpha) / np.array(epsilon)
    return pd.DataFrame({"epsilon": epsilon, "n": n, "accuracy": accuracy})


def test_a_plan_is_drawn_by_epsilon_and_n():
    result = pydpstat.mean(AGE, 0.5, bounds=(0, 100), rng=1)
    reach = frame_of(0.05, epsilon=[0.5], n=1000)["accuracy"][0]
    plan = SimpleNamespace(epsilon=0.5, n=1000, result=result, accuracy=lambda alpha: reach, to_frame=frame_of)
    picture = make_plan_picture(plan, 0.05)
    axes = draw_picture(picture, None, None, {})
    assert marks.legend(axes) == ["n = 100", "n = 1,000", "n = 10,000", "as planned"]
    assert axes.get_xscale() == axes.get_yscale() == "log" and axes.get_xlabel() == "epsilon"
    for line, size in zip(axes.lines, (100, 1000, 10_000)):
        epsilon, accuracy = line.get_data()
        np.testing.assert_allclose(accuracy, 100.0 / size * math.log(20.0) / epsilon)
    assert picture.plan_point == (0.5, reach) and not overlaps(axes.figure)


@pytest.mark.slow
def test_hypotheses_and_predictions_are_drawn_with_their_intervals():
    known = {"bounds": {"age": (20, 60), "y": (0, 100)}, "rng": 1}
    fit = pydpstat.ols("y ~ age", pd.DataFrame({"age": AGE, "y": AGE + 10.0}), 5.0, **known)
    for found in (fit.t_test("age = 0"), fit.f_test("age = 0"), fit.get_prediction({"age": [30, 50]})):
        axes = found.plot(alpha=0.1)
        np.testing.assert_allclose(marks.points(axes)[0][0], found.params)
        np.testing.assert_allclose(marks.bars(axes)[0], np.asarray(found.conf_int(0.1)))
        assert not overlaps(axes.figure)


@pytest.mark.slow
def test_axes_name_the_variable_that_they_show():
    frame = pd.DataFrame({"age": np.linspace(18, 90, 400), "sex": ["f", "m"] * 200})
    frame = frame.assign(old=frame["age"] > 60)
    levels = {"sex": ["f", "m"], "old": [False, True]}
    people = pydpstat.design(frame, bounds={"age": (18, 90)}, levels=levels, other=None)
    fit = people.ols("age ~ C(sex)", 5.0)
    for result, label in (
        (people.f_oneway("age ~ sex", 5.0), "mean of age"),
        (people.ttest_ind("age ~ sex", 5.0), "difference of f and m (age)"),
        (people.binomtest("old", 5.0), "proportion of old"),
        (people.moments("age", 5.0), "mean of age"),
        (fit.get_prediction({"sex": ["f"]}), "predicted mean of age"),
        (people.chi2_contingency(["sex", "old"], 5.0), "share"),
    ):
        assert result.plot().get_xlabel() == label
