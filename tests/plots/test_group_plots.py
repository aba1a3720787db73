"""Pictures of releases by group: every value is drawn, and its group's name can be read."""

import numpy as np
import pandas as pd
import pytest

import pydpstat
from tests.plots import marks
from tests.plots.overlaps import overlaps

pytest.importorskip("matplotlib.pyplot")


def released(function, groups, columns):
    rng, n = np.random.default_rng(1), 100 * groups
    data = pd.DataFrame(rng.uniform(0, 10, (n, columns)), columns=[f"v{i}" for i in range(columns)])
    names = [f"area {i}" for i in range(groups)]
    data["area"] = np.array(names, dtype=object)[np.arange(n) % groups]
    call = getattr(pydpstat, function)
    return call(data, epsilon=5.0, bounds=(0, 10), by="area", levels=names, other=None, rng=1)


@pytest.mark.parametrize("function, groups, columns", [("mean", 1, 1), ("mean", 5, 1), ("std", 5, 3)])
def test_groups_are_down_the_side_and_columns_in_panels(function, groups, columns):
    r = released(function, groups, columns)
    axes = r.plot()
    values = [each[0] for each in marks.points(axes)]
    np.testing.assert_allclose(values, r.value.reshape(groups, -1).T)
    assert marks.names(axes) == [f"area {i}" for i in range(groups)]
    assert len(marks.panels(axes)) == columns
    word = {"mean": "mean", "std": "standard deviation"}[function]
    assert [part.get_xlabel() for part in marks.panels(axes)] == [f"{word} of v{i}" for i in range(columns)]


@pytest.mark.slow
def test_of_many_groups_some_are_named():
    r = released("mean", 200, 1)
    axes = r.plot()
    ((values, places),) = marks.points(axes)
    np.testing.assert_allclose(values, r.value.ravel())
    assert places.tolist() == list(range(200))
    assert marks.names(axes)[1] == "area 3" and axes.get_ylabel() == "area (every third of 200 is named)"
    assert marks.legend(axes) == ["95 % noise interval"]
    assert not overlaps(axes.figure)


@pytest.mark.slow
@pytest.mark.parametrize("function, own", [("cov", 6), ("corr", 3)])
def test_matrices_are_drawn_without_what_they_have_twice(function, own):
    r = released(function, 10, 3)
    axes = r.plot()
    rows = np.triu_indices(3, 1 if function == "corr" else 0)
    shown = [each[0] for each in marks.points(axes)]
    np.testing.assert_allclose(shown, [r.value[:, i, j] for i, j in zip(*rows)])
    labels = [part.get_xlabel() for part in marks.panels(axes)]
    assert len(labels) == own and "variance of v1" in labels or "correlation of v0 : v1" in labels
    assert not overlaps(axes.figure)


def test_histograms_of_few_groups_are_panels_and_of_many_a_heat_map():
    for groups in (3, 20):
        names = [f"area {i}" for i in range(groups)]
        frame = pd.DataFrame({"x": np.arange(900) % 10, "area": [names[i % groups] for i in range(900)]})
        r = pydpstat.histogram(frame, 5.0, edges=[0, 2, 4, 6, 8, 10, 12], by="area", levels=names, other=None, rng=1)
        axes = r.plot()
        if groups == 3:
            np.testing.assert_allclose([each[0] for each in marks.heights(axes)], r.value)
            assert [part.get_title() for part in marks.panels(axes)] == names
        else:
            np.testing.assert_allclose(marks.cells(axes)[0], r.value)
            assert marks.names(axes) == names


def test_quantiles_by_group_are_side_by_side_on_one_scale():
    frame = pd.DataFrame({"x": np.arange(3000) % 100, "area": ["a", "b", "c"] * 1000})
    how = {"bounds": (0, 100), "by": "area", "levels": ["a", "b", "c"], "population": True}
    r = pydpstat.quantiles(frame, [0.25, 0.5, 0.75], 5.0, **how, rng=1)
    axes = r.plot()
    assert len(marks.panels(axes)) == 1
    assert [each[0].tolist() for each in marks.points(axes)] == r.value.T.tolist()
    assert marks.legend(axes)[:3] == ["0.25", "0.5", "0.75"]


