"""The exact delta between two Gaussian distributions of different widths."""

import mpmath
import pytest

from pydpstat.dppack._warnings import pair_delta

# mpmath's quadrature, over pieces of a kinked integrand
QUADRATURE = 1e-6


def by_definition(epsilon, shift, narrow, wide):
    """Integrate what one density exceeds exp(epsilon) times the other, both ways."""
    factor = mpmath.exp(epsilon)
    places = mpmath.linspace(-12 * wide, 12 * wide, 200)

    def excess(first, second):
        return mpmath.quad(
            lambda x: max(mpmath.npdf(x, *first) - factor * mpmath.npdf(x, *second), 0), places
        )

    one, other = (0, narrow), (shift, wide)
    return float(max(excess(one, other), excess(other, one)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "epsilon, shift, narrow, wide",
    [(0.5, 1.0, 3.0, 4.0), (1.0, 1.0, 1.5, 1.5 * 10 / 9), (0.1, 0.0, 1.0, 2.0), (0.3, 1.0, 6.0, 6.6)],
)
def test_is_the_definitions_integral(epsilon, shift, narrow, wide):
    found = pair_delta(epsilon, shift, narrow, wide)
    assert found == pytest.approx(by_definition(epsilon, shift, narrow, wide), rel=QUADRATURE, abs=1e-9)


def test_extremes():
    assert pair_delta(700.0, 1.0, 30.0, 30.1) == 0.0
    assert 0.999 < pair_delta(0.0, 1.0, 1e-6, 2e-6) <= 1.0
