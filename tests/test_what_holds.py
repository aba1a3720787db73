"""Whatever a result states of its privacy is what holds; what the call asked for is called a claim."""

import json
import math
import warnings
from importlib.util import find_spec

import numpy as np
import pytest

import pydpstat
from pydpstat import DPResultsPair, ModelResults, PrivacyWarning
from pydpstat.consistency import Hierarchy, release_hierarchy
from tests.dppack import cms_models, kst_models
from tests.sample_results import parts
from tests.warning_calls import ANALYTIC, X, hist, mean, sd, table, var

NONE = "no guarantee, claimed (epsilon {eps:g}, delta {delta:g}), bounded neighbors"


def pooled():
    return pydpstat.pooledVarDP(X, X, eps=0.5, lower_bound=0, upper_bound=5, rng=1)


def gauss(**more):
    return pydpstat.GaussianMechanism(1.0, **{"eps": 0.5, "sensitivities": 1, "rng": 1, **more})


def response(kind, params=None, **slots):
    mechanism = kind(target=slots.pop("target", np.mean), **slots)
    return pydpstat.releaseResponse(mechanism, params or pydpstat.DPParamsEps(), X, rng=1)


def sampled():
    laplace, how = pydpstat.DPMechLaplace(target=np.mean, dims=1), {"n": 5, "m": 20, "gamma": 0.5, "rng": 1}
    mechanism = pydpstat.sensitivitySampler(laplace, oracle=lambda n, rng=None: np.linspace(0, 1, n), **how)
    return pydpstat.releaseResponse(mechanism, pydpstat.DPParamsEps(), X, rng=1)


def logistic(gamma, method="output", eps=1.0):
    return cms_models.fit(pydpstat.LogisticRegressionDP("l2", eps, gamma, method))


def sigmoid():
    d = pydpstat
    functions, gradients = (
        (d.mapXy_sigmoid, d.loss_cross_entropy),
        (d.mapXy_gr_sigmoid, d.loss_gr_cross_entropy),
    )
    how = ("l2", 2.0, 1.0, "objective", 0.25)
    return cms_models.fit(d.EmpiricalRiskMinimizationDP_CMS(*functions, *how, *gradients))


def tuned():
    X, y = np.linspace(-1.0, 1.0, 40)[:, None], np.linspace(-1.0, 1.0, 40)
    models = [pydpstat.LinearRegressionDP("l2", 1.0, 0.0, gamma) for gamma in (1.0, 10.0)]
    return pydpstat.tune_linear_regression_model(models, X, y, [1, 1], [-1, -1], rng=1).results


LONG = 3 - 2 * math.log(2)

# the finding, the call, and how its short form ends: what holds, then the claim where that is another
ROWS = {
    "variance": ("2", lambda: var(rng=1), None),
    "standard deviation": ("2", lambda: sd(rng=1), None),
    "pooled variance": ("2", pooled, None),
    "exponential": (
        "3",
        lambda: response(pydpstat.DPMechExponential, target=lambda X: len, sensitivity=1, responseSet=["a", "bb"]),
        NONE.format(eps=1, delta=0),
    ),
    "levels": ("8", lambda: table(["a", "b"], eps=1, rng=1), NONE.format(eps=1, delta=0)),
    "levels, both": ("8", lambda: table(["a", "b"], which_sensitivity="both", rng=1), None),
    "unbounded": (
        "5",
        lambda: mean(which_sensitivity="unbounded", rng=1),
        "(epsilon 0.5, delta 0), bounded neighbors, claimed (epsilon 0.5, delta 0), unbounded neighbors",
    ),
    "classical Gaussian": (
        "6",
        lambda: response(
            pydpstat.DPMechGaussian, pydpstat.DPParamsDel(epsilon=20.0, delta=0.01), sensitivity=1, dims=1
        ),
        None,
    ),
    "breaks": ("4", lambda: hist(breaks="Sturges", rng=1), NONE.format(eps=0.5, delta=0)),
    "infinite bound": (
        "9",
        lambda: pydpstat.quantileDP(X, 0.5, 1, 0, math.inf, rng=1),
        NONE.format(eps=1, delta=0),
    ),
    "loose calibration": ("11", lambda: gauss(eps=0.1, delta=1e-15, analytic=True), None),
    "sampled sensitivity": ("14", sampled, None),
    "large delta": ("delta", lambda: gauss(delta=1.1), None),
    "no noise": ("delta", lambda: gauss(delta=1.25), "no guarantee"),
    "other gamma": (
        "C1",
        lambda: logistic(100.0),
        "(epsilon 100, delta 0), bounded neighbors, claimed (epsilon 1, delta 0), bounded neighbors",
    ),
    "negative gamma": ("C1", lambda: logistic(-0.25, "objective"), NONE.format(eps=1, delta=0)),
    "tuned regression": ("C2", tuned, NONE.format(eps=1, delta=0)),
    "wrong gradient": ("C3", sigmoid, NONE.format(eps=2, delta=0)),
    "long records": (
        "C4",
        lambda: cms_models.fit(cms_models.MAKE["EmpiricalRiskMinimizationDP_CMS"](eps=3.0), *cms_models.BOX),
        f"(epsilon {math.sqrt(2) * LONG + math.log(3):.6g}, delta 0), bounded neighbors, "
        "claimed (epsilon 3, delta 0), bounded neighbors",
    ),
    "replaced record": ("C5", lambda: kst_models.fit(kst_models.linear(eps=0.2)), None),
    "rough minimum": ("C6", lambda: kst_models.fit(kst_models.linear(eps=3.0)), None),
    "half width": (
        "C8",
        lambda: cms_models.fit(pydpstat.svmDP("l2", 1.0, 1.0, "output", huber_h=-0.5)),
        NONE.format(eps=1, delta=0),
    ),
    "saturation": ("C9", lambda: logistic(1.0, "objective", 0.5), NONE.format(eps=0.5, delta=0)),
}
NLOPT = {"tuned regression", "replaced record", "rough minimum"}


