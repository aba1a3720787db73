"""Pictures of a release."""

from __future__ import annotations

import math
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import PydpstatError
from pydpstat.errors import MissingExtraError
from tests.sample_results import parts


def test_every_release_can_be_drawn(release, axes):
    for result in parts(release()):
        axes.clear()
        assert result.plot(ax=axes) is axes
        axes.figure.canvas.draw()
        heights = [patch.get_height() for patch in axes.patches]
        assert sorted(heights) == pytest.approx(sorted(result.value.ravel().tolist()))
        # what holds, not what was claimed
        kept = result.guarantee.epsilon
        held = f"epsilon = {kept:.4g}" if math.isfinite(kept) else "no guarantee"
        assert axes.get_title() == f"{result.record.function}, {result.mechanism} noise, {held}"
        texts = [text.get_text() for text in axes.get_legend().get_texts()]
        assert texts.count("95% noise interval") == 1


def test_a_histogram_has_its_edges(axes):
    result = pydpstat.histogramDP([1.0, 2.0, 3.0], 1, 0, 4, breaks=[0, 2, 4], rng=1)
    result.plot(axes, alpha=0.1)
    assert [(patch.get_x(), patch.get_width()) for patch in axes.patches] == [(0.0, 2.0), (2.0, 2.0)]
    assert axes.get_ylabel() == "count" and axes.get_xlabel() == "x"
    assert "90% noise interval" in [text.get_text() for text in axes.get_legend().get_texts()]


def test_whiskers_are_the_interval(axes):
    result = pydpstat.LaplaceMechanism([1.0, 2.0, 3.0], 1, 1, rng=1)
    result.plot(axes)
    (whiskers,) = axes.containers[-1:]
    segments = whiskers.lines[2][0].get_segments()
    assert np.array([segment[:, 1] for segment in segments]) == pytest.approx(result.conf_int().to_numpy())


def test_the_data_are_not_kept_by_the_picture(axes):
    result = pydpstat.meanDP([1.0, 2.0], 1, 0, 5, rng=1)
    result.plot(axes)
    assert [patch.get_height() for patch in axes.patches] == [float(result)]


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


def test_without_matplotlib(monkeypatch):
    result = pydpstat.meanDP([1.0, 2.0], 1, 0, 5, rng=1)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"plot\(\) needs matplotlib: pip install 'pydpstat\[plot\]'"):
        result.plot()


def test_a_wrong_alpha(axes):
    with pytest.raises(PydpstatError, match="alpha must be"):
        pydpstat.meanDP([1.0, 2.0], 1, 0, 5, rng=1).plot(axes, alpha=1)


def test_long_names_are_turned(axes):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pydpstat.tableDP([f"level {i}" for i in range(12)], rng=1).plot(axes)
    assert {label.get_rotation() for label in axes.get_xticklabels()} == {90.0}


def test_a_matrix_is_measured_in_its_own_unit(axes):
    frame = pd.DataFrame({"x": [1.0, 2.0, 4.0], "y": [2.0, 1.0, 3.0]})
    pydpstat.corr(frame, 1.0, bounds=(0, 5), rng=1).plot(axes)
    assert axes.get_ylabel() == "corr"
    axes.clear()
    pydpstat.crosstab(frame > 1.5, 1.0, levels=[[False, True]] * 2, rng=1).plot(axes)
    assert axes.get_ylabel() == "count"
