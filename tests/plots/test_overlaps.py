"""Every kind of picture, small, large, with long names and empty: no text lies on another or is cut off."""

import numpy as np
import pandas as pd
import pytest

from pydpstat import plots
from pydpstat.plots import _pictures as pictures
from pydpstat.plots._draw import PICTURE_KINDS, draw_picture
from pydpstat.plots._text import compute_text_width, escape_plot_text, set_axis_numbers, trim_names, wrap_to_width
from tests.plots.drawings import DRAWINGS, PANELS
from tests.plots.overlaps import overlaps

pyplot = pytest.importorskip("matplotlib.pyplot")
HEAD = pictures.PictureHead(
    "Mean of income by region",
    "Laplace noise, epsilon = 0.5",
    "95 % noise interval",
    "95 % confidence interval",
)
LONG_HEAD = pictures.PictureHead(
    "Mean of the household's disposable income after transfers and before taxes by municipality of residence",
    "symmetric geometric noise on the integers, epsilon = 0.123456, delta = 1.234e-09",
    "97.53 % noise interval of these records",
    "97.53 % simultaneous confidence interval of the share, in counts",
)
PLACES = ["Aigen", "Bad Ischl am Fuße des Katrin", "St. Wolfgang im Salzkammergut"]
PLACES += ["Municipality of the River $ and $"]
SIZES = ("empty", "small", "large", "long")
COUNT = {"empty": 0, "small": 1, "large": 30, "long": 9}


def names_of(size, count=None):
    count = COUNT[size] if count is None else count
    return [f"{PLACES[i % 4]} {i}" if size == "long" else f"level {i}" for i in range(count)]


def ends(values, half):
    return values - half, values + half


def values_of(size, *shape):
    rng = np.random.default_rng(len(size) + sum(shape))
    scale = 1e6 if size == "large" else 1.0
    values = scale * rng.normal(size=shape)
    return pictures.PictureValues(values, ends(values, 0.3 * scale), ends(values, 0.5 * scale))


def panels_of(size, count, *shape):
    names = names_of(size, count)
    return [pictures.Panel(f"mean of {name}", values_of(size, *shape), title=name) for name in names]


def points(size):
    count, series = COUNT[size], {"large": 5, "long": 3}.get(size, 1)
    named = names_of(size, series) if series > 1 else ()
    panels = [each._replace(title="") for each in panels_of(size, {"large": 7}.get(size, 2), count, series)]
    head = HEAD._replace(title="") if size == "small" else _head(size)
    return pictures.PointPicture(head, names_of(size), "region", panels, named, has_numbers=True)


def _head(size):
    return LONG_HEAD if size == "long" else HEAD


def columns(size):
    bins = {"empty": 1, "small": 3, "large": 120, "long": 10}[size]
    panels = panels_of(size, {"large": 12, "long": 5}.get(size, 1), bins)
    if size == "empty":
        nothing = np.zeros(1)
        panels = [pictures.Panel("", pictures.PictureValues(nothing, (nothing, nothing)))]
    unit = "density (share per unit of the household's disposable income)" if size == "long" else "count"
    return pictures.HistogramPicture(_head(size), np.linspace(-1e6, 2e6, bins + 1), panels, names_of(size, 1)[0], unit)


def distribution(size, quantiles):
    count = {"empty": 0, "small": 1, "large": 90, "long": 7}[size]
    at = np.linspace(0.01, 0.99, count)
    made = []
    for panel in panels_of(size, {"large": 9, "long": 4}.get(size, 1), count):
        values = np.sort(panel.values.values)
        if not quantiles:
            # ascending, from 0 to 1 or less
            values = np.linspace(0.05, 0.9, count)
        shown = pictures.PictureValues(np.nan_to_num(values), ends(values, 0.1), ends(values, 0.2))
        made.append(panel._replace(values=shown))
    places = at if quantiles else 1e4 * at
    return pictures.DistributionPicture(_head(size), made, places, quantiles, names_of(size, 1)[0])


