"""nunique: how many units there are, by group, in pieces, and what one unit can change."""

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pydpstat as dp
from tests.statistics.pieces import pieces  # noqa: F401

# the draws are seeded: a right sampler passes each time, a random one would fail once in a million
FALSE_ALARM = 1e-6
HUGE = 1e7
WARDS = ["a", "b", "c"]
OPEN = {"neighbors": "unbounded"}


def visits(size=500, seed=1):
    draw = np.random.default_rng(seed)
    patient = draw.integers(0, size // 3, size)
    return pd.DataFrame({"patient": patient, "ward": draw.choice([*WARDS, "elsewhere"], size)})


@pytest.mark.parametrize(
    "ids",
    [
        [3, 1, 2, 1, 3, 3],
        ("x", "y", "z", "y", "x", "x"),
        np.array([3.5, 1, 2, 1, 3.5, 3.5]),
        np.array([3, 1, 2, 1, 3, 3], dtype="M8[D]"),
        pd.Series([3, 1, 2, 1, 3, 3], dtype="Int64", index=[5, 4, 3, 2, 1, 0]),
        pd.Categorical([3, 1, 2, 1, 3, 3], categories=[1, 2, 3, 4]),
        pd.Series(["3", "1", "2", "1", "3", "3"], dtype="string"),
        pd.DataFrame({"id": [3, 1, 2, 1, 3, 3]}),
        [[3], 1, "2", 1, [3], [3]],
    ],
    ids=lambda ids: type(ids).__name__,
)
def test_ids_of_every_kind_are_counted(ids):
    found = dp.nunique(ids, HUGE, rng=1, **OPEN)
    assert float(found) == 3.0 and found.sensitivity == 1.0 and found.nobs is None
    groups = np.array([0, 0, 1, 1, 1, 0])
    by = dp.nunique(ids, HUGE, by=groups, levels=[0, 1, 2], other=None, max_groups=2, rng=1)
    assert by.estimate.to_dict() == {0: 2.0, 1: 3.0, 2: 0.0}


@pytest.mark.parametrize("dtype", ["int8", "uint64", ">i4", "Int64", "float64"])
def test_ids_of_numbers_are_counted_in_every_dtype(dtype):
    for ids in ([], [3], [5, 5], [7, -0, 7, 100, 0, 1, 100]):
        found = dp.nunique(pd.Series(ids, dtype=dtype), HUGE, rng=1, **OPEN)
        assert float(found) == len(set(ids))
    largest = [2**63, 2**64 - 1, 2**63, 0]
    found = dp.nunique(np.array(largest, dtype=np.uint64), HUGE, rng=1, **OPEN)
    assert float(found) == 3


def test_the_guarantee_is_for_the_ids():
    data = visits()
    assert dp.nunique(data.patient, 1.0, **OPEN).guarantee.unit == "patient"
    assert dp.nunique(data, 1.0, by="ward", levels=WARDS).guarantee.unit == "patient"
    found = dp.nunique(data.patient.to_numpy(), 1.0, **OPEN)
    assert found.guarantee.unit == "unit" and found.params.index.tolist() == ["nunique"]
    budget = dp.Budget(1.0, neighbors="unbounded", unit="patient")
    dp.nunique(data.patient, 0.5, budget=budget)
    assert budget.spent.epsilon == 0.5
    with pytest.raises(dp.PydpstatError, match="unit"):
        dp.nunique(data.ward, 0.1, budget=budget)
    assert budget.spent.epsilon == 0.5


@pytest.mark.parametrize("most", [1, 2, 3, 9])
@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_sensitivities(most, neighbors):
    ends = 2 if neighbors == "bounded" else 1
    options = {"by": "ward", "levels": WARDS, "max_groups": most, "neighbors": neighbors}
    # three wards and the others
    ones = min(ends * most, 4)
    assert dp.nunique(visits(), 1.0, **options).sensitivity == ones
    gaussian = dp.nunique(visits(), 1.0, mechanism="gaussian", delta=1e-6, **options)
    assert gaussian.sensitivity == pytest.approx(math.sqrt(ones)) and gaussian.sensitivity**2 >= ones


def true_counts(data, **options):
    """The counts with noise that is 0."""
    return dp.nunique(data, HUGE, by="ward", levels=WARDS, **options).value


@pytest.mark.parametrize("most", [1, 2, 4])
def test_one_unit_changes_what_the_proof_says(most):
    data = visits(60)
    # a person in every ward
    more = pd.concat([data, pd.DataFrame({"patient": [999] * 9, "ward": [*"abcabcaaa"]})])
    other = pd.concat([data, pd.DataFrame({"patient": [998, 998], "ward": ["elsewhere", "a"]})])
    reached = Counter()
    for seed in range(30):
        one, two, three = (true_counts(each, max_groups=most, rng=seed) for each in (data, more, other))
        assert set(two - one) <= {0, 1} and (two - one).sum() == min(most, 3)
        moved = int(np.abs(two - three).sum())
        assert moved <= 2 * most
        reached[moved] += 1
    assert max(reached) == {1: 2, 2: 4, 4: 3}[most]


def test_nobody_is_counted_in_more_groups_than_allowed():
    data = visits(2000)
    wards = data.ward.where(data.ward.isin(WARDS), "other")
    each = wards.groupby(data.patient).nunique()
    for most in (1, 2, 3, 4):
        found = true_counts(data, max_groups=most, rng=2)
        assert found.sum() == each.clip(upper=most).sum()
    assert found.tolist() == [data.patient[wards == ward].nunique() for ward in (*WARDS, "other")]


@pytest.mark.slow
def test_which_groups_count_is_drawn_evenly():
    data = pd.DataFrame({"patient": ["p"] * 7, "ward": [*"aaaabbc"]})
    seen = sum(true_counts(data, other=None, rng=seed) for seed in range(300))
    # each of three groups once, however many records it has
    assert seen.sum() == 300 and stats.chisquare(seen).pvalue > FALSE_ALARM


@pytest.mark.parametrize(
    "options", [{}, {"by": "ward", "levels": WARDS}, {"by": "ward", "levels": WARDS, "max_groups": 3}]
)
def test_a_seeded_release_is_the_same_of_all_pieces(options, pieces):  # noqa: F811
    data = visits() if options else visits()[["patient"]]
    expected = dp.nunique(data, 1.0, rng=4, **OPEN, **options)
    shuffled = dp.nunique(data.sample(frac=1, random_state=3), 1.0, rng=4, **OPEN, **options)
    assert shuffled.value.tolist() == expected.value.tolist()
    for seed, number in enumerate((1, 2, 7, 64)):
        found = dp.nunique(pieces(data, number, seed), 1.0, rng=4, **OPEN, **options)
        assert found.value.tolist() == expected.value.tolist() and found.call == expected.call
        assert found.guarantee == expected.guarantee and found.labels == expected.labels


@pytest.mark.parametrize("ids", [[1, None, 2, 2], [1.0, np.nan, 2, 2], np.ma.masked_array([1, 7, 2, 2], [0, 1, 0, 0])])
def test_missing_ids(ids):
    with pytest.raises(dp.PydpstatError, match="missing"):
        dp.nunique(ids, 1.0, **OPEN)
    assert float(dp.nunique(ids, HUGE, missing="drop", rng=1, **OPEN)) == 2.0
    how = {"by": [*"aabb"], "levels": ["a", "b"], "other": None, "max_groups": 2}
    by = dp.nunique(ids, HUGE, missing="drop", rng=1, **how, **OPEN)
    assert by.estimate.to_dict() == {"a": 1.0, "b": 1.0}


def test_the_noise_is_that_of_a_count():
    epsilon, wrong = 0.5, 1.3
    draws = np.array([float(dp.nunique([1, 2, 2], epsilon, **OPEN)) - 2 for _ in range(1500)]).astype(int)
    ks = np.arange(-6, 7)

    def pvalue(rate):
        chance = np.tanh(rate / 2) * np.exp(-rate * np.abs(ks))
        seen = [(draws == k).sum() for k in ks]
        rest = max(1.0 - chance.sum(), 1e-12)
        return stats.chisquare([*seen, draws.size - sum(seen)], draws.size * np.append(chance, rest)).pvalue

    assert pvalue(epsilon) > FALSE_ALARM
    # a scale that is wrong on either side is rejected
    assert pvalue(epsilon * wrong) < 1e-3 and pvalue(epsilon / wrong) < 1e-3


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda d: dp.nunique(d.patient, 1.0), "neighbors must be 'unbounded' without by"),
        (lambda d: dp.nunique(d.patient, 1.0, max_groups=2, **OPEN), "max_groups must not be given"),
        (lambda d: dp.nunique(d, 1.0, by="ward", levels=WARDS, max_groups=0), "max_groups must be"),
        (lambda d: dp.nunique(d, 1.0, by=["patient", "ward"], levels=[[1], WARDS]), "one column of ids"),
        (lambda d: dp.nunique(np.ones((2, 2)), 1.0, **OPEN), "data must be a column of ids"),
        (lambda d: dp.nunique(d.patient, 1.0, missing=3, **OPEN), "missing must be one of"),
        (lambda d: dp.nunique(d, 1.0, by="ward", levels=WARDS, missing="drop"), "missing must not be 'drop'"),
        (lambda d: dp.nunique(d.patient, 1.0, mechanism="laplace", **OPEN), "mechanism must be"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_spent(call, said):
    budget = dp.Budget(1.0)
    with budget, pytest.raises(dp.PydpstatError, match=said):
        call(visits(20))
    assert len(budget.to_frame()) == 0


def test_it_can_be_planned():
    planned = dp.plan("nunique", 1.0, by="ward", levels=WARDS, max_groups=2)
    released = dp.nunique(visits(), 1.0, by="ward", levels=WARDS, max_groups=2)
    assert planned.sensitivity == released.sensitivity and planned.noise == released.noise
    assert planned.result.labels.rows == released.labels.rows
