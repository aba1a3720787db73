"""Samples of data in engines: drawn at random, chunk by chunk, and refused where that cannot be."""

import numpy as np
import pytest
from scipy import stats

import pydpstat as dp
from pydpstat import PydpstatError
from tests.engines import releases
from tests.engines.makers import MAKERS, pa
from tests.engines.releases import STATISTICS, WAYS, columns_for

RATE, SIZE, DRAWS = 0.3, 40, 300
# of a chi-square test: the share of right programs that one run of one test would refuse
FALSE_ALARM = 1e-6
# those that need no file and no tenth of a second for each of many releases
ENGINES = [name for name in MAKERS if name not in ("dask", "scan", "dataset", "scanner", "relation")]
every_engine = pytest.mark.parametrize("engine", MAKERS)


def numbers_kept(engine, folder, **options):
    """Return how many of `SIZE` records were kept, of each of many samples."""
    table = pa.table({"b": np.ones(SIZE, dtype=bool), "u": np.arange(SIZE) // 2})
    table = table if "unit" in options else table.select(["b"])
    found = []
    for _ in range(DRAWS):
        # next to no noise: the sum of both counts is that of the records
        data = MAKERS[engine](table, 3, folder)
        result = dp.count(data, 60.0, neighbors="unbounded", sample=RATE, **options)
        found.append(round(np.asarray(result.value).item() * RATE))
    return np.array(found)


def p_value(found, number):
    """Return the p-value of a chi-square test of binomial numbers, rare ones taken together."""
    counts = np.arange(number + 1)
    expected = len(found) * stats.binom.pmf(counts, number, RATE)
    seen = np.bincount(found, minlength=number + 1)
    usual = expected >= 5
    pairs = [(seen[usual], expected[usual]), ([seen[~usual].sum()], [expected[~usual].sum()])]
    observed, wanted = (np.concatenate(each) for each in zip(*pairs))
    return stats.chisquare(observed, wanted).pvalue


@pytest.mark.parametrize("engine", ENGINES)
def test_the_number_of_records_kept_is_binomial(engine, tmp_path):
    found = numbers_kept(engine, tmp_path)
    assert p_value(found, SIZE) > FALSE_ALARM


@pytest.mark.parametrize("engine", ["table", "frames"])
def test_the_number_of_units_kept_is_binomial(engine, tmp_path):
    found = numbers_kept(engine, tmp_path, unit="u", max_records=2)
    assert not (found % 2).any()
    assert p_value(found // 2, SIZE // 2) > FALSE_ALARM


@pytest.mark.parametrize("rate", [RATE * 0.8, RATE * 1.25])
def test_another_rate_would_be_found(rate):
    found = np.random.default_rng(3).binomial(SIZE, rate, 4 * DRAWS)
    assert p_value(found, SIZE) < FALSE_ALARM


@pytest.mark.parametrize("engine", ["table", "frames", "lazy"])
def test_each_chunk_is_drawn_by_itself(engine, tmp_path):
    size = 3 * 65_536
    half = np.arange(size) < size // 2
    for _ in range(3):
        data = MAKERS[engine](pa.table({"b": half}), 2, tmp_path)
        result = dp.proportion(data, 60.0, neighbors="unbounded", sample=0.5)
        # equal numbers from both halves would be a coincidence of one in 400; five standard deviations
        assert abs(np.asarray(result.value).item() - 0.5) < 5 * np.sqrt(0.25 / (size * 0.5))


@pytest.mark.parametrize("name", STATISTICS)
@every_engine
def test_what_is_stated_is_the_same_as_in_memory(name, engine, tmp_path):
    statistic = STATISTICS[name]
    for label in ("unbounded", "unit, by"):
        way = WAYS[label]
        if not releases.takes(statistic, way._replace(options={**way.options, "sample": 0.25})):
            continue
        (tmp_path / label).mkdir()
        options = {**statistic.arguments, **way.options, "missing": statistic.fill, "sample": 0.25}
        table = releases.TABLE.select(columns_for(statistic, way))
        budget = dp.Budget(epsilon=1, neighbors="unbounded", unit=options.get("unit"))
        data = MAKERS[engine](table, 3, tmp_path / label)
        got = statistic.function(data, epsilon=0.5, budget=budget, **options)
        wanted = statistic.function(table.to_pandas(), epsilon=0.5, **options)
        assert releases.scale_of(got) == releases.scale_of(wanted)
        assert releases.charged(budget)["entry's epsilon"] == got.epsilon < 0.5


@pytest.mark.parametrize("options", [{"rng": 1}, {"neighbors": "bounded"}], ids=["rng", "bounded"])
@every_engine
def test_what_asks_for_a_place_among_all_is_refused_before_reading(engine, options, tmp_path):
    budget = dp.Budget(epsilon=1, neighbors=options.get("neighbors", "unbounded"))
    data = MAKERS[engine](releases.COMPLETE.select(["x"]), 3, tmp_path)
    with pytest.raises(PydpstatError, match="sample needs neighbors='unbounded'"):
        dp.mean(data, 1, bounds=(0, 1), sample=0.5, budget=budget, **options)
    assert not budget.entries
    # what can be read once was not
    whole = dp.mean(data, 1, bounds=(0, 1), neighbors=budget.neighbors, rng=1)
    assert np.isfinite(whole.value).all()
