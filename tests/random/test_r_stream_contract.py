"""State, copies, errors, and draws in pieces."""

import copy
import pickle
import sys

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from pydpstat.errors import MissingExtraError, NotSupportedError, PydpstatError
from pydpstat.random.r_stream import RRandom
from pydpstat.random.r_stream._binomial import Btpe

DRAWS = {
    "runif": lambda rng, n: rng.runif(n),
    "runif between": lambda rng, n: rng.runif(n, -2.0, 5.0),
    "rnorm": lambda rng, n: rng.rnorm(n, 1.0, 2.0),
    "rexp": lambda rng, n: rng.rexp(n, 3.0),
    "rgeom": lambda rng, n: rng.rgeom(n, 0.4),
    "rgeom with a small probability": lambda rng, n: rng.rgeom(n, 0.02),
    "rgeom that is certain": lambda rng, n: rng.rgeom(n, 1.0),
    "rpois by table": lambda rng, n: rng.rpois(n, 4.0),
    "rpois": lambda rng, n: rng.rpois(n, 12.0),
    "rpois with a large mean": lambda rng, n: rng.rpois(n, 1e5),
    "rbinom by inversion": lambda rng, n: rng.rbinom(n, 12, 0.8),
    "rbinom": lambda rng, n: rng.rbinom(n, 300, 0.2),
    "rgamma below 1": lambda rng, n: rng.rgamma(n, 0.3, 2.0),
    "rgamma": lambda rng, n: rng.rgamma(n, 2.0, scale=3.0),
    "rgamma with a large shape": lambda rng, n: rng.rgamma(n, 60.0),
    "rbeta": lambda rng, n: rng.rbeta(n, 2.0, 3.0),
    "rbeta of a small shape": lambda rng, n: rng.rbeta(n, 0.5, 3.0),
    "sample": lambda rng, n: rng.sample(77, n, True),
    "sample of two words": lambda rng, n: rng.sample(10**6, n, True),
    "sample with probabilities": lambda rng, n: rng.sample(5, n, True, [1, 2, 2, 3, 1]),
    "sample by aliases": lambda rng, n: rng.sample(400, n, True, np.arange(400) + 50.0),
    "rlaplace": lambda rng, n: rng.rlaplace(n, 0.5, 2.0),
}


@pytest.mark.parametrize("distribution", DRAWS)
@given(seed=st.integers(-1000, 1000), pieces=st.lists(st.integers(0, 400), min_size=1, max_size=5))
@settings(max_examples=15, deadline=None)
def test_pieces_are_the_whole(distribution, seed, pieces):
    draw = DRAWS[distribution]
    whole, parts = RRandom(seed), RRandom(seed)
    expected = draw(whole, sum(pieces))
    drawn = [draw(parts, n) for n in pieces]
    assert np.concatenate(drawn).tobytes() == np.asarray(expected).tobytes()
    assert np.array_equal(whole.state, parts.state)


@pytest.mark.slow
@pytest.mark.parametrize("distribution", DRAWS)
def test_pieces_beyond_a_chunk(distribution):
    draw = DRAWS[distribution]
    whole, parts = RRandom(5), RRandom(5)
    expected = draw(whole, 150_000)
    drawn = [draw(parts, n) for n in (100, 69_900, 1, 2, 29_997, 50_000)]
    assert np.concatenate(drawn).tobytes() == expected.tobytes()
    assert np.array_equal(whole.state, parts.state)


@given(seed=st.integers(-(2**31) + 1, 2**31 - 1), n=st.integers(0, 3000))
@settings(max_examples=40, deadline=None)
def test_state_round_trip(seed, n):
    rng = RRandom(seed)
    rng.runif(n)
    other = RRandom(1)
    other.state = rng.state
    assert np.array_equal(other.state, rng.state)
    assert np.array_equal(other.rnorm(5), rng.rnorm(5))
    assert np.array_equal(other.runif(1300), rng.runif(1300))
    assert np.array_equal(other.state, rng.state)


