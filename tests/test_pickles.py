"""What the package makes can be pickled, as R's saveRDS keeps it, and works on as before."""

import copy
import pickle
import warnings

import numpy as np
import pytest

from pydpstat import RRandom, diffpriv, dppack
from tests.dppack import cms_models, kst_models

MADE = {
    "generate_loss_huber": (lambda: dppack.generate_loss_huber(0.5), ([-0.5, 1.2], [-1, 1])),
    "generate_loss_huber, weights": (lambda: dppack.generate_loss_huber(1), ([0.2, 1.2], [-1, 1], [0.5, 1])),
    "generate_loss_gr_huber": (lambda: dppack.generate_loss_gr_huber(0.5), ([-0.5, 1.2], [-1, 1])),
    "generate_sampling, seeded": (lambda: dppack.generate_sampling(0.5, rng=3), (2,)),
    "generate_sampling, NumPy": (lambda: dppack.generate_sampling(0.5, rng=np.random.default_rng(3)), (2,)),
}
MODELS = {
    **cms_models.MAKE,
    "LinearRegressionDP": kst_models.linear,
    "weights with Huber's loss": lambda: cms_models.base(dppack.WeightedERMDP_CMS, method="output"),
}


def through_a_pickle(made):
    return pickle.loads(pickle.dumps(made))


@pytest.mark.parametrize("clone", [through_a_pickle, copy.deepcopy])
@pytest.mark.parametrize("name", MADE)
def test_a_made_function_comes_back(name, clone):
    make, arguments = MADE[name]
    made, again = make(), clone(make())
    assert np.array_equal(made(*arguments), again(*arguments))
    assert made.__name__ == again.__name__ and repr(made) == repr(again)


def test_a_made_function_says_how_it_was_made():
    assert repr(dppack.generate_loss_huber(0.5)) == "generate_loss_huber(0.5)"
    assert repr(dppack.generate_loss_gr_huber(2)) == "generate_loss_gr_huber(2.0)"
    # and nothing of the stream, whose state would tell the draws
    assert repr(dppack.generate_sampling(0.1, rng=3)) == "generate_sampling(0.1)"


def test_a_draw_from_the_operating_system_comes_back():
    again = through_a_pickle(dppack.generate_sampling(0.5))
    assert again(3).shape == (4,) and not np.array_equal(again(3), again(3))


@pytest.mark.parametrize("name", MODELS)
def test_a_model_comes_back_before_its_fit(name):
    assert through_a_pickle(MODELS[name]()).coeff is None


@pytest.mark.filterwarnings("ignore::pydpstat.PrivacyWarning")
@pytest.mark.parametrize("name", cms_models.MAKE)
def test_a_fitted_model_comes_back_and_fits_again(name):
    model = cms_models.MAKE[name]()
    result = cms_models.fit(model)
    again = through_a_pickle(model)
    assert np.array_equal(again.coeff, model.coeff)
    assert np.array_equal(again.predict(cms_models.X), model.predict(cms_models.X))
    assert again.results.to_dict() == result.to_dict()
    assert np.array_equal(cms_models.fit(again).coeff, result.coeff)


@pytest.mark.parametrize(
    "made",
    [
        lambda: diffpriv.DPMechLaplace(sensitivity=1, target=np.mean, dims=1),
        lambda: diffpriv.DPMechGaussian(sensitivity=1, target=np.mean, dims=1),
        lambda: diffpriv.DPMechExponential(sensitivity=1, target=len, responseSet=["a", "b"]),
        lambda: diffpriv.DPMechBernstein(sensitivity=1, target=len, latticeK=2, dims=1),
        lambda: diffpriv.DPParamsGam(epsilon=1, delta=0.1, gamma=0.2),
    ],
)
def test_a_mechanism_comes_back(made):
    assert repr(through_a_pickle(made())) == repr(made())


def test_a_released_model_s_call_has_the_loss_by_its_name():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = cms_models.fit(cms_models.base(method="output"))
    assert "loss=huber" in result.call and "loss_gr=huber" in result.call


def test_two_copies_of_a_stream_draw_alike_and_apart_from_it():
    sampling = dppack.generate_sampling(0.5, rng=RRandom(3))
    again = through_a_pickle(sampling)
    first = sampling(2)
    assert np.array_equal(again(2), first) and not np.array_equal(sampling(2), first)
