"""The release of a hierarchy: sensitivity, noise, guarantee, budget, and nothing private."""

import copy
import itertools
import json
import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pydpstat import Budget, BudgetExceeded, PydpstatError, RRandom
from pydpstat._release.declared_facts import TYPES_CONDITION
from pydpstat.consistency import Hierarchy, release_hierarchy
from pydpstat.consistency._split import find_node_kinds
from pydpstat.consistency._tree import fit_two_pass
from pydpstat.consistency.hierarchy_release import compute_sensitivities, split_epsilon
from pydpstat.mechanisms.geometric import SymmetricGeometricNoise
from pydpstat.privacy import NEIGHBORS
from tests.consistency.trees import membership, trees
from tests.privacy_search import findings, found_in, reachable

COUNTRY = Hierarchy(
    {"North": {"a": ["m", "f"], "b": ["m", "f"]}, "South": {"c": ["m", "f"]}, "Isles": None},
    levels=["land", "state", "town", "sex"],
)
COUNTS = [40, 100, 50, 60, 90, 20, 40]


def released(**options):
    return release_hierarchy(COUNTS, **{"epsilon": 1.0, "hierarchy": COUNTRY, "rng": 1, **options})


# records: each by itself

ODD = {
    "a list": ["x"],
    "a dict": {"x": 1},
    "a tuple with a list": (1, [2]),
    "a signalling NaN": Decimal("sNaN"),
    "an array": np.zeros(2),
    "a set": {1},
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("column", ["town", "state"])
def test_an_added_record_moves_no_other(odd, column, capfd):
    country = Hierarchy({"North": ["a", "b"], "South": ["c"]})
    people = {"state": ["North"] * 3 + ["South"] * 2, "town": ["a", "b", "a", "c", "c"]}
    added = {"state": [*people["state"], "North"], "town": [*people["town"], "b"]}
    added[column][-1] = ODD[odd]
    how = {"hierarchy": country, "missing": "drop", "neighbors": "unbounded"}
    both = [pd.DataFrame(each, dtype=object) for each in (people, added)]
    before, after = (release_hierarchy(each, 1000.0, **how).noisy for each in both)
    pd.testing.assert_frame_equal(before, after)
    assert before.value.tolist() == [5, 3, 2, 2, 1, 2]
    with pytest.raises(PydpstatError, match="every record at a leaf"):
        release_hierarchy(pd.DataFrame(added, dtype=object), 1.0, hierarchy=country)
    assert capfd.readouterr() == ("", "")


@given(trees(most_levels=3, most_children=3))
def test_sensitivities_are_those_of_all_neighbors(tree):
    nodes = membership(tree)
    level = np.repeat(np.arange(len(tree.sizes)), tree.sizes)
    both = zip(compute_sensitivities(tree, "unbounded"), compute_sensitivities(tree, "bounded"))
    for place, (added, replaced) in enumerate(both):
        own = nodes[level == place]
        assert added == max(own[:, leaf].sum() for leaf in range(tree.leaves))
        pairs = itertools.combinations(range(tree.leaves), 2)
        moves = [np.abs(own[:, i] - own[:, j]).sum() for i, j in pairs]
        # two leaves of one parent are no neighbors of each other above it
        assert replaced >= max(moves, default=0.0) and replaced <= 2
        if place == 0 or tree.sizes[place] == 1:
            assert replaced == max(moves, default=0.0)


@pytest.mark.parametrize("split", ["uniform", "optimal", "leaves", {"state": 0.1, "town": 0.3, "sex": 7}])
@pytest.mark.parametrize("epsilon", [0.1, 3.7])
def test_shares_never_exceed_epsilon(split, epsilon):
    shares = split_epsilon(split, COUNTRY, compute_sensitivities(COUNTRY.tree, "bounded"), epsilon)
    assert sum(map(Fraction, shares)) <= Fraction(epsilon) and math.isclose(sum(shares), epsilon)
    assert shares[0] == 0.0 and shares[1] > 0.0 and shares[3] > 0.0


def test_chosen_shares():
    result = released(split=[1, 2, 5])
    np.testing.assert_allclose(result.epsilons, [0.0, 0.125, 0.25, 0.625])
    np.testing.assert_allclose(result.noise_scale, [np.nan, 16.0, 8.0, 3.2])
    by_name = released(split={"sex": 5, "state": 1, "town": 2})
    assert by_name.epsilons.equals(result.epsilons) and by_name.call == result.call
    assert "split=[1, 2, 5]" in result.call
    two = Hierarchy({"N": list("abcd"), "S": list("efg")})
    assert released(split=[1, 1], hierarchy=two).epsilons.tolist() == [0, 0.5, 0.5]


def test_a_level_that_is_left_out():
    result = released(split=[1, 0, 3])
    assert result.noisy.value[result.noisy.level == "town"].isna().all()
    assert np.isinf(result.noise_sd[result.noisy.level == "town"]).all() and np.isfinite(result.bse).all()
    assert "not released" in result.summary().as_text() and result.largest_gap < 1e-9
    for method in ("ratio", "top-down"):
        assert result.consistent(method).largest_gap < 1e-9


@given(trees(), st.lists(st.floats(0.01, 100.0), min_size=6, max_size=6))
def test_errors_of_shapes_are_those_of_the_tree(tree, precision):
    precision = np.array(precision[: len(tree.sizes)])
    variances = [np.full(size, 1.0 / each) for size, each in zip(tree.sizes, precision)]
    _, spreads = fit_two_pass(tree, [np.zeros(size) for size in tree.sizes], variances)
    shape, mean = find_node_kinds(tree), np.mean([each.mean() for each in spreads])
    assert math.isclose(shape.compute_mean_variance(precision, False), mean, rel_tol=1e-9)
    leaves = np.concatenate(spreads)[np.concatenate(tree.children) == 0]
    assert math.isclose(shape.compute_mean_variance(precision, True), leaves.mean(), rel_tol=1e-9)


@pytest.mark.parametrize("neighbors", NEIGHBORS)
def test_the_best_split_is_best(neighbors):
    tree, reach = COUNTRY.tree, compute_sensitivities(COUNTRY.tree, neighbors)
    shape, noisy = find_node_kinds(tree), [level for level, each in enumerate(reach) if each]

    def error(shares, leaves):
        precision = np.array([np.inf] * len(reach))
        for level in noisy:
            precision[level] = np.cosh(shares[level] / reach[level]) - 1.0
        return shape.compute_mean_variance(precision, leaves)

    for name, leaves in (("optimal", False), ("leaves", True)):
        best = error(split_epsilon(name, COUNTRY, reach, 1.0), leaves)
        draw = np.random.default_rng(1)
        for weights in draw.dirichlet(np.ones(len(noisy)), 300):
            # no level with leaves may get less than a hundredth
            others = split_epsilon((weights + 0.01).tolist(), COUNTRY, reach, 1.0)
            assert best <= error(others, leaves) * 1.001


@pytest.mark.parametrize("neighbors", NEIGHBORS)
def test_each_level_has_the_noise_that_it_states(neighbors):
    wide = Hierarchy({str(place): [f"{place} {own}" for own in range(20)] for place in range(50)})
    counts = np.arange(1000)
    result = release_hierarchy(counts, 1.0, hierarchy=wide, neighbors=neighbors)
    sums = counts.reshape(50, 20).sum(axis=1)
    noise = [result.noisy_values[1] - sums, result.noisy_values[2] - counts]
    assert neighbors == "unbounded" or (result.noisy_values[0] == counts.sum()).all()
    for level, drawn in enumerate(noise, start=1):
        law = result.noises[level]
        share = 0.5 if neighbors == "bounded" else math.nextafter(1 / 3, 0)
        assert math.isclose(law.epsilon, share) and law.sensitivity == (2 if neighbors == "bounded" else 1)
        own = wide.frame().level == f"level {level}"
        np.testing.assert_allclose(result.noise_sd.to_numpy()[own], law.std())
        assert np.abs(drawn).max() < law.std() * 15
    leaves = noise[1]
    assert fits(leaves, result.noises[2])
    # a scale that is wrong by 30 % is seen, on both sides
    for factor in (0.7, 1.3):
        wrong = SymmetricGeometricNoise(result.noises[2].epsilon * factor, result.noises[2].sensitivity)
        assert not fits(leaves, wrong)


def fits(drawn, law):
    """The share of small and large noise is the law's, at a level of 1e-4."""
    edges = law.ppf([0.1, 0.3, 0.5, 0.7, 0.9])
    below = np.concatenate([[0.0], law.cdf(edges), [1.0]])
    seen = np.histogram(drawn, [-np.inf, *(edges + 0.5), np.inf])[0]
    return stats.chisquare(seen, np.diff(below) * drawn.size).pvalue > 1e-4


def test_levels_have_independent_noise():
    # one child a parent: the same counts at both levels
    chain = Hierarchy({str(place): ["only"] for place in range(400)})
    result = release_hierarchy(np.zeros(400, dtype=int), 0.1, hierarchy=chain, rng=7)
    first, second = result.noisy_values[1], result.noisy_values[2]
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.2 and (first != second).mean() > 0.9


@pytest.mark.parametrize("make", [int, RRandom, np.random.default_rng])
def test_a_seed_repeats_a_release(make):
    first, second = released(rng=make(5)), released(rng=make(5))
    pd.testing.assert_frame_equal(first.to_frame(), second.to_frame())
    assert first.reproducible and any("seeded stream" in line for line in first.guarantee.conditions)


def test_without_a_seed_it_is_for_publication():
    result = released(rng=None)
    assert not result.reproducible and "seeded" not in " ".join(result.guarantee.conditions)
    assert (released(rng=None).noisy.value != released(rng=None).noisy.value).any()


@pytest.mark.parametrize("neighbors", NEIGHBORS)
def test_the_guarantee(neighbors):
    result = released(neighbors=neighbors)
    assert result.guarantee.epsilon == result.epsilon == 1.0 and result.guarantee.delta == result.delta == 0.0
    assert result.guarantee.neighbors == result.neighbors == neighbors
    assert any("hierarchy is public" in line for line in result.guarantee.conditions)
    assert result.nobs == (400 if neighbors == "bounded" else None)
    text = result.summary().as_text()
    assert "Hierarchy, differentially private" in text and "costs no" in text.replace("\n", " ")
    assert ("public" if neighbors == "bounded" else "private") in text


def test_the_budget_pays_once():
    budget = Budget(1.5)
    result = released(budget=budget)
    assert budget.spent.epsilon == 1.0 and len(budget.entries) == 1
    assert budget.entries[0].call == result.call
    assert result.call == "release_hierarchy(data, epsilon=1.0, hierarchy=hierarchy)"
    for method in ("ratio", "top-down", "least squares"):
        result.consistent(method)
    assert budget.spent.epsilon == 1.0
    with pytest.raises(BudgetExceeded):
        released(budget=budget)
    with pytest.raises(PydpstatError, match="neighbors"):
        released(budget=budget, neighbors="unbounded", epsilon=0.1)


BAD = [
    ({"epsilon": 1e-14}, "epsilon must be larger"),
    ({"hierarchy": None}, "hierarchy must be a Hierarchy"),
    ({"hierarchy": Hierarchy(["one"]), "data": [3]}, "at least two leaves"),
    ({"split": "optimum"}, "Did you mean 'optimal'"),
    ({"split": [1, 2]}, "or 3 weights, one for each level with noise"),
    ({"split": [0, 1, 1]}, "above 0 for 'state'"),
    ({"split": [1, 1, 0]}, "above 0 for 'sex'"),
    ({"split": [1, -1, 1]}, "at least 0"),
    ({"split": {"state": 1}}, "a weight for each level"),
    ({"method": "ratios"}, "Did you mean 'ratio'"),
    ({"nonnegative": True}, "Use method='top-down'"),
    ({"method": "top-down", "nonnegative": False}, "Use 'least squares'"),
    ({"integer": "yes"}, "integer must be"),
    ({"missing": "drop"}, "missing must not be 'drop' with neighbors 'bounded'"),
    ({"rng": "x"}, "rng must be"),
    ({"data": [1, 2]}, "a count for each of the 7 leaves"),
    ({"data": pd.DataFrame({"state": ["West"], "town": ["a"], "sex": ["m"]})}, "some are not"),
]


@pytest.mark.parametrize("change, words", BAD, ids=[words for _, words in BAD])
def test_nothing_is_spent_or_drawn_where_an_argument_is_wrong(change, words, monkeypatch):
    def never(*arguments, **options):
        raise AssertionError("noise was drawn")

    monkeypatch.setattr("pydpstat.consistency.hierarchy_release.release_query", never)
    budget = Budget(5.0)
    arguments = {"data": COUNTS, "epsilon": 1.0, "hierarchy": COUNTRY, "budget": budget, **change}
    with pytest.raises(PydpstatError, match=words):
        release_hierarchy(**arguments)
    assert budget.spent.epsilon == 0.0


def test_dropped_records():
    rows = [("North", "a", "m"), ("South", "c", "f"), ("West", "d", "m"), (None, None, None)]
    frame = pd.DataFrame(rows, columns=["state", "town", "sex"])
    how = {"neighbors": "unbounded", "missing": "drop", "method": "top-down"}
    result = release_hierarchy(frame, 50.0, hierarchy=COUNTRY, **how)
    assert result.values[0].tolist() == [2] and TYPES_CONDITION in result.guarantee.conditions
    assert len(result.guarantee.conditions) == 2
    kept = release_hierarchy(frame.iloc[:2], 50.0, hierarchy=COUNTRY)
    assert "every record is at a leaf" in kept.guarantee.conditions[-1] and kept.nobs == 2


def test_nothing_private_can_be_reached():
    seed, counts = 987_654_321, np.array([10_007, 20_011, 30_013, 40_009, 50_021, 60_013, 70_001])
    sums = membership(COUNTRY.tree) @ counts
    stream = np.random.default_rng(seed)
    # little epsilon, so that no noisy count is a true one
    result = release_hierarchy(counts, 1e-2, hierarchy=COUNTRY, neighbors="unbounded", rng=stream)
    noise = np.concatenate(result.noisy_values) - sums
    secret = [*sums, *noise[np.abs(noise) > 100], seed]
    assert findings(result, secret, (counts, stream)) == []
    for view in (result.summary().as_text(), result.to_dict(), result.to_frame(), result.call, repr(result)):
        assert found_in(reachable(view), secret, (counts, stream)) == []


@pytest.mark.parametrize("method", ["least squares", "ratio", "top-down"])
def test_copies_are_equal_and_cannot_be_changed(method):
    result = released(method=method)
    for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result), copy.copy(result)):
        pd.testing.assert_frame_equal(other.to_frame(), result.to_frame())
        assert other.guarantee == result.guarantee and not any(each.flags.writeable for each in other.values)
    with pytest.raises(ValueError):
        result.values[0][0] = 5
    handed_out = result.estimate
    handed_out.loc["total", "value"] = -5
    assert result.estimate.loc["total", "value"] == 400


