"""Pictures of a release."""

import math
import sys

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import PydpstatError
from pydpstat.errors import MissingExtraError
from tests.plots import marks
from tests.sample_results import parts, table


def _drawn(axes, result):
    """Return all values that are drawn."""
    if result.labels.breaks is not None:
        return marks.heights(axes)[0][0]
    if marks.panels(axes)[0].images:
        return np.ravel(marks.cells(axes))
    return np.concatenate([each[0] for each in marks.points(axes)])


@pytest.mark.slow
def test_every_release_can_be_drawn(release, axes):
    for result in parts(release()):
        axes.figure.clear()
        axes = axes.figure.add_subplot()
        assert result.plot(ax=axes) is axes
        axes.figure.canvas.draw()
        values = result.value
        if result.labels.breaks is not None and not result.labels.equidist:
            values = values / (values.sum() * np.diff(result.labels.breaks))
        shown = _drawn(axes, result)
        assert sorted(shown[~np.isnan(shown)]) == pytest.approx(sorted(values.ravel().tolist()))
        # what holds, not what was claimed
        kept = result.guarantee.epsilon
        held = f"epsilon = {kept:.4g}" if math.isfinite(kept) else "no guarantee"
        told = axes.get_title().replace("\n", " ")
        assert f"{result.mechanism} noise, {held}" in told
        assert "95 % noise interval" in [*marks.legend(axes), told[told.find("95 %") :][:19]]


def test_a_histogram_has_its_edges(axes):
    result = pydpstat.histogramDP([1.0, 2.0, 3.0], 1, 0, 4, breaks=[0, 2, 4], rng=1)
    result.plot(axes, alpha=0.1)
    ((values, edges, _),) = marks.heights(axes)
    assert edges.tolist() == [0.0, 2.0, 4.0] and values.tolist() == result.value.tolist()
    assert axes.get_ylabel() == "count" and axes.get_xlabel() == "x"
    assert marks.legend(axes) == ["90 % noise interval"]


def test_uneven_bins_are_densities_as_in_r(axes):
    x = np.arange(2000) % 100
    result = pydpstat.histogram(x, 5.0, edges=[0, 10, 20, 60, 100], rng=1)
    result.plot(axes)
    ((density, edges, _),) = marks.heights(axes)
    assert (density * np.diff(edges)).sum() == pytest.approx(1.0)
    np.testing.assert_allclose(density, result.value / result.value.sum() / np.diff(edges))
    assert axes.get_ylabel().startswith("density")
    noise = next(each for each in marks.bars(axes) if each.shape == (4, 2) and each[0, 0] > 0.0)
    np.testing.assert_allclose(noise.T, result.conf_int().to_numpy().T / result.value.sum() / np.diff(edges))


def test_bars_are_the_interval(axes):
    result = pydpstat.LaplaceMechanism([1.0, 2.0, 3.0], 1, 1, rng=1)
    result.plot(axes)
    (shown,) = marks.bars(axes)
    assert shown == pytest.approx(result.conf_int().to_numpy())
    assert marks.names(axes) == list(result.params.index)


def test_one_number_is_a_point_on_a_line_with_its_number(axes):
    result = pydpstat.meanDP([1.0, 2.0], 1, 0, 5, rng=1)
    result.plot(axes)
    ((x, _),) = marks.points(axes)
    assert x.tolist() == [float(result)] and not axes.patches
    assert [text.get_text() for text in axes.texts] == [f"{float(result):.4g}"]


def test_both_kinds_of_intervals_are_drawn(axes):
    employed = np.repeat([True, False], [600, 400])
    result = pydpstat.proportion(employed, 1.0, rng=1)
    result.plot(axes, alpha=0.2)
    noise, population = marks.bars(axes)
    assert noise == pytest.approx(result.conf_int(0.2).to_numpy())
    assert population == pytest.approx(result.conf_int(0.2, kind="population").to_numpy())
    assert marks.legend(axes) == ["80 % noise interval", "80 % confidence interval"]


def test_intervals_of_shares_are_drawn_on_the_counts_scale(axes):
    x = np.repeat(["a", "b"], [700, 300])
    result = pydpstat.crosstab(x, 1.0, levels=[["a", "b"]], other=None, rng=1)
    result.plot(axes)
    population = marks.bars(axes)[1]
    share = result.conf_int(kind="population").to_numpy()
    assert population == pytest.approx(share * result.value.sum())
    # the noise's are hidden behind the points
    assert marks.legend(axes) == ["95 % confidence interval of the share, in counts"]
    assert axes.get_xlim()[0] == 0.0


