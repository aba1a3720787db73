"""Quantiles, histograms and tables by group and by unit: truth, laws, exactness in pieces, and the loss."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pydpstat as dp
from pydpstat.statistics._kernels import point_choice
from pydpstat.statistics._kernels import point_counts as kernel
from pydpstat.statistics._kernels.discovered_levels import unit_threshold
from pydpstat.statistics._kernels.order_grid import public_share, rank_range, rank_utility
from tests.statistics.pieces import pieces  # noqa: F401

# the draws are seeded: a right sampler passes each time, a random one would fail once in a million
FALSE_ALARM = 1e-6
HUGE = 1e7
REGIONS, SEXES = ["n", "s", "w"], ["f", "m"]


def frame(size=400, seed=1):
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "x": draw.integers(0, 101, size).astype(float),
            "region": draw.choice([*REGIONS, "elsewhere"], size),
            "sex": draw.choice(SEXES, size),
            "id": draw.integers(0, size // 4 + 1, size),
        }
    )


BY = {"by": ["region", "sex"], "levels": {"region": REGIONS, "sex": SEXES}}
ONE = {"by": "region", "levels": REGIONS}
GRID = {"bounds": (0, 100), "grid_points": 101}
COLUMNS = ["x", "region", "sex"]


def of_group(data, row):
    region, sex = row
    inside = data.region == region if region != "other" else ~data.region.isin(REGIONS)
    return data.x[inside & (data.sex == sex)] if sex != "other" else data.x[:0]


# the truth


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize("q", [0.0, 0.3, 0.5, 1.0])
def test_each_group_has_its_quantile(neighbors, q):
    data = frame()
    found = dp.quantile(data[COLUMNS], q, HUGE, neighbors=neighbors, rng=1, **GRID, **BY)
    several = dp.quantiles(data[COLUMNS], [q, 0.9], HUGE, neighbors=neighbors, rng=1, **GRID, **BY)
    assert found.nobs is None and found.value.shape == (12,) and several.value.shape == (12, 2)
    assert found.estimate.index.names == ["region", "sex"] and several.estimate.columns.tolist() == [
        str(q),
        "0.9",
    ]
    for row, value in found.estimate.items():
        x = np.sort(of_group(data, row))
        if x.size:
            # a point whose rank is that of the share
            assert (x < value).sum() <= public_share(q) * x.size <= (x <= value).sum()
            middle = several.estimate.loc[row].iloc[0]
            assert (x < middle).sum() - 1 <= public_share(q) * x.size <= (x <= middle).sum() + 1


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_each_group_has_its_histogram(neighbors):
    data, edges = frame(), [0, 10, 50, 51, 100]
    found = dp.histogram(data[COLUMNS], HUGE, edges=edges, neighbors=neighbors, rng=1, **BY)
    assert found.sensitivity == (2.0 if neighbors == "bounded" else 1.0) and found.nobs is None
    assert found.estimate.columns.tolist() == ["[0, 10)", "[10, 50)", "[50, 51)", "[51, 100]"]
    for row, counts in found.estimate.iterrows():
        assert counts.tolist() == np.histogram(of_group(data, row), edges)[0].tolist()
    gaussian = dp.histogram(
        data[COLUMNS], 1.0, edges=edges, neighbors=neighbors, mechanism="gaussian", delta=1e-6, **BY
    )
    assert gaussian.sensitivity == pytest.approx(math.sqrt(2) if neighbors == "bounded" else 1.0)


@pytest.mark.parametrize("edges", [np.linspace(0, 1, 11), np.linspace(0, 1, 400), [0, 0.1, 0.5, 0.55, 1.0]])
def test_values_on_edges_and_missing_ones_are_counted_in_groups_as_alone(edges):
    draw = np.random.default_rng(3)
    x = np.concatenate([draw.random(70_000), np.repeat(edges, 40), [-math.inf, math.inf]])
    groups = draw.integers(0, 5, x.size)
    x[::31] = np.nan
    found = dp.histogram(
        x, HUGE, edges=edges, by=groups, levels=list(range(5)), other=None, missing=0.2, rng=1
    )
    for group in range(5):
        alone = dp.histogram(x[groups == group], HUGE, edges=edges, missing=0.2, rng=1)
        assert found.value[group].tolist() == alone.value.tolist()
    dropped = dp.histogram(
        x,
        HUGE,
        edges=edges,
        by=groups,
        levels=list(range(5)),
        other=None,
        missing="drop",
        neighbors="unbounded",
        rng=1,
    )
    assert dropped.value.sum() == np.count_nonzero(~np.isnan(x))


def test_missing_values_of_groups():
    x, groups = [1.0, np.nan, 3.0, np.nan], ["a", "a", "b", None]
    options = {"by": groups, "levels": ["a", "b"], "bounds": (0, 4), "grid_points": 5}
    with pytest.raises(dp.PydpstatError, match="missing"):
        dp.median(x, 1.0, **options)
    filled = dp.quantile(x, 0.6, HUGE, missing=2.0, rng=1, **options)
    assert filled.estimate.to_dict() == {"a": 2.0, "b": 3.0, "other": 2.0}
    dropped = dp.quantile(x, 0.6, HUGE, missing="drop", neighbors="unbounded", rng=1, **options)
    assert dropped.estimate["a"] == 1.0 and dropped.estimate["b"] == 3.0


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_tables_by_unit(neighbors):
    data = frame()
    columns = ["region", "sex", "id"]
    levels = {"region": REGIONS, "sex": SEXES}
    options = {"unit": "id", "neighbors": neighbors}
    every = dp.crosstab(data[columns], HUGE, levels=levels, max_records=100, rng=1, **options)
    seen = data.assign(region=data.region.where(data.region.isin(REGIONS), "other"))
    true = pd.crosstab(seen.region, seen.sex)
    for region, sex in product([*REGIONS, "other"], SEXES):
        assert every.estimate.loc[region, sex] == true.loc[region, sex]
    assert every.sensitivity == (200 if neighbors == "bounded" else 100) and every.nobs is None
    assert every.guarantee.unit == "id"
    few = dp.crosstab(data[columns], HUGE, levels=levels, max_records=2, rng=1, **options)
    assert few.value.sum() == data.groupby("id").size().clip(upper=2).sum()
    one = dp.crosstab(data[columns], HUGE, levels=levels, max_records=9, max_groups=1, rng=1, **options)
    cells = data.groupby(["id", "region", "sex"]).size().groupby("id")
    assert cells.min().clip(upper=9).sum() <= one.value.sum() <= cells.max().clip(upper=9).sum()
    found = dp.crosstab(
        data[["region", "id"]], HUGE, levels="discover", delta=1e-6, max_records=20, rng=1, **options
    )
    assert found.estimate.to_dict() == data.region.value_counts().to_dict()
    gaussian = dp.crosstab(
        data[columns], 1.0, levels=levels, mechanism="gaussian", delta=1e-6, max_records=3, **options
    )
    assert gaussian.sensitivity == pytest.approx(3 * (math.sqrt(2) if neighbors == "bounded" else 1.0))


# the law


def test_a_group_has_the_law_of_a_release_of_its_own():
    # unbounded neighbors: epsilon in every group; bounded ones: half of it
    data = pd.DataFrame({"x": [0.0, 1, 1, 1, 4, 5, 5, 0], "g": [*"aaaaabbb"]})
    share, draws = public_share(0.3), 4000
    for neighbors, part in (("unbounded", 1.0), ("bounded", 0.5)):
        draw = np.random.default_rng(8)
        seen = np.array(
            [
                dp.quantile(
                    data,
                    0.3,
                    4.0,
                    bounds=(0, 5),
                    grid_points=6,
                    neighbors=neighbors,
                    by="g",
                    levels=["a", "b", "c"],
                    other=None,
                    rng=draw,
                ).value
                for _ in range(draws)
            ]
        ).astype(int)
        for place, group in enumerate("abc"):
            x = data.x[data.g == group].astype(int)
            utility = rank_utility(np.bincount(x, minlength=6), share)
            counts = np.bincount(seen[:, place], minlength=6)
            law = weights(utility, 4.0 * part / float(rank_range(share, "unbounded")))
            assert stats.chisquare(counts, draws * law).pvalue > FALSE_ALARM
            if group == "a":
                # an epsilon that is off by half is seen
                for wrong in (0.7, 1.4):
                    other = weights(utility, wrong * 4.0 * part / float(rank_range(share, "unbounded")))
                    assert stats.chisquare(counts, draws * other).pvalue < 1e-3
        # the groups choose on their own
        assert stats.chi2_contingency(pd.crosstab(seen[:, 0], seen[:, 1]))[1] > FALSE_ALARM


def weights(utility, rate):
    found = np.exp(rate * utility)
    return found / found.sum()


def test_the_uniforms_of_a_seed_are_those_of_releases_one_after_the_other():
    data = frame(3000)
    x = {"bounds": (0, 100), "neighbors": "unbounded"}
    for seed in range(5):
        together = dp.median(data[["x", "sex"]], 0.1, by="sex", levels=SEXES, other=None, rng=seed, **x)
        draw = np.random.default_rng(seed)
        alone = [float(dp.median(data.x[data.sex == sex], 0.1, rng=draw, **x)) for sex in SEXES]
        assert together.value.tolist() == alone


# parts of the records


SPLIT = {
    "median": lambda d, **o: dp.median(d, 1.0, **GRID, **o),
    "quantile": lambda d, **o: dp.quantile(d, 0.2, 1.0, bounds=(0, 100), **o),
    "quantiles": lambda d, **o: dp.quantiles(d, [0.2, 0.7, 0.9], 1.0, **GRID, **o),
    "histogram": lambda d, **o: dp.histogram(d, 1.0, edges=[0, 20, 50, 100], **o),
}
HOW = {
    "alone": (["x"], {}),
    "by group": (["x", "region", "sex"], BY),
    "by unit": (["x", "id"], {"unit": "id", "max_records": 2}),
    "both": (["x", "region", "id"], {**ONE, "unit": "id", "max_records": 3, "max_groups": 2}),
}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("name", SPLIT)
@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_a_seeded_release_is_the_same_of_all_pieces(name, how, neighbors, pieces):  # noqa: F811
    columns, options = HOW[how]
    data = frame(500)[columns]
    options = {**options, "neighbors": neighbors, "rng": 5}
    expected = SPLIT[name](data, **options)
    shuffled = SPLIT[name](data.sample(frac=1, random_state=2), **options)
    assert shuffled.value.tolist() == expected.value.tolist()
    for seed, number in enumerate((1, 2, 7, 64)):
        for counts in (True, False):
            found = SPLIT[name](pieces(data, number, seed, counts), **options)
            assert found.value.tolist() == expected.value.tolist()
            assert (found.nobs, found.sensitivity, found.call) == (
                expected.nobs,
                expected.sensitivity,
                expected.call,
            )
            assert found.labels == expected.labels and found.guarantee == expected.guarantee


@pytest.mark.parametrize(
    "options",
    [
        {"levels": {"region": REGIONS, "sex": SEXES}},
        {"levels": {"region": REGIONS, "sex": SEXES}, "other": None},
        {"levels": {"region": REGIONS, "sex": SEXES}, "unit": "id", "max_records": 2, "max_groups": 1},
        {"levels": "discover", "delta": 1e-3},
        {"levels": "discover", "delta": 1e-3, "unit": "id", "max_records": 2},
    ],
)
@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_a_seeded_table_is_the_same_of_all_pieces(options, neighbors, pieces):  # noqa: F811
    columns = ["region"] if options["levels"] == "discover" else ["region", "sex"]
    columns = [*columns, *(["id"] if "unit" in options else [])]
    data = frame(500)[columns]
    expected = dp.crosstab(data, 1.0, neighbors=neighbors, rng=5, **options)
    for seed, number in enumerate((1, 2, 7, 64)):
        for counts in (True, False):
            table = pieces(data, number, seed, counts)
            found = dp.crosstab(table, 1.0, neighbors=neighbors, rng=5, **options)
            assert found.value.tolist() == expected.value.tolist() and found.labels == expected.labels
            # also where records are in no cell, the public number is that of all
            assert found.nobs == expected.nobs and found.call == expected.call


def test_counts_of_points_are_the_same_however_they_are_kept(monkeypatch):
    draw = np.random.default_rng(2)
    data = pd.DataFrame({"x": draw.random(3000), "g": draw.integers(0, 50, 3000)})
    options = {"bounds": (0, 1), "by": "g", "levels": list(range(60)), "other": None, "rng": 3}
    found = []
    for dense, piece in ((2**24, 2**18), (0, 2**18), (2**24, 100), (0, 7)):
        monkeypatch.setattr(kernel, "_MOST_DENSE", dense)
        monkeypatch.setattr(kernel, "_PIECE", piece)
        for points in (11, 65537):
            found.append((points, dp.median(data, 1.0, grid_points=points, **options).value.tolist()))
            found.append((-points, dp.quantiles(data, [0.4, 0.6], 1.0, grid_points=points, **options).value))
    for points, value in found:
        first = next(other for each, other in found if each == points)
        assert np.array_equal(value, first)


# the loss, by the exact probabilities of everything that can come out


def joint_loss(one, two, share, rate, points):
    """The largest log ratio of the probabilities of all groups' choices together."""
    total = 0.0
    for a, b in zip(one, two):
        first, second = (weights(rank_utility(np.array(each), share), rate) for each in (a, b))
        total += np.abs(np.log(first / second)).max()
    return total