def matrix(size, panels=1, coloured=False):
    count = max(COUNT[size], 1)
    rng = np.random.default_rng(count)
    tables = [(name, 100.0 * rng.normal(size=(count, count))) for name in names_of(size, panels)]
    if size == "empty":
        tables[0][1][:] = np.nan
    colours = np.clip(rng.normal(size=(count, count)), -1.0, 1.0) if coloured else None
    names = names_of(size, count)
    return pictures.MatrixPicture(_head(size), names, names, ("region", names_of(size, 1)[0]), tables, "count", colours)


def amounts(size):
    count = {"large": 90}.get(size, COUNT[size])
    values = np.linspace(0.001, 1.23456, count)
    return pictures.AmountPicture(_head(size), names_of(size, count), values, "epsilon of the releases", ("left", 0.5))


def lines(size):
    count = {"empty": 1, "small": 1, "large": 5, "long": 4}[size]
    places = np.geomspace(0.01, 10.0, 30 if size != "empty" else 2)
    values = np.outer(np.arange(1.0, count + 1.0), 1e4 / places)
    return pictures.CurvePicture(
        _head(size), places, names_of(size, count), values, "epsilon", "accuracy (95 %)", (1.0, 1e4)
    )


def null(size):
    bins = {"empty": 1, "small": 5, "large": 180, "long": 60}[size]
    scale = {"empty": 1.0, "small": 1e-6, "large": 1.0, "long": 1e9}[size]
    middles = np.linspace(-4.0, 4.0, bins)
    edges = scale * np.linspace(-5.0, 5.0, bins + 1)
    density = np.exp(-0.5 * middles**2) / scale * (size != "empty")
    return pictures.NullPicture(_head(size), edges, density, float(edges[-1]), middles > 1.0)


def samples(size, named):
    count = {"empty": 1, "small": 2, "large": 80, "long": 4}[size]
    shares = np.random.default_rng(count).dirichlet(np.ones(count), 2)
    edges = None if named else np.linspace(-3e5, 4e5, count + 1)
    event = _head(size)._replace(title=f"epsilon at least 1.5: {_head(size).title} is at most 5")
    some = names_of(size, min(count, 12))
    shares = shares[:, : len(some)] if named else shares
    return pictures.SamplePicture(event, "the result", edges, some, shares, 0.5 * shares)


def sizes(size):
    last = {"empty": 3, "small": 12, "large": 90_000, "long": 250}[size]
    found = np.unique(np.geomspace(3, last, 25).astype(int))
    return pictures.GroupSizePicture(_head(size), found, found[::-1].copy())


MADE = {
    "points": points,
    "columns": columns,
    "distribution": lambda size: distribution(size, False),
    "quantiles": lambda size: distribution(size, True),
    "table": matrix,
    "tables": lambda size: matrix(size, 4),
    "correlations": lambda size: matrix(size, coloured=True),
    "amounts": amounts,
    "lines": lines,
    "null distribution": null,
    "samples": lambda size: samples(size, False),
    "named samples": lambda size: samples(size, True),
    "sizes": sizes,
}


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", MADE)
def test_nothing_lies_on_anything(kind, size):
    figure = draw_picture(MADE[kind](size), None, None, {}).figure
    assert overlaps(figure) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", MADE)
def test_a_quarter_of_a_page_is_room_enough(kind):
    figure, axes = pyplot.subplots(2, 2, figsize=(12.0, 10.0), layout="constrained")
    for each in axes.flat:
        each.set_axis_off()
    axes[0, 0].set_axis_on()
    draw_picture(MADE[kind]("long"), axes[0, 0], "A title", {})
    assert overlaps(figure) == [] and axes[0, 0].get_title() == "A title"


