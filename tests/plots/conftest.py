"""What the tests of pictures share: axes, and no figure that stays open."""

import pytest


@pytest.fixture(autouse=True)
def no_figure_is_left():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    yield
    pyplot.close("all")


@pytest.fixture
def ax():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    return pyplot.figure().add_subplot()
