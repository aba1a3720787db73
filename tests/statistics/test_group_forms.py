"""Statistics by group: all forms have the same numbers and names, and pages of many groups are short."""

import copy
import pickle
import time
from itertools import combinations

import numpy as np
import pytest

from pydpstat import PydpstatError
from tests.statistics.grouped import FRAME, GROUPS, OPEN, STATISTICS, data_of, released


@pytest.mark.slow
def test_a_hundred_thousand_groups():
    n, number = 300_000, 100_000
    rng = np.random.default_rng(2)
    x, key = rng.uniform(0, 10, n), rng.integers(0, number, n)
    start = time.process_time()
    r = released("sum", x, 1e6, by=key, levels=range(number), other=None, **OPEN)
    page = r.summary().as_text()
    # generous: it takes less than one
    assert time.process_time() - start < 10.0
    np.testing.assert_allclose(r.value, np.bincount(key, x, number), atol=1e-3)
    assert f"{number - 60:} more rows: to_frame() has them all." in page
    assert len(page.splitlines()) < 100 and max(map(len, page.splitlines())) <= 78
    assert "100000 levels" in " ".join(page.split())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mean", "corr", "count"])
def test_pages_of_many_groups_are_short_and_quick(name):
    n, number = 8_000, 2_000
    data = data_of(name)[["x", "y"]].iloc[np.arange(n) % 400].assign(k=np.arange(n) % number)
    r = released(name, data, by="k", levels=range(number), other=None, **OPEN)
    # time of the processor, which other programs do not lengthen
    start = time.process_time()
    page = r.summary().as_text()
    assert time.process_time() - start < 10.0
    assert f"{r.value.size - 60} more rows" in page and len(page.splitlines()) < 100


@pytest.mark.slow
@pytest.mark.parametrize("keys, columns", [(["g", "h"], ["x"]), (["g"], ["x", "y", "z"])], ids=["gh-x", "g-xyz"])
@pytest.mark.parametrize("name", STATISTICS)
def test_all_forms_have_the_same_numbers(name, columns, keys):
    columns = columns if name not in ("cov", "corr") or len(columns) > 1 else ["x", "y"]
    levels = {"g": ["a", "b", "c"], "h": [0, 1]}
    data = data_of(name)[[*columns, *keys]]
    r = released(name, data, 5.0, by=keys, levels={key: levels[key] for key in keys}, **OPEN)
    flat, whole = r.value.ravel(order="F"), r.to_frame()
    assert np.array_equal(r.params, flat, equal_nan=True)
    # counts are integers in the frame
    assert whole.estimate.astype(float).equals(r.params.rename("estimate"))
    assert r.bse.shape == flat.shape and whole["noise sd"].equals(r.bse.rename("noise sd"))
    interval = r.conf_int()
    assert interval.index.equals(r.params.index)
    # of a group without records noise says nothing
    known = np.isfinite(interval[0].to_numpy())
    # a count or a sum may lie outside of its range, where its interval is; a correlation may be missing
    within = r.post.within
    near = flat if within is None else within.clip_values(r.value).ravel(order="F")
    given = known & ~np.isnan(flat)
    assert (interval[0] <= near)[given].all() and (interval[1] >= near)[given].all() and given.any()
    assert known.any() and np.isfinite(interval[1].to_numpy()).tolist() == known.tolist()
    assert r.accuracy(0.1).shape == flat.shape
    names = r.to_dict()["names"]
    assert len(set(names)) == len(names) == flat.size
    assert r.params.index.is_unique and r.params.index.names[: len(keys)] == keys
    # each number is found under its own name, in the table and in the long form
    groups = list(r.labels.rows)
    natural = r.estimate
    for place in (0, len(groups) // 2, len(groups) - 1):
        row = groups[place]
        if len(columns) == 1:
            assert natural.iloc[place] == r.params[row[0] if len(row) == 1 else row]
        elif name in ("cov", "corr"):
            for a, b in combinations(columns, 2):
                both = [natural.loc[(*row, a), b], natural.loc[(*row, b), a]]
                assert np.array_equal(both, [r.params[(*row, a, b)]] * 2, equal_nan=True)
        else:
            for column in columns:
                assert natural[column].iloc[place] == r.params[(*row, column)]
    page = r.summary()
    assert any(name in page.as_text() for name in ("Laplace", "maximum-norm", "eometric"))
    assert "<table" in page.as_html() and "tabular" in page.as_latex() and r._repr_html_()
    for twin in (pickle.loads(pickle.dumps(r)), copy.copy(r), copy.deepcopy(r)):
        assert twin.to_dict() == r.to_dict()


def test_the_call_says_what_was_asked_and_nothing_private():
    r = released("mean", FRAME[["x", "g", "p"]], 5.0, **GROUPS, unit="p", max_records=3, max_groups=2)
    assert r.call == (
        "mean(data, epsilon=5.0, bounds=[0.0, 10.0], by='g', levels=['a', 'b', 'c'], unit='p', "
        "max_records=3, max_groups=2)"
    )
    assert r.unit == "p" and r.guarantee.unit == "p" and r.nobs is None


def test_to_r_has_named_numbers():
    pytest.importorskip("rpy2")
    r = released("mean", FRAME[["x", "y", "g"]], 5.0, **GROUPS)
    try:
        found = r.to_r()
    except PydpstatError as error:
        pytest.skip(str(error))
    assert list(found) == r.params.tolist()