def test_what_has_no_interval_says_so(axes):
    result = pydpstat.median(np.arange(100.0), 1.0, bounds=(0, 100), rng=1)
    result.plot(axes)
    assert not marks.bars(axes) and axes.get_title().endswith("no interval")
    chosen = pydpstat.choose(["a", "b"], [1.0, 2.0], epsilon=1.0, sensitivity=1.0, rng=1)
    with pytest.raises(PydpstatError, match="has no number to draw. Print it instead"):
        chosen.plot(axes)


def test_quantiles_and_shares_below_are_distribution_functions(axes):
    x = np.arange(1000.0) % 100
    quantiles = pydpstat.quantiles(x, [0.25, 0.5, 0.75], 1.0, bounds=(0, 100), population=True, rng=1)
    quantiles.plot(axes)
    (values, shares) = marks.points(axes)[0]
    assert values.tolist() == quantiles.value.tolist() and shares.tolist() == [0.25, 0.5, 0.75]
    assert axes.get_ylabel() == "share at or below"
    axes.clear()
    below = pydpstat.histogram(x, 1.0, edges=[0, 25, 50, 75, 100], rng=1).cdf()
    below.plot(axes)
    (edges, shares) = marks.points(axes)[0]
    assert edges.tolist() == [25.0, 50.0, 75.0] and shares.tolist() == below.value.tolist()
    # the line goes from 0 to 1
    line = axes.lines[0].get_xydata()
    assert line[0].tolist() == [0.0, 0.0] and line[-1].tolist() == [100.0, 1.0]


def test_tables_are_dodged_points_heat_maps_and_panels():
    some = [f"level {i}" for i in range(12)]
    wide = table([some[i % 12] for i in range(50)], [some[i % 7] for i in range(50)]).plot()
    assert marks.cells(wide)[0].shape == (12, 7)
    narrow = table([some[i % 12] for i in range(50)], ["x", "y"] * 25).plot()
    assert len(marks.points(narrow)) == 2 and len(marks.names(narrow)) == 12
    # turned, so that the few are the series
    turned = table(["x", "y"] * 25, [some[i % 12] for i in range(50)]).plot()
    assert len(marks.points(turned)) == 2 and len(marks.names(turned)) == 12
    three = table(["x", "y"] * 25, ["u", "u", "v", "w", "w"] * 10, ["p", "q"] * 25).plot()
    assert len(marks.panels(three)) == 2 and len({part.get_xlim() for part in marks.panels(three)}) == 1


@pytest.mark.slow
def test_matrices_of_variables(axes):
    x = np.random.default_rng(1).normal(size=(2000, 3)).cumsum(axis=1)
    frame = pd.DataFrame(x * [1.0, 1.0, 1000.0], columns=list("abc"))
    result = pydpstat.corr(frame, 20.0, bounds=[(-9, 9), (-9, 9), (-9000, 9000)], rng=1)
    result.plot(axes)
    np.testing.assert_allclose(marks.cells(axes)[0], result.value)
    assert marks.names(axes) == marks.names(axes, "x") == list("abc") and "extend" in axes.get_title()
    result = pydpstat.cov(frame, 20.0, bounds=[(-9, 9), (-9, 9), (-9000, 9000)], rng=1)
    picture = result.plot()
    # the numbers are covariances, the colours correlations
    sd = np.sqrt(np.diag(result.value))
    np.testing.assert_allclose(marks.cells(picture)[0], np.clip(result.value / np.outer(sd, sd), -1, 1))
    assert len(picture.texts) == 9


def test_columns_have_a_scale_of_their_own(axes):
    frame = pd.DataFrame({"age": np.arange(100.0), "income": 1e4 * np.arange(100.0)})
    result = pydpstat.mean(frame, 1.0, bounds=[(0, 100), (0, 1e6)], rng=1)
    result.plot(axes)
    assert [part.get_xlabel() for part in marks.panels(axes)] == ["mean of age", "mean of income"]
    assert [each[0].item() for each in marks.points(axes)] == result.value.tolist()


def test_a_group_without_records_does_not_set_the_scale(axes):
    region = np.repeat(["north", "south", "west"], 500)
    income = np.random.default_rng(1).normal(50.0, 5.0, 1500)
    levels = ["north", "south", "west"]
    result = pydpstat.mean(income, 1.0, bounds=(0, 100), by=region, levels=levels, rng=1)
    result.plot(axes)
    low, high = axes.get_xlim()
    ends = result.conf_int().to_numpy()
    assert ends[3].tolist() == [0.0, 100.0] and 45.0 < low < ends[:3].min() < ends[:3].max() < high < 55.0
    arrows = {line.get_marker() for line in axes.lines} & {"<", ">"}
    assert arrows == {"<", ">"}


def test_the_title_and_the_style_are_matplotlibs(axes):
    result = pydpstat.meanDP([1.0, 2.0], 1, 0, 5, rng=1)
    title = "Costs in $ and $"
    assert result.plot(axes, title, color="black", ms=9, marker="D").get_title() == title
    (line,) = [line for line in axes.lines if line.get_marker() == "D"]
    assert line.get_color() == "black" and line.get_markersize() == 9
    axes.clear()
    assert result.plot(axes, title="").get_title() == ""