def test_two_keys_empty_groups_and_long_names():
    n = 300
    by = {"kind": np.arange(n) % 2, "place": ["a rather long name of a place in the north"] * n}
    levels = [[0, 1], ["a rather long name of a place in the north", "none\nhere"]]
    r = pydpstat.mean(np.arange(n) % 11, 5.0, bounds=(0, 10), by=by, levels=levels, rng=1)
    axes = r.plot()
    assert axes.get_ylabel() == "kind" and marks.names(axes) == ["0", "1", "other"]
    places = ["place = a rather long name of a place in the north", "place = none here"]
    assert marks.legend(axes)[:2] == places
    assert [each[0].tolist() for each in marks.points(axes)] == r.value.reshape(3, 3).T.tolist()
    assert not overlaps(axes.figure)


@pytest.mark.parametrize("first, second, rows", [(7, 3, "a"), (3, 7, "b"), (7, 6, "a, b")])
def test_the_key_with_few_levels_has_the_colours(first, second, rows):
    keys = {"a": np.arange(2100) % first, "b": np.arange(2100) % second}
    how = {"by": keys, "levels": [list(range(first)), list(range(second))], "other": None}
    r = pydpstat.count(np.ones(2100, dtype=bool), 1.0, **how, rng=1)
    axes = r.plot()
    drawn = [each[0].tolist() for each in marks.points(axes)]
    table = r.value.reshape(first, second)
    expected = {"a": table.T, "b": table, "a, b": r.value[None]}[rows]
    assert axes.get_ylabel().startswith(rows) and drawn == expected.tolist()
    assert axes.get_xlim()[0] == 0.0 and not overlaps(axes.figure)


@pytest.mark.slow
def test_three_keys_are_panels_and_many_levels_of_two_a_heat_map():
    sizes = {"age": 3, "sex": 2, "region": 12}
    keys = {name: np.arange(7200) // place % size for place, (name, size) in zip((1, 3, 6), sizes.items())}
    how = {"levels": [list(range(size)) for size in sizes.values()], "other": None}
    r = pydpstat.mean(np.arange(7200) % 11, 5.0, bounds=(0, 10), by=keys, **how, rng=1)
    axes = r.plot()
    table = r.value.reshape(3, 2, 12)
    assert [part.get_title() for part in marks.panels(axes)] == ["sex = 0", "sex = 1"]
    assert marks.legend(axes)[:3] == [f"age = {level}" for level in range(3)]
    shown = np.array([each[0] for each in marks.points(axes)]).reshape(2, 3, 12)
    np.testing.assert_allclose(shown, table.transpose(1, 0, 2))
    assert len({part.get_xlim() for part in marks.panels(axes)}) == 1 and not overlaps(axes.figure)
    keys = {"area": np.arange(7200) % 12, "place": np.arange(7200) // 12 % 30}
    levels = [list(range(12)), list(range(30))]
    r = pydpstat.count(np.ones(7200, dtype=bool), 1.0, by=keys, levels=levels, other=None, rng=1)
    axes = r.plot()
    np.testing.assert_allclose(marks.cells(axes)[0], r.value.reshape(12, 30).T)
    assert "extend" in axes.get_title() and not overlaps(axes.figure)


def test_distribution_functions_by_group_have_ends_and_a_variable():
    frame = pd.DataFrame({"age": np.arange(600) % 90, "sex": ["f", "m"] * 300})
    how = {"edges": [0, 18, 40, 65, 100], "by": "sex", "levels": ["f", "m"], "other": None, "rng": 1}
    r = pydpstat.histogram(frame, 1.0, **how).cdf()
    axes = r.plot()
    assert axes.get_title().startswith("Distribution of age by sex\n")
    for part, shares in zip(marks.panels(axes), r.value):
        line = part.lines[0].get_xydata().T.tolist()
        assert line == [[0.0, 18.0, 40.0, 65.0, 100.0], [0.0, *shares, 1.0]]
        assert part.get_xlabel() == "age"
    unnamed = pydpstat.histogram(np.arange(600.0) % 90, 1.0, **{**how, "by": frame["sex"].tolist()}).cdf()
    assert " of by " not in unnamed.plot().get_title()
