"""What a fitted model publishes: its tables, its forms, and nothing private."""

import copy
import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest

from pydpstat import LogisticRegressionDP, PydpstatError, RRandom, dppack, svmDP
from pydpstat.dppack._models.noise import SphericalNoise
from pydpstat.privacy import Guarantee
from pydpstat.results._call import ModelCall
from tests.privacy_search import findings

GENERATOR = np.random.default_rng(8)
N = 40
# numbers that occur nowhere else
X = pd.DataFrame({"age": 1e-3 * GENERATOR.normal(size=N) + 0.4, "dose, mg": GENERATOR.uniform(-1, 1, N)})
Y = (X["dose, mg"] + 0.3 * GENERATOR.normal(size=N) > 0).to_numpy().astype(int)
WEIGHTS = GENERATOR.uniform(0.1, 0.9, N)
UPPER, LOWER = [1, 1], [0, -1]


def made(kind="output", rng=5):
    if kind == "svm":
        model = svmDP("l2", 1.0, 2.0, "output", "Gaussian", D=6)
        return model.fit(X, Y, UPPER, LOWER, weights=WEIGHTS, weights_upper_bound=1, rng=rng)
    return LogisticRegressionDP("l2", 1.0 if kind == "output" else 3.0, 1.0, kind).fit(
        X, Y, UPPER, LOWER, add_bias=True, rng=rng
    )


@pytest.fixture(params=["output", "objective", "svm"])
def result(request):
    return made(request.param)


def test_parameters_have_their_names():
    r = made()
    assert list(r.params.index) == ["bias", "age", "dose, mg"] and r.params.name == "LogisticRegressionDP"
    assert r.params.tolist() == r.coeff.tolist() == list(r) == np.asarray(r).tolist() and len(r) == 3
    assert list(made("svm").params.index) == [f"V{j}" for j in range(1, 7)]


def test_noise_of_output_perturbation():
    r = made()
    # rate 1/2, three coefficients, divided by their bound 1 and by the root of 3
    assert r.bse.tolist() == pytest.approx([math.sqrt(4) * 2 / math.sqrt(3)] * 3)
    interval = r.conf_int(0.1)
    assert list(interval.columns) == [0, 1] and list(interval.index) == list(r.params.index)
    assert ((interval[0] + interval[1]) / 2).tolist() == pytest.approx(r.params.tolist())
    assert r.noise.cdf(interval[1] - r.params) == pytest.approx([0.95] * 3)
    assert (r.conf_int()[1] > interval[1]).all()


def test_intervals_cover_as_often_as_they_say():
    # all weights 0: the minimizer is 0 whatever the records are, so 0 is what the noise moved
    covered = []
    stream = RRandom(4)
    for _ in range(400):
        model = svmDP("l2", 0.7, 1.3, "output")
        r = model.fit(X, Y, UPPER, LOWER, weights=np.zeros(N), weights_upper_bound=1, rng=stream)
        interval = r.conf_int(0.2)
        covered.append(interval[0].iloc[0] < 0 < interval[1].iloc[0])
    # four standard errors of a share of 400
    assert abs(np.mean(covered) - 0.8) < 4 * math.sqrt(0.16 / 400)


def test_objective_perturbation_has_no_public_law():
    r = made("objective")
    assert r.noise is None and r.bse.isna().all()
    with pytest.raises(PydpstatError, match="depends on the data"):
        r.conf_int()
    assert list(r.to_frame().columns) == ["coef"]


@pytest.mark.parametrize("alpha", [0, 1, -0.1, "a", math.nan, None])
def test_a_wrong_alpha(result, alpha):
    with pytest.raises(PydpstatError, match="alpha must be above 0 and at most 0.5"):
        result.conf_int(alpha)


