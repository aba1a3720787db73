"""A list's records are read each by itself: the type that NumPy finds for all of them decides nothing."""

import numpy as np
import pytest

import pydpstat as dp

N = 60
SHORT, BIG = np.float32(0.1), 2**53 + 1
# records that another one, of another type, has beside it in one of the lists
LISTS = {
    "short floats, a float": ([SHORT] * N, [SHORT] * (N - 1) + [0.5]),
    "half floats, a float": ([np.float16(0.1)] * N, [np.float16(0.1)] * (N - 1) + [0.5]),
    "short floats, an integer": ([SHORT] * N, [SHORT] * (N - 1) + [1]),
    "overflowing half floats, a float": ([np.float16(300)] * N, [np.float16(300)] * (N - 1) + [300.0]),
    "large integers, a float": ([2**53] * 30 + [BIG] * 30, [2**53] * 30 + [BIG] * 29 + [0.5]),
    "large integers, a negative one": ([2**63 + 2048] * N, [2**63 + 2048] * (N - 1) + [-1]),
}
LEVELS = [0.1, 0.5, 1, 2**53, BIG, 2**63 + 2048]
HOW = {"epsilon": 1e6, "rng": 1}


def in_chunks(x):
    """Sum ones by a column of lists, one chunk of records after another."""
    chunks = ({"x": x[i : i + 30], "y": [1.0] * 30} for i in range(0, N, 30))
    return dp.sum(chunks, bounds=(0, 1), by="x", levels=LEVELS, **HOW).value


STATISTICS = {
    "quantile_test": lambda x: list(dict(dp.quantile_test(x, q=0.1, neighbors="unbounded", **HOW).released).values()),
    "crosstab": lambda x: dp.crosstab(x, levels=LEVELS, **HOW).value,
    "histogram": lambda x: dp.histogram(x, edges=[0, 0.05, 0.1, 0.2, 1, 2.0**53 + 0.5, 2e19], **HOW).value,
    "sum by a list": lambda x: dp.sum([1.0] * N, bounds=(0, 1), by=x, levels=LEVELS, **HOW).value,
    "sum by a column of chunks": in_chunks,
    "kstest": lambda x: N * dp.kstest(x, "uniform", **HOW).statistic,
    "sum": lambda x: dp.sum(x, bounds=(2**53 - 1, 2**53 + 1), **HOW).value / 2.0,
    "weighted_total": lambda x: dp.weighted_total(x, x, bounds=(0, 1000), max_weight=1000, **HOW).value / 1e6,
}


@pytest.mark.parametrize("lists", list(LISTS))
@pytest.mark.parametrize("function", list(STATISTICS))
def test_one_record_of_another_type_moves_no_other(lists, function):
    first, second = (np.ravel(np.asarray(STATISTICS[function](each), dtype=float)) for each in LISTS[lists])
    # one record leaves a count and enters another; the noise is some 1e-6
    assert np.abs(first - second).sum() <= 2.001


ODD = [np.timedelta64("NaT"), None, np.ma.masked, float("nan"), [0.1], (), 10**400]


@pytest.mark.parametrize("last", ODD)
def test_a_record_that_numpy_finds_no_array_for_is_read_like_others_of_a_list(last):
    chunks = [[0.1] * 10, [0.2] * 9 + [last]]
    told = []
    for data in (iter(chunks), [each for chunk in chunks for each in chunk]):
        try:
            told.append(dp.quantile_test(data, 1.0, q=0.5, missing=7.0, rng=1).released)
        except dp.PydpstatError as error:
            told.append(str(error))
    assert told[0] == told[1]


def test_predictors_levels_are_found_record_by_record():
    y, x = [0.0] * 30 + [1.0] * 30, [np.float32(0.1)] * 30 + [np.float32(0.5)] * 29
    how = {"bounds": (0, 1), "levels": {"x1": [0.5, 0.1]}, "epsilon": 1e6, "rng": 1}
    one, other = (dp.ols(y, [*x, last], **how).params for last in (np.float32(0.5), 0.5))
    assert one.equals(other)


def test_short_floats_are_wide_ones_for_weights_and_quantiles():
    for kind, value in ((np.float16, 300), (np.float32, 1e20)):
        x = np.full(100, value, dtype=kind)
        largest = 1e25 if value > 1e3 else 1000
        bounds = {"bounds": (0, largest), "max_weight": largest}
        found = dp.weighted_total(x, x, epsilon=1e12, rng=1, **bounds).value
        exact = dp.weighted_total(x.astype(float), x.astype(float), epsilon=1e12, rng=1, **bounds).value
        assert found == exact
    short = np.full(50, 0.1, dtype=np.float32)
    counts = [
        dict(dp.quantile_test(each, q=0.1, neighbors="unbounded", epsilon=1e6, rng=1).released)
        for each in (short, short.astype(float))
    ]
    assert counts[0] == counts[1] and counts[0]["above"] == 50