def released(name):
    """The results of a call, after a look at its warnings."""
    if name in NLOPT and find_spec("nlopt") is None:
        pytest.skip("the package nlopt is not installed")
    row, call, _ = ROWS[name]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = call()
    assert row in [each.message.row for each in seen if isinstance(each.message, PrivacyWarning)]
    return parts(result)


def void(guarantee):
    return math.isinf(guarantee.epsilon) or guarantee.delta == 1.0


@pytest.mark.parametrize("name", ROWS)
def test_what_is_stated_first_is_what_holds(name):
    for result in released(name):
        held, claim, nothing = result.guarantee, result.claim, void(result.guarantee)
        assert result.epsilon == (math.inf if nothing else held.epsilon)
        assert result.delta == (1.0 if nothing else held.delta) and result.neighbors == held.neighbors
        # the short form
        shown = "no guarantee" if nothing else str(held)
        ending = shown if str(held) == str(claim) else f"{shown}, claimed {claim}"
        assert repr(result).split("\n")[0].endswith(f", {ending}>") and ROWS[name][2] in (None, ending)
        # the dictionary
        content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        assert content["epsilon"] == ("infinite" if nothing else held.epsilon)
        assert content["delta"] == (1.0 if nothing else held.delta)
        assert all(content["guarantee"][each] == content[each] for each in ("epsilon", "delta", "unit"))
        assert content["neighbors"] == held.neighbors
        assert content["claim"]["epsilon"] == ("infinite" if math.isinf(claim.epsilon) else claim.epsilon)
        assert content["claim"]["delta"] == claim.delta
        assert list(content).index("guarantee") < list(content).index("claim")
        # the summary
        words = " ".join(result.summary().as_text().split())
        assert ("Nothing is guaranteed: " in words) == nothing
        for each in ("epsilon", "delta", "neighbors"):
            shown, claimed = (
                value if isinstance(value, str) else f"{value:.6g}"
                for value in (getattr(held, each), getattr(claim, each))
            )
            if nothing:
                shown = "-" if each == "neighbors" else "none"
            if shown == claimed:
                assert f"{each.capitalize()}: {shown}" in words and f"Claimed {each}" not in words
            else:
                # two columns may stand between them
                assert f"Guaranteed {each}: {shown}" in words and f"Claimed {each}: {claimed}" in words


def test_every_finding_of_a_result_is_here():
    # row 1 is of noise alone, which has no result
    assert {row for row, _, _ in ROWS.values()} == {
        *("2", "3", "4", "5", "6", "8", "9", "11", "14", "delta"),
        *("C1", "C2", "C3", "C4", "C5", "C6", "C8", "C9"),
    }


def test_a_pair_states_its_own_guarantee():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pair = ROWS["levels, both"][1]()
    assert isinstance(pair, DPResultsPair) and repr(pair).endswith(f", {pair.guarantee}>")


def test_where_the_claim_holds_it_is_stated_once():
    result = mean(rng=1, **ANALYTIC)
    assert repr(result).endswith(", Gaussian, (epsilon 0.5, delta 1e-05), bounded neighbors>")
    assert "claimed" not in repr(result)
    model = cms_models.fit(pydpstat.LogisticRegressionDP("l2", 2.0, 1.0))
    assert isinstance(model, ModelResults) and "claimed" not in repr(model)
    for each in (result, model):
        words = " ".join(each.summary().as_text().split())
        assert f"Epsilon: {each.epsilon:g}" in words and "laimed" not in words and "holds" not in words


def test_a_hierarchy_states_what_holds_first():
    country = Hierarchy({"N": ["a", "b"], "S": ["c"]})
    result = release_hierarchy([12, 3, 40], 1.0, hierarchy=country, rng=1)
    assert result.epsilon == result.guarantee.epsilon == 1.0
    content, text = result.to_dict(), result.summary().as_text()
    assert content["guarantee"]["epsilon"] == content["epsilon"] == content["claim"]["epsilon"] == 1.0
    assert "Epsilon:" in text and "Claimed" not in text
