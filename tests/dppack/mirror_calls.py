"""A good call of every mirror, and what the contract's tests share."""

from __future__ import annotations

import warnings
from contextlib import contextmanager

import numpy as np
import pytest

from pydpstat import DPResultsPair, PydpstatError, RRandom, dppack

X = [1.0, 2.5, 3.0, 4.0, 7.25, -3.5, 0.1, 2.0]
Y = [0.3, -1.2, 2.2, 2.8, 3.1, 3.3, 4.9, 5.0]
PAIRS = np.column_stack([X, Y])
_GAUSS = {"mechanism": "Gaussian", "delta": 0.01}
_ONE = {"eps": 0.5, "lower_bound": 0, "upper_bound": 5}
_TWO = {"eps": 0.5, "lower_bound1": 0, "upper_bound1": 5, "lower_bound2": 0, "upper_bound2": 6}
_VECTOR = {"true_values": [1.0, 2.0, 3.0], "eps": 0.5}
_OWN = {"sensitivities": [1, 2, 3], "alloc_proportions": [1, 1, 1]}
# a call that works for each: what is named, positional arguments excepted
GOOD = {
    "meanDP": {"x": X, **_ONE, **_GAUSS},
    "varDP": {"x": X, **_ONE, **_GAUSS},
    "sdDP": {"x": X, **_ONE, **_GAUSS},
    "covDP": {"x1": X, "x2": Y, **_TWO, **_GAUSS},
    "histogramDP": {"x": X, **_ONE, "breaks": [0, 2.5, 5], **_GAUSS},
    "tableDP": {"a": [1, 2, 2], "eps": 0.5, **_GAUSS},
    "LaplaceMechanism": {**_VECTOR, **_OWN},
    "GaussianMechanism": {**_VECTOR, "delta": 0.01, **_OWN},
    "ExponentialMechanism": {"utility": X, "eps": 0.5, "sensitivity": 1, "measure": [1, 1, 1, 1, 2, 2, 2, 2]},
    "quantileDP": {"x": X, "quant": 0.75, **_ONE},
    "medianDP": {"x": X, **_ONE},
    "pooledVarDP": {"samples": (X, Y), **_ONE, **_GAUSS},
    "pooledCovDP": {"samples": (PAIRS, PAIRS), **_TWO, **_GAUSS},
}

# what is no source of random numbers
NO_SOURCES = [True, 1.5, "1", [1], np.random.RandomState(1), np.random.PCG64(1), np.random, object()]


@contextmanager
def refused_before_any_draw(match=None):
    """Give a stream to a call that is refused, and from which nothing may be drawn."""
    stream = RRandom(1)
    before = stream.state
    with pytest.raises(PydpstatError, match=match):
        yield stream
    assert np.array_equal(stream.state, before)


def call(name, arguments, rng=None):
    """Call a mirror without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        named = dict(arguments)
        samples = named.pop("samples", ())
        groups = samples if isinstance(samples, tuple) else (samples,)
        return getattr(dppack, name)(*groups, **named, rng=rng)


def values(result):
    results = result.values() if isinstance(result, DPResultsPair) else [result]
    return np.concatenate([np.ravel(each.value, order="F") for each in results])
