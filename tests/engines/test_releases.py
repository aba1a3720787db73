"""A release is the same to the last bit from every engine, however its records are cut and ordered."""

import itertools

import pandas as pd
import pytest

import pydpstat as dp
from tests.engines import releases
from tests.engines.makers import MAKERS, USED_UP
from tests.engines.releases import COMPLETE, FILL, STATISTICS, TABLE, WAYS, Way, columns_for, expected, outcome, takes
from tests.engines.tallies import LABELS

PARTS = (1, 2, 7, 64)
MIXED = releases.shuffled(TABLE)
every_engine = pytest.mark.parametrize("engine", MAKERS)
every_statistic = pytest.mark.parametrize("name", STATISTICS)


def in_memory(table):
    """Return the records as pandas has them."""
    return table.to_pandas()


def ways_of(statistic, labels=tuple(WAYS)):
    """Return those of the ways that a statistic has."""
    return [(label, WAYS[label]) for label in labels if takes(statistic, WAYS[label])]


@pytest.fixture
def folders(tmp_path_factory):
    """Return what makes a new folder for the files of each data set."""
    return lambda: tmp_path_factory.mktemp("parts")


@every_engine
@every_statistic
def test_every_way_gives_the_same(name, engine, folders):
    statistic = STATISTICS[name]
    for (label, way), parts in zip(ways_of(statistic), itertools.cycle(PARTS)):
        # units take Dask a second where there are so many parts; the next test has them
        parts = min(parts, 7) if engine == "dask" else parts
        mixed = releases.shuffled(TABLE.select(columns_for(statistic, way)), parts)
        data = MAKERS[engine](mixed, parts, folders())
        assert outcome(statistic, way, data) == expected(name, label), (label, parts)


@every_engine
def test_quantiles_of_integers_are_whole_numbers(engine, folders):
    table = releases.COMPLETE.select(["i"])
    statistic, way = STATISTICS["quantile"], Way({"grid_points": None})
    found = outcome(statistic, way, MAKERS[engine](table, 3, folders()))
    assert found == outcome(statistic, way, in_memory(table))
    assert "chosen from the whole numbers from -50 to 50" in found["summary"]


@pytest.mark.parametrize("parts", PARTS)
@every_engine
def test_any_number_of_parts_gives_the_same(engine, parts, folders):
    for name, label in (("means", "unit, by"), ("var", "by two"), ("count", "dropped"), ("corr", "bounded")):
        statistic, way = STATISTICS[name], WAYS[label]
        table = TABLE.select(columns_for(statistic, way))
        data = MAKERS[engine](table, parts, folders())
        assert outcome(statistic, way, data) == expected(name, label), (name, label)


@every_engine
@every_statistic
def test_complete_data_give_the_same(name, engine, folders):
    statistic = STATISTICS[name]
    for way in (Way({}), Way({"by": "t", "levels": LABELS, **releases.UNIT}, ("t", "u"))):
        if not takes(statistic, way):
            continue
        table = COMPLETE.select(columns_for(statistic, way))
        wanted = outcome(statistic, way, in_memory(table))
        # of bounded neighbors the number of ids is public
        assert "bits" in wanted or name == "nunique"
        assert outcome(statistic, way, MAKERS[engine](table, 3, folders())) == wanted


@pytest.mark.parametrize("rows", [0, 1])
@every_engine
@every_statistic
def test_no_records_and_one_give_the_same(name, engine, rows, folders):
    statistic = STATISTICS[name]
    for label, way in ways_of(statistic, ("bounded", "dropped", "by two", "unit, by", "by, dropped")):
        table = TABLE.select(columns_for(statistic, way)).slice(0, rows)
        wanted = expected(name, label, rows)
        # nothing can be released of no records whose number is public, but counts
        assert "error" not in wanted or label == "bounded"
        assert outcome(statistic, way, MAKERS[engine](table, 1, folders())) == wanted, label


@every_engine
@every_statistic
def test_the_noise_of_the_system_has_the_same_scale(name, engine, folders):
    statistic = STATISTICS[name]
    for label, way in ways_of(statistic, ("bounded", "by two", "unit, by", "by, dropped")):
        options = {**statistic.arguments, **way.options, "epsilon": 0.5}
        options["missing"] = statistic.fill if options["missing"] is FILL else options["missing"]
        table = TABLE.select(columns_for(statistic, way))
        data = MAKERS[engine](table, 4, folders())
        got = releases.scale_of(statistic.function(data, **options))
        assert got == releases.scale_of(statistic.function(in_memory(table), **options)), label


@every_engine
def test_missing_values_are_an_error_where_none_may_be(engine, folders):
    for name, statistic in STATISTICS.items():
        for way in (Way({}), Way({"by": "t", "levels": LABELS}, ("t",))):
            if not takes(statistic, way):
                continue
            table = TABLE.select(columns_for(statistic, way))
            got = outcome(statistic, way, MAKERS[engine](table, 7, folders()))
            assert got == outcome(statistic, way, in_memory(table)), name
            assert got["error"].startswith("missing must say how to treat missing") or name == "nunique"


@every_engine
def test_a_second_release_reads_again_or_says_that_it_cannot(engine, folders):
    table = COMPLETE.select(["x"])
    data = MAKERS[engine](table, 3, folders())
    statistic, way = STATISTICS["mean"], Way({})
    first, second = outcome(statistic, way, data), outcome(statistic, way, data)
    assert first == outcome(statistic, way, in_memory(table))
    if engine in USED_UP:
        assert "used up" in second["error"]
    else:
        assert second == first


@every_engine
def test_the_unit_of_a_budget_is_found_among_the_columns(engine, folders):
    table = TABLE.select(["i", "u"])
    found = []
    for data in (in_memory(table), MAKERS[engine](table, 5, folders())):
        budget = dp.Budget(epsilon=1, unit="u")
        with budget:
            result = dp.sum(data, 0.5, bounds=(-50, 50), missing=0.0, max_records=2, rng=8)
        found.append((float(result), result.unit, releases.charged(budget)))
    assert found[0] == found[1] and found[0][1] == "u"


def test_pandas_is_the_same_in_any_order():
    for name, statistic in STATISTICS.items():
        for label, way in ways_of(statistic):
            columns = columns_for(statistic, way)
            ordered, mixed = (in_memory(each.select(columns)) for each in (TABLE, MIXED))
            assert outcome(statistic, way, mixed) == outcome(statistic, way, ordered), (name, label)
            again = pd.concat([mixed.iloc[300:], mixed.iloc[:300]])
            assert outcome(statistic, way, again) == outcome(statistic, way, ordered), (name, label)
