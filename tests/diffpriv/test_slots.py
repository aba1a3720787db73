"""What the classes accept, when they are made and when a slot is set; their texts and copies."""

from __future__ import annotations

import copy
import inspect
import math
import pickle

import numpy as np
import pytest

from pydpstat import PydpstatError, diffpriv
from pydpstat.diffpriv import (
    DPMech,
    DPMechBernstein,
    DPMechExponential,
    DPMechGaussian,
    DPMechLaplace,
    DPMechNumeric,
    DPParamsDel,
    DPParamsEps,
    DPParamsGam,
)

NUMERIC = (DPMechLaplace, DPMechGaussian)
MADE = {
    DPParamsEps: {},
    DPParamsDel: {},
    DPParamsGam: {},
    DPMechLaplace: {},
    DPMechGaussian: {},
    DPMechExponential: {"responseSet": ["a"]},
    DPMechBernstein: {"latticeK": 3, "dims": 1},
}
NO_NUMBER = ("1", True, None, math.nan, [1, 2], [], {})
WRONG = {
    "epsilon": (0, -1.0, *NO_NUMBER),
    "delta": (1, 1.5, -0.1, math.inf, *NO_NUMBER),
    "gamma": (1, 1.5, -0.1, math.inf, *NO_NUMBER),
    "sensitivity": (-1, -math.inf, *NO_NUMBER),
    "target": ("mean", 1.0, None),
    "gammaSensitivity": (1, 1.2, -0.1, "0.1", True, [0.1, 0.2]),
    "dims": (1.5, math.inf, "1", True, [1, 2]),
    "responseSet": ([], "ab", None, {"a": 1}, np.arange(3)),
    "latticeK": (0, -1, 1.5, math.inf, *NO_NUMBER),
}
RIGHT = {
    "epsilon": (1, 0.25, math.inf, np.float64(2), np.array([3.0]), 2),
    "delta": (0, 0.5, 0.999, np.float32(0.25)),
    "gamma": (0, 0.5),
    "sensitivity": (0, 1, 0.5, math.inf, [2]),
    "target": (len, lambda X: 0, np.mean),
    "gammaSensitivity": (None, math.nan, 0, 0.5),
    "dims": (1, 3.0, np.int64(2)),
    "responseSet": (["a"], ("a", 1), [None]),
    "latticeK": (1, 5.0, np.int64(3)),
}
PAIRS = [(kind, slot) for kind in MADE for slot in kind(**MADE[kind]).slots()]
NAMES = [f"{kind.__name__}.{slot}" for kind, slot in PAIRS]


def wrong_values(kind, slot):
    also = (0, -1, None) if slot == "dims" and kind is DPMechBernstein else ()
    return (*WRONG[slot], *also)


@pytest.mark.parametrize(("kind", "slot"), PAIRS, ids=NAMES)
def test_wrong_values_are_refused_by_name(kind, slot):
    for value in wrong_values(kind, slot):
        with pytest.raises(PydpstatError, match=rf"{kind.__name__}\.{slot} must be .*; got "):
            kind(**{**MADE[kind], slot: value})
        made = kind(**MADE[kind])
        before = getattr(made, slot)
        with pytest.raises(PydpstatError, match=rf"{kind.__name__}\.{slot} must be "):
            setattr(made, slot, value)
        assert getattr(made, slot) is before


@pytest.mark.parametrize(("kind", "slot"), PAIRS, ids=NAMES)
def test_right_values_are_taken_both_ways(kind, slot):
    for value in RIGHT[slot]:
        made, later = kind(**{**MADE[kind], slot: value}), kind(**MADE[kind])
        setattr(later, slot, value)
        assert made == later


@pytest.mark.parametrize("kind", MADE, ids=lambda kind: kind.__name__)
def test_values_without_a_name_are_refused(kind):
    with pytest.raises(PydpstatError, match="by name; got 1 unnamed value\\(s\\)"):
        kind(1.0, **MADE[kind])