@pytest.mark.parametrize(
    "wrong, message",
    [
        (
            {"colour": "red"},
            r"plot\(\) got an unexpected keyword 'colour'; this plot takes color, linewidth,",
        ),
        ({"color": "rde"}, "color must be a matplotlib color"),
        ({"marker": "oo"}, "marker must be a matplotlib marker"),
        ({"linewidth": -1}, "linewidth must be a number of points above 0; got -1"),
        ({"c": "red", "color": "red"}, "given twice"),
        ({"title": 3}, "title must be a string or None; got 3"),
        ({"ax": 3}, "ax must be a matplotlib Axes or None; got int"),
        ({"alpha": 1}, "alpha must be"),
        ({"cmap": "viridis"}, "unexpected keyword 'cmap'; .* markersize and figsize"),
        ({"figsize": 8}, r"figsize must be the width and height .* got 8. Give for example \(8, 5\)"),
        ({"figsize": (8, 0)}, "figsize must be the width and height"),
        ({"figsize": (8, 5, 3)}, "figsize must be the width and height"),
    ],
)
def test_wrong_arguments(wrong, message):
    from matplotlib import pyplot

    before = pyplot.get_fignums()
    with pytest.raises(PydpstatError, match=message):
        pydpstat.meanDP([1.0, 2.0], 1, 0, 5, rng=1).plot(**wrong)
    assert pyplot.get_fignums() == before


def test_a_new_figure_has_the_size_that_is_given(axes):
    result = pydpstat.meanDP([1.0, 2.0], 1, 0, 5, rng=1)
    assert result.plot(figsize=np.array([7, 3])).figure.get_size_inches().tolist() == [7.0, 3.0]
    with pytest.raises(PydpstatError, match="figsize must be left out where ax is given"):
        result.plot(axes, figsize=(7, 3))


def test_a_correlation_of_two_variables_is_one_point_with_its_intervals(axes):
    frame = pd.DataFrame({"x": np.arange(500.0) % 7, "y": np.arange(500.0) % 5})
    result = pydpstat.corr(frame, 1.0, bounds=(0, 10), rng=1)
    result.plot(axes)
    assert marks.points(axes)[0].tolist() == [[result.value[0, 1]], [0.0]]
    noise = result.conf_int().to_numpy()[2]
    assert marks.bars(axes)[0][0] == pytest.approx(noise)
    assert axes.get_xlabel() == "correlation of x and y"


def test_a_density_has_no_intervals_of_counts_and_no_legend_of_what_is_hidden(axes):
    result = pydpstat.histogram(np.arange(90_000) % 90, 1.0, edges=[0, 30, 90], rng=1)
    result.plot(axes)
    assert axes.get_ylabel().startswith("density") and marks.legend(axes) == ["95 % confidence interval"]
    coarse = pydpstat.histogram(np.arange(90) % 90, 1.0, edges=[0, 30, 90], rng=1)
    assert marks.legend(coarse.plot())[0] == "95 % noise interval"


def test_a_wrong_colour_map(axes):
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": [2.0, 1.0], "z": [1.0, 3.0]})
    result = pydpstat.corr(frame, 1.0, bounds=(0, 5), rng=1)
    with pytest.raises(PydpstatError, match="cmap must be a matplotlib colormap"):
        result.plot(axes, cmap="virids")
    assert result.plot(axes, cmap="cividis").images[0].get_cmap().name == "cividis"


def test_a_new_figure():
    pytest.importorskip("matplotlib")
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    try:
        axes = pydpstat.meanDP([1.0, 2.0], 1, 0, 5, rng=1).plot()
        assert axes.figure.number in pyplot.get_fignums()
    finally:
        pyplot.close("all")


def test_dark_figures_have_light_marks():
    from matplotlib import pyplot
    from matplotlib.colors import to_rgba

    from pydpstat.plots._style import compute_luminance

    with pyplot.style.context("dark_background"):
        axes = pydpstat.meanDP([1.0, 2.0], 1, 0, 5, rng=1).plot()
    for line in (*axes.lines, *axes.texts):
        assert compute_luminance(to_rgba(line.get_color())) > 0.4
    pyplot.close("all")


def test_without_matplotlib(monkeypatch):
    result = pydpstat.meanDP([1.0, 2.0], 1, 0, 5, rng=1)
    for name in [each for each in sys.modules if each.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for style in ({}, {"color": "red"}):
        with pytest.raises(MissingExtraError, match=r"plot\(\) needs matplotlib: pip install 'pydpstat\[plot\]'"):
            result.plot(**style)
