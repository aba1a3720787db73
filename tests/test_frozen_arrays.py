"""No array that a result or a cache keeps can be made writable, nor one of a copied result."""

import copy
import functools
import gc
import importlib
import pickle
import types

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import RRandom
from pydpstat._frozen import freeze_array
from pydpstat.anonymity import evaluate_anonymization, microaggregation
from pydpstat.consistency import Hierarchy, controlled_rounding, ipf, least_squares, make_consistent
from pydpstat.local import RandomizedResponseCoins
from pydpstat.teaching import averaging_attack
from tests.modules import modules
from tests.own_releases import OWN
from tests.sample_results import AGES, FLAT, GROUP, parts, quietly, table

# what stands between modules and data: from there on everything is reachable
_STOPS = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.CodeType)


def arrays(start):
    """Every array that is reachable from an object, and the arrays that these are views of."""
    seen, found, rest = set(), [], [start]
    while rest:
        thing = rest.pop()
        if id(thing) in seen or isinstance(thing, _STOPS):
            continue
        seen.add(id(thing))
        if isinstance(thing, (pd.Series, pd.Index)):
            rest.append(thing.to_numpy())
        elif isinstance(thing, np.ndarray):
            found.append(thing)
            rest += [thing.base] if isinstance(thing.base, np.ndarray) else []
            rest += thing.ravel().tolist() if thing.dtype.hasobject else []
        else:
            rest += gc.get_referents(thing)
    return found


def opened(start):
    """The arrays that can be written to after an attempt to make them writable."""
    for array in arrays(start):
        try:
            array.setflags(write=True)
        except ValueError:
            continue
    return [array for array in arrays(start) if array.flags.writeable]


def country():
    return Hierarchy({"N": ["a", "b"], "S": ["c"]})


def fitted(method="output"):
    X, y = np.array([[0.2], [0.4], [0.7], [0.9]]), [0, 0, 1, 1]
    model = pydpstat.LogisticRegressionDP("l2", 1.0, 1.0, method)
    return quietly(model.fit, X, y, [1], [0], rng=RRandom(1))


def with_kernel():
    model = pydpstat.svmDP("l2", 1.0, 1.0, "output", kernel="Gaussian", D=3)
    return quietly(model.fit, [[0.2], [0.4], [0.7]], [0, 1, 1], [1], [0], rng=RRandom(1))


def response(kind, **more):
    mechanism = kind(target=np.mean, sensitivity=0.5, dims=1, **more)
    return pydpstat.releaseResponse(mechanism, pydpstat.DPParamsEps(), [0.1, 0.7], rng=RRandom(1))


def polynomial():
    mechanism = pydpstat.DPMechBernstein(
        target=lambda X: lambda x: x * float(np.mean(X)), sensitivity=0.5, latticeK=3, dims=1
    )
    return pydpstat.releaseResponse(mechanism, pydpstat.DPParamsEps(), [0.1, 0.7], rng=RRandom(1))


def anonymized():
    df = pd.DataFrame({"age": [20, 22, 60, 64], "pay": [1, 2, 5, 6]})
    return evaluate_anonymization(df, microaggregation(df, 2))