@pytest.mark.parametrize("kind", ["output", "objective", "svm"])
@pytest.mark.parametrize("raw_value", [False, True])
def test_predictions_are_the_models(kind, raw_value):
    if kind == "svm":
        model, bias = svmDP("l2", 1.0, 2.0, "output", "Gaussian", D=6), False
    else:
        model, bias = LogisticRegressionDP("l2", 3.0, 1.0, kind), True
    r = model.fit(X, Y, UPPER, LOWER, bias, rng=3)
    new = X.iloc[:7] + 0.1
    how = {"add_bias": bias, "raw_value": raw_value}
    assert np.array_equal(r.predict(new, **how), model.predict(new, **how))


def test_predictions_stay_when_the_model_is_fitted_again():
    model = svmDP("l2", 1.0, 2.0, "output", "Gaussian", D=6)
    r = model.fit(X, Y, UPPER, LOWER, rng=3)
    before, kept = r.predict(X, raw_value=True), r.coeff.copy()
    model.fit(X, Y, UPPER, LOWER, rng=4)
    model.coeff[:] = 0.0
    assert np.array_equal(r.predict(X, raw_value=True), before) and np.array_equal(r.coeff, kept)


def test_an_own_map_is_not_kept():
    loss = dppack.loss_squared_error
    model = dppack.EmpiricalRiskMinimizationDP_CMS(lambda X, w: X @ w, loss, "l2", 1.0, 1.0, "output")
    r = model.fit(X * 0.5, Y, [0.5, 0.5], [0, -0.5], rng=1)
    with pytest.raises(PydpstatError, match="Call predict of the model object"):
        r.predict(X)
    assert model.predict(X).shape == (N,)


def test_fields(result):
    assert result.epsilon == result.claim.epsilon >= 1.0
    assert result.delta == 0.0 and result.neighbors == "bounded"
    assert result.claim == Guarantee(result.epsilon) and result.guarantee.epsilon == result.epsilon
    assert result.nobs == N and result.reproducible
    assert "a seeded stream" in result.guarantee.conditions[-1]
    assert result.perturbation in ("output", "objective") and result.gamma in (1.0, 2.0)


def test_without_a_seed():
    r = made(rng=None)
    assert not r.reproducible and "operating system" in r.guarantee.conditions[-1]
    assert not np.array_equal(r.coeff, made(rng=None).coeff)


def test_bounds():
    assert made().bounds == ((1.0, 1.0), (0.0, -1.0)) and made("svm").bounds == ((), ())


def test_calls():
    r = made()
    assert r.call == (
        "LogisticRegressionDP(regularizer='l2', eps=1.0, gamma=1.0, perturbation_method='output')"
        ".fit(X, y, upper_bounds=[1, 1], lower_bounds=[0, -1], add_bias=True)"
    )
    assert r.r_call == (
        'DPpack::LogisticRegressionDP$new(regularizer = "l2", eps = 1, gamma = 1, '
        'perturbation.method = "output")$fit(X, y, upper.bounds = c(1, 1), lower.bounds = c(0, -1), '
        "add.bias = TRUE)"
    )
    assert "weights_upper_bound=1, weights=weights)" in made("svm").call
    assert ModelCall("a_b", (("f_x", len),), (), package="").format_r() is None


@pytest.mark.slow
@pytest.mark.live
@pytest.mark.parametrize("kind", ["output", "objective", "svm"])
def test_r_call_is_the_same_release(live_r, kind):
    r = made(kind, rng=17)
    columns = {"age": X["age"], "dose": X["dose, mg"]}
    for name, values in {**columns, "y": Y, "weights": WEIGHTS}.items():
        live_r.r.assign(name, live_r.r(f"c({', '.join(float(each).hex() for each in values)})"))
    live_r.r("X <- data.frame(age, dose); set.seed(17)")
    # another BLAS may add in another order
    assert np.array(live_r.r(f"{r.r_call}$coeff")) == pytest.approx(r.coeff, rel=1e-7)


