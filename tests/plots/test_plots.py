"""The pictures one by one: what is on the axes is what was given."""

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import PydpstatError, RRandom, plots
from pydpstat import r_arithmetic as r
from pydpstat.local import RandomizedResponse, RandomizedResponseCoins
from pydpstat.mechanisms import GaussianNoise, LaplaceNoise
from tests.plots import marks
from tests.plots.drawings import AFTER, BEFORE, EDGES, LOSSES, RUNS

pytest.importorskip("matplotlib.pyplot")


# histograms

ONES = np.ones(3), EDGES
APART = "private must have the edges of true; they differ \\({} and 4 edges\\). Use"


def test_bars_are_the_counts_beside_each_other(ax):
    plots.histograms(([3, 4, 5], EDGES), ([2, 4, -7], EDGES), ax=ax)
    true, private = ax.containers[:2]
    assert [bar.get_height() for bar in true] == [3, 4, 5]
    assert [bar.get_height() for bar in private] == [2, 4, -7]
    for left, right, low, high in zip(true, private, EDGES, EDGES[1:]):
        assert left.get_x() > low and right.get_x() + right.get_width() < high
        middle = left.get_x() + left.get_width()
        assert middle == pytest.approx(right.get_x()) == pytest.approx((low + high) / 2)
    assert marks.legend(ax) == ["true (not for publication)", "private"]


def test_what_a_release_keeps_is_in_the_legend(ax):
    x = [0.5, 0.7, 1.5, 3.0]
    plots.histograms(np.histogram(x, EDGES), pydpstat.histogram(x, 0.5, edges=EDGES, rng=1), ax=ax)
    assert marks.legend(ax)[1] == "private, epsilon = 0.5"
    shape = r.hist(x)
    with pytest.warns(pydpstat.PrivacyWarning):
        private = pydpstat.histogramDP(x, 1, min(shape.breaks), max(shape.breaks), rng=RRandom(1))
    axes = plots.histograms(shape, private)
    assert marks.legend(axes)[1] == "private, no guarantee" and axes.get_xlabel() == "x"


def test_many_classes_have_no_numbers(ax):
    edges = np.linspace(0, 1, 42)
    plots.histograms((np.ones(41), edges), (np.ones(41), edges), ax=ax)
    assert not ax.texts
    plots.histograms((np.ones(3), EDGES), (np.ones(3), EDGES), ax=ax)
    assert len(ax.texts) == 6


@pytest.mark.parametrize(
    ("true", "private", "message"),
    [
        (ONES, (np.ones(3), [0, 1, 2, 5]), APART.format(4)),
        (ONES, (np.ones(2), [0, 1, 2]), APART.format(3)),
        ((np.ones(3), EDGES[:3]), ONES, "true must be a histogram"),
        ((np.ones(3), EDGES[::-1]), ONES, "true must be a histogram"),
        (ONES, 7, "private must be a histogram: .* got int"),
        (ONES, pydpstat.mean([1.0], 1, bounds=(0, 1), rng=1), "private must be a histogram"),
        (([1, np.nan, 2], EDGES), ONES, "true must be a histogram"),
    ],
)
def test_no_histograms(true, private, message):
    with pytest.raises(PydpstatError, match=message):
        plots.histograms(true, private)


# densities


@pytest.mark.parametrize(("law", "noise"), [("laplace", LaplaceNoise), ("gaussian", GaussianNoise)])
def test_curves_are_the_densities(ax, law, noise):
    plots.noise_densities([-3, 0, 3, 6], [1, 2, 3, 4], distribution=law, ax=ax)
    assert len(ax.lines) == 4
    for line, location, scale in zip(ax.lines, [-3, 0, 3, 6], [1, 2, 3, 4]):
        x, y = line.get_data()
        assert y == pytest.approx(noise(float(scale)).pdf(x - location))
        # the peak itself is a point of the curve
        assert location in x and y.max() == noise(float(scale)).pdf(0.0)
        area = getattr(np, "trapezoid", None) or np.trapz
        assert area(y, x) == pytest.approx(1.0, abs=0.02)
    styles = {(line.get_color(), line.get_linestyle()) for line in ax.lines}
    assert len(styles) == len({color for color, _ in styles}) == 4


def test_locations_and_scales_are_broadcast(ax):
    plots.noise_densities(0, [1, 2], ax=ax)
    assert marks.legend(ax) == ["location 0, scale 1", "location 0, scale 2"]
    several = plots.noise_densities([0, 1], 2, distribution="gaussian")
    assert marks.legend(several) == ["location 0, sd 2", "location 1, sd 2"]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((0, 0), {}, "scales must be above 0; got 0"),
        ((0, []), {}, "scales must be"),
        ((["a"], 1), {}, "locations must be finite numbers; got"),
        ((np.inf, 1), {}, "locations must be finite numbers; got inf"),
        (([1, 2], [1, 2, 3]), {}, "locations must be one, or as many as scales; got 2 for 3"),
        ((range(8), 1), {}, "at most 7 curves"),
        ((1e9, 1), {}, "at most 1e.06 times the smallest scale"),
        ((0, 1), {"distribution": "laplce"}, "Did you mean 'laplace'?"),
    ],
)
def test_bad_densities(arguments, options, message):
    with pytest.raises(PydpstatError, match=message):
        plots.noise_densities(*arguments, **options)


