"""Noise added to columns: its law, its sources, and what stays."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pydpstat import PydpstatError, RRandom
from pydpstat.anonymity import add_noise

SIZE = 20_000
LAWS = {"laplace": stats.laplace, "normal": stats.norm}
# a right sample fails once in ten thousand; all are seeded
LEVEL = 1e-4


@pytest.mark.parametrize("source", ["system", "numpy", "r"])
@pytest.mark.parametrize("noise", LAWS)
def test_the_law(noise, source):
    """The scale asked for is accepted, one 10 % off is rejected on either side."""
    rng = {"system": None, "numpy": 5, "r": RRandom(5)}[source]
    df = pd.DataFrame({"x": np.full(SIZE, 100.0)})
    drawn = add_noise(df, 3.0, noise=noise, rng=rng)["x"] - 100.0
    assert stats.kstest(drawn, LAWS[noise](scale=3.0).cdf).pvalue > LEVEL
    for wrong in (2.7, 3.3):
        assert stats.kstest(drawn, LAWS[noise](scale=wrong).cdf).pvalue < LEVEL


def test_columns_are_independent_and_scales_their_own():
    df = pd.DataFrame({"x": np.zeros(SIZE), "y": np.zeros(SIZE), "z": np.zeros(SIZE)})
    drawn = add_noise(df, {"x": 1.0, "y": 50.0}, noise="normal")
    assert abs(np.corrcoef(drawn["x"], drawn["y"])[0, 1]) < 4.0 / np.sqrt(SIZE)
    assert drawn["x"].std() == pytest.approx(1.0, rel=0.03) and drawn["y"].std() == pytest.approx(50.0, rel=0.03)
    assert (drawn["z"] == 0.0).all()


def test_a_relative_scale():
    rng = np.random.default_rng(1)
    df = pd.DataFrame(
        {"x": rng.normal(0, 40, SIZE), "gap": np.where(np.arange(SIZE) == 3, np.nan, rng.normal(0, 2, SIZE))}
    )
    noise = add_noise(df, 0.5, noise="normal", relative=True, rng=1) - df
    assert noise["x"].std() == pytest.approx(20.0, rel=0.03)
    assert noise["gap"].std() == pytest.approx(1.0, rel=0.05) and np.isnan(noise["gap"][3])


def test_a_seed_repeats_and_the_system_does_not():
    df = pd.DataFrame({"x": [1.0, 2.0, 3.0]})
    assert add_noise(df, 1.0, rng=3).equals(add_noise(df, 1.0, rng=3))
    assert not add_noise(df, 1.0).equals(add_noise(df, 1.0))


def test_frames():
    df = pd.DataFrame(
        {
            "i": [1, 2],
            "f": np.array([1, 2], dtype=np.float32),
            "n": pd.array([1, None], dtype="Int64"),
            "s": ["a", "b"],
        },
        index=[5, 6],
    )
    before = df.copy(deep=True)
    result = add_noise(df, 1.0, ["i", "f", "n"], rng=1)
    pd.testing.assert_frame_equal(df, before)
    assert list(map(str, result.dtypes))[:3] == ["float64", "float32", "Float64"]
    assert result["n"].isna().tolist() == [False, True] and result.index.tolist() == [5, 6]


@pytest.mark.parametrize(
    "change, words",
    [
        ({"scale": 0}, ["scale must be a positive finite number"]),
        ({"scale": -1.0}, ["scale must be"]),
        ({"scale": np.inf}, ["scale must be"]),
        ({"scale": [1.0, 2.0]}, ["scale must be"]),
        ({"scale": {"y": 1.0}}, ["scale must name columns of df"]),
        ({"noise": "gaussian"}, ["noise must be one of {'laplace', 'normal'}"]),
        ({"relative": None}, ["relative must be"]),
        ({"rng": "seed"}, ["rng must be"]),
        ({"columns": "s"}, ["numbers in column 's'"]),
        ({"columns": "c", "relative": True}, ["values in column 'c'"]),
        ({"columns": "e", "relative": True}, ["values in column 'e'"]),
    ],
)
def test_bad_input(change, words):
    df = pd.DataFrame({"x": [1.0, 2.0], "s": ["a", "b"], "c": [3, 3], "e": [np.nan, np.nan]})
    with pytest.raises(PydpstatError) as raised:
        add_noise(
            **{
                "df": df,
                "scale": 1.0,
                "columns": None if isinstance(change.get("scale"), dict) else "x",
                **change,
            }
        )
    for word in words:
        assert word in str(raised.value)