@pytest.mark.slow
@pytest.mark.parametrize("size", ["large", "long"])
@pytest.mark.parametrize("kind", MADE)
def test_a_plain_figure_has_room(kind, size):
    figure, axes = pyplot.subplots()
    draw_picture(MADE[kind](size), axes, None, {})
    assert overlaps(figure) == [] and figure.get_layout_engine() is None


@pytest.mark.slow
@pytest.mark.parametrize("count, turn", [(2, 0.0), (30, 90.0)])
def test_only_names_that_are_wider_than_cells_stand_on_their_sides(count, turn):
    names = names_of("small", count)
    tables = [(name, np.eye(count)) for name in names_of("small", 4)]
    axes = draw_picture(pictures.MatrixPicture(HEAD, names, names, ("region", ""), tables, "count"), None, None, {})
    labels = [each for part in axes.child_axes for each in part.get_xticklabels()]
    assert len(axes.child_axes) == 4 and {each.get_rotation() for each in labels} == {turn}


def test_margins_that_somebody_set_stay_as_they_are():
    for place in ({"left": 0.3}, {"hspace": 0.5}):
        figure, axes = pyplot.subplots()
        figure.subplots_adjust(**place)
        before = axes.get_position().bounds
        draw_picture(points("long"), axes, None, {})
        assert axes.get_position().bounds == before
    axes = pyplot.figure().add_axes((0.2, 0.2, 0.6, 0.6))
    draw_picture(points("long"), axes, None, {})
    assert axes.get_position().bounds == pytest.approx((0.2, 0.2, 0.6, 0.6))


@pytest.mark.slow
def test_a_part_of_a_figure_and_a_further_layout():
    figure = pyplot.figure()
    axes = figure.subfigures(1, 2)[0].subplots()
    draw_picture(matrix("small"), axes, None, {})
    figure, axes = pyplot.subplots()
    draw_picture(points("long"), axes, None, {})
    # the figure has no layout of its own, with which these could conflict
    figure.tight_layout()
    figure.subplots_adjust(left=0.4)


@pytest.mark.parametrize(
    "around",
    [
        "statistical region of {} population density in the federal state",
        "C(long)[T.statistical region of {} density in $ per inhabitant]:C(sex)[T.male]",
    ],
)
@pytest.mark.parametrize("width", [90.0, 170.0])
def test_names_that_differ_in_the_middle_are_told_apart(around, width):
    names = [around.format(each) for each in ("low", "very low", "medium", "high", "very high", "unknown")]
    names = [escape_plot_text(name) for name in [*names, "short"]]
    shown = trim_names(names, width, 10.0)
    assert len(set(shown)) == len(names) and shown[-1] == "short"
    assert all(compute_text_width(each, 10.0) <= width for each in shown)
    # no dollar begins a formula
    assert all(each.count("$") == each.count(r"\$") for each in shown)
    shown = points("long")._replace(names=names[:6], panels=panels_of("long", 1, 6, 3))
    axes = draw_picture(shown, None, None, {})
    assert len({each.get_text() for each in axes.get_yticklabels()}) == 6


@pytest.mark.slow
def test_all_panels_have_their_lines_at_the_names():
    shown = points("large")
    panels = [each._replace(rows=np.arange(30) % 7 == place) for place, each in enumerate(shown.panels)]
    axes = draw_picture(shown._replace(panels=panels), None, None, {})
    for part in axes.child_axes:
        assert part.get_yticks().tolist() == list(range(30))


def test_thirty_names_are_all_there_in_a_plain_figure():
    axes = pyplot.subplots()[1]
    draw_picture(points("large")._replace(panels=panels_of("large", 1, 30, 1), series=()), axes, None, {})
    assert len(axes.get_yticklabels()) == 30