# trade-off


def test_the_trade_off_has_each_run_and_their_medians():
    left, right = plots.tradeoff(RUNS, truth=0.2)
    dots, line = left.lines[:2]
    assert dots.get_ydata().tolist() == RUNS.estimate[:6].tolist()
    assert line.get_xdata().tolist() == [0.1, 1.0] and line.get_ydata() == pytest.approx([0.3, 0.2])
    assert marks.legend(left) == ["n = 100", "n = 500", "true share 0.2"]
    assert marks.legend(right) == ["n = 100", "n = 500"]
    assert left.get_ylim() == (0.0, 1.0) and right.get_yscale() == "log"
    # an uncertainty of 0 is left out
    assert right.lines[1].get_ydata() == pytest.approx([0.6, 0.1])
    assert [text.get_text() for text in left.texts] == ["4 of 12 estimates are outside"]
    left, _ = plots.tradeoff(RUNS[RUNS.estimate.between(0, 1)])
    assert not left.texts and marks.legend(left) == ["n = 100", "n = 500"]


def test_the_lines_of_a_trade_off_go_through_medians_or_means():
    runs = RUNS.assign(estimate=[0.1, 0.2, 0.9, 0.25, 0.15, 0.2] * 2)
    for middle, expected in (("median", [0.2, 0.2]), ("mean", [0.4, 0.2])):
        left, right = plots.tradeoff(runs, middle=middle)
        assert left.lines[1].get_ydata() == pytest.approx(expected)
        assert left.get_ylabel() == f"estimated share (lines: {middle} of the runs)"
    # the mean of what a logarithmic scale can show
    assert right.lines[1].get_ydata() == pytest.approx([0.6, 0.1])
    with pytest.raises(PydpstatError, match="middle must be .*Did you mean 'mean'"):
        plots.tradeoff(runs, middle="meen")


MISSPELT = RUNS.rename(columns={"epsilon": "epsilom"})
NO_NUMBERS = r"frame\['n'\] must be finite numbers above 0; got other values among 12 of type"


@pytest.mark.parametrize(
    ("frame", "truth", "message"),
    [
        ([1], None, "frame must be a DataFrame with the columns epsilon, n, estimate, uncertainty; got list"),
        (MISSPELT, None, "one column 'epsilon' .* Did you mean 'epsilom'?"),
        (RUNS[:0], None, "frame must have rows; got none"),
        (pd.concat([RUNS, RUNS[["n"]]], axis=1), None, "one column 'n' .* got 2 of 6"),
        (RUNS.assign(epsilon=0.0), None, r"frame\['epsilon'\] must be finite numbers above 0"),
        (RUNS.assign(n="100"), None, NO_NUMBERS),
        (RUNS.assign(estimate=np.nan), None, r"frame\['estimate'\] must be finite numbers"),
        (RUNS.assign(uncertainty=True), None, r"frame\['uncertainty'\] must be finite numbers"),
        (RUNS.assign(n=range(1, 13)), None, r"frame\['n'\] must have at most 7 values"),
        (RUNS, 1.2, "truth must be a share from 0 to 1; got 1.2"),
        (RUNS, "0.2", "truth must be a number"),
    ],
)
def test_bad_trade_offs(frame, truth, message):
    with pytest.raises(PydpstatError, match=message):
        plots.tradeoff(frame, truth)


# loss


@pytest.mark.slow
def test_losses_by_method(ax):
    plots.k_against_loss(LOSSES, ax=ax, unit="MSE")
    assert [line.get_xdata().tolist() for line in ax.lines] == [[3, 30], [3, 30]]
    assert [line.get_ydata().tolist() for line in ax.lines] == [[1, 9], [2, 11]]
    assert marks.legend(ax) == ["a", "b"] and ax.get_ylabel() == "loss: MSE"
    # k is 10 times as large: no logarithm
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "linear") and ax.get_ylim()[0] == 0.0
    assert len({(line.get_color(), line.get_marker(), line.get_linestyle()) for line in ax.lines}) == 2


def test_wide_ranges_are_logarithmic(ax):
    plots.k_against_loss(LOSSES.assign(k=LOSSES.k**2, loss=LOSSES.loss**2), ax=ax)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert [text.get_text() for text in ax.get_xticklabels()] == ["9", "900"]
    assert "log scale" in ax.get_xlabel() and "log scale" in ax.get_ylabel()
    axes = plots.k_against_loss(LOSSES.assign(loss=[0.0, 1.0, 50.0, 3.0]))
    assert axes.get_yscale() == "linear"


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (LOSSES.assign(loss=-1.0), r"frame\['loss'\] must be at least 0; got negative"),
        (LOSSES.assign(k=0), r"frame\['k'\] must be finite numbers above 0"),
        (LOSSES.assign(method=[None, "a", "b", "c"]), r"frame\['method'\] must name a method in each row"),
        (LOSSES.drop(columns="method"), "frame must have one column 'method'"),
        (pd.concat([LOSSES.assign(method=str(i)) for i in range(8)]), "at most 7 names"),
    ],
)
def test_bad_losses(frame, message):
    with pytest.raises(PydpstatError, match=message):
        plots.k_against_loss(frame)


