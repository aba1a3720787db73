"""A search through everything that a result refers to finds nothing private."""

import functools
import json
import pickle
import random
import struct
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat._release.pipeline import Query
from pydpstat.random.r_stream import RRandom
from tests.privacy_search import findings, reachable
from tests.sample_results import parts


def noise_of(result: Any, truth: np.ndarray) -> np.ndarray:
    """The noise of every part: released minus true."""
    return np.concatenate(
        [np.ravel(each.value, order="F") - truth for each in parts(result) if each.value.size == truth.size] or [[]]
    )


def private_numbers(release: Any) -> np.ndarray:
    data = [np.ravel(item) for item in release.private if isinstance(item, (np.ndarray, pd.Series))]
    data = [item for item in data if item.size < 100]
    return np.concatenate([release.truth, *data, [987_654_321.0]])


@dataclass
class Box:
    content: Any


class Slotted:
    __slots__ = ("content",)


def _slotted(content: Any) -> Slotted:
    box = Slotted()
    box.content = content
    return box


def _closure(content: Any) -> Any:
    return lambda: content


def _cached(content: Any) -> Any:
    @functools.lru_cache
    def double(value: Any) -> Any:
        return 2 * value

    double(content)
    return double


def _caught(content: Any) -> Any:
    try:
        raise ValueError("no number here", content)
    except ValueError as error:
        return error.with_traceback(None)


HIDDEN = {
    "attribute": Box,
    "slot": _slotted,
    "closure": _closure,
    "containers": lambda v: [{"a": (v,)}],
    "default": lambda v: lambda x=v: x,
    "array": lambda v: np.array([1.0, v, 2.0]),
    "bound method": lambda v: Box(v).__eq__,
    "generator": lambda v: (each + v for each in range(3)),
    "cache": _cached,
    "partial": lambda v: functools.partial(print, v),
    "fraction in grid units": lambda v: Fraction(v) / 2**40,
    "bytes": lambda v: np.array([1.0, v]).tobytes(),
    "text": lambda v: f"the value {v!r}",
    "base of a Series": lambda v: pd.Series([1.0, v], name="x").iloc[:1],
    "error": _caught,
}


@pytest.mark.parametrize("hide", HIDDEN.values(), ids=HIDDEN)
def test_the_search_finds_what_is_hidden(hide):
    assert findings(hide(4.2424242e7), [4.2424242e7])
    assert not findings(hide(4.2424243e7), [4.2424242e7])


def test_the_search_finds_objects():
    data = np.arange(5.0)
    assert findings(Box(data[1:3]), [], (data,)) and findings(Box(RRandom(1)), [])
    assert findings([Query("mean", data, (1.0,), pydpstat.meanDP([1.0], 1, 0, 1).labels)], [])


@pytest.mark.parametrize("source", ["R", "NumPy", "none"])
def test_nothing_private_can_be_reached(any_release, source, monkeypatch):
    # of other bits one noise in some thousand is an integer that the result has elsewhere, too
    monkeypatch.setattr("pydpstat.random.secure._bits.entropy", random.Random(1).randbytes)
    rng = {"R": 987_654_321, "NumPy": np.random.default_rng(5), "none": None}[source]
    result = any_release(rng)
    noise = noise_of(result, any_release.truth)
    assert np.isfinite(noise).all() and (noise.size == 0 or np.any(noise))
    assert findings(result, np.concatenate([private_numbers(any_release), noise]), any_release.private) == []


def test_a_given_stream_is_not_kept(any_release):
    stream = RRandom(987_654_321)
    result = any_release(stream)
    assert not any(each is stream or isinstance(each, RRandom) for each in reachable(result))


def test_texts_and_bytes_hold_nothing_private(any_release):
    result = any_release()
    secrets = np.concatenate([private_numbers(any_release), noise_of(result, any_release.truth)])
    texts = [repr(result)]
    for each in parts(result):
        texts += [each.summary().as_text(), each._repr_html_(), json.dumps(each.to_dict())]
        texts += [each.call, str(each.r_call)]
    for secret in secrets:
        # seven digits of a number that is no small whole one
        if len(repr(float(secret))) > 9:
            assert not [text for text in texts if repr(float(secret))[:9] in text]
    stored = pickle.dumps(result)
    for secret in secrets:
        if secret != int(secret):
            assert struct.pack("<d", secret) not in stored and struct.pack(">d", secret) not in stored


def test_a_function_of_breaks_is_not_kept():
    secret = np.array([4.2424242e7, 4.2424299e7])

    def breaks(x):
        return 2 + int(secret.size > 5)

    with pytest.warns(pydpstat.PrivacyWarning):
        result = pydpstat.histogramDP([1.0, 2.0, 3.0], 1, 0, 4, breaks=breaks, rng=1)
    assert findings(result, secret, (secret, breaks)) == []
    assert pickle.loads(pickle.dumps(result)).call == result.call


def test_a_view_of_breaks_does_not_keep_its_base():
    sheet = np.array([[0.0, 2.0, 4.0], [4.2424242e7, 1.0, 1.0]])
    result = pydpstat.histogramDP([1.0, 2.0, 3.0], 1, 0, 4, breaks=sheet[0], rng=1)
    assert findings(result, [4.2424242e7], (sheet,)) == []


def test_a_list_that_changes_later_does_not_change_the_call():
    edges = [0.0, 2.0, 4.0]
    result = pydpstat.histogramDP([1.0, 2.0, 3.0], 1, 0, 4, breaks=edges, rng=1)
    before = result.call
    edges[1] = 4.2424242e7
    assert result.call == before


def test_the_number_of_records_is_hidden_where_it_is_private():
    cells = pd.Categorical(["a", "b"] * 20, categories=["a", "b"])
    assert pydpstat.tableDP(cells, rng=1).nobs == 40
    assert pydpstat.tableDP(cells, which_sensitivity="unbounded", rng=1).nobs is None
    many = np.linspace(0, 4, 4_242_437)
    hidden = pydpstat.histogramDP(many, 1, 0, 4, [0, 2, 4], which_sensitivity="unbounded", rng=1)
    assert hidden.nobs is None and findings(hidden, [4_242_437]) == []
    assert "private" in hidden.summary().as_text()


def test_a_query_does_not_show_its_value():
    labels = pydpstat.meanDP([1.0], 1, 0, 1, rng=1).labels
    assert "4.24" not in repr(Query("mean", np.array(4.2424242e7), (1.0,), labels))
