"""Quantiles, histograms and tables by group and by unit: truth, the same in all pieces, and bad input."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat._records import ranks as kernel
from pydpstat._records.ranks import round_share
from tests.statistics.pieces import pieces  # noqa: F401
from tests.statistics.regions import BY, GRID, HOW, ONE, REGIONS, SEXES, frame

HUGE = 1e7
COLUMNS = ["x", "region", "sex"]
LEVELS = {"region": REGIONS, "sex": SEXES}


def of_group(data, row):
    region, sex = row
    inside = data.region == region if region != "other" else ~data.region.isin(REGIONS)
    return data.x[inside & (data.sex == sex)] if sex != "other" else data.x[:0]


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize("q", [0.0, 0.3, 1.0])
def test_each_group_has_its_quantile(neighbors, q):
    data = frame()
    found = dp.quantile(data[COLUMNS], q, HUGE, neighbors=neighbors, rng=1, **GRID, **BY)
    several = dp.quantiles(data[COLUMNS], [q, 0.9], HUGE, neighbors=neighbors, rng=1, **GRID, **BY)
    assert found.nobs is None and found.value.shape == (12,) and several.value.shape == (12, 2)
    assert found.estimate.index.names == ["region", "sex"]
    assert several.estimate.columns.tolist() == [str(q), "0.9"]
    for row, value in found.estimate.items():
        x = np.sort(of_group(data, row))
        if x.size:
            # a point whose rank is that of the share
            assert (x < value).sum() <= round_share(q) * x.size <= (x <= value).sum()
            middle = several.estimate.loc[row].iloc[0]
            assert (x < middle).sum() - 1 <= round_share(q) * x.size <= (x <= middle).sum() + 1


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_each_group_has_its_histogram(neighbors):
    data, edges = frame(), [0, 10, 50, 51, 100]
    found = dp.histogram(data[COLUMNS], HUGE, edges=edges, neighbors=neighbors, rng=1, **BY)
    assert found.sensitivity == (2.0 if neighbors == "bounded" else 1.0) and found.nobs is None
    assert found.estimate.columns.tolist() == ["[0, 10)", "[10, 50)", "[50, 51)", "[51, 100]"]
    for row, counts in found.estimate.iterrows():
        assert counts.tolist() == np.histogram(of_group(data, row), edges)[0].tolist()
    noise = {"mechanism": "gaussian", "delta": 1e-6}
    gaussian = dp.histogram(data[COLUMNS], 1.0, edges=edges, neighbors=neighbors, **noise, **BY)
    assert gaussian.sensitivity == pytest.approx(math.sqrt(2) if neighbors == "bounded" else 1.0)


@pytest.mark.parametrize("edges", [np.linspace(0, 1, 11), np.linspace(0, 1, 400), [0, 0.1, 0.5, 0.55, 1.0]])
def test_values_on_edges_and_missing_ones_are_counted_in_groups_as_alone(edges):
    draw = np.random.default_rng(3)
    x = np.concatenate([draw.random(70_000), np.repeat(edges, 40), [-math.inf, math.inf]])
    groups = draw.integers(0, 5, x.size)
    x[::31] = np.nan
    how = {"edges": edges, "by": groups, "levels": list(range(5)), "other": None, "rng": 1}
    found = dp.histogram(x, HUGE, missing=0.2, **how)
    for group in range(5):
        alone = dp.histogram(x[groups == group], HUGE, edges=edges, missing=0.2, rng=1)
        assert found.value[group].tolist() == alone.value.tolist()
    dropped = dp.histogram(x, HUGE, missing="drop", neighbors="unbounded", **how)
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
    options = {"unit": "id", "neighbors": neighbors}
    one, two = data[["region", "id"]], data[["region", "sex", "id"]]
    every = dp.crosstab(two, HUGE, levels=LEVELS, max_records=100, rng=1, **options)
    seen = data.assign(region=data.region.where(data.region.isin(REGIONS), "other"))
    true = pd.crosstab(seen.region, seen.sex)
    for region, sex in product([*REGIONS, "other"], SEXES):
        assert every.estimate.loc[region, sex] == true.loc[region, sex]
    assert every.sensitivity == (200 if neighbors == "bounded" else 100) and every.nobs is None
    assert every.guarantee.unit == "id"
    few = dp.crosstab(two, HUGE, levels=LEVELS, max_records=2, rng=1, **options)
    assert few.value.sum() == data.groupby("id").size().clip(upper=2).sum()
    single = dp.crosstab(two, HUGE, levels=LEVELS, max_records=9, max_groups=1, rng=1, **options)
    cells = data.groupby(["id", "region", "sex"]).size().groupby("id")
    assert cells.min().clip(upper=9).sum() <= single.value.sum() <= cells.max().clip(upper=9).sum()
    found = dp.crosstab(one, HUGE, levels="discover", delta=1e-6, max_records=20, rng=1, **options)
    assert found.estimate.to_dict() == data.region.value_counts().to_dict()
    noise = {"mechanism": "gaussian", "delta": 1e-6, "max_records": 3}
    gaussian = dp.crosstab(two, 1.0, levels=LEVELS, **noise, **options)
    assert gaussian.sensitivity == pytest.approx(3 * (math.sqrt(2) if neighbors == "bounded" else 1.0))


SPLIT = {
    "median": lambda d, **o: dp.median(d, 1.0, **GRID, **o),
    "quantile": lambda d, **o: dp.quantile(d, 0.2, 1.0, bounds=(0, 100), **o),
    "quantiles": lambda d, **o: dp.quantiles(d, [0.2, 0.7, 0.9], 1.0, **GRID, **o),
    "histogram": lambda d, **o: dp.histogram(d, 1.0, edges=[0, 20, 50, 100], **o),
}


# how many there are, up to which size counts of all points are kept, and how many records are sorted at once
PIECES = [(1, 0, 7), (2, 2**24, 7), (7, 0, 2**18), (64, 2**24, 2**18)]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("name", SPLIT)
@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_a_seeded_release_is_the_same_of_all_pieces(name, how, neighbors, pieces, monkeypatch):  # noqa: F811
    columns, options = HOW[how]
    data = frame(500)[columns]
    options = {**options, "neighbors": neighbors, "rng": 5}
    expected = SPLIT[name](data, **options)
    shuffled = SPLIT[name](data.sample(frac=1, random_state=2), **options)
    assert shuffled.value.tolist() == expected.value.tolist()
    for seed, (number, most, piece) in enumerate(PIECES):
        monkeypatch.setattr(kernel, "_MAX_DENSE_CELLS", most)
        monkeypatch.setattr(kernel, "_PIECE_SIZE", piece)
        found = SPLIT[name](pieces(data, number, seed, seed < 2), **options)
        assert found.value.tolist() == expected.value.tolist()
        for word in ("nobs", "sensitivity", "call", "labels", "guarantee"):
            assert getattr(found, word) == getattr(expected, word)


@pytest.mark.parametrize(
    "options",
    [
        {"levels": LEVELS, "other": None},
        {"levels": LEVELS, "unit": "id", "max_records": 2, "max_groups": 1},
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
    for number, counts in ((2, True), (7, False), (64, True)):
        found = dp.crosstab(pieces(data, number, number, counts), 1.0, neighbors=neighbors, rng=5, **options)
        assert found.value.tolist() == expected.value.tolist() and found.labels == expected.labels
        # also where records are in no cell, the public number is that of all
        assert found.nobs == expected.nobs and found.call == expected.call


@pytest.mark.slow
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
        (lambda d: dp.median(d[["x", "id", "sex"]].assign(sex=1), 1.0, **GRID), "x must be one variable"),
        (lambda d: dp.median(d.x, 1.0, **GRID, **ONE), "by must have a value for each record"),
        (lambda d: dp.histogram(d, 1.0, edges=[0, 1], unit="id"), "max_records"),
        (lambda d: dp.histogram(d, 1.0, edges=[0, 1], max_groups=1), "max_groups must not be given"),
        (
            lambda d: dp.histogram(d[["x", "id"]], 1.0, edges=np.arange(5001), by="id", levels=range(3000)),
            "at most 10000000 cells",
        ),
        (lambda d: dp.crosstab(d, 1.0, levels=[REGIONS], unit="id"), "levels must be a list of levels"),
        (
            lambda d: dp.crosstab(d[["sex", "id"]], 1.0, levels=SEXES, unit="id", max_records=0),
            "max_records must",
        ),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_spent(call, said):
    budget = dp.Budget(1.0)
    with budget, pytest.raises(dp.PydpstatError, match=said):
        call(frame(20))
    assert len(budget.to_frame()) == 0
