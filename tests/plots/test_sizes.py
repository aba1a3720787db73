"""Sizes, limits and spaces of pictures: what fits is written, and rows, panels and bars have their places."""

import numpy as np
import pandas as pd
import pytest

from pydpstat import plots
from pydpstat.plots import _curves, _matrices, _points
from pydpstat.plots import _pictures as pictures
from pydpstat.plots._draw import draw_picture
from pydpstat.plots._style import get_text_size, split_axes
from pydpstat.plots._text import compute_text_width, set_axis_numbers
from tests.plots import marks
from tests.plots.drawings import AFTER, BEFORE, RUNS

pyplot = pytest.importorskip("matplotlib.pyplot")
HEAD = pictures.PictureHead("title")


def axes_of(width, height):
    """Return axes of this width and height in points."""
    figure = pyplot.figure(figsize=(width / 36.0, height / 36.0))
    return figure.add_axes((0.25, 0.25, 0.5, 0.5))


def values(*rows):
    return pictures.PictureValues(np.array(rows, dtype=float).reshape(len(rows), -1))


def points(shown, names=None, **options):
    names = [f"n{i}" for i in range(len(shown.values))] if names is None else names
    return pictures.PointPicture(HEAD, names, "", [pictures.Panel("x", shown)], **options)


def matrix(rows, columns, panels=1):
    tables = [(f"t{i}", np.arange(float(len(rows) * len(columns))).reshape(len(rows), -1)) for i in range(panels)]
    return pictures.MatrixPicture(HEAD, rows, columns, ("", ""), tables, "count")


# numbers


@pytest.mark.parametrize("ends", [(1e9, 1e9 + 1.2e5), (-3e8, -3e8 + 7.0), (2e-7, 5e-7), (0.0, 40.0)])
def test_the_numbers_of_an_axis_are_its_ticks(ends, ax):
    ax.set_xlim(*ends)
    set_axis_numbers(ax.xaxis)
    ticks = [tick for tick in ax.get_xticks() if ends[0] <= tick <= ends[1]]
    texts = [ax.xaxis.get_major_formatter()(tick).replace(",", "") for tick in ticks]
    assert len(ticks) > 1 and [float(text) for text in texts] == pytest.approx(ticks, rel=1e-14)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-3.0, "-3"),
        (2.25, "2.25"),
        (-12_345.0, "-12,345"),
        (1_234_567.0, "1.2e6"),
        (-0.05, "-0.05"),
        (0.001, "1e-3"),
        (np.nan, "\N{EN DASH}"),
    ],
)
def test_numbers_in_cells(value, text):
    assert _matrices._format_cell_number(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [([99.5, 3.0], "99.50"), ([123.46, 3.0], "123.5"), ([1234.5, 0.0], "1,234.5"), ([7.0], "7")]
)
def test_the_counts_of_a_hierarchy_have_as_many_decimals_as_all_need(value, text, ax):
    frame = pd.DataFrame({"level": "all", "label": [*map(str, value)], "value": value})
    plots.hierarchy(frame, frame, ax=ax)
    assert ax.texts[1].get_text() == f"{text} \N{RIGHTWARDS ARROW} {text}"


@pytest.mark.parametrize(("pitch", "written"), [(19.5, False), (20.5, True)])
def test_points_have_numbers_where_rows_are_20_points_apart(pitch, written):
    axes = axes_of(300.0, 4 * pitch)
    draw_picture(points(values(1.0, 2.0, 3.0, 4.0), has_numbers=True), axes, None, {})
    assert [text.get_text() for text in axes.texts] == ["1", "2", "3", "4"] * written


def test_lines_of_numbers_are_lower_than_their_cells():
    axes = axes_of(300.0, 200.0)
    draw_picture(matrix([f"r{i}" for i in range(22)], ["a", "b"]), axes, None, {})
    assert len(axes.texts) == 44 and {1.2 * text.get_fontsize() < 200.0 / 22 for text in axes.texts} == {True}


