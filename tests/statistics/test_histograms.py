"""histogram: public edges, integer noise, and nothing that comes from the data but counts."""

import math

import numpy as np
import pandas as pd
import pytest

import pydpstat

EDGES = [0, 20, 40, 60, 80]
AGES = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17]
# so large that the noise is 0 with all but 1e-80 probability
EXACT = 200.0


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_counts_are_numpys(neighbors):
    x = np.array([*AGES, -5.0, 99.0, math.inf, -math.inf, 20.0, 80.0])
    r = pydpstat.histogram(x, EXACT, edges=EDGES, neighbors=neighbors)
    assert r.estimate.counts.tolist() == np.histogram(np.clip(x, 0, 80), EDGES)[0].tolist()
    assert r.nobs == (x.size if neighbors == "bounded" else None)
    assert r.sensitivity == (2.0 if neighbors == "bounded" else 1.0)
    assert r.noise.epsilon == EXACT and r.noise.sensitivity == r.sensitivity


def test_the_estimate_is_a_histogram():
    r = pydpstat.histogram(pd.Series(AGES, name="age"), 1.0, edges=EDGES, rng=3)
    shape = r.estimate
    assert shape.breaks.tolist() == EDGES and shape.mids.tolist() == [10, 30, 50, 70]
    assert shape.xname == "age" and shape.equidist and shape.density is None
    assert r.params.index.tolist() == ["[0, 20)", "[20, 40)", "[40, 60)", "[60, 80]"]
    assert (r.value == np.rint(r.value)).all() and r.postprocessing == ()
    assert "[60, 80]" in r.summary().as_text()
    assert not pydpstat.histogram(AGES, 1.0, edges=[0, 1, 90]).estimate.equidist


def test_negative_counts_stay():
    r = pydpstat.histogram([1.0], 0.1, edges=np.linspace(0, 100, 201), rng=1)
    assert (r.value < 0).any()


def test_noise_has_its_law():
    for neighbors, rate in (("bounded", 0.5), ("unbounded", 1.0)):
        r = pydpstat.histogram([], 1.0, edges=np.arange(20_001.0), neighbors=neighbors)
        stated = pydpstat.mechanisms.SymmetricGeometricNoise(rate).std()
        # 20,000 draws know their spread to about one in a hundred
        assert abs(r.value.std() / stated - 1) < 0.06 and r.bse.iloc[0] == pytest.approx(stated)


@pytest.mark.parametrize("neighbors, reach", [("bounded", math.sqrt(2)), ("unbounded", 1.0)])
def test_gaussian_noise(neighbors, reach):
    how = {"delta": 1e-6, "mechanism": "gaussian", "neighbors": neighbors, "rng": 1}
    r = pydpstat.histogram(AGES, 1.0, edges=EDGES, **how)
    assert reach <= r.sensitivity <= reach * (1 + 1e-15)
    assert r.guarantee.delta == 1e-6 and (r.value == np.rint(r.value)).all()


def test_missing_values():
    x = [1.0, np.nan, 79.0, None]
    with pytest.raises(pydpstat.PydpstatError, match="missing"):
        pydpstat.histogram(x, 1.0, edges=EDGES)
    assert pydpstat.histogram(x, EXACT, edges=EDGES, missing=20).value.tolist() == [1, 2, 0, 1]
    assert pydpstat.histogram(x, EXACT, edges=EDGES, missing=EDGES[-1]).value.tolist() == [1, 0, 0, 3]
    for outside in (math.inf, EDGES[0] - 1):
        with pytest.raises(pydpstat.PydpstatError, match="missing must be a number within the edges"):
            pydpstat.histogram(x, 1.0, edges=EDGES, missing=outside)
    dropped = pydpstat.histogram(x, EXACT, edges=EDGES, missing="drop", neighbors="unbounded")
    assert dropped.value.tolist() == [1, 0, 0, 1] and dropped.nobs is None
    with pytest.raises(pydpstat.PydpstatError, match="drop"):
        pydpstat.histogram(x, 1.0, edges=EDGES, missing="drop")


@pytest.mark.parametrize(
    "edges, word",
    [
        (None, "public edges"),
        ("auto", "use the range"),
        (20, "use the range"),
        ([0], "edges"),
        ([0, 0, 1], "in increasing order"),
        ([0, math.nan], "finite"),
        ([[0, 1]], "edges"),
        (["a", "b"], "edges"),
        ([0, 10**400], "finite"),
    ],
)
def test_edges_are_checked(edges, word):
    with pytest.raises(pydpstat.PydpstatError, match=word) as caught:
        pydpstat.histogram(AGES, 1.0, edges=edges)
    assert "edges" in str(caught.value)


@pytest.mark.parametrize("edges", [range(0, 100, 20), np.arange(0, 100, 20), pd.Series([0, 50, 99])])
def test_edges_of_all_kinds(edges):
    assert pydpstat.histogram(AGES, 1.0, edges=edges).estimate.breaks.tolist() == list(edges)


def test_the_call_has_the_edges_and_no_data():
    r = pydpstat.histogram(AGES, 1, edges=EDGES, neighbors="unbounded")
    assert r.call == ("histogram(x, epsilon=1.0, edges=[0.0, 20.0, 40.0, 60.0, 80.0], neighbors='unbounded')")


def test_shares_by_group_are_those_of_their_intervals():
    draw = np.random.default_rng(2)
    frame = pd.DataFrame({"x": draw.uniform(0, 10, 600), "sex": draw.choice(["f", "m"], 600)})
    how = {"by": "sex", "levels": ["f", "m"], "other": None, "rng": 1}
    found = pydpstat.histogram(frame, 1.0, edges=[0, 1, 3, 10], **how)
    shares = found.post.population.estimates
    low, high = (found.conf_int(kind="population")[side].to_numpy() for side in (0, 1))
    assert np.allclose(shares.sum(axis=1), 1.0)
    assert np.all((low <= shares.ravel(order="F")) & (shares.ravel(order="F") <= high))
    assert f"{shares[0, 0]:.4f}"[:5] in str(found)
