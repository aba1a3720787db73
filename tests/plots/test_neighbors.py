"""Two neighboring densities and their ratio: the curves are the noise's, the limits are epsilon's."""

import math

import numpy as np
import pytest

from pydpstat import PydpstatError, plots
from pydpstat.mechanisms import BoundedLaplaceNoise, GaussianNoise, LaplaceNoise, SymmetricGeometricNoise
from tests.junk import JUNK

pyplot = pytest.importorskip("matplotlib.pyplot")


def curves(axes):
    return [np.array(line.get_data()) for line in axes.lines]


@pytest.mark.parametrize("noise", [LaplaceNoise(2.0), GaussianNoise(1.5)])
def test_both_densities_and_their_ratio(noise):
    one, other = plots.neighboring_densities(noise, 5.0, 3.0)
    first, second = curves(one)
    assert np.array_equal(first[1], noise.pdf(first[0] - 5.0))
    assert np.array_equal(second[1], noise.pdf(second[0] - 8.0))
    assert {5.0, 8.0} <= set(first[0].tolist())
    assert np.allclose(curves(other)[0][1], first[1] / second[1])
    assert other.get_yscale() == "log" and one.get_xlim() == other.get_xlim()


def test_laplace_noise_runs_along_the_limits():
    other = plots.neighboring_densities(LaplaceNoise(2.0), 0, 1, epsilon=0.5)[1]
    ratio, _, above, below = curves(other)
    assert above[1] == pytest.approx(math.exp(0.5)) and below[1] == pytest.approx(math.exp(-0.5))
    assert ratio[1].max() == pytest.approx(above[1][0]) and ratio[1].min() == pytest.approx(below[1][0])
    marks = [tick.get_text() for tick in other.get_yticklabels()]
    assert marks == ["exp(-ε) = 0.607", "1", "exp(ε) = 1.65"]
    # Gaussian noise passes them
    wide = curves(plots.neighboring_densities(GaussianNoise(2.0), 0, 1, epsilon=0.5)[1])[0]
    assert wide[1].max() > math.exp(0.5)


def test_integer_noise_has_points_on_the_integers():
    noise = SymmetricGeometricNoise(1.0)
    one, other = plots.neighboring_densities(noise, 5, 1)
    first = curves(one)[0]
    assert np.array_equal(first[0], np.rint(first[0])) and np.array_equal(first[1], noise.pmf(first[0] - 5))
    assert one.get_ylabel() == "probability"
    assert set(np.round(curves(other)[0][1], 9)) == {round(math.e, 9), round(1 / math.e, 9)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3,), "noise must be a Noise with a density"),
        ((BoundedLaplaceNoise(1.0, (0, 1)),), "noise must be a Noise with a density"),
        ((LaplaceNoise([1.0, 2.0]),), "noise must be for one number; got 2 scales"),
        ((LaplaceNoise(1.0), math.inf), "location must be"),
        ((LaplaceNoise(1.0), 0, 0), "sensitivity must be"),
        ((LaplaceNoise(1.0), 0, 1, -1.0), "epsilon must be"),
        ((SymmetricGeometricNoise(1.0), 0.5), "must be whole numbers for noise on the integers"),
        ((SymmetricGeometricNoise(1e-3), 0), "extend over more than 400"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(PydpstatError, match=message):
        plots.neighboring_densities(*arguments)
    assert not pyplot.get_fignums()


@pytest.mark.parametrize("name", JUNK)
def test_junk(name):
    with pytest.raises(PydpstatError):
        plots.neighboring_densities(JUNK[name]())