def test_probabilities_along_an_axis_have_room():
    panel = pictures.Panel(
        "p-value", pictures.PictureValues(np.array([[1e-6]])), 0.05, is_log=True, point_label="< 1e-06"
    )
    for width in (1.5, 3.0, 8.0):
        axes = pyplot.subplots(figsize=(width, 3.0))[1]
        draw_picture(
            pictures.PointPicture(pictures.PictureHead(""), [""], "", [panel], has_numbers=True),
            axes,
            None,
            {},
        )
        assert not [each for each in overlaps(axes.figure) if " lies on " in each]
        assert "1" in [each.get_text() for each in axes.get_xticklabels()]


def test_counts_and_whole_numbers_have_whole_ticks():
    one = pictures.GroupSizePicture(HEAD, np.array([20]), np.array([1]))
    axes = draw_picture(one, None, None, {})
    few = pictures.SamplePicture(HEAD, "the result", np.array([-0.5, 0.5, 1.5]), (), np.eye(2), np.eye(2))
    other = draw_picture(few, None, None, {})
    for ticks in (axes.get_xticks(), axes.get_yticks(), other.get_xticks()):
        assert (ticks == np.rint(ticks)).all()


def test_lines_are_about_equally_long():
    lines = wrap_to_width("95 % noise intervals extend 11 to 12 to either side", 250.0, 10.0).split("\n")
    assert len(lines) == 2 and min(map(len, lines)) > 0.6 * max(map(len, lines))


@pytest.mark.parametrize(
    "ends", [(0.0, 1.0), (42_424_240.0, 42_424_250.0), (-1e-9, 2e-9), (27_000.0, 34_500.0), (3e200, 4e200)]
)
@pytest.mark.parametrize("width", [1.0, 3.0, 9.0])
def test_numbers_of_an_axis_differ_and_have_room(ends, width):
    figure = pyplot.figure(figsize=(width, 2.0))
    axes = figure.add_axes((0.2, 0.3, 0.6, 0.5))
    axes.set_xlim(*ends)
    set_axis_numbers(axes.xaxis)
    figure.canvas.draw()
    ticks = [each for each in axes.xaxis.get_major_ticks() if ends[0] <= each.get_loc() <= ends[1]]
    texts = [each.label1.get_text() for each in ticks]
    assert texts and len(set(texts)) == len(texts) and (len(texts) > 1 or width < 9.0)
    assert not [each for each in overlaps(figure) if " lies on " in each]


@pytest.mark.slow
@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("name", DRAWINGS)
def test_teaching_pictures(name, plain):
    panels = 2 if name in PANELS else 1
    axes = pyplot.subplots(1, panels, figsize=(5.0 * panels, 4.0))[1] if plain else None
    drawing = np.ravel(DRAWINGS[name](axes))[0]
    assert overlaps(drawing.figure) == []


@pytest.mark.slow
@pytest.mark.parametrize("plain", [False, True])
def test_large_teaching_pictures(plain):
    edges = np.linspace(0, 150_000, 16)
    counts = np.arange(1000.0, 1015.0), edges
    axes = plots.histograms(counts, counts, ax=pyplot.subplots()[1] if plain else None)
    assert overlaps(axes.figure) == []
    labels = [f"statistical region {i} of unknown population density in the state" for i in range(30)]
    frame = pd.DataFrame({"level": "region", "label": labels, "value": np.linspace(10.0, 6000.0, 30)})
    axes = plots.hierarchy(frame, frame, ax=pyplot.subplots()[1] if plain else None)
    assert overlaps(axes.figure) == []


def test_every_kind_is_here():
    assert {type(made("small")) for made in MADE.values()} == set(PICTURE_KINDS)


def test_overlaps_are_found():
    figure, axes = pyplot.subplots()
    axes.plot([0, 1], label="x")
    axes.legend(loc="center")
    axes.text(0.5, 0.5, "one")
    axes.text(0.5, 0.5, "other")
    figure.text(0.99, 0.5, "far away")
    found = " ".join(overlaps(figure))
    assert "'one' lies on 'other'" in found and "'far away' is cut off" in found
    assert "the legend lies on axes" in found