def test_position_wraps_as_in_r():
    rng = RRandom(1)
    seen = []
    for _ in range(1250):
        rng.runif(1)
        seen.append(int(rng.state[1]))
    assert seen == [i % 624 + 1 for i in range(1250)]


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda rng: pickle.loads(pickle.dumps(rng))])
def test_copies_go_their_own_way(clone):
    rng = RRandom(9)
    rng.rexp(100)
    twin = clone(rng)
    assert np.array_equal(twin.runif(1000), rng.runif(1000))
    twin.runif(1)
    assert not np.array_equal(twin.state, rng.state)


def test_set_seed_starts_again():
    rng = RRandom(9)
    first = rng.rnorm(5)
    rng.set_seed(9)
    assert np.array_equal(rng.rnorm(5), first)
    assert np.array_equal(RRandom(np.int64(9)).rnorm(5), first)


def test_repr_hides_the_seed():
    rng = RRandom(31415)
    assert repr(rng) == "RRandom(seed=...)"


@pytest.mark.parametrize("seed", [None, 1.5, "1", True, 2**31, -(2**31), [1]])
def test_wrong_seed(seed):
    with pytest.raises(PydpstatError, match="seed must be a whole number from -2147483647"):
        RRandom(seed)


def _changed(place, value):
    state = RRandom(1).state.astype(np.int64)
    state[place] = value
    return state


@pytest.mark.parametrize(
    "state",
    [
        None,
        [],
        "state",
        [10403, 1],
        np.arange(626.0) + 0.5,
        _changed(1, 0),
        _changed(1, 625),
        _changed(7, 2**31),
        _changed(slice(2, None), 0),
    ],
    ids=["None", "empty", "text", "short", "fractions", "position 0", "position 625", "too large", "zeros"],
)
def test_wrong_state(state):
    rng = RRandom(1)
    before = rng.state
    with pytest.raises(PydpstatError, match="state"):
        rng.state = state
    assert np.array_equal(rng.state, before)


@pytest.mark.parametrize("kind", [403, 10401, 10407])
def test_other_kinds_are_not_supported(kind):
    with pytest.raises(NotSupportedError, match='RNGkind\\("Mersenne-Twister", "Inversion", "Rejection"\\)'):
        RRandom(1).state = _changed(0, kind)


# what the message says, and the calls, without a space inside
REFUSED = {
    "n must be": "runif(-1) runif(1.5) runif('a')",
    "min and max must be": "runif(2,1,0)",
    "max must be": "runif(2,[0,1],np.inf)",
    "min must be": "runif(2,[0,np.nan])",
    "sd must be .* got -1": "rnorm(2,sd=-1)",
    "sd must be": "rnorm(2,sd=np.inf) rnorm(2,sd=[1,-1])",
    "mean must be": "rnorm(2,np.nan) rnorm(2,[1,np.nan]) rnorm(2,'a')",
    "sd must be at least one number": "rnorm(2,sd=[])",
    "rate must be": "rexp(2,0) rexp(2,-1) rexp(2,[1,0])",
    "prob must be": "rgeom(2,0) rgeom(2,[.5,2]) rgeom(2,1e-310) rbinom(2,1,1.5)",
    "lam must be": "rpois(2,-1) rpois(2,[1,np.nan])",
    "size must be": "rbinom(2,1.5,.5) rbinom(2,[1,-1],.5) sample(3,-1)",
    "size must be below": "rbinom(2,2147483647,.5)",
    "shape must be": "rgamma(2,-1) rgamma(2,np.nan) rgamma(2,[1,-1])",
    "rate or scale must be": "rgamma(2,1,-1)",
    "rate and scale must be inverses": "rgamma(2,1,2,2)",
    "shape1 must be": "rbeta(2,-1,1)",
    "shape2 must be": "rbeta(2,1,[1,np.nan])",
    "s must be above 0": "rlaplace(2,s=0) rlaplace(2,s=np.nan) rlaplace(2,s=[1,0])",
    "m must be": "rlaplace(2,np.nan) rlaplace(2,np.inf,np.inf) rlaplace(2,[1,np.nan])",
    "scale must be": "rlap(2,0,-1) rlap(2,0,np.inf)",
    "location must be": "rlap(2,[1,2])",
    "size must be at most the number of items, 3": "sample(3,4)",
    "x must have at least one item": "sample([],1)",
    "x must be a whole number": "sample(2.5)",
    "x must be at most": "sample(5e15,1)",
    "x must be": "sample('abc') sample({1,2})",
    "prob must have one number for each of the 3 items": "sample(3,1,prob=[1,1])",
    "prob must not be negative": "sample(2,1,prob=[1,-1])",
    "prob must be finite": "sample(2,1,prob=[1,np.nan])",
    "prob must have at least 2 values above 0": "sample(2,2,prob=[1,0])",
    "prob must have at least 1 values above 0": "sample(2,1,prob=[0,0])",
}


