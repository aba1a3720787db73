"""Inference where units have several records: one of each counts, and a unit is what is protected."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pydpstat as dp
from pydpstat.inference._samples import assign_units_to_samples
from pydpstat.random import source_from

N = 240
RNG = np.random.default_rng(20_261_125)
ONCE = pd.DataFrame(
    {
        "income": RNG.uniform(0.0, 1.0, N),
        "later": RNG.uniform(0.0, 1.0, N),
        "sex": RNG.choice(["f", "m"], N),
        "region": RNG.choice(["n", "s", "w"], N),
        "employed": RNG.random(N) < 0.6,
    }
)
# every unit has the same record one to four times
TIMES = RNG.integers(1, 5, N)
FRAME = ONCE.loc[np.repeat(np.arange(N), TIMES)].assign(person=np.repeat(np.arange(N), TIMES))
FRAME = FRAME.sample(frac=1.0, random_state=1).reset_index(drop=True)
ORDER = FRAME["person"].drop_duplicates().to_numpy()
BOUNDS = {"income": (0, 1), "later": (0, 1)}
LEVELS = {"sex": ["f", "m"], "region": ["n", "s", "w"]}
# so little noise that the statistic is that of the records
SURE = 1e6


def mean_is_high(block):
    return stats.ttest_1samp(block, 0.45, alternative="greater")


TESTS = {
    "any_interval": lambda people: people.any_interval("income", np.mean, SURE, range=(0, 1), blocks=8),
    "any_test": lambda people: people.any_test("income", mean_is_high, SURE, blocks=8, level=0.2),
    "binomtest": lambda people: people.binomtest("employed", SURE, p=0.5),
    "chi2_contingency": lambda people: people.chi2_contingency(["region", "sex"], SURE),
    "chisquare": lambda people: people.chisquare("region", SURE),
    "f_oneway": lambda people: people.f_oneway("income ~ region", SURE),
    "kendalltau": lambda people: people.kendalltau(["income", "later"], SURE),
    "kruskal": lambda people: people.kruskal("income ~ region", SURE),
    "ks_2samp": lambda people: people.ks_2samp("income ~ sex", SURE),
    "kstest": lambda people: people.kstest("income", "uniform", SURE),
    "mannwhitneyu": lambda people: people.mannwhitneyu("income ~ sex", SURE),
    "moments": lambda people: people.moments("income", SURE).ttest(0.5),
    "proportions_test": lambda people: people.proportions_test("employed ~ sex", SURE),
    "quantile_test": lambda people: people.quantile_test("income", SURE, q=0.5),
    "ttest_1samp": lambda people: people.ttest_1samp("income", 0.5, SURE),
    "ttest_ind": lambda people: people.ttest_ind("income ~ sex", SURE),
    "ttest_rel": lambda people: people.ttest_rel(["income", "later"], SURE),
    "wilcoxon": lambda people: people.wilcoxon(["income", "later"], SURE),
}
# their statistic depends on how records are divided into random blocks
DIVIDED = ("any_interval", "any_test")


def people(frame, **facts):
    return dp.design(frame, bounds=BOUNDS, levels=LEVELS, neighbors="bounded", rng=1, **facts)


@pytest.mark.parametrize("name", TESTS)
def test_a_unit_counts_once_and_pays_from_the_budget_for_units(name):
    budget = dp.Budget(2 * SURE, unit="person", neighbors="bounded")
    found = TESTS[name](people(FRAME, budget=budget))
    alone = TESTS[name](people(ONCE))
    assert (found.guarantee.unit, found.nobs, alone.guarantee.unit) == ("person", N, None)
    assert budget.spent.epsilon == pytest.approx(SURE)
    if name not in DIVIDED:
        # a uniform number is added to a count; noise of this rate moves a mean by less than 1e-5
        assert found.statistic == pytest.approx(alone.statistic, rel=1e-3, abs=1.1)


def test_functions_take_names_and_columns():
    one = FRAME[["income", "person"]]
    groups = [one[FRAME.sex == sex] for sex in LEVELS["sex"]]
    alone = [each["income"] for each in groups]
    ids = [each["person"] for each in groups]
    for unit, samples in (("person", groups), (ids, alone)):
        r = dp.ttest_ind(*samples, SURE, bounds=(0, 1), unit=unit, rng=1)
        assert (r.nobs, r.guarantee.unit) == (N, "person")
    by_name = dp.ttest_1samp(one, 0.5, 1.0, bounds=(0, 1), unit="person", rng=1)
    by_column = dp.ttest_1samp(one["income"], 0.5, 1.0, bounds=(0, 1), unit=one["person"], rng=1)
    assert by_name.pvalue == by_column.pvalue
    assert "unit='person'" in by_name.call


def test_a_callable_does_not_see_the_units():
    seen = []

    def mean_of(block):
        seen.append(block.columns.to_list())
        return block["income"].mean()

    frame = FRAME[["income", "person"]]
    r = dp.any_interval(frame, mean_of, SURE, range=(0, 1), blocks=4, unit="person", rng=1)
    assert (r.nobs, r.guarantee.unit) == (N, "person")
    assert len(seen) >= 4 and all(names == ["income"] for names in seen)


def test_a_budget_for_units_takes_its_column():
    with dp.Budget(3.0, unit="person"):
        r = dp.kstest(FRAME[["income", "person"]], "uniform", 1.0, rng=1)
        assert r.guarantee.unit == "person"
        with pytest.raises(dp.PydpstatError, match="which is for a single record"):
            dp.kstest(FRAME["income"], "uniform", 1.0, rng=1)


def test_units_in_two_samples_count_in_one():
    ids = [np.arange(1000), np.arange(500, 1500)]
    first, second = assign_units_to_samples(ids, "person", 1, source_from(3))
    both = first[500:], second[:500]
    assert np.all(both[0] != both[1])
    assert first[:500].all() and second[500:].all()
    # fair: 4 standard deviations of a binomial number
    assert abs(both[0].sum() - 250) < 4 * np.sqrt(125)


def test_every_record_of_a_unit_has_the_same_chance():
    ids = np.repeat(np.arange(3000), 3)
    (stay,) = assign_units_to_samples([ids], "person", 1, source_from(5))
    counts = stay.reshape(-1, 3).sum(axis=0)
    assert counts.sum() == 3000
    assert stats.chisquare(counts).pvalue > 1e-4


def test_other_units_change_no_choice():
    ids = np.repeat(np.arange(400), 3)
    (all_,) = assign_units_to_samples([ids], "person", 1, source_from(5))
    (fewer,) = assign_units_to_samples([ids[3:]], "person", 1, source_from(5))
    assert np.array_equal(all_[3:], fewer)


def test_intervals_of_the_population_take_one_record_of_each():
    own = people(FRAME, unit="person", max_records=3)
    r = own.mean("income", SURE, population=True)
    assert (r.nobs, r.guarantee.unit) == (N, "person")
    assert float(r) == pytest.approx(ONCE.income.mean(), abs=1e-4)
    frame = FRAME[["income", "person"]]
    with pytest.raises(dp.PydpstatError, match="max_records must be 1 with population=True"):
        dp.mean(frame, 1.0, bounds=(0, 1), unit="person", max_records=2, population=True)
    low, high = own.proportion("employed", SURE, max_records=1).conf_int(kind="population").iloc[0]
    assert low < ONCE.employed.mean() < high


@pytest.mark.parametrize(
    "call",
    [
        lambda: dp.ttest_ind(FRAME.income, FRAME.later, 1.0, bounds=(0, 1), unit="person"),
        lambda: dp.ttest_ind(FRAME.income, FRAME.later, 1.0, bounds=(0, 1), unit=[FRAME.person]),
        lambda: dp.kendalltau(FRAME.income, FRAME.later, 1.0, unit="person"),
        lambda: dp.any_test(FRAME.income, mean_is_high, 1.0, unit="person"),
        lambda: dp.wilcoxon(FRAME.income, 1.0, unit=FRAME.person[:5]),
    ],
)
def test_units_that_are_not_there_are_told(call):
    with pytest.raises(dp.PydpstatError, match="unit must|which unit names"):
        call()
