"""Quantiles with population=True where many records have the same value."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import pydpstat as dp

N = 20_000
RNG = np.random.default_rng(8)
HAS_INCOME = RNG.random(N) >= 0.25
INCOME = np.where(HAS_INCOME, RNG.exponential(20_000.0, N), 0.0)


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_point_mass_at_a_bound_is_the_bound(neighbors, sign):
    bounds = (0, 100_000) if sign > 0 else (-100_000, 0)
    shares = [0.05, 0.1, 0.2, 0.6] if sign > 0 else [0.95, 0.9, 0.8, 0.4]
    r = dp.quantiles(sign * INCOME, shares, 1.0, bounds=bounds, population=True, neighbors=neighbors, rng=1)
    assert (r.value[:3] == 0.0).all() and (r.bse.to_numpy()[:3] == 0.0).all()
    for kind in ("noise", "population"):
        limits = r.conf_int(kind=kind).to_numpy()
        assert (limits[:3] == 0.0).all() and 0.0 < sign * limits[3, 0] != sign * limits[3, 1]
    inside = r.conf_int().to_numpy()[3]
    assert inside[0] <= r.value[3] <= inside[1] and inside[0] <= np.quantile(sign * INCOME, shares[3]) <= inside[1]


def test_values_outside_of_the_bounds_are_at_them():
    values = np.repeat([-5.0, 0.5, 3.0], 1000)
    r = dp.quantiles(values, [0.2, 0.8], 1.0, bounds=(0, 1), population=True, rng=1)
    assert r.value.tolist() == [0.0, 1.0]


def test_groups_and_missing_values_have_the_cells_of_the_bounds():
    groups = np.where(HAS_INCOME, "paid", "unpaid")
    options = {"bounds": (0, 100_000), "population": True, "neighbors": "unbounded", "rng": 1}
    r = dp.quantile(INCOME, 0.5, 1.0, by=groups, levels=["paid", "unpaid"], other=None, **options)
    assert r.value[0] > 5000.0 and r.value[1] == 0.0
    holes = np.where(HAS_INCOME, INCOME, np.nan)
    assert dp.quantile(holes, 0.2, 1.0, missing=0, **options).value == 0.0
    dropped = dp.quantile(holes, 0.2, 1.0, missing="drop", **options)
    assert dropped.value > 1000.0


def test_each_record_is_in_one_cell():
    values = np.array([0.0, 0.0, 0.3, 1.0, 0.999, 1e9, -1.0])
    r = dp.median(values, 1e8, bounds=(0, 1), population=True, rng=1)
    cells = r.post.population.cells
    assert cells[0] == 3 and cells[-1] == 2 and cells.sum() == values.size and cells[1:-1].sum() == 2
    edges = r.post.population.edges
    assert edges[0] == edges[1] == 0.0 and edges[-1] == edges[-2] == 1.0 and edges.size == cells.size + 1


@pytest.mark.parametrize("q, true", [(0.25, 0.0), (0.3, None), (0.24, 0.0)])
def test_intervals_cover_at_the_edge_of_a_mass(q, true):
    true = -20_000 * np.log((1 - q) / 0.75) if true is None else true
    missed = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x = np.where(rng.random(500) < 0.25, 0.0, rng.exponential(20_000.0, 500))
        r = dp.quantile(x, q, 1.0, bounds=(0, 100_000), population=True, neighbors="bounded", rng=rng)
        low, high = np.ravel(r.conf_int(kind="population", alpha=0.2))
        missed += not low <= true <= high
    # the bound of 20 % is met with a probability of .995
    assert missed <= 20


def test_a_picture_of_quantiles_is_not_joined_across_a_mass():
    shares = [0.1, 0.2, 0.5, 0.9]
    r = dp.quantiles(INCOME, shares, 1.0, bounds=(0, 100_000), population=True, rng=1)
    axes = r.plot()
    line = max(axes.figure.axes[0].lines, key=lambda each: np.isnan(np.asarray(each.get_xdata(), float)).sum())
    x, y = np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)
    assert np.isnan(x).tolist() == [False, True, False, False, False]
    assert y[[0, 2, 3, 4]].tolist() == shares
    plt.close("all")