@pytest.mark.parametrize(
    ("call", "message"), [(call, text) for text, calls in REFUSED.items() for call in calls.split()]
)
def test_refused_before_any_draw(call, message):
    rng = RRandom(1)
    with pytest.raises(PydpstatError, match=message):
        eval(f"rng.{call}", {"rng": rng, "np": np})
    assert np.array_equal(rng.state, RRandom(1).state)


@pytest.mark.parametrize("distribution", DRAWS)
def test_nothing_drawn_for_none_asked(distribution):
    rng = RRandom(1)
    assert len(DRAWS[distribution](rng, 0)) == 0
    assert np.array_equal(rng.state, RRandom(1).state)


def test_sample_returns_what_it_was_given():
    assert isinstance(RRandom(1).sample(["a", "b"]), list)
    assert sorted(RRandom(1).sample(("a", 1, None))[:0]) == []
    assert RRandom(1).sample([0.5, 2.5], 3, True).dtype == np.float64
    assert RRandom(1).sample(np.array(["u", "v"]), 1)[0] in ("u", "v")
    assert RRandom(1).sample([7]).tolist() == [7]
    assert RRandom(1).sample(0.5).tolist() == [0.5]
    pandas = pytest.importorskip("pandas")
    series = pandas.Series([1.5, 2.5, 3.5], index=["a", "b", "c"])
    drawn = RRandom(1).sample(series)
    assert drawn.to_dict() == series.to_dict()


def test_counts_are_integers_as_in_r():
    rng = RRandom(1)
    assert rng.rpois(3, 1e9).dtype == np.int64
    assert rng.rpois(3, 1e12).dtype == np.float64
    assert rng.rgeom(3, 0.5).dtype == np.int64


def test_missing_rpy2(monkeypatch):
    monkeypatch.setitem(sys.modules, "rpy2", None)
    monkeypatch.setitem(sys.modules, "rpy2.rinterface", None)
    with pytest.raises(MissingExtraError, match=r"RRandom.from_r\(\) needs rpy2"):
        RRandom.from_r()
    with pytest.raises(MissingExtraError, match=r"RRandom.to_r\(\) needs rpy2"):
        RRandom(1).to_r()


@pytest.mark.parametrize(
    "size, prob, k", [(3000, 0.01, 0), (3000, 0.01, 15), (400, 0.12, 28), (1000, 0.4, 360), (90, 0.5, 20)]
)
@pytest.mark.parametrize("share, accepted", [(0.999, True), (1.001, False)])
def test_a_binomial_trial_is_accepted_below_its_probability(size, prob, k, share, accepted):
    law = Btpe(size, prob)
    mode, where = int((size + 1) * prob), scipy.stats.binom(size, prob)
    height = share * np.exp(where.logpmf(k) - where.logpmf(mode))
    # the tail at the left proposes k; the next trial is in the triangle, at the mode
    v = np.exp(law.left_rate * (k + 0.5 - law.left))
    u = law.p2 + height / (law.left_rate * v)
    uniforms = iter([u / law.p4, v, 0.0, 0.0])
    assert law.p2 < u < law.p3 and law.draw_one(uniforms.__next__) == (k if accepted else mode)
