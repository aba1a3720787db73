"""How often data outside of memory are read: once, and twice only where the grid hinges on their number."""

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat.statistics._catalog import STATISTICS as CATALOG
from tests.statistics.pieces import Pieces, pieces  # noqa: F401

BOUNDS = {"bounds": (0.0, 10.0)}
# epsilon at which 2000 records need a finer grid than data of unknown number have
LARGE = 1e7


class Watched(Pieces):
    """A frame in pieces that notes what it is asked for; `once` tells that it can be read once."""

    def __init__(self, frame, once=False):
        super().__init__(frame, 3)
        self.once, self.asked = once, []

    def count_records(self):
        self.asked.append("count")
        return None if self.once else super().count_records()

    def fold(self, map_chunk, merge, unit=None):
        assert not (self.once and "fold" in self.asked)
        self.asked.append("fold")
        return super().fold(map_chunk, merge, unit)


pytestmark = pytest.mark.usefixtures("pieces")


def frame(size=2000):
    draw = np.random.default_rng(4)
    return pd.DataFrame({"x": draw.random(size) * 12 - 1, "y": draw.random(size) * 10})


STATISTICS = {
    "mean": (dp.mean, ["x"], BOUNDS),
    "means": (dp.mean, ["x", "y"], BOUNDS),
    "sum": (dp.sum, ["x"], BOUNDS),
    "var": (dp.var, ["x"], BOUNDS),
    "std": (dp.std, ["x"], BOUNDS),
    "cov": (dp.cov, ["x", "y"], BOUNDS),
    "corr": (dp.corr, ["x", "y"], BOUNDS),
    "median": (dp.median, ["x"], BOUNDS),
    "quantiles": (lambda x, epsilon, **how: dp.quantiles(x, [0.2, 0.7], epsilon, **how), ["x"], BOUNDS),
    "histogram": (dp.histogram, ["x"], {"edges": [0, 3, 7, 10]}),
    "count": (dp.count, ["x"], {}),
    "proportion": (dp.proportion, ["x", "y"], {}),
}
# those whose grid hinges on the number of records
GRIDS = ("mean", "means", "sum", "var", "std", "cov")
# what each needs at least
LEAST = {name: statistic.min_records for name, statistic in CATALOG.items()}


def of(name, size=2000):
    function, columns, how = STATISTICS[name]
    data = frame(size)[columns]
    return function, data > 5 if name in ("count", "proportion") else data, {**how, "rng": 3}


@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize("name", STATISTICS)
def test_they_are_read_once(name, once):
    function, data, how = of(name)
    table = Watched(data, once)
    found = function(table, 1.0, **how)
    assert table.asked == ["fold"]
    alone = function(data, 1.0, **how)
    assert found.nobs == alone.nobs == 2000
    assert np.array_equal(found.value, alone.value)


@pytest.mark.parametrize("name", STATISTICS)
def test_they_are_read_again_where_the_grid_must_be_finer(name):
    function, data, how = of(name)
    table = Watched(data)
    found = function(table, LARGE, **how)
    assert table.asked == (["fold", "count", "fold"] if name in GRIDS else ["fold"])
    assert np.array_equal(found.value, function(data, LARGE, **how).value)


@pytest.mark.parametrize("name", GRIDS)
def test_what_can_be_read_once_is_refused_then(name):
    function, data, how = of(name)
    budget = dp.Budget(2 * LARGE)
    with pytest.raises(dp.PydpstatError, match=r"read only once must have fewer records .* got 2000"):
        function(Watched(data, once=True), LARGE, budget=budget, **how)
    assert budget.spent.epsilon == 0


@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize("name", STATISTICS)
def test_too_few_records_are_the_error_that_they_are_in_memory(name, once):
    least = LEAST.get(name, 1)
    for size in range(3):
        function, data, how = of(name, size)
        budget = dp.Budget(1.0)
        if size >= least:
            assert function(Watched(data, once), 1.0, budget=budget, **how).nobs == size
            continue
        with pytest.raises(dp.PydpstatError) as alone:
            function(data, 1.0, **how)
        with pytest.raises(dp.PydpstatError) as apart:
            function(Watched(data, once), 1.0, budget=budget, **how)
        assert str(apart.value) == str(alone.value) and "at least" in str(alone.value)
        assert budget.spent.epsilon == 0


@pytest.mark.parametrize("name", STATISTICS)
def test_unbounded_neighbors_never_count(name):
    function, data, how = of(name)
    table, how = Watched(data), {**how, "neighbors": "unbounded"}
    found = function(table, LARGE, **how)
    assert found.nobs is None and table.asked == ["fold"]
    assert np.array_equal(found.value, function(data, LARGE, **how).value)
