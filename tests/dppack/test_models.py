"""What every model has: a fit's results, sources of noise, clones, and data that stay as they are."""

from __future__ import annotations

import pickle
from importlib.util import find_spec

import numpy as np
import pytest

from pydpstat import PydpstatError, RRandom, dppack
from pydpstat.dppack import EmpiricalRiskMinimizationDP_CMS
from tests.dppack import cms_models, kst_models
from tests.dppack.cms_models import MAKE, X, Y
from tests.dppack.mirror_calls import NO_SOURCES

pytestmark = pytest.mark.filterwarnings("ignore::pydpstat.PrivacyWarning")
needs_nlopt = pytest.mark.skipif(find_spec("nlopt") is None, reason="the package nlopt is not installed")
KST = {
    "LinearRegressionDP": kst_models.linear,
    "LinearRegressionDP, delta": lambda: kst_models.linear(delta=0.1),
    "EmpiricalRiskMinimizationDP_KST": kst_models.base,
}
MODELS = {name: (make, cms_models) for name, make in MAKE.items()}
MODELS |= {name: (make, kst_models) for name, make in KST.items()}


@pytest.fixture(params=[*MAKE, *(pytest.param(name, marks=needs_nlopt) for name in KST)])
def kind(request):
    """A maker of models, and the module with its data and its fit."""
    return MODELS[request.param]


def fitted(kind, rng=1, **more):
    make, shared = kind
    model = make()
    if shared is kst_models:
        return model, shared.fit(model, rng, **more)
    given = {"X": shared.X, "y": shared.Y, "upper_bounds": [0.5, 0.5], "lower_bounds": [-0.5, -0.5], **more}
    return model, model.fit(**given, rng=rng)


def test_an_int_seeds_rs_stream_and_the_stream_goes_on(kind):
    stream = RRandom(3)
    first, second = fitted(kind, stream)[1], fitted(kind, stream)[1]
    assert np.array_equal(first.coeff, fitted(kind, 3)[1].coeff)
    assert not np.array_equal(first.coeff, second.coeff)


def test_a_numpy_generator_and_the_operating_system(kind):
    first, again = (fitted(kind, np.random.default_rng(4))[1] for _ in range(2))
    assert np.array_equal(first.coeff, again.coeff) and first.reproducible
    free = fitted(kind, None)[1]
    assert not free.reproducible and not np.array_equal(free.coeff, fitted(kind, None)[1].coeff)
    assert np.isfinite(free.coeff).all()


@pytest.mark.parametrize("rng", NO_SOURCES, ids=lambda rng: type(rng).__name__)
def test_another_rng_is_refused(kind, rng):
    with pytest.raises(PydpstatError, match="rng must be None"):
        fitted(kind, rng)


def test_fit_returns_what_the_model_then_has(kind):
    model, result = fitted(kind)
    assert np.array_equal(model.coeff, result.coeff) and result.model == type(model).__name__
    model.coeff[0] = 7.0
    assert result.coeff[0] != 7.0
    again = pickle.loads(pickle.dumps(result))
    assert again.coeff.tolist() == result.coeff.tolist() and again.guarantee == result.guarantee


def test_data_are_read_alike_and_neither_changed_nor_kept(kind):
    shared = kind[1]
    frame, labels, matrix = shared.X.copy(), shared.Y.astype(float), shared.X.to_numpy(copy=True)
    wanted, (model, found) = fitted(kind, X=frame, y=labels)[1], fitted(kind, X=matrix, y=shared.Y.tolist())
    assert np.array_equal(wanted.coeff, found.coeff)
    assert frame.equals(shared.X) and np.array_equal(labels, shared.Y) and np.array_equal(matrix, frame)
    arrays = [value for value in vars(model).values() if isinstance(value, np.ndarray)]
    assert all(len(each) != len(labels) for each in arrays)


def test_a_bias_needs_a_frame_and_is_the_first_coefficient(kind):
    result = fitted(kind, add_bias=True)[1]
    assert result.names[0] == "bias" or len(result.names) == 4
    with pytest.raises(PydpstatError, match="X must be a DataFrame if add_bias is True; got ndarray"):
        fitted(kind, X=kind[1].X.to_numpy(), add_bias=True)


def test_a_clone_is_on_its_own(kind):
    model, _ = fitted(kind)
    other, kept = model.clone(), model.coeff.copy()
    assert type(other) is type(model) and np.array_equal(other.coeff, kept)
    other.coeff[0], other.eps = 5.0, 9.0
    assert np.array_equal(model.coeff, kept) and model.eps < 9.0
    assert np.array_equal(model.clone(deep=True).coeff, kept) and kind[0]().clone(deep=True).coeff is None


@pytest.mark.parametrize("method", ["objective", "output"])
@pytest.mark.parametrize("gradients", [True, False])
def test_functions_of_ones_own_give_the_same_fit(method, gradients):
    def wrapped(function):
        return lambda *arguments: function(*arguments).tolist()

    functions = [dppack.mapXy_sigmoid, dppack.loss_cross_entropy]
    slopes = [dppack.mapXy_gr_sigmoid, dppack.loss_gr_cross_entropy] if gradients else [None, None]

    def fitted(change):
        mapXy, loss = map(change, functions)
        given = [each and change(each) for each in slopes]
        model = EmpiricalRiskMinimizationDP_CMS(mapXy, loss, "l2", 1e3, 1.0, method, 0.25, *given)
        return model.fit(X[["a"]], Y, 0.5, -0.5, rng=1).coeff

    assert np.array_equal(fitted(lambda function: function), fitted(wrapped))
