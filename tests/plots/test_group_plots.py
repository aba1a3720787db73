"""Pictures of releases by group: every value is drawn, and its group's name can be read."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pydpstat

pytest.importorskip("matplotlib.pyplot")


def released(function, groups, columns):
    rng, n = np.random.default_rng(1), 100 * groups
    data = pd.DataFrame(rng.uniform(0, 10, (n, columns)), columns=[f"v{i}" for i in range(columns)])
    names = [f"area {i}" for i in range(groups)]
    data["area"] = np.array(names, dtype=object)[np.arange(n) % groups]
    call = getattr(pydpstat, function)
    return call(data, epsilon=5.0, bounds=(0, 10), by="area", levels=names, other=None, rng=1)


def named(axes):
    return [label.get_text() for label in axes.get_xticklabels()]


@pytest.mark.parametrize("function, groups, columns", [("mean", 1, 1), ("mean", 5, 1), ("std", 5, 3)])
def test_few_groups_are_bars_beside_each_other(function, groups, columns):
    r = released(function, groups, columns)
    axes = r.plot()
    heights = [bar.get_height() for bar in axes.patches]
    np.testing.assert_allclose(heights, r.value.ravel(order="F"))
    assert named(axes) == [f"area {i}" for i in range(groups)] and axes.get_xlabel() == "area"


@pytest.mark.parametrize("function, groups, columns", [("mean", 40, 1), ("mean", 200, 1), ("sum", 200, 3)])
def test_many_groups_are_dots(function, groups, columns):
    r = released(function, groups, columns)
    axes = r.plot()
    dots = [line for line in axes.lines if len(line.get_xdata()) == groups]
    np.testing.assert_allclose([line.get_ydata() for line in dots], r.value.reshape(groups, -1).T)
    assert not axes.patches and len(named(axes)) <= 40
    assert all(label.get_rotation() == 90 for label in axes.get_xticklabels())
    thinned = "area (every 5th of 200 is named)"
    assert axes.get_xlabel() == ("area" if groups == 40 else thinned)
    assert named(axes)[1] == ("area 1" if groups == 40 else "area 5")
    shown = [text.get_text() for text in axes.get_legend().get_texts()]
    assert shown[-1] == "95% noise interval"
    assert shown[:-1] == (["v0", "v1", "v2"] if columns == 3 else ["private"])


@pytest.mark.parametrize("function, own", [("cov", 6), ("corr", 3)])
def test_matrices_are_drawn_without_what_they_have_twice(function, own):
    r = released(function, 10, 3)
    axes = r.plot()
    dots = [line for line in axes.lines if len(line.get_xdata()) == 10]
    rows = np.triu_indices(3, 1 if function == "corr" else 0)
    np.testing.assert_allclose([line.get_ydata() for line in dots], [r.value[:, i, j] for i, j in zip(*rows)])
    assert len(dots) == own
    assert axes.get_legend().get_texts()[1].get_text() == {"cov": "v0 : v1", "corr": "v0 : v2"}[function]


def test_two_keys_empty_groups_and_long_names():
    n = 300
    by = {"kind": np.arange(n) % 2, "place": ["a rather long name of a place in the north"] * n}
    levels = [[0, 1], ["a rather long name of a place in the north", "none\nhere"]]
    r = pydpstat.mean(np.arange(n) % 11, 5.0, bounds=(0, 10), by=by, levels=levels, rng=1)
    axes = r.plot()
    assert axes.get_xlabel() == "kind : place"
    assert named(axes)[:2] == ["0:a rather long name of a...", "0:none here"]
    axes.figure.canvas.draw()