@pytest.mark.parametrize("width", [60.0, 150.0, 600.0])
def test_p_values_along_an_axis_do_not_touch(width):
    limits = 1e-6, 1.15
    ticks = _points._choose_pvalue_ticks(limits, width)
    places = width * np.log(np.array(ticks) / limits[0]) / np.log(limits[1] / limits[0])
    assert ticks[0] == 1.0 and ticks == sorted(ticks, reverse=True) and len(ticks) >= min(width // 60, 6)
    assert all(gap > compute_text_width(f"{tick:g}", 10.0) for gap, tick in zip(-np.diff(places), ticks[1:]))


# lines and limits


@pytest.mark.parametrize(("null", "limits"), [(None, (0.0, 1.0)), (3.0, (2.0, 4.0))])
def test_an_axis_without_numbers_has_its_null_value_in_the_middle(null, limits):
    assert _points._compute_x_limits(pictures.Panel("x", values(np.nan, np.inf), null)) == limits


def test_a_row_with_a_range_of_its_own_does_not_set_the_scale():
    usual = np.arange(4.0).reshape(4, 1)
    shown = pictures.PictureValues(usual, (usual - [[1.0], [1.0], [1.0], [900.0]], usual + 1.0))
    low, high = _points._compute_x_limits(pictures.Panel("x", shown))
    assert -2.0 < low < -1.0 and 3.0 < high < 4.0


def test_a_range_much_wider_than_all_others_together_is_left_out():
    usual = np.arange(4.0).reshape(4, 1)
    # ranges of 2, and one of 31
    shown = pictures.PictureValues(usual, (usual - [[1.0], [1.0], [1.0], [30.0]], usual + 1.0))
    low, high = _points._compute_x_limits(pictures.Panel("x", shown))
    assert -2.0 < low < -1.0 and 3.0 < high < 4.0


def test_a_row_with_one_infinite_end_keeps_its_finite_numbers():
    shown = pictures.PictureValues(np.array([[1.0]]), (np.array([[-np.inf]]), np.array([[2.0]])))
    low, high = _points._compute_x_limits(pictures.Panel("x", shown))
    assert 0.9 < low < 1.0 and 2.0 < high < 2.1


def test_rows_of_several_series_have_bands_of_their_own(ax):
    draw_picture(points(values((1, 2), (3, 4), (5, 6)), series=("a", "b")), ax, None, {})
    bands = [each.get_extents().transformed(ax.transData.inverted()) for each in ax.patches]
    assert [sorted((each.y0, each.y1)) for each in bands] == [
        pytest.approx([-0.5, 0.5]),
        pytest.approx([1.5, 2.5]),
    ]


def test_intervals_of_one_kind_are_thin():
    axes = axes_of(300.0, 300.0)
    shown = values(1.0, 2.0)
    ends = shown.values - 0.5, shown.values + 0.5
    draw_picture(points(pictures.PictureValues(shown.values, ends)), axes, None, {})
    assert {float(width) for each in axes.collections for width in each.get_linewidths()} == {2.2}


@pytest.mark.parametrize(("bins", "bars"), [(60, True), (61, False)])
def test_intervals_of_more_than_60_bins_are_a_band(bins, bars, ax):
    heights = np.ones(bins)
    shown = pictures.PictureValues(heights, (heights - 0.5, heights + 0.5))
    edges = np.arange(bins + 1.0)
    draw_picture(pictures.HistogramPicture(HEAD, edges, [pictures.Panel("", shown)], "x", "count"), ax, None, {})
    assert any(len(each) == bins for each in marks.bars(ax)) is bars


@pytest.mark.parametrize(("sizes", "is_log"), [([5, 9, 60, 700], True), ([100, 120, 150], False)])
def test_bins_of_group_sizes_grow_with_a_logarithmic_scale(sizes, is_log, ax):
    draw_picture(pictures.GroupSizePicture(HEAD, np.array(sizes), np.ones(len(sizes), int)), ax, None, {})
    widths = [each.get_width() for each in ax.patches]
    assert (ax.get_xscale() == "log") is is_log
    assert bool(widths[-1] > 10.0 * widths[0]) is is_log and bool(max(widths) - min(widths) <= 1.0) is not is_log


@pytest.mark.parametrize("truth", [0.0, 1.0])
def test_the_true_share_may_be_none_or_all(truth):
    assert f"true share {truth:.4g}" in marks.legend(plots.tradeoff(RUNS, truth)[0])


def test_pictures_have_no_frame(ax):
    plots.hierarchy(BEFORE, AFTER, ax=ax)
    assert [side for side in ax.spines if ax.spines[side].get_visible()] == ["left", "bottom"]


# amounts


def test_the_smallest_of_many_amounts_are_one_bar(ax):
    amounts = np.arange(1.0, 51.0)
    draw_picture(pictures.AmountPicture(HEAD, [f"n{i}" for i in range(50)], amounts, "epsilon"), ax, None, {})
    widths = [bar.get_width() for bar in ax.patches]
    assert len(widths) == _matrices.MAX_AMOUNTS == 40 and sum(widths) == amounts.sum()
    assert widths[:-1] == list(range(12, 51)) and marks.names(ax)[-1] == "11 others"


# sizes of figures, and spaces


def test_figures_grow_with_their_rows():
    assert _points.compute_points_size(points(values(1.0))) == (8.0, pytest.approx(2.9))
    panels = [pictures.Panel("", values(1.0))] * 4
    assert _curves.compute_panels_size(pictures.DistributionPicture(HEAD, panels, np.ones(1), True, "x")) == (
        10.0,
        pytest.approx(6.6),
    )
    assert plots.hierarchy(BEFORE, AFTER).figure.get_figheight() == pytest.approx(1.2 + 0.27 * 5)


def test_a_table_is_higher_for_long_names_of_columns():
    rows = ["a", "b", "c"]
    low, high = (_matrices.compute_matrix_size(matrix(rows, [name] * 2))[1] for name in ("m", "a name that is turned"))
    assert low == pytest.approx(3.4) and high == pytest.approx(low + 1.2)


@pytest.mark.parametrize(("spacing", "gaps"), [((10.0, 20.0), (10.0, 20.0)), ((1e4, 1e4), (90.0, 60.0))])
def test_panels_have_their_space_or_at_most_three_tenths(spacing, gaps):
    axes = axes_of(300.0, 200.0)
    (first, second), (below, _) = split_axes(axes, 4, 2, spacing)
    axes.figure.canvas.draw()
    left, right, low = (each.get_window_extent() for each in (first, second, below))
    scale = 72.0 / axes.figure.dpi
    assert ((right.x0 - left.x1) * scale, (left.y0 - low.y1) * scale) == pytest.approx(gaps)


def test_names_of_many_rows_are_as_high_as_their_rows():
    axes = axes_of(300.0, 200.0)
    draw_picture(matrix([f"r{i}" for i in range(25)], ["a", "b"]), axes, None, {})
    assert {label.get_fontsize() for label in axes.get_yticklabels()} == {6.0}
    assert {label.get_fontsize() for label in axes.get_xticklabels()} == {10.0}


def test_short_names_below_several_rows_of_tables_are_not_turned():
    axes = draw_picture(matrix(["a", "b"], ["u", "v"], panels=4), None, None, {})
    assert {label.get_rotation() for each in axes.child_axes for label in each.get_xticklabels()} == {0.0}


def test_rows_of_tables_have_space_for_names_and_titles():
    axes = axes_of(600.0, 600.0)
    draw_picture(matrix(["a", "b"], ["u", "v"], panels=4), axes, None, {})
    axes.figure.canvas.draw()
    first, below = (axes.child_axes[i].get_window_extent() for i in (0, 3))
    # the names, a title of 1.6 times its text, and 48 points
    high = get_text_size() + 1.6 * get_text_size("small") + 48.0
    assert (first.y0 - below.y1) * 72.0 / axes.figure.dpi == pytest.approx(high)