@pytest.mark.parametrize("kind", MADE, ids=lambda kind: kind.__name__)
def test_there_are_no_other_slots(kind):
    made = kind(**MADE[kind])
    with pytest.raises(AttributeError, match="has no slot 'epsilom'"):
        made.epsilom = 1
    assert set(made.slots()) <= set(inspect.signature(kind).parameters)


@pytest.mark.parametrize("kind", [DPMech, DPMechNumeric])
def test_virtual_classes_cannot_be_made(kind):
    with pytest.raises(PydpstatError, match=f"{kind.__name__} is virtual"):
        kind()
    with pytest.raises(PydpstatError, match="virtual"):
        kind(sensitivity=1)


def test_a_subclass_of_a_virtual_class_can_be_made():
    class Mine(DPMechNumeric):
        pass

    assert Mine(dims=2).dims == 2


def test_defaults_are_those_of_r():
    p = DPParamsGam()
    assert (p.epsilon, p.delta, p.gamma) == (1, 0, 0.05)
    for kind in NUMERIC:
        m = kind()
        assert (m.sensitivity, m.gammaSensitivity, m.dims, m.target([5])) == (math.inf, None, None, 0)


def test_empty_objects_are_made_unchecked_as_in_r():
    assert DPMechExponential().responseSet == []
    assert DPMechBernstein().latticeK is None and DPMechBernstein().dims is None
    for wrong in ({"sensitivity": 1}, {"latticeK": 2}, {"dims": 2}):
        with pytest.raises(PydpstatError, match="whole number"):
            DPMechBernstein(**wrong)
    with pytest.raises(PydpstatError, match="at least one response"):
        DPMechExponential(target=len)


def test_accessors():
    p = DPParamsGam(epsilon=2, delta=0.1, gamma=0.2)
    assert (p.getEpsilon(), p.getDelta(), p.getGamma()) == (2, 0.1, 0.2)
    p.setEpsilon(3), p.setDelta(0.3), p.setGamma(0.4)
    assert p == DPParamsGam(epsilon=3, delta=0.3, gamma=0.4)
    for setter, wrong in ((p.setEpsilon, 0), (p.setDelta, 1), (p.setGamma, 1)):
        with pytest.raises(PydpstatError):
            setter(wrong)


def test_to_gamma():
    assert DPParamsEps(epsilon=2).toGamma(0.1) == DPParamsGam(epsilon=2, delta=0, gamma=0.1)
    assert DPParamsDel(delta=0.3).toGamma(0.1) == DPParamsGam(delta=0.3, gamma=0.1)
    with pytest.warns(UserWarning, match="only replaces its gamma"):
        assert DPParamsGam(gamma=0.3).toGamma(0.1).gamma == 0.1


def test_equality_is_by_class_and_slots():
    assert DPParamsEps(epsilon=1) == DPParamsEps() != DPParamsEps(epsilon=2)
    assert DPParamsEps() != DPParamsDel() and DPParamsEps() != 1
    assert DPMechLaplace(dims=1) == DPMechLaplace(dims=1) != DPMechGaussian(dims=1)


@pytest.mark.parametrize("kind", MADE, ids=lambda kind: kind.__name__)
def test_copies_and_pickles(kind):
    made = kind(**MADE[kind])
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == copy.copy(made) == made


def test_texts():
    assert repr(DPParamsDel(epsilon=2, delta=0.1)) == "DPParamsDel(epsilon=2.0, delta=0.1)"
    assert repr(DPMechLaplace(sensitivity=0.5, target=len, dims=1)) == (
        "DPMechLaplace(sensitivity=0.5, target=<function len>, gammaSensitivity=None, dims=1)"
    )


def test_every_name_of_r_is_there():
    assert {*MADE, DPMechNumeric, DPMech} <= {getattr(diffpriv, name) for name in diffpriv.__all__}
