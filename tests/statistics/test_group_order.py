"""Quantiles, histograms and tables by group and by unit: truth, the same in all pieces, and bad input."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat.statistics._kernels import ranks as kernel
from pydpstat.statistics._kernels.ranks import public_share
from tests.statistics.pieces import pieces  # noqa: F401
from tests.statistics.regions import BY, GRID, HOW, ONE, REGIONS, SEXES, frame

HUGE = 1e7
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


# parts of the records


SPLIT = {
    "median": lambda d, **o: dp.median(d, 1.0, **GRID, **o),
    "quantile": lambda d, **o: dp.quantile(d, 0.2, 1.0, bounds=(0, 100), **o),
    "quantiles": lambda d, **o: dp.quantiles(d, [0.2, 0.7, 0.9], 1.0, **GRID, **o),
    "histogram": lambda d, **o: dp.histogram(d, 1.0, edges=[0, 20, 50, 100], **o),
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
        (lambda d: dp.median(d.x, 1.0, **GRID, **ONE), "by must have a value for each record"),
        (lambda d: dp.histogram(d, 1.0, edges=[0, 1], unit="id"), "max_records"),
        (lambda d: dp.histogram(d, 1.0, edges=[0, 1], max_groups=1), "max_groups must not be given"),
        (lambda d: dp.histogram(d.x, 1.0, edges=[0, 1], by=d.sex[:5], levels=SEXES), "its length differs"),
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
