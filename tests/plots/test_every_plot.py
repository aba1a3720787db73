"""What holds of every picture: axes in and out, errors before a figure, docstrings and colours."""

import inspect
import sys

import numpy as np
import pandas as pd
import pytest

from pydpstat import PydpstatError, plots
from pydpstat.errors import MissingExtraError
from tests.junk import JUNK
from tests.plots.drawings import AFTER, BEFORE, DRAWINGS, EDGES, LOSSES, PANELS, RUNS

pyplot = pytest.importorskip("matplotlib.pyplot")

# rows of names and numbers, which need no scale
WITHOUT_SCALE, WITHOUT_LEGEND = ("hierarchy", "coin_tree"), ("coin_tree",)


@pytest.mark.slow
@pytest.mark.parametrize("name", plots.__all__)
def test_axes_in_axes_out(name):
    pyplot.close("all")
    panels = 2 if name in PANELS else 1
    given = pyplot.subplots(1, panels)[1]
    figures = pyplot.get_fignums()
    returned = DRAWINGS[name](given)
    assert np.array_equal(np.ravel(returned), np.ravel(given)) and pyplot.get_fignums() == figures
    new = np.ravel(DRAWINGS[name](None))
    assert len(new) == panels and len(pyplot.get_fignums()) == 2
    for axes in new:
        axes.figure.canvas.draw()
        assert axes.get_xlabel() and (axes.get_legend() is not None or name in WITHOUT_LEGEND)
        assert axes.get_ylabel() or name in WITHOUT_SCALE


@pytest.mark.parametrize("name", plots.__all__)
def test_without_matplotlib(monkeypatch, name):
    monkeypatch.setitem(sys.modules, "matplotlib.axes", None)
    with pytest.raises(MissingExtraError, match=rf"{name}\(\) needs matplotlib: pip install 'pydpstat\[plot\]'"):
        DRAWINGS[name](None)


@pytest.mark.parametrize("name", plots.__all__)
@pytest.mark.parametrize("given", [3, "ax", np.zeros(2), [1, 2], pd.DataFrame(), object()])
def test_wrong_axes(name, given):
    with pytest.raises(PydpstatError, match=r"ax(es)? must be (a|2) matplotlib Axes or None; got .* Leave it out"):
        DRAWINGS[name](given)
    if name in PANELS:
        with pytest.raises(PydpstatError, match="axes must be 2 matplotlib Axes or None; got Axes"):
            DRAWINGS[name](pyplot.gca())


@pytest.mark.parametrize("name", JUNK)
def test_junk(name):
    good = ([3, 4, 5], EDGES)
    for call in (
        lambda x: plots.histograms(x, good),
        lambda x: plots.histograms(good, (x, EDGES)),
        lambda x: plots.noise_densities(x),
        lambda x: plots.tradeoff(x),
        lambda x: plots.k_against_loss(x),
        lambda x: plots.hierarchy(BEFORE, x),
        lambda x: plots.coin_tree(x),
    ):
        try:
            call(JUNK[name]())
        except PydpstatError:
            pyplot.close("all")


def test_errors_come_before_a_figure():
    for call in (
        lambda: plots.histograms(([1], [0, 1]), 3),
        lambda: plots.noise_densities(0, 0),
        lambda: plots.tradeoff(RUNS, 2),
        lambda: plots.k_against_loss(LOSSES.assign(loss=-1)),
        lambda: plots.hierarchy(BEFORE, AFTER[:1]),
        lambda: plots.coin_tree(None),
    ):
        with pytest.raises(PydpstatError):
            call()
    assert pyplot.get_fignums() == []


def test_every_colour_is_of_one_palette():
    from pydpstat.plots._style import COLOURS, DASHES, LINE_COLORS, LINE_COLORS_ON_DARK, MARKERS

    for lines in (LINE_COLORS, LINE_COLORS_ON_DARK):
        assert set(lines) < set(COLOURS) and len(set(lines)) == len(lines) == len(DASHES) == len(MARKERS)


@pytest.mark.parametrize("name", plots.__all__)
def test_docstrings(name):
    text = inspect.getdoc(getattr(plots, name))
    for section in ("Parameters", "Returns", "Raises", "Notes", "References", "Examples"):
        assert f"{section}\n{'-' * len(section)}\n" in text


def test_the_pictures_know_nothing_of_results():
    """Results describe their pictures by plain data, so that these lie below them."""
    import subprocess

    code = "import pydpstat.plots, pydpstat.plots._draw, sys; print('pydpstat.results' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False"