def test_summary(result):
    page = result.summary()
    text = page.as_text()
    for each in (result.model, result.perturbation, "Epsilon", "Conditions:", "Call:"):
        assert each in text
    assert ("noise sd" in text) == (result.noise is not None)
    assert text == result.summary().as_text()
    for form in (page.as_html(), page.as_csv(), page.as_latex(), result._repr_html_()):
        assert result.names[-1][:4] in form
    assert max(map(len, text.split("\n"))) <= 110


def test_summary_of_an_infinite_epsilon():
    with pytest.warns(UserWarning):
        r = LogisticRegressionDP("l2", math.inf, 1.0).fit(X, Y, UPPER, LOWER, rng=1)
    text = r.summary().as_text()
    assert "Nothing is guaranteed" in text and "none" in text
    assert json.loads(json.dumps(r.to_dict()))["guarantee"]["epsilon"] == "infinite"
    assert r.to_dict()["epsilon"] == "infinite"


def test_summary_of_many_features():
    model = svmDP("l2", 1.0, 1.0, kernel="Gaussian", D=70)
    text = model.fit(X, Y, None, None, rng=1).summary().as_text()
    assert "10 more rows" in text and "V60" in text and "V61" not in text


def test_to_dict(result):
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert plain["coeff"] == result.coeff.tolist() and plain["names"] == list(result.names)
    assert plain["nobs"] == N and plain["claim"]["epsilon"] == result.epsilon
    assert (plain["noise_sd"] is None) == (result.noise is None)


def test_to_frame():
    frame = made().to_frame(0.1)
    assert list(frame.columns) == ["coef", "noise sd", "noise lower", "noise upper"]
    assert frame["noise upper"].tolist() == made().conf_int(0.1)[1].tolist()


@pytest.mark.live
def test_to_r(live_r, result):
    assert list(result.to_r()) == result.coeff.tolist()


def test_repr(result):
    assert repr(result).startswith(f"<ModelResults {result.model}: ") and "\n" not in repr(result)


@pytest.mark.parametrize(
    "again",
    [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))],
    ids=["copy", "deep", "pickle"],
)
def test_copies(result, again):
    other = again(result)
    assert other.to_dict() == result.to_dict() and not other.coeff.flags.writeable
    assert np.array_equal(other.predict(X, len(result) == 3), result.predict(X, len(result) == 3))


@pytest.mark.parametrize("kind", ["output", "objective", "svm"])
@pytest.mark.parametrize("rng", [None, 5, "stream", "generator"])
def test_nothing_private_is_reachable(kind, rng, monkeypatch):
    stream = {"stream": RRandom(987_654_321), "generator": np.random.default_rng(987_654_321)}.get(rng, rng)
    seen = []

    def spy(draw):
        def drawing(*arguments, **options):
            seen.append(draw(*arguments, **options))
            return seen[-1]

        return drawing

    monkeypatch.setattr(SphericalNoise, "draw", spy(SphericalNoise.draw))
    r = made(kind, stream)
    lengths = [np.linalg.norm(b, keepdims=True) for b in seen]
    secrets = np.concatenate([X.to_numpy().ravel(), WEIGHTS, *seen, *lengths])
    assert len(seen) == 1
    assert findings(r, secrets, (X, Y, WEIGHTS, stream) if stream is not None else (X, Y, WEIGHTS)) == []
    r.summary(), r.to_dict(), r.params
    assert findings(r, secrets, (X, Y, WEIGHTS)) == []


def test_the_model_object_keeps_no_data():
    model = svmDP("l2", 1.0, 2.0, "output", "Gaussian", D=6)
    stream = RRandom(5)
    model.fit(X, Y, UPPER, LOWER, weights=WEIGHTS, weights_upper_bound=1, rng=stream)
    assert findings(model, np.concatenate([X.to_numpy().ravel(), WEIGHTS]), (X, Y, WEIGHTS, stream)) == []