def counts_up_to(size, points):
    return [
        tuple(np.bincount(each, minlength=points))
        for n in range(size + 1)
        for each in combinations_with_replacement(range(points), n)
    ]


def changed(counts, place, by):
    return tuple(c + by * (point == place) for point, c in enumerate(counts))


@pytest.mark.parametrize("q", [0.0, 0.25, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("epsilon", [0.5, 8.0])
def test_the_loss_of_a_record_that_moves_is_at_most_epsilon(q, epsilon):
    # bounded: one record leaves a group and enters another, or is another one in its group
    points, share = 3, public_share(q)
    rate = epsilon / float(2 * rank_range(share, "unbounded"))
    within = lambda a, b: joint_loss([a], [b], share, rate, points)  # noqa: E731
    worst = single = 0.0
    for counts in counts_up_to(5, points):
        for place in range(points):
            added = changed(counts, place, 1)
            single = max(single, within(counts, added))
            # in one group
            others = [changed(counts, other, 1) for other in range(points)]
            worst = max([worst, *(within(added, other) for other in others)])
    # groups choose on their own, so the worst of a move is the worst of a departure and of an arrival
    worst = max(worst, 2 * single)
    assert worst <= epsilon * (1 + 1e-12)


@pytest.mark.parametrize("q", [0.25, 0.5])
def test_the_loss_is_reached(q):
    # many points above the records hold nearly all of the weight
    points, epsilon, share = 4000, 1.0, public_share(q)
    rate = epsilon / float(2 * rank_range(share, "unbounded"))
    less = np.zeros(points, dtype=int)
    less[1] = 10
    more = less.copy()
    # one more at the lowest point lifts it, and lowers those
    more[0] = 1
    loss = joint_loss([less, more], [more, less], share, rate, points)
    assert 0.97 * epsilon < loss <= epsilon
    # a range that is too small by a tenth is found
    assert joint_loss([less, more], [more, less], share, rate / 0.9, points) > epsilon


def test_the_loss_of_a_person_in_every_group_is_at_most_epsilon():
    # two records of a person, in two groups or in one, of three points: added, removed, or replaced
    points, epsilon, share = 3, 4.0, public_share(0.3)
    for ends in (1, 2):
        rate = epsilon / float(2 * ends * rank_range(share, "unbounded"))
        worst = 0.0
        some = counts_up_to(2, points)
        places = list(product(range(points), repeat=2))
        for one, two in product(some, repeat=2):
            for gone in places:
                for come in places if ends == 2 else [None]:
                    for together in (False, True):
                        first = person(one, two, gone, together)
                        second = (one, two) if come is None else person(one, two, come, False)
                        worst = max(worst, joint_loss(first, second, share, rate, points))
        assert 0.4 * epsilon < worst <= epsilon * (1 + 1e-12)


def person(one, two, places, together):
    if together:
        return changed(changed(one, places[0], 1), places[1], 1), two
    return changed(one, places[0], 1), changed(two, places[1], 1)


def test_several_quantiles_of_groups_pay_for_one_record_each(monkeypatch):
    asked = []

    def split(records, points, shares, epsilon, neighbors, choose, below):
        asked.append((float(epsilon), neighbors))
        return [0] * len(shares)

    monkeypatch.setattr(point_choice, "split_quantiles", split)
    data = frame(50)
    columns, options = HOW["both"]
    dp.quantiles(data[["x"]], [0.5], 1.0, **GRID)
    dp.quantiles(data[["x", "region"]], [0.5], 1.0, **GRID, **ONE)
    dp.quantiles(data[["x", "region"]], [0.5], 1.0, neighbors="unbounded", **GRID, **ONE)
    dp.quantiles(data[columns], [0.5], 1.2, **GRID, **options)
    dp.quantiles(data[columns], [0.5], 1.2, neighbors="unbounded", **GRID, **options)
    expected = [(1.0, "bounded"), (0.5, "unbounded"), (1.0, "unbounded")]
    expected += [(pytest.approx(0.2), "unbounded"), (pytest.approx(0.4), "unbounded")]
    assert list(dict.fromkeys(asked)) == expected


@pytest.mark.parametrize("most", [1, 2, 5])
@pytest.mark.parametrize("epsilon, delta", [(1.0, 1e-3), (5.0, 1e-6), (0.1, 0.2), (20.0, 1e-9)])
@pytest.mark.parametrize("ends", [1, 2])
def test_the_threshold_covers_every_way_in_which_a_unit_has_levels_alone(most, epsilon, delta, ends):
    rate = epsilon / (ends * most)
    threshold = unit_threshold(Fraction(rate), delta, most)

    def passes(counts, at):
        a = math.exp(-rate)
        # P(c + noise >= T) of symmetric geometric noise
        chances = [a ** (at - c) / (1 + a) if at >= c else 1 - a ** (c - at + 1) / (1 + a) for c in counts]
        return 1.0 - math.prod(1.0 - each for each in chances)

    ways = [
        counts
        for number in range(1, most + 1)
        for counts in combinations_with_replacement(range(1, most + 1), number)
        if sum(counts) <= most
    ]
    assert max(passes(counts, threshold) for counts in ways) <= delta * (1 + 1e-9)
    # not larger than need be: one less fails the bound that is proven, by the union of the levels
    a = math.exp(-rate)
    bound = max(most * a ** (threshold - 2), a ** (threshold - 1 - most)) / (1 + a)
    assert bound > delta or threshold == max(2, most + 1)


# size and bad input


def test_many_groups_of_few_records_work():
    draw = np.random.default_rng(4)
    size, number = 20_000, 10_000
    data = pd.DataFrame({"x": draw.normal(50, 10, size), "g": draw.integers(0, number, size)})
    found = dp.median(data, 1.0, bounds=(0, 100), by="g", levels=list(range(number)), other=None, rng=1)
    assert found.value.shape == (number,) and found.estimate.index[-1] == number - 1
    table = dp.histogram(data, 1.0, edges=[0, 50, 100], by="g", levels=list(range(number)), rng=1)
    assert table.value.shape == (number + 1, 2)


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda d: dp.median(d, 1.0, **GRID, by="region"), "levels must be given"),
        (lambda d: dp.median(d[["x", "id", "sex"]].assign(sex=1), 1.0, **GRID), "x must be one variable"),
        (lambda d: dp.median(d.x, 1.0, **GRID, **ONE), "by must hold a value for each record"),
        (lambda d: dp.histogram(d, 1.0, edges=[0, 1], unit="id"), "max_records"),
        (lambda d: dp.histogram(d, 1.0, edges=[0, 1], max_groups=1), "max_groups must not be given"),
        (lambda d: dp.histogram(d.x, 1.0, edges=[0, 1], by=d.sex[:5], levels=SEXES), "another length"),
        (
            lambda d: dp.histogram(
                d[["x", "id"]], 1.0, edges=np.arange(5001), by="id", levels=list(range(3000))
            ),
            "at most 10000000 cells",
        ),
        (lambda d: dp.crosstab(d, 1.0, levels=[REGIONS], unit="id"), "levels must be a list of levels"),
        (lambda d: dp.crosstab(d[["sex"]], 1.0, levels=SEXES, unit="id", max_records=1), "unit must be a"),
        (
            lambda d: dp.crosstab(d[["sex", "id"]], 1.0, levels=SEXES, unit="id", max_records=0),
            "max_records must be",
        ),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_spent(call, said):
    budget = dp.Budget(1.0)
    with budget, pytest.raises(dp.PydpstatError, match=said):
        call(frame(20))
    assert len(budget.to_frame()) == 0