SAMPLES = {
    "meanDP": lambda: pydpstat.meanDP(AGES, 1.0, 0, 100, rng=RRandom(1)),
    "meanDP, from the operating system": lambda: pydpstat.meanDP(AGES, 1.0, 0, 100),
    "covDP": lambda: pydpstat.covDP(AGES, AGES, 1.0, 0, 100, 0, 100, rng=RRandom(1)),
    "tableDP": lambda: table(FLAT, GROUP, eps=1.0),
    "histogramDP": lambda: pydpstat.histogramDP(AGES, 1.0, 0, 100, breaks=[0, 50, 100], rng=RRandom(1)),
    "medianDP": lambda: pydpstat.medianDP(AGES, 1.0, 0, 100, rng=RRandom(1)),
    "LaplaceMechanism": lambda: pydpstat.LaplaceMechanism([1.0, 2.0], 1.0, [1, 2], rng=RRandom(1)),
    "ExponentialMechanism": lambda: pydpstat.ExponentialMechanism(
        [1.0, 2.0], 1.0, 1, candidates=["a", "b"], rng=RRandom(1)
    ),
    "LogisticRegressionDP": fitted,
    "LogisticRegressionDP, objective": lambda: fitted("objective"),
    "svmDP": with_kernel,
    "DPMechLaplace": lambda: response(pydpstat.DPMechLaplace),
    "DPMechBernstein": polynomial,
    "DPMechBernstein, response": lambda: polynomial().response,
    "bernstein": lambda: pydpstat.bernstein(lambda x: x, dims=1, k=3),
    "randomized response": lambda: RandomizedResponseCoins().estimate([1] * 35 + [0] * 65),
    "ipf": lambda: ipf([[1, 2], [3, 4]], {0: [5, 5], 1: [4, 6]}),
    "least squares": lambda: least_squares([[1, 2], [3, 4]], {0: [5, 5]}, variance=1.0),
    "controlled rounding": lambda: controlled_rounding([[1.4, 2.6], [3.5, 4.5]]),
    "make_consistent": lambda: make_consistent(country(), [[13], [4, 6], [1, 2, 6]], variances=1),
    "hierarchy": lambda: country(),
    "evaluate_anonymization": anonymized,
    "averaging_attack": lambda: averaging_attack(lambda: pydpstat.count([True], 1.0), 3),
    "audit": lambda: pydpstat.audit(
        lambda count, size: np.random.default_rng(1).laplace(count, 1.0, size), 5, 6, samples=500, rng=1
    ),
    "Guarantee": lambda: pydpstat.compose([pydpstat.mean(AGES, 1.0, bounds=(0, 9)).guarantee] * 2),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_no_array_of_a_result_or_its_copy_can_be_made_writable(name):
    for part in parts(SAMPLES[name]()):
        for each in (part, copy.copy(part), copy.deepcopy(part), pickle.loads(pickle.dumps(part))):
            assert not opened(each)


@pytest.mark.slow
@pytest.mark.parametrize("own", OWN, ids=[own.name for own in OWN])
def test_no_array_of_an_own_release_can_be_made_writable(own):
    assert not opened(quietly(own, own.data()))


def test_the_arrays_of_the_samples_are_found():
    assert len(arrays(SAMPLES["tableDP"]())) >= 1
    assert len(arrays(SAMPLES["make_consistent"]())) > 8
    assert [array.tolist() for array in arrays(SAMPLES["averaging_attack"]())]


@pytest.mark.slow
def test_no_array_of_a_cache_can_be_made_writable():
    for own in OWN:
        quietly(own, own.data())
    found = 0
    for name in modules():
        # a command's module runs it, and the audit's cases are data, which its releases get
        if name.endswith("__main__") or ".auditing._cases" in name:
            continue
        module = importlib.import_module(name)
        for kept, thing in vars(module).items():
            if kept.startswith("__") or isinstance(thing, _STOPS):
                continue
            if isinstance(thing, functools._lru_cache_wrapper) or not callable(thing):
                assert not opened(thing), (name, kept)
                found += len(arrays(thing))
    assert found > 5


def test_the_noise_of_later_releases_cannot_be_changed_through_a_result():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    first = pydpstat.mean(frame, 1.0, bounds=(0, 5))
    with pytest.raises(ValueError, match="WRITEABLE"):
        first.noise_scale.setflags(write=True)
    with pytest.raises(ValueError, match="read-only"):
        first.noise_scale[:] = 0.0
    assert (pydpstat.mean(frame, 1.0, bounds=(0, 5)).noise_scale > 0.0).all()


@pytest.mark.parametrize(
    "values",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.zeros((0, 3)),
        np.array(1.5),
        np.array(["a", None], dtype=object),
        np.array(["2020-01-01"], dtype="datetime64[D]"),
        np.ones(3, dtype=np.longdouble),
    ],
)
def test_a_frozen_array_has_the_values_and_refuses_to_be_opened(values):
    kept = freeze_array(values)
    assert kept.dtype == values.dtype and kept.shape == values.shape
    assert kept.tolist() == values.tolist()
    assert not opened(kept)
    assert freeze_array(kept) is kept


def test_an_array_out_of_a_pickle_is_frozen_by_a_copy():
    assert not opened(freeze_array(pickle.loads(pickle.dumps(np.arange(3000.0)))))


def test_what_is_frozen_does_not_follow_the_array_it_was_made_of():
    numbers, objects = np.array([1.0, 2.0]), np.array(["a", "b"], dtype=object)
    kept = freeze_array(numbers), freeze_array(objects)
    numbers[:], objects[:] = 0.0, "c"
    assert [each.tolist() for each in kept] == [[1.0, 2.0], ["a", "b"]]
