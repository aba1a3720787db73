"""The exact delta between two Gaussian distributions of different widths."""

import numpy as np
import pytest
from scipy import integrate, stats

from pydpstat.dppack._warnings import compute_gaussian_pair_delta


def by_definition(epsilon, shift, narrow, wide):
    """Integrate what one density exceeds exp(epsilon) times the other, both ways."""
    x = np.linspace(-12 * wide, 12 * wide, 400_001)
    one, other = stats.norm.pdf(x, 0, narrow), stats.norm.pdf(x, shift, wide)
    factor = np.exp(epsilon)
    excess = [np.maximum(a - factor * b, 0.0) for a, b in ((one, other), (other, one))]
    return max(integrate.trapezoid(each, x) for each in excess)


@pytest.mark.parametrize(
    "epsilon, shift, narrow, wide",
    [(0.5, 1.0, 3.0, 4.0), (1.0, 1.0, 1.5, 1.5 * 10 / 9), (0.1, 0.0, 1.0, 2.0), (0.3, 1.0, 6.0, 6.6)],
)
def test_is_the_definitions_integral(epsilon, shift, narrow, wide):
    found = compute_gaussian_pair_delta(epsilon, shift, narrow, wide)
    # steps of 6e-5 standard deviations, of a function with kinks
    assert found == pytest.approx(by_definition(epsilon, shift, narrow, wide), rel=1e-6, abs=1e-9)


def test_extremes():
    assert compute_gaussian_pair_delta(700.0, 1.0, 30.0, 30.1) == 0.0
    assert 0.999 < compute_gaussian_pair_delta(0.0, 1.0, 1e-6, 2e-6) <= 1.0
    # squares of such widths are no floats; beside them the shift is nothing
    assert compute_gaussian_pair_delta(0.1, 1.0, 1e200, 2e200) == compute_gaussian_pair_delta(0.1, 0.0, 1.0, 2.0)