# hierarchy


def test_rows_are_the_counts_in_levels(ax):
    plots.hierarchy(BEFORE, AFTER[::-1], ax=ax)
    noisy, consistent = ax.lines[:2]
    assert noisy.get_xdata().tolist() == [12, -3, 11] and consistent.get_xdata().tolist() == [10, 0, 10]
    assert noisy.get_ydata().tolist() == consistent.get_ydata().tolist() == [1, 3, 4]
    ticks = dict(zip(ax.get_yticks(), [text.get_text() for text in ax.get_yticklabels()]))
    assert ticks == {0: "all", 1: "all", 2: "half", 3: "a", 4: "b"}
    texts = [text.get_text() for text in ax.texts]
    assert texts == ["with noise → consistent", "12 → 10", "-3 → 0", "11 → 10"]
    assert ax.get_xlim()[0] < -3 and ax.yaxis_inverted()


def test_labels_may_be_paths_and_repeat_where_the_order_is_the_same():
    before = BEFORE.assign(label=[(), ("x", "a"), ("x", "a")], value=[1.0, 2.0, 3.0])
    axes = plots.hierarchy(before, before)
    assert [text.get_text() for text in axes.get_yticklabels()][1:3] == ["x / a", "x / a"]
    assert axes.get_xlim()[0] == 0.0


DIFFER = "after must have the levels and labels of before, each once; they differ \\(2 and 3 rows\\)"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (BEFORE, AFTER[:2], DIFFER),
        (BEFORE, AFTER.assign(label=["all", "a", "c"]), "after must have the levels and labels of before"),
        (BEFORE.assign(label="a"), AFTER.assign(label=["a", "a", "b"]), "after must have the levels"),
        (BEFORE, AFTER.assign(value=np.inf), r"after\['value'\] must be finite numbers"),
        (BEFORE.rename(columns={"level": "lvl"}), AFTER, "before must have one column 'level'"),
        (pd.concat([BEFORE] * 30), pd.concat([AFTER] * 30), "before must have at most 80 rows"),
        (None, AFTER, "before must be a DataFrame with the columns level, label, value; got NoneType"),
    ],
)
def test_bad_hierarchies(before, after, message):
    with pytest.raises(PydpstatError, match=message):
        plots.hierarchy(before, after)


# two coins


@pytest.mark.parametrize("coins", [(0.5, 0.5), (0.3, 0.2), (0.6, 1.0)])
def test_the_tree_has_the_design(ax, coins):
    design = RandomizedResponseCoins(*coins)
    plots.coin_tree(design, ax=ax)
    texts = [text.get_text() for text in ax.texts]
    first, second = coins
    shares = {"tails": 1 - first, "heads": first}, {"heads": second, "tails": 1 - second}
    assert texts[:4] == [f"{side}: {share:.4g}" for each in shares for side, share in each.items()]
    # the ways' chances, and to which answers they lead
    ways = [texts[place : place + 4] for place in (6, 10, 14)]
    assert ways == [
        ["the truth", f"{1 - first:.4g}", "1", "0"],
        ["answer 1", f"{first * second:.4g}", "1", "1"],
        ["answer 0", f"{first * (1 - second):.4g}", "0", "0"],
    ]
    for place in (6, 10, 14):
        assert len({text.get_position()[1] for text in ax.texts[place : place + 4]}) == 1
    # the last two rows are the design's
    for answer, place in ((1, -6), (0, -3)):
        chances = [f"{design.design_matrix.loc[answer, truth]:.4g}" for truth in (1, 0)]
        assert texts[place:][:3] == [f"answer {answer}", *chances]
    kept = f"epsilon = {design.epsilon:.4g}" if np.isfinite(design.epsilon) else "no guarantee"
    assert ax.get_xlabel().startswith(kept)


def test_probabilities_are_at_their_branches(ax):
    plots.coin_tree(RandomizedResponseCoins(0.3, 0.2), ax=ax)
    branches = [np.array(line.get_data()).T for line in ax.lines if line.get_marker() == "None"]
    for text, (start, end) in zip(ax.texts[:4], branches):
        shares = (np.array(text.xy) - start) / (end - start)
        assert shares[0] == pytest.approx(shares[1]) and 0.0 < shares[0] < 1.0


@pytest.mark.parametrize("given", [RandomizedResponse(1.0), RandomizedResponseCoins, None, 0.5, (0.5, 0.5)])
def test_a_tree_needs_two_coins(given):
    with pytest.raises(PydpstatError, match="design must have two coins; got .* RandomizedResponseCoins"):
        plots.coin_tree(given)
