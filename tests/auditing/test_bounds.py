import math

import numpy as np
import pytest
from scipy import stats

from pydpstat.auditing._bounds import Forecast, compute_epsilon_bound, compute_lower_bound, compute_upper_bound


@pytest.mark.parametrize("count, draws", [(0, 10), (1, 10), (5, 10), (10, 10), (7, 100_000), (99_000, 100_000)])
def test_bounds_are_clopper_and_pearsons(count, draws):
    alpha = 0.003
    low, high = compute_lower_bound(count, draws, alpha), compute_upper_bound(count, draws, alpha)
    assert low <= count / draws <= high
    # scipy's tail sums are good to about nine digits here
    if count:
        assert stats.binom.sf(count - 1, draws, low) == pytest.approx(alpha, rel=1e-8)
    else:
        assert low == 0.0
    if count < draws:
        assert stats.binom.cdf(count, draws, high) == pytest.approx(alpha, rel=1e-8)
    else:
        assert high == 1.0


def test_an_event_under_one_data_set_only_gives_a_finite_bound():
    assert compute_epsilon_bound(0.2, compute_upper_bound(0, 1000, 0.01), 0.0) == pytest.approx(
        math.log(0.2 / (1 - 0.01**0.001))
    )


def test_delta_is_taken_off_first():
    assert compute_epsilon_bound(0.3, 0.1, 0.2) == 0.0
    assert compute_epsilon_bound(0.1, 0.5, 0.2) == 0.0
    assert compute_epsilon_bound(0.5, 0.1, 0.2) == pytest.approx(math.log(3))


def test_the_forecast_is_near_the_bound_that_follows():
    forecast = Forecast((25_000, 25_000), (75_000, 75_000), 0.0, 0.003)
    more, less = forecast.predict_both(np.array([5_000.0]), np.array([2_000.0]))
    true = compute_epsilon_bound(
        compute_lower_bound(15_000, 75_000, 0.003), compute_upper_bound(6_000, 75_000, 0.003), 0.0
    )
    # it allows for the search's own uncertainty, so it lies a little lower
    assert true - 0.1 < more[0] < true and less[0] < 0


def test_the_forecast_of_either_side_has_its_own_numbers_of_draws():
    sizes, fresh = (100, 400), (500, 900)
    forecast, mirrored = (Forecast(sizes[::way], fresh[::way], 1e-3, 0.003) for way in (1, -1))
    first, second = np.array([20.0, 60.0]), np.array([90.0, 10.0])
    for one, other in zip(forecast.predict_both(first, second), mirrored.predict_both(second, first)[::-1]):
        assert np.array_equal(one, other)
    # ten times as many draws move the forecast towards log((0.2 - delta) / 0.1)
    few, many = (Forecast((n, n), (n, n), 0.0, 0.003).predict_event(0.2 * n, 0.1 * n)[0] for n in (1e3, 1e5))
    assert few < many < math.log(2.0)