def test_the_views():
    result = released(method="top-down")
    frame = result.to_frame()
    assert frame.columns.tolist() == ["level", "label", "noisy", "estimate", "noise sd", "std err"]
    assert result.noisy.columns.tolist() == result.estimate.columns.tolist() == ["level", "label", "value"]
    assert result.estimate.value.dtype == result.noisy.value.dtype == result.values[0].dtype == np.int64
    assert result.level("state").index.tolist() == ["North", "South", "Isles"] and result.level(-1).size == 6
    assert result.bse.isna().all()
    assert "the effect of clipping at 0" in " ".join(result.summary().as_text().split())
    with pytest.raises(PydpstatError, match="no standard errors"):
        result.conf_int()
    with pytest.raises(PydpstatError, match="Did you mean 'state'"):
        result.level("stat")
    with pytest.raises(PydpstatError, match="level must be from 0 to 3"):
        result.level(4)
    interval = result.consistent().conf_int()
    assert (interval[0] <= result.consistent().params).all()
    assert interval.loc["total"].tolist() == [400.0, 400.0]
    assert json.loads(json.dumps(result.to_dict()))["epsilons"] == result.epsilons.tolist()
    assert np.asarray(result).tolist() == result.params.tolist() and "<table" in result._repr_html_()
    assert result.postprocessing[-1].endswith("no privacy budget")
    assert result.call.endswith("method='top-down')")
    assert repr(result).startswith("<HierarchyResults top-down")


def test_results_are_compared_by_identity():
    result = released()
    assert len({result, result, result.consistent()}) == 2 and result != result.consistent()


def test_a_long_summary_says_what_is_left_out():
    levels = ["a name that is too long for a line", "leaves"]
    wide = Hierarchy([f"leaf {place}" for place in range(100)], levels=levels)
    text = release_hierarchy(np.zeros(100), 1.0, hierarchy=wide).summary().as_text()
    assert "41 more rows" in text and "a name that is to..." in text


@pytest.mark.slow
def test_coverage_of_the_interval():
    covered = []
    for seed in range(150):
        interval = released(rng=seed, epsilon=0.5).conf_int(0.1).iloc[1:]
        truth = (membership(COUNTRY.tree) @ np.array(COUNTS))[1:]
        covered.append((interval[0] <= truth) & (truth <= interval[1]))
    # 150 releases of 12 nodes, which are correlated: the mean's standard error is below 1.5 %
    assert 0.85 < np.mean(covered) < 0.95
